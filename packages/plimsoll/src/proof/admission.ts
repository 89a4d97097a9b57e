/**
 * Whether a snapshot may be taken now, and at what price, answered at once: at exit nothing asynchronous runs any more.
 *
 * The cost is `costNow` of @plimsoll/heap, number by number (a test holds them together): that package takes 60 ms to load, and the
 * preload must not make the program's first line wait. Its capture guard counts objects when in doubt; here the doubt refuses.
 */
import v8 from 'node:v8';

export interface CaptureCost {
  readonly objects: number;
  readonly neededBytes: number;
  readonly stopMs: number;
}

export interface CaptureRoom {
  readonly freeBytes: number;
  readonly maxStopMs: number;
}

const perObjectBytes = 268;
const perIndexBytes = 1150;
const fixedBytes = 8_000_000;
const perObjectUs = 1.3;
const fixedMs = 30;
/** Bytes per object of a heap of nothing but small objects, for the memory; of a usual one, for the time. */
const smallObjectBytes = 36;
const usualObjectBytes = 64;
/** Bytes that an entry takes in an array that was filled by push. */
const entryBytes = 8 * 1.25;
const ownLargeBytes = 4_000_000;
const largestSmallArray = 16_000;
const margin = 1.25;

/** A space of V8's heap and the bytes in use in it. */
export type SpaceUse = Pick<v8.HeapSpaceInfo, 'space_name' | 'space_used_size'>;

/** What a snapshot of this heap would cost at most. */
export function captureCost(spaces: readonly SpaceUse[] = v8.getHeapSpaceStatistics()): CaptureCost {
  let small = 0;
  let large = 0;
  for (const { space_name: name, space_used_size: used } of spaces) {
    if (!name.includes('large_object')) small += used;
    else if (!/code|trusted|shared/.test(name)) large += used;
  }
  const objects = Math.ceil(small / smallObjectBytes);
  const entries = Math.max(largestSmallArray, Math.floor((large - ownLargeBytes) / entryBytes));
  const indices = Math.min(objects, entries);
  return {
    objects,
    neededBytes: Math.round(fixedBytes + objects * perObjectBytes + indices * perIndexBytes),
    // The memory is for the worst heap of this size, the time for a usual one: large objects are texts more often than arrays.
    stopMs: Math.round(fixedMs + ((small / usualObjectBytes) * perObjectUs) / 1000),
  };
}

/** A snapshot that was not taken, with the numbers. */
export interface Refusal extends CaptureCost, CaptureRoom {
  readonly for: 'memory' | 'pause';
}

/** Why the snapshot is not taken; undefined when it may be. */
export function refusalOf(cost: CaptureCost, room: CaptureRoom): Refusal | undefined {
  const reserve = Math.min(256 * 1024 * 1024, room.freeBytes / 10);
  if (cost.neededBytes * margin + reserve > room.freeBytes) return { ...cost, ...room, for: 'memory' };
  return cost.stopMs > room.maxStopMs ? { ...cost, ...room, for: 'pause' } : undefined;
}
