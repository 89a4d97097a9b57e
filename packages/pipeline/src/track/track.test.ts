import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { EventEmitter } from 'node:events';
import { setImmediate as turn } from 'node:timers/promises';
import { currentScope, processScope } from '@plimsoll/core';
import { exposedGc } from '@plimsoll/core/internal/exposed-gc';
import { expect, test } from 'vitest';
import { forgetWarnings } from '../warn/stage-warning.ts';
import { MemoryTracker } from './memory-tracker.ts';
import type { StageMemory } from './stage-memory.ts';
import { track } from './track.ts';
import { tracked } from './tracked.ts';

const kib = 1024;

test('a stage that keeps 50 MB says so, and one that keeps nothing says 0', async () => {
  const context: { docs: Buffer[]; history: string[] } = { docs: [], history: [] };
  const { value, memory } = await track(
    'rag',
    async () => {
      await turn();
      context.docs.push(Buffer.alloc(50 * kib * kib));
      return 'done';
    },
    { root: context, exact: true },
  );
  expect(value).toBe('done');
  expect(memory.kept).toBeGreaterThanOrEqual(50 * kib * kib);
  expect(memory.kept).toBeLessThan(50 * kib * kib + 10 * kib);
  expect(memory.external).toBe(50 * kib * kib);
  expect(memory.process.arrayBuffers).toBeGreaterThanOrEqual(0);
  expect(memory).toMatchObject({ stage: 'rag', path: 'process/stage:rag', ok: true, isExact: true });
  const idle = await track('idle', () => turn(), { root: context, exact: true });
  expect(idle.memory.kept).toBe(0);
  expect(idle.memory.before).toBe(memory.after);
});

test('without a root the returned value is what is kept; what the root reaches is not counted twice', async () => {
  const rows = Array.from({ length: 100 }, (_, i) => ({ id: i, text: 'x'.repeat(1000) + i }));
  const alone = await track('load', () => rows, { exact: true });
  expect(alone.memory.returned).toBeGreaterThan(100_000);
  expect(alone.memory.kept).toBe(alone.memory.returned);
  const context = { rows };
  const inside = await track('load', () => rows, { root: context, exact: true });
  expect(inside.memory.returned).toBe(0);
});

test('a root that shrinks is below zero, and its peak is what it was before', async () => {
  const context = { cache: new Map([['a', 'x'.repeat(100_000)]]) };
  const { memory } = await track('trim', () => context.cache.clear(), { root: context, exact: true });
  expect(memory.kept).toBeLessThan(-99_000);
  expect(memory.peak).toBe(memory.before);
});

test('2,000 calls at once: bytes, charges and errors go to the right one', async () => {
  const calls = Array.from({ length: 2000 }, async (_, i) => {
    const context: { id: number; parts: Buffer[] } = { id: i, parts: [] };
    const size = 2 * kib + 16 * i;
    const work = async (): Promise<number> => {
      for (let part = 0; part < 4; part++) {
        await turn();
        context.parts.push(Buffer.alloc(size / 4));
        currentScope().charge(i + 1);
      }
      if (i % 100 === 7) throw new Error(`call ${i}`);
      return i;
    };
    try {
      const { value, memory } = await track(`call-${i % 10}`, work, { root: context, exact: true });
      expect(value).toBe(i);
      expect(memory.external).toBe(size);
      expect(memory.kept - size).toBeGreaterThan(0);
      expect(memory.kept - size).toBeLessThan(1000);
      expect(memory.charged).toBe(4 * (i + 1));
      expect(memory.process.isAlone).toBe(false);
      return 0;
    } catch (error) {
      expect((error as Error).message).toBe(`call ${i}`);
      return 1;
    }
  });
  expect((await Promise.all(calls)).filter((failed) => failed === 1)).toHaveLength(20);
  expect(processScope().children()).toEqual([]);
});

test('calls share one timer, however many there are', async () => {
  const started: string[] = [];
  const { setInterval: interval, setTimeout: timeout } = globalThis;
  globalThis.setInterval = ((...args: Parameters<typeof interval>) => {
    started.push('interval');
    return interval(...args);
  }) as typeof interval;
  globalThis.setTimeout = ((...args: Parameters<typeof timeout>) => {
    started.push('timeout');
    return timeout(...args);
  }) as typeof timeout;
  try {
    for (let i = 0; i < 50; i++) await track('short', () => i, { root: { i } });
  } finally {
    Object.assign(globalThis, { setInterval: interval, setTimeout: timeout });
  }
  expect(started.length).toBeLessThanOrEqual(1);
});

test('the scope of a call closes with the bytes of its root, although it never became a root', async () => {
  const closed: { readonly path: string; readonly rootBytes?: number }[] = [];
  const listener = (message: unknown): void => void closed.push(message as (typeof closed)[0]);
  subscribe('plimsoll:scope.close', listener);
  const context = { text: '' };
  const { memory } = await track('grows', () => void (context.text = 'z'.repeat(50_000)), {
    root: context,
    exact: true,
  });
  unsubscribe('plimsoll:scope.close', listener);
  expect(closed).toMatchObject([{ path: 'process/stage:grows', rootBytes: memory.after }]);
  expect(memory.after).toBeGreaterThan(50_000);
});

