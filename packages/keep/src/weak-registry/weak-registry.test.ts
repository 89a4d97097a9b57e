import { setImmediate as turn } from 'node:timers/promises';
import { open } from '@plimsoll/core';
import { FakeClock } from '@plimsoll/core/internal/sense/fake-clock';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isCollected, usedHeap } from '../collect.fixture.ts';
import { keepers } from '@plimsoll/core/keeper';
import { WeakRegistry } from './weak-registry.ts';
import type { WeakRegistryOptions } from './weak-registry.ts';

const refused = (options: object): string => {
  try {
    return new WeakRegistry(options as WeakRegistryOptions<undefined>).name;
  } catch (error) {
    return String(error);
  }
};

async function collect(): Promise<void> {
  for (let i = 0; i < 3; i++) {
    await turn();
    (globalThis.gc as NodeJS.GCFunction)();
  }
  await turn();
}

test('a registry without a bound cannot be made', () => {
  expect(refused({})).toMatchInlineSnapshot(`
    "PLM_KEEP_UNBOUNDED: a WeakRegistry needs a bound and got none.
      at:  new WeakRegistry(options)
      fix: set at least one of maxEntries."
  `);
});

test.each([
  [{ maxEntries: Number.NaN }],
  [{ maxEntries: 0 }],
  [{ maxEntries: 10, sweep: 'often' }],
  [{ maxEntries: 10, onGone: 1 }],
])('%o is refused with the accepted form', (options) => {
  expect(refused(options)).toMatch(/^PLM_KEEP_BAD_OPTION: .+ has to be .+/);
});

test('ids and values that cannot be meant are refused', () => {
  const registry = new WeakRegistry<object>({ maxEntries: 10 });
  expect(() => registry.add('', {})).toThrow('the id is an empty string');
  expect(() => registry.add(7 as unknown as string, {})).toThrow('the id is number');
  expect(() => registry.add('a', 7 as unknown as object)).toThrow(
    'value is "number"; it has to be an object',
  );
  expect(() => registry.add('a', null as unknown as object)).toThrow('value is "null"');
  expect(() => registry.suspects('old')).toThrow('milliseconds above 0');
  registry[Symbol.dispose]();
  expect(() => registry.add('a', {})).toThrow('add was called on a keeper that is closed');
});

test('values are held weakly, what is known about them until the sweep finds them gone', async () => {
  const clock = new FakeClock();
  const gone: [string, string][] = [];
  const registry = new WeakRegistry<object, string>({
    maxEntries: 100,
    clock,
    onGone: (id, meta) => gone.push([id, meta]),
  });
  const kept = { name: 'kept' };
  const make = (): WeakRef<object> => {
    const value = { name: 'lost', parent: {} };
    registry.add('lost', value, 'planner');
    return new WeakRef(value);
  };
  const ref = make();
  registry.add('kept', kept, 'writer');
  registry.add('closed', {}, 'closed');
  expect(registry.close('closed')).toBe(true);
  expect(registry.close('closed')).toBe(false);
  expect(await isCollected(ref)).toBe(true);
  expect(registry.get('lost')).toBeUndefined();
  expect(registry.meta('lost')).toBe('planner');
  expect([registry.size, registry.alive]).toEqual([2, 1]);
  clock.advance(30_000);
  expect(gone).toEqual([['lost', 'planner']]);
  expect(registry.get('kept')).toBe(kept);
  expect(registry.meta('lost')).toBeUndefined();
  expect(registry.stats()).toEqual({ entries: 1, maxEntries: 100, added: 3, closed: 1, gone: 1, refused: 0 });
  expect(registry.suspects('10s')).toEqual([{ id: 'kept', meta: 'writer', ageMs: 30_000 }]);
  expect(registry.suspects('1m')).toEqual([]);
  registry[Symbol.dispose]();
  expect(clock.waiting).toBe(0);
});

