import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { maxBuckets, Timeline } from './timeline.ts';
import { Fit } from './fit.ts';

const w = new Fit();

function filled(count: number, y: (i: number) => number): number {
  const timeline = new Timeline();
  for (let i = 0; i < count; i++) timeline.push(600 * i, y(i), 1, i, 0, 0, 0);
  return timeline.read(w);
}

describe('Timeline', () => {
  it('stays bounded, in order, with the newest as it is', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 40_000 }), (count) => {
        const n = filled(count, (i) => i);
        expect(n).toBeLessThanOrEqual(maxBuckets);
        expect(w.t[n - 1]).toBe(600 * (count - 1));
        for (let i = 1; i < n; i++) expect(w.t[i]).toBeGreaterThan(w.t[i - 1] as number);
      }),
      { numRuns: 30 },
    );
  });

  it('covers a hundred days', () => {
    const n = filled(6 * 24 * 120, () => 1);
    expect(((w.t[n - 1] as number) - (w.t[0] as number)) / 86_400).toBeGreaterThan(100);
  });

  it('keeps a straight line straight', () => {
    const n = filled(5000, (i) => 3 * i);
    for (let i = 0; i < n; i++) expect(w.y[i]).toBeCloseTo((3 * (w.t[i] as number)) / 600, 3);
  });

  it('lets spikes fall out of the old part', () => {
    const n = filled(3000, (i) => (i % 40 === 0 ? 500 : 100 + (i % 7)));
    let highest = 0;
    for (let i = 0; i < n; i++)
      if ((w.level[i] as number) >= 2) highest = Math.max(highest, w.y[i] as number);
    expect(highest).toBeLessThan(120);
  });
});
