import { getHeapStatistics } from 'node:v8';
import { exposedGc } from '@plimsoll/core/internal/exposed-gc';
import type { CollectGarbage } from '@plimsoll/core/internal/exposed-gc';
import { warnOnce } from '@plimsoll/core/internal/errors';
import { badOption, msOption } from '@plimsoll/keep/internal/bound';

export interface GcControllerOptions {
  /** Share of V8's heap limit from which a collection may be forced, 0.1 to 0.99; default 0.7. */
  readonly threshold?: number;
  /** Least time between two forced collections, default 1 s. */
  readonly every?: number | string;
  /** Highest share of the time for forced collections, 0.001 to 0.5; default 0.05. */
  readonly maxTimeRatio?: number;
  /** Reads the heap; for tests. Default: V8's statistics. */
  readonly heap?: () => { readonly used: number; readonly limit: number };
  readonly collect?: CollectGarbage;
  readonly now?: () => number;
}

/** One forced collection. */
export interface ForcedCollection {
  readonly pauseMs: number;
  readonly freedBytes: number;
  /** Freed share of the heap before it, 0 to 1. */
  readonly freedRatio: number;
}

export interface GcControllerStats {
  readonly collections: number;
  readonly pauseMs: number;
  readonly freedBytes: number;
  /** Mean freed share of the heap. */
  readonly freedRatio: number;
  /** Share of the time since the controller was made. */
  readonly timeRatio: number;
  /** Why no collection is forced any more; null while collections are worth their time. */
  readonly stopped: string | null;
}

/** A collection that frees a smaller share of the heap is not worth its pause. */
const leastFreedRatio = 0.05;
/** After this many poor collections in a row no more are forced. */
const mostPoor = 3;

/**
 * Forces collections between stages when the heap is above a threshold, and never otherwise. Forcing one between every two stages cost 130
 * times the CPU in our measurements, so each collection is measured, and the controller stops when they cost more than they free.
 */
export class GcController {
  readonly #threshold: number;
  readonly #everyMs: number;
  readonly #maxTimeRatio: number;
  readonly #heap: () => { readonly used: number; readonly limit: number };
  readonly #gc: CollectGarbage | undefined;
  readonly #now: () => number;
  readonly #startedMs: number;
  #lastMs = Number.NEGATIVE_INFINITY;
  #collections = 0;
  #pauseMs = 0;
  #freedBytes = 0;
  #freedRatios = 0;
  #poor = 0;
  #stopped: string | null = null;

  constructor(options: GcControllerOptions = {}) {
    this.#threshold = ratio('threshold', options.threshold ?? 0.7, 0.1, 0.99);
    this.#maxTimeRatio = ratio('maxTimeRatio', options.maxTimeRatio ?? 0.05, 0.001, 0.5);
    this.#everyMs = msOption('GcController', 'every', options.every) ?? 1000;
    this.#heap = options.heap ?? heapOfV8;
    this.#now = options.now ?? (() => performance.now());
    this.#gc = options.collect ?? exposedGc();
    this.#startedMs = this.#now();
    if (this.#gc === undefined) this.#stopped = 'V8 does not let collections be forced here';
  }

  /** Call it between two stages: collects when the heap is above the threshold. Returns undefined when it did not collect. */
  between(): ForcedCollection | undefined {
    const { used, limit } = this.#heap();
    return used < this.#threshold * limit ? undefined : this.collect();
  }

  /** Collects now, unless the last one is too recent or forcing was given up. */
  collect(): ForcedCollection | undefined {
    const started = this.#now();
    if (this.#gc === undefined || this.#stopped !== null || started - this.#lastMs < this.#everyMs)
      return undefined;
    const before = this.#heap().used;
    this.#gc();
    const ended = this.#now();
    this.#lastMs = ended;
    const freedBytes = Math.max(0, before - this.#heap().used);
    const result = { pauseMs: ended - started, freedBytes, freedRatio: before > 0 ? freedBytes / before : 0 };
    this.#count(result);
    return result;
  }

  stats(): GcControllerStats {
    const elapsed = this.#now() - this.#startedMs;
    return {
      collections: this.#collections,
      pauseMs: this.#pauseMs,
      freedBytes: this.#freedBytes,
      freedRatio: this.#collections === 0 ? 0 : this.#freedRatios / this.#collections,
      timeRatio: elapsed > 0 ? this.#pauseMs / elapsed : 0,
      stopped: this.#stopped,
    };
  }

  #count({ pauseMs, freedBytes, freedRatio }: ForcedCollection): void {
    this.#collections++;
    this.#pauseMs += pauseMs;
    this.#freedBytes += freedBytes;
    this.#freedRatios += freedRatio;
    this.#poor = freedRatio < leastFreedRatio ? this.#poor + 1 : 0;
    const { timeRatio } = this.stats();
    if (this.#poor >= mostPoor)
      this.#stop(`the last ${mostPoor} freed under ${100 * leastFreedRatio} % of the heap each`);
    else if (this.#collections >= mostPoor && timeRatio > this.#maxTimeRatio)
      this.#stop(`they may take ${100 * this.#maxTimeRatio} % of the time`);
  }

  #stop(why: string): void {
    this.#stopped = why;
    const { collections, pauseMs, freedBytes, timeRatio } = this.stats();
    warnOnce('PLM_PIPELINE_GC_WASTED', { collections, pauseMs, freed: freedBytes, timeRatio, why });
  }
}

function heapOfV8(): { readonly used: number; readonly limit: number } {
  const { used_heap_size, heap_size_limit } = getHeapStatistics();
  return { used: used_heap_size, limit: heap_size_limit };
}

function ratio(option: string, value: number, least: number, most: number): number {
  if (value >= least && value <= most) return value;
  throw badOption('GcController', option, value, `a ratio from ${least} to ${most}`);
}
