import { describe, expect, it } from 'vitest';
import { LoadCycle, temper } from './exhaustion.ts';

const hour = 3600;

function lived(hours: number, load: (h: number) => number): LoadCycle {
  const cycle = new LoadCycle();
  for (let minute = 0; minute <= hours * 60; minute++) cycle.add(minute * 60, load(minute / 60));
  return cycle;
}

describe('LoadCycle', () => {
  it('is a straight line where the load takes nothing or does not move', () => {
    const cycle = lived(30, () => 10);
    expect(cycle.exhaustion(100, 0, 2 / hour)).toBeCloseTo(50 * hour);
    expect(cycle.exhaustion(100, 1, 2 / hour)).toBeCloseTo(45 * hour);
    expect(lived(0, () => 10).exhaustion(100, 1, 2 / hour)).toBeCloseTo(45 * hour);
  });

  it('meets the limit at the hour of the peak', () => {
    // Noon has 50 more; it is midnight now, and 1 per hour grows.
    const cycle = lived(48, (h) => (Math.floor(h % 24) === 12 ? 60 : 10));
    expect(cycle.peak).toBe(60);
    const noon = (days: number): number => (days * 24 + 12.5) * hour;
    expect(cycle.exhaustion(61, 1, 1 / hour)).toBeCloseTo(noon(0));
    expect(cycle.exhaustion(80, 1, 1 / hour)).toBeCloseTo(noon(1));
    expect(cycle.exhaustion(1000, 1, 1 / hour)).toBeCloseTo(noon(39));
  });

  it('knows no peak that it has not seen, and forgets the day before', () => {
    expect(lived(6, (h) => h).exhaustion(100, 1, 1 / hour)).toBeCloseTo(94 * hour);
    expect(lived(40, (h) => (h < 10 ? 90 : 10)).peak).toBe(10);
  });

  it('has no peak from hours that nothing was sampled in', () => {
    const cycle = new LoadCycle();
    cycle.add(0, 80);
    cycle.add(30 * hour, 5);
    expect(cycle.peak).toBe(5);
  });

  it('never says that it is over', () => {
    expect(lived(30, () => 10).exhaustion(5, 1, 1)).toBe(60);
  });
});

describe('a tempered forecast', () => {
  it('is all but the straight one where the models agree and the growth is clear', () => {
    expect(temper(200 * hour, 0, 100) / hour).toBeGreaterThan(180);
    expect(temper(2 * hour, 0, 100) / hour).toBeLessThan(2.5);
  });

  it('is drawn to days, the more the less is known', () => {
    const far = [100, 10, 5, 3].map((clarity) => temper(400 * hour, 0, clarity));
    expect(far).toEqual([...far].sort((a, b) => b - a));
    const near = [0, 0.5, 2].map((disagreement) => temper(5 * hour, disagreement, 10));
    expect(near).toEqual([...near].sort((a, b) => a - b));
    expect(far.at(-1)).toBeGreaterThan(48 * hour);
    expect(near.at(-1)).toBeLessThan(48 * hour);
    expect(temper(48 * hour, 1, 3)).toBeCloseTo(48 * hour);
  });

  it('leaves what is unknown unknown', () => {
    expect(temper(0, 1, 3)).toBe(0);
    expect(temper(Number.NaN, 1, 3)).toBeNaN();
  });
});
