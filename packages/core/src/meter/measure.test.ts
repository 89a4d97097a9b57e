import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { measure } from './measure.ts';
import { shallowBytes, step } from './layout.ts';
import { Walk } from './walk.ts';

const bytesOf = (value: unknown): number => measure(value).bytes;

/** Plain data as tools and models exchange it. */
const data = fc.jsonValue({ maxDepth: 4 });

test('a literal with an accessor of its own is a table with room for two more', () => {
  const make = (id: number): object => ({
    id,
    name: 'a',
    get twice(): number {
      return 2 * id;
    },
  });
  const all = Array.from({ length: 10 }, (_, i) => make(i));
  // The object, eight slots, the pair and the function, which captures a variable.
  expect(bytesOf(all.at(-1))).toBe(24 + 256 + 24 + 56);
});

describe('sizes of single values', () => {
  test.each([
    ['nothing', undefined, 0],
    ['null', null, 0],
    ['a boolean', true, 0],
    ['a small integer', 7, 0],
    ['a double', 1.5, 16],
    ['an empty string', '', 0],
    ['a word that is shared', 'assistant', 0],
    ['a short id', 'call_17', 24],
    ['a one-byte string', 'x'.repeat(40), 56],
    ['a two-byte string', '\u4e2d'.repeat(40), 96],
    ['a short two-byte string', '\u4e2d'.repeat(12), 40],
    ['a bigint', 12n, 24],
    ['zero as a bigint', 0n, 16],
    ['a large negative bigint', -(1n << 100n), 32],
    ['an empty object', {}, 56],
    ['an object of two fields', { a: 1, b: 2 }, 40],
    ['an object with a double', { a: 1.5 }, 48],
    ['an object with a symbol in its literal', { a: 1, [Symbol.for('b')]: 2 }, 40],
    ['an empty array', [], 32],
    ['an array of integers', [1, 2, 3], 72],
    ['an array of doubles, which are not boxed', [1.5, 2, 3], 72],
    ['a mixed array, whose doubles are boxed', ['user', 2.5, null, undefined], 96],
    ['an object without prototype', Object.create(null), 184],
    ['an empty map', new Map(), 184],
    ['an empty set', new Set(), 152],
    ['a date', new Date(0), 96],
    ['a boxed number', Object(7), 32],
    ['a boxed string', Object('a text of words'), 64],
  ])('%s', (_name, value, bytes) => {
    expect(bytesOf(value)).toBe(bytes);
  });

  test('the shallow size leaves out what an object refers to', () => {
    expect(shallowBytes({ a: 'x'.repeat(1000), b: 1.5 })).toBe(40);
    expect(shallowBytes([1.5, 'x'.repeat(100)])).toBe(64);
    expect(shallowBytes('x'.repeat(1000))).toBe(1016);
    expect(shallowBytes(1.5)).toBe(16);
    expect(shallowBytes(3)).toBe(0);
    expect(shallowBytes(3n)).toBe(24);
    expect(shallowBytes(Symbol('name'))).toBe(24);
    expect(shallowBytes(null)).toBe(0);
    expect(shallowBytes(undefined)).toBe(0);
    expect(shallowBytes(() => 1)).toBe(56);
    expect(shallowBytes(Map)).toBe(64);
  });
});

