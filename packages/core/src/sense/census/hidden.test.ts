/** What the census finds in objects whose insides JavaScript cannot read. */
import { Session } from 'node:inspector';
import { PassThrough } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { open, roster } from '../../scope/index.ts';
import { systemClock } from '../clock.ts';
import { Census } from './census.ts';
import { Lens } from './lens.ts';

const textOf = (length: number): string => Buffer.alloc(length, 'word ').toString();

async function bytesOf(root: object): Promise<number> {
  await using scope = open('session', 'a', { root });
  using census = new Census({ roster });
  // What lies behind something hidden may hide something itself.
  for (let i = 0; i < 6; i++) {
    census.completeRotation();
    census.lookInside();
    // Weak references that were followed hold on until their task ends.
    await sleep(1);
  }
  census.completeRotation();
  return census.bytesOf(scope)?.bytes ?? 0;
}

test('a generator that waits holds its variables', async () => {
  function* steps(): Generator<number> {
    const text = textOf(5000);
    yield text.length;
    yield text.length + 1;
  }
  async function* reads(): AsyncGenerator<number> {
    const text = textOf(5000);
    yield text.length;
    yield text.length + 1;
  }
  const waiting = [steps(), reads()];
  for (const generator of waiting) await generator.next();
  const bytes = await bytesOf({ waiting });
  expect(bytes).toBeGreaterThan(10_000);
  expect(bytes).toBeLessThan(12_500);
});

test('a weak map holds values for the keys of the scope', async () => {
  const keys = [{ id: 1 }, { id: 2 }];
  const side = new WeakMap(keys.map((key) => [key, { text: textOf(4000 + key.id) }]));
  const bytes = await bytesOf({ keys, side });
  expect(bytes).toBeGreaterThan(8000);
  expect(bytes).toBeLessThan(9000);
});

test('a proxy holds its target, and no trap runs', async () => {
  const trap = vi.fn<() => never>();
  const handler = {
    get: trap,
    ownKeys: trap,
    getPrototypeOf: trap,
    getOwnPropertyDescriptor: trap,
    has: trap,
  };
  const bytes = await bytesOf({ proxy: new Proxy({ text: textOf(5000) }, handler) });
  expect(bytes).toBeGreaterThan(5000);
  expect(bytes).toBeLessThan(6500);
  expect(trap).not.toHaveBeenCalled();
});

test('a bound function holds its arguments', async () => {
  const bytes = await bytesOf({ later: ((list: string[]) => list.length).bind(undefined, [textOf(5000)]) });
  expect(bytes).toBeGreaterThan(5000);
  expect(bytes).toBeLessThan(5800);
});

test('what a running timer reaches is held by Node.js, also when the session refers to it', async () => {
  const big = { text: textOf(9000) };
  const small = { text: textOf(700) };
  const timer = setTimeout(() => big.text.length, 3_600_000).unref();
  try {
    const running = await bytesOf({ timer, big, small });
    expect(running).toBeGreaterThan(700);
    expect(running).toBeLessThan(2000);
  } finally {
    clearTimeout(timer);
  }
  expect(await bytesOf({ timer, big, small })).toBeGreaterThan(9700);
});

test('a stream leads to no variables of Node.js, and through them to the whole program', async () => {
  const stream = new PassThrough();
  stream.write(textOf(100));
  const bytes = await bytesOf({ stream });
  expect(bytes).toBeGreaterThan(500);
  expect(bytes).toBeLessThan(12_000);
});

test('the stack of an error is not read', async () => {
  const prepare = vi.fn<() => string>();
  const { prepareStackTrace } = Error;
  const failure = new Error('no answer');
  Error.prepareStackTrace = prepare;
  try {
    await bytesOf(failure);
    expect(prepare).not.toHaveBeenCalled();
  } finally {
    Error.prepareStackTrace = prepareStackTrace;
  }
});

test('few functions with a prototype are looked into, because a look makes V8 create that', () => {
  const lens = new Lens(systemClock);
  const make = (text: string): (() => number) =>
    function later() {
      return text.length;
    };
  const functions = Array.from({ length: 100 }, (_, i) => make(textOf(100 * i + 1)));
  for (const each of functions) lens.ask(each, 'session');
  while (lens.waiting > 0) lens.look();
  const known = functions.filter((each) => lens.of(each) !== undefined).length;
  expect(known).toBeGreaterThan(5);
  expect(known).toBeLessThan(20);
  lens.close();
});

test('a list in a private field was pushed to, and one that a promise results in was not', async () => {
  class Job {
    readonly #tries: number[] = [];
    try(at: number): number {
      return this.#tries.push(at);
    }
  }
  const job = new Job();
  job.try(1);
  const room = 17 * 8;
  expect(await bytesOf(job)).toBeGreaterThan(32 + 16 + room);
  expect(await bytesOf(Promise.resolve([1]))).toBeLessThan(48 + 32 + 16 + room);
});

test('a private field that got another value is looked into again, and the former figure stays until then', async () => {
  class Log {
    #lines = [textOf(3000)];
    replace(length: number): number {
      this.#lines = [...this.#lines, textOf(length)];
      return this.#lines.length;
    }
  }
  const log = new Log();
  await using scope = open('session', 'a', { root: log });
  using census = new Census({ roster });
  census.completeRotation();
  const before = census.bytesOf(scope)?.bytes ?? 0;
  expect(before).toBeGreaterThan(3000);
  log.replace(5000);
  await sleep(1);
  globalThis.gc?.();
  census.completeRotation();
  expect(census.bytesOf(scope)?.bytes).toBe(before);
  census.lookInside();
  census.completeRotation();
  expect(census.bytesOf(scope)?.bytes).toBeGreaterThan(before + 5000);
});

test('an iterator holds what it goes through, which is charged once', async () => {
  const make = (): Map<string, object> => new Map([['a', { text: textOf(3000) }]]);
  const map = make();
  expect(await bytesOf({ rest: make().entries() })).toBeGreaterThan(3000 + 152);
  expect(await bytesOf({ rest: new Set([{ text: textOf(3000) }]).values() })).toBeGreaterThan(3000);
  const both = await bytesOf({ map, rest: map.values() });
  const alone = await bytesOf({ map, rest: undefined });
  expect(both - alone).toBe(40);
  const list = [{ text: textOf(300) }];
  expect((await bytesOf({ list, rest: list.values() })) - (await bytesOf({ list, rest: undefined }))).toBe(
    48,
  );
});

test('a variable that a generator has not reached yet hides nothing, and others are seen as before', async () => {
  function* rows(): Generator<number, void, string> {
    const text = textOf(4000);
    for (;;) {
      const cells = (yield text.length).split(',');
      yield cells.length;
    }
  }
  const reader = rows();
  reader.next();
  expect(await bytesOf({ reader })).toBeGreaterThan(4000);
});

test('one look that fails does not end looking, and many do', () => {
  const lens = new Lens(systemClock);
  const failing = vi.spyOn(Session.prototype, 'post').mockImplementation(() => {
    throw new Error('no inspector today');
  });
  class Holder {
    readonly #text = textOf(500);
    get length(): number {
      return this.#text.length;
    }
  }
  try {
    for (let i = 0; i < 8; i++) {
      lens.ask(new Holder(), 'session', { isRoot: true });
      expect(lens.isOff).toBe(false);
      lens.look();
    }
  } finally {
    failing.mockRestore();
  }
  expect(lens.isOff).toBe(true);
});
