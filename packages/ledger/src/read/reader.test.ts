import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { batchOf, folder, processAt, run } from '../folder.fixture.ts';
import { settle } from '../options.ts';
import type { Retention } from '../options.ts';
import type { Sample } from '../sample.ts';
import { Database } from '../sqlite/database.ts';
import { Writer } from '../worker/writer.ts';
import { LedgerReader } from './ledger-reader.ts';

const minute = 60_000;
const hour = 3_600_000;
const day = 24 * hour;
const end = Date.parse('2026-07-01T10:00:00Z');

let batch = 0;

/** A ledger with these samples, rolled up to the end when asked. */
function ledger(
  samples: readonly Sample[],
  options: { upkeep?: boolean; retention?: Partial<Retention>; run?: number } = {},
): {
  dir: string;
  reader: LedgerReader;
  writer: Writer;
} {
  const dir = folder();
  const confirmed = new Int32Array(new SharedArrayBuffer(8));
  const who = { ...run, pid: 2 ** 30 };
  const writer = new Writer(
    {
      settings: settle({ dir, ...(options.retention ? { retention: options.retention } : {}) }),
      run: who,
      openRuns: [],
      confirmed,
    },
    () => end,
  );
  writer.handle({ type: 'samples', batch: batchOf(++batch, samples) });
  if (options.upkeep === true) while (writer.upkeep().more);
  const reader = new LedgerReader(dir);
  onTestFinished(() => {
    reader.close();
    writer.close();
  });
  return { dir, reader, writer };
}

const line = (
  from: number,
  to: number,
  stepMs: number,
  bytes: (at: number) => number,
  scope = 'process/agent:a',
): Sample[] => {
  const rows: Sample[] = [];
  for (let at = from; at < to; at += stepMs) rows.push({ at, scope, bytes: Math.round(bytes(at)) });
  return rows;
};

test('a summary has count, min, average, p95, max, last and when it was seen', () => {
  const samples = Array.from({ length: 100 }, (_, i) => ({
    at: end + i * 1000,
    scope: 'process/agent:a',
    bytes: i + 1,
  }));
  const { reader } = ledger(samples);
  expect(reader.summary()).toEqual({
    since: end,
    until: end + 99_001,
    resolution: 'raw',
    more: 0,
    rows: [
      {
        key: 'agent:a',
        scopes: 1,
        samples: 100,
        minBytes: 1,
        avgBytes: 50.5,
        maxBytes: 100,
        p95Bytes: 95,
        lastBytes: 100,
        firstSeen: end,
        lastSeen: end + 99_000,
      },
    ],
  });
});

test('a summary groups by kind, by service or by scope, and says how many rows it left out', () => {
  const samples = [
    'process',
    'process/agent:a',
    'process/agent:b',
    'process/agent:a/session:1',
    'process/agent:b/session:1',
  ].map((scope, i) => ({ at: end, scope, bytes: 100 - i }));
  const { reader } = ledger(samples);
  const keys = (by: 'kind' | 'service' | 'scope'): string[] =>
    reader.summary({ by }).rows.map((row) => row.key);
  expect(keys('kind')).toEqual(['process', 'agent', 'session']);
  expect(keys('service')).toEqual(['process', 'agent:a', 'agent:b', 'session:1']);
  expect(keys('scope')).toEqual(samples.map((sample) => sample.scope));
  expect(reader.summary({ by: 'kind' }).rows[2]).toMatchObject({
    scopes: 2,
    samples: 2,
    minBytes: 96,
    maxBytes: 97,
  });
  expect(reader.summary({ by: 'scope', limit: 2 })).toMatchObject({ more: 3, rows: { length: 2 } });
});

test('a kind with very many names is one row of services', () => {
  const sessions = Array.from({ length: 13 }, (_, i) => ({
    at: end,
    scope: `process/session:${i}`,
    bytes: i,
  }));
  const { reader } = ledger([...sessions, { at: end, scope: 'process/agent:a', bytes: 99 }]);
  expect(reader.summary().rows.map((row) => [row.key, row.scopes])).toEqual([
    ['agent:a', 1],
    ['session', 13],
  ]);
});

test.each([
  ['raw', 30 * minute],
  ['minute', 2 * day],
  ['hour', 20 * day],
] as const)('a summary over a long time comes from %s rows and agrees', (resolution, span) => {
  const samples = line(end - span, end, span / 1000, (at) => 5000 + (at - end) / span);
  const { reader } = ledger(samples, { upkeep: true, retention: { rawMs: 1000 * day } });
  const found = reader.summary();
  expect(found.resolution).toBe(resolution);
  expect(found.rows[0]).toMatchObject({ samples: 1000, minBytes: 4999, maxBytes: 5000 });
});

