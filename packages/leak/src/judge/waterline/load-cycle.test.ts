import { describe, expect, it } from 'vitest';
import { LoadCycle } from './load-cycle.ts';

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
