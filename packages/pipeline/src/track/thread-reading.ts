import { collectionTally } from './collection-tally.ts';
import type { CollectionSums } from './collection-tally.ts';
import { readProcess } from './process-figures.ts';
import type { ProcessFigures } from './process-figures.ts';

/** Numbers of the thread for stages. Stages that begin or end within 50 ms of each other share one reading. */
export interface ThreadReading {
  readonly process: ProcessFigures;
  readonly collections: CollectionSums;
  /** Offset from `performance.now()` to the wall time. */
  readonly wallOffsetMs: number;
}

/** Heap statistics take 5 to 20 µs between two stages of some ms. */
const keptMs = 50;

let keptUntil = Number.NEGATIVE_INFINITY;
let last: ThreadReading | undefined;

/** The reading of the thread, at most 50 ms old. With `isFresh` it is read now. */
export function threadReading(now: number, isFresh = false): ThreadReading {
  return last !== undefined && now < keptUntil && !isFresh ? last : read(now, isFresh);
}

function read(now: number, isFresh: boolean): ThreadReading {
  keptUntil = now + keptMs;
  const process = readProcess(now, isFresh);
  const collections = collectionTally.sums(now, process.heapUsed, isFresh);
  return (last = { process, collections, wallOffsetMs: Date.now() - now });
}
