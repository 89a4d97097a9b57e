/**
 * The cost model of a snapshot, and the one estimate by it that is to be had at once.
 *
 * V8's cost per object and per array index, from snapshots of seven heap shapes (bench/capture). Bytes inside objects cost nothing;
 * objects, the longest array and, within the spread, distinct strings do. It imports nothing but `node:v8`: what runs while a process
 * exits must not wait for anything.
 */
import v8 from 'node:v8';

/** What a snapshot costs. */
export interface SnapshotCost {
  readonly objects: number;
  /** Memory on top of what the process has, at the worst moment. */
  readonly neededBytes: number;
  /** How long the event loop stands still. */
  readonly stopMs: number;
}

/** A space of V8's heap and the bytes in use in it. */
type SpaceUse = Pick<v8.HeapSpaceInfo, 'space_name' | 'space_used_size'>;

const perObjectBytes = 268;
const perIndexBytes = 1150;
const fixedBytes = 8_000_000;
const perObjectUs = 1.3;
const perIndexUs = 1.5;
const fixedMs = 30;
/** What a prediction may be short by; a capture is admitted only when this much more is free. */
export const costMargin = 1.25;

/**
 * Bytes per object of a heap that is nothing but small objects. Measured means lie between 40 (agent sessions) and 77, far
 * more with long strings or arrays of numbers, so that the estimate errs on the side of too many objects.
 */
export const smallestMeanBytes = 36;
/** Bytes per object of a usual heap. */
const usualMeanBytes = 64;
const pointerBytes = 8;
/** Large objects of a Node.js process that has done nothing yet; none of them is an array. */
const ownLargeBytes = 4_000_000;
/** An array that was filled by push has this much more room than entries. */
const spareCapacity = 1.25;
/** An array of more entries becomes a large object of its own. */
const largestSmallArray = 16_000;

interface CostInput {
  readonly objects: number;
  /** Entries of the longest array. */
  readonly indices: number;
  /** Further bytes per object, e.g. of an analysis in the same process. */
  readonly extraObjectBytes?: number;
  /** How much slower than the machine that the costs were taken on. */
  readonly slowness?: number;
}

/** The model: linear in objects and in the length of the longest array. */
export function costOf({ objects, indices, extraObjectBytes = 0, slowness = 1 }: CostInput): SnapshotCost {
  // An array cannot have more entries worth naming than there are objects to fill it.
  const named = Math.min(indices, objects);
  return {
    objects,
    neededBytes: Math.round(
      fixedBytes + objects * (perObjectBytes + extraObjectBytes) + named * perIndexBytes,
    ),
    stopMs: Math.round(fixedMs + (slowness * (objects * perObjectUs + named * perIndexUs)) / 1000),
  };
}

/** Bytes of small objects, and entries of the longest array or hash table that the large ones leave room for. */
export function heapShape(spaces: readonly SpaceUse[]): {
  readonly smallBytes: number;
  readonly indices: number;
} {
  let smallBytes = 0;
  let large = 0;
  for (const { space_name: name, space_used_size: used } of spaces) {
    if (!name.includes('large_object')) smallBytes += used;
    else if (!/code|trusted|shared/.test(name)) large += used;
  }
  // V8 keeps 1 KiB per distinct array index while it builds a snapshot (StringsStorage formats each into a buffer of that
  // size), which makes one array of a million entries dearer than a million objects.
  const indices = Math.floor((large - ownLargeBytes) / pointerBytes / spareCapacity);
  return { smallBytes, indices: Math.max(largestSmallArray, indices) };
}

/**
 * What a snapshot of this heap would cost at most, answered at once and without stopping anything: the memory for the worst heap of its
 * size, the time for a usual one, because large objects are texts more often than arrays.
 */
export function costNow(spaces: readonly SpaceUse[] = v8.getHeapSpaceStatistics()): SnapshotCost {
  const { smallBytes, indices } = heapShape(spaces);
  const worst = costOf({ objects: Math.ceil(smallBytes / smallestMeanBytes), indices });
  return { ...worst, stopMs: stopMsOf(smallBytes) };
}

/** How long a snapshot of so many bytes of usual objects stops the process. */
export function stopMsOf(bytes: number): number {
  return costOf({ objects: bytes / usualMeanBytes, indices: 0 }).stopMs;
}
