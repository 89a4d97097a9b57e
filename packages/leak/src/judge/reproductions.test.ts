/** Series on which an earlier judge was wrong, as they were reported. */
import { expect, test } from 'vitest';
import { evenPoints, heapChannel, judgeGrowth, nativeChannel, type WorkPoint } from './growth-shape.ts';
import { ShortRun } from './short-run.ts';

const MiB = 1024 ** 2;
/** Noise of about 60 KiB that is the same in every run. */
const noise = (i: number): number => (((i * 37) % 11) - 5) * 12 * 1024;

/** One floor every two seconds, at even work. */
const floorsOf = (seconds: number, bytesAt: (second: number) => number): readonly WorkPoint[] =>
  Array.from({ length: seconds / 2 }, (_, i) => ({
    at: 2000 * i,
    work: 8 * MiB * i,
    bytes: bytesAt(2 * i) + noise(i),
  }));

const shapeOf = (points: readonly WorkPoint[]): string => judgeGrowth(points, heapChannel).shape;

test('a leak that begins after 40 s is found, and growth that ended by then is not accused', () => {
  expect(shapeOf(floorsOf(180, (s) => 12 * MiB + Math.max(0, s - 40) * 0.12 * MiB))).toBe('growing');
  expect(shapeOf(floorsOf(180, (s) => 12 * MiB + Math.min(40, s) * 0.2 * MiB))).toBe('ended');
});

test('floors that only swing are no growth', () => {
  const floors = [15.72, 15.87, 16.5, 15.8, 15.77, 15.86, 16.0, 15.96].map((size) => size * MiB);
  expect(['flat', 'ended']).toContain(shapeOf(evenPoints(floors)));
});

test('steps that fall from 1.6 to 0.36 MB slow down', () => {
  let size = 12;
  const floors = [1.6, 1.4, 1.25, 1.1, 0.95, 0.82, 0.7, 0.6, 0.5, 0.42, 0.36].map(
    (step) => (size += step) * MiB,
  );
  expect(['slowing', 'ended']).toContain(shapeOf(evenPoints([12 * MiB, ...floors])));
});

test('a cache of 3,000 entries that 50 sets a second fill in the first minute of two has come to rest', () => {
  expect(shapeOf(floorsOf(120, (s) => 14 * MiB + Math.min(3000, 50 * s) * 3600))).toBe('ended');
});

test('clean is not said beside native growth, however little the heap grew', () => {
  const heap = judgeGrowth(
    floorsOf(120, (s) => 14 * MiB + s * 2600),
    heapChannel,
  );
  const native = judgeGrowth(
    floorsOf(120, (s) => 60 * MiB + s * 2.75 * MiB),
    nativeChannel,
  );
  const { verdicts } = new ShortRun({ heap, native });
  expect(verdicts[0]).toMatchObject({ channel: 'native', verdict: 'leak' });
});

test('the rate is that of the growth, not divided by the time in which the program idled', () => {
  // 4 MiB a minute for two minutes, after a minute without work.
  const points = floorsOf(120, (s) => 20 * MiB + (s * 4 * MiB) / 60);
  const { rate } = judgeGrowth(points, heapChannel);
  expect(rate.perHour / MiB).toBeGreaterThan(200);
  expect(rate.perHour / MiB).toBeLessThan(280);
});
