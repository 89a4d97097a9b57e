import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { row } from '../row.ts';
import type { BenchOptions, Row } from '../row.ts';

const mebibyte = 1024 * 1024;
const preload = resolve(import.meta.dirname, '../../packages/plimsoll/src/register.ts');

/** What Plimsoll keeps of sessions that are gone, at two counts a decade apart. */
export function ownMemory({ quick, log }: BenchOptions): Row[] {
  const [few, many] = quick ? [10_000, 100_000] : [100_000, 1_000_000];
  const retained: number[][] = [];
  for (let i = 0; i < (quick ? 1 : 3); i += 1) {
    log(`overhead: ${many.toLocaleString('en-US')} sessions, run ${i + 1}`);
    const dir = mkdtempSync(join(tmpdir(), 'plimsoll-overhead-'));
    const script = resolve(import.meta.dirname, 'million-sessions.ts');
    const flags = ['--expose-gc', '--conditions=plimsoll-source', '--import', preload];
    const done = spawnSync(process.execPath, [...flags, script, String(few), String(many)], {
      cwd: dir,
      env: { ...process.env, PLIMSOLL_DIR: join(dir, '.plimsoll') },
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    rmSync(dir, { recursive: true, force: true });
    if (done.status !== 0) throw new Error(`The session loop ended with exit code ${done.status}.`);
    retained.push(JSON.parse(done.stdout) as number[]);
  }
  const at = (index: number): number[] => retained.map((run) => (run[index] as number) / mebibyte);
  return [
    row({
      metric: `own memory after ${many.toLocaleString('en-US')} sessions`,
      unit: 'MiB',
      samples: at(1),
      goal: { atMost: 16 },
    }),
    row({
      metric: `own memory, growth from ${few.toLocaleString('en-US')} to ${many.toLocaleString('en-US')} sessions`,
      unit: 'MiB',
      samples: retained.map(([first = 0, last = 0]) => (last - first) / mebibyte),
      goal: { atMost: 0.5 },
    }),
  ];
}
