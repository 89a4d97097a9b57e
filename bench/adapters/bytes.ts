/**
 * Bytes per session against the truth: sessions of each framework wait in a tool, and heap snapshots say what goes when each ends. The
 * conversations are made by seeds that nothing was fitted to; `SEED=3 npm run bench -- adapters bytes` takes others.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { result } from '../../test/frameworks/frameworks.ts';
import { row } from '../row.ts';
import type { BenchOptions, Row } from '../row.ts';
import { freedBetween } from './freed.ts';

interface Measured {
  readonly bytes: readonly number[];
  readonly snapshots: readonly string[];
}

const frameworks = ['ai', 'langgraph', 'mastra', 'openai-agents', 'mcp'];

export async function bytes({ quick, args, log }: BenchOptions): Promise<readonly Row[]> {
  const first = Number(process.env['SEED'] ?? 41);
  const seeds = quick ? [first] : [first, first + 1];
  const rows: Row[] = [];
  for (const name of frameworks) {
    if (args.length > 1 && !args.includes(name)) continue;
    const samples: number[] = [];
    for (const seed of seeds) samples.push(...(await ratios(name, seed)));
    log(`${name}: ${samples.map((ratio) => ratio.toFixed(2)).join(', ')}`);
    rows.push(
      row({
        metric: `${name}: bytes of a session, of what its end sets free`,
        unit: 'x',
        samples,
        goal: { atLeast: 0.9, atMost: 1.1 },
      }),
    );
  }
  return rows;
}

async function ratios(name: string, seed: number): Promise<readonly number[]> {
  const folder = mkdtempSync(join(tmpdir(), 'plimsoll-bytes-'));
  try {
    const env = { SNAPSHOTS: folder, SEED: String(seed) };
    const said = await result<Record<string, Measured>>('session-bytes.mjs', { args: [name], env });
    const { bytes: held, snapshots } = said[name] as Measured;
    // About 9 KB go between two snapshots of a process that does nothing: the newest readings and their like.
    const freed = freedBetween(snapshots).map((bytes) => bytes - 9000);
    return freed.map((bytes, i) => (held[i] as number) / bytes);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
