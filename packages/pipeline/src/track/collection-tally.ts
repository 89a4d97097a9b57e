import { collections } from '@plimsoll/leak/internal/floor/collections';
import type { Collection } from '@plimsoll/leak/internal/floor/collections';

/** Collections since somebody first looked, all sums only rise. */
export interface CollectionSums {
  readonly major: number;
  readonly minor: number;
  /** Heap bytes before and after each of them. */
  readonly before: number;
  readonly after: number;
  readonly pauseMs: number;
}

/** Reading the collector takes 20 to 60 µs, so stages that end within this time share one read. */
const leastReadMs = 50;
/** The collector is not followed any more this long after the last stage ended. */
const lingerMs = 5000;

/** Counts the collections of this thread while stages run. One reader serves all stages and whoever else follows the collector. */
export class CollectionTally {
  #sums = { major: 0, minor: 0, before: 0, after: 0, pauseMs: 0 };
  #users = 0;
  #readAt = Number.NEGATIVE_INFINITY;
  #unsubscribe: (() => void) | undefined;
  #timer: NodeJS.Timeout | undefined;

  /** Begins to follow the collector, for one more user. */
  enter(): void {
    this.#users++;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#unsubscribe ??= collections.subscribe((found) => this.#take(found));
  }

  leave(): void {
    this.#users--;
    if (this.#users > 0 || this.#timer !== undefined) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      if (this.#users > 0) return;
      this.#unsubscribe?.();
      this.#unsubscribe = undefined;
    }, lingerMs).unref();
  }

  /** The sums, at most 50 ms old; with `isExact` as of now. */
  sums(isExact = false): CollectionSums {
    const now = performance.now();
    if (isExact || now - this.#readAt >= leastReadMs) {
      this.#readAt = now;
      collections.read();
    }
    return { ...this.#sums };
  }

  #take(found: readonly Collection[]): void {
    const sums = this.#sums;
    for (const { gcType, cost, beforeGC, afterGC } of found) {
      if (gcType === 'MarkSweepCompact') sums.major++;
      else if (gcType === 'Scavenge' || gcType === 'MinorMarkSweep') sums.minor++;
      else continue;
      sums.before += beforeGC.heapStatistics.usedHeapSize;
      sums.after += afterGC.heapStatistics.usedHeapSize;
      sums.pauseMs += cost / 1000;
    }
  }
}

export const collectionTally = new CollectionTally();

/** What was collected between two looks, as a stage reports it. */
export interface StageCollections {
  readonly major: number;
  readonly minor: number;
  readonly reclaimedBytes: number;
  /** Reclaimed share of the heap that was looked at, 0 to 1; null when nothing was collected. */
  readonly reclaimedRatio: number | null;
  readonly pauseMs: number;
}

export function collectionsBetween(from: CollectionSums, to: CollectionSums): StageCollections {
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
