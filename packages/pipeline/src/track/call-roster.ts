import { TimeBudget } from '@plimsoll/core/internal/sense/census/time-budget';
import { collectionTally } from './collection-tally.ts';
import { threadReading } from './thread-reading.ts';

/** A running call, with its neighbours in the list. */
export interface RunningCall {
  previous: RunningCall | undefined;
  next: RunningCall | undefined;
  readonly root: object | undefined;
  /** Measures the root. It is a root of the scope from the first sample on. */
  sample(mostMs: number): number;
}

const everyMs = 100;
const sliceMs = 1;
/** Share of one core that samples of running calls may take, all together. */
const cpuRatio = 0.002;
/** Ticks without a call after which the timer ends. Starting and stopping it for every call took 40 to 80 µs of a short stage. */
const mostIdleLooks = 50;

/**
 * The calls that run now. One timer measures their roots in turn, so that peaks and passed bounds are noticed while the call runs. The
 * timer ends 5 s after the last call, and never keeps the process alive.
 */
class CallRoster {
  // A linked list through the calls. A set would give each call a hash, which costs a short stage 5 µs.
  #first: RunningCall | undefined;
  #last: RunningCall | undefined;
  readonly #budget = new TimeBudget(cpuRatio, sliceMs, performance.now());
  #timer: NodeJS.Timeout | undefined;
  #idleLooks = 0;
  added = 0;
  size = 0;

  /** Adds a call. Returns the number of calls added so far. */
  add(call: RunningCall): number {
    this.#append(call);
    this.#idleLooks = 0;
    if (this.#timer === undefined) {
      collectionTally.follow();
      this.#timer = setInterval(() => this.#look(), everyMs).unref();
    }
    return ++this.added;
  }

  remove(call: RunningCall): void {
    const { previous, next } = call;
    if (previous === undefined && this.#first !== call) return;
    if (previous === undefined) this.#first = next;
    else previous.next = next;
    if (next === undefined) this.#last = previous;
    else next.previous = previous;
    call.previous = undefined;
    call.next = undefined;
    this.size--;
  }

  #append(call: RunningCall): void {
    const last = this.#last;
    call.previous = last;
    if (last === undefined) this.#first = call;
    else last.next = call;
    this.#last = call;
    this.size++;
  }

  #look(): void {
    // Collections are read here, because unread ones pile up inside V8 during a long call.
    const now = performance.now();
    threadReading(now);
    if (this.size === 0) return this.#rest();
    for (let left = this.size; left > 0; left--) {
      const from = performance.now();
      if (this.#budget.waitMs(sliceMs, from) > 0) return;
      const call = this.#first as RunningCall;
      // It goes to the end of the list, so that the next tick begins with the others.
      this.remove(call);
      this.#append(call);
      if (call.root === undefined) continue;
      try {
        call.sample(sliceMs);
      } catch {
        // A root that changes during the walk is measured at the next tick.
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
