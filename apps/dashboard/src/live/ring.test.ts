import { expect, test } from 'vitest';
import { NumberRing } from './ring.ts';

test('the newest rows push out the oldest', () => {
  const ring = new NumberRing(2, 3);
  for (let i = 1; i <= 5; i++) ring.push([i, i * 10]);
  expect(ring.length).toBe(3);
  expect(ring.column(0)).toEqual([3, 4, 5]);
  expect(ring.column(1)).toEqual([30, 40, 50]);
  expect(ring.last(1)).toBe(50);
});

test('what is not known is null', () => {
  const ring = new NumberRing(2, 3);
  expect(ring.last(0)).toBeNaN();
  ring.push([1]);
  expect(ring.column(1)).toEqual([null]);
  expect(ring.column(7)).toEqual([]);
  ring.clear();
  expect(ring.column(0)).toEqual([]);
});

test('a ring without an end is refused', () => {
  expect(() => new NumberRing(1, Infinity)).toThrow('at least one row');
});
