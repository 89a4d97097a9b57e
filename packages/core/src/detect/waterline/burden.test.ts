import { describe, expect, it } from 'vitest';
import { holdAsked, oddsAsked } from './burden.ts';

const hour = 3600;
const long = 1000 * hour;

describe('the odds asked of growth', () => {
  it('are longer the less it stands out of the wander', () => {
    const asked = [1, 2, 4, 6, 50].map((clarity) => oddsAsked(clarity, false));
    expect(asked).toEqual([...asked].sort((a, b) => b - a));
    expect(asked[0]).toBeGreaterThan((asked[3] as number) + 1);
    expect(asked[4]).toBe(asked[3]);
  });

  it('are longer of growth that began with the process', () => {
    expect(oddsAsked(10, true)).toBeGreaterThan(oddsAsked(10, false));
  });
});

describe('the time for which hits must last', () => {
  it('is none when the odds are long and hours when they are even', () => {
    expect(holdAsked(20, false, 10 * hour, long)).toBe(0);
    expect(holdAsked(0, false, 10 * hour, long)).toBeGreaterThan(2 * hour);
    expect(holdAsked(3, false, 10 * hour, long)).toBeLessThan(holdAsked(0, false, 10 * hour, long));
  });

  it('grows with the age of what may be a fill, and hardly with that of later growth', () => {
    const early = holdAsked(0, true, 40 * hour, long) - holdAsked(0, true, 0, long);
    const later = holdAsked(0, false, 40 * hour, long) - holdAsked(0, false, 0, long);
    expect(early).toBeGreaterThanOrEqual(4 * hour);
    expect(later).toBeLessThan(hour);
  });

  it('never takes more than a twentieth of the time that is left', () => {
    expect(holdAsked(0, true, 40 * hour, 10 * hour)).toBeLessThanOrEqual(hour / 2);
    expect(holdAsked(0, true, 40 * hour, 0)).toBe(holdAsked(0, true, 40 * hour, long));
  });
});
