import { expect, test } from 'vitest';
import { boundOf } from './cache-bound.ts';

test('the bound of a cache is a field that names it, private or not', () => {
  expect(boundOf({ max: 700, ttl: 1000 })).toBe(700);
  expect(boundOf({ '#maxSize': 300, '#maxAge': 60_000 })).toBe(300);
  expect(boundOf({ capacity: 800, size: 20 })).toBe(800);
  // Bytes are never fewer than entries.
  expect(boundOf({ maxEntrySize: 50_000, ttl: 0 })).toBe(50_000);
});

test('the two lists of indexes of lru-cache have a place for each entry', () => {
  expect(boundOf({ '#l': new Uint16Array(500), '#u': new Uint16Array(500), maxEntrySize: 50_000 })).toBe(500);
  expect(boundOf({ next: new Uint32Array(5), data: new Uint32Array(9) })).toBeUndefined();
});

test('what is not a number of entries is no bound', () => {
  expect(boundOf({ max: Number.POSITIVE_INFINITY, limit: 0, maxAge: 9, _maxListeners: 10 })).toBeUndefined();
  expect(boundOf({ max: '5', capacity: -1 })).toBeUndefined();
  expect(boundOf({})).toBeUndefined();
});
