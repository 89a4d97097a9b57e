import { expect, test } from 'vitest';
import { ForcedFloor, type ForcedFloorSettings } from './forced-floor.ts';

const MB = 1e6;
const start = 1_000_000;
const limitBytes = 2000 * MB;

function floors(settings: Partial<ForcedFloorSettings> = {}): ForcedFloor {
  return new ForcedFloor({ startedAt: start, maxPauseMs: 2000, isSupervised: true, ...settings });
}

/** When a program of this many live bytes would be asked, if the beat came every 25 ms and a collection took what it usually does. */
function timesOf(forced: ForcedFloor, heapBytes: number, untilMs: number, limit = limitBytes): number[] {
  const times: number[] = [];
  for (let ageMs = 0; ageMs <= untilMs; ageMs += 25) {
    const newestAt = start + (times.at(-1) ?? 0);
    if (forced.isDue(start + ageMs, { heapBytes, limitBytes: limit, newestAt })) times.push(ageMs);
  }
  return times;
}

test('a life of any length that a supervisor reports has floors enough, and ever fewer of them per second', () => {
  const times = timesOf(floors(), 5 * MB, 30_000);
  for (const lifeMs of [400, 1000, 3000, 10_000, 30_000]) {
    const late = times.filter((at) => at <= lifeMs && at >= lifeMs / 4);
    expect(late.length).toBeGreaterThanOrEqual(8);
  }
  expect(times.length).toBeLessThan(96);
});

test('floors go on for the whole life: half an hour has as many in its last minute as in its third', () => {
  const times = timesOf(floors(), 12 * MB, 1_800_000);
  const within = (from: number): number => times.filter((at) => at >= from && at < from + 60_000).length;
  expect(within(120_000)).toBeGreaterThan(40);
  expect(within(1_740_000)).toBe(within(120_000));
});

test('a heap that takes long is asked as often as 1 % of a core allows, and not at all beyond the allowed stop', () => {
  expect(timesOf(floors({ isSupervised: false }), 5 * MB, 4000)).toEqual([1000, 2000, 3000, 4000]);
  expect(timesOf(floors(), 80 * MB, 10_000)).toEqual([4000, 8000]);
  expect(timesOf(floors(), 300 * MB, 100_000)).toEqual([15_000, 45_000, 75_000]);
  expect(timesOf(floors({ maxPauseMs: 100 }), 300 * MB, 100_000)).toEqual([]);
  expect(timesOf(floors({ maxPauseMs: 0 }), 5 * MB, 30_000)).toEqual([]);
});

test('after the first seconds an allowance that is shared with others decides', () => {
  let restMs = 1;
  const forced = floors({ restMs: () => restMs });
  const state = { heapBytes: 5 * MB, limitBytes, newestAt: start };
  expect(forced.isDue(start + 19_000, state)).toBe(true);
  expect(forced.isDue(start + 40_000, state)).toBe(false);
  restMs = 0;
  expect(forced.isDue(start + 40_000, state)).toBe(true);
  expect(forced.isDue(start + 40_000, { ...state, newestAt: start + 39_500 })).toBe(false);
});

test('a floor that a snapshot waits for does not wait for the allowance', () => {
  const forced = floors({ restMs: () => 60_000 });
  const state = { heapBytes: 60 * MB, limitBytes, newestAt: start + 36_000, isAwaited: true };
  expect(forced.isDue(start + 39_000, state)).toBe(false);
  expect(forced.isDue(start + 40_000, state)).toBe(true);
  expect(forced.isDue(start + 40_000, { ...state, isAwaited: false })).toBe(false);
});

test('where buffers churn, natural floors do not stand for forced ones', () => {
  const forced = floors({ restMs: () => 60_000, cpuMs: () => 0 });
  const state = { heapBytes: 5 * MB, limitBytes, newestAt: start + 40_000, isChurning: true };
  expect(forced.isDue(start + 40_000, state)).toBe(true);
  forced.ask(start + 40_000, 5 * MB);
  expect(forced.isDue(start + 43_000, state)).toBe(false);
  expect(forced.isDue(start + 44_000, state)).toBe(true);
  expect(forced.isDue(start + 44_000, { ...state, isChurning: false })).toBe(false);
});

test('near the heap limit none is asked for', () => {
  expect(timesOf(floors(), 60 * MB, 60_000, 90 * MB)).toEqual([]);
});

test('CPU time decides when the next one is due', () => {
  let cpu = 0;
  const forced = floors({ cpuMs: () => cpu, collect: () => void (cpu += 5) });
  const state = { heapBytes: 5 * MB, limitBytes, newestAt: start };
  forced.ask(start + 31_000, 5 * MB);
  expect(forced.count).toBe(1);
  // Five ms of CPU are 1 % of half a second; the rest of a second holds.
  expect(forced.isDue(start + 31_900, state)).toBe(false);
  expect(forced.isDue(start + 32_000, state)).toBe(true);
});
