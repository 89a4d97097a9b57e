import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { row } from '../row.ts';
import type { BenchOptions, Row } from '../row.ts';

const root = resolve(import.meta.dirname, '../..');
const program = 'process.on("exit", () => console.log(JSON.stringify(process.cpuUsage())))';

interface Start {
  readonly wallMs: number;
  readonly cpuMs: number;
}

/** What the preload adds to a process that does nothing, from start to exit, built as a user gets it. */
export function startUp({ quick, log }: BenchOptions): Row[] {
  const built = spawnSync(
    process.execPath,
    [resolve(root, 'node_modules/typescript/bin/tsc'), '-b', 'packages/plimsoll'],
    {
      cwd: root,
    },
  );
  if (built.status !== 0) throw new Error(`The packages do not build:\n${built.stdout.toString()}`);
  const repeats = quick ? 5 : 25;
  log(`overhead: ${repeats} starts with and without the preload`);
  const dir = mkdtempSync(join(tmpdir(), 'plimsoll-overhead-'));
  const governed = (): Start => start(dir, ['--import', resolve(root, 'packages/host/dist/register.js')]);
  const bare = (): Start => start(dir, []);
  const pairs: { governed: Start; bare: Start }[] = [];
  for (let i = -2; i < repeats; i += 1) {
    // Whoever comes second finds warmer caches; take turns.
    const first = i % 2 === 0 ? governed() : bare();
    const second = i % 2 === 0 ? bare() : governed();
    if (i >= 0)
      pairs.push(i % 2 === 0 ? { governed: first, bare: second } : { governed: second, bare: first });
  }
  rmSync(dir, { recursive: true, force: true });
  const added = (of: keyof Start): number[] => pairs.map((pair) => pair.governed[of] - pair.bare[of]);
  return [
    row({ metric: 'start-up the preload adds', unit: 'ms', samples: added('wallMs'), goal: { atMost: 60 } }),
    row({ metric: 'start-up the preload adds, CPU', unit: 'ms', samples: added('cpuMs') }),
    row({ metric: 'start-up of bare node', unit: 'ms', samples: pairs.map((pair) => pair.bare.wallMs) }),
  ];
}

function start(dir: string, flags: readonly string[]): Start {
  const started = performance.now();
  const done = spawnSync(process.execPath, [...flags, '-e', program], {
    cwd: dir,
    env: { ...process.env, PLIMSOLL_DIR: join(dir, '.plimsoll') },
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const wallMs = performance.now() - started;
  if (done.status !== 0) throw new Error(`node ${flags.join(' ')} ended with exit code ${done.status}.`);
  const { user, system } = JSON.parse(done.stdout) as NodeJS.CpuUsage;
  return { wallMs, cpuMs: (user + system) / 1000 };
}
