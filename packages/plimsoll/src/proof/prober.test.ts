import { expect, test } from 'vitest';
import { Prober, type ProberSettings } from './prober.ts';

const MB = 1e6;
const start = 1_000_000;

function ask(settings: Partial<ProberSettings> = {}): Prober {
  return new Prober({ startedAt: start, maxPauseMs: 2000, isSupervised: true, ...settings });
}

const noTurns = { turns: 0, newestTurn: 0 };

/** When a program of this many live bytes would be asked, if the beat came every 25 ms and probes took no time. */
function timesOf(prober: Prober, heapBytes: number, untilMs: number): number[] {
  const times: number[] = [];
  for (let ageMs = 0; ageMs <= untilMs; ageMs += 25) {
    const newestAt = start + (times.at(-1) ?? 0);
    if (prober.isDue(start + ageMs, { heapBytes, floors: times.length, newestAt, ...noTurns }))
      times.push(ageMs);
  }
  return times;
}

/** At which turns a program would be asked that turns its loop so often within a moment. */
function turnsOf(prober: Prober, heapBytes: number, untilTurn: number): number[] {
  const found: number[] = [];
  for (let turns = 1; turns <= untilTurn; turns++) {
    const newestTurn = found.at(-1) ?? 0;
    if (prober.isDue(start + 1, { heapBytes, floors: found.length, newestAt: start, turns, newestTurn }))
      found.push(turns);
  }
  return found;
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

test('a loop that turns a hundred times in no time has floors enough, too, and one that turns often no more of them', () => {
  const turns = turnsOf(ask(), 10 * MB, 20_000);
  for (const life of [100, 1000, 20_000]) {
    const late = turns.filter((turn) => turn <= life && turn >= life / 4);
    expect(late.length).toBeGreaterThanOrEqual(10);
  }
  expect(turns.length).toBeLessThan(96);
  expect(turnsOf(ask({ isSupervised: false }), 10 * MB, 1000)).toEqual([]);
});

test('the dearer a probe, the more turns lie between two', () => {
  const near = (heapBytes: number): number => turnsOf(ask(), heapBytes, 1000).length;
  expect(near(80 * MB)).toBeLessThan(near(20 * MB) / 2);
  expect(near(80 * MB)).toBeGreaterThanOrEqual(6);
});

test('without a supervisor, or with a heap that takes long, it is left alone for a second or more', () => {
  expect(timesOf(ask({ isSupervised: false }), 5 * MB, 4000)).toEqual([1000, 2000, 3000, 4000]);
  expect(timesOf(ask(), 120 * MB, 12_000)).toEqual([6000, 12_000]);
  expect(timesOf(ask(), 300 * MB, 30_000)).toEqual([]);
  expect(timesOf(ask({ maxPauseMs: 0 }), 5 * MB, 30_000)).toEqual([]);
});

test('after half a minute a floor costs a hundredth of the time, and two dozen are enough', () => {
  const prober = ask();
  const old = { heapBytes: 20 * MB, newestAt: start, ...noTurns };
  expect(prober.isDue(start + 31_000, { ...old, floors: 5 })).toBe(true);
  expect(prober.isDue(start + 31_000, { ...old, floors: 24 })).toBe(false);
  expect(prober.isDue(start + 31_000, { ...old, floors: 5, newestAt: start + 29_500 })).toBe(false);
});

test('what a probe took decides when the next is due', () => {
  const prober = ask({ isSupervised: false });
  const state = { heapBytes: 5 * MB, floors: 1, newestAt: start, ...noTurns };
  // A collection takes a millisecond at least; of a heap of a hundred bytes that is slow beyond measure.
  prober.probe(start + 30, 100);
  expect(prober.pauseMsOf(5 * MB)).toBeGreaterThan(1000);
  expect(prober.isDue(start + 1100, state)).toBe(false);
  // It is not the last one for that.
  expect(prober.isDue(start + 1e12, state)).toBe(true);
});

test('a short run has so much time for all its probes, and more with its age', () => {
  let spentMs = 0;
  const prober = ask({ cpuMs: () => (spentMs += 50) });
  const isDue = (ageMs: number): boolean =>
    prober.isDue(start + ageMs, { heapBytes: 10 * MB, floors: 1, newestAt: start, ...noTurns });
  for (let probes = 0; probes < 8; probes++) {
    expect(isDue(500)).toBe(true);
    prober.probe(start, 10 * MB);
  }
  expect(prober.spentMs).toBe(400);
  expect(isDue(500)).toBe(true);
  prober.probe(start, 10 * MB);
  expect([isDue(500), isDue(1000)]).toEqual([false, true]);
});

test('a server is not asked at every turn, and nobody near the limit where V8 gives up', () => {
  const state = { heapBytes: 10 * MB, floors: 1, newestAt: start, turns: 500, newestTurn: 0 };
  expect(ask().isDue(start + 100, state)).toBe(true);
  expect(ask().isDue(start + 100, { ...state, isServer: true })).toBe(false);
  expect(ask().isDue(start + 1000, { ...state, isServer: true })).toBe(true);
  expect(ask({ limitBytes: 16 * MB }).isDue(start + 100, state)).toBe(false);
  expect(ask({ limitBytes: 17 * MB }).isDue(start + 100, state)).toBe(true);
});

test('what a probe takes of the processor is counted', () => {
  const prober = ask();
  prober.probe(start, 10 * MB);
  expect(prober.spentMs).toBeGreaterThan(0);
});
