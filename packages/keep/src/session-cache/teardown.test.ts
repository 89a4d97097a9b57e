import { FakeClock } from '@plimsoll/core/internal/sense/fake-clock';
import { describe, expect, test, vi } from 'vitest';
import type { Session } from './cache.fixture.ts';
import { cacheOf, session, metered, later } from './cache.fixture.ts';

describe('teardown', () => {
  test('an acquire that finds a value gets it, also when the end of its own fills the cache', async () => {
    let isFilled = false;
    let opened: (value: Session) => void = () => {};
    const cache = cacheOf({
      maxEntries: 1,
      ...metered,
      open: () => new Promise<Session>((resolve) => (opened = resolve)),
      dispose: () => {
        if (isFilled) return;
        isFilled = true;
        for (const id of ['x', 'y']) cache.set(id, session(id));
      },
    });
    const acquired = cache.acquire('a');
    await later();
    cache.set('a', session('a', 1));
    opened(session('a', 2));
    const lease = await acquired;
    expect(lease.value).toEqual(session('a', 1));
    expect(cache.peek('a')).toBe(lease.value);
    lease.release();
  });

  test('a dispose hook that puts its value back does not keep a drain from its end', async () => {
    const letters: string[] = [];
    const cache = cacheOf({
      maxEntries: 2,
      ...metered,
      disposeRetries: 0,
      dispose: (value): void => cache.set(`${value.id}+`, value),
      onDeadLetter: ({ id, error }) => letters.push(`${id}: ${error.code}`),
    });
    cache.set('a', session('a'));
    expect((await cache.drain()).disposeFailures).toBe(1);
    expect(letters).toEqual(['a: PLM_KEEP_DISPOSE_FAILED']);
    expect(cache.size).toBe(0);
  });

  test('an id is not opened again before its old value is disposed', async () => {
    const order: string[] = [];
    let finish: () => void = () => {};
    const cache = cacheOf({
      maxEntries: 1,
      open: (id) => {
        order.push(`open ${id}`);
        return session(id);
      },
      dispose: (value) =>
        new Promise((resolve) => {
          order.push(`dispose ${value.id}`);
          finish = () => {
            order.push(`disposed ${value.id}`);
            resolve();
          };
        }),
    });
    (await cache.acquire('a')).release();
    const closed = cache.close('a');
    const again = cache.acquire('a');
    await later();
    expect(order).toEqual(['open a', 'dispose a']);
    finish();
    expect(await closed).toBe('closed');
    (await again).release();
    expect(order).toEqual(['open a', 'dispose a', 'disposed a', 'open a']);
    const last = cache.drain();
    finish();
    await last;
  });

  test.each(['throws', 'rejects', 'hangs'] as const)(
    'a dispose hook that %s is retried and ends as a dead letter',
    async (how) => {
      const clock = new FakeClock();
      const letters: string[] = [];
      const attempts: number[] = [];
      const signals: AbortSignal[] = [];
      const cache = cacheOf({
        maxEntries: 1,
        clock,
        disposeTimeout: '1s',
        dispose: (_value, { attempt, signal }) => {
          attempts.push(attempt);
          signals.push(signal);
          if (how === 'throws') throw new Error('no');
          return how === 'rejects' ? Promise.reject(new Error('no')) : new Promise<void>(() => {});
        },
        onDeadLetter: ({ error }) => {
          letters.push(error.message);
          throw new Error('even this');
        },
      });
      cache.set('a', session('a'));
      const closed = cache.close('a');
      for (let i = 0; i < 50; i++) {
        clock.advance(100);
        await later();
      }
      expect(await closed).toBe('closed');
      expect(attempts).toEqual([1, 2, 3]);
      expect(letters).toEqual([
        how === 'hangs'
          ? 'disposing "a" failed 3 times, last: dispose of "a" did not settle within 1 s.'
          : 'disposing "a" failed 3 times, last: no.',
      ]);
      expect(signals.every((signal) => signal.aborted)).toBe(how === 'hangs');
      expect(cache.stats()).toMatchObject({ closing: 0, closingBytes: 0, disposeFailures: 1 });
    },
  );

  test('a signal asked for after the time is over is aborted', async () => {
    const clock = new FakeClock();
    let late: boolean | undefined;
    const cache = cacheOf({
      maxEntries: 1,
      clock,
      disposeTimeout: 100,
      disposeRetries: 0,
      dispose: async (_value, info) => {
        await later();
        await later();
        late = info.signal.aborted;
      },
    });
    cache.set('a', session('a'));
    const closed = cache.close('a');
    clock.advance(200);
    await closed;
    await later();
    await later();
    expect(late).toBe(true);
  });

  test('openings wait while teardowns hold more than the cache may', async () => {
    const finishes: (() => void)[] = [];
    const cache = cacheOf({
      ...metered,
      maxBytes: 150,
      open: (id) => session(id),
      dispose: () => new Promise((resolve) => finishes.push(resolve)),
    });
    for (const id of ['a', 'b', 'c']) cache.set(id, session(id));
    expect(cache.stats()).toMatchObject({ closing: 2, closingBytes: 200 });
    let isOpen = false;
    const waiting = cache.acquire('d').then((lease) => {
      isOpen = true;
      return lease;
    });
    await later();
    expect(isOpen).toBe(false);
    finishes.shift()?.();
    (await waiting).release();
    for (const finish of finishes.splice(0)) finish();
    await later();
    const drained = cache.drain();
    await later();
    for (const finish of finishes) finish();
    await drained;
  });

  test('replace waits for leases and teardown of the old value, and everybody gets the new one', async () => {
    const order: string[] = [];
    const cache = cacheOf({
      maxEntries: 5,
      open: (id) => session(id),
      dispose: async (value) => {
        await later();
        order.push(`disposed ${value.bytes}`);
      },
    });
    const old = await cache.acquire('a');
    const switching = cache.replace('a', async (id) => {
      order.push('made');
      return session(id, 7);
    });
    const waiting = cache.acquire('a');
    await later();
    expect(order).toEqual([]);
    expect(old.value.bytes).toBe(100);
    old.release();
    const fresh = await switching;
    expect((await waiting).value).toBe(fresh.value);
    expect(fresh.value.bytes).toBe(7);
    expect(order).toEqual(['disposed 100', 'made']);
    (await waiting).release();
    fresh.release();
  });

  test('replacing during an opening ends that opening', async () => {
    let deliver: (value: Session) => void = () => {};
    const cache = cacheOf({
      maxEntries: 5,
      open: () => new Promise<Session>((resolve) => (deliver = resolve)),
    });
    const first = cache.acquire('a');
    await later();
    const second = cache.replace('a', (id) => session(id, 3));
    await expect(first).rejects.toThrowError(/while it was being opened \(replace\)/);
    deliver(session('a', 1));
    const lease = await second;
    expect(lease.value.bytes).toBe(3);
    lease.release();
  });

  test('setting the same value again is a use, setting another one replaces it', () => {
    const disposed: number[] = [];
    const cache = cacheOf({ maxEntries: 5, dispose: (value) => void disposed.push(value.bytes) });
    const value = session('a', 1);
    cache.set('a', value);
    cache.set('a', value);
    expect(disposed).toEqual([]);
    cache.set('a', session('a', 2));
    expect(disposed).toEqual([1]);
  });

  test('listeners that throw, and hooks that use the cache, do no harm', () => {
    const cache = cacheOf({
      maxEntries: 2,
      dispose: (value) => {
        if (value.bytes < 103) cache.set(`${value.id}+`, session(`${value.id}+`, value.bytes + 1));
      },
    });
    cache.on('evict', () => {
      throw new Error('listener');
    });
    for (const id of ['a', 'b', 'c', 'd']) cache.set(id, session(id));
    expect(cache.size).toBe(2);
  });

  test('listeners can be removed and are bounded', () => {
    const cache = cacheOf({ maxEntries: 1 });
    const heard = vi.fn<() => void>();
    const stop = cache.on('evict', heard);
    const more = Array.from({ length: 150 }, () => vi.fn<() => void>());
    for (const listener of more) cache.on('evict', listener);
    cache.set('a', session('a'));
    cache.set('b', session('b'));
    stop();
    cache.set('c', session('c'));
    expect(heard).toHaveBeenCalledTimes(1);
    expect(more.filter((listener) => listener.mock.calls.length > 0)).toHaveLength(99);
  });
});
