import { lineThrough } from '@plimsoll/leak/internal/judge/line';
import type { Point } from '../engine/round-trip.ts';

/** Bytes per call, with the standard error. */
export interface Slope {
  readonly perCall: number;
  readonly error: number;
}

export type SlopeChannel = 'heap' | 'external';

export const channels: readonly SlopeChannel[] = ['heap', 'external'];

/** Least error of a reading in bytes, because the collector's own tables change by this much. */
const noiseBytes = 256;

/** The line through the live bytes after each round. */
export function slopeOf(points: readonly Point[], channel: SlopeChannel): Slope {
  const { slope, error } = lineThrough(
    points.map((point) => ({ x: point.calls, y: point[channel] })),
    noiseBytes,
  );
  return { perCall: slope, error };
}

/** Rounds that end with more than `perCall` bytes per call above the round before. */
export function risingRounds(points: readonly Point[], channel: SlopeChannel, perCall: number): number {
  let rising = 0;
  for (let i = 1; i < points.length; i++) {
    const [before, after] = [points[i - 1] as Point, points[i] as Point];
    if (after[channel] - before[channel] > perCall * (after.calls - before.calls)) rising++;
  }
  return rising;
}
