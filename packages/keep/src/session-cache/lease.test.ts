import { FakeClock } from '@plimsoll/core/internal/sense/fake-clock';
import { describe, expect, test, vi } from 'vitest';
import type { Session } from './cache.fixture.ts';
import { cacheOf, session, metered, later } from './cache.fixture.ts';

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
        if (signal !== undefined) return session(id);
        signal = info.signal;
        return new Promise<Session>((_, reject) => {
          info.signal.addEventListener('abort', () => reject(info.signal.reason as Error));
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
    expect(report.stack).toContain('lease.test.ts');
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
