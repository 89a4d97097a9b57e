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
    open: ['process/session:one', 'process/session:two', 'process/session:three'],
  });
});

interface Kept {
  readonly bytesPerCall: number;
  readonly runs: number;
  /** Suspended runs that Mastra holds, and rows in its store. */
  readonly kept: number;
  readonly snapshots: number;
  readonly during: { readonly parked?: number };
  readonly open: { readonly parked?: number };
}

test('Mastra: a run that was created and dropped without a start is not kept', async () => {
  const alone = await result<Kept>('mastra-runs.mjs', { isGoverned: false, env: { CALLS: '60' } });
  const governed = await result<Kept>('mastra-runs.mjs', { env: { CALLS: '300' } });
  expect(alone.runs).toBe(120);
  expect(alone.bytesPerCall).toBeGreaterThan(2500);
  expect(governed.runs).toBe(0);
  // The map is the proof. The heap of a governed process moves by half a megabyte for other reasons.
  expect(governed.bytesPerCall).toBeLessThan(alone.bytesPerCall / 2);
});

test('Mastra: a run that waits for an approval is a parked scope, and is let go after the idle time of the policy', async () => {
  const env = { CALLS: '8' };
  const waiting = await result<Kept>('mastra-runs.mjs', { args: ['suspended'], env });
  expect([waiting.open.parked, waiting.kept]).toEqual([16, 16]);
  const swept = await result<Kept>('mastra-runs.mjs', {
    args: ['suspended'],
    env: { ...env, UNTIL_LEFT: '1' },
    policy: 'sessions: { idle: 1s }\n',
  });
  expect([swept.open.parked, swept.kept, swept.snapshots]).toEqual([undefined, 0, 0]);
});
