import { openSync, readdirSync } from 'node:fs';
import { open } from '@plimsoll/core';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isCollected, usedHeap } from '../collect.fixture.ts';
import { keepers } from '@plimsoll/core/keeper';
import { OutputBag } from './output-bag.ts';
import type { OutputBagOptions } from './output-bag.ts';

const refused = (options: object): string => {
  try {
    return new OutputBag(options as OutputBagOptions).name;
  } catch (error) {
    return String(error);
  }
};
const openFiles = (): number => readdirSync('/proc/self/fd').length;
const rows = (count: number, mark = 'x'): object => ({
  rows: Array.from({ length: count }, (_, i) => mark.repeat(100) + i),
});

test('a bag without a bound cannot be made', () => {
  expect(refused({ maxOutputs: 10 })).toMatchInlineSnapshot(`
    "PLM_KEEP_UNBOUNDED: a OutputBag needs a bound and got none.
      at:  new OutputBag(options)
      fix: set at least one of maxBytes."
  `);
});

test.each([
  [{ maxBytes: Number.NaN }],
  [{ maxBytes: 0 }],
  [{ maxBytes: 1, maxOutputs: -1 }],
  [{ maxBytes: 1, overflow: 'burn' }],
  [{ maxBytes: 1, maxSpillBytes: 'all' }],
])('%o is refused with the accepted form', (options) => {
  expect(refused(options)).toMatch(/^PLM_KEEP_BAD_OPTION: .+ has to be .+/);
});

test('an output is released the moment its last consumer has read it', async () => {
  using bag = new OutputBag({ maxBytes: '1MiB' });
  const put = (): WeakRef<object> => {
    const output = rows(10);
    bag.put('draft', output, { consumers: ['check', 'publish', 'check'] });
    return new WeakRef(output);
  };
  const ref = put();
  const events: string[] = [];
  bag.on('release', ({ key }) => events.push(key));
  expect(bag.pending()).toMatchObject([{ key: 'draft', isSpilled: false, consumers: ['check', 'publish'] }]);
  expect(bag.take('draft', 'check')).toEqual(rows(10));
  expect(bag.has('draft')).toBe(true);
  expect(() => bag.take('draft', 'check')).toThrow('"draft" was read by "check" before');
  bag.take('draft', 'publish');
  expect(bag.has('draft')).toBe(false);
  expect(() => bag.take('draft', 'publish')).toThrow('"draft" is not in the bag: unknown, or released');
  expect(bag.stats()).toMatchObject({ outputs: 0, bytes: 0, put: 1, released: 1 });
  expect(events).toEqual(['draft']);
  expect(await isCollected(ref)).toBe(true);
});

test('puts that cannot be meant are refused', () => {
  const bag = new OutputBag({ maxBytes: '1MiB' });
  expect(() => bag.put('', 1, { consumers: [] })).toThrow('the id is an empty string');
  expect(() => bag.put(7 as unknown as string, 1, { consumers: [] })).toThrow('the id is number');
  expect(() => bag.put('a', 1, {} as { consumers: string[] })).toThrow('a list of names');
  bag.put('a', 1, { consumers: ['b'] });
  expect(() => bag.put('a', 1, { consumers: ['b'] })).toThrow('"a" is in the bag already.');
  bag.put('nobody', rows(10), { consumers: [] });
  expect(bag.has('nobody')).toBe(false);
  bag[Symbol.dispose]();
  bag[Symbol.dispose]();
  expect(() => bag.put('b', 1, { consumers: ['c'] })).toThrow('put was called on a keeper that is closed');
});

test('consumers that will not come are given up, for one output or all', () => {
  using bag = new OutputBag({ maxBytes: '1MiB' });
  for (const key of ['a', 'b', 'c']) bag.put(key, key, { consumers: key === 'c' ? ['x', 'y'] : ['x'] });
  expect(bag.forgo('x', 'a')).toBe(1);
  expect(bag.forgo('x', 'unknown')).toBe(0);
  expect(bag.forgo('x')).toBe(1);
  expect(bag.pending().map(({ key }) => key)).toEqual(['c']);
});

test('what does not fit goes to an unlinked file and comes back the same', () => {
  const before = openFiles();
  using bag = new OutputBag({ maxBytes: '64KiB' });
  for (let i = 0; i < 20; i++) bag.put(`stage ${i}`, rows(100, `${i % 10}`), { consumers: ['next'] });
  expect(bag.bytes).toBeLessThanOrEqual(64 * 1024);
  expect(bag.stats().spilledOutputs).toBeGreaterThan(10);
  expect(openFiles()).toBe(before + 1);
  for (let i = 0; i < 20; i++) expect(bag.take(`stage ${i}`, 'next')).toEqual(rows(100, `${i % 10}`));
  expect(bag.stats()).toMatchObject({ outputs: 0, bytes: 0, spilledOutputs: 0, spilledBytes: 0 });
  expect(openFiles()).toBe(before);
  bag.put('huge', rows(5000), { consumers: ['next'] });
  expect([bag.bytes, bag.pending()[0]?.isSpilled]).toEqual([0, true]);
});

