/**
 * Bytes that were promised at shed points and are in no reading yet.
 *
 * A promise is kept for one to two windows of readings. By then its bytes are in the readings, or were never allocated. So nobody has to
 * give a reservation back, and a forgotten one does no harm. The clock is read once per reading, not once per promise.
 */
export class Reservations {
  readonly #windowMs: number;
  #recent = 0;
  #older = 0;
  #turnAt = Number.NEGATIVE_INFINITY;

  constructor(windowMs = 2000) {
    this.#windowMs = windowMs;
  }

  get bytes(): number {
    return this.#recent + this.#older;
  }

  add(bytes: number): void {
    this.#recent += bytes;
  }

  /** Takes a reading, which includes the bytes promised before the last window. */
  turn(nowMs: number): void {
    if (nowMs < this.#turnAt) return;
    this.#older = this.#recent;
    this.#recent = 0;
    this.#turnAt = nowMs + this.#windowMs;
  }

  clear(): void {
    this.#recent = 0;
    this.#older = 0;
  }
}
