import { describe, expect, test, vi } from 'vitest';
import { cacheOf, later } from './cache.fixture.ts';

describe('weak mode', () => {
  test('a value that nobody holds is collected and reported, one in use is not', async () => {
    const cache = cacheOf<object>({ maxEntries: 10, weak: true, veto: () => false });
    const collected = vi.fn<(event: object) => void>();
    cache.on('collected', collected);
    const kept = { data: 'kept' };
    cache.set('kept', kept);
    (() => {
      for (let i = 0; i < 5; i++) cache.set(`dropped ${i}`, { data: i });
    })();
    const lease = cache.tryAcquire('kept');
    for (let i = 0; i < 5; i++) {
      await later();
      globalThis.gc?.();
    }
    await later();
    cache.sweep();
    expect(cache.stats()).toMatchObject({ entries: 1, collected: 5 });
    expect(collected).toHaveBeenCalledTimes(5);
    lease?.release();
    expect(cache.get('kept')).toBe(kept);
    expect(await cache.close('kept')).toBe('closed');
  });
});

test('weak mode takes objects only', () => {
  const cache = cacheOf<number>({ maxEntries: 1, weak: true });
  expect(() => cache.set('a', 7)).toThrowErrorMatchingInlineSnapshot(
    `[PlimsollError: weak is "true and the value number"; it has to be used with objects only.]`,
  );
  expect(cache.size).toBe(0);
});
