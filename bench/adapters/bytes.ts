/**
 * Bytes per session against the truth: sessions of each framework wait in a tool, and the heap says what it loses when each ends.
 */
import { result } from '../../test/frameworks/frameworks.ts';
import { row } from '../row.ts';
import type { BenchOptions, Row } from '../row.ts';

export async function bytes({ log }: BenchOptions): Promise<readonly Row[]> {
  const said = await result<Record<string, { readonly ofFreed: readonly number[] }>>('session-bytes.mjs');
  return Object.entries(said).map(([name, { ofFreed }]) => {
    log(`${name}: ${ofFreed.map((percent) => `${percent} %`).join(', ')}`);
    return row({
      metric: `${name}: bytes of a session, of what its end sets free`,
      unit: 'x',
      samples: ofFreed.map((percent) => percent / 100),
      goal: { atLeast: 0.9, atMost: 1.1 },
    });
  });
}
