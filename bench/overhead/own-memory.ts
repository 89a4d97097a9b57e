import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { row } from '../row.ts';
import type { BenchOptions, Row } from '../row.ts';

const mebibyte = 1024 * 1024;
const preload = resolve(import.meta.dirname, '../../packages/host/src/register.ts');
const script = resolve(import.meta.dirname, 'million-sessions.ts');

/** Bytes held at each mark. */
type Course = readonly number[];

/** What a governed process holds more than a bare one after sessions that are all gone, at two counts a decade apart. */
export function ownMemory({ quick, log }: BenchOptions): Row[] {
  const [few, many] = quick ? [10_000, 100_000] : [100_000, 1_000_000];
  const runs: { governed: Course; bare: Course }[] = [];
  for (let i = 0; i < (quick ? 1 : 3); i += 1) {
    log(`overhead: ${many.toLocaleString('en-US')} sessions, run ${i + 1}`);
    const marks = [few, many];
    runs.push({
      governed: courseOf('governed', ['--import', preload], marks),
      bare: courseOf('bare', [], marks),
    });
  }
  const more = runs.map(({ governed, bare }) => ((governed[1] ?? 0) - (bare[1] ?? 0)) / mebibyte);
  const growth = runs.map(({ governed: [first, last] }) => ((last ?? 0) - (first ?? 0)) / mebibyte);
  const [fewText, manyText] = [few.toLocaleString('en-US'), many.toLocaleString('en-US')];
  return [
    row({
      metric: `own memory after ${manyText} sessions`,
      unit: 'MiB',
      samples: more,
      goal: { atMost: 16 },
    }),
    row({
      metric: `own memory, growth from ${fewText} to ${manyText} sessions`,
      unit: 'MiB',
      samples: growth,
      goal: { atMost: 0.5 },
    }),
  ];
}

function courseOf(mode: string, flags: readonly string[], marks: readonly number[]): Course {
  const dir = mkdtempSync(join(tmpdir(), 'plimsoll-overhead-'));
  const done = spawnSync(
    process.execPath,
    ['--expose-gc', '--conditions=plimsoll-source', ...flags, script, mode, ...marks.map(String)],
    {
      cwd: dir,
      env: { ...process.env, PLIMSOLL_DIR: join(dir, '.plimsoll') },
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  rmSync(dir, { recursive: true, force: true });
  if (done.status !== 0) throw new Error(`The session loop ended with exit code ${done.status}.`);
  return JSON.parse(done.stdout) as Course;
}
