import { collectionTally } from './collection-tally.ts';
import type { CollectionSums } from './collection-tally.ts';
import { readProcess } from './process-figures.ts';
import type { ProcessFigures } from './process-figures.ts';

/** What stages need to know of their thread. Stages that begin or end within 50 ms of each other share one. */
export interface ThreadReading {
  readonly process: ProcessFigures;
  readonly collections: CollectionSums;
  /** What to add to `performance.now()` for the wall time. */
  readonly wallOffsetMs: number;
}

/** Heap statistics take 5 to 20 µs between two stages of some ms. */
const keptMs = 50;

let keptUntil = Number.NEGATIVE_INFINITY;
let last: ThreadReading | undefined;

/** The reading of the thread, at most 50 ms old; with `isFresh` that of now. */
export function threadReading(now: number, isFresh = false): ThreadReading {
  return last !== undefined && now < keptUntil && !isFresh ? last : read(now, isFresh);
}

function read(now: number, isFresh: boolean): ThreadReading {
  keptUntil = now + keptMs;
  const process = readProcess(now, isFresh);
  const collections = collectionTally.sums(now, process.heapUsed, isFresh);
  return (last = { process, collections, wallOffsetMs: Date.now() - now });
}
