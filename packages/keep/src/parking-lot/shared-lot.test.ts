import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { KeeperClock } from '../clock.ts';
import { SessionCache } from '../session-cache/session-cache.ts';
import type { SessionCacheOptions } from '../session-cache/settings.ts';
import { encodeParked } from './parked-form.ts';
import { PostgresLot } from './postgres-lot.ts';
import { RedisLot } from './redis-lot.ts';
import { ScriptedRedis } from './redis.fixture.ts';
import { sharedLotPromises } from './shared-lot.fixture.ts';

describe('RedisLot', () => {
  let redis: ScriptedRedis;
  beforeEach(() => {
    redis = new ScriptedRedis();
    vi.spyOn(redis, 'now', 'get').mockImplementation(() => Date.now());
  });
  afterEach(() => vi.restoreAllMocks());
  sharedLotPromises((options) => new RedisLot({ client: redis, ...options }));
});

/** A clock of the process and of the server that tests move by hand. */
class HandClock implements KeeperClock {
  readonly redis = new ScriptedRedis();
  #ms = 0;
  readonly #timers = new Map<() => void, number>();

  now(): number {
    return this.redis.now;
  }

  monotonic(): number {
    return this.#ms;
  }

  after(ms: number, callback: () => void): () => void {
    this.#timers.set(callback, this.#ms + ms);
    return () => this.#timers.delete(callback);
  }

  /** Lets time pass without a timer being heard, as in a process that is stopped. */
  pass(ms: number): void {
    this.#ms += ms;
    this.redis.now += ms;
  }

