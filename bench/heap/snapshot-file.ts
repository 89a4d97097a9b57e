/** The snapshots that benchmarks read, made on first use. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, renameSync } from 'node:fs';
import { resolve } from 'node:path';
import type { BenchOptions } from '../row.ts';

const here = import.meta.dirname;
const results = resolve(here, '../results/heap');
const sessions = { small: 500, medium: 7000, large: 26_000 } as const;

export type Size = keyof typeof sessions;
export const sizes = Object.keys(sessions) as Size[];

export function snapshotFile(size: Size, log: BenchOptions['log']): string {
  const file = resolve(results, `${size}.heapsnapshot`);
  if (existsSync(file)) return file;
  mkdirSync(results, { recursive: true });
  log(`making ${file} (${sessions[size]} sessions) ...`);
  const draft = `${file}.draft`;
  const args = ['--max-old-space-size=8000', resolve(here, 'generate.ts'), draft, String(sessions[size])];
  const done = spawnSync(process.execPath, args, { stdio: ['ignore', 2, 2] });
  if (done.status !== 0) throw new Error(`the snapshot of size ${size} could not be made`);
  renameSync(draft, file);
  return file;
}
