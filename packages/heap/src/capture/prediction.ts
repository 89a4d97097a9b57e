import { costMargin, costOf } from './cost.ts';
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

/** Counting one object on the machine that the costs were taken on; a slower count means a slower machine. */
const perObjectCountUs = 0.3;
/** Columns of the analyser when the snapshot is read in the same process. */
const perObjectAnalysisBytes = 75;

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

/** What the snapshot costs by the cost model, against what is free. */
export function predict(input: PredictionInput): CapturePrediction {
  const { count, free } = input;
  const slowness = count.exact
    ? Math.min(5, Math.max(0.7, (count.ms * 1000) / count.objects / perObjectCountUs))
    : 1;
  const { neededBytes, stopMs } = costOf({
    objects: count.objects,
    indices: input.longestArray,
    extraObjectBytes: input.analyse ? perObjectAnalysisBytes : 0,
    slowness,
  });
  return {
    objects: count.objects,
    exact: count.exact,
    neededBytes,
    peakBytes: input.rssBytes + neededBytes,
    stopMs,
    freeBytes: free.freeBytes,
    limitBytes: free.limitBytes,
    binds: free.binds,
    fits: neededBytes * costMargin + input.reserveBytes <= free.freeBytes,
  };
}
