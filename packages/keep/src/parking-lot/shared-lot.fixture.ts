import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { SessionCache } from '../session-cache/session-cache.ts';
import type { SharedLot } from './parking-lot.ts';

interface Options {
  readonly claim?: number | string;
  readonly keep?: number | string;
  readonly maxBytes?: number | string;
}

const held = expect.objectContaining({ code: 'PLM_KEEP_HELD_ELSEWHERE' }) as Error;
const lost = expect.objectContaining({ code: 'PLM_KEEP_CLAIM_LOST' }) as Error;
const text = (form: Uint8Array | undefined): string | undefined =>
  form === undefined ? undefined : Buffer.from(form).toString();

/** Tries until it works; the machine may be busy, so nothing is said about how long it takes. */
async function until<T>(work: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await work();
    } catch {
      await sleep(20);
    }
  }
}

/** What every lot that processes share promises; each test has a lot of its own. */
export function sharedLotPromises(make: (options?: Options) => SharedLot): void {
  test('puts, gets, replaces and removes', async () => {
    const lot = make();
    expect(await lot.get('a')).toBeUndefined();
    expect(await lot.remove('a')).toBe(false);
    await lot.put('a', Buffer.from('one'));
    await lot.put('a', Buffer.from([0, 255, 13, 10]));
    await lot.put('../b\0"; drop', Buffer.from('three'));
    expect(Buffer.from((await lot.get('a')) as Uint8Array)).toEqual(Buffer.from([0, 255, 13, 10]));
    expect(text(await lot.get('../b\0"; drop'))).toBe('three');
    expect(lot.label).toContain('parking lot');
    expect(await lot.remove('a')).toBe(true);
    expect(await lot.get('a')).toBeUndefined();
    await expect(make({ maxBytes: 10 }).put('e', Buffer.alloc(11))).rejects.toThrowError(
      expect.objectContaining({ code: 'PLM_KEEP_PARK_TOO_LARGE' }) as Error,
    );
    await lot.close();
  });

  test('one holder at a time; the holder itself may claim again', async () => {
    const lot = make();
    await lot.put('a', Buffer.from('state'));
    const first = await lot.claim('a', 'pod-1:7#x');
    expect(text(first.form)).toBe('state');
    await expect(lot.claim('a', 'pod-2:7#y')).rejects.toThrowError(held);
    await expect(lot.claim('a', 'pod-2:7#y')).rejects.toThrowError(/"a" is held by pod-1:7, whose claim/);
    await expect(lot.put('a', Buffer.from('by nobody'))).rejects.toThrowError(held);
    await expect(lot.remove('a')).rejects.toThrowError(held);
    const again = await lot.claim('a', 'pod-1:7#x');
    expect(again.fence).toBeGreaterThan(first.fence);
    await expect(lot.put('a', Buffer.from('old'), first.fence)).rejects.toThrowError(lost);
    expect(await lot.remove('a', first.fence)).toBe(false);
    await lot.put('a', Buffer.from('newer'), again.fence);
    expect(text((await lot.claim('a', 'pod-2:7#y')).form)).toBe('newer');
  });

  test('a claim is renewed by its fence, and released with the copy left in place', async () => {
    const lot = make();
    await lot.put('a', Buffer.from('state'));
    const a = await lot.claim('a', 'one');
    const b = await lot.claim('b', 'one');
    expect(b.form).toBeUndefined();
    const asked = new Map([
      ['a', a.fence],
      ['b', b.fence],
      ['c', 1],
      ['d', a.fence],
    ]);
    expect([...(await lot.renew(asked))].sort()).toEqual(['a', 'b']);
    await lot.release('a', a.fence);
    await lot.release('b', b.fence);
    await lot.release('b', b.fence);
    expect([...(await lot.renew(asked))]).toEqual([]);
    expect(text(await lot.get('a'))).toBe('state');
    expect(await lot.remove('a')).toBe(true);
  });

  test('a claim that is not renewed ends, and its holder writes no more', async () => {
    const lot = make({ claim: 40 });
    await lot.put('a', Buffer.from('state'));
    const dead = await lot.claim('a', 'dead');
    const next = await until(() => lot.claim('a', 'alive'));
    expect(text(next.form)).toBe('state');
    expect(next.fence).toBeGreaterThan(dead.fence);
    await expect(lot.put('a', Buffer.from('late'), dead.fence)).rejects.toThrowError(lost);
    expect([...(await lot.renew(new Map([['a', dead.fence]])))]).toEqual([]);
    expect(await lot.remove('a', dead.fence)).toBe(false);
    // A row that was removed and made again has no fence of an earlier life.
    await lot.remove('a', next.fence);
    const fresh = await lot.claim('a', 'third');
    expect(fresh.fence).toBeGreaterThan(next.fence);
    expect(fresh.form).toBeUndefined();
  });

  test('a parked session expires, and bytes are counted and bounded', async () => {
    const brief = make({ keep: 30 });
    await brief.put('a', Buffer.from('state'));
    await until(async () => {
      if ((await brief.get('a')) !== undefined) throw new Error('not yet');
    });
    expect((await brief.claim('a', 'one')).form).toBeUndefined();
    const lot = make({ maxBytes: 1000 });
    for (const id of ['p', 'q']) {
      await lot.put(id, Buffer.alloc(300));
      await sleep(3);
    }
    expect(lot.bytes ?? 0).toBeGreaterThanOrEqual(300);
    expect(lot.size ?? 0).toBeGreaterThanOrEqual(1);
  });

  test('a cache on each of two pods: one opens, the other is refused, and gets the session when it is parked', async () => {
    const lot = make();
    const pod = (): SessionCache<{ turns: string[] }> =>
      new SessionCache<{ turns: string[] }>({ maxEntries: 9, park: lot, open: () => ({ turns: [] }) });
    const [one, two] = [pod(), pod()];
    const lease = await one.acquire('42');
    lease.value.turns.push('hello');
    await expect(two.acquire('42')).rejects.toThrowError(held);
    await expect(two.close('42')).rejects.toThrowError(held);
    expect(two.fence('42')).toBeUndefined();
    const fence = one.fence('42') as number;
    lease.release();
    await one.shed({ bytes: 1 });
    const other = await two.acquire('42');
    expect(other.value).toEqual({ turns: ['hello'] });
    expect(two.fence('42')).toBeGreaterThan(fence);
    other.release();
    expect(await two.close('42')).toBe('closed');
    expect(await lot.get('42')).toBeUndefined();
    expect(await one.close('42')).toBe('absent');
    await one.drain();
    await two.drain();
  });

  test('a restore that fails leaves the parked copy for another pod', async () => {
    const lot = make();
    const good = (): SessionCache<object> =>
      new SessionCache<object>({ maxEntries: 9, park: lot, open: () => ({}) });
    const first = good();
    (await first.acquire('42')).release();
    await first.drain();
    const copy = text(await lot.get('42'));
    const bad = new SessionCache<object>({
      maxEntries: 9,
      park: lot,
      open: () => ({}),
      thaw: () => {
        throw new Error('this release cannot read it');
      },
    });
    await expect(bad.acquire('42')).rejects.toThrowError('this release cannot read it');
    expect(text(await lot.get('42'))).toBe(copy);
    const second = good();
    (await second.acquire('42')).release();
    expect(second.stats().restored).toBe(1);
    await second.drain();
    await bad.drain();
  });
}
