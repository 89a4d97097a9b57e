import { expect, test } from 'vitest';
import { scrollFor, visibleSlice } from './scope-grid.tsx';

test('only rows in view are drawn, with a few to spare', () => {
  expect(visibleSlice(0, 560, 28, 10_000)).toEqual({ first: 0, last: 26 });
  expect(visibleSlice(28_000, 560, 28, 10_000)).toEqual({ first: 994, last: 1026 });
  expect(visibleSlice(279_440, 560, 28, 10_000)).toEqual({ first: 9974, last: 10_000 });
});

test('a list that shrank below the scroll position shows its end', () => {
  expect(visibleSlice(28_000, 560, 28, 10)).toEqual({ first: 4, last: 10 });
  expect(visibleSlice(28_000, 560, 28, 0)).toEqual({ first: 0, last: 0 });
});

test('a row that is seen does not move', () => {
  expect(scrollFor(5, 0, 560, 28)).toBe(0);
  expect(scrollFor(30, 0, 560, 28)).toBe(308);
  expect(scrollFor(2, 308, 560, 28)).toBe(56);
});
