import fc from 'fast-check';
import { expect, test } from 'vitest';
import { LruOrder } from './lru-order.ts';
import { ArcOrder } from './arc-order.ts';
import { CacheEntry } from './entry.ts';
import { SessionCache, storeOf } from './session-cache.ts';

/** Deterministic random numbers in [0, 1). */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

function hitRatio(
  policy: 'lru' | 'arc' | undefined,
  bound: { maxEntries: number } | { maxBytes: number },
): number {
  const next = random(3);
  const cache = new SessionCache<object>({
    ...bound,
    ...(policy && { policy }),
    meter: () => ({ bytes: 100 }),
  });
  let hits = 0;
  let scan = 0;
  const requests = 60_000;
  for (let i = 0; i < requests; i++) {
    // Popular keys, with a scan of keys that never come back for a quarter of the time.
    const id = Math.floor(i / 1000) % 4 === 3 ? `scan ${scan++}` : `key ${Math.floor(5000 * next() ** 3)}`;
    if (cache.get(id) === undefined) cache.set(id, {});
    else hits++;
  }
  void cache.drain();
  return hits / requests;
}

test.each([[{ maxEntries: 500 }], [{ maxBytes: 50_000 }]])(
  'arc resists scans that flush an lru cache, bounded by %o',
  (bound) => {
    expect(hitRatio('arc', bound)).toBeGreaterThan(hitRatio('lru', bound) + 0.03);
    expect(hitRatio(undefined, bound)).toBe(hitRatio('arc', bound));
  },
);

test('arc remembers a bounded number of ids that left', () => {
  const cache = new SessionCache<object>({ maxEntries: 100, policy: 'arc', idle: '1h' });
  for (let i = 0; i < 5000; i++) {
    cache.set(String(i), {});
    if (i % 3 === 0) cache.get(String(i));
    cache.get(String(i - 120));
    if (i % 7 === 0) cache.set(String(i - 120), {});
  }
  const { remembered } = storeOf(cache).order as ArcOrder<object>;
  expect(remembered).toBeGreaterThan(0);
  expect(remembered).toBeLessThanOrEqual(200);
  expect(cache.size).toBe(100);
  void cache.drain();
});

test('a shed takes what was not used for longest, however often it was used before', () => {
  const order = new ArcOrder<object>({ maxBytes: Number.POSITIVE_INFINITY, maxEntries: 10 });
  const [old, young] = [new CacheEntry('old', {}, 1), new CacheEntry('young', {}, 5)];
  expect(order.coldest()).toBeUndefined();
  order.add(young);
  expect(order.coldest()).toBe(young);
  order.add(old);
  order.touch(old);
  expect(order.victim(undefined)).toBe(young);
  expect(order.coldest()).toBe(old);
});

test('an empty order has nobody to go', () => {
  const order = new LruOrder<object>();
  expect(order.victim(undefined)).toBeUndefined();
  expect(order.idleSince(10)).toBeUndefined();
});

test('a tenant below its share never makes room for a noisy one', () => {
  fc.assert(
    fc.property(
      fc.array(
        fc.record({
          tenant: fc.integer({ min: 0, max: 3 }),
          key: fc.nat(40),
          bytes: fc.integer({ min: 1, max: 30 }),
        }),
        { maxLength: 300 },
      ),
      (requests) => {
        const maxBytes = 400;
        let fresh = 0;
        const cache = new SessionCache<{ bytes: number }>({
          maxBytes,
          meter: (value) => value,
          tenant: (id) => id.split(' ')[0] as string,
        });
        cache.on('evict', ({ id, bytes }) => {
          const tenant = id.split(' ')[0];
          const others = cache.tenants();
          const held = (others.find((other) => other.tenant === tenant)?.bytes ?? 0) + bytes;
          const largest = Math.max(held, ...others.map((other) => other.bytes));
          const share = maxBytes / Math.max(1, others.length);
          // Within an eighth of the largest, recency decides.
          expect(held).toBeGreaterThanOrEqual(Math.min(share, largest * (7 / 8)));
        });
        for (const { tenant, key, bytes } of requests) {
          const id = `${tenant} ${tenant === 0 ? `new ${fresh++}` : key}`;
          if (cache.get(id) === undefined) cache.set(id, { bytes });
        }
        void cache.drain();
      },
    ),
  );
});
