import { open as openScope } from '@plimsoll/core';
import { FakeClock } from '@plimsoll/core/internal/sense/fake-clock';
import { slots } from '@plimsoll/core/internal/slots';
import { Meter } from '@plimsoll/core/meter';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { keepers } from '@plimsoll/core/keeper';
import { SessionCache, storeOf } from './session-cache.ts';
import type { Session } from './cache.fixture.ts';
import { cacheOf, session, metered, later } from './cache.fixture.ts';

async function floor(): Promise<number> {
  for (let i = 0; i < 4; i++) {
    await later();
    globalThis.gc?.();
  }
  return process.memoryUsage().heapUsed;
}

test('while the next life takes over, sessions that begin or are used here are noted for it', () => {
  const noted: string[] = [];
  slots().handover = { servers: new Set(), claimed: (id) => void noted.push(id) };
  onTestFinished(() => {
    delete slots().handover;
  });
  const cache = new SessionCache<object>({ maxEntries: 10 });
  cache.set('begins', {});
  cache.tryAcquire('begins')?.release();
  expect(noted).toEqual(['begins', 'begins']);
});

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
      policy: 'lru',
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
    storeOf(cache).idle.floor = 1000;
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
