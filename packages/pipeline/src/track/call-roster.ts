import { TimeBudget } from '@plimsoll/core/internal/sense/census/time-budget';
import { collectionTally } from './collection-tally.ts';
import { processFigures } from './process-figures.ts';

/** A call that runs now. */
interface RunningCall {
  readonly root: object | undefined;
  /** Measures the root. It is a root of the scope from the first sample on. */
  sample(mostMs: number): number;
}

const everyMs = 100;
const sliceMs = 1;
/** Share of one core that samples of running calls may take, all together. */
const cpuRatio = 0.002;
/** Looks without a call after which the timer ends. Starting and stopping it for every call took 40 to 80 µs of a short stage. */
const mostIdleLooks = 50;

/**
 * The calls that run now. One timer measures their roots in turn, so that a peak and a passed bound are seen while the call runs. The
 * timer ends 5 s after the last call, and never keeps the process alive.
 */
class CallRoster {
  readonly #calls = new Set<RunningCall>();
  readonly #budget = new TimeBudget(cpuRatio, sliceMs, performance.now());
  #timer: NodeJS.Timeout | undefined;
  #idleLooks = 0;
  added = 0;

  get size(): number {
    return this.#calls.size;
  }

  /** Returns how many calls were added so far. */
  add(call: RunningCall): number {
    this.#calls.add(call);
    this.#idleLooks = 0;
    if (this.#timer === undefined) {
      collectionTally.follow();
      this.#timer = setInterval(() => this.#look(), everyMs).unref();
    }
    return ++this.added;
  }

  remove(call: RunningCall): void {
    this.#calls.delete(call);
  }

  #look(): void {
    // Unread collections pile up inside V8 while a long call runs.
    const now = performance.now();
    collectionTally.sums(now, processFigures(now).heapUsed);
    if (this.#calls.size === 0) return this.#rest();
    for (let left = this.#calls.size; left > 0; left--) {
      const from = performance.now();
      if (this.#budget.waitMs(sliceMs, from) > 0) return;
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
      this.#budget.spend(performance.now() - from, performance.now());
    }
  }

  #rest(): void {
    this.#idleLooks++;
    if (this.#idleLooks < mostIdleLooks) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
    collectionTally.unfollow();
  }
}

export const callRoster = new CallRoster();
