import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { row } from '../row.ts';
import type { BenchOptions, Row } from '../row.ts';
import { preloadFile } from './variant.ts';

/** What the preload adds to the start of a process that does nothing. */
export function startUp({ quick, log }: BenchOptions): Row[] {
  const { file, built } = preloadFile();
  const repeats = quick ? 5 : 25;
  log(
    `overhead: ${repeats} starts with and without the preload${built ? '' : ', from source: build for the real figure'}`,
  );
  const dir = mkdtempSync(join(tmpdir(), 'plimsoll-overhead-'));
  const start = (flags: readonly string[]): number => {
    const started = performance.now();
    const done = spawnSync(process.execPath, [...flags, '-e', '0'], {
      cwd: dir,
      env: { ...process.env, PLIMSOLL_DIR: join(dir, '.plimsoll') },
      stdio: 'inherit',
    });
    if (done.status !== 0)
      throw new Error(`node ${flags.join(' ')} -e 0 ended with exit code ${done.status}.`);
    return performance.now() - started;
  };
  const governed = built ? ['--import', file] : ['--conditions=plimsoll-source', '--import', file];
  const added: number[] = [];
  const bare: number[] = [];
  for (let i = -2; i < repeats; i += 1) {
    // Whoever comes second finds warmer caches; take turns.
    const first = i % 2 === 0 ? start(governed) : start([]);
    const second = i % 2 === 0 ? start([]) : start(governed);
    const [withIt, without] = i % 2 === 0 ? [first, second] : [second, first];
    if (i < 0) continue;
    added.push(withIt - without);
    bare.push(without);
  }
  rmSync(dir, { recursive: true, force: true });
  return [
    row({
      metric: `start-up the preload adds${built ? '' : ' (from source)'}`,
      unit: 'ms',
      samples: added,
      goal: { atMost: 60 },
    }),
    row({ metric: 'start-up of bare node', unit: 'ms', samples: bare }),
  ];
}