test('a full registry makes room by what is gone, and refuses otherwise', async () => {
  const registry = new WeakRegistry<object>({ maxEntries: 3 });
  const full: number[] = [];
  registry.on('full', ({ entries }) => full.push(entries));
  const kept = [{}, {}];
  const make = (): void => {
    registry.add('lost', {});
    kept.forEach((value, i) => registry.add(`kept ${i}`, value));
    expect(registry.add('one more', {})).toBe(false);
    expect(registry.add('another', {})).toBe(false);
    expect(registry.add('kept 0', kept[0] as object)).toBe(true);
  };
  make();
  expect(full).toEqual([3]);
  await collect();
  expect(registry.add('one more', kept)).toBe(true);
  expect(registry.stats()).toMatchObject({ entries: 3, refused: 2, gone: 1 });
});

test('a hook that throws is reported; a closed id never fires it', async () => {
  const failed: string[] = [];
  const registry = new WeakRegistry<object>({
    maxEntries: 100,
    onGone: (id) => {
      throw new Error(id);
    },
  });
  registry.on('hook-failed', ({ id }) => failed.push(id));
  const make = (): void => {
    registry.add('a', {});
    registry.add('b', {});
    registry.close('b');
  };
  make();
  await collect();
  expect(await registry.shed({ bytes: 1 })).toBeGreaterThan(0);
  expect(failed).toEqual(['a']);
  await expect(registry.shed({ bytes: -1 })).rejects.toThrow('bytes above 0');
});

test('a large registry is swept in slices', async () => {
  const clock = new FakeClock();
  const registry = new WeakRegistry<object>({ maxEntries: 200_000, clock });
  const values = Array.from({ length: 200_000 }, (_, i) => ({ i }));
  values.forEach((value, i) => registry.add(`${i}`, value));
  let slices = 1;
  while (!registry.sweep()) slices++;
  expect(slices).toBeGreaterThan(1);
  values.length = 0;
  await collect();
  clock.advance(60_000);
  expect(registry.size).toBe(0);
  expect(clock.waiting).toBe(0);
});

test('an entry costs at most 150 bytes and keeps nothing alive, by the heap itself', async () => {
  using scope = open('session', 'registry');
  const registry = scope.run(() => new WeakRegistry<object>({ maxEntries: 20_000 }));
  const values = Array.from({ length: 20_000 }, (_, i) => ({ i }));
  const ids = values.map((_, i) => `agent ${i}`);
  const before = await usedHeap();
  values.forEach((value, i) => registry.add(ids[i] as string, value));
  const each = ((await usedHeap()) - before) / 20_000;
  expect(each).toBeLessThanOrEqual(150);
  expect(scope.account.held).toBeGreaterThan(0.95 * registry.bytes);
  expect(keepers()).toContain(registry);
  for (const id of ids) registry.close(id);
  expect((await usedHeap()) - before).toBeLessThan(2_000_000);
  registry[Symbol.dispose]();
  expect(scope.account.held).toBe(0);
});

test('a model of adds and closes: what is held is found, what was closed is not', () => {
  const step = fc.record({ do: fc.constantFrom('add' as const, 'close' as const), id: fc.nat(20) });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 100 }), (steps) => {
      const registry = new WeakRegistry<object, number>({ maxEntries: 10 });
      const model = new Map<string, object>();
      for (const { do: what, id } of steps) {
        const key = `${id}`;
        if (what === 'close') expect(registry.close(key)).toBe(model.delete(key));
        else {
          const value = { id };
          const isTaken = registry.add(key, value, id);
          expect(isTaken).toBe(model.has(key) || model.size < 10);
          if (isTaken) model.set(key, value);
        }
        for (const [key, value] of model) expect(registry.get(key)).toBe(value);
        expect(registry.size).toBe(model.size);
      }
      registry[Symbol.dispose]();
    }),
    { numRuns: 200 },
  );
});
