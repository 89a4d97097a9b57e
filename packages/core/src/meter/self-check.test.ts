import { expect, test } from 'vitest';
import { fixedSizes } from './rules.ts';
import { compare, measureByGrowth, selfCheck } from './self-check.ts';

test('the rules agree with this Node', () => {
  const check = selfCheck();
  expect(check).toMatchObject({ node: process.version, agrees: true, widen: { lo: 1, hi: 1 } });
  expect(selfCheck()).toBe(check);
});

test('sizes of whole objects that differ are corrected', () => {
  const sizes = { ...fixedSizes };
  const check = compare(sizes, (make) => (make(1) instanceof Date ? 112 : undefined));
  expect(check).toMatchObject({ agrees: true, corrected: ['date'] });
  expect(sizes.date).toBe(112);
});

test('structure that differs widens the bracket instead of lying', () => {
  const half = compare({ ...fixedSizes }, (make) => {
    const value = make(1);
    if (value instanceof Map) return 92;
    return value instanceof Set && value.size === 0 ? 304 : undefined;
  });
  expect(half).toMatchObject({ agrees: false, corrected: [], widen: { lo: 0.5, hi: 2 } });
});

test('growth of the heap gives the size of a kind; what is out of order is not believed', () => {
  const measure = measureByGrowth();
  class Pair {
    a = 1;
    b = 2;
  }
  expect(measure(() => new Pair(), 40)).toBe(40);
  expect(measure(() => new Pair(), 48)).toBe(40);
  expect(measure(() => new Pair(), 400)).toBeUndefined();
});

test('what cannot be tried is not judged', () => {
  expect(compare({ ...fixedSizes }, () => undefined)).toMatchObject({ agrees: true, corrected: [] });
});
