import { expect, test } from 'vitest';
import { knownNumbers } from '@plimsoll/core/internal/sense/reading-fields';
import type { HistoryRow } from '@plimsoll/host/protocol/api';
import { frameOf } from '@plimsoll/host/internal/protocol/frame.fixture';
import { Series } from './series.ts';

function frameAt(at: number): ReturnType<typeof frameOf> {
  const frame = frameOf();
  return { ...frame, reading: { ...frame.reading, at, used: at } };
}

/** A row of a history that knows resident memory only. */
function rowAt(at: number): HistoryRow {
  return { at, used: 5, usedMax: 6, ...knownNumbers({ limit: 9, rss: 7 }), level: null };
}

test('a week of readings holds ten minutes', () => {
  const series = new Series();
  for (let second = 1; second <= 2000; second++) series.add(frameAt(second * 1000));
  expect(series.length).toBe(600);
  expect(series.column('at').at(-1)).toBe(2000);
});

test('a reading that was seen is not drawn twice', () => {
  const series = new Series();
  series.add(frameAt(1000));
  series.add(frameAt(1000));
  series.add(frameAt(500));
  expect(series.column('used')).toEqual([1000]);
});

test('history that comes late goes before what was heard meanwhile', () => {
  const series = new Series();
  for (const at of [5000, 6000, 7000]) series.add(frameAt(at));
  series.begin([3000, 4000, 5000].map(rowAt));
  expect(series.column('at')).toEqual([3, 4, 5, 6, 7]);
  expect(series.column('gcPauseMs')).toEqual([null, null, null, 85, 85]);
});

test('history comes first, what it does not keep is a gap', () => {
  const series = new Series();
  series.begin([rowAt(1000)]);
  series.add(frameAt(2000));
  expect(series.column('floor')).toEqual([null, 70 * 1024 ** 2]);
  expect(series.column('gcPauseMs')).toEqual([null, 85]);
  series.clear();
  expect(series.length).toBe(0);
});
