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

interface Kept {
  readonly bytesPerCall: number;
  readonly objectsPerCall: number;
}

// About 101 KB per call are kept without a cure. With one no stream and no signal is. The heap of a governed process moves by half a megabyte
// for other reasons (readings, compiled code), which is 830 B per call here; `npm run bench -- adapters` makes 10,000 calls for the bytes.
test.each(['shared', 'any'])(
  'AI SDK: a reader that leaves early keeps nothing under the preload (%s signal)',
  { timeout: 300_000 },
  async (signal) => {
    const alone = await result<Kept>('ai-left.mjs', {
      isGoverned: false,
      args: [signal],
      env: { CALLS: '60' },
    });
    const governed = await result<Kept>('ai-left.mjs', {
      args: [signal],
      env: { CALLS: '600' },
    });
    expect(alone.bytesPerCall).toBeGreaterThan(50_000);
    expect(alone.objectsPerCall).toBeGreaterThan(1);
    expect(governed.objectsPerCall).toBeLessThan(0.01);
    expect(governed.bytesPerCall).toBeLessThan(alone.bytesPerCall / 50);
  },
);
