import { mkdir, mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { SessionCache } from '../session-cache/session-cache.ts';
import { FileLot } from './file-lot.ts';
import { decodeParked, encodeParked } from './parked-form.ts';
import type { ParkingLot } from './parking-lot.ts';
import { SqliteLot } from './sqlite-lot.ts';

let dir: string;

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'plimsoll-lot-'));
});

afterEach(async () => {
  await rm(dir, { recursive: true, force: true });
});

const corrupt = expect.objectContaining({ code: 'PLM_KEEP_PARKED_CORRUPT' }) as Error;

describe('the parked form', () => {
  test('gives back what was parked', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.string({ minLength: 1 }),
        fc.anything({ withDate: true, withMap: true, withSet: true, withTypedArray: true, withBigInt: true }),
        async (id, value) => {
          expect(await decodeParked(id, await encodeParked(id, value), 'lot')).toStrictEqual(
            structuredClone(value),
          );
        },
      ),
      { numRuns: 150 },
    );
  });

  test('is at least four times smaller than text in the heap', async () => {
    const value = Array.from({ length: 1000 }, (_, i) => ({
      role: 'user',
      content: `message ${i} `.repeat(30),
    }));
    expect((await encodeParked('a', value)).byteLength * 4).toBeLessThan(JSON.stringify(value).length);
  });

  test('a form with any one byte changed is refused, or is not this id', async () => {
    const form = await encodeParked('session 1', { text: 'hello '.repeat(50) });
    for (let at = 0; at < form.byteLength; at++) {
      const broken = Uint8Array.from(form);
      broken[at] = (broken[at] as number) ^ 0x55;
      await expect(decodeParked('session 1', broken, 'lot'), `byte ${at}`).rejects.toThrowError(corrupt);
    }
    await expect(decodeParked('session 2', form, 'lot')).rejects.toThrowErrorMatchingInlineSnapshot(
      `[PlimsollError: the parked copy of "session 2" is damaged: it belongs to another id.]`,
    );
    await expect(decodeParked('session 1', form.subarray(0, 5), 'lot')).rejects.toThrowError(corrupt);
    await expect(decodeParked('session 1', form.subarray(0, 16), 'lot')).rejects.toThrowError(corrupt);
  });
});

test('a session that was never parked closes without asking the lot; an older copy goes with it', async () => {
  const asked: string[] = [];
  class Counting extends FileLot {
    override remove(id: string): Promise<boolean> {
      asked.push(id);
      return super.remove(id);
    }
  }
  const options = { dir: join(dir, 'parked') };
  await new FileLot(options).put('old', Buffer.from('of an earlier life'));
  const lot = new Counting(options);
  const cache = new SessionCache<object>({ maxEntries: 9, park: lot });
  // Until the folder was looked at nobody can know.
  cache.set('first', {});
  expect(await cache.close('first')).toBe('closed');
  await lot.close();
  for (const id of ['old', 'new']) cache.set(id, {});
  for (const id of ['old', 'new', 'elsewhere']) await cache.close(id);
  expect(asked).toEqual(['first', 'old', 'elsewhere']);
  expect(await lot.get('old')).toBeUndefined();
  await new FileLot(options).put('late', Buffer.from('parked by another process'));
  expect(lot.mayHold('late')).toBe(false);
  await lot.get('late');
  expect(lot.mayHold('late')).toBe(true);
});

