import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';

const starter = resolve(import.meta.dirname, 'fixtures/group-starter.ts');

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

test.each(['is killed', 'throws'])(
  'what a test started ends with its worker, also when that %s',
  async (how) => {
    const worker = spawn(process.execPath, [starter, how === 'throws' ? 'throw' : 'wait'], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    let said = '';
    worker.stdout.setEncoding('utf8').on('data', (chunk: string) => (said += chunk));
    const pids = (): number[] => said.trim().split('\n').filter(Boolean).map(Number);
    await expect.poll(() => pids().length).toBe(2);
    expect(pids().map(isAlive)).toEqual([true, true]);
    if (how === 'is killed') worker.kill('SIGKILL');
    else await once(worker, 'exit');
    await expect.poll(() => pids().filter(isAlive)).toEqual([]);
  },
);
