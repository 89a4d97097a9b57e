/** What the ledger costs and how fast it answers; the rival is the log file a user would write instead: one JSON line per sample. */
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { open, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LedgerReader, openLedger } from '@plimsoll/ledger';
import type { Sample } from '@plimsoll/ledger';
import { settle } from '@plimsoll/ledger/internal/options';
import { SampleBatch } from '@plimsoll/ledger/internal/sample-batch';
import { Database } from '@plimsoll/ledger/internal/sqlite/database';
import { Writer } from '@plimsoll/ledger/internal/worker/writer';
import { killRounds } from '../../test/integration/ledger-kill-rounds.ts';
import { row } from '../row.ts';
import type { Benchmark, Row } from '../row.ts';

const rival = 'JSONL append';
const day = 86_400_000;

const benchmark: Benchmark = async ({ quick, args, log }) => {
  if (args.includes('kill')) return kill(quick ? 5 : 100, log);
  const repeats = quick ? 2 : 7;
  const rows: Row[] = [];
  rows.push(...(await writing(repeats, quick ? 20_000 : 100_000, log)));
  rows.push(...(await saving(repeats, log)));
  rows.push(...(await many(repeats, quick ? 3 : 30, log)));
  rows.push(...(await asking(repeats, quick ? 3 : 30, log)));
  return rows;
};

export default benchmark;

async function kill(rounds: number, log: (line: string) => void): Promise<Row[]> {
  const dir = folder();
  const result = await killRounds(dir, rounds);
  log(`${rounds} rounds, ${result.audits} audit entries and ${result.samples} samples confirmed`);
  rmSync(dir, { recursive: true, force: true });
  const lost = result.lostAudits.length + result.lostSamples.length;
  const doubled = result.doubledAudits + result.doubledSamples;
  return [
    row({
      metric: `confirmed rows lost in ${rounds} kill -9 rounds`,
      unit: 'rows',
      samples: [lost],
      goal: { atMost: 0 },
    }),
    row({ metric: 'rows stored twice', unit: 'rows', samples: [doubled], goal: { atMost: 0 } }),
    row({
      metric: 'broken chains or damaged files',
      unit: 'files',
      samples: [(result.chainWhole ? 0 : 1) + result.damaged.length],
      goal: { atMost: 0 },
    }),
  ];
}

/** Rows per second from the call to the disk, and what a sample costs the main thread. */
async function writing(repeats: number, count: number, log: (line: string) => void): Promise<Row[]> {
  const ours: number[] = [];
  const main: number[] = [];
  const theirs: number[] = [];
  const theirMain: number[] = [];
  for (let i = 0; i < repeats; i++) {
    log(`writing ${i + 1} of ${repeats}`);
    const samples = scopeSamples(count);
    const dir = folder();
    const ledger = openLedger({ dir, queueRows: count, batchMs: 60_000 });
    await ledger.audit({ kind: 'ready' });
    const began = performance.now();
    for (const sample of samples) ledger.sample(sample);
    const flushed = ledger.flush(60_000);
    // The copy to the worker is main-thread time too.
    const posted = performance.now();
    await flushed;
    ours.push((count / (performance.now() - began)) * 1000);
    main.push(((posted - began) / count) * 1e6);
    await ledger.close();
    rmSync(dir, { recursive: true, force: true });

    const line = await writeLines(samples);
    theirs.push((count / line.totalMs) * 1000);
    theirMain.push((line.mainMs / count) * 1e6);
  }
  return [
    row({
      metric: 'rows/s, batched',
      unit: 'rows/s',
      samples: ours,
      peer: { name: rival, samples: theirs },
      goal: { of: 'ours', atLeast: 100_000 },
    }),
    row({
      metric: 'main thread per sample',
      unit: 'ns',
      samples: main,
      peer: { name: rival, samples: theirMain },
    }),
  ];
}

