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
  }
  const env = { CALLS: '200' };
  const alone = await result<Kept>('langgraph-left.mjs', { isGoverned: false, env });
  const governed = await result<Kept>('langgraph-left.mjs', { env });
  expect(alone.listeners).toBe(600);
  // One of ours for all calls that are not collected yet, or none.
  expect(governed.listeners).toBeLessThanOrEqual(1);
});
