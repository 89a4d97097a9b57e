import { expect, test } from 'vitest';
import fc from 'fast-check';
import { TimeBudget } from './time-budget.ts';

test('begins with a burst, then lets through the share of wall time it was given', () => {
  const budget = new TimeBudget(0.01, 1, 0);
  expect(budget.waitMs(0.2, 0)).toBe(0);
  budget.spend(1, 0);
  expect(budget.waitMs(0.2, 0)).toBeCloseTo(20);
  expect(budget.waitMs(0.2, 15)).toBeCloseTo(5);
  expect(budget.waitMs(0.2, 20)).toBe(0);
});

test('nothing is saved up beyond the burst, and a debt is bounded', () => {
  const budget = new TimeBudget(0.01, 1, 0);
  budget.spend(2, 1e9);
  expect(budget.waitMs(0, 1e9)).toBeCloseTo(100);
  budget.spend(1e6, 1e9);
  expect(budget.waitMs(0, 1e9)).toBeCloseTo(2000);
});

test('a clock that goes backwards gives nothing and takes nothing', () => {
  const budget = new TimeBudget(0.01, 1, 1000);
  budget.spend(1, 1000);
  expect(budget.waitMs(0, 0)).toBe(0);
  expect(budget.waitMs(1, 0)).toBeCloseTo(100);
});

test('whatever the slices take, the share holds over any long run', () => {
  fc.assert(
    fc.property(
      fc.array(fc.double({ min: 0.01, max: 1, noNaN: true }), { minLength: 50, maxLength: 200 }),
      (slices) => {
        const budget = new TimeBudget(0.01, 1, 0);
        let now = 0;
        let spent = 0;
        for (const slice of slices) {
          now += budget.waitMs(0.2, now);
          now += slice;
          spent += slice;
          budget.spend(slice, now);
        }
        // The burst and the last slice may be ahead of their payment.
        expect(spent).toBeLessThanOrEqual(0.01 * now + 1 + 1 + 1e-6);
      },
    ),
  );
});
