import { exposedGc } from '@plimsoll/core/internal/exposed-gc';
import type { CollectGarbage } from '@plimsoll/core/internal/exposed-gc';

let collectNow: CollectGarbage | undefined;
let newestAt = Number.NEGATIVE_INFINITY;

/** Runs one full collection, also in a process that was not started with --expose-gc. */
export function forceGc(): void {
  collectNow ??= exposedGc() ?? (() => undefined);
  collectNow();
  noteForcedGc();
}

/** Records that other code made V8 collect the whole heap, such as a read of the sampling profiler. */
export function noteForcedGc(): void {
  newestAt = performance.now();
}

/** When the newest full collection of ours ended, by `performance.now`. */
export function newestForcedGc(): number {
  return newestAt;
}

/** State of the event loop before it is stopped for a collection. */
export interface LoopState {
  /** Share of the time since the previous reading that the loop was busy, 0 to 1. */
  readonly loopUtilization: number;
  /** Live heap bytes, from which the pause is estimated before the first probe. */
  readonly heapBytes: number;
}

interface ForcedGcOptions {
  /** Collects; default V8's own, obtained without a command line flag. */
  readonly collect?: CollectGarbage | undefined;
  /** Ms between two probes, at least 1,000; default 300,000. */
  readonly intervalMs?: number;
  /** Longest pause in ms that a probe may be expected to take; default 200. */
  readonly pauseBudgetMs?: number;
  /** Most share of the time for probes, by the duration of the last one; default 0.01. */
  readonly costRatio?: number;
  /** The loop counts as idle below this share of busy time; default 0.5. Above 1, a busy loop is probed, too. */
  readonly idleBelow?: number;
  /** Ms until the shared allowance covers a probe; default 0. */
  readonly restMs?: () => number;
  /** When other code last collected the whole heap, by the clock of `now`. Such a collection counts as a probe. */
  readonly newest?: () => number;
  /** Monotonic ms, to time the pause. */
  readonly now?: () => number;
}

/** A full mark and compact takes 0.3 to 1 ms per MB of live heap; the first estimate is the slow end. */
const firstMsPerByte = 1 / 1e6;

/**
 * Forces a major GC (a probe) for a pending decision: at most one per interval, only on an idle loop, and only when the next pause,
 * estimated from the last one, fits the budget.
 */
export class ForcedGc {
  readonly #collect: CollectGarbage | undefined;
  readonly #intervalMs: number;
  readonly #pauseBudgetMs: number;
  readonly #costRatio: number;
  readonly #idleBelow: number;
  readonly #restMs: () => number;
  readonly #newest: () => number;
  readonly #now: () => number;
  #msPerByte = firstMsPerByte;
  #lastAt = Number.NEGATIVE_INFINITY;
  /** Since when a probe is wanted and could not run. */
  #wantedAt: number | undefined;
  #ran = 0;
  #refused = 0;
  #pauseMs = 0;

  constructor(options: ForcedGcOptions = {}) {
    this.#collect = 'collect' in options ? options.collect : exposedGc();
    this.#intervalMs = Math.max(1000, options.intervalMs ?? 300_000);
    this.#pauseBudgetMs = options.pauseBudgetMs ?? 200;
    this.#costRatio = options.costRatio ?? 0.01;
    this.#idleBelow = options.idleBelow ?? 0.5;
    this.#restMs = options.restMs ?? (() => 0);
    this.#newest = options.newest ?? (() => Number.NEGATIVE_INFINITY);
    this.#now = options.now ?? (() => performance.now());
  }

  /** Whether a collector is available. */
  get available(): boolean {
    return this.#collect !== undefined;
  }

  /** Probes run and refused so far, and the pause of the last one. */
  get tally(): { readonly ran: number; readonly refused: number; readonly lastPauseMs: number } {
    return { ran: this.#ran, refused: this.#refused, lastPauseMs: this.#pauseMs };
  }

  /** Collects if that is allowed now. True when it did, or when other code collected since a refused call. */
  run(loop: LoopState): boolean {
    if (this.#collect === undefined) return false;
    const start = this.#now();
    if (this.#wantedAt !== undefined && this.#newest() > this.#wantedAt) {
      this.#wantedAt = undefined;
      return true;
    }
    const expectedMs = loop.heapBytes * this.#msPerByte;
    if (
      start - this.#lastAt < Math.max(this.#intervalMs, this.#pauseMs / this.#costRatio) ||
      this.#restMs() > 0 ||
      !(loop.loopUtilization < this.#idleBelow) ||
      expectedMs > this.#pauseBudgetMs
    ) {
      this.#refused++;
      this.#wantedAt ??= start;
      return false;
    }
    this.#lastAt = start;
    this.#wantedAt = undefined;
    try {
      this.#collect();
    } catch {
      this.#refused++;
      return false;
    }
    this.#ran++;
    this.#pauseMs = this.#now() - start;
    // Never below a tenth of the first estimate, so that a probe of an empty heap does not predict a free one of a full heap.
    if (loop.heapBytes > 0) this.#msPerByte = Math.max(firstMsPerByte / 10, this.#pauseMs / loop.heapBytes);
    return true;
  }
}
