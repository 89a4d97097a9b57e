import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { chainHash } from '../audit-entry.ts';
import type { PendingEntry } from '../audit-entry.ts';
import { batchOf, folder, run } from '../folder.fixture.ts';
import { PendingJournal } from '../journal.ts';
import { settle } from '../options.ts';
import type { LedgerOptions } from '../options.ts';
import { LedgerReader } from '../read/ledger-reader.ts';
import type { ChainHead } from '../sqlite/audit-store.ts';
import { Database, refusal } from '../sqlite/database.ts';
import { walPages, Writer } from './writer.ts';

const day = 86_400_000;
const now = Date.parse('2026-07-01T10:15:00Z');

const entry = (n: number, more: Partial<PendingEntry> = {}): PendingEntry => ({
  run: run.id,
  n,
  at: now,
  kind: 'level',
  scope: 'process',
  body: '{}',
  ...more,
});

function open(
  dir: string,
  options: Partial<LedgerOptions> = {},
  clock = () => now,
): { writer: Writer; confirmed: Int32Array } {
  const confirmed = new Int32Array(new SharedArrayBuffer(8));
  const writer = new Writer(
    { settings: settle({ dir, ...options }), run, openRuns: [run.id], confirmed },
    clock,
  );
  onTestFinished(() => writer.close());
  return { writer, confirmed };
}

test('files and folder are private', () => {
  const dir = join(folder(), 'a', 'ledger');
  const { writer } = open(dir);
  writer.handle({ type: 'audit', delivery: 1, entries: [entry(1)] });
  expect(statSync(dir).mode & 0o777).toBe(0o700);
  const modes = readdirSync(dir).map((name) => [name, (statSync(join(dir, name)).mode & 0o777).toString(8)]);
  expect(modes).toEqual(
    ['audit.db', 'audit.db-shm', 'audit.db-wal', 'samples.db', 'samples.db-shm', 'samples.db-wal'].map(
      (name) => [name, '600'],
    ),
  );
});

test('replies say what is on disk, and the shared numbers say it without a message', () => {
  const { writer, confirmed } = open(folder());
  expect(writer.hello()).toMatchObject({ type: 'ready', replayed: 0, setAside: [], head: { seq: 0 } });
  expect(
    writer.handle({ type: 'samples', batch: batchOf(4, [{ at: 1, scope: 'process', bytes: 1 }]) }),
  ).toEqual({
    type: 'samples',
    number: 4,
    rows: 1,
    setAside: [],
  });
  expect(writer.handle({ type: 'audit', delivery: 9, entries: [entry(1)] })).toMatchObject({
    delivery: 9,
    head: { seq: 1 },
  });
  expect([...confirmed]).toEqual([4, 9]);
  expect(writer.handle({ type: 'close' })).toEqual({ type: 'closed' });
});

test('a journal left behind is brought into the chain once', () => {
  const dir = folder();
  new PendingJournal(dir, 'audit', 2 ** 30, 99).append([entry(1, { run: 99 }), entry(2, { run: 99 })]);
  const { writer } = open(dir);
  expect(writer.hello()).toMatchObject({ replayed: 2, head: { seq: 2 } });
  expect(readdirSync(dir).filter((name) => name.startsWith('audit.pending'))).toEqual([]);
  const own = new PendingJournal(dir, 'audit', process.pid, run.id);
  own.append([entry(3)]);
  expect(writer.handle({ type: 'replay' })).toEqual({ type: 'replayed', replayed: 0 });
  own.seal();
  expect(writer.handle({ type: 'replay' })).toEqual({ type: 'replayed', replayed: 1 });
});

test.each(['samples.db', 'audit.db'])(
  'a %s that is no database is set aside and a new one is started',
  (name) => {
    const dir = folder();
    writeFileSync(join(dir, name), 'this is not a database, it only has the name of one'.repeat(100));
    const { writer } = open(dir);
    const movedTo = join(dir, `${name}.corrupt-20260701T101500Z`);
    expect(writer.hello()).toMatchObject({ setAside: [{ file: name, movedTo }] });
    expect(readFileSync(movedTo, 'utf8')).toContain('only has the name');
    expect(writer.handle({ type: 'audit', delivery: 1, entries: [entry(1)] })).toMatchObject({
      type: 'audit',
    });
    using reader = new LedgerReader(dir);
    expect(reader.verifyChain()).toMatchObject({ ok: true });
    const told = reader.audit({ kinds: ['ledger'] }).map((item) => item.body);
    expect(told).toEqual(name === 'audit.db' ? [{ event: 'set-aside', movedTo }] : []);
  },
);

