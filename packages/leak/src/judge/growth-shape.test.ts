import { describe, expect, test } from 'vitest';
import { evenPoints, heapChannel, judgeGrowth } from './growth-shape.ts';
import type { GrowthShape, WorkPoint } from './growth-shape.ts';

const mib = 1024 * 1024;

/** Numbers that are the same in every run. */
function dice(seed: number): () => number {
  let state = (seed * 2654435761) >>> 0;
  return () => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) / 4294967296;
}

/** A life of two minutes with a floor about every two seconds, at uneven work, with noise of `noise` MiB. */
function life(curve: (x: number) => number, seed: number, floors = 50, noise = 0.1): readonly WorkPoint[] {
  const random = dice(seed);
  const gauss = (): number => Math.sqrt(-2 * Math.log(random() + 1e-9)) * Math.cos(6.283 * random());
  const xs = Array.from({ length: floors }, random).toSorted((a, b) => a - b);
  return xs.map((x) => ({
    at: 1_700_000_000_000 + x * 120_000,
    work: x * 800 * mib,
    bytes: (20 + 0.8 * (1 - Math.exp(-x / 0.03)) + curve(x) + noise * gauss()) * mib,
  }));
}

const healthy: Readonly<Record<string, (x: number, size: number, k: number) => number>> = {
  'nothing grows': () => 0,
  'a cache that fills by a third': (x, size) => size * Math.min(1, x / 0.33),
  'a cache that fills by two thirds': (x, size) => size * Math.min(1, x / 0.66),
  'random keys into a table': (x, size) => size * (1 - Math.exp(-x / 0.15)),
  'a roll-out in the shape of an S': (x, size) => size / (1 + Math.exp((0.4 - x) / 0.07)),
  'one step': (x, size) => (x > 0.45 ? size : 0),
  'two steps': (x, size) => (x > 0.25 ? size : 0) + (x > 0.6 ? size / 2 : 0),
  'a batch that is flushed': (x, size) => size * ((x * 7) % 1),
  'sessions that come and go': (x, size) => size * Math.sin(Math.PI * x) ** 2,
  'a late fill that ends': (x, size) => size * Math.min(1, Math.max(0, (x - 0.2) / 0.4)),
};

const leaking: Readonly<Record<string, (x: number, size: number) => number>> = {
  'a line': (x, size) => size * x,
  'a line that begins at 40 %': (x, size) => size * Math.max(0, x - 0.4),
  'a leak that accelerates': (x, size) => size * x * x,
  'a leak in bursts': (x, size) => (size * Math.floor(x * 12)) / 12,
};

function shapesOf(curve: (x: number, size: number, k: number) => number): readonly GrowthShape[] {
  return Array.from({ length: 40 }, (_, seed) => {
    const size = 2 + 20 * dice(seed + 99)();
    return judgeGrowth(
      life((x) => curve(x, size, seed), seed + 1),
      heapChannel,
    ).shape;
  });
}

describe('a healthy life is never growing', () => {
  test.each(Object.entries(healthy))('%s', (_, curve) => {
    expect(shapesOf(curve).filter((shape) => shape === 'growing')).toEqual([]);
  });
});

describe('a leak is growing', () => {
  test.each(Object.entries(leaking))('%s', (_, curve) => {
    expect(shapesOf(curve).filter((shape) => shape === 'growing').length).toBeGreaterThanOrEqual(38);
  });
});

describe('a leak beside healthy growth is never called over', () => {
  test.each([
    ['a cache that fills', (x: number, size: number) => size * x + size * Math.min(1, x / 0.3)],
    ['a step', (x: number, size: number) => size * x + (x > 0.5 ? size / 3 : 0)],
  ])('%s', (_, curve) => {
    const found = shapesOf(curve);
    expect(found.filter((shape) => shape === 'flat' || shape === 'ended')).toEqual([]);
    expect(found.filter((shape) => shape === 'growing').length).toBeGreaterThanOrEqual(25);
  });
});