/** 10,000 entries to the disk, and the bytes they take there. */
async function saving(repeats: number, log: (line: string) => void): Promise<Row[]> {
  const ms: number[] = [];
  const theirMs: number[] = [];
  const scopeBytes: number[] = [];
  const processBytes: number[] = [];
  const theirBytes: number[] = [];
  const audits: number[] = [];
  for (let i = 0; i < repeats; i++) {
    log(`saving ${i + 1} of ${repeats}`);
    const samples = scopeSamples(10_000);
    const dir = folder();
    const ledger = openLedger({ dir, batchMs: 60_000 });
    await ledger.audit({ kind: 'ready' });
    const began = performance.now();
    ledger.sample(samples);
    await ledger.flush(60_000);
    ms.push(performance.now() - began);
    const first = performance.now();
    for (let k = 0; k < 20; k++)
      await ledger.audit({ kind: 'level', body: { from: 'normal', to: 'warning', usedBytes: k } });
    audits.push((performance.now() - first) / 20);
    await ledger.close();
    scopeBytes.push(statSync(join(dir, 'samples.db')).size / 10_000);
    rmSync(dir, { recursive: true, force: true });
    processBytes.push(await processEntryBytes());
    const lines = await writeLines(samples);
    theirMs.push(lines.totalMs);
    theirBytes.push(lines.bytes / samples.length);
  }
  const peerBytes = { name: rival, samples: theirBytes };
  return [
    row({
      metric: '10,000 entries saved',
      unit: 'ms',
      samples: ms,
      peer: { name: rival, samples: theirMs },
      goal: { of: 'ours', atMost: 100 },
    }),
    row({
      metric: 'KB per 1,000 scope entries',
      unit: 'KB',
      samples: scopeBytes,
      peer: peerBytes,
      goal: { of: 'ours', atMost: 100 },
    }),
    row({ metric: 'KB per 1,000 process entries', unit: 'KB', samples: processBytes, goal: { atMost: 100 } }),
    row({ metric: 'one audit entry, flushed to disk', unit: 'ms', samples: audits }),
  ];
}

/** A hundred scopes over days: bytes of a raw row once upkeep has moved it, and the growth of all of them. */
async function many(repeats: number, days: number, log: (line: string) => void): Promise<Row[]> {
  log(`filling ${days} days of 100 scopes`);
  const dir = folder();
  const start = Date.now() - days * day;
  let now = start;
  const confirmed = new Int32Array(new SharedArrayBuffer(8));
  const run = { id: 1, pid: process.pid, host: 'bench', started: start };
  const writer = new Writer({ settings: settle({ dir }), run, openRuns: [1], confirmed }, () => now);
  for (let number = 1; now < start + days * day; number++) {
    const batch = new SampleBatch(10_000);
    for (let i = 0; i < 20; i++)
      for (const [s, scope] of paths.entries())
        batch.add({ at: now + i * 180_000, scope, bytes: 1_000_000 + number * s * 100 });
    writer.handle({ type: 'samples', batch: batch.pack(number) });
    now += day / 24;
    while (writer.upkeep().more);
  }
  writer.close();
  const db = new Database(join(dir, 'samples.db'));
  const raw = db.number('SELECT count(*) FROM raw');
  const reader = new LedgerReader(dir);
  const growth = Array.from({ length: repeats }, () => timed(() => reader.growth().rows.length));
  reader.close();
  const before = db.liveBytes();
  db.exec('DELETE FROM raw');
  const bytes = (before - db.liveBytes()) / raw;
  db.close();
  rmSync(dir, { recursive: true, force: true });
  return [
    row({ metric: 'disk per scope sample', unit: 'B', samples: [bytes], goal: { atMost: 22 } }),
    row({
      metric: `growth of 100 scopes over ${days} days`,
      unit: 'ms',
      samples: growth,
      goal: { atMost: 50 },
    }),
  ];
}

async function processEntryBytes(): Promise<number> {
  const dir = folder();
  const ledger = openLedger({ dir, batchMs: 60_000 });
  for (let i = 0; i < 10_000; i++) ledger.sample(processSample(Date.now() + i * 1000, i));
  await ledger.flush(60_000);
  await ledger.close();
  const { size } = statSync(join(dir, 'samples.db'));
  rmSync(dir, { recursive: true, force: true });
  return size / 10_000;
}