test('damage that is met while running is set aside too, and the batch is kept', () => {
  const dir = folder();
  const first = open(dir).writer;
  const rows = Array.from({ length: 20_000 }, (_, i) => ({
    at: now + i,
    scope: `process/s:${i % 100}`,
    bytes: i,
  }));
  first.handle({ type: 'samples', batch: batchOf(1, rows) });
  const entries = Array.from({ length: 2000 }, (_, i) => entry(i + 1));
  first.handle({ type: 'audit', delivery: 1, entries });
  first.close();
  const { writer } = open(dir);
  // The open connection keeps pages in memory until another one has written: then it reads them again, damaged.
  for (const name of ['samples.db', 'audit.db']) {
    const path = join(dir, name);
    const other = new Database(path);
    other.exec('CREATE TABLE other (x)');
    other.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    other.close();
    const bytes = readFileSync(path);
    bytes.fill(0x55, 4096);
    writeFileSync(path, bytes);
    writeFileSync(`${path}-wal`, '');
  }
  expect(writer.handle({ type: 'samples', batch: batchOf(2, rows) })).toMatchObject({
    type: 'samples',
    rows: 20_000,
    setAside: [{ file: 'samples.db' }],
  });
  expect(writer.handle({ type: 'audit', delivery: 2, entries })).toMatchObject({
    type: 'audit',
    setAside: [{ file: 'audit.db' }],
  });
  expect(existsSync(join(dir, 'samples.db.corrupt-20260701T101500Z'))).toBe(true);
  using reader = new LedgerReader(dir);
  expect(reader.verifyChain()).toMatchObject({ ok: true, rows: 2001 });
});

test('a file of a newer format is left alone', () => {
  const dir = folder();
  open(dir).writer.close();
  const db = new Database(join(dir, 'audit.db'));
  db.exec('PRAGMA user_version = 99');
  db.close();
  expect(() => open(dir)).toThrow('audit.db was written by a newer version (format 99, this one knows 1)');
  expect(readdirSync(dir)).not.toContain('corrupt');
});

test('a full samples file makes room for the newest batch', () => {
  const dir = folder();
  const { writer } = open(dir, { maxBytes: 1024 ** 2 });
  for (let number = 1; number <= 40; number++) {
    const rows = Array.from({ length: 1000 }, (_, i) => ({
      at: now + number * 1000 + i,
      scope: 'process',
      bytes: i,
    }));
    expect(writer.handle({ type: 'samples', batch: batchOf(number, rows) })).toMatchObject({
      type: 'samples',
      rows: 1000,
    });
  }
  while (writer.upkeep().more);
  const total = readdirSync(dir).reduce(
    (sum, name) => sum + (name.endsWith('-shm') ? 0 : statSync(join(dir, name)).size),
    0,
  );
  expect(total).toBeLessThan(1.1 * 1024 ** 2);
  using reader = new LedgerReader(dir);
  expect(reader.summary().rows[0]).toMatchObject({ lastSeen: now + 40_999 });
});

test('a batch larger than the whole cap is refused, and the writer goes on', () => {
  const { writer } = open(folder(), { maxBytes: 1024 ** 2 });
  const rows = Array.from({ length: 60_000 }, (_, i) => ({
    at: now + i,
    scope: 'process',
    bytes: 2 ** 40 + i,
  }));
  expect(writer.handle({ type: 'samples', batch: batchOf(1, rows) })).toMatchObject({
    type: 'failed',
    what: 'samples',
    refusal: 'full',
  });
  expect(writer.handle({ type: 'samples', batch: batchOf(1, rows.slice(0, 10)) })).toMatchObject({
    rows: 10,
  });
});

