import { beforeAll, expect, test } from 'vitest';
import { installFrameworks, result } from './frameworks.ts';

beforeAll(installFrameworks, 300_000);

interface Tree {
  readonly text: string;
  readonly first: readonly string[];
  readonly inside: readonly string[];
  readonly open: readonly string[];
}

test('LangGraph: threads, graphs, nodes and tools are scopes, closed after an early exit, an error and an abort, too', async () => {
  const planner = 'process/session:one/agent:planner';
  const researcher = `${planner}/stage:plan/tool:search/agent:researcher`;
  expect(await result<Tree>('langgraph-tree.mjs')).toEqual({
    text: 'thought!',
    first: [
      'process/session:one',
      planner,
      `${planner}/stage:plan`,
      `${planner}/stage:plan/tool:search`,
      researcher,
      `${researcher}/stage:think`,
      `${planner}/stage:answer`,
    ],
    // The code of nodes runs inside their scopes, also in a graph inside a tool.
    inside: [`${planner}/stage:plan`, `${researcher}/stage:think`],
    open: ['process/session:one', 'process/session:two', 'process/session:three'],
  });
});

test('LangGraph: a call leaves no listener on a signal that lives as long as the process', async () => {
  interface Kept {
    readonly listeners: number;
    readonly bytesPerCall: number;
    readonly objectsPerCall: number;
  }
  const env = { CALLS: '100' };
  const alone = await result<Kept>('langgraph-left.mjs', { isGoverned: false, env });
  const governed = await result<Kept>('langgraph-left.mjs', { env });
  expect(alone.listeners).toBe(300);
  // One of ours for all calls that are not collected yet, or none.
  expect(governed.listeners).toBeLessThanOrEqual(1);
  expect(governed.objectsPerCall).toBeLessThan(0.05);
});

test('LangGraph: a bounded MemorySaver keeps the newest state of each thread, and no more threads than allowed', async () => {
  interface Talk {
    readonly turns: number;
    readonly bytes: number;
  }
  const { alone, bounded, threads } = await result<{ alone: Talk; bounded: Talk; threads: string[] }>(
    'checkpoints.mjs',
  );
  expect(bounded.turns).toBe(alone.turns);
  // Unbounded it is quadratic: 40 turns hold about 40 times what the last one does.
  expect(alone.bytes).toBeGreaterThan(20 * bounded.bytes);
  expect(threads).toEqual(['t25', 't26', 't27', 't28', 't29']);
});

test('LangGraph: MemorySaver is bounded by the policy without code, and its bytes are those of the session', async () => {
  interface Talk {
    readonly alone: { readonly turns: number; readonly bytes: number };
    readonly charged: Readonly<Record<string, number>>;
  }
  const env = { ALONE: '1' };
  const free = await result<Talk>('checkpoints.mjs', { env });
  const bound = await result<Talk>('checkpoints.mjs', {
    env,
    policy: 'sessions: { checkpoints: { keep: 1 } }\n',
  });
  expect(free.charged).toEqual({ one: free.alone.bytes });
  expect(bound.alone.turns).toBe(free.alone.turns);
  expect(free.alone.bytes).toBeGreaterThan(20 * bound.alone.bytes);
  expect(bound.charged).toEqual({ one: bound.alone.bytes });
});
