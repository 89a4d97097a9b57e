import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { flatten, unslice } from './string-bytes.ts';
import { measure } from './measure.ts';
import { Meter } from './meter.ts';

const message = (i: number): object => ({
  id: `msg_${i}`,
  role: 'user',
  content: `message number ${i} `.repeat(5),
  at: 1.7e12 + i,
});

test('an appended value is charged with what measure says', () => {
  fc.assert(
    fc.property(fc.array(fc.jsonValue({ maxDepth: 4 }), { maxLength: 20 }), (values) => {
      const meter = new Meter();
      for (const value of values) {
        // A copy may keep its numbers otherwise than the original does.
        const copy = structuredClone(value);
        const { bytes, unknown } = measure(copy);
        expect(unknown).toEqual([]);
        expect(meter.append(copy)).toBe(bytes);
      }
      // A list of numbers alone would keep them unboxed, which a meter cannot foresee.
      if (values.every((value) => typeof value === 'number')) return;
      const list = measure(values);
      expect(meter.bytes).toBeGreaterThanOrEqual(list.lo);
      expect(meter.bytes).toBeLessThanOrEqual(list.hi);
    }),
  );
});

test('it only grows while values are appended, and comes back when they are removed', () => {
  fc.assert(
    fc.property(fc.array(fc.jsonValue(), { minLength: 1, maxLength: 60 }), (values) => {
      const meter = new Meter();
      const empty = meter.bytes;
      let last = empty;
      for (const value of values) {
        meter.append(value);
        expect(meter.bytes).toBeGreaterThanOrEqual(last);
        last = meter.bytes;
      }
      expect(meter.count).toBe(values.length);
      for (const value of values) meter.remove(value);
      expect(meter.bytes).toBe(empty);
      expect(meter.count).toBe(0);
    }),
  );
});

test('replace, credit and clear', () => {
  const meter = new Meter();
  const bytes = meter.append(message(1));
  meter.append(message(2));
  const before = meter.bytes;
  const change = meter.replace(message(2), { ...message(2), content: 'x'.repeat(1000) });
  expect(meter.bytes).toBe(before + change);
  expect(change).toBeGreaterThan(800);
  meter.credit(bytes);
  expect(meter.bytes).toBe(before + change - bytes);
  meter.clear();
  expect(meter.bytes).toBe(32);
  meter.credit(1000);
  expect(meter.bytes).toBe(32);
});

test('leaves of every kind', () => {
  const meter = new Meter();
  expect(meter.append('a text of some length')).toBe(40);
  expect(meter.append(1.5)).toBe(16);
  expect(meter.append(7)).toBe(0);
  expect(meter.append(12n)).toBe(24);
  expect(meter.append(() => 1)).toBe(56);
  expect(meter.append(null)).toBe(0);
  expect(meter.append(undefined)).toBe(0);
  expect(meter.append({ a: 1n, f: () => 1, u: undefined, n: null, s: 'x', yes: true })).toBe(
    24 + 48 + 24 + 56,
  );
  expect(meter.append([1n, true, 2.5, 'yes', null])).toBe(48 + 40 + 24 + 16);
});

describe('values that need a closer look', () => {
  const values: readonly (readonly [string, unknown])[] = [
    ['an empty object inside', { args: {}, list: [{}] }],
    ['a map', { map: new Map([['key of a map', { a: 1 }]]) }],
    ['a date at the top', new Date(0)],
    ['a wide object', { wide: Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`key${i}`, i])) }],
    ['a wide object at the top', Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`key${i}`, i]))],
    ['a long array', Array.from({ length: 5000 }, (_, i) => `text number ${i}`)],
    ['many objects', Array.from({ length: 1000 }, (_, i) => ({ i }))],
    ['an empty array', { list: [] }],
  ];
  test.each(values)('%s is charged as measure says', async (_name, value) => {
    // Whether a wide object is a dictionary is told by time, each time anew: a disturbed moment may say otherwise once.
    await vi.waitFor(() => {
      const meter = new Meter();
      meter.append(message(0));
      expect(meter.append(value)).toBe(measure(value).bytes);
    });
  });

  test('a small cycle ends', () => {
    const meter = new Meter();
    const a: { b?: object } = {};
    const b = { a };
    a.b = b;
    meter.append(message(0));
    expect(meter.append(a)).toBe(measure(a).bytes);
  });
});

