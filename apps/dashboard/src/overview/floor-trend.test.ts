import { expect, test } from 'vitest';
import { floorTrend } from './floor-trend.ts';

const MiB = 1024 ** 2;
const seconds = Array.from({ length: 600 }, (_, i) => 1000 + i);
/** A saw of noise that is the same in every run. */
const noise = (i: number): number => ((i * 37) % 11) - 5;

test('a steady rise is drawn on to the limit, with a band around it', () => {
  const floors = seconds.map((_, i) => (50 + i * 0.1 + noise(i) * 0.2) * MiB);
  const trend = floorTrend(seconds, floors, 200 * MiB);
  expect(trend?.bytesPerHour ?? 0).toBeGreaterThan(355 * MiB);
  expect(trend?.bytesPerHour ?? 0).toBeLessThan(365 * MiB);
  // 90 MiB are left at 0.1 MiB per second.
  expect((trend?.ms ?? 0) / 1000).toBeGreaterThan(880);
  expect((trend?.ms ?? 0) / 1000).toBeLessThan(925);
  expect(trend?.low ?? 0).toBeLessThan(trend?.ms ?? 0);
  expect(trend?.high ?? 0).toBeGreaterThan(trend?.ms ?? 0);
  expect(trend?.overMs).toBeGreaterThan(590_000);
});

test.each<[string, (i: number) => number | null]>([
  ['flat', (i) => 50 + noise(i)],
  ['a fall', (i) => 90 - i * 0.05],
  ['a step that ended', (i) => (i < 20 ? 20 : 60 + noise(i) * 0.1)],
  ['so slow that it is weeks away', (i) => 50 + i * 1e-5],
  ['unknown', () => null],
  ['known for a few readings only', (i) => (i < 595 ? null : 50 + i)],
  ['beyond the limit', (i) => 150 + i],
])('floors that are %s give no trend', (_, floor) => {
  const floors = seconds.map((__, i) => {
    const value = floor(i);
    return value === null ? null : value * MiB;
  });
  expect(floorTrend(seconds, floors, 200 * MiB)).toBeUndefined();
});

test('a minute is the least to draw from', () => {
  const short = seconds.slice(0, 40);
  expect(
    floorTrend(
      short,
      short.map((_, i) => (50 + i) * MiB),
      200 * MiB,
    ),
  ).toBeUndefined();
});