describe.each([
  ['FileLot', (options?: object): ParkingLot => new FileLot({ dir: join(dir, 'parked'), ...options })],
  [
    'SqliteLot',
    (options?: object): ParkingLot => new SqliteLot({ file: join(dir, 'parked.db'), ...options }),
  ],
])('%s', (name, make) => {
  test('puts, gets, replaces and removes', async () => {
    const lot = make();
    expect(await lot.get('a')).toBeUndefined();
    expect(await lot.remove('a')).toBe(false);
    await lot.put('a', Buffer.from('one'));
    await lot.put('a', Buffer.from('two'));
    await lot.put('../b/"; drop', Buffer.from('three'));
    expect(Buffer.from((await lot.get('a')) as Uint8Array).toString()).toBe('two');
    expect(Buffer.from((await lot.get('../b/"; drop')) as Uint8Array).toString()).toBe('three');
    expect(await lot.remove('a')).toBe(true);
    expect(await lot.get('a')).toBeUndefined();
    await lot.close();
  });

  test('another process finds what was parked, and files are private', async () => {
    const lot = make();
    await lot.put('a', Buffer.from('kept'));
    await lot.close();
    const again = make();
    expect(Buffer.from((await again.get('a')) as Uint8Array).toString()).toBe('kept');
    const files = (await readdir(dir, { recursive: true, withFileTypes: true })).filter((file) =>
      file.isFile(),
    );
    expect(files.length).toBeGreaterThan(0);
    for (const file of files) expect((await stat(join(file.parentPath, file.name))).mode & 0o777).toBe(0o600);
    await again.close();
  });

  test('forgets the longest parked when it is full and refuses what is larger than itself', async () => {
    const lot = make({ maxBytes: 1000 });
    for (const id of ['a', 'b', 'c', 'd']) {
      await lot.put(id, Buffer.alloc(300));
      await new Promise((resolve) => setTimeout(resolve, 3));
    }
    expect(await lot.get('a')).toBeUndefined();
    expect((await lot.get('d'))?.byteLength).toBe(300);
    await expect(lot.put('e', Buffer.alloc(1001))).rejects.toThrowError(
      expect.objectContaining({ code: 'PLM_KEEP_PARK_TOO_LARGE' }) as Error,
    );
    await lot.close();
  });

  test('a session is parked when it goes cold and restored when it is wanted', async () => {
    const lot = make();
    const opened: string[] = [];
    const cache = new SessionCache<{ id: string; turns: string[] }>({
      maxEntries: 1,
      park: lot,
      open: (id) => {
        opened.push(id);
        return { id, turns: [] };
      },
    });
    const restored = vi.fn<(event: object) => void>();
    cache.on('restore', restored);
    const first = await cache.acquire('a');
    first.value.turns.push('hello');
    first.release();
    (await cache.acquire('b')).release();
    const second = await cache.acquire('a');
    expect(second.value).toEqual({ id: 'a', turns: ['hello'] });
    second.release();
    expect(opened).toEqual(['a', 'b']);
    expect(restored).toHaveBeenCalledTimes(1);
    expect(cache.stats()).toMatchObject({ restored: 1, entries: 1 });
    await cache.close('b');
    (await cache.acquire('b')).release();
    expect(opened).toEqual(['a', 'b', 'b']);
    await cache.drain();
    const later = new SessionCache<{ turns: string[] }>({ maxEntries: 5, park: lot });
    const lease = await later.acquire('a');
    expect(lease.value.turns).toEqual(['hello']);
    lease.release();
    expect(await later.close('a', 'user-left')).toBe('closed');
    await later.drain();
    await lot.close();
  });

  test(`a lot that cannot be opened is an error of ${name}, and is tried again`, async () => {
    await writeFile(join(dir, 'plain'), '');
    const lot =
      name === 'FileLot'
        ? new FileLot({ dir: join(dir, 'plain', 'below') })
        : new SqliteLot({ file: join(dir, 'missing', 'parked.db') });
    await expect(lot.put('a', Buffer.from('x'))).rejects.toThrowError(/ENOTDIR|ENOENT/);
    if (name === 'FileLot') return;
    await mkdir(join(dir, 'missing'));
    await lot.put('a', Buffer.from('x'));
    await lot.close();
  });
});

