import { open as openScope } from '@plimsoll/core';
import { FakeClock } from '@plimsoll/core/sense';
import { Meter } from '@plimsoll/core/meter';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { keepers } from '@plimsoll/core/keeper';
import { SessionCache } from './session-cache.ts';
import type { SessionCacheOptions } from './settings.ts';

interface Session {
  readonly id: string;
  readonly bytes: number;
}

const made: SessionCache<never>[] = [];

function cacheOf<V = Session>(options: SessionCacheOptions<V>): SessionCache<V> {
  const cache = new SessionCache<V>(options);
  made.push(cache as unknown as SessionCache<never>);
  return cache;
}

afterEach(async () => {
  for (const cache of made.splice(0)) await cache.drain(1);
});

const session = (id: string, bytes = 100): Session => ({ id, bytes });
const metered = { meter: (value: Session) => value } as const;
const later = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('bad input', () => {
  test('a cache without a bound is refused, naming the options', () => {
    expect(() => new SessionCache({ idle: '5m' })).toThrowErrorMatchingInlineSnapshot(
      `[PlimsollError: a SessionCache needs a bound and got none.]`,
    );
    let text = '';
    try {
      void new SessionCache({});
    } catch (error) {
      text = String(error);
    }
    expect(text).toMatchInlineSnapshot(`
      "PLM_KEEP_UNBOUNDED: a SessionCache needs a bound and got none.
        at:  new SessionCache(options)
        fix: set at least one of maxBytes, maxEntries."
    `);
  });

  test.each([
    [{ maxBytes: Number.NaN }],
    [{ maxBytes: -1 }],
    [{ maxBytes: Number.POSITIVE_INFINITY }],
    [{ maxBytes: '64' }],
    [{ maxEntries: 1.5 }],
    [{ maxEntries: 0 }],
    [{ maxEntries: 2, idle: 'soon' }],
    [{ maxEntries: 2, maxAge: -5 }],
    [{ maxEntries: 2, disposeRetries: -1 }],
    [{ maxEntries: 2, leaseStacks: 0 }],
    [{ maxEntries: 2, policy: 'fifo' as 'lru' }],
    [{ maxEntries: 2, policy: 'arc' as const, tenant: () => 'a' }],
    [{ maxEntries: 2, dispose: 'no' as unknown as () => void }],
  ])('an option that cannot be meant is refused: %o', (options) => {
    expect(() => new SessionCache(options)).toThrowError(
      expect.objectContaining({ code: 'PLM_KEEP_BAD_OPTION' }) as Error,
    );
  });

  test('ids are non-empty strings', async () => {
    const cache = cacheOf({ maxEntries: 2 });
    const code = expect.objectContaining({ code: 'PLM_KEEP_BAD_KEY' }) as Error;
    expect(() => cache.set(7 as unknown as string, session('7'))).toThrowError(code);
    await expect(cache.acquire('')).rejects.toThrowError(code);
    expect(cache.get(7 as unknown as string)).toBeUndefined();
  });

  test('a value whose getters throw is measured and kept', () => {
    const cache = cacheOf<object>({ maxBytes: '1MiB' });
    const value = {
      get boom(): never {
        throw new Error('do not touch');
      },
    };
    cache.set('a', value);
    expect(cache.peek('a')).toBe(value);
    expect(cache.stats().bytes).toBeGreaterThan(0);
  });

  test('a shed needs bytes', async () => {
    await expect(cacheOf({ maxEntries: 1 }).shed({ bytes: Number.NaN })).rejects.toThrowError(/bytes is NaN/);
  });
});

