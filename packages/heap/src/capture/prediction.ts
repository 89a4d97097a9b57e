import type { FreeMemory } from './free-memory.ts';
import type { ObjectCount } from './object-count.ts';

/** What taking a snapshot now would cost, against what is free. */
export interface CapturePrediction {
  readonly objects: number;
  /** False when the number of objects is an upper estimate. */
  readonly exact: boolean;
  /** Memory on top of what the process has now, at the worst moment. */
  readonly neededBytes: number;
  /** Resident memory of the process at the worst moment. */
  readonly peakBytes: number;
  /** How long the event loop stands still. */
  readonly stopMs: number;
  readonly freeBytes: number;
  readonly limitBytes: number;
  readonly binds: FreeMemory['binds'];
  /** Whether it fits into what is free, with a quarter to spare and less the reserve. */
  readonly fits: boolean;
}

/**
 * V8's cost per object and per array index, from snapshots of seven heap shapes (bench/capture). Bytes inside objects cost
 * nothing; objects, the longest array and, within the spread below, distinct strings do.
 */
const perObjectBytes = 268;
const perIndexBytes = 1150;
const fixedBytes = 8_000_000;
const perObjectUs = 1.3;
const perIndexUs = 1.5;
const fixedMs = 30;
/** Counting one object on the machine that the costs were taken on; a slower count means a slower machine. */
const perObjectCountUs = 0.3;
/** Columns of the analyser when the snapshot is read in the same process. */
const perObjectAnalysisBytes = 75;
/** What the prediction may be short by; the guard admits a capture only when this much more is free. */
const margin = 1.25;

export interface PredictionInput {
  readonly count: ObjectCount;
  readonly longestArray: number;
  readonly rssBytes: number;
  readonly free: FreeMemory;
  /** The snapshot is analysed in this process instead of written to a file. */
  readonly analyse: boolean;
  /** Bytes that must stay free. */
  readonly reserveBytes: number;
}

/** The cost model: linear in objects and in the length of the longest array. */
export function predict(input: PredictionInput): CapturePrediction {
  const { count, free } = input;
  // An array cannot have more entries worth naming than there are objects to fill it.
  const indices = Math.min(input.longestArray, count.objects);
  const perObject = perObjectBytes + (input.analyse ? perObjectAnalysisBytes : 0);
  const neededBytes = Math.round(fixedBytes + count.objects * perObject + indices * perIndexBytes);
  const slowness = count.exact
    ? Math.min(5, Math.max(0.7, (count.ms * 1000) / count.objects / perObjectCountUs))
    : 1;
  const stopMs = Math.round(
    fixedMs + (slowness * (count.objects * perObjectUs + indices * perIndexUs)) / 1000,
  );
  return {
    objects: count.objects,
    exact: count.exact,
    neededBytes,
    peakBytes: input.rssBytes + neededBytes,
    stopMs,
    freeBytes: free.freeBytes,
    limitBytes: free.limitBytes,
    binds: free.binds,
    fits: neededBytes * margin + input.reserveBytes <= free.freeBytes,
  };
}
