/**
 * The time budget of root walks: 0.1 % of one core over all calls, saved up to 5 ms, plus 0.1 % of the call's own time. So one call after a
 * pause is measured exactly, and a stage that runs all the time is slowed down by at most 1 %.
 */
class WalkBank {
  #savedMs = mostSavedMs;
  #filledAt = performance.now();
  /** Duration of the last walk, and its end. */
  spentMs = 0;
  spentAt = 0;

  /** Whether a walk of this length may begin now. */
  affords(ms: number, now: number): boolean {
    this.#fill(now);
    return ms <= Math.min(mostWalkMs, this.#savedMs);
  }

  /** Runs a walk with its allowed time; with `isExact` without a limit. */
  spend<T>(isExact: boolean, callMs: number, walk: (mostMs: number) => T): T {
    const now = performance.now();
    this.#fill(now);
    const share = Math.max(leastMs, callRatio * callMs);
    const mostMs = isExact ? Number.POSITIVE_INFINITY : Math.min(mostWalkMs, Math.max(share, this.#savedMs));
    const result = walk(mostMs);
    this.spentAt = performance.now();
    this.spentMs = this.spentAt - now;
    // The debt is bounded, so that one `exact` walk does not take the time of later ones.
    this.#savedMs = Math.max(-mostOwedMs, this.#savedMs - this.spentMs);
    return result;
  }

  #fill(now: number): void {
    this.#savedMs = Math.min(mostSavedMs, this.#savedMs + bankRatio * (now - this.#filledAt));
    this.#filledAt = now;
  }
}

const bankRatio = 0.001;
const mostSavedMs = 5;
const mostOwedMs = 0.2;
const callRatio = 0.001;
const leastMs = 0.01;
/** Longest time that a walk may block the loop, except an exact one. */
const mostWalkMs = 20;

export const walkBank = new WalkBank();
