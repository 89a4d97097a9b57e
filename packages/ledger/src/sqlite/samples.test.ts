import { join } from 'node:path';
import { statSync } from 'node:fs';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { batchOf, folder, processAt, run } from '../folder.fixture.ts';
import { defaultRetention } from '../options.ts';
import type { Sample } from '../sample.ts';
import { Database } from './database.ts';
import { SamplesUpkeep } from './retention.ts';
import { rollUp } from './rollup.ts';
import { buckets, viewOldSamples } from './samples-schema.ts';
import { kindAndName, SamplesStore } from './samples-store.ts';

const day = 86_400_000;

function open(maxPages?: number): { db: Database; store: SamplesStore; path: string } {
  const path = join(folder(), 'samples.db');
  const db = new Database(path, maxPages === undefined ? {} : { maxPages });
  onTestFinished(() => db.close());
  return { db, store: new SamplesStore(db, run), path };
}

test('a batch is stored once, however often it is sent', () => {
  const { db, store } = open();
  const batch = batchOf(1, [
    processAt(1, 100, { level: 'warning' }),
    { at: 2, scope: 'process/agent:a', bytes: 5 },
  ]);
  expect(store.write(batch)).toBe(2);
  expect(store.write(batch)).toBe(0);
  expect(store.write(batchOf(2, [{ at: 3, scope: 'process/agent:a', bytes: 9 }]))).toBe(1);
  expect(db.number('SELECT count(*) FROM sample')).toBe(3);
  expect(
    db.get('SELECT n, low, high, high_at, first_at, last_at, last FROM series WHERE kind = ?', 'agent'),
  ).toEqual({
    n: 2,
    low: 5,
    high: 9,
    high_at: 3,
    first_at: 2,
    last_at: 3,
    last: 9,
  });
});

test('a batch that fails half way leaves nothing, and the next one works', () => {
  const { db, store } = open(60);
  const many = Array.from({ length: 20_000 }, (_, i) => ({
    at: i,
    scope: `process/session:${i % 50}`,
    bytes: i,
  }));
  expect(() => store.write(batchOf(1, many))).toThrow(/full/);
  expect(db.number('SELECT count(*) FROM sample')).toBe(0);
  expect(db.number('SELECT count(*) FROM series')).toBe(0);
  expect(store.write(batchOf(1, many.slice(0, 100)))).toBe(100);
  expect(db.number('SELECT count(*) FROM sample WHERE series NOT IN (SELECT id FROM series)')).toBe(0);
});

test('more series than the cache holds still find their ids', () => {
  const { db, store } = open();
  const many = Array.from({ length: 20_500 }, (_, i) => ({ at: 1, scope: `process/session:${i}`, bytes: i }));
  store.write(batchOf(1, many));
  store.write(batchOf(2, many));
  expect(db.number('SELECT count(*) FROM series WHERE n = 2')).toBe(20_500);
});

test('kind and name come from the last step of the path', () => {
  expect(kindAndName('process')).toEqual({ kind: 'process', name: 'process' });
  expect(kindAndName('process/agent:a/session:4:2')).toEqual({ kind: 'session', name: '4:2' });
});

test('roll-ups equal the samples they stand for, whatever the clock did and however the slices fell', () => {
  const sample = fc.record({
    at: fc.integer({ min: 0, max: 4 * 3_600_000 }),
    scope: fc.constantFrom('process/a:1', 'process/a:2'),
    bytes: fc.integer({ min: 0, max: 1e12 }),
  });
  const dir = folder();
  let count = 0;
  fc.assert(
    fc.property(
      fc.array(fc.array(sample, { maxLength: 20 }), { maxLength: 8 }),
      fc.integer({ min: 1, max: 30 }),
      (batches, slice) => {
        const db = new Database(join(dir, `${count++}.db`));
        const store = new SamplesStore(db, run);
        for (const [i, samples] of batches.entries()) {
          store.write(batchOf(i + 1, samples));
          rollUp(db, slice);
        }
        while (rollUp(db, slice) > 0);
        const all = batches.flat();
        for (const [table, ms] of Object.entries(buckets)) {
          const rows = db.all<Record<string, number>>(
            `SELECT path, t, r.n AS n, r.low AS low, r.high AS high, r.total AS total FROM ${table} r JOIN series s ON s.id = series`,
          );
          expect(rows.reduce((sum, { n }) => sum + (n as number), 0)).toBe(all.length);
          for (const { path, t, ...row } of rows) {
            const bytes = all
              .filter(({ scope, at }) => scope === String(path) && Math.floor(at / ms) === t)
              .map((sample) => sample.bytes);
            const total = bytes.reduce((sum, value) => sum + value, 0);
            expect(row).toEqual({
              n: bytes.length,
              low: Math.min(...bytes),
              high: Math.max(...bytes),
              total,
            });
          }
        }
        // Two samples of one scope in one millisecond are one row: the larger.
        const places = new Set(all.map(({ scope, at }) => `${scope} ${at}`));
        expect(db.number('SELECT count(*) FROM raw')).toBe(places.size);
        expect(db.number('SELECT count(*) FROM fresh')).toBe(0);
        db.close();
      },
    ),
    { numRuns: 60 },
  );
});

