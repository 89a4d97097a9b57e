import type { Judgement } from '../judge/short-series.ts';
import type { RecordedChannel, GrowthRecord } from './growth-record.ts';

const flat: Judgement = { shape: 'flat', growthBytes: 0, floors: 17 };

/** What a quiet process of a minute says; tests override what they are about. */
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