test('listeners and timers that a call leaves are counted while that is asked for', async () => {
  const bus = new EventEmitter();
  const on = EventEmitter.prototype.on;
  const timers: NodeJS.Timeout[] = [];
  const work = async (): Promise<void> => {
    bus.on('event', () => undefined);
    const taken = (): void => undefined;
    bus.on('event', taken);
    await turn();
    bus.off('event', taken);
    timers.push(setInterval(() => undefined, 60_000));
    clearTimeout(setTimeout(() => undefined, 60_000));
  };
  const [{ memory }, other] = await Promise.all([
    track('leaky', work, { attachments: true }),
    track('clean', () => turn(), { attachments: true }),
  ]);
  expect(memory).toMatchObject({ listeners: 1, timers: 1 });
  expect(other.memory).toMatchObject({ listeners: 0, timers: 0 });
  expect(EventEmitter.prototype.on).toBe(on);
  expect((await track('unasked', work)).memory).toMatchObject({ listeners: null, timers: null });
  timers.forEach((timer) => clearInterval(timer));
});

test('collections are counted with what they reclaimed', async () => {
  const gc = exposedGc();
  const { memory } = await track('churn', async () => {
    // A call of 50 ms that ran alone has readings of its own.
    const until = performance.now() + 60;
    while (performance.now() < until) await turn();
    for (let i = 0; i < 20; i++) Array.from({ length: 10_000 }, (_, j) => ({ j }));
    gc?.();
  });
  expect(memory.collections.major).toBeGreaterThanOrEqual(1);
  expect(memory.collections.reclaimedBytes).toBeGreaterThan(0);
  expect(memory.collections.reclaimedRatio).toBeGreaterThan(0);
});

test('what is allocated is sampled on demand, garbage included', async () => {
  const { memory } = await track(
    'allocate',
    () => {
      let last: unknown;
      for (let i = 0; i < 200; i++) last = Array.from({ length: 1000 }, (_, j) => ({ i, j }));
      return Array.isArray(last);
    },
    { allocated: true },
  );
  expect(memory.allocated?.bytes).toBeGreaterThan(2 * kib * kib);
  expect(memory.allocated?.sites[0]?.bytes).toBeGreaterThan(0);
  expect((await track('plain', () => 1)).memory.allocated).toBeNull();
});

test('a passed budget is told at once, on the channel and as one warning', async () => {
  forgetWarnings();
  const told: unknown[] = [];
  const listener = (message: unknown): void => void told.push(message);
  subscribe('plimsoll:stage.warning', listener);
  const context = { text: '' };
  const grow = (): void => {
    context.text = 'x'.repeat(100_000);
  };
  await track('bounded', grow, { root: context, budget: '64KiB' });
  await track('bounded', grow, { root: context, budget: '64KiB' });
  unsubscribe('plimsoll:stage.warning', listener);
  expect(told).toHaveLength(1);
  expect(told[0]).toMatchObject({
    code: 'PLM_PIPELINE_OVER_BOUND',
    stage: 'bounded',
    scope: 'process/stage:bounded',
  });
});

test('growth of three times the median is told', async () => {
  forgetWarnings();
  const told: string[] = [];
  const listener = (message: unknown): void => void told.push((message as { code: string }).code);
  subscribe('plimsoll:stage.warning', listener);
  const context = { texts: [] as string[] };
  const grow = (bytes: number): Promise<unknown> =>
    track('median', () => void context.texts.push('y'.repeat(bytes)), { root: context, exact: true });
  for (let i = 0; i < 10; i++) await grow(100_000);
  expect(told).toEqual([]);
  await grow(1_000_000);
  unsubscribe('plimsoll:stage.warning', listener);
  expect(told).toEqual(['PLM_PIPELINE_CONTEXT_GREW']);
});

test('tracked wraps a function and decorates a method, and leaves result and this alone', async () => {
  const seen: StageMemory[] = [];
  const stage = tracked(
    'wrapped',
    async (context: { list: string[] }, word: string) => {
      context.list.push(word.repeat(100));
      return context.list.length;
    },
    { onMemory: (memory) => seen.push(memory) },
  );
  expect(await stage({ list: [] }, 'word')).toBe(1);
  expect(seen[0]?.kept).toBeGreaterThan(400);
  class Stages {
    readonly base = 2;
    async double(n: number): Promise<number> {
      return n * this.base;
    }
  }
  const context = { kind: 'method', name: 'double' } as ClassMethodDecoratorContext;
  using tracker = new MemoryTracker({ attachments: false });
  const plain = tracked(Stages.prototype.double, context);
  const bounded = tracked({ budget: '1MiB' })(Stages.prototype.double, context);
  expect(await plain.call(new Stages(), 4)).toBe(8);
  expect(await bounded.call(new Stages(), 5)).toBe(10);
  expect(tracker.rows()).toMatchObject([{ stage: 'double', calls: 2 }]);
});

test('options that cannot be meant are refused', async () => {
  await expect(track('x', () => 1, { budget: 'many' })).rejects.toMatchObject({
    code: 'PLM_KEEP_BAD_OPTION',
  });
});
