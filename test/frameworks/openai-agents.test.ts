import { spawnSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { installFrameworks, result } from './frameworks.ts';

beforeAll(installFrameworks, 300_000);

test('OpenAI Agents: groups, runs, agents, turns and tools are scopes, closed after an early exit, an error and an abort, too', async () => {
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
    rest: [
      'process/session:two',
      ...['left', 'failing'].flatMap((name) => run('two', name)),
      'process/session:three',
      ...run('three', 'aborted'),
    ],
    open: ['process/session:one', 'process/session:two', 'process/session:three'],
  });
});

test('OpenAI Agents: a server that is asked for a verdict ends on SIGTERM as it does alone', () => {
  const dir = mkdtempSync(join(tmpdir(), 'plimsoll-agents-'));
  const program = join(import.meta.dirname, 'programs/openai-agents-end.mjs');
  const cli = resolve(import.meta.dirname, '../../packages/plimsoll/src/cli.ts');
  const report = ['run', '--dir', dir, '--report', join(dir, 'report.json'), '--', process.execPath, program];
  const codeOf = (args: readonly string[]): number | null =>
    spawnSync(process.execPath, args, { cwd: import.meta.dirname, stdio: 'ignore' }).status;
  expect(codeOf([program])).toBe(0);
  expect(codeOf(['--conditions=plimsoll-source', cli, ...report])).toBe(0);
});

function run(session: string, name: string): readonly string[] {
  const path = `process/session:${session}/run:${name}`;
  return [path, `${path}/agent:${name}`, `${path}/agent:${name}/stage:turn`];
}