/** Questions to 30 days of 10-second samples of the process and one agent, rolled up. */
async function asking(repeats: number, days: number, log: (line: string) => void): Promise<Row[]> {
  const dir = folder();
  const file = join(dir, 'rival.jsonl');
  const end = Date.now();
  log(`filling ${days} days of 10-second samples`);
  const ledger = openLedger({ dir, queueRows: 1_000_000, batchMs: 60_000, upkeepMs: 20 });
  const out = await open(file, 'w');
  for (let from = end - days * day; from < end; from += day) {
    const samples: Sample[] = [];
    for (let at = from; at < from + day; at += 10_000)
      samples.push(processSample(at, at % 1000), { at, scope: 'process/agent:planner', bytes: at % 1e6 });
    ledger.sample(samples);
    await ledger.flush(60_000);
    await out.write(`${samples.map((sample) => JSON.stringify(sample)).join('\n')}\n`);
  }
  await out.close();
  const reader = new LedgerReader(dir);
  await rolledUp(reader, end - days * day, days * 8640);
  const last: number[] = [];
  const month: number[] = [];
  const growth: number[] = [];
  const theirs: number[] = [];
  for (let i = 0; i < repeats; i++) {
    log(`asking ${i + 1} of ${repeats}`);
    last.push(timed(() => reader.range({ scope: 'process', since: end - day, until: end }).points.length));
    month.push(
      timed(() => reader.range({ scope: 'process', since: end - days * day, until: end }).points.length),
    );
    growth.push(timed(() => reader.growth({ since: end - days * day, until: end }).rows.length));
    const began = performance.now();
    let seen = 0;
    for (const line of (await readFile(file, 'utf8')).split('\n')) {
      if (line === '') continue;
      const sample = JSON.parse(line) as Sample;
      if (sample.scope === 'process' && sample.at >= end - day) seen++;
    }
    if (seen === 0) throw new Error('the rival found nothing');
    theirs.push(performance.now() - began);
  }
  reader.close();
  await ledger.close();
  const size = readdirSync(dir)
    .filter((name) => name.startsWith('samples.db'))
    .reduce((sum, name) => sum + statSync(join(dir, name)).size, 0);
  log(
    `samples.db holds ${(size / 1e6).toFixed(1)} MB, the log file ${(statSync(file).size / 1e6).toFixed(1)} MB`,
  );
  rmSync(dir, { recursive: true, force: true });
  const peer = { name: `${rival}, read back`, samples: theirs };
  return [
    row({
      metric: 'last 24 h of one scope',
      unit: 'ms',
      samples: last,
      peer,
      goal: { of: 'ours', atMost: 10 },
    }),
    row({
      metric: `${days} days of one scope`,
      unit: 'ms',
      samples: month,
      peer,
      goal: { of: 'ours', atMost: 50 },
    }),
    row({ metric: `growth per hour over ${days} days`, unit: 'ms', samples: growth }),
  ];
}

/** Waits until upkeep has merged and expired: the month then answers from hours with every sample in it. */
async function rolledUp(reader: LedgerReader, since: number, expected: number): Promise<void> {
  for (let i = 0; i < 600; i++) {
    const { resolution, points } = reader.range({ scope: 'process', since, until: Date.now() });
    const seen = points.reduce((sum, point) => sum + point.samples, 0);
    if (seen !== expected) throw new Error(`the ledger answers with ${seen} of ${expected} samples`);
    const oldest = reader.samples({ scope: 'process' }).next();
    const expired = oldest.done !== true && oldest.value.at > Date.now() - 8 * day;
    const short = expected < 8 * 8640;
    if (short ? i >= 20 : resolution === 'hour' && expired) return;
    await new Promise((done) => setTimeout(done, 100));
  }
  throw new Error('upkeep did not finish in a minute');
}

async function writeLines(
  samples: readonly Sample[],
): Promise<{ totalMs: number; mainMs: number; bytes: number }> {
  const dir = folder();
  const file = await open(join(dir, 'rival.jsonl'), 'a');
  const began = performance.now();
  let text = '';
  for (const sample of samples) text += `${JSON.stringify(sample)}\n`;
  const mainMs = performance.now() - began;
  await file.write(text);
  const totalMs = performance.now() - began;
  await file.close();
  rmSync(dir, { recursive: true, force: true });
  return { totalMs, mainMs, bytes: Buffer.byteLength(text) };
}

/** A scope keeps its path as one string; so do these. */
const paths = Array.from({ length: 100 }, (_, i) => `process/agent:planner/session:${i}`);

function scopeSamples(count: number): Sample[] {
  const now = Date.now();
  return Array.from({ length: count }, (_, i) => ({
    at: now + Math.floor(i / 100) * 1000,
    scope: paths[i % 100] as string,
    bytes: 1_000_000 + ((i * 7919) % 5_000_000),
  }));
}

function processSample(at: number, i: number): Sample {
  const used = 100_000_000 + i * 1000;
  return {
    at,
    scope: 'process',
    usedBytes: used,
    limit: 512 * 1024 ** 2,
    floor: used - 5_000_000,
    heapUsed: used - 3_000_000,
    external: 3_000_000,
    arrayBuffers: 100_000,
    rss: used * 2,
    loopDelayMs: 1.234,
    level: 'normal',
  };
}

function timed(work: () => number): number {
  const began = performance.now();
  if (work() === 0) throw new Error('an empty answer');
  return performance.now() - began;
}

function folder(): string {
  return mkdtempSync(join(tmpdir(), 'plimsoll-bench-ledger-'));
}
