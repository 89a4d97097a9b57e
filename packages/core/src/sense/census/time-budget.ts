/** A token bucket of measured time: work may take a share of one core, in slices, and pays back what it overdrew. */
export class TimeBudget {
  readonly #ratio: number;
  readonly #burstMs: number;
  #tokensMs: number;
  #filledAt: number;

  /** `ratio` is the share of wall time, `burstMs` the most that can be saved up; twenty times as much can be owed. `creditMs` comes first. */
  constructor(ratio: number, burstMs: number, nowMs: number, creditMs = burstMs) {
    this.#ratio = ratio;
    this.#burstMs = burstMs;
    this.#tokensMs = creditMs;
    this.#filledAt = nowMs;
  }

  /** Takes measured time off. A debt is bounded, or one pause of the machine would silence the work for minutes. */
  spend(ms: number, nowMs: number): void {
    this.#fill(nowMs);
    this.#tokensMs = Math.max(this.#tokensMs - ms, -20 * this.#burstMs);
  }

  /** Ms to wait until a slice of this length is paid for. */
  waitMs(sliceMs: number, nowMs: number): number {
    this.#fill(nowMs);
    return Math.max(0, (sliceMs - this.#tokensMs) / this.#ratio);
  }

  #fill(nowMs: number): void {
    const elapsed = Math.max(0, nowMs - this.#filledAt);
    this.#filledAt = nowMs;
    if (this.#tokensMs < this.#burstMs) {
      this.#tokensMs = Math.min(this.#burstMs, this.#tokensMs + elapsed * this.#ratio);
    }
  }
}
