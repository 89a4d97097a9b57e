/** Whether a snapshot may be taken now, answered at once: at exit nothing asynchronous runs any more. Where the capture guard of heap counts objects when in doubt, here the doubt refuses. */
import { costMargin } from '@plimsoll/heap/capture-cost';
import type { SnapshotCost } from '@plimsoll/heap/capture-cost';

export interface CaptureRoom {
  readonly freeBytes: number;
  readonly maxStopMs: number;
}

/** A snapshot that was not taken, with the numbers. */
export interface Refusal extends SnapshotCost, CaptureRoom {
  readonly for: 'memory' | 'pause';
}

/** Why the snapshot is not taken; undefined when it may be. */
export function refusalOf(cost: SnapshotCost, room: CaptureRoom): Refusal | undefined {
  const reserve = Math.min(256 * 1024 * 1024, room.freeBytes / 10);
  if (cost.neededBytes * costMargin + reserve > room.freeBytes) return { ...cost, ...room, for: 'memory' };
  return cost.stopMs > room.maxStopMs ? { ...cost, ...room, for: 'pause' } : undefined;
}
