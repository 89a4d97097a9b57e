import { expect, it } from 'vitest';
import { randomFrom } from '../memory-life.fixture.ts';
import { Baseline } from './waterline.ts';

const minute = 60_000;

it('is what noise is about, not its lowest value', () => {
  const random = randomFrom(4);
  const baseline = new Baseline();
  let lowest = Number.POSITIVE_INFINITY;
  for (let i = 0; i < 5000; i++) {
    const value = 100 + 40 * (random() - 0.5);
    lowest = Math.min(lowest, value);
    baseline.add(i * minute, value);
  }
  expect(lowest).toBeLessThan(81);
  expect(baseline.least).toBeGreaterThan(90);
});

it('goes down for good when the level does, and ignores what is no number or out of order', () => {
  const baseline = new Baseline();
  for (let i = 0; i < 2000; i++) baseline.add(i * minute, i < 1000 ? 50 : 20);
  baseline.add(0, 0);
  baseline.add(2001 * minute, Number.NaN);
  expect(baseline.least).toBeCloseTo(20, 0);
});
