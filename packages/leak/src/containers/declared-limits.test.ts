import { expect, test } from 'vitest';
import { limitsIn } from './declared-limits.ts';

test('the bound of a cache is a field that names it, private or not', () => {
  expect(limitsIn({ max: 700 })).toEqual({ bound: 700 });
  expect(limitsIn({ '#maxSize': 300, '#maxAge': Number.POSITIVE_INFINITY })).toEqual({ bound: 300 });
  expect(limitsIn({ capacity: 800, size: 20 })).toEqual({ bound: 800 });
  // Bytes are never fewer than entries.
  expect(limitsIn({ maxEntrySize: 50_000, ttl: 0 })).toEqual({ bound: 50_000 });
});

test('how long entries are kept is in ms, or in seconds when it is short', () => {
  expect(limitsIn({ ttl: 300_000, max: Number.POSITIVE_INFINITY })).toEqual({ keepsMs: 300_000 });
  expect(limitsIn({ ttlInMsecs: 5000, ttl: 600 })).toEqual({ keepsMs: 5000 });
});

test('the two lists of indexes of lru-cache have a place for each entry', () => {
  const lists = { '#l': new Uint16Array(500), '#u': new Uint16Array(500) };
  expect(limitsIn({ ...lists, maxEntrySize: 50_000 })).toEqual({ bound: 500 });
  expect(limitsIn({ next: new Uint32Array(5), data: new Uint32Array(9) })).toEqual({});
});

test('what is not a number of entries is no bound', () => {
  expect(limitsIn({ max: Number.POSITIVE_INFINITY, limit: 0, _maxListeners: 10 })).toEqual({});
  expect(limitsIn({ max: '5', capacity: -1, ttl: Number.NaN })).toEqual({});
  expect(limitsIn({})).toEqual({});
});
