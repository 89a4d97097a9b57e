import { expect, test } from 'vitest';
import { lineThrough } from './line.ts';

test('a line through exact points has their slope and no error', () => {
  const points = [0, 1, 2, 3].map((x) => ({ x, y: 5 + 2 * x }));
  expect(lineThrough(points)).toEqual({ slope: 2, error: 0 });
});

test('the error is at least what half of the noise of one point would cause', () => {
  const points = [0, 1, 2, 3].map((x) => ({ x, y: 2 * x }));
  expect(lineThrough(points, 2).error).toBeCloseTo(1 / Math.sqrt(5), 12);
});

test('points at one x have no slope, with no bound on its error', () => {
  expect(lineThrough([1, 2, 3].map((y) => ({ x: 7, y })))).toEqual({
    slope: 0,
    error: Number.POSITIVE_INFINITY,
  });
});
