import { describe, expect, it, test } from 'vitest';
import { soonest, Trend } from './forecast.ts';
import type { Forecast } from './forecast.ts';

const MiB = 1024 ** 2;
/** A saw of noise that is the same in every run. */
const noise = (i: number): number => ((i * 37) % 11) - 5;

/** A trend fed one floor per step of seconds. */
function trendOf(
  floorMiB: (i: number) => number,
  floors: number,
  stepSeconds: number,
  limitMiB = 200,
): Trend {
  const trend = new Trend();
  for (let i = 0; i < floors; i++) {
    const floor = floorMiB(i) * MiB;
    const pressures = [{ source: 'heap', used: floor, limit: limitMiB * MiB }];
    trend.take({ floor, floorAgeMs: 0, majors: i + 1, pressures }, i * stepSeconds * 1000);
  }
  return trend;
}

describe('the trend of the last minutes', () => {
  it('is drawn on to the limit with a band', () => {
    const told = trendOf((i) => 50 + 4 * i + 0.1 * noise(i), 20, 30).forecast(19 * 30_000, 5);
    // 74 MiB are left at 8 MiB a minute.
    expect((told?.ms ?? 0) / 60_000).toBeGreaterThan(8.5);
    expect((told?.ms ?? 0) / 60_000).toBeLessThan(10);
    expect(told?.low ?? 0).toBeLessThan(told?.ms ?? 0);
    expect(told?.high ?? 0).toBeGreaterThan(told?.ms ?? 0);
    expect(told).toMatchObject({ source: 'heap', at: 5 });
    expect((told?.bytesPerHour ?? 0) / MiB).toBeCloseTo(480, -1);
  });

  it('needs three rising floors and five seconds, and then tells of a death within a minute', () => {
    expect(trendOf((i) => 50 + 10 * i, 2, 3).forecast(6000, 0)).toBeUndefined();
    expect(trendOf((i) => 50 + 10 * i, 3, 2).forecast(4000, 0)).toBeUndefined();
    expect(trendOf((i) => 50 + 10 * i, 3, 3).forecast(6000, 0)?.ms).toBeCloseTo(39_000, -3);
  });

  it('says apart when the limit is met and when V8 aborts', () => {
    const trend = new Trend();
    for (let i = 0; i < 10; i++) {
      const floor = (50 + 4 * i) * MiB;
      const pressures = [
        { source: 'heap', used: floor, limit: 200 * MiB, endBytes: 250 * MiB, requestBytes: 10 * MiB },
      ];
      trend.take({ floor, floorAgeMs: 0, majors: i + 1, pressures }, i * 30_000);
    }
    const told = trend.forecast(9 * 30_000, 0);
    // 104 and 154 MiB are left at 8 MiB a minute.
    expect((told?.ms ?? 0) / 60_000).toBeCloseTo(104 / 8, 1);
    expect((told?.endMs ?? 0) / 60_000).toBeCloseTo(154 / 8, 1);
  });

  it.each<[string, (share: number) => number]>([
    ['at a steady pace', (share) => share],
    ['ever faster', (share) => share ** 2],
    ['from a third of the time on', (share) => Math.max(0, share - 0.33) / 0.67],
    ['in bursts', (share) => Math.floor(12 * share) / 12],
  ])('is right within a factor of 1.6 at half of a life that grows %s', (_, shape) => {
    const [floors, stepSeconds] = [30, 10];
    const grown = (i: number): number => 20 + 180 * shape(i / (2 * floors)) + 0.05 * noise(i);
    const told = trendOf(grown, floors + 1, stepSeconds).forecast(floors * stepSeconds * 1000, 0);
    const left = floors * stepSeconds * 1000;
    expect((told?.ms ?? 0) / left).toBeGreaterThan(1 / 1.6);
    expect((told?.ms ?? 0) / left).toBeLessThan(1.6);
  });

  it('follows resident memory where no floor says anything', () => {
    const trend = new Trend();
    for (let second = 0; second < 60; second++) {
      const used = (100 + second) * MiB;
      const pressures = [{ source: 'cgroup', used, limit: 200 * MiB }];
      trend.take({ majors: 0, pressures }, second * 1000);
    }
    expect(trend.forecast(60_000, 0)).toMatchObject({ source: 'rss' });
  });

  it.each<[string, (i: number) => number]>([
    ['flat', (i) => 50 + noise(i)],
    ['falling', (i) => 190 - i],
    ['at rest after a step', (i) => (i < 3 ? 20 : 60 + 0.1 * noise(i))],
    ['so slow that the limit is further away than the data reach', (i) => 50 + i * 1e-3],
  ])('is not told when floors are %s', (_, floor) => {
    expect(trendOf(floor, 20, 30).forecast(19 * 30_000, 0)).toBeUndefined();
  });

  it('is forgotten after ten minutes without a point', () => {
    expect(trendOf((i) => 50 + 4 * i, 20, 30).forecast(19 * 30_000 + 600_001, 0)).toBeUndefined();
  });
});

test('the forecast that comes true first is the one', () => {
  const of = (ms: number): Forecast => ({ ms, low: 0, high: 0, bytesPerHour: 1, source: 'heap', at: 0 });
  expect(soonest([undefined, of(5), of(3)])?.ms).toBe(3);
  expect(soonest([])).toBeNull();
});
