/** The command as npm links and starts it. */
import { existsSync, readFileSync, symlinkSync, mkdirSync, writeFileSync } from 'node:fs';
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { root, Site } from './plimsoll.ts';
import type { Report } from '../../packages/plimsoll/src/run/report.ts';

const bin = join(root, 'packages/plimsoll/bin/plimsoll.js');

const server = `
console.log('up ' + process.pid);
setInterval(() => {}, 1000);
process.on('SIGTERM', () => process.exit(0));
`;

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

test('npx that is ended with SIGTERM leaves no process behind, and the report is written', async () => {
  await using site = new Site({});
  const dir = join(site.dir, 'project');
  mkdirSync(join(dir, 'node_modules/.bin'), { recursive: true });
  symlinkSync(bin, join(dir, 'node_modules/.bin/plimsoll'));
  writeFileSync(join(dir, 'package.json'), '{"name":"project","private":true}');
  writeFileSync(join(dir, 'server.mjs'), server);
  const args = ['plimsoll', 'run', '--report', 'r.json', '--', process.execPath, 'server.mjs'];
  const npx = spawn('npx', args, {
    cwd: dir,
    env: { ...process.env, NODE_OPTIONS: '', NODE_V8_COVERAGE: '' },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  let said = '';
  npx.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()));
  await expect.poll(() => said).toMatch(/up \d+/);
  const pid = Number(/up (\d+)/.exec(said)?.[1]);
  onTestFinished(() => {
    if (isAlive(pid)) process.kill(pid, 'SIGKILL');
  });
  npx.kill('SIGTERM');
  await expect.poll(() => isAlive(pid)).toBe(false);
  await expect.poll(() => existsSync(join(dir, 'r.json'))).toBe(true);
  const report = (): string => readFileSync(join(dir, 'r.json'), 'utf8');
  await expect.poll(() => report().endsWith('}\n')).toBe(true);
  expect((JSON.parse(report()) as Report).exit.code).toBe(0);
});
