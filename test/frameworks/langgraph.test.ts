import { beforeAll, expect, test } from 'vitest';
import { installFrameworks, result } from './frameworks.ts';

beforeAll(installFrameworks, 300_000);

interface Tree {
  readonly text: string;
  readonly first: readonly string[];
  readonly inside: readonly string[];
  readonly rest: readonly string[];
  readonly open: readonly string[];
}

test('LangGraph: threads, graphs, nodes and tools are scopes, closed after an early exit, an error and an abort, too', async () => {
  const planner = 'process/session:one/agent:planner';
  const researcher = `${planner}/stage:plan/tool:search/agent:researcher`;
  const two = 'process/session:two';
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
    // A stream whose reader leaves after the first node, a node that fails, and a run that is aborted before its first node.
    rest: [
      two,
      `${two}/agent:planner`,
      `${two}/agent:planner/stage:plan`,
      `${two}/agent:planner/stage:plan/tool:search`,
      `${two}/agent:planner/stage:plan/tool:search/agent:researcher`,
      `${two}/agent:planner/stage:plan/tool:search/agent:researcher/stage:think`,
      `${two}/agent:planner/stage:answer`,
      'process/session:three',
      'process/session:three/agent:failing',
      'process/session:three/agent:failing/stage:fail',
      'process/session:three/agent:planner',
    ],
    open: ['process/session:one', 'process/session:two', 'process/session:three'],
  });
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