describe('objects with insides', () => {
  test('maps and sets count their table and their contents', () => {
    const entries = Array.from({ length: 100 }, (_, i) => [`key number ${i}`, { i }] as const);
    const map = bytesOf(new Map(entries));
    expect(map).toBe(32 + 16 + 8 * (3 + 64 + 3 * 128) + 100 * (32 + 32));
    const set = bytesOf(new Set(entries.map(([key]) => key)));
    expect(set).toBe(32 + 16 + 8 * (3 + 64 + 2 * 128) + 100 * 32);
  });

  test('a buffer shared by several views counts once', () => {
    const buffer = new ArrayBuffer(10_000);
    const one = bytesOf(new Uint8Array(buffer));
    const two = bytesOf([new Uint8Array(buffer), new Float32Array(buffer, 0, 100), new DataView(buffer)]);
    expect(one).toBeGreaterThan(10_000);
    expect(two - one).toBeLessThan(400);
    expect(bytesOf(buffer)).toBeGreaterThan(10_000);
    expect(bytesOf(new SharedArrayBuffer(5000))).toBeGreaterThan(5000);
  });

  test('a piece of the pool that Buffer shares counts for itself, and perhaps for the pool', () => {
    const { bytes, hi } = measure(
      Buffer.from('some text of a few bytes that is longer than what fits on the heap itself'),
    );
    expect(bytes).toBeLessThan(400);
    expect(hi).toBeGreaterThan(Buffer.poolSize);
    expect(bytesOf(Buffer.alloc(100_000))).toBeGreaterThan(100_000);
  });

  test('a small typed array is measured without moving its data off the heap', () => {
    expect(bytesOf(new Uint8Array(16))).toBe(104 + 96 + 16 + 16);
  });

  test('class instances count named and symbol properties', () => {
    const hidden = Symbol('hidden');
    class Agent {
      name = 'planner of some length';
      [hidden] = 'x'.repeat(100);
    }
    expect(bytesOf(new Agent())).toBe(24 + 16 + 40 + 120);
  });

  test('subclasses of collections are walked whatever they override', () => {
    class Loud extends Map<string, string> {
      override entries(): never {
        throw new Error('not for you');
      }
      override [Symbol.iterator](): never {
        throw new Error('not for you');
      }
    }
    const loud = new Loud();
    Map.prototype.set.call(loud, 'a', 'x'.repeat(1000));
    expect(bytesOf(loud)).toBeGreaterThan(1000);
    expect(bytesOf(Object.create(Map.prototype) as object)).toBeGreaterThan(0);
    expect(bytesOf(new Map())).toBe(184);
  });

  test('many keys: fast objects and dictionaries are told apart', () => {
    const fast = JSON.parse(
      JSON.stringify(Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`field${i}`, i]))),
    ) as object;
    const table: Record<string, number> = {};
    for (let i = 0; i < 40; i++) table[`dynamic${i}`] = i;
    const many = measure(Array.from({ length: 50 }, () => ({ ...fast })));
    expect(many.lo).toBeLessThan(50 * 400);
    expect(bytesOf(table)).toBeGreaterThanOrEqual(24 + 64 + 24 * 64);
  });

  test('integer keys live in a store of elements, dense or sparse', () => {
    const dense: Record<number, string> = {};
    for (let i = 0; i < 100; i++) dense[i] = 'user';
    // 100 elements that were added one by one have room for 140.
    expect(bytesOf(dense)).toBe(24 + 32 + 16 + 8 * 140);
    const sparse: Record<number, string> = {};
    for (let i = 0; i < 100; i++) sparse[i * 1_000_003] = 'user';
    expect(bytesOf(sparse)).toBeGreaterThan(24 * 128);
  });

  test('a sparse array is measured by what it holds', () => {
    const sparse: unknown[] = [];
    // To walk over its length would take longer than a test may.
    sparse[4_294_967_294] = { text: 'x'.repeat(500) };
    const { bytes } = measure(sparse);
    expect(bytes).toBeGreaterThan(500);
    expect(bytes).toBeLessThan(5000);
  });

  test('errors, promises, weak things, expressions and generators have a size and say what is not known', () => {
    function* numbers(): Generator<number> {
      yield 1;
    }
    const { unknown, bytes } = measure([
      new Error('some message'),
      Promise.resolve(1),
      new WeakMap(),
      new WeakRef({}),
      new FinalizationRegistry(() => {}),
      /x+/g,
      numbers(),
      () => 1,
      Symbol('s'),
    ]);
    expect(bytes).toBeGreaterThan(500);
    expect(new Map(unknown.map(({ kind, count }) => [kind, count]))).toEqual(
      new Map([
        ['closure', 1],
        ['native', 1],
        ['weak', 3],
        ['promise', 1],
        ['accessor', 1],
      ]),
    );
  });

  test('a timer holds what its callback holds, and not the timers beside it in their list', () => {
    const timerWith = (payload: string): NodeJS.Timeout =>
      Object.assign(setTimeout(() => undefined, 3_600_000).unref(), { payload });
    const neighbour = timerWith('x'.repeat(50_000));
    const timer = timerWith('y'.repeat(1000));
    const bytes = bytesOf(timer);
    clearTimeout(neighbour);
    clearTimeout(timer);
    expect(bytes).toBeGreaterThan(1000);
    expect(bytes).toBeLessThan(2000);
  });

  test('exotic objects with properties of their own count them', () => {
    const date = Object.assign(new Date(0), { note: 'x'.repeat(200) });
    expect(bytesOf(date)).toBeGreaterThan(96 + 216);
  });
});

