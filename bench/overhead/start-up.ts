import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { installedCommand, installedProject } from '../installed.ts';
import { row } from '../row.ts';
import type { BenchOptions, Row } from '../row.ts';

const probe = resolve(import.meta.dirname, 'start-probe.mjs');

/** What the probe prints: its first three seconds. */
interface Start {
  readonly firstLineMs: number;
  readonly longestMs: number;
  readonly cpuMs: number;
  readonly rssBytes: number;
  readonly ownBytes: number;
}

/** What the preload adds to the start of a server, and what the command line takes to say its help; both as installed. */
export function startUp({ quick, log }: BenchOptions): Row[] {
  const project = installedProject(log);
  const cli = installedCommand(log);
  const repeats = quick ? 3 : 15;
  log(`overhead: ${repeats} starts with and without the preload`);
  const dir = mkdtempSync(join(tmpdir(), 'plimsoll-overhead-'));
  const governed: Start[] = [];
  const bare: Start[] = [];
  for (let i = 0; i < repeats; i += 1) {
    governed.push(start(project, dir, ['--import', '@plimsoll/host']));
    bare.push(start(project, dir, []));
  }
  rmSync(dir, { recursive: true, force: true });
  const of = (runs: readonly Start[], field: keyof Start): number[] => runs.map((run) => run[field]);
  const added = (field: keyof Start, unit = 1): number[] =>
    governed.map((run, i) => (run[field] - (bare[i] as Start)[field]) / unit);
  const mebibyte = 1024 * 1024;
  return [
    row({
      metric: 'start: longest task of the main thread',
      unit: 'ms',
      samples: of(governed, 'longestMs'),
      peer: { name: 'bare server', samples: of(bare, 'longestMs') },
      goal: { of: 'ours', atMost: 20 },
    }),
    row({ metric: 'start: CPU added in 3 s', unit: 'ms', samples: added('cpuMs'), goal: { atMost: 80 } }),
    row({ metric: 'start: first line of the program later by', unit: 'ms', samples: added('firstLineMs') }),
    row({
      metric: 'start: RSS added',
      unit: 'MiB',
      samples: added('rssBytes', mebibyte),
      goal: { atMost: 20 },
    }),
    row({
      metric: 'start: memory of its own added (RSS without pages of files)',
      unit: 'MiB',
      samples: added('ownBytes', mebibyte),
    }),
    row({
      metric: 'plimsoll --help, CPU',
      unit: 'ms',
      samples: Array.from({ length: repeats }, () => cpuOf([cli, '--help'])),
      peer: {
        name: 'node -e 0',
        samples: Array.from({ length: repeats }, () => cpuOf(['-e', '0'])),
      },
      goal: { of: 'ours', atMost: 80 },
    }),
  ];
}

function start(cwd: string, dir: string, flags: readonly string[]): Start {
  const done = spawnSync(process.execPath, [...flags, probe], {
    cwd,
    env: { ...process.env, NODE_OPTIONS: '', PLIMSOLL_DIR: join(dir, '.plimsoll') },
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  if (done.status !== 0) throw new Error(`node ${flags.join(' ')} ended with exit code ${done.status}.`);
  return JSON.parse(done.stdout) as Start;
}

/** User and system time of a whole process, by the operating system. */
function cpuOf(args: readonly string[]): number {
  const done = spawnSync('/usr/bin/time', ['-f', '\n%U %S', process.execPath, ...args], { encoding: 'utf8' });
  const figures = /(\d+\.\d+) (\d+\.\d+)\s*$/u.exec(done.stderr);
  if (figures === null) throw new Error(`node ${args.join(' ')} could not be timed:\n${done.stderr}`);
  return (Number(figures[1]) + Number(figures[2])) * 1000;
}
