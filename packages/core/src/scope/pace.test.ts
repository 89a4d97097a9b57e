import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Pace } from './pace.ts';

test('a burst is let through, then the rate', () => {
  const pace = new Pace(10, 3);
  const take = (...times: number[]): boolean[] => times.map((ms) => pace.take(ms));
  expect(take(0, 0, 0, 0)).toEqual([true, true, true, false]);
  expect(take(50, 100, 150, 200)).toEqual([false, true, false, true]);
  // A pause earns one burst, not more.
  expect(take(9000, 9000, 9000, 9000)).toEqual([true, true, true, false]);
});

test('over any time no more pass than the rate and one burst allow', () => {
  fc.assert(
    fc.property(fc.array(fc.nat({ max: 40 }), { maxLength: 500 }), (gaps) => {
      const pace = new Pace(100, 20);
      let now = 0;
      let passed = 0;
      for (const gap of gaps) {
        now += gap;
        if (pace.take(now)) passed += 1;
      }
      expect(passed).toBeLessThanOrEqual(20 + now / 10 + 1);
    }),
  );
});

test('the time before the first use is no credit', () => {
  const pace = new Pace(10, 3);
  const take = (ms: number): boolean => pace.take(ms);
  expect([9000, 9000, 9000, 9000].map(take)).toEqual([true, true, true, false]);
});
