import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { installedProject } from '../installed.ts';
import { row } from '../row.ts';
import type { BenchOptions, Row } from '../row.ts';

const script = resolve(import.meta.dirname, 'idle-scopes.mjs');
/** Open scopes, and the CPU in ms per second that governing may add. */
const goals = [
  [1000, 1],
  [10_000, 3],
  [100_000, 12],
] as const;

const governed = ['--import', '@plimsoll/host'];

interface Idle {
  readonly perSecond: number;
  readonly longestMs: number;
}

/** CPU that governing adds to an idle process with many open scopes, with the installed packages. */
export function scale({ quick, log }: BenchOptions): Row[] {
  const project = installedProject(log);
  const repeats = quick ? 1 : 3;
  return goals.slice(0, quick ? 2 : 3).flatMap(([count, goal]) => {
    const scopes = count.toLocaleString('en-US');
    const added: number[] = [];
    const longest: number[] = [];
    const bare = idle(project, count, 'cpu', []);
    for (let i = 0; i < repeats; i += 1) {
      log(`overhead: ${scopes} open scopes, ${i + 1} of ${repeats}`);
      added.push(idle(project, count, 'cpu', governed).perSecond - bare.perSecond);
      longest.push(idle(project, count, 'turns', governed).longestMs);
    }
    return [
      row({
        metric: `scale: CPU added with ${scopes} open scopes`,
        unit: 'ms/s',
        samples: added,
        goal: { atMost: goal },
      }),
      row({
        metric: `scale: longest turn with ${scopes} open scopes`,
        unit: 'ms',
        samples: longest,
        goal: { atMost: 10 },
      }),
    ];
  });
}

function idle(cwd: string, count: number, what: 'cpu' | 'turns', flags: readonly string[]): Idle {
  const dir = mkdtempSync(join(tmpdir(), 'plimsoll-scale-'));
  const core = pathToFileURL(join(cwd, 'node_modules/@plimsoll/core/dist/index.js')).href;
  const done = spawnSync(
    process.execPath,
    ['--max-old-space-size=4000', ...flags, script, String(count), core, what],
    {
      cwd,
      env: { ...process.env, NODE_OPTIONS: '', PLIMSOLL_DIR: join(dir, '.plimsoll') },
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  rmSync(dir, { recursive: true, force: true });
  if (done.status !== 0) throw new Error(`${count} open scopes ended with exit code ${done.status}.`);
  return JSON.parse(done.stdout) as Idle;
}
