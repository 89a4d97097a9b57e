import { expect, test } from 'vitest';
import { growthSeverity } from './severity.ts';

const hourMs = 3_600_000;
const left = (hours: number): { ms: number; low: number; high: number } => ({
  ms: hours * hourMs,
  low: 0.3 * hours * hourMs,
  high: 3 * hours * hourMs,
});

test('proved growth follows the time left and is at least medium', () => {
  const of = (hours: number): string => growthSeverity({ left: left(hours), usedRatio: 0.5, isProved: true });
  expect([1, 3, 20, 25, 40, 200].map(of)).toEqual(['critical', 'high', 'high', 'high', 'medium', 'medium']);
  expect(growthSeverity({ left: undefined, usedRatio: 0.5, isProved: true })).toBe('medium');
  expect(growthSeverity({ left: left(1e6), usedRatio: 0.95, isProved: true })).toBe('critical');
});

test('a trend alone is low, and medium when less than a day is left', () => {
  const of = (hours: number): string =>
    growthSeverity({ left: left(hours), usedRatio: 0.5, isProved: false });
  expect([1, 20, 40, 200].map(of)).toEqual(['medium', 'medium', 'low', 'low']);
  expect(growthSeverity({ left: undefined, usedRatio: 0.5, isProved: false })).toBe('low');
  expect(growthSeverity({ left: undefined, usedRatio: 0.95, isProved: false })).toBe('medium');
});
