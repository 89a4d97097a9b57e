import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import { row } from '../row.ts';
import type { BenchOptions, Row } from '../row.ts';

/** Nanoseconds of CPU of the two operations that sit on every request's path. */
export function scopeSpeed({ quick, log }: BenchOptions): Row[] {
  log('overhead: open, close and charge');
  const script = resolve(import.meta.dirname, 'scope-cost.ts');
  const done = spawnSync(
    process.execPath,
    ['--conditions=plimsoll-source', script, String(quick ? 10 : 100)],
    {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  if (done.status !== 0) throw new Error(`The scope loop ended with exit code ${done.status}.`);
  const samples = JSON.parse(done.stdout) as Record<'openClose' | 'whole' | 'bare' | 'charge', number[]>;
  return [
    row({ metric: 'scope open + close', unit: 'ns', samples: samples.openClose, goal: { atMost: 2000 } }),
    row({
      metric: 'scope open + signal + run + close',
      unit: 'ns',
      samples: samples.whole,
      goal: { atMost: 1200 },
    }),
    row({
      metric: 'AbortController made and aborted with an error, without a scope',
      unit: 'ns',
      samples: samples.bare,
    }),
    row({
      metric: 'charge or credit, two levels deep',
      unit: 'ns',
      samples: samples.charge,
      goal: { atMost: 50 },
    }),
  ];
}
