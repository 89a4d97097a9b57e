const stepMs = 1000;
const firstQuota = 8;
const steps = 5;

/**
 * Ends a refusal slowly. A few requests are admitted first, twice as many in each following second, then all. Without it, all refused
 * clients would come back at once and bring the pressure back.
 */
export class SlowStart {
  readonly #startedMs: number;
  #step = 0;
  #left = firstQuota;
  #asked = 0;
  #refused = 0;

  constructor(nowMs: number) {
    this.#startedMs = nowMs;
  }

  isOver(nowMs: number): boolean {
    return nowMs - this.#startedMs >= steps * stepMs;
  }

  /** True when this request is admitted. */
  take(nowMs: number): boolean {
    const step = Math.floor((nowMs - this.#startedMs) / stepMs);
    if (step > this.#step) {
      this.#step = step;
      this.#left = firstQuota * 2 ** step;
    }
    this.#asked++;
    if (this.#left > 0) {
      this.#left--;
      return true;
    }
    this.#refused++;
    return false;
  }

  /** Share of the requests since the start that were not admitted. */
  get refusedRatio(): number {
    return this.#asked === 0 ? 0 : this.#refused / this.#asked;
  }
}
