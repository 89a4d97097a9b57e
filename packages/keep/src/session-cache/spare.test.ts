import { expect, test } from 'vitest';
import { cacheOf, later, metered, session } from './cache.fixture.ts';
import type { Session } from './cache.fixture.ts';
import type { CacheEntry } from './entry.ts';
import { storeOf } from './session-cache.ts';
import type { SessionCache } from './session-cache.ts';

const entryOf = (cache: SessionCache<Session>, id: string): CacheEntry<Session> =>
  storeOf(cache).entries.get(id) as CacheEntry<Session>;

test('an entry that was evicted serves the next value, without a trace of the last', () => {
  const cache = cacheOf({ maxEntries: 2, ...metered, tenant: (id) => id.slice(0, 1), dispose: () => {} });
  cache.set('a1', session('a1', 700));
  const first = entryOf(cache, 'a1');
  cache.set('b1', session('b1'));
  cache.set('b2', session('b2'));
  cache.set('c1', session('c1', 10));
  expect(cache.has('a1') && cache.has('b1')).toBe(false);
  cache.set('d1', session('d1', 20));
  const kept = [...storeOf(cache).entries.values()];
  expect(kept).toContain(first);
  expect(kept.map(({ id, value, bytes, state, leases }) => [id, value.id, bytes, state, leases])).toEqual([
    ['c1', 'c1', 10, 0, 0],
    ['d1', 'd1', 20, 0, 0],
  ]);
  expect(cache.bytes).toBe(30);
  expect(cache.tenants().map(({ tenant }) => tenant)).toEqual(['d', 'c']);
});

test('an entry whose teardown goes on is not used again', async () => {
  const cache = cacheOf({ maxEntries: 1, ...metered, dispose: later });
  cache.set('a', session('a', 100));
  cache.set('b', session('b', 200));
  cache.set('c', session('c', 300));
  expect(cache.stats().closingBytes).toBe(300);
  await later();
  await later();
  expect(cache.stats().closingBytes).toBe(0);
});

/** Two values come in while one is asked about or ended; the second would get the entry of the evicted one. */
const fill = (cache: SessionCache<Session>): void => {
  cache.set('x', session('x'));
  cache.set('y', session('y'));
};

test('a get whose owner fills the cache meanwhile answers no value of another id', () => {
  let isAsked = false;
  const cache = cacheOf({
    maxEntries: 1,
    ...metered,
    veto: () => {
      if (isAsked) return false;
      isAsked = true;
      fill(cache);
      return true;
    },
  });
  cache.set('a', session('a'));
  storeOf(cache).idle.floor = 1;
  expect(cache.get('a')).toBeUndefined();
  expect([...storeOf(cache).entries.keys()]).toEqual(['y']);
});
