import { beforeAll, expect, test } from 'vitest';
import { installFrameworks, result } from './frameworks.ts';

beforeAll(installFrameworks, 300_000);

interface Tree {
  readonly opened: readonly string[];
  readonly inside: readonly string[];
  readonly open: readonly string[];
}

test('AI SDK: sessions, agents, steps and tools are scopes, and all but the sessions are closed at the end', async () => {
  const { opened, inside, open } = await result<Tree>('ai-tree.mjs');
  const planner = 'process/session:one/agent:planner';
  const researcher = `${planner}/stage:step/tool:ask/agent:researcher`;
  expect(opened).toEqual([
    'process/session:one',
    planner,
    `${planner}/stage:step`,
    `${planner}/stage:step/stage:model`,
    `${planner}/stage:step/tool:ask`,
    researcher,
    `${researcher}/stage:step`,
    `${researcher}/stage:step/stage:model`,
    `${researcher}/stage:step/tool:search`,
    `${researcher}/stage:step`,
    `${researcher}/stage:step/stage:model`,
    `${planner}/stage:step`,
    `${planner}/stage:step/stage:model`,
    'process/session:two',
    ...['speaker', 'left'].flatMap((name) => agent('two', name)),
    'process/session:three',
    ...['failing', 'aborted'].flatMap((name) => agent('three', name)),
  ]);
  // The code of a tool runs in the tool's scope.
  expect(inside).toEqual([`${researcher}/stage:step/tool:search`]);
  // The reader that left early, the error and the abort are closed, too. Sessions span calls.
  expect(open).toEqual(['process/session:one', 'process/session:two', 'process/session:three']);
});

function agent(session: string, name: string): readonly string[] {
  const path = `process/session:${session}/agent:${name}`;
  return [path, `${path}/stage:step`, `${path}/stage:step/stage:model`];
}

test('AI SDK: "adapters: { ai: off }" leaves the calls without scopes', async () => {
  const { opened } = await result<Tree>('ai-tree.mjs', {
    policy: 'adapters: { ai: off }\n',
    env: { NO_WAIT: '1' },
  });
  expect(opened).toEqual([]);
});