test('process parts are rolled up: lowest floor, highest rss, delay and level', () => {
  const { db, store } = open();
  store.write(batchOf(1, [processAt(1, 10, { floor: 9, level: 'critical' }), processAt(2, 30)]));
  rollUp(db, 100);
  store.write(batchOf(2, [processAt(3, 20, { floor: 7, level: 'normal', limit: 2000 })]));
  rollUp(db, 100);
  expect(db.get('SELECT n, low, high, floor, rss, loop_us, level, limit_bytes FROM minute')).toEqual({
    n: 3,
    low: 10,
    high: 30,
    floor: 7,
    rss: 60,
    loop_us: 1500,
    level: 2,
    limit_bytes: 2000,
  });
});

test('each resolution leaves at its own age, and an empty series leaves with its last row', () => {
  const { db, store } = open();
  const now = 1000 * day;
  const upkeep = new SamplesUpkeep(db, defaultRetention);
  const ages = [1, 8, 100, 800];
  store.write(
    batchOf(
      1,
      ages.map((age): Sample => ({ at: now - age * day, scope: `process/s:${age}`, bytes: age })),
    ),
  );
  while (upkeep.step(now, 1e9).more);
  const scopesIn = (table: string): string[] =>
    db
      .all<{ name: string }>(
        `SELECT s.name AS name FROM ${table} JOIN series s ON s.id = series ORDER BY s.id`,
      )
      .map((r) => r.name);
  expect(scopesIn('raw')).toEqual(['1']);
  expect(scopesIn('minute')).toEqual(['1', '8']);
  expect(scopesIn('hour')).toEqual(['1', '8', '100']);
  expect(db.all('SELECT name FROM series ORDER BY id').length).toBe(3);
});

test('rows stamped in the future by a wrong clock do not stop older rows behind them from leaving', () => {
  const { db, store } = open();
  const now = 1000 * day;
  const upkeep = new SamplesUpkeep(db, defaultRetention);
  store.write(batchOf(1, [{ at: now + 900 * day, scope: 'process', bytes: 1 }]));
  store.write(
    batchOf(2, [
      { at: now - 20 * day, scope: 'process', bytes: 2 },
      { at: now, scope: 'process', bytes: 3 },
    ]),
  );
  while (upkeep.step(now, 1e9).more);
  expect(db.all('SELECT bytes FROM raw ORDER BY at')).toEqual([{ bytes: 3 }, { bytes: 1 }]);
});

test('over the cap the oldest raw rows go first, then minutes, then hours; the file shrinks', () => {
  const { db, store, path } = open();
  const upkeep = new SamplesUpkeep(db, defaultRetention);
  const now = 1000 * day;
  let batch = 0;
  for (let i = 0; i < 10; i++) {
    const rows = Array.from({ length: 5000 }, (_, k) => ({
      at: now - day + (i * 5000 + k) * 1000,
      scope: 'process',
      bytes: k,
    }));
    store.write(batchOf(++batch, rows));
  }
  while (upkeep.step(now, 1e9).more);
  const before = db.liveBytes();
  const cap = 230_000;
  while (upkeep.step(now, cap).more);
  expect(db.liveBytes()).toBeLessThan(cap);
  expect(before).toBeGreaterThan(4 * cap);
  const newest = now - day + 49_999_000;
  expect(db.number('SELECT max(at) FROM raw')).toBe(newest);
  expect(db.number('SELECT count(*) FROM minute')).toBe(834);
  while (upkeep.step(now, 0).more);
  for (const table of ['raw', 'detail', 'minute', 'hour', 'day', 'series'])
    expect(db.number(`SELECT count(*) FROM ${table}`)).toBe(0);
  db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  expect(statSync(path).size).toBeLessThan(100_000);
});

test('a raw sample of a scope takes at most 22 bytes on disk', () => {
  const { db, store } = open();
  const upkeep = new SamplesUpkeep(db, defaultRetention);
  const start = 1_790_000_000_000;
  for (let second = 0; second < 300; second++)
    store.write(
      batchOf(
        second + 1,
        Array.from({ length: 100 }, (_, i) => ({
          at: start + second * 1000 + (i % 7),
          scope: `process/session:${i}`,
          bytes: 1_000_000 + ((second * i * 37) % 3_000_000),
        })),
      ),
    );
  while (upkeep.step(start, 1e9).more);
  const before = db.liveBytes();
  db.exec('DELETE FROM raw');
  expect((before - db.liveBytes()) / 30_000).toBeLessThan(22);
});