test('the last value of an earlier window is not the last value of all', () => {
  const { reader } = ledger(line(end - 30 * minute, end, minute, (at) => (at - end) / minute + 100));
  expect(reader.summary({ until: end - 10 * minute }).rows[0]).toMatchObject({
    lastBytes: 89,
    lastSeen: end - 10 * minute - 1,
  });
});

test.each([
  ['raw', 20 * minute],
  ['minute', 5 * hour],
  ['hour', 10 * day],
] as const)('growth per hour is found from %s rows', (resolution, span) => {
  const perHour = 3_600_000;
  const samples = [
    ...line(end - span, end, span / 600, (at) => 1e9 + ((at - (end - span)) / hour) * perHour),
    ...line(end - span, end, span / 600, () => 7e6, 'process/agent:flat'),
    { at: end - 1, scope: 'process/session:new', bytes: 1 },
  ];
  const { reader } = ledger(samples, { upkeep: true, retention: { rawMs: 1000 * day } });
  const found = reader.growth();
  expect(found).toMatchObject({ resolution, tooShort: 1 });
  const [grows, flat] = found.rows;
  expect(grows).toMatchObject({ scope: 'process/agent:a', of: 'bytes' });
  expect(grows?.bytesPerHour).toBeCloseTo(perHour, -3);
  expect(grows?.r2).toBeGreaterThan(0.999);
  expect((grows?.endBytes ?? 0) - (grows?.startBytes ?? 0)).toBeCloseTo(
    perHour * (((grows?.to ?? 0) - (grows?.from ?? 0)) / hour),
    -4,
  );
  expect(flat).toMatchObject({ bytesPerHour: 0, r2: 1, errorPerHour: 0, startBytes: 7e6 });
});

test('the growth of the process is that of its floor, not of the saw-tooth above it', () => {
  const samples = Array.from({ length: 120 }, (_, i) =>
    processAt(end + i * 1000, 1e6 + (i % 10) * 1e6, i < 20 ? {} : { floor: 5e5 + i * 100 }),
  );
  const { reader } = ledger(samples);
  const [row] = reader.growth().rows;
  expect(row).toMatchObject({ scope: 'process', of: 'floor', points: 100 });
  expect(row?.bytesPerHour).toBeCloseTo(360_000, 3);
});

test('a range comes from the table that fits its span and sees every sample once', () => {
  const samples = line(end - 3 * day, end, 10_000, (at) => (at - (end - 3 * day)) / 10_000);
  const { reader } = ledger(samples, { upkeep: true, retention: { rawMs: 1000 * day } });
  const ask = (span: number, points?: number) =>
    reader.range({
      scope: 'process/agent:a',
      since: end - span,
      until: end,
      ...(points === undefined ? {} : { points }),
    });
  const seen = (range: ReturnType<typeof ask>): number =>
    range.points.reduce((sum, point) => sum + point.samples, 0);
  const short = ask(hour);
  expect([short.resolution, short.stepMs, seen(short)]).toEqual(['raw', 12_000, 360]);
  const daily = ask(day);
  expect([daily.resolution, daily.stepMs, daily.points.length, seen(daily)]).toEqual([
    'minute',
    5 * minute,
    288,
    8640,
  ]);
  const coarse = ask(3 * day, 24);
  expect([coarse.resolution, coarse.stepMs, seen(coarse)]).toEqual(['hour', 3 * hour, 25_920]);
  expect(coarse.points.at(-1)).toMatchObject({ maxBytes: 25_919, minBytes: 25_919 - 359 });
});

test('samples that are not rolled up yet are part of a coarse range', () => {
  const { reader, writer } = ledger(
    line(end - day, end - hour, minute, () => 1),
    { upkeep: true },
  );
  writer.handle({
    type: 'samples',
    batch: batchOf(
      ++batch,
      line(end - hour, end, minute, () => 2),
    ),
  });
  const range = reader.range({ scope: 'process/agent:a', since: end - day, until: end });
  expect(range.resolution).toBe('minute');
  expect(range.points.reduce((sum, point) => sum + point.samples, 0)).toBe(1440);
  expect(range.points.at(-1)).toMatchObject({ maxBytes: 2 });
});

test('a short range that raw rows no longer reach is read from the roll-ups', () => {
  const samples = [
    ...line(end - 20 * day, end - 20 * day + hour, 10_000, () => 5),
    ...line(end - hour, end, 10_000, () => 6),
  ];
  const { reader } = ledger(samples, { upkeep: true });
  const ask = (from: number) => reader.range({ scope: 'process/agent:a', since: from, until: from + hour });
  expect(ask(end - 20 * day)).toMatchObject({ resolution: 'minute', stepMs: minute });
  expect(ask(end - hour)).toMatchObject({ resolution: 'raw' });
});

