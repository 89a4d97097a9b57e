import { beforeAll, expect, test } from 'vitest';
import { installFrameworks, result } from './frameworks.ts';

beforeAll(installFrameworks, 300_000);

test.each([
  ['without observability', {}],
  ['with spans of @mastra/observability', { OBSERVED: '1' }],
])('Mastra %s: threads, agents, workflows and tools are scopes, all closed at the end', async (_, env) => {
  const planner = 'process/session:one/agent:planner';
  const researcher = `${planner}/tool:ask/agent:researcher`;
  expect(await result('mastra-tree.mjs', { env })).toEqual({
    text: 'done',
    first: ['process/session:one', planner, `${planner}/tool:ask`, researcher, `${researcher}/tool:search`],
    workflow: ['process/run:flow', 'process/run:flow/stage:think'],
    inside: [`${researcher}/tool:search`, 'process/run:flow/stage:think'],
    // A reader that leaves, a model that fails, and an abort.
    rest: [
      'process/session:two',
      'process/session:two/agent:left',
      'process/session:three',
      'process/session:three/agent:failing',
      'process/session:three/agent:aborted',
    ],
    open: ['process/session:one', 'process/session:two', 'process/session:three'],
  });
});

test('Mastra: what its stores keep is bounded by the policy, and nothing without one', async () => {
  const all = { runs: { success: 20, suspended: 1 }, pruned: 0 };
  expect(await result('mastra-store.mjs', { isGoverned: false })).toMatchObject(all);
  expect(await result('mastra-store.mjs')).toMatchObject(all);
  // A run that waits for its answer stays. The retention of a store elsewhere is the program's own, and is applied once an hour.
  const policy = 'sessions: { idle: 10m, checkpoints: { threads: 5 } }\n';
  expect(await result('mastra-store.mjs', { env: { MOST: '5' }, policy })).toEqual({
    runs: { success: 5, suspended: 1 },
    threads: ['t15', 't16', 't17', 't18', 't19'],
    pruned: 1,
  });
});
