/** The figures of the Stageflow report CORE-007, as tests: cycles, floods, cleanup, many agents, reclaim after heavy load. */
import { setImmediate as turn } from 'node:timers/promises';
import { processScope } from '@plimsoll/core';
import { exposedGc } from '@plimsoll/core/internal/exposed-gc';
import { keepers } from '@plimsoll/core/keeper';
import { watch } from '@plimsoll/testkit';
import { expect, test } from 'vitest';
import { agentCycle, StaleRequestPurger } from './agent-loop/index.ts';
import { autoSummarizing, memoryBounded, MemoryTracker, openSession, pipeline, track } from './index.ts';

const gc = exposedGc() as () => void;

test('of 200 cyclic contexts none survives two collections', async () => {
  interface Node {
    self?: Node;
    peer?: Node;
    readonly load: number[];
  }
  const refs: WeakRef<Node>[] = [];
  const chaos = pipeline('chaos')
    .stage('cycle', {
      run: () => {
        const node: Node = { load: Array.from({ length: 500 }, (_, i) => i / 3) };
        const peer: Node = { load: [], self: node };
        node.self = node;
        node.peer = peer;
        refs.push(new WeakRef(node));
        return node;
      },
    })
    .stage('count', { after: ['cycle'], run: ({ outputs }) => outputs.cycle.load.length });
  for (let i = 0; i < 200; i++) expect((await chaos.run()).value).toBe(500);
  await turn();
  gc();
  await turn();
  gc();
  expect(refs.filter((ref) => ref.deref() !== undefined)).toHaveLength(0);
});

test('100 and 10,000 agents at once: everything is let go of, and growth stays below 10 MB', async () => {
  const agent = pipeline<number>('agent', { maxBytes: '1MiB' })
    .stage('inbox', { run: ({ input }) => ({ input, text: 'm'.repeat(2000) }) })
    .stage('work', {
      after: ['inbox'],
      run: async ({ outputs }) => {
        await turn();
        return outputs.inbox.text.length + outputs.inbox.input;
      },
    });
  const run = async (agents: number): Promise<void> => {
    const values = await Promise.all(
      Array.from({ length: agents }, async (_, i) => (await agent.run(i)).value),
    );
    expect(values.at(-1)).toBe(2000 + agents - 1);
  };
  await run(100);
  const listed = keepers().length;
  const tracker = new MemoryTracker({ collect: true, attachments: false, maxCalls: 10 });
  await run(10_000);
  expect(processScope().children()).toEqual([]);
  expect(keepers().length).toBeLessThanOrEqual(listed);
  // What is followed by weak references goes with the collection after the next turn.
  for (let i = 0; i < 3; i++) {
    gc();
    await turn();
    await turn();
  }
  expect(tracker.finish().growth).toBeLessThan(10 * 1024 * 1024);
});

test('a flood of 5,000 and of 1,000,000 events holds 1,000 of them', async () => {
  const flood = pipeline<number>('flood').stage('emit', {
    run: ({ input, emit }) => {
      for (let i = 0; i < input; i++) emit(i);
    },
  });
  for (const events of [5000, 1_000_000]) {
    const { memory, value } = await track('flood', () => flood.run(events), { exact: true });
    expect(value.events).toHaveLength(1000);
    expect(value.dropped).toBe(events - 1000);
    expect(memory.kept).toBeLessThan(100_000);
  }
});

test('after heavy load more than half of what it took is reclaimed', async () => {
  const live = async (): Promise<number> => {
    await turn();
    gc();
    await turn();
    gc();
    return process.memoryUsage().heapUsed;
  };
  const before = await live();
  const context: { rows: object[] } = { rows: [] };
  const { memory } = await track(
    'heavy',
    () => {
      context.rows = Array.from({ length: 300_000 }, (_, i) => ({ i, text: `row ${i}` }));
    },
    { root: context, exact: true },
  );
  const loaded = await live();
  expect(memory.kept).toBeGreaterThan(10 * 1024 * 1024);
  context.rows = [];
  const reclaimed = (loaded - (await live())) / (loaded - before);
  expect(reclaimed).toBeGreaterThan(0.5);
});

/** What each component of the package is used for once. It gets an object that nothing may hold afterwards. */
const components: Readonly<Record<string, (payload: { text: string }) => Promise<unknown>>> = {
  track: async (payload) => track('once', () => payload.text.length, { root: payload }),
  MemoryTracker: async (payload) => {
    using tracker = new MemoryTracker();
    await tracker.run(() => track('once', () => payload, { root: payload }));
  },
  pipeline: async (payload) =>
    pipeline<object>('once')
      .stage('emit', { run: ({ input, emit }) => void emit(input) })
      .run(payload),
  memoryBounded: async (payload) =>
    memoryBounded((root: object) => Object.keys(root).length, { limit: '1MiB', at: 'fail', name: 'once' })(
      payload,
    ),
  autoSummarizing: async (payload) => {
    using stage = autoSummarizing<{ text: string }>({ maxBytes: '1MiB', reply: () => ({ text: 'yes' }) });
    await stage(payload);
  },
  openSession: async (payload) => {
    await using session = openSession<{ text: string }>('somebody', { preset: 'game' });
    await session.turn(payload, () => ({ text: 'yes' }));
  },
  agentCycle: async (payload) =>
    agentCycle('once', {
      inbox: () => [payload],
      tasks: (messages) => messages,
      execute: (task) => task.text.length,
    }),
  StaleRequestPurger: async (payload) => {
    using waiting = new StaleRequestPurger({ after: '30s' });
    waiting.begin('one').addEventListener('abort', () => payload.text);
  },
};

test.each(Object.keys(components))('%s lets go of 100 %% of what 100 uses of it handed in', async (name) => {
  const watched = watch();
  const use = async (i: number): Promise<void> => {
    await components[name]?.(watched.add({ text: `payload ${i}`.repeat(100) }, name));
  };
  for (let i = 0; i < 100; i++) await use(i);
  expect(watched.size).toBe(100);
  await watched.collected();
});
