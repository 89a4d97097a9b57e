import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openLedger } from '@plimsoll/ledger';
import type { HistoryAnswer } from '../../packages/host/src/protocol/api.ts';
import { row } from '../row.ts';
import type { BenchOptions, Row } from '../row.ts';
import { Dashboard } from './subject.ts';

const day = 86_400_000;
const rhythmMs = 10_000;

/** A month of a server, a sample every ten seconds and its five heaviest scopes every minute, asked for over HTTP as the page does. */
export async function historyTime({ quick, log }: BenchOptions): Promise<Row[]> {
  const days = quick ? 2 : 30;
  const dir = mkdtempSync(join(tmpdir(), 'plimsoll-history-'));
  const end = Date.now();
  const begin = end - days * day;
  log(`dashboard: writing ${days} days`);
  await write(join(dir, 'ledger'), begin, end);
  const dashboard = await Dashboard.start(dir, '--ledger', 'ledger');
  const spans = [
    { name: `${days} days, 1000 points`, from: begin, to: end },
    { name: 'zoom to a day, 1000 points', from: end - day, to: end },
    { name: 'zoom to an hour, 1000 points', from: end - 3_600_000, to: end },
  ];
  const rows: Row[] = [];
  try {
    for (const { name, from, to } of spans) {
      const samples: number[] = [];
      for (let i = -3; i < (quick ? 5 : 40); i += 1) {
        const begun = performance.now();
        const url = `${dashboard.address}/api/history?from=${from + i}&to=${to}&points=1000`;
        const answer = (await (await fetch(url)).json()) as HistoryAnswer;
        if (answer.rows.length === 0) throw new Error('The history is empty.');
        if (i >= 0) samples.push(performance.now() - begun);
      }
      rows.push(row({ metric: `history of ${name}`, unit: 'ms', samples, goal: { atMost: 50 } }));
    }
  } finally {
    await dashboard.stop();
    rmSync(dir, { recursive: true, force: true });
  }
  return rows;
}

async function write(dir: string, begin: number, end: number): Promise<void> {
  const ledger = openLedger({
    dir,
    batchMs: 50,
    queueRows: 1_000_000,
    upkeepMs: 100,
    retention: { rawMs: 7 * day },
  });
  let written = 0;
  for (let at = begin; at < end; at += rhythmMs) {
    const usedBytes = 1e8 + (at % day);
    const parts = { heapUsed: 9e7, external: 1e7, arrayBuffers: 1e6, rss: 2e8, loopDelayMs: 2, floor: 8e7 };
    ledger.sample({ at, scope: 'process', usedBytes, limit: 4e8, ...parts, level: 'normal' });
    if (at % 60_000 < rhythmMs)
      for (let i = 0; i < 5; i += 1) ledger.sample({ at, scope: `process/agent:a${i}`, bytes: 1e6 * i });
    if (++written % 20_000 === 0) await ledger.flush();
  }
  await ledger.flush();
  // The roll-ups follow by and by; what is not merged yet is read raw.
  await new Promise((resolve) => setTimeout(resolve, 5000));
  await ledger.close();
}
