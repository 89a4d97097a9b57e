import { describe, expect, it } from 'vitest';
import { Detector } from '../long-run.ts';
import { live, MB } from '../memory-life.fixture.ts';
import { HistoryReader } from './history-curve.ts';
import { growthSeverity } from './severity.ts';
import { forecast, straightBand } from './forecast.ts';

describe('a detector in the long run', () => {
  it('retains under 64 KB and no more after a year than after a week', () => {
    const collect = globalThis.gc as NodeJS.GCFunction;
    const held = (): number => {
      collect();
      const { heapUsed, external } = process.memoryUsage();
      return heapUsed + external;
    };
    live(new Detector({ budgetBytes: 900 * MB }), { hours: 24 * 7, load: (h) => 50 + 10 * Math.sin(h) });
    const before = held();
    const detectors = Array.from({ length: 40 }, () => new Detector({ budgetBytes: 900 * MB }));
    for (const detector of detectors) live(detector, { hours: 30 });
    const each = (held() - before) / detectors.length;
    expect(each).toBeLessThan(64_000);
    const [oldest] = detectors as [Detector];
    const young = held();
    live(oldest, { hours: 24 * 120, load: (h) => 50 + 10 * Math.sin(h) });
    expect(held() - young).toBeLessThan(100_000);
    expect(detectors).toHaveLength(40);
  });
});

describe('the curve of earlier runs', () => {
  it('is read between its points and stays at its end', () => {
    const reader = new HistoryReader([
      { uptimeMs: 2000, floorBytes: 30 },
      { uptimeMs: 1000, floorBytes: 10 },
    ]);
    expect([0, 1000, 1500, 2000, 9000].map((ms) => reader.read(ms))).toEqual([10, 10, 20, 30, 30]);
    expect(reader.isUseful).toBe(true);
    expect(new HistoryReader([]).read(5)).toBe(0);
    expect(new HistoryReader([]).isUseful).toBe(false);
  });
});

describe('severity', () => {
  it('follows the time left', () => {
    const hours = (h: number): string => growthSeverity(forecast(h * 3600, straightBand), 0.5);
    expect([1, 3, 20, 25, 40, 100, 200].map(hours)).toEqual([
      'critical',
      'high',
      'high',
      'high',
      'medium',
      'medium',
      'low',
    ]);
    expect(growthSeverity(forecast(25 * 3600), 0.5)).toBe('medium');
    expect(growthSeverity(undefined, 0.5)).toBe('low');
    expect(growthSeverity(forecast(1e9), 0.95)).toBe('critical');
  });
});
