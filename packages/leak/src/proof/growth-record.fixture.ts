import type { Judgement, GrowthShape } from '../judge/growth-shape.ts';
import type { RecordedChannel, GrowthRecord } from './growth-record.ts';

const flat = judgementOf('flat', 0);

/** A judgement with defaults for fields that tests do not use. */
export function judgementOf(shape: GrowthShape, growthBytes: number, floors = 17): Judgement {
  const pace = shape === 'ended' || shape === 'flat' ? 0 : growthBytes * 60;
  const rate = { perHour: pace, low: pace - growthBytes * 10, high: pace + growthBytes * 10 };
  return { shape, growthBytes, floors, odds: shape === 'growing' ? 12 : -12, model: 'a line', rate };
}

/** The record of a quiet process of a minute. A test overrides the fields that it needs. */
export function growthRecordOf(
  channels: Partial<Record<RecordedChannel, Judgement>> = {},
  changes: Partial<GrowthRecord> = {},
): GrowthRecord {
  return {
    v: 1,
    pid: 4711,
    node: 'v24.21.0',
    startedAt: 1_000_000,
    at: 1_060_000,
    channels: { heap: flat, external: flat, native: flat, ...channels },
    suspectedAt: null,
    first: null,
    last: null,
    refused: null,
    floors: [],
    ...changes,
  };
}
