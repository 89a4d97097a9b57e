import { describe, expect, it } from 'vitest';
import { LongRun } from '../long-run.ts';
import { live, MB } from '../memory-life.fixture.ts';
import { HistoryReader } from './waterline.ts';

describe('a long run', () => {
  it('retains under 64 KB and no more after a year than after a week', () => {
    const collect = globalThis.gc as NodeJS.GCFunction;
    const held = (): number => {
      collect();
      const { heapUsed, external } = process.memoryUsage();
      return heapUsed + external;
    };
    live(new LongRun({ budgetBytes: 900 * MB }), { hours: 24 * 7, load: (h) => 50 + 10 * Math.sin(h) });
    const before = held();
    const runs = Array.from({ length: 40 }, () => new LongRun({ budgetBytes: 900 * MB }));
    for (const run of runs) live(run, { hours: 30 });
    const each = (held() - before) / runs.length;
    expect(each).toBeLessThan(64_000);
    const [oldest] = runs as [LongRun];
    const young = held();
    live(oldest, { hours: 24 * 120, load: (h) => 50 + 10 * Math.sin(h) });
    expect(held() - young).toBeLessThan(100_000);
    expect(runs).toHaveLength(40);
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
