import { describe, expect, it } from 'vitest';
import { temper } from './temper.ts';

const hour = 3600;

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