describe('bounds', () => {
  test('the least recently used leaves first, by entries and by bytes', () => {
    const gone: string[] = [];
    const cache = cacheOf({
      ...metered,
      maxEntries: 3,
      maxBytes: 350,
      dispose: (value) => void gone.push(value.id),
    });
    for (const id of ['a', 'b', 'c']) cache.set(id, session(id));
    cache.get('a');
    cache.set('d', session('d'));
    expect(gone).toEqual(['b']);
    cache.set('e', session('e', 250));
    expect(gone).toEqual(['b', 'c', 'a']);
    expect(cache.stats()).toMatchObject({ entries: 2, bytes: 350, evicted: 3, hits: 1 });
  });

  test('an entry larger than the bound stays alone and is reported', () => {
    const cache = cacheOf({ ...metered, maxBytes: 100 });
    const over = vi.fn<(event: object) => void>();
    cache.on('overcommit', over);
    cache.set('small', session('small', 60));
    cache.set('large', session('large', 300));
    expect(cache.has('small')).toBe(false);
    expect(over).toHaveBeenCalledExactlyOnceWith({ bytes: 300, leasedBytes: 0, entries: 1 });
    cache.set('next', session('next', 50));
    expect(cache.stats()).toMatchObject({ entries: 1, bytes: 50 });
  });

  test('values that grow are noticed at use, at release and by the sweep', () => {
    const clock = new FakeClock();
    const cache = cacheOf<{ meter: Meter }>({
      maxBytes: 30_000,
      meter: (value) => value.meter,
      clock,
      sweep: 100,
    });
    const values = ['a', 'b', 'c'].map((id) => {
      const value = { meter: new Meter() };
      cache.set(id, value);
      return value;
    });
    const grow = (value: { meter: Meter }): void => {
      for (let i = 0; i < 60; i++) value.meter.append({ role: 'user', content: 'x'.repeat(100) });
    };
    grow(values[0] as { meter: Meter });
    clock.advance(60);
    expect(cache.stats().bytes).toBeGreaterThan(8000);
    grow(values[1] as { meter: Meter });
    cache.get('b');
    expect(cache.stats().bytes).toBeGreaterThan(17_000);
    const lease = cache.tryAcquire('c');
    grow(values[2] as { meter: Meter });
    lease?.release();
    expect(cache.stats().bytes).toBeLessThanOrEqual(30_000);
    expect(cache.has('a')).toBe(false);
  });

  test('without a meter, a value is measured again when its lease ends, a large one by the next sweep', () => {
    const clock = new FakeClock();
    const cache = cacheOf<string[]>({ maxBytes: '1MiB', clock, sweep: 100 });
    cache.set('small', ['x'.repeat(100)]);
    cache.set('large', ['y'.repeat(50_000)]);
    const before = cache.stats().bytes;
    const small = cache.tryAcquire('small');
    small?.value.push('z'.repeat(1000));
    small?.release();
    expect(cache.stats().bytes - before).toBeGreaterThanOrEqual(1000);
    const large = cache.tryAcquire('large');
    large?.value.push('z'.repeat(10_000));
    large?.release();
    const between = cache.stats().bytes;
    clock.advance(100);
    expect(cache.stats().bytes - between).toBeGreaterThanOrEqual(10_000);
  });

  test('a meter that throws or lies is reported and the value measured instead', () => {
    const cache = cacheOf<string>({
      maxBytes: 10_000,
      meter: (value) => {
        if (value === 'throws') throw new Error('no');
        return { bytes: Number.NaN };
      },
    });
    const failed = vi.fn<(event: object) => void>();
    cache.on('hook-failed', failed);
    cache.set('a', 'throws');
    cache.set('b', 'a value of some length');
    expect(failed).toHaveBeenCalledTimes(2);
    expect(cache.stats().bytes).toBe(40);
  });

  test('a meter that fails later keeps its last reading', () => {
    let isBroken = false;
    const cache = cacheOf<object>({
      maxBytes: 10_000,
      meter: () => ({
        get bytes() {
          if (isBroken) throw new Error('gone');
          return 70;
        },
      }),
    });
    cache.set('a', {});
    isBroken = true;
    cache.get('a');
    expect(cache.stats()).toMatchObject({ bytes: 70, hookFailures: 1 });
  });
});