test('a young run is read from its raw rows, also from before it began', () => {
  const begin = end - hour + 7 * minute + 1234;
  const { reader } = ledger(
    line(begin, begin + 5 * minute, 1000, () => 5),
    { upkeep: true },
  );
  for (const since of [begin, begin - 1, begin - 30 * minute])
    expect(reader.range({ scope: 'process/agent:a', since, until: end, points: 800 }).resolution).toBe('raw');
});

test('process ranges carry every stored number of a reading and the level', () => {
  const { reader } = ledger([processAt(end, 10, { floor: 5, level: 'emergency' })]);
  expect(reader.range({ scope: 'process', since: end, until: end + 1 }).points).toMatchObject([
    {
      at: end,
      samples: 1,
      minBytes: 10,
      avgBytes: 10,
      maxBytes: 10,
      floor: 5,
      rss: 20,
      loopDelayMs: 1.5,
      level: 'emergency',
      limit: 1000,
      heapUsed: 10,
      external: 1,
      arrayBuffers: 2,
    },
  ]);
});

test('samples are exported in the order they were written, also after the clock jumped back', () => {
  const { reader } = ledger([
    processAt(end, 1),
    { at: end - hour, scope: 'process/agent:a', bytes: 2 },
    { at: end + 1, scope: 'process/agent:a', bytes: 3 },
  ]);
  expect([...reader.samples()].map((row) => [row.at, row.scope, row.bytes])).toEqual([
    [end, 'process', 1],
    [end - hour, 'process/agent:a', 2],
    [end + 1, 'process/agent:a', 3],
  ]);
  expect([...reader.samples({ scope: 'process', run: run.id })]).toMatchObject([
    { limit: 1000, rss: 2, floor: null, loopDelayMs: 1.5 },
  ]);
});

test('audit entries are filtered by kind, scope, run and time', () => {
  const { reader, writer } = ledger([]);
  const entry = (n: number, kind: string, scope: string) => ({
    run: n,
    n,
    at: end + n,
    kind,
    scope,
    body: `{"n":${n}}`,
  });
  const entries = [
    entry(1, 'level', 'process'),
    entry(2, 'level', 'process/agent:a'),
    entry(3, 'action', 'process/agent:a/session:1'),
    entry(4, 'level', 'process/agent:ab'),
  ];
  writer.handle({ type: 'audit', delivery: 1, entries });
  const seqs = (filter: Parameters<LedgerReader['audit']>[0]): number[] =>
    reader.audit(filter).map((row) => row.seq);
  expect(seqs({})).toEqual([1, 2, 3, 4]);
  expect(seqs({ kinds: ['action', 'finding'] })).toEqual([3]);
  expect(seqs({ scope: 'process/agent:a' })).toEqual([2, 3]);
  expect(seqs({ run: 4 })).toEqual([4]);
  expect(seqs({ since: end + 2, until: end + 4 })).toEqual([2, 3]);
  expect(seqs({ limit: 2 })).toEqual([3, 4]);
  expect(seqs({ after: 1, limit: 2 })).toEqual([2, 3]);
  expect(reader.audit({ run: 2 })[0]?.body).toEqual({ n: 2 });
});

test('a run is told with its start, levels, peak and end', () => {
  const { reader, writer } = ledger([
    processAt(end, 100, { floor: 50 }),
    processAt(end + 1000, 900, { level: 'critical' }),
    processAt(end + 2000, 300),
  ]);
  const entry = (n: number, kind: string, body: object, who = run.id) => ({
    run: who,
    n,
    at: end + n,
    kind,
    scope: 'process',
    body: JSON.stringify(body),
  });
  writer.handle({
    type: 'audit',
    delivery: 1,
    entries: [
      entry(1, 'start', { pid: 2 ** 30, limit: 1000 }),
      entry(2, 'level', { from: 'normal', to: 'critical' }),
      entry(3, 'finding', {}),
      entry(4, 'action', {}),
      entry(5, 'policy', {}),
    ],
  });
  const died = reader.story();
  expect(died).toMatchObject({
    run: run.id,
    state: 'died',
    samples: 3,
    scopes: 1,
    exit: undefined,
    first: { usedBytes: 100, floor: 50, limit: 1000 },
    peak: { at: end + 1000, usedBytes: 900, level: 'critical' },
    last: { usedBytes: 300 },
    levels: { length: 1 },
    findings: { length: 1 },
    actions: { length: 1 },
    others: [{ kind: 'policy' }],
  });
  // A supervisor records the end of its child in a run of its own.
  writer.handle({
    type: 'audit',
    delivery: 2,
    entries: [entry(6, 'exit', { pid: 2 ** 30, signal: 'SIGKILL' }, 77)],
  });
  expect(reader.story()).toMatchObject({ state: 'ended', exit: { body: { signal: 'SIGKILL' } } });
  expect(reader.runs().map((row) => row.run)).toEqual([run.id]);
  expect(reader.story(12345)).toBeUndefined();
});

