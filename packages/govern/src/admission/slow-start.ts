const stepMs = 1000;
const firstQuota = 8;
const steps = 5;

/**
 * Ends a refusal slowly. A few requests are let in first, twice as many in each following second, then all. What was refused for a while
 * comes back all at once, and would bring back the pressure it was refused for.
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

  /** True when this one is let in. */
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

  /** Share of what asked since the start that was not let in. */
  get refusedRatio(): number {
    return this.#asked === 0 ? 0 : this.#refused / this.#asked;
  }
}