describe('time', () => {
  test('idle entries leave after their time, never before, and at most one sweep late', () => {
    const clock = new FakeClock();
    const cache = cacheOf({ maxEntries: 10, idle: '10s', sweep: '1s', clock });
    cache.set('a', session('a'));
    clock.advance(9000);
    expect(cache.get('a')).toBeDefined();
    clock.advance(10_000);
    expect(cache.has('a')).toBe(true);
    clock.advance(1001);
    expect(cache.has('a')).toBe(false);
    expect(cache.stats()).toMatchObject({ expired: 1, entries: 0 });
  });

  test('an old entry leaves however much it is used, once nobody leases it', async () => {
    const clock = new FakeClock();
    const cache = cacheOf({
      maxEntries: 10,
      idle: '10s',
      maxAge: '30s',
      sweep: '1s',
      clock,
      open: (id) => session(id),
    });
    const lease = await cache.acquire('a');
    for (let i = 0; i < 40; i++) {
      clock.advance(1000);
      cache.get('a');
    }
    expect(lease.value.id).toBe('a');
    lease.release();
    expect(cache.has('a')).toBe(false);
    cache.set('b', session('b'));
    for (let i = 0; i < 32; i++) {
      clock.advance(1000);
      cache.get('b');
    }
    expect(cache.has('b')).toBe(false);
  });

  test('one timer while there are entries, none when empty', () => {
    const clock = new FakeClock();
    const cache = cacheOf({ maxEntries: 10, idle: '1s', clock });
    expect(clock.waiting).toBe(0);
    for (const id of ['a', 'b', 'c']) cache.set(id, session(id));
    expect(clock.waiting).toBe(1);
    clock.advance(3000);
    expect(cache.size).toBe(0);
    expect(clock.waiting).toBe(0);
  });

  test('an expired entry is no hit, even before the sweep takes it', () => {
    const clock = new FakeClock();
    const cache = cacheOf({ maxEntries: 10, idle: '1s', sweep: '500ms', clock });
    cache.set('a', session('a'));
    cache['store'].idle.floor = 1000;
    expect(cache.get('a')).toBeUndefined();
    expect(cache.stats()).toMatchObject({ misses: 1, expired: 1 });
  });

  test('the timer does not keep the process alive', async () => {
    const cache = cacheOf({ maxEntries: 10, idle: '1h' });
    cache.set('a', session('a'));
    expect(process.getActiveResourcesInfo()).not.toContain('PlimsollTimer');
    await cache.drain();
    expect(cache.size).toBe(0);
  });
});