describe('safety', () => {
  test('no getter and no trap runs', () => {
    const spy = vi.fn<() => never>(() => {
      throw new Error('must not run');
    });
    const proxy = new Proxy(
      {},
      { get: spy, ownKeys: spy, getPrototypeOf: spy, getOwnPropertyDescriptor: spy, has: spy },
    );
    const value = {
      get own(): never {
        return spy();
      },
      proxy,
      list: [new Proxy([], { get: spy })],
      instance: Object.defineProperty(
        new (class Agent {
          name = 'planner';
        })(),
        'x',
        { get: spy, enumerable: true },
      ),
    };
    const { unknown } = measure(value);
    expect(spy).not.toHaveBeenCalled();
    expect(unknown).toEqual(
      expect.arrayContaining([
        { kind: 'proxy', count: 2 },
        { kind: 'accessor', count: 2 },
      ]),
    );
  });

  test('cycles and very deep values end', () => {
    interface Node {
      next: Node | undefined;
    }
    let chain: Node = { next: undefined };
    const last = chain;
    for (let i = 0; i < 200_000; i++) chain = { next: chain };
    last.next = chain;
    expect(bytesOf(chain)).toBe(200_001 * 32);
  });

  test('shared objects are left out, and a walk can be cut short', () => {
    const tools = { text: 'x'.repeat(10_000) };
    const session = { tools, messages: Array.from({ length: 100 }, () => ({ a: { b: { c: 1 } } })) };
    expect(measure(session, { shared: new WeakSet([tools]) }).bytes).toBeLessThan(
      measure(session).bytes - 9000,
    );
    const cut = measure(session, { maxNodes: 10 });
    expect(cut.hi).toBe(Number.POSITIVE_INFINITY);
    expect(cut.unknown).toEqual([{ kind: 'unvisited', count: expect.any(Number) as number }]);
  });

  test('a rope is flattened unless asked not to, and the value is unchanged', () => {
    let rope = '';
    for (let i = 0; i < 1000; i++) rope += String.fromCharCode(97 + (i % 26));
    expect(measure({ rope }, { flatten: false }).bytes).toBe(measure({ rope }).bytes);
    expect(rope).toHaveLength(1000);
  });
});

describe('properties', () => {
  test('lo, bytes and hi are in order, and measuring changes nothing', () => {
    fc.assert(
      fc.property(
        fc.anything({ withMap: true, withSet: true, withTypedArray: true, withDate: true, withBigInt: true }),
        (value) => {
          const before = structuredClone(value);
          const { lo, bytes, hi } = measure(value);
          expect(lo).toBeLessThanOrEqual(bytes);
          expect(bytes).toBeLessThanOrEqual(hi);
          expect(lo).toBeGreaterThanOrEqual(0);
          expect(structuredClone(value)).toStrictEqual(before);
        },
      ),
    );
  });

  test('the order of keys does not matter', () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.string(), fc.integer({ min: 2 ** 40, max: 2 ** 41 }), {
          maxKeys: 12,
          noNullPrototype: true,
        }),
        (value) => {
          const reversed = Object.fromEntries(Object.entries(value).toReversed());
          expect(bytesOf(reversed)).toBe(bytesOf(value));
        },
      ),
    );
  });

  test('a value inside another is never smaller than nothing', () => {
    fc.assert(
      fc.property(data, data, (a, b) => {
        expect(bytesOf([a, b])).toBeGreaterThanOrEqual(bytesOf([a]));
      }),
    );
  });

  test('a walk in small chunks gives the same sum', async () => {
    const big = {
      list: Array.from({ length: 500 }, (_, i) => ({ i, text: `text number ${i}` })),
      doubles: Array.from({ length: 300 }, (_, i) => i / 3),
      mixed: Array.from({ length: 300 }, (_, i) => (i % 2 ? i / 3 : 'text of some length')),
      map: new Map(Array.from({ length: 200 }, (_, i) => [`key number ${i}`, i])),
      set: new Set(Array.from({ length: 200 }, (_, i) => `element number ${i}`)),
      wide: Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`wide${i}`, `value number ${i}`])),
    };
    const sum = (chunk: number): number => {
      const walk = new Walk({ chunk });
      const seen = new Set<object>();
      walk.value(big);
      while (step(walk, (node) => !seen.has(node) && seen.add(node) !== undefined));
      return walk.bytes;
    };
    // Whether the wide one is a dictionary is told by time: a disturbed moment may say otherwise once.
    await vi.waitFor(() => expect(sum(7)).toBe(sum(4096)));
  });

  test('long strings can be left out by whoever owns them', () => {
    const prompt = 'system prompt '.repeat(40);
    const walk = new Walk({ onLongString: (text) => text === prompt });
    walk.value({ prompt, short: 'x'.repeat(100) });
    while (step(walk, () => true));
    expect(walk.bytes).toBe(40 + 120);
  });
});
