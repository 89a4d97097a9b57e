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
