import { beforeAll, expect, test } from 'vitest';
import { installFrameworks, result } from './frameworks.ts';

beforeAll(installFrameworks, 300_000);

test('OpenAI Agents: groups, runs, agents, turns and tools are scopes, closed after an early exit and an error, too', async () => {
  const planner = 'process/session:one/run:chat/agent:planner';
  const researcher = `${planner}/stage:turn/tool:ask/run:Agent workflow/agent:researcher`;
  expect(await result('openai-agents-tree.mjs')).toEqual({
    finalOutput: 'done',
    first: [
      'process/session:one',
      'process/session:one/run:chat',
      planner,
      `${planner}/stage:turn`,
      `${planner}/stage:turn/tool:ask`,
      `${planner}/stage:turn/tool:ask/run:Agent workflow`,
      researcher,
      `${researcher}/stage:turn`,
      `${researcher}/stage:turn/tool:search`,
      `${researcher}/stage:turn`,
      `${planner}/stage:turn`,
    ],
    inside: [`${researcher}/stage:turn`],
    open: ['process/session:one', 'process/session:two'],
  });
});
