import { FakeClock } from '@plimsoll/core/internal/sense/fake-clock';
import { describe, expect, test, vi } from 'vitest';
import { cacheOf, session, metered } from './cache.fixture.ts';

describe('owners and tenants', () => {
  test('an owner may keep its entry, but not against an explicit close', async () => {
    const cache = cacheOf({ maxEntries: 2, veto: (value) => value.id === 'a' });
    const vetoed = vi.fn<(event: object) => void>();
    cache.on('veto', vetoed);
    for (const id of ['a', 'b', 'c']) cache.set(id, session(id));
    expect(cache.has('a')).toBe(true);
    expect(cache.has('b')).toBe(false);
    expect(vetoed).toHaveBeenCalledTimes(1);
    expect(cache.stats().vetoed).toBe(1);
    expect(await cache.close('a')).toBe('closed');
  });

  test('when everybody vetoes, the cache stays above its bound and says so', async () => {
    const clock = new FakeClock();
    const cache = cacheOf({
      ...metered,
      maxBytes: 150,
      idle: '1s',
      maxAge: '5s',
      clock,
      veto: () => {
        throw new Error('busy');
      },
    });
    for (const id of ['a', 'b', 'c']) cache.set(id, session(id));
    clock.advance(20_000);
    expect(cache.size).toBe(3);
    expect(await cache.shed({ bytes: 50 })).toBe(0);
    expect(cache.stats().overcommits).toBe(1);
    expect(cache.stats().hookFailures).toBeGreaterThan(3);
  });

  test('an owner that takes a lease while it is asked keeps its entry', () => {
    const held: unknown[] = [];
    const cache = cacheOf({
      maxEntries: 1,
      veto: (_value, { id }) => {
        held.push(cache.tryAcquire(id));
        return false;
      },
    });
    cache.set('a', session('a'));
    cache.set('b', session('b'));
    expect(cache.peek('a')?.id).toBe('a');
    expect(held).toHaveLength(1);
  });

  test('the tenant that takes the most makes room', () => {
    const cache = cacheOf({ ...metered, maxBytes: 1000, tenant: (id) => id.slice(0, 1) });
    for (let i = 0; i < 3; i++) cache.set(`a${i}`, session(`a${i}`));
    for (let i = 0; i < 50; i++) cache.set(`b${i}`, session(`b${i}`));
    expect(cache.tenants()).toEqual([
      { tenant: 'b', entries: 7, bytes: 700 },
      { tenant: 'a', entries: 3, bytes: 300 },
    ]);
  });

  test('a largest tenant whose entries are all leased leaves the next one to make room', () => {
    const cache = cacheOf({ ...metered, maxBytes: 500, tenant: (id) => id.slice(0, 1) });
    for (let i = 0; i < 4; i++) {
      cache.set(`a${i}`, session(`a${i}`));
      cache.tryAcquire(`a${i}`);
    }
    cache.set('b0', session('b0'));
    cache.set('b1', session('b1'));
    expect(cache.has('b0')).toBe(false);
    expect(cache.tenants().map((tenant) => tenant.entries)).toEqual([4, 1]);
  });

  test('a tenant hook that throws puts the entry under "unknown"', () => {
    const cache = cacheOf({
      maxEntries: 3,
      tenant: () => {
        throw new Error('no tenant');
      },
    });
    cache.set('a', session('a'));
    expect(cache.tenants()).toMatchObject([{ tenant: 'unknown', entries: 1 }]);
  });
});

test('idle entries of many tenants leave in one sweep', () => {
  const clock = new FakeClock();
  const cache = cacheOf({ maxEntries: 5000, idle: '1s', clock, tenant: (id) => id });
  for (let i = 0; i < 1000; i++) cache.set(String(i), session(String(i)));
  clock.advance(900);
  for (let i = 0; i < 1000; i += 2) cache.get(String(i));
  clock.advance(400);
  expect(cache.size).toBe(500);
  clock.advance(2000);
  expect(cache.size).toBe(0);
});
