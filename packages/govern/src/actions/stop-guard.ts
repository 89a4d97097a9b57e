import type { GuardRules } from '../policy/sections/guards.ts';
import { formatRate } from '../policy/form/span.ts';

/** A scope that was stopped and is not yet known to be gone. */
interface Target {
  readonly path: string;
  readonly sinceMs: number;
}

/** A target that is not closed after this time counts as leaked and no longer blocks the next stop. */
const leakedAfterMs = 30_000;
const mostTargets = 1000;

/**
 * Bounds the stops: their number per time, their share of each kind, and one target at a time until it is gone or counts as leaked. A stop
 * whose effect is not visible yet usually causes the next stop. Waiting for the effect prevents such a cascade.
 */
export class StopGuard {
  #rules: GuardRules['destructive'];
  /** Monotonic times of the last stops, oldest first, as many as the rate needs. */
  readonly #times: { readonly kind: string; readonly atMs: number }[] = [];
  readonly #targets = new Map<object, Target>();
  #leaked = 0;
  #held = 0;

  constructor(rules: GuardRules['destructive']) {
    this.#rules = rules;
  }

  setRules(rules: GuardRules['destructive']): void {
    this.#rules = rules;
  }

  /** Targets that never closed, and stops that a bound held back, since the start. */
  get counts(): { readonly leaked: number; readonly held: number } {
    return { leaked: this.#leaked, held: this.#held };
  }

  /** Why nothing may be stopped now; undefined when something may. */
  blockedBy(nowMs: number): string | undefined {
    for (const [key, { path, sinceMs }] of this.#targets) {
      if (nowMs - sinceMs < leakedAfterMs) return `${path} was stopped and is not gone yet`;
      this.#targets.delete(key);
      this.#leaked++;
    }
    return undefined;
  }

  /** Why no further scope of a kind may be stopped; undefined when one may. `open` is the number of open scopes of the kind. */
  refuses(nowMs: number, kind: string, open: number): string | undefined {
    this.#forget(nowMs);
    const { rate, shareOfWorkRatio } = this.#rules;
    const ofKind = this.#times.filter((each) => each.kind === kind).length;
    const allowed = Math.max(1, Math.floor(shareOfWorkRatio * (open + ofKind)));
    const why =
      this.#times.length >= rate.count
        ? `guards.destructive.rate allows ${formatRate(rate)}`
        : ofKind >= allowed
          ? `guards.destructive.share-of-work allows ${allowed} of ${open + ofKind} of kind ${kind}`
          : undefined;
    if (why !== undefined) this.#held++;
    return why;
  }

  /** Counts a stop. Call the returned function when the scope is gone. */
  take(nowMs: number, kind: string, path: string): () => void {
    this.#times.push({ kind, atMs: nowMs });
    const key = {};
    if (this.#targets.size < mostTargets) this.#targets.set(key, { path, sinceMs: nowMs });
    return () => this.#targets.delete(key);
  }

  #forget(nowMs: number): void {
    const { perMs } = this.#rules.rate;
    while (this.#times.length > 0 && nowMs - (this.#times[0] as { atMs: number }).atMs >= perMs)
      this.#times.shift();
  }
}