test('a file of version 1 is brought forward: every sample is found once, before and after it was moved', () => {
  const path = join(folder(), 'samples.db');
  writeVersion1(path);
  const seen = (db: Database): unknown => [
    db.all('SELECT at, bytes, floor FROM sample ORDER BY at'),
    db.get('SELECT sum(n) AS n, max(high) AS high FROM day'),
  ];
  const samples = [
    { at: 1000, bytes: 10, floor: 5 },
    { at: 2000, bytes: 20, floor: null },
    { at: 3000, bytes: 30, floor: 15 },
  ];
  const still = new Database(path, { readOnly: true });
  viewOldSamples(still);
  expect(seen(still)).toEqual([samples, { n: 2, high: 20 }]);
  still.close();
  const db = new Database(path);
  onTestFinished(() => db.close());
  expect(new SamplesStore(db, run).write(batchOf(1, []))).toBe(0);
  expect(seen(db)).toEqual([samples, { n: 2, high: 20 }]);
  while (rollUp(db, 1) > 0);
  expect(seen(db)).toEqual([samples, { n: 3, high: 30 }]);
  expect(db.get('SELECT n, low, high, total, floor FROM minute')).toEqual({
    n: 3,
    low: 10,
    high: 30,
    total: 60,
    floor: 5,
  });
  expect(db.number("SELECT value FROM mark WHERE name = 'rolled'")).toBe(0);
});

test('a file from before a field of readings was added reads as null there, and gets the column when it is written', () => {
  const { db, store, path } = open();
  store.write(batchOf(1, [processAt(1000, 100)]));
  rollUp(db, 10);
  store.write(batchOf(2, [processAt(2000, 200)]));
  db.exec('DROP VIEW sample');
  for (const table of ['fresh', 'detail']) db.exec(`ALTER TABLE ${table} DROP COLUMN heap`);
  for (const table of ['fresh', 'detail', 'minute', 'hour', 'day'])
    db.exec(`ALTER TABLE ${table} DROP COLUMN rss`);
  const still = new Database(path, { readOnly: true });
  viewOldSamples(still);
  expect(still.all('SELECT at, heap, rss, external FROM sample ORDER BY at')).toEqual([
    { at: 1000, heap: null, rss: null, external: 1 },
    { at: 2000, heap: null, rss: null, external: 1 },
  ]);
  expect(still.all('SELECT n, rss, limit_bytes FROM minute')).toEqual([
    { n: 1, rss: null, limit_bytes: 1000 },
  ]);
  still.close();
  new SamplesStore(db, run).write(batchOf(3, [processAt(3000, 300)]));
  rollUp(db, 10);
  expect(db.all('SELECT at, heap, rss FROM sample ORDER BY at')).toEqual([
    { at: 1000, heap: null, rss: null },
    { at: 2000, heap: null, rss: null },
    { at: 3000, heap: 300, rss: 600 },
  ]);
  expect(db.get('SELECT n, rss FROM day')).toEqual({ n: 3, rss: 600 });
});

/** A file as version 1 left it: three samples, two of them rolled up. */
function writeVersion1(path: string): void {
  const db = new Database(path);
  const rollUps = ['minute', 'hour']
    .map(
      (name) => `CREATE TABLE ${name} (
    series INTEGER NOT NULL, t INTEGER NOT NULL, n INTEGER NOT NULL, low INTEGER NOT NULL, high INTEGER NOT NULL,
    total REAL NOT NULL, floor INTEGER, rss INTEGER, loop_us INTEGER, level INTEGER, limit_bytes INTEGER,
    PRIMARY KEY (series, t)) STRICT, WITHOUT ROWID; INSERT INTO ${name} VALUES (1, 0, 2, 10, 20, 30, 5, 1, 1, 0, 100);`,
    )
    .join('\n');
  db.exec(`
    CREATE TABLE run (id INTEGER PRIMARY KEY, pid INTEGER NOT NULL, host TEXT NOT NULL, started INTEGER NOT NULL, batch INTEGER NOT NULL DEFAULT 0) STRICT;
    CREATE TABLE series (
      id INTEGER PRIMARY KEY, run INTEGER NOT NULL, path TEXT NOT NULL, kind TEXT NOT NULL, name TEXT NOT NULL,
      n INTEGER NOT NULL DEFAULT 0, total REAL NOT NULL DEFAULT 0, low INTEGER, high INTEGER, high_at INTEGER,
      first_at INTEGER, last_at INTEGER, last INTEGER, UNIQUE (path, run)) STRICT;
    INSERT INTO series VALUES (1, 7, 'process', 'process', 'process', 3, 60, 10, 30, 3000, 1000, 3000, 30);
    CREATE TABLE raw (
      id INTEGER PRIMARY KEY, series INTEGER NOT NULL, at INTEGER NOT NULL, bytes INTEGER NOT NULL,
      limit_bytes INTEGER, floor INTEGER, heap INTEGER, external INTEGER, array_buffers INTEGER, rss INTEGER,
      loop_us INTEGER, level INTEGER) STRICT;
    CREATE INDEX raw_series ON raw (series, at, bytes);
    INSERT INTO raw VALUES (1, 1, 1000, 10, 100, 5, 1, 1, 1, 1, 1, 0), (2, 1, 2000, 20, 100, NULL, 1, 1, 1, 1, 1, 0), (3, 1, 3000, 30, 100, 15, 1, 1, 1, 1, 1, 0);
    ${rollUps}
    CREATE TABLE mark (name TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT, WITHOUT ROWID;
    INSERT INTO mark VALUES ('rolled', 2);
    PRAGMA user_version = 1;`);
  db.close();
}
