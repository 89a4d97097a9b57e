/** When refusing counts as useless. */
export interface FutileRules {
  /** Share of the work that is refused. */
  readonly shareRatio: number;
  /** How long this share has to last without falling pressure. */
  readonly forMs: number;
}

/** Work since the start of the process. */
interface WorkCounts {
  readonly admitted: number;
  readonly refused: number;
}

/** Measurements since most of the work was first refused. */
interface Futility {
  readonly shareRatio: number;
  readonly operations: number;
  readonly ratioBefore: number;
  readonly ratioNow: number;
}

/** Least time over which the share of refused work is judged. */
const lookMs = 5000;
/** A fall of used / limit by this much is relief. */
const reliefRatio = 0.02;
/** With fewer operations than this in `forMs` the policy is not judged. */
const leastOperations = 20;

/**
 * Detects that refusing work does not help: most of it was refused for minutes and the pressure did not fall. Pressure is compared with its
 * value when the refusing began, because the process was in another state before.
 */
export class FutileRefusal {
  #since: { readonly atMs: number; readonly ratio: number; readonly counts: WorkCounts } | undefined;
  #looked: { readonly atMs: number; readonly counts: WorkCounts } | undefined;
  #share = 0;

  /** Share of the work refused at the last look. */
  get share(): number {
    return this.#share;
  }

  /** Forgets all measurements: nothing is refused, or another rule decides. */
  reset(): void {
    this.#since = undefined;
    this.#looked = undefined;
  }

  /** Takes a reading. Returns the measurements once refusing was useless for `forMs`. */
  tick(nowMs: number, ratio: number, counts: WorkCounts, rules: FutileRules): Futility | undefined {
    if (this.#since === undefined || this.#looked === undefined) {
      this.#begin(nowMs, ratio, counts);
      return undefined;
    }
    if (nowMs - this.#looked.atMs >= lookMs) {
      const { all, share } = between(this.#looked.counts, counts);
      // A look without any work changes nothing, because clients come back in bursts.
      if (all > 0) this.#share = share;
      this.#looked = { atMs: nowMs, counts };
      if (this.#share <= rules.shareRatio || ratio <= this.#since.ratio - reliefRatio)
        this.#begin(nowMs, ratio, counts);
    }
    const lastedMs = nowMs - this.#since.atMs;
    if (lastedMs < rules.forMs) return undefined;
    const { all, share } = between(this.#since.counts, counts);
    if (share <= rules.shareRatio || all < leastOperations * (lastedMs / rules.forMs)) return undefined;
    return { shareRatio: share, operations: all, ratioBefore: this.#since.ratio, ratioNow: ratio };
  }

  #begin(atMs: number, ratio: number, counts: WorkCounts): void {
    this.#since = { atMs, ratio, counts };
    this.#looked = { atMs, counts };
  }
}

function between(from: WorkCounts, to: WorkCounts): { readonly all: number; readonly share: number } {
  const refused = to.refused - from.refused;
  const all = to.admitted - from.admitted + refused;
  return { all, share: all === 0 ? 0 : refused / all };
}
