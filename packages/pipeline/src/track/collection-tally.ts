import { collections } from '@plimsoll/leak/internal/floor/collections';
import type { Collection } from '@plimsoll/leak/internal/floor/collections';

/** Collections since the first call of `follow`. All sums only rise. */
export interface CollectionSums {
  readonly major: number;
  readonly minor: number;
  /** Heap bytes before and after each of them. */
  readonly before: number;
  readonly after: number;
  readonly pauseMs: number;
}

/**
 * Age at which a read of the collector is repeated. A younger one is repeated only when the heap shrank.
 * A read takes 20 µs, and 0.5 ms after collections, so stages share one.
 */
const mostAgeMs = 1000;
const leastReadMs = 500;

/** Counts the collections of this thread while stages run. One reader serves all stages and all other followers of the collector. */
class CollectionTally {
  /** Replaced with every change, so that stages can keep a copy. */
  #sums: CollectionSums = { major: 0, minor: 0, before: 0, after: 0, pauseMs: 0 };
  #readAt = Number.NEGATIVE_INFINITY;
  /** The highest heap since the last read. */
  #heapUsed = 0;
  #unsubscribe: (() => void) | undefined;

  /** Starts following the collector, unless it already does. */
  follow(): void {
    this.#unsubscribe ??= collections.subscribe((found) => this.#take(found));
  }

  unfollow(): void {
    this.#unsubscribe?.();
    this.#unsubscribe = undefined;
  }

  /**
   * The sums, at most 1 s old. They are read again when the heap is smaller than at the last read, as after most collections, and with
   * `isFresh`.
   */
  sums(now: number, heapUsed: number, isFresh = false): CollectionSums {
    const age = now - this.#readAt;
    if (isFresh || age >= mostAgeMs || (age >= leastReadMs && heapUsed < this.#heapUsed)) {
      this.#readAt = now;
      collections.read();
      this.#heapUsed = heapUsed;
    } else if (heapUsed > this.#heapUsed) this.#heapUsed = heapUsed;
    return this.#sums;
  }

  #take(found: readonly Collection[]): void {
    if (found.length === 0) return;
    const sums = { ...this.#sums };
    for (const { gcType, cost, beforeGC, afterGC } of found) {
      if (gcType === 'MarkSweepCompact') sums.major++;
      else if (gcType === 'Scavenge' || gcType === 'MinorMarkSweep') sums.minor++;
      else continue;
      sums.before += beforeGC.heapStatistics.usedHeapSize;
      sums.after += afterGC.heapStatistics.usedHeapSize;
      sums.pauseMs += cost / 1000;
    }
    this.#sums = sums;
  }
}

export const collectionTally = new CollectionTally();

/** Collections between two readings, as a stage reports them. */
export interface StageCollections {
  readonly major: number;
  readonly minor: number;
  readonly reclaimedBytes: number;
  /** Reclaimed share of the collected heap, 0 to 1; null without a collection. */
  readonly reclaimedRatio: number | null;
  readonly pauseMs: number;
}

const noCollections: StageCollections = Object.freeze({
  major: 0,
  minor: 0,
  reclaimedBytes: 0,
  reclaimedRatio: null,
  pauseMs: 0,
});

export function collectionsBetween(from: CollectionSums, to: CollectionSums): StageCollections {
  if (from === to) return noCollections;
  const before = to.before - from.before;
  const reclaimedBytes = Math.max(0, before - (to.after - from.after));
  return {
    major: to.major - from.major,
    minor: to.minor - from.minor,
    reclaimedBytes,
    reclaimedRatio: before > 0 ? reclaimedBytes / before : null,
    pauseMs: to.pauseMs - from.pauseMs,
  };
}