describe('strictness', () => {
  test('the first value with a getter makes the meter strict, and none runs', () => {
    const spy = vi.fn<() => number>(() => 1);
    const trap = Object.defineProperty({ a: 1 }, 'x', { get: spy, enumerable: true });
    const meter = new Meter();
    meter.append({ message: 'one', parts: [trap] });
    expect(meter.strict).toBe(true);
    for (let i = 0; i < 100; i++) meter.append(trap);
    expect(spy).not.toHaveBeenCalled();
  });

  test('a proxy makes it strict', () => {
    const spy = vi.fn<() => never>();
    const meter = new Meter();
    meter.append(new Proxy({}, { ownKeys: spy, get: spy }));
    expect(meter.strict).toBe(true);
    expect(spy).not.toHaveBeenCalled();
  });

  test('a getter that slips in between and throws does no harm and makes it strict', () => {
    const meter = new Meter();
    meter.append(message(0));
    const trap = {
      text: 'before',
      get boom(): never {
        throw new Error('boom');
      },
    };
    expect(meter.append(trap)).toBe(measure(trap).bytes);
    expect(meter.strict).toBe(true);
  });

  test('strict from the start runs nothing at all', () => {
    const spy = vi.fn<() => number>(() => 1);
    const meter = new Meter({ strict: true });
    meter.append(message(0));
    meter.append(Object.defineProperty({}, 'x', { get: spy, enumerable: true }));
    expect(spy).not.toHaveBeenCalled();
  });
});

describe('strings', () => {
  test('unslice copies what a slice keeps alive', async () => {
    const kept: string[] = [];
    const before = await floor();
    for (let i = 0; i < 20; i++)
      kept.push(
        Buffer.alloc(500_000, 97 + i)
          .toString('latin1')
          .slice(100, 200),
      );
    expect((await floor()) - before).toBeGreaterThan(9_000_000);
    for (let i = 0; i < kept.length; i++) kept[i] = unslice(kept[i] as string);
    expect((await floor()) - before).toBeLessThan(1_000_000);
    expect(unslice('short')).toBe('short');
    expect(kept[3]).toBe('d'.repeat(100));
  });

  test('a meter that unslices does so in place, in plain data only', async () => {
    const meter = new Meter({ unslice: true });
    const log: object[] = [];
    const before = await floor();
    for (let i = 0; i < 20; i++) {
      const text = Buffer.alloc(500_000, 97 + i).toString('latin1');
      const value = {
        part: text.slice(100, 200),
        list: [{ inner: text.slice(300, 400) }],
        at: new Date(0),
        deep: new Proxy({}, {}),
      };
      meter.append(value);
      log.push(value);
    }
    expect((await floor()) - before).toBeLessThan(1_000_000);
    expect(log[2]).toMatchObject({ part: 'c'.repeat(100), list: [{ inner: 'c'.repeat(100) }] });
    const frozen = Object.freeze({ text: 'a frozen text of some length' });
    expect(meter.append(frozen)).toBe(measure(frozen).bytes);
  });

  test('flatten makes a rope one string', async () => {
    const kept: string[] = [];
    const before = await floor();
    for (let i = 0; i < 200; i++) {
      let rope = '';
      for (let j = 0; j < 500; j++) rope += `${i}.${j} `;
      kept.push(rope);
    }
    const asRopes = (await floor()) - before;
    for (const rope of kept) flatten(rope);
    const flat = (await floor()) - before;
    expect(flat).toBeLessThan(asRopes / 3);
    expect(kept).toHaveLength(200);
  });
});

test('the meter says what the heap says', async () => {
  const log: object[] = [];
  const meter = new Meter();
  for (let i = 0; i < 50; i++) meter.append(message(i));
  meter.clear();
  const before = await floor();
  for (let i = 0; i < 8000; i++) {
    const value = JSON.parse(JSON.stringify(message(i))) as object;
    meter.append(value);
    log.push(value);
  }
  const truth = (await floor()) - before;
  expect(meter.bytes / truth).toBeGreaterThan(0.95);
  expect(meter.bytes / truth).toBeLessThan(1.05);
  expect(log).toHaveLength(8000);
});

async function floor(): Promise<number> {
  for (let i = 0; i < 4; i++) {
    await new Promise((resolve) => setImmediate(resolve));
    globalThis.gc?.();
  }
  return process.memoryUsage().heapUsed + process.memoryUsage().external;
}
