import { open } from '@plimsoll/core';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isCollected } from '../collect.fixture.ts';
import { keepers } from '@plimsoll/core/keeper';
import type { Handle } from './handle.ts';
import { Pool } from './pool.ts';
import type { PoolOptions } from './pool.ts';

const create = (): Buffer => Buffer.alloc(1024);
const refused = (options: object): string => {
  try {
    return new Pool(options as PoolOptions<Buffer>).name;
  } catch (error) {
    return String(error);
  }
};

test('a pool without a bound cannot be made', () => {
  expect(refused({ create })).toMatchInlineSnapshot(`
    "PLM_KEEP_UNBOUNDED: a Pool needs a bound and got none.
      at:  new Pool(options)
      fix: set at least one of max."
  `);
});

test.each([
  [{ max: Number.NaN, create }],
  [{ max: 0, create }],
  [{ max: 1 }],
  [{ max: 1, create: 1 }],
  [{ max: 1, create, reset: 1 }],
  [{ max: 1, create, destroy: 'x' }],
  [{ max: 1, create, bytesEach: -1 }],
  [{ max: 1, create, maxIdleBytes: '1MiB' }],
])('%o is refused with the accepted form', (options) => {
  expect(refused(options)).toMatch(/^PLM_KEEP_BAD_OPTION: .+ has to be .+/);
});

test('objects are used again, and a released handle says so', () => {
  const pool = new Pool({ max: 2, create, reset: (buffer) => void buffer.fill(0) });
  const first = pool.take();
  const buffer = first.value;
  buffer[0] = 7;
  first.release();
  first.release();
  expect(first.isReleased).toBe(true);
  expect(() => first.value).toThrow('the handle was released; its object may be in use by other code.');
  {
    using second = pool.take();
    expect(second.value).toBe(buffer);
    expect(second.value[0]).toBe(0);
    expect(() => first.value).toThrow('the handle was released');
    first.release();
    expect(second.isReleased).toBe(false);
  }
  expect(pool.stats()).toMatchObject({ taken: 0, idle: 1, created: 1, reused: 1, destroyed: 0 });
});

test('a pool that is all taken refuses, and says how to go on', () => {
  const pool = new Pool({ max: 1, create });
  const told: number[] = [];
  pool.on('exhausted', ({ taken }) => told.push(taken));
  const handle = pool.take();
  expect(pool.tryTake()).toBeUndefined();
  expect(() => pool.take()).toThrow('all 1 objects are taken.');
  handle[Symbol.dispose]();
  expect(pool.take().value).toBeInstanceOf(Buffer);
  expect(told).toEqual([1, 1]);
});

test('an object that cannot be reset is destroyed; hooks that throw are reported', () => {
  const destroyed: Buffer[] = [];
  let isBad: 'no' | 'false' | 'throws' = 'no';
  const pool = new Pool({
    max: 3,
    create,
    reset: () => {
      if (isBad === 'throws') throw new Error('broken');
      return isBad === 'no';
    },
    destroy: (buffer) => {
      destroyed.push(buffer);
      throw new Error('resists');
    },
  });
  const failed: string[] = [];
  pool.on('hook-failed', ({ hook }) => failed.push(hook));
  isBad = 'false';
  pool.take().release();
  isBad = 'throws';
  pool.take().release();
  expect(destroyed).toHaveLength(2);
  expect(failed).toEqual(['destroy', 'reset', 'destroy']);
  expect(pool.stats()).toMatchObject({ idle: 0, taken: 0, created: 2, destroyed: 2, resetFailures: 3 });
  const broken = new Pool<Buffer>({
    max: 1,
    create: () => {
      throw new Error('no memory');
    },
  });
  expect(() => broken.take()).toThrow('no memory');
  expect(broken.stats()).toMatchObject({ taken: 0, created: 0 });
});

test('idle memory is bounded, charged, can be shed, and is gone after close', async () => {
  using scope = open('session', 'pool');
  const pool = scope.run(
    () => new Pool({ max: 100, create, bytesEach: '64KiB', maxIdleBytes: '640KiB', name: 'frames' }),
  );
  const handles = Array.from({ length: 30 }, () => pool.take());
  expect(scope.account.held).toBe(30 * 65_536);
  const ref = new WeakRef((handles[0] as Handle<Buffer>).value);
  for (const handle of handles.splice(0)) handle.release();
  expect(pool.stats()).toMatchObject({ idle: 10, destroyed: 20 });
  expect(keepers()).toContain(pool);
  expect(await pool.shed({ bytes: 100_000 })).toBe(2 * 65_536);
  await expect(pool.shed({ bytes: Number.NaN })).rejects.toThrow('bytes above 0');
  expect(scope.account.held).toBe(8 * 65_536);
  const late = pool.take();
  pool[Symbol.dispose]();
  pool[Symbol.dispose]();
  expect(() => pool.take()).toThrow('take was called on a keeper that is closed');
  late.release();
  expect(pool.stats()).toMatchObject({ idle: 0, taken: 0 });
  expect(scope.account.held).toBe(0);
  expect(keepers()).not.toContain(pool);
  expect(await isCollected(ref)).toBe(true);
});

test('no object is in two hands, whatever the order; what comes back is as new', () => {
  const step = fc.record({
    do: fc.constantFrom('take' as const, 'release' as const, 'stale' as const),
    at: fc.nat(20),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 100 }), fc.integer({ min: 1, max: 8 }), (steps, max) => {
      const pool = new Pool<{ used: number[] }>({
        max,
        create: () => ({ used: [] }),
        reset: (value) => void (value.used = []),
      });
      const held: Handle<{ used: number[] }>[] = [];
      const stale: Handle<{ used: number[] }>[] = [];
      for (const { do: what, at } of steps) {
        if (what === 'take') {
          const handle = pool.tryTake();
          expect(handle === undefined).toBe(held.length >= max);
          if (handle === undefined) continue;
          expect(handle.value).toEqual({ used: [] });
          handle.value.used.push(at);
          held.push(handle);
        } else if (what === 'release' && held.length > 0) {
          const [handle] = held.splice(at % held.length, 1) as [Handle<{ used: number[] }>];
          handle.release();
          stale.push(handle);
        } else if (stale.length > 0) {
          const handle = stale[at % stale.length] as Handle<object>;
          handle.release();
          expect(() => handle.value).toThrow('released');
        }
        const values = held.map((handle) => handle.value);
        expect(new Set(values).size).toBe(values.length);
        const { taken, idle, created, destroyed } = pool.stats();
        expect([taken, taken + idle]).toEqual([held.length, created - destroyed]);
        expect(taken + idle).toBeLessThanOrEqual(max);
      }
      pool[Symbol.dispose]();
    }),
    { numRuns: 300 },
  );
});
