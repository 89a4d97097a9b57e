import { expect, test } from 'vitest';
import { countText, percentText, plural } from './units.ts';

test.each([
  [0, '0'],
  [999, '999'],
  [10_000, '10,000'],
  [1_234_567.4, '1,234,567'],
])('%s is counted as %s', (count, text) => {
  expect(countText(count)).toBe(text);
});

test.each([
  [0, '0 %'],
  [0.001, '<1 %'],
  [0.856, '86 %'],
  [1.12, '112 %'],
  [null, '–'],
  [Number.NaN, '–'],
])('%s reads %s', (ratio, text) => {
  expect(percentText(ratio)).toBe(text);
});

test('a count agrees with its noun', () => {
  expect(plural(1, 'scope')).toBe('1 scope');
  expect(plural(1204, 'scope')).toBe('1,204 scopes');
  expect(plural(0, 'scope')).toBe('0 scopes');
});
