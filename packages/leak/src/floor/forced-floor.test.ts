import { expect, test } from 'vitest';
import { ForcedFloor, type ForcedFloorSettings } from './forced-floor.ts';

const MB = 1e6;
const start = 1_000_000;

function ask(settings: Partial<ForcedFloorSettings> = {}): ForcedFloor {
  return new ForcedFloor({ startedAt: start, maxPauseMs: 2000, isSupervised: true, ...settings });
}

/** When a program of this many live bytes would be asked, if the beat came every 25 ms and no probe took longer than usual. */
function timesOf(forced: ForcedFloor, heapBytes: number, untilMs: number): number[] {
  const times: number[] = [];
  for (let ageMs = 0; ageMs <= untilMs; ageMs += 25) {
    const newestAt = start + (times.at(-1) ?? 0);
    if (forced.isDue(start + ageMs, { heapBytes, floors: times.length, newestAt })) times.push(ageMs);
  }
  return times;
}

test('a life of any length that a supervisor reports has floors enough, and ever fewer of them per second', () => {
  const times = timesOf(ask(), 5 * MB, 30_000);
  for (const lifeMs of [400, 1000, 3000, 10_000, 30_000]) {
    const late = times.filter((at) => at <= lifeMs && at >= lifeMs / 4);
    expect(late.length).toBeGreaterThanOrEqual(8);
  }
  expect(times.length).toBeLessThan(96);
  expect(times.filter((at) => at > 10_000).length).toBeLessThan(16);
});

test('without a supervisor, or with a heap that takes long, it is left alone for a second or more', () => {
  expect(timesOf(ask({ isSupervised: false }), 5 * MB, 4000)).toEqual([1000, 2000, 3000, 4000]);
  expect(timesOf(ask(), 80 * MB, 10_000)).toEqual([4000, 8000]);
  expect(timesOf(ask(), 300 * MB, 30_000)).toEqual([]);
  expect(timesOf(ask({ maxPauseMs: 0 }), 5 * MB, 30_000)).toEqual([]);
});

test('after half a minute a floor costs a hundredth of the time, and two dozen are enough', () => {
  const forced = ask();
  const old = { heapBytes: 20 * MB, newestAt: start };
  expect(forced.isDue(start + 31_000, { ...old, floors: 5 })).toBe(true);
  expect(forced.isDue(start + 31_000, { ...old, floors: 24 })).toBe(false);
  expect(forced.isDue(start + 31_000, { ...old, floors: 5, newestAt: start + 29_500 })).toBe(false);
});

test('what a probe took decides when the next is due', () => {
  const forced = ask();
  const state = { heapBytes: 5 * MB, floors: 1, newestAt: start };
  // A collection takes a millisecond at least; of a heap of a hundred bytes that is slow beyond measure.
  forced.probe(start + 30, 100);
  expect(forced.count).toBe(1);
  expect(forced.pauseMsOf(5 * MB)).toBeGreaterThan(1000);
  expect(forced.isDue(start + 100, state)).toBe(false);
  // It is not the last one for that.
  expect(forced.isDue(start + 1e12, state)).toBe(true);
});
