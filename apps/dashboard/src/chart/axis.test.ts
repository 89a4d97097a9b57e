import { expect, test } from 'vitest';
import { byteSteps, tickTexts, timeRange, scaleTop } from './axis.ts';

const at = (day: number, hour: number, minute = 0): number =>
  new Date(2026, 10, day, hour, minute).getTime() / 1000;

test('marks say as much as tells them apart', () => {
  expect(tickTexts([at(15, 13, 50), at(15, 14)], 600)).toEqual(['13:50', '14:00']);
  expect(tickTexts([at(15, 14), at(15, 14) + 10], 10)).toEqual(['14:00:00', '14:00:10']);
  expect(tickTexts([at(14, 0), at(15, 0)], 86_400)).toEqual(['11-14', '11-15']);
});

test('a new day is named where it begins', () => {
  expect(tickTexts([at(14, 18), at(15, 0), at(15, 6)], 21_600)).toEqual(['18:00', '11-15', '06:00']);
});

test('bytes are marked in round units', () => {
  expect(byteSteps).toContain(50 * 1024 ** 2);
  expect(byteSteps.toSorted((a, b) => a - b)).toEqual(byteSteps);
});

test('a single reading stands at the end of a minute', () => {
  expect(timeRange([5000, 5000])).toEqual([4940, 5000]);
  expect(timeRange([1000, 5000])).toEqual([1000, 5000]);
  expect(timeRange([null, null])).toEqual([null, null]);
});

test('the scale follows the lines while the limit is far, and shows it when it is near', () => {
  const limit = [3200, 3200, null];
  expect(scaleTop(limit, [[28, 40], [99]])).toBe(123.75);
  expect(scaleTop(limit, [[28, 1600], [99]])).toBe(3200);
  expect(scaleTop(limit, [[28, 3500]])).toBe(3500);
  expect(scaleTop([], [[]])).toBe(0);
});