describe('leases', () => {
  test('a leased entry is neither evicted, expired nor shed', async () => {
    const clock = new FakeClock();
    const disposed: string[] = [];
    const cache = cacheOf({
      ...metered,
      maxBytes: 150,
      idle: '1s',
      clock,
      dispose: (value) => void disposed.push(value.id),
    });
    cache.set('a', session('a'));
    const lease = cache.tryAcquire('a', 'request 1');
    cache.set('b', session('b'));
    clock.advance(10_000);
    expect(await cache.shed({ bytes: 1000 })).toBe(0);
    expect(lease?.value.id).toBe('a');
    expect(disposed).toEqual(['b']);
    lease?.release();
    expect(await cache.shed({ bytes: 1 })).toBe(100);
  });

  test('a closed entry lives until its last lease ends; reading it afterwards is an error', async () => {
    const disposed: string[] = [];
    const cache = cacheOf({ maxEntries: 2, dispose: (value) => void disposed.push(value.id) });
    cache.set('a', session('a'));
    const first = cache.tryAcquire('a');
    const second = cache.tryAcquire('a');
    expect(await cache.close('a', 'user-left')).toBe('leased');
    expect(cache.stats()).toMatchObject({ entries: 0, doomedEntries: 1 });
    first?.release();
    expect(disposed).toEqual([]);
    second?.release();
    second?.release();
    expect(disposed).toEqual(['a']);
    expect(() => first?.value).toThrowErrorMatchingInlineSnapshot(
      `[PlimsollError: the lease of "a" was released; its value may be gone.]`,
    );
    expect(first?.active).toBe(false);
  });

  test('using and await using release', async () => {
    const cache = cacheOf({ maxEntries: 2, open: (id) => session(id) });
    const lease = await cache.acquire('a');
    const again = cache.tryAcquire('a');
    expect(again?.value).toBe(lease.value);
    expect(cache.stats().leasedEntries).toBe(1);
    await (lease as { [Symbol.asyncDispose](): Promise<void> })[Symbol.asyncDispose]();
    again?.[Symbol.dispose]();
    expect(cache.stats().leasedEntries).toBe(0);
  });

  test('many callers share one opening, and each has a lease before anything can be disposed', async () => {
    const open = vi.fn<(id: string) => Promise<Session>>(async (id) => {
      await later();
      return session(id);
    });
    const cache = cacheOf({ maxEntries: 1, open });
    const leases = await Promise.all(Array.from({ length: 20 }, () => cache.acquire('a')));
    expect(open).toHaveBeenCalledTimes(1);
    cache.set('b', session('b'));
    cache.set('c', session('c'));
    expect(leases.every((lease) => lease.value.id === 'a')).toBe(true);
    for (const lease of leases) lease.release();
  });

  test('a caller that aborts leaves alone; the last one aborts the opening', async () => {
    let signal: AbortSignal | undefined;
    const cache = cacheOf({
      maxEntries: 2,
      open: (id, info) => {
        signal = info.signal;
        return new Promise<Session>((resolve, reject) => {
          info.signal.addEventListener('abort', () => reject(info.signal.reason as Error));
          setTimeout(() => resolve(session(id)), 50).unref();
        });
      },
    });
    const one = new AbortController();
    const two = new AbortController();
    const first = cache.acquire('a', { signal: one.signal, owner: 'one' });
    const second = cache.acquire('a', { signal: two.signal, owner: 'two' });
    await later();
    one.abort(new Error('client left'));
    await expect(first).rejects.toThrowError('client left');
    expect(signal?.aborted).toBe(false);
    two.abort(new Error('client left too'));
    await expect(second).rejects.toThrowError('client left too');
    expect(signal?.aborted).toBe(true);
    await expect(cache.acquire('a', { signal: AbortSignal.abort(new Error('early')) })).rejects.toThrowError(
      'early',
    );
    const lease = await cache.acquire('a');
    expect(lease.value.id).toBe('a');
    lease.release();
  });

  test('an opening that fails reaches every caller and can be tried again', async () => {
    let isDown = true;
    const cache = cacheOf({
      maxEntries: 2,
      open: (id) => {
        if (isDown) throw new Error('database is down');
        return session(id);
      },
    });
    const both = await Promise.allSettled([cache.acquire('a'), cache.acquire('a')]);
    expect(both.map((result) => result.status)).toEqual(['rejected', 'rejected']);
    isDown = false;
    (await cache.acquire('a')).release();
    expect(cache.stats()).toMatchObject({ entries: 1, opening: 0 });
  });

  test('closing an id that is being opened cancels the opening and disposes what it delivers', async () => {
    const disposed: string[] = [];
    let deliver: (value: Session) => void = () => {};
    const cache = cacheOf({
      maxEntries: 2,
      open: () => new Promise<Session>((resolve) => (deliver = resolve)),
      dispose: (value, { reason }) => void disposed.push(`${value.id} ${reason}`),
    });
    const waiting = cache.acquire('a');
    await later();
    expect(await cache.close('a', 'user-left')).toBe('closed');
    await expect(waiting).rejects.toThrowErrorMatchingInlineSnapshot(
      `[PlimsollError: "a" was closed while it was being opened (user-left).]`,
    );
    deliver(session('a'));
    await later();
    expect(disposed).toEqual(['a cancelled']);
    expect(cache.size).toBe(0);
  });

  test('a value set while the id is being opened wins', async () => {
    const disposed: string[] = [];
    let deliver: (value: Session) => void = () => {};
    const cache = cacheOf({
      maxEntries: 2,
      open: () => new Promise<Session>((resolve) => (deliver = resolve)),
      dispose: (value, { reason }) => void disposed.push(`${value.bytes} ${reason}`),
    });
    const waiting = cache.acquire('a');
    await later();
    cache.set('a', session('a', 1));
    deliver(session('a', 2));
    const lease = await waiting;
    expect(lease.value.bytes).toBe(1);
    expect(disposed).toEqual(['2 superseded']);
    lease.release();
  });

  test('without an open option a missing id is an error', async () => {
    await expect(cacheOf({ maxEntries: 2 }).acquire('a')).rejects.toThrowErrorMatchingInlineSnapshot(
      `[PlimsollError: "a" is not kept and the cache has no "open" option to make it.]`,
    );
  });

  test('a lease held for long is reported once, with its owner and where it was taken', async () => {
    const clock = new FakeClock();
    const cache = cacheOf({ maxEntries: 5, clock, sweep: '1s', leaseWarning: '1m', leaseStacks: true });
    const held = vi.fn<(event: object) => void>();
    cache.on('lease-held-long', held);
    cache.set('a', session('a'));
    const lease = cache.tryAcquire('a', 'request 17');
    clock.advance(60_000);
    expect(held).not.toHaveBeenCalled();
    clock.advance(60_000);
    expect(held).toHaveBeenCalledTimes(1);
    const report = held.mock.calls[0]?.[0] as { id: string; owner: string; heldMs: number; stack: string };
    expect(report).toMatchObject({ id: 'a', owner: 'request 17' });
    expect(report.heldMs).toBeGreaterThan(60_000);
    expect(report.stack).toContain('session-cache.test.ts');
    expect(cache.leases()).toMatchObject([{ id: 'a', owner: 'request 17' }]);
    lease?.release();
    expect(cache.leases()).toEqual([]);
  });

  test('stacks can be sampled', () => {
    const cache = cacheOf({ maxEntries: 5, leaseStacks: 3 });
    cache.set('a', session('a'));
    const leases = Array.from({ length: 6 }, () => cache.tryAcquire('a'));
    expect(leases.filter((lease) => lease?.stack !== undefined)).toHaveLength(2);
    for (const lease of leases.toReversed()) lease?.release();
    expect(cache.stats().leasedEntries).toBe(0);
  });
});

