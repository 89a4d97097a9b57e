/**
 * The time that walks of roots may take: 0.1 % of one core over all calls, saved up to 5 ms, and in any case 0.1 % of the call's own
 * time. So one call after a quiet while is measured exactly, and a stage that runs all the time is not slowed down by more than 1 %.
 */
class WalkBank {
  #savedMs = mostSavedMs;
  #filledAt = performance.now();
  /** How long the last walk took, and when it ended. */
  spentMs = 0;
  spentAt = 0;

  /** Whether a walk that takes this long may begin now. */
  affords(ms: number, now: number): boolean {
    this.#fill(now);
    return ms <= Math.min(mostWalkMs, this.#savedMs);
  }

  /** Runs a walk with the time that it may take; all the time it needs with `isExact`. */
  spend<T>(isExact: boolean, callMs: number, walk: (mostMs: number) => T): T {
    const now = performance.now();
    this.#fill(now);
    const share = Math.max(leastMs, callRatio * callMs);
    const mostMs = isExact ? Number.POSITIVE_INFINITY : Math.min(mostWalkMs, Math.max(share, this.#savedMs));
    const result = walk(mostMs);
    this.spentAt = performance.now();
    this.spentMs = this.spentAt - now;
    // A long debt would punish others for one `exact` walk.
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
/** The longest that a walk may block the loop, unless an exact one was asked for. */
const mostWalkMs = 20;

export const walkBank = new WalkBank();