test('the audit leaves by age and when it alone fills a quarter of the cap, and records it', () => {
  const dir = folder();
  let clock = now;
  const { writer } = open(dir, { maxBytes: 4 * 1024 ** 2, retention: { auditMs: 10 * day } }, () => clock);
  const big = (n: number, at: number): PendingEntry =>
    entry(n, { at, body: `{"text":"${'x'.repeat(500)}"}` });
  writer.handle({
    type: 'audit',
    delivery: 1,
    entries: [entry(1, { at: now - 20 * day }), entry(2), entry(3, { at: now - 20 * day })],
  });
  expect(writer.upkeep()).toEqual({ more: true, replies: [] });
  using reader = new LedgerReader(dir);
  expect(reader.verifyChain()).toMatchObject({ ok: true, prunedUpTo: 1, rows: 3 });
  writer.handle({
    type: 'audit',
    delivery: 2,
    entries: Array.from({ length: 3000 }, (_, i) => big(i + 10, now)),
  });
  for (let i = 0; i < 100 && writer.upkeep().more; i++);
  const check = reader.verifyChain();
  expect(check).toMatchObject({ ok: true });
  expect(check?.rows).toBeLessThan(2000);
  expect(check?.rows).toBeGreaterThan(1000);
  for (let i = 0; i < 11; i++) {
    clock += day;
    writer.upkeep();
  }
  expect(reader.audit({}).every((item) => item.kind === 'ledger')).toBe(true);
});

test('what goes wrong is a reply with a reason, never an exception', () => {
  const dir = folder();
  const { writer } = open(dir);
  writer.close();
  const reply = writer.handle({ type: 'audit', delivery: 1, entries: [entry(1)] });
  expect(reply).toMatchObject({ type: 'failed', what: 'audit', refusal: 'other' });
  expect(writer.upkeep().replies).toMatchObject([{ type: 'failed', what: 'upkeep' }]);
});

test('another process that holds the file is waited for and then reported as busy', () => {
  const dir = folder();
  open(dir);
  const other = new Database(join(dir, 'audit.db'));
  const late = new Database(join(dir, 'audit.db'), { busyMs: 20 });
  onTestFinished(() => {
    other.close();
    late.close();
  });
  other.exec('BEGIN IMMEDIATE');
  let error: unknown;
  try {
    late.transaction(() => undefined);
  } catch (caught) {
    error = caught;
  }
  expect(refusal(error)).toBe('busy');
});

test('refusals are sorted by what they ask for', () => {
  expect(refusal({ code: 'ENOSPC' })).toBe('full');
  expect(refusal({ code: 'EROFS' })).toBe('unwritable');
  expect(refusal({ errcode: 14 })).toBe('unwritable');
  expect(refusal({ errcode: 1 })).toBe('other');
  expect(refusal(new Error('x'))).toBe('other');
});

test('the write-ahead log stays small under a small cap', () => {
  expect([walPages(1024 ** 2), walPages(1024 ** 3)]).toEqual([16, 1000]);
});

test('a clock three years ahead deletes nothing, is told once, and counts after a week', () => {
  const dir = folder();
  let clock = now;
  const first = open(dir, {}, () => clock).writer;
  first.handle({ type: 'samples', batch: batchOf(1, [{ at: now, scope: 'process', bytes: 1 }]) });
  first.handle({ type: 'audit', delivery: 1, entries: [entry(1)] });
  while (first.upkeep().more);
  first.close();
  clock += 3 * 365 * day;
  const { writer } = open(dir, {}, () => clock);
  writer.handle({ type: 'samples', batch: batchOf(2, [{ at: clock, scope: 'process', bytes: 2 }]) });
  const told = [writer.upkeep(), writer.upkeep(), writer.upkeep()].flatMap(({ replies }) => replies);
  expect(told).toEqual([
    { type: 'notice', notice: { what: 'clock-leap', from: now, to: now + 3 * 365 * day } },
  ]);
  using reader = new LedgerReader(dir);
  expect([...reader.samples()].map(({ bytes }) => bytes)).toEqual([1, 2]);
  expect(reader.audit().map(({ kind, body }) => [kind, body['event']])).toEqual([
    ['level', undefined],
    ['ledger', 'clock-leap'],
  ]);
  for (let i = 0; i < 8; i++) {
    clock += day;
    while (writer.upkeep().more);
  }
  expect([...reader.samples()].map(({ bytes }) => bytes)).toEqual([]);
  expect(reader.audit().map(({ body }) => body['event'])).toEqual(['clock-leap', 'pruned']);
});