test('where nothing can be spilled a put is refused, and what is there stays', () => {
  const full = new OutputBag({ maxBytes: '16KiB', spillTo: { open: () => openSync('/dev/full', 'r+') } });
  const told: string[] = [];
  full.on('spill-failed', ({ error }) => told.push(error.message));
  full.put('a', rows(80), { consumers: ['x'] });
  expect(() => full.put('b', rows(80), { consumers: ['x'] })).toThrow('could not be spilled');
  expect(told[0]).toContain('ENOSPC');
  expect(full.take('a', 'x')).toEqual(rows(80));
  expect(full.stats()).toMatchObject({ refused: 1, bytes: 0 });
  full[Symbol.dispose]();

  const strict = new OutputBag({ maxBytes: '16KiB', overflow: 'refuse', maxOutputs: 2 });
  strict.put('a', rows(80), { consumers: ['x'] });
  expect(() => strict.put('b', rows(80), { consumers: ['x'] })).toThrow('it may not be spilled');
  strict.put('c', 1, { consumers: ['x'] });
  expect(() => strict.put('d', 1, { consumers: ['x'] })).toThrow('maxOutputs is 2');

  const instances = new OutputBag({ maxBytes: '16KiB' });
  instances.put('url', { url: new URL('http://x'), rows: rows(80) }, { consumers: ['x'] });
  instances.put('plain', rows(60), { consumers: ['x'] });
  expect(instances.pending().map(({ isSpilled }) => isSpilled)).toEqual([false, true]);
  expect((instances.take('url', 'x') as { url: URL }).url).toBeInstanceOf(URL);
  instances[Symbol.dispose]();

  const small = new OutputBag({ maxBytes: '16KiB', maxSpillBytes: '1KiB' });
  small.put('a', rows(80), { consumers: ['x'] });
  expect(() => small.put('b', rows(80), { consumers: ['x'] })).toThrow('could not be spilled');
  small[Symbol.dispose]();
});

test('an output that cannot be read back is an error with its name', () => {
  const bag = new OutputBag({ maxBytes: '1KiB', spillTo: { open: () => openSync('/dev/null', 'r+') } });
  bag.put('a', rows(100), { consumers: ['x'] });
  expect(() => bag.take('a', 'x')).toThrow('a spilled page cannot be read back: "a": the file ends');
  bag[Symbol.dispose]();
});

test('memory is charged, can be shed, and is gone after close, by the heap itself', async () => {
  using scope = open('run', 'bag');
  const before = await usedHeap();
  const bag = scope.run(() => new OutputBag({ maxBytes: '10MiB', name: 'stages' }));
  for (let i = 0; i < 20; i++) bag.put(`${i}`, rows(500, `${i % 10}`), { consumers: ['next'] });
  expect(scope.account.held).toBeGreaterThan(1_000_000);
  expect(keepers()).toContain(bag);
  expect(await bag.shed({ bytes: 500_000 })).toBeGreaterThanOrEqual(500_000);
  await expect(bag.shed({ bytes: 0 })).rejects.toThrow('bytes above 0');
  bag[Symbol.dispose]();
  expect(scope.account.held).toBe(0);
  expect(keepers()).not.toContain(bag);
  expect((await usedHeap()) - before).toBeLessThan(300_000);
});

test('each consumer gets each output once and whole, whatever the order and the bound', () => {
  const step = fc.record({
    do: fc.constantFrom(
      'put' as const,
      'put' as const,
      'take' as const,
      'take' as const,
      'forgo' as const,
      'shed' as const,
    ),
    key: fc.nat(12),
    consumer: fc.nat(2),
    size: fc.nat(40),
  });
  fc.assert(
    fc.property(
      fc.array(step, { maxLength: 80 }),
      fc.integer({ min: 2000, max: 20_000 }),
      (steps, maxBytes) => {
        const bag = new OutputBag({ maxBytes });
        const model = new Map<string, { value: object; waiting: Set<string> }>();
        for (const { do: what, key: number, consumer: who, size } of steps) {
          const key = `${number}`;
          const consumer = `consumer ${who}`;
          const entry = model.get(key);
          if (what === 'put' && entry === undefined) {
            const waiting = new Set(Array.from({ length: 1 + (size % 3) }, (_, i) => `consumer ${i}`));
            model.set(key, { value: rows(size), waiting });
            bag.put(key, rows(size), { consumers: [...waiting] });
          } else if (what === 'take') {
            if (entry?.waiting.has(consumer) === true) {
              expect(bag.take(key, consumer)).toEqual(entry.value);
              entry.waiting.delete(consumer);
            } else expect(() => bag.take(key, consumer)).toThrow('"');
          } else if (what === 'forgo') {
            bag.forgo(consumer, key);
            entry?.waiting.delete(consumer);
          } else if (what === 'shed') void bag.shed({ bytes: 1 + size });
          if (model.get(key)?.waiting.size === 0) model.delete(key);
          expect(bag.bytes).toBeLessThanOrEqual(maxBytes);
          expect(bag.stats().outputs).toBe(model.size);
        }
        bag[Symbol.dispose]();
      },
    ),
    { numRuns: 150 },
  );
});
