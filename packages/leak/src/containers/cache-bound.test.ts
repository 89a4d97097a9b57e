import { expect, test } from 'vitest';
import { boundOf } from './cache-bound.ts';

test('the bound of a cache is a field that names it, private or not', () => {
  expect(boundOf({ max: 700 })).toEqual({ bound: 700 });
  expect(boundOf({ '#maxSize': 300, '#maxAge': Number.POSITIVE_INFINITY })).toEqual({ bound: 300 });
  expect(boundOf({ capacity: 800, size: 20 })).toEqual({ bound: 800 });
  // Bytes are never fewer than entries.
  expect(boundOf({ maxEntrySize: 50_000, ttl: 0 })).toEqual({ bound: 50_000 });
});

test('how long entries are kept is in ms, or in seconds when it is short', () => {
  expect(boundOf({ ttl: 300_000, max: Number.POSITIVE_INFINITY })).toEqual({ keepsMs: 300_000 });
  expect(boundOf({ ttlInMsecs: 5000, ttl: 600 })).toEqual({ keepsMs: 5000 });
});

test('the two lists of indexes of lru-cache have a place for each entry', () => {
  const lists = { '#l': new Uint16Array(500), '#u': new Uint16Array(500) };
  expect(boundOf({ ...lists, maxEntrySize: 50_000 })).toEqual({ bound: 500 });
  expect(boundOf({ next: new Uint32Array(5), data: new Uint32Array(9) })).toEqual({});
});

test('what is not a number of entries is no bound', () => {
  expect(boundOf({ max: Number.POSITIVE_INFINITY, limit: 0, _maxListeners: 10 })).toEqual({});
  expect(boundOf({ max: '5', capacity: -1, ttl: Number.NaN })).toEqual({});
  expect(boundOf({})).toEqual({});
});
