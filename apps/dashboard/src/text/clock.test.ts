import { expect, test } from 'vitest';
import { dateText, timeText, whenText } from './clock.ts';

const at = new Date(2026, 10, 15, 4, 3, 7).getTime();

test('times are written with two digits', () => {
  expect(timeText(at)).toBe('04:03:07');
  expect(dateText(at)).toBe('2026-11-15 04:03');
});

test('today only the time is said', () => {
  expect(whenText(at, at + 3_600_000)).toBe('04:03:07');
  expect(whenText(at, at + 86_400_000)).toBe('2026-11-15 04:03');
});