describe('FileLot', () => {
  test('a folder that takes no other is an error, not an endless wait', async () => {
    const lot = new FileLot({ dir: '/proc/plimsoll/parked' });
    await expect(lot.put('a', Buffer.from('form'))).rejects.toThrow(/^E[A-Z]+:/);
  });

  test('learns at start what is there, and clears what a dead process left half-written', async () => {
    const lot = new FileLot({ dir });
    await lot.put('a', Buffer.alloc(100));
    await writeFile(join(dir, 'x.parked.123.part'), 'half');
    await utimes(join(dir, 'x.parked.123.part'), 1, 1);
    const again = new FileLot({ dir, maxEntries: 1 });
    await again.put('b', Buffer.alloc(50));
    expect(again.bytes).toBe(50);
    expect(await readdir(dir)).toHaveLength(1);
    await again.close();
  });

  test('a damaged file is opened afresh by default and thrown when asked', async () => {
    const lot = new FileLot({ dir });
    await lot.put('a', await encodeParked('a', { old: true }));
    const file = join(dir, (await readdir(dir))[0] as string);
    const bytes = await readFile(file);
    bytes[bytes.length - 3] = (bytes[bytes.length - 3] as number) ^ 1;
    await writeFile(file, bytes);
    const strict = new SessionCache<object>({
      maxEntries: 2,
      park: lot,
      onCorrupt: 'throw',
      open: () => ({}),
    });
    await expect(strict.acquire('a')).rejects.toThrowError(corrupt);
    await strict.drain();
    const cache = new SessionCache<object>({ maxEntries: 2, park: lot, open: () => ({ fresh: true }) });
    const failed = vi.fn<(event: { error: unknown }) => void>();
    cache.on('restore-failed', failed);
    const lease = await cache.acquire('a');
    expect(lease.value).toEqual({ fresh: true });
    expect(String(failed.mock.calls[0]?.[0].error)).toContain('checksum differs');
    expect(await lot.get('a')).toBeUndefined();
    lease.release();
    await cache.drain();
  });
});

describe('parking that fails', () => {
  test('a value that cannot be serialised is disposed and reported', async () => {
    const lot = new FileLot({ dir });
    const disposed: string[] = [];
    const cache = new SessionCache<object>({
      maxEntries: 1,
      park: lot,
      dispose: (_value, { id }) => void disposed.push(id),
    });
    const failed = vi.fn<(event: { error: unknown }) => void>();
    cache.on('park-failed', failed);
    cache.set('a', { close: () => {} });
    expect(await cache.shed({ bytes: 1 })).toBeGreaterThan(0);
    expect(disposed).toEqual(['a']);
    expect(String(failed.mock.calls[0]?.[0].error)).toContain('PLM_KEEP_PARK_FAILED');
    expect(await readdir(dir)).toEqual([]);
    await cache.drain();
  });

  test('freeze and thaw choose what is parked', async () => {
    const lot = new FileLot({ dir });
    const cache = new SessionCache<{ text: string; close: () => void }>({
      maxEntries: 1,
      park: lot,
      freeze: (value) => value.text,
      thaw: (text) => ({ text: String(text), close: () => {} }),
    });
    cache.set('a', { text: 'hello', close: () => {} });
    await cache.shed({ bytes: 1 });
    const lease = await cache.acquire('a');
    expect(lease.value.text).toBe('hello');
    lease.release();
    await cache.drain();
  });

  test('a lot that is full, hangs or rejects costs the copy, not the cache', async () => {
    const broken: ParkingLot = {
      label: 'parking lot broken',
      put: () => Promise.reject(new Error('no space left on device')),
      get: () => Promise.reject(new Error('cannot read')),
      remove: () => Promise.reject(new Error('cannot remove')),
      close: () => Promise.resolve(),
    };
    const cache = new SessionCache<object>({
      maxEntries: 1,
      park: broken,
      disposeRetries: 0,
      open: () => ({}),
    });
    const failed = vi.fn<(event: { error: unknown }) => void>();
    cache.on('park-failed', failed);
    cache.set('a', {});
    await cache.shed({ bytes: 1 });
    expect(String(failed.mock.calls[0]?.[0].error)).toMatchInlineSnapshot(`
      "PLM_KEEP_PARK_FAILED: "a" could not be parked: no space left on device.
        at:  parking lot broken
        fix: check space and permissions of the parking lot, and that the value can be serialised (give the cache a freeze hook when it has functions or handles)."
    `);
    const lease = await cache.acquire('a');
    lease.release();
    expect(await cache.close('a')).toBe('closed');
    await cache.drain();
    const strict = new SessionCache<object>({
      maxEntries: 1,
      park: broken,
      onCorrupt: 'throw',
      open: () => ({}),
    });
    await expect(strict.acquire('a')).rejects.toThrowError('cannot read');
    await strict.drain();
  });
});