test('a process id that was given away means that the first process is gone', () => {
  const { reader, writer } = ledger([]);
  const start = (who: number, n: number) => ({
    run: who,
    n,
    at: end + n,
    kind: 'start',
    scope: 'process',
    body: JSON.stringify({ pid: process.pid }),
  });
  writer.handle({ type: 'audit', delivery: 1, entries: [start(21, 1), start(22, 2)] });
  expect([reader.story(21)?.state, reader.story(22)?.state]).toEqual(['died', 'running']);
  writer.handle({ type: 'audit', delivery: 2, entries: [{ ...start(23, 3), kind: 'exit' }] });
  expect([reader.story(21)?.state, reader.story(22)?.state]).toEqual(['died', 'ended']);
  // What a supervisor found after the end belongs to the process that had the id then.
  writer.handle({ type: 'audit', delivery: 3, entries: [{ ...start(24, 4), kind: 'finding' }] });
  expect([reader.story(21)?.findings.length, reader.story(22)?.findings.length]).toEqual([0, 1]);
});

test('a run whose samples are past their retention keeps its peak', () => {
  const { reader } = ledger([processAt(end - 20 * day, 900), processAt(end - 19 * day, 100)], {
    upkeep: true,
  });
  expect(reader.story()).toMatchObject({
    first: undefined,
    last: undefined,
    peak: { usedBytes: 900, limit: undefined },
  });
});

test('a ledger with only one of its files is read as far as it goes', () => {
  const { dir, reader } = ledger([processAt(end, 1)]);
  reader.close();
  rmSync(join(dir, 'audit.db'));
  using samplesOnly = new LedgerReader(dir);
  expect(samplesOnly.summary().rows).toHaveLength(1);
  expect(samplesOnly.audit()).toEqual([]);
  expect(samplesOnly.verifyChain()).toBeUndefined();
  expect(samplesOnly.story()).toMatchObject({ samples: 1 });

  const other = ledger([]);
  other.writer.handle({
    type: 'audit',
    delivery: 1,
    entries: [{ run: 3, n: 1, at: end, kind: 'start', scope: 'process', body: '{"pid":1}' }],
  });
  rmSync(join(other.dir, 'samples.db'));
  using auditOnly = new LedgerReader(other.dir);
  expect(auditOnly.verifyChain()).toMatchObject({ ok: true, rows: 1 });
  expect(auditOnly.story()).toMatchObject({ run: 3, pid: 1, samples: 0, peak: undefined });
  expect(auditOnly.summary().rows).toEqual([]);
  expect(auditOnly.growth().rows).toEqual([]);
  expect(auditOnly.range({ scope: 'process', since: 0, until: 1 }).points).toEqual([]);
  expect([...auditOnly.samples()]).toEqual([]);
});

test('a folder without a ledger and a file that is none are said in words', () => {
  const dir = folder();
  expect(() => new LedgerReader(dir)).toThrow('there is no ledger here');
  writeFileSync(join(dir, 'audit.db'), 'x'.repeat(5000));
  expect(() => new LedgerReader(dir)).toThrow('the ledger cannot be read (file is not a database)');
  writeFileSync(join(dir, 'audit.db'), '');
  expect(() => new LedgerReader(dir)).toThrow('there is no ledger here');
  rmSync(join(dir, 'audit.db'));
  mkdirSync(join(dir, 'audit.db'));
  expect(() => new LedgerReader(dir)).toThrow('the ledger cannot be read');
});

test('a ledger whose write-ahead files are gone and whose folder is closed is read as a still picture', () => {
  const { dir, writer, reader } = ledger([processAt(end, 1)]);
  reader.close();
  writer.close();
  chmodSync(dir, 0o500);
  onTestFinished(() => chmodSync(dir, 0o700));
  using again = new LedgerReader(dir);
  expect(again.summary().rows).toHaveLength(1);
  const db = new Database(join(dir, 'samples.db'), { readOnly: true });
  expect(() => db.exec('DELETE FROM raw')).toThrow(/readonly/);
  db.close();
});
