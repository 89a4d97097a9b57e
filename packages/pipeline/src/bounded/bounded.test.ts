import { setImmediate as turn } from 'node:timers/promises';
import { currentScope } from '@plimsoll/core';
import { OutputBag } from '@plimsoll/keep';
import { expect, test } from 'vitest';
import { autoSummarizing } from './auto-summarizing.ts';
import { GcController } from './gc-controller.ts';
import { memoryBounded } from './memory-bounded.ts';

const growing = async (context: { parts: string[] }, rounds: number): Promise<number> => {
  for (let i = 0; i < rounds; i++) {
    context.parts.push(String(i).repeat(20_000));
    await turn();
  }
  return context.parts.length;
};

test('below its limit a bounded stage only reports', async () => {
  const stage = memoryBounded(growing, { limit: '1MiB', at: 'fail' });
  const { value, memory, action } = await stage({ parts: [] }, 2);
  expect([value, action, memory.stage]).toEqual([2, null, 'growing']);
  expect(memory.kept).toBeGreaterThan(40_000);
});

test('with "fail" a stage over its limit is aborted and fails with its figures', async () => {
  let signal: AbortSignal | undefined;
  const stage = memoryBounded(
    async (context: { parts: string[] }) => {
      const scope = currentScope();
      signal = scope.signal;
      await growing(context, 3);
      // Goes on for ever unless somebody stops it.
      while (!scope.signal.aborted) await growing(context, 1);
    },
    { limit: '50KiB', at: 'fail', name: 'greedy' },
  );
  await expect(stage({ parts: [] })).rejects.toMatchObject({
    code: 'PLM_PIPELINE_OVER_BOUND',
    where: 'process/stage:greedy',
  });
  expect(signal?.aborted).toBe(true);
});

test('with "spill" the keepers of the stage give memory back', async () => {
  const stage = memoryBounded(
    async (context: { bag: OutputBag | null; text: string }) => {
      context.bag = new OutputBag({ maxBytes: '10MiB' });
      context.bag.put('docs', 'd'.repeat(200_000), { consumers: ['answer'] });
      context.text = 'x'.repeat(100_000);
      await turn();
    },
    { limit: '50KiB', at: 'spill', name: 'spilling' },
  );
  const context = { bag: null as OutputBag | null, text: '' };
  const { action } = await stage(context);
  expect(action?.at).toBe('spill');
  expect(action?.freed).toBeGreaterThan(190_000);
  expect(context.bag?.take('docs', 'answer')).toHaveLength(200_000);
  context.bag?.[Symbol.dispose]();
});

test('with "collect" one collection is forced and measured', async () => {
  let heap = 1000;
  let now = 0;
  const gc = new GcController({
    heap: () => ({ used: heap, limit: 2000 }),
    collect: () => void (heap = 400),
    now: () => now++,
  });
  const stage = memoryBounded(growing, { limit: '30KiB', at: 'collect', gc });
  expect((await stage({ parts: [] }, 3)).action).toMatchObject({ at: 'collect', freed: 600 });
});

test('a bounded stage needs a limit and a known action', () => {
  expect(() => memoryBounded(growing, { at: 'fail' } as never)).toThrow(/needs a bound/);
  expect(() => memoryBounded(growing, { limit: 1, at: 'explode' as never })).toThrow(/"explode"/);
});

test('collections are forced at the threshold only, and not twice in a second', () => {
  let heap = 500;
  let now = 0;
  let collected = 0;
  const gc = new GcController({
    threshold: 0.7,
    heap: () => ({ used: heap, limit: 1000 }),
    collect: () => {
      collected++;
      heap /= 2;
      now += 5;
    },
    now: () => now,
  });
  for (let i = 0; i < 100; i++) gc.between();
  expect(collected).toBe(0);
  heap = 800;
  expect(gc.between()).toEqual({ pauseMs: 5, freedBytes: 400, freedRatio: 0.5 });
  heap = 800;
  expect(gc.between()).toBeUndefined();
  now += 1000;
  expect(gc.between()).toBeDefined();
  expect(gc.stats()).toMatchObject({ collections: 2, freedRatio: 0.5, stopped: null });
});

test('forcing stops by itself when it frees little or takes much time', () => {
  let now = 0;
  const poor = new GcController({
    heap: () => ({ used: 900, limit: 1000 }),
    collect: () => undefined,
    now: () => (now += 2000),
  });
  for (let i = 0; i < 10; i++) poor.between();
  expect(poor.stats()).toMatchObject({
    collections: 3,
    stopped: 'the last 3 freed under 5 % of the heap each',
  });
  let heap = 900;
  let clock = 0;
  const slow = new GcController({
    every: 1,
    heap: () => ({ used: heap, limit: 1000 }),
    collect: () => {
      heap = 100;
      clock += 50;
    },
    now: () => clock,
  });
  for (let i = 0; i < 10; i++) {
    heap = 900;
    clock += 100;
    slow.between();
  }
  expect(slow.stats()).toMatchObject({ collections: 3, stopped: 'they may take 5 % of the time' });
});

test('a conversation stage summarises by itself and stays within its bound', async () => {
  interface Message {
    readonly role: 'user' | 'assistant';
    readonly content: string;
  }
  using chat = autoSummarizing<Message>({
    maxBytes: '16KiB',
    summarise: async ({ messages }) => `summary of ${messages.length}`,
    reply: (messages) => ({
      role: 'assistant',
      content: `${messages.length} messages seen. ${'y'.repeat(400)}`,
    }),
  });
  let last = await chat({ role: 'user', content: 'hello' });
  for (let i = 0; i < 200; i++)
    last = await chat({ role: 'user', content: `question ${i} ${'x'.repeat(400)}` });
  await chat.window.settled();
  expect(last.bytes).toBeLessThanOrEqual(16 * 1024);
  expect(last.summaries).toBeGreaterThan(0);
  await expect(chat({ role: 'user', content: 'late' }, AbortSignal.abort())).rejects.toThrow();
});