test('a clock that was set right again goes on as if nothing had been', () => {
  const dir = folder();
  let clock = now;
  const { writer } = open(dir, {}, () => clock);
  writer.handle({ type: 'samples', batch: batchOf(1, [{ at: now, scope: 'process', bytes: 1 }]) });
  writer.upkeep();
  clock = now + 900 * day;
  writer.upkeep();
  clock = now + 60_000;
  expect(writer.upkeep().replies).toEqual([]);
  for (let i = 0; i < 8; i++) {
    clock += day;
    while (writer.upkeep().more);
  }
  using reader = new LedgerReader(dir);
  expect([...reader.samples()]).toEqual([]);
});

const ways: readonly (readonly [string, string, object])[] = [
  ['the newest entries are removed', 'DELETE FROM audit WHERE seq > 2', { seq: 3, why: 'cut' }],
  ['all entries are removed', 'DELETE FROM audit', { seq: 1, why: 'emptied' }],
  [
    'a body is no JSON',
    `UPDATE audit SET body = '{"a":', hash = 'HASH' WHERE seq = 4`,
    { seq: 4, why: 'malformed' },
  ],
];
test.each(ways)('verify tells that %s', (_, sql, broken) => {
  const dir = folder();
  const { writer } = open(dir);
  writer.handle({ type: 'audit', delivery: 1, entries: [1, 2, 3, 4].map((n) => entry(n)) });
  writer.close();
  const db = new Database(join(dir, 'audit.db'));
  const third = db.get('SELECT hash FROM audit WHERE seq = 3') as { hash: string };
  const hash = chainHash(third.hash, { ...entry(4), seq: 4, body: '{"a":' });
  db.exec(`DROP TRIGGER audit_no_delete; DROP TRIGGER audit_no_update; ${sql.replace('HASH', hash)}`);
  db.close();
  using reader = new LedgerReader(dir);
  expect(reader.verifyChain()).toMatchObject({ ok: false, broken });
  expect(() => [reader.audit(), reader.runs(), reader.story()]).not.toThrow();
  const again = open(dir).writer;
  expect(again.upkeep().replies.map((reply) => reply.type)).toEqual(['notice']);
  // The evidence stays when new entries follow.
  again.handle({ type: 'audit', delivery: 2, entries: [5, 6, 7, 8, 9].map((n) => entry(n)) });
  expect(reader.verifyChain()).toMatchObject({ ok: false });
});

test('verify tells missing triggers, a file that is gone, and an end that only an anchor has seen', () => {
  const dir = folder();
  const { writer } = open(dir);
  writer.handle({ type: 'audit', delivery: 1, entries: [entry(1), entry(2)] });
  using reader = new LedgerReader(dir);
  const whole = reader.verifyChain();
  expect(whole).toMatchObject({ ok: true, anchors: 1, rows: 2 });
  const head = whole?.head as ChainHead;
  expect(reader.verifyChain([head])).toMatchObject({ ok: true, anchors: 2 });
  expect(reader.verifyChain([{ ...head, seq: 9 }])?.broken).toEqual({ seq: 3, why: 'cut' });
  expect(reader.verifyChain([{ ...head, hash: 'other' }])?.broken).toEqual({ seq: 2, why: 'rewritten' });
  const db = new Database(join(dir, 'audit.db'));
  db.exec('DROP TRIGGER audit_no_update');
  db.close();
  expect(reader.verifyChain()?.broken).toEqual({ seq: 2, why: 'unguarded' });
  writer.close();
  for (const name of readdirSync(dir)) if (name.startsWith('audit.db')) rmSync(join(dir, name));
  using left = new LedgerReader(dir);
  expect(left.verifyChain()?.broken).toEqual({ seq: 1, why: 'emptied' });
});

test('an audit.db with other tables is an error with a code', () => {
  const dir = folder();
  open(dir).writer.close();
  const db = new Database(join(dir, 'audit.db'));
  db.exec('DROP TABLE anchor');
  db.close();
  using reader = new LedgerReader(dir);
  expect(() => reader.verifyChain()).toThrow('the ledger cannot be read (no such table: anchor).');
});
