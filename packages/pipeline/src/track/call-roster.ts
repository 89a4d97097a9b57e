import { TimeBudget } from '@plimsoll/core/internal/sense/census/time-budget';
import { collectionTally } from './collection-tally.ts';

/** A call that runs now. */
interface RunningCall {
  readonly root: object | undefined;
  sample(mostMs: number): number;
}

const everyMs = 100;
const sliceMs = 1;
/** Share of one core that samples of running calls may take, all together. */
const cpuRatio = 0.005;

/**
 * The calls that run now. One timer measures their roots in turn, so that a peak and a passed bound are seen while the call runs. The
 * timer exists only while calls do, and never keeps the process alive.
 */
class CallRoster {
  readonly #calls = new Set<RunningCall>();
  readonly #budget = new TimeBudget(cpuRatio, sliceMs, performance.now());
  #timer: NodeJS.Timeout | undefined;
  added = 0;

  get size(): number {
    return this.#calls.size;
  }

  /** Returns how many calls were added so far. */
  add(call: RunningCall): number {
    this.#calls.add(call);
    this.#timer ??= setInterval(() => this.#look(), everyMs).unref();
    return ++this.added;
  }

  remove(call: RunningCall): void {
    this.#calls.delete(call);
    if (this.#calls.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #look(): void {
    // Unread collections pile up inside V8 while a long call runs.
    collectionTally.sums();
    for (let left = this.#calls.size; left > 0; left--) {
      const now = performance.now();
      if (this.#budget.waitMs(sliceMs, now) > 0) return;
      const call = this.#calls.values().next().value as RunningCall;
      // To the end of the line: the next look begins with the others.
      this.#calls.delete(call);
      this.#calls.add(call);
      if (call.root === undefined) continue;
      try {
        call.sample(sliceMs);
      } catch {
        // A root that changes under the walk is measured at the next look.
      }
      this.#budget.spend(performance.now() - now, performance.now());
    }
  }
}

export const callRoster = new CallRoster();
