/**
 * A rate that may be used up in bursts: what comes more often is left out, so that following objects through the garbage collector
 * costs a bounded part of a busy server. A leak that grows is among those followed soon enough.
 */
export class Pace {
  readonly #perMs: number;
  readonly #burst: number;
  #left: number;
  #atMs = 0;

  constructor(perSecond: number, burst: number) {
    this.#perMs = perSecond / 1000;
    this.#burst = burst;
    this.#left = burst;
  }

  /** True when one more fits; `nowMs` is by the clock that does not jump. */
  take(nowMs: number): boolean {
    // Earned at every call. Time without use fills at most one burst.
    this.#left = Math.min(this.#burst, this.#left + (nowMs - this.#atMs) * this.#perMs);
    this.#atMs = nowMs;
    if (this.#left < 1) return false;
    this.#left -= 1;
    return true;
  }
}
