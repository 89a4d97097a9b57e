import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { batchOf, processAt, run } from '../../packages/ledger/src/folder.fixture.ts';
import { settle } from '../../packages/ledger/src/options.ts';
import { Writer } from '../../packages/ledger/src/worker/writer.ts';

const MiB = 1024 ** 2;
const day = 86_400_000;

/** Writes what a server leaves behind that ran for a month and told of itself every 15 s; returns how many samples that are. */
export function writeMonth(dir: string, end: number): number {
  const ledgerDir = join(dir, 'ledger');
  mkdirSync(ledgerDir, { recursive: true, mode: 0o700 });
  const begin = end - 30 * day;
  const writer = new Writer(
    {
      settings: settle({ dir: ledgerDir }),
      run: { ...run, pid: 2 ** 30, started: begin },
      openRuns: [],
      confirmed: new Int32Array(new SharedArrayBuffer(8)),
    },
    () => end,
  );
  let batch = 0;
  let count = 0;
  for (let from = begin; from < end; from += day) {
    const samples = [];
    for (let at = from; at < from + day; at += 15_000) {
      const rise = ((at - begin) / (30 * day)) * 60;
      const used = Math.round((80 + rise + ((at / 60_000) % 9) * 3) * MiB);
      samples.push(
        processAt(at, used, { floor: Math.round((76 + rise) * MiB), limit: 200 * MiB, rss: used + 70 * MiB }),
      );
    }
    count += samples.length;
    writer.handle({ type: 'samples', batch: batchOf(++batch, samples) });
    while (writer.upkeep().more);
  }
  writer.close();
  return count;
}