describe('teardown', () => {
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

describe('the keeper', () => {
  test('the scope is charged with what the cache holds, and credited by the drain', async () => {
    const scope = openScope('agent', 'planner');
    const cache = cacheOf({ ...metered, maxBytes: '1MiB', scope });
    cache.set('a', session('a', 500_000));
    cache.sweep();
    expect(scope.account.held).toBe(500_000);
    expect(cache.bytes).toBe(500_000);
    await cache.shed({ bytes: 1 });
    expect(scope.account.held).toBe(0);
    cache.set('b', session('b', 70_000));
    await cache.drain();
    expect(scope.account.held).toBe(0);
    await scope.close();
  });

  test('the roster knows it until it is drained', async () => {
    const cache = cacheOf({ maxEntries: 1, name: 'known' });
    const isListed = (): boolean => keepers().some((keeper) => keeper.name === 'known');
    expect(isListed()).toBe(true);
    await cache.drain();
    expect(isListed()).toBe(false);
  });

  test('a shed can be bounded in sessions and take the largest of the coldest first', async () => {
    const cache = cacheOf({ maxBytes: 1e6, ...metered });
    cache.set('cold', session('cold', 10));
    cache.set('big', session('big', 5000));
    for (let i = 0; i < 20; i++) cache.set(`warm ${i}`, session(`warm ${i}`, 9000));
    expect(await cache.shed({ bytes: 1e6, atMost: 1, order: 'idle' })).toBe(10);
    expect(cache.has('cold')).toBe(false);
    const freed = await cache.shed({ bytes: 1e6, atMost: 2, order: 'idle-x-size' });
    expect(freed).toBe(18_000);
    expect(cache.has('big')).toBe(true);
    expect(cache.has('warm 19')).toBe(true);
  });

  test('idle timeouts shrink while memory is short and come back', () => {
    const clock = new FakeClock();
    const cache = cacheOf({ maxEntries: 10, idle: '100s', sweep: '1s', clock, ...metered });
    cache.set('a', session('a'));
    cache.scaleIdle(0.1);
    cache.scaleIdle(Number.NaN);
    clock.advance(20_000);
    expect(cache.has('a')).toBe(false);
    cache.scaleIdle(1);
    cache.set('b', session('b'));
    clock.advance(20_000);
    expect(cache.has('b')).toBe(true);
  });

  test('pressure sheds the coldest first', async () => {
    const cache = cacheOf({ ...metered, maxBytes: 1000 });
    for (const id of ['a', 'b', 'c', 'd']) cache.set(id, session(id));
    cache.get('a');
    expect(await cache.shed({ bytes: 150, reason: 'level critical' })).toBe(200);
    expect(['a', 'b', 'c', 'd'].filter((id) => cache.has(id))).toEqual(['a', 'd']);
  });

  test('a drain ends leases at the deadline and says whose they were', async () => {
    const disposed: string[] = [];
    const cache = cacheOf({
      maxEntries: 5,
      open: (id) => session(id),
      dispose: (value, { reason }) => void disposed.push(`${value.id} ${reason}`),
    });
    const lease = await cache.acquire('a', { owner: 'forgotten' });
    cache.set('b', session('b'));
    const report = await cache.drain(20);
    expect(report.revoked).toMatchObject([{ id: 'a', owner: 'forgotten' }]);
    expect(disposed).toEqual(['b drain', 'a drain']);
    expect(() => lease.value).toThrowError(/was revoked/);
    lease.release();
    expect(disposed).toHaveLength(2);
    await expect(cache.acquire('c')).rejects.toThrowErrorMatchingInlineSnapshot(
      `[PlimsollError: acquire was called on a keeper that is closed.]`,
    );
    expect(() => cache.set('c', session('c'))).toThrowError(/closed/);
    expect(cache.tryAcquire('a')).toBeUndefined();
    expect(await cache.drain()).toBe(report);
    expect(await cache.close('a')).toBe('absent');
  });

  test('await using drains', async () => {
    const disposed: string[] = [];
    const cache = cacheOf({ maxEntries: 5, dispose: (value) => void disposed.push(value.id) });
    cache.set('a', session('a'));
    await cache[Symbol.asyncDispose]();
    expect(disposed).toEqual(['a']);
  });

  test('a drain waits for openings that ignore their signal, up to its deadline', async () => {
    let deliver: (value: Session) => void = () => {};
    const cache = cacheOf({
      maxEntries: 5,
      open: () => new Promise<Session>((resolve) => (deliver = resolve)),
    });
    const waiting = cache.acquire('a');
    await later();
    const drained = cache.drain(5000);
    await expect(waiting).rejects.toThrowError(/drain/);
    deliver(session('a'));
    expect((await drained).revoked).toEqual([]);
  });

  test('a mass expiry is spread over several turns', () => {
    const clock = new FakeClock();
    const cache = cacheOf<number>({
      maxEntries: 1000,
      idle: '1s',
      clock,
      dispose: () => {
        const until = performance.now() + 0.5;
        while (performance.now() < until);
      },
    });
    for (let i = 0; i < 300; i++) cache.set(String(i), i);
    clock.advance(1120);
    const first = cache.size;
    expect(first).toBeGreaterThan(100);
    clock.advance(50);
    expect(cache.size).toBe(0);
  });
});

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

describe('memory', () => {
  test('closed sessions are gone: nothing of them is left in the heap', async () => {
    const cache = cacheOf<{ data: string[] }>({
      maxEntries: 10_000,
      open: (id) => ({ data: [id.repeat(100)] }),
    });
    const ids = Array.from({ length: 2000 }, (_, i) => `session ${i}`);
    const refs: WeakRef<object>[] = [];
    const before = await floor();
    for (const id of ids) {
      const lease = await cache.acquire(id);
      if (refs.length < 200) refs.push(new WeakRef(lease.value));
      lease.release();
    }
    const full = await floor();
    expect(full - before).toBeGreaterThan(1_500_000);
    for (const id of ids) await cache.close(id);
    const after = await floor();
    expect(refs.filter((ref) => ref.deref() !== undefined)).toHaveLength(0);
    expect(after - before).toBeLessThan((full - before) / 5);
  });
});

async function floor(): Promise<number> {
  for (let i = 0; i < 4; i++) {
    await later();
    globalThis.gc?.();
  }
  return process.memoryUsage().heapUsed;
}