test('a rise that slows down is told apart from one that is over', () => {
  const shape = (tau: number): GrowthShape =>
    judgeGrowth(
      life((x) => 15 * (1 - Math.exp(-x / tau)), 5),
      heapChannel,
    ).shape;
  expect([shape(0.12), shape(0.45)]).toEqual(['ended', 'slowing']);
});

test('idle time is no evidence: a load that stops leaves the line a line', () => {
  const points = life((x) => 20 * x, 3);
  const last = points.at(-1) as WorkPoint;
  const idle = Array.from({ length: 20 }, (_, i) => ({
    ...last,
    at: last.at + i * 2000,
    work: last.work + i * 1000,
  }));
  expect(judgeGrowth([...points, ...idle], heapChannel).shape).toBe('growing');
});

test('few floors are too few, and growth that does not matter is flat', () => {
  const points = life((x) => 20 * x, 4, 4);
  expect(judgeGrowth(points, heapChannel).shape).toBe('few');
  expect(judgeGrowth([], heapChannel).shape).toBe('few');
  expect(
    judgeGrowth(
      life((x) => 0.05 * x, 4, 50, 0.01),
      heapChannel,
    ).shape,
  ).not.toBe('growing');
});

test('a rise that only the two newest floors show is neither flat nor over: it cannot be told yet', () => {
  const shapeOf = (...last: readonly number[]): GrowthShape => {
    const level = Array.from({ length: 15 }, (_, i) => 20 + 0.05 * ((i * 7) % 3));
    return judgeGrowth(evenPoints([...level, ...last].map((each) => each * mib)), heapChannel).shape;
  };
  expect(shapeOf(21.2, 22.4)).toBe('unclear');
  // One odd floor, a step that holds and noise are no rise.
  expect([shapeOf(20, 22.4), shapeOf(22.4, 22.3), shapeOf(20.1, 20.2)]).not.toContain('unclear');
});

test('the rate is that of the last part of the life, with a band that holds it', () => {
  const { rate } = judgeGrowth(
    life((x) => 40 * Math.max(0, x - 0.5), 8),
    heapChannel,
  );
  const truth = (40 * mib * 3_600_000) / 120_000;
  expect(rate.perHour / truth).toBeGreaterThan(0.9);
  expect(rate.perHour / truth).toBeLessThan(1.1);
  expect(rate.low).toBeLessThan(truth);
  expect(rate.high).toBeGreaterThan(truth);
});

test('where floors are rare at the end the last four say how fast it grows', () => {
  // 40 KiB a second; floors once a second until 20 s, and then hardly any.
  const seconds = [...Array.from({ length: 20 }, (_, i) => i), 33, 41, 50, 89];
  const points = seconds.map((second) => ({
    at: 1000 * second,
    work: second * mib,
    bytes: 16 * mib + 40_960 * second,
  }));
  const { rate } = judgeGrowth(points, heapChannel);
  expect(rate.perHour / mib).toBeCloseTo((40 * 3600) / 1024, 0);
  expect(rate.high).toBeGreaterThanOrEqual(rate.perHour);
});

test('idle time is no evidence: growth until the load ended is growth', () => {
  // Half a minute of work at 2 MB/s that keeps 250 KB of each, then 40 s in which only the host allocates.
  const work = Array.from({ length: 35 }, (_, i) => ({
    at: 2000 * i,
    work: 4e6 * i,
    bytes: 13e6 + 5e5 * i + (i % 3) * 4e4,
  }));
  const last = work.at(-1) as (typeof work)[number];
  const idle = Array.from({ length: 8 }, (_, i) => ({
    at: last.at + 5000 * (i + 1),
    work: last.work + 1.2e6 * (i + 1),
    bytes: last.bytes + (i % 2) * 3e4,
  }));
  expect(judgeGrowth(work, heapChannel).shape).toBe('growing');
  expect(judgeGrowth([...work, ...idle], heapChannel).shape).toBe('growing');
  // What is let go of while the program idles is let go of.
  const expired = idle.map((point, i) => ({ ...point, bytes: last.bytes - 2e6 * (i + 1) }));
  expect(judgeGrowth([...work, ...expired], heapChannel).shape).not.toBe('growing');
});
