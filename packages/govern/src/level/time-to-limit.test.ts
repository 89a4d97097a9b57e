import { describe, expect, test } from 'vitest';
import { TimeToLimit } from './time-to-limit.ts';

const MiB = 1024 ** 2;

function after(
  floors: readonly (readonly [ms: number, bytes: number])[],
  nowMs: number,
  limit = 400 * MiB,
): number {
  const forecast = new TimeToLimit();
  for (const [ms, bytes] of floors) forecast.add(ms, bytes);
  return forecast.forecast(nowMs, limit);
}

describe('time to limit', () => {
  test('is the room left over the growth, less the age of the last floor', () => {
    const floors = [0, 10, 20, 30].map((s) => [s * 1000, (100 + s) * MiB] as const);
    expect(after(floors, 30_000)).toBeCloseTo(270_000, -2);
    expect(after(floors, 40_000)).toBeCloseTo(260_000, -2);
  });

  test('one odd floor does not bend it', () => {
    const floors = [0, 10, 20, 30, 40, 50].map(
      (s) => [s * 1000, (100 + s + (s === 20 ? 60 : 0)) * MiB] as const,
    );
    expect(after(floors, 50_000)).toBeGreaterThan(150_000);
  });

  test('needs three major GCs, five seconds and three floors that rise', () => {
    expect(
      after(
        [
          [0, 1],
          [5000, 2],
        ],
        5000,
      ),
    ).toBe(Infinity);
    expect(
      after(
        [
          [0, 1],
          [100, 2 * MiB],
          [200, 4 * MiB],
        ],
        200,
      ),
    ).toBe(Infinity);
    expect(
      after(
        [
          [0, 1],
          [5000, 3 * MiB],
          [10_000, 2 * MiB],
        ],
        10_000,
      ),
    ).toBe(Infinity);
    expect(
      after(
        [
          [0, 300 * MiB],
          [4000, 200 * MiB],
          [5000, 20 * MiB],
          [6000, 21 * MiB],
          [7000, 22 * MiB],
        ],
        7000,
      ),
    ).toBe(Infinity);
  });

  test('forgets floors older than ten minutes and is never negative', () => {
    const floors = [0, 10, 20].map((s) => [s * 1000, (100 + s) * MiB] as const);
    expect(after(floors, 700_000)).toBe(Infinity);
    expect(after(floors, 21_000, 10 * MiB)).toBe(0);
  });

  test('floors at the same moment do not divide by zero', () => {
    expect(
      after(
        [
          [0, 1],
          [0, 2],
          [4000, 3],
          [4000, 4],
        ],
        4000,
      ),
    ).toBeGreaterThan(0);
  });

  test('keeps eight floors', () => {
    const forecast = new TimeToLimit();
    for (let i = 0; i < 100; i++) forecast.add(i * 1000, i < 92 ? 0 : (i - 91) * MiB);
    expect(forecast.forecast(99_000, 108 * MiB)).toBeCloseTo(100_000, -2);
  });
});
