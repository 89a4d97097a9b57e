/**
 * Bytes per session against the truth: three sessions of each framework wait in a tool, and a heap snapshot of that moment says what the
 * roots of each session dominate.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { analyze } from '../../packages/heap/src/index.ts';
import { result } from '../../test/frameworks/frameworks.ts';
import { row } from '../row.ts';
import type { BenchOptions, Row } from '../row.ts';

const sessionName = /\/session:([\w-]+)/;

export async function bytes({ log }: BenchOptions): Promise<readonly Row[]> {
  const dir = mkdtempSync(join(tmpdir(), 'plimsoll-session-bytes-'));
  try {
    const { sessions } = await result<{
      readonly sessions: Readonly<Record<string, Readonly<Record<string, number>>>>;
    }>('session-bytes.mjs', { env: { SNAPSHOTS: dir } });
    const rows: Row[] = [];
    for (const [name, said] of Object.entries(sessions)) {
      const truth = await dominated(join(dir, `${name}.heapsnapshot`));
      const ratios = Object.entries(said).map(([session, held]) => held / (truth.get(session) ?? 0));
      log(
        `${name}: ${Object.entries(said)
          .map(([session, held]) => `${session} ${held} of ${truth.get(session) ?? 0} B`)
          .join(', ')}`,
      );
      rows.push(
        row({
          metric: `${name}: bytes of a session, of what its roots dominate`,
          unit: 'x',
          samples: ratios,
          goal: { atLeast: 0.9, atMost: 1.1 },
        }),
      );
    }
    return rows;
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

/** Retained bytes of the sessions in a snapshot, by name. */
async function dominated(file: string): Promise<ReadonlyMap<string, number>> {
  const { scopes = [] } = await analyze(file);
  const sums = new Map<string, number>();
  for (const { path, retainedBytes } of scopes) {
    const session = sessionName.exec(path)?.[1];
    if (session !== undefined) sums.set(session, (sums.get(session) ?? 0) + retainedBytes);
  }
  return sums;
}