  /** Lets time pass in steps, with timers and what they start. */
  async run(ms: number): Promise<void> {
    for (let left = ms; left > 0; left -= 1000) {
      this.pass(Math.min(left, 1000));
      for (const [callback, at] of this.#timers)
        if (at <= this.#ms) {
          this.#timers.delete(callback);
          callback();
        }
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
}

describe('a cache with a shared lot', () => {
  let clock: HandClock;
  let lot: RedisLot;
  const options = (
    more: Partial<SessionCacheOptions<{ n: number }>> = {},
  ): SessionCacheOptions<{ n: number }> => ({
    maxEntries: 9,
    park: lot,
    clock,
    open: () => ({ n: 0 }),
    ...more,
  });

  beforeEach(() => {
    clock = new HandClock();
    lot = new RedisLot({ client: clock.redis, claim: '30s' });
  });

  test('claims are renewed while sessions are in memory and given up when they are not', async () => {
    const cache = new SessionCache(options());
    (await cache.acquire('a')).release();
    const fence = cache.fence('a');
    await clock.run(120_000);
    expect(cache.fence('a')).toBe(fence);
    await cache.drain();
    expect(cache.fence('a')).toBeUndefined();
    await expect(lot.claim('a', 'other')).resolves.toMatchObject({ form: expect.any(Buffer) as Buffer });
  });

  test('a process that was stopped finds its sessions lost before it reads them', async () => {
    const events: unknown[] = [];
    const disposed: string[] = [];
    const stopped = new SessionCache(options({ dispose: (_value, info) => void disposed.push(info.reason) }));
    stopped.on('lost', (event) => events.push(event));
    const lease = await stopped.acquire('a');
    (await stopped.acquire('b')).release();
    (await stopped.acquire('c')).release();
    expect(lease.value).toEqual({ n: 0 });
    clock.pass(30_000);
    const other = new SessionCache(options());
    const taken = await other.acquire('a');
    expect(() => lease.value).toThrowError(/lease of "a" was revoked/);
    expect(lease.active).toBe(false);
    expect(stopped.get('b')).toBeUndefined();
    expect(() => stopped.set('c', { n: 9 })).toThrowError(/"c" is not claimed by this process/);
    expect(() => stopped.set('d', { n: 9 })).toThrowError(/PLM_KEEP_NOT_CLAIMED|not claimed/);
    expect(disposed).toEqual(['lost', 'lost', 'lost']);
    expect(events).toHaveLength(3);
    expect(String((events[0] as { error: unknown }).error)).toMatchInlineSnapshot(`
      "PLM_KEEP_CLAIM_LOST: the claim on "a" was lost: another process may hold it.
        at:  parking lot plimsoll:{parked}: in Redis
        fix: acquire the session again; raise the claim time of the parking lot if the process or the lot is away for this long in normal operation."
    `);
    taken.release();
    await stopped.drain();
    await other.drain();
  });

  test('a lot that does not answer costs the sessions when their claims run out, not before', async () => {
    const cache = new SessionCache(options());
    const lease = await cache.acquire('a');
    clock.redis.failing = new Error('connection refused');
    await clock.run(29_000);
    expect(lease.active).toBe(true);
    await clock.run(3000);
    expect(lease.active).toBe(false);
    await expect(cache.acquire('a')).rejects.toThrowError('connection refused');
    clock.redis.failing = undefined;
    (await cache.acquire('a')).release();
    await cache.drain();
  });

  test('a renewal that another process outran ends the session at once', async () => {
    const cache = new SessionCache(options());
    const lease = await cache.acquire('a');
    await lot.remove('a', cache.fence('a'));
    await lot.claim('a', 'other');
    await clock.run(11_000);
    expect(lease.active).toBe(false);
    await cache.drain();
    await expect(lot.claim('a', 'third')).rejects.toThrowError(/is held by other/);
  });

  test('a claim taken by an opening that came too late is not used', async () => {
    let ready: (() => void) | undefined;
    const cache = new SessionCache(
      options({ open: () => new Promise((resolve) => (ready = () => resolve({ n: 1 }))) }),
    );
    const waiting = cache.acquire('a');
    waiting.catch(() => {});
    await vi.waitFor(() => expect(ready).toBeDefined());
    clock.pass(31_000);
    ready?.();
    await expect(waiting).rejects.toThrowError(
      expect.objectContaining({ code: 'PLM_KEEP_CLAIM_LOST' }) as Error,
    );
    expect(cache.has('a')).toBe(false);
    await cache.drain();
  });

  test('an opening that fails or is closed leaves no claim behind', async () => {
    const failing = new SessionCache(options({ open: () => Promise.reject(new Error('no model')) }));
    await expect(failing.acquire('a')).rejects.toThrowError('no model');
    await expect(lot.claim('a', 'other')).resolves.toMatchObject({ form: undefined });
    let ready: (() => void) | undefined;
    const slow = new SessionCache(
      options({ open: () => new Promise((resolve) => (ready = () => resolve({ n: 1 }))) }),
    );
    const waiting = slow.acquire('b');
    waiting.catch(() => {});
    await vi.waitFor(() => expect(ready).toBeDefined());
    const closing = slow.close('b');
    ready?.();
    expect(await closing).toBe('closed');
    await expect(lot.claim('b', 'other')).resolves.toMatchObject({ form: undefined });
    await failing.drain();
    await slow.drain();
  });

  test('a leased session that is closed stays claimed until its lease ends', async () => {
    const cache = new SessionCache(options());
    const lease = await cache.acquire('a');
    expect(await cache.close('a')).toBe('leased');
    await expect(lot.claim('a', 'other')).rejects.toThrowError(/is held by/);
    lease.release();
    await vi.waitFor(() => lot.claim('a', 'other'));
    await cache.drain();
  });

  test('an over-aged session is over for all; a replaced one keeps its claim', async () => {
    const cache = new SessionCache(options({ maxAge: '60s', sweep: '5s' }));
    (await cache.acquire('a')).release();
    await cache.shed({ bytes: 1 });
    (await cache.acquire('a')).release();
    const fresh = await cache.replace('a', () => ({ n: 7 }));
    expect(fresh.value.n).toBe(7);
    fresh.release();
    await clock.run(90_000);
    expect(cache.size).toBe(0);
    await vi.waitFor(async () => expect(await lot.get('a')).toBeUndefined());
    await cache.drain();
  });

  test('a damaged copy is opened afresh and stays until the session is parked again', async () => {
    const form = Buffer.from(await encodeParked('a', { n: 5 }));
    form[form.length - 1] = (form.at(-1) as number) ^ 1;
    await lot.put('a', form);
    const cache = new SessionCache(options());
    const lease = await cache.acquire('a');
    expect(lease.value.n).toBe(0);
    expect(Buffer.from((await lot.get('a')) as Uint8Array)).toEqual(form);
    lease.release();
    await cache.drain();
    const next = new SessionCache(options());
    (await next.acquire('a')).release();
    expect(next.stats().restored).toBe(1);
    await next.drain();
  });

  test('a session that cannot be parked is released with its older copy', async () => {
    let canFreeze = true;
    const freeze = (value: { n: number }): object => {
      if (canFreeze) return value;
      throw new Error('cannot freeze');
    };
    const cache = new SessionCache(options({ disposeRetries: 0, freeze }));
    const failed = vi.fn<(event: object) => void>();
    cache.on('park-failed', failed);
    (await cache.acquire('a')).release();
    await cache.shed({ bytes: 1 });
    const lease = await cache.acquire('a');
    lease.value.n = 8;
    lease.release();
    canFreeze = false;
    await cache.shed({ bytes: 1 });
    expect(failed).toHaveBeenCalledTimes(1);
    const other = new SessionCache(options());
    const older = await vi.waitFor(() => other.acquire('a'));
    expect(older.value.n).toBe(0);
    older.release();
    await other.drain();
    await cache.drain();
  });
});

test('options that cannot be meant are refused', () => {
  const client = { query: () => Promise.resolve({ rows: [] }) };
  expect(() => new PostgresLot({ client, table: 'a; drop' })).toThrowError(/table/);
  expect(() => new PostgresLot({ client: {} as never })).toThrowError(/client/);
  expect(() => new RedisLot({ client: {} as never })).toThrowError(/client/);
  expect(() => new RedisLot({ client: new ScriptedRedis(), prefix: 'plain' })).toThrowError(/braces/);
});
