import type { Database } from './database.ts';

/** Version 2 keeps raw samples by series and time: 19 bytes a row instead of 53. */
export const samplesVersion = 2;

/** The roll-up tables and their bucket lengths in milliseconds. */
export const buckets = { minute: 60_000, hour: 3_600_000, day: 86_400_000 } as const;
export type Bucket = keyof typeof buckets;

/** Parts of a process sample, in the order in which they are stored. Scope samples have none. */
export const parts = [
  'limit_bytes',
  'floor',
  'heap',
  'external',
  'array_buffers',
  'rss',
  'loop_us',
  'level',
] as const;

const rollUpTable = (name: Bucket): string => `CREATE TABLE ${name} (
  series INTEGER NOT NULL, t INTEGER NOT NULL, n INTEGER NOT NULL, low INTEGER NOT NULL, high INTEGER NOT NULL,
  total REAL NOT NULL, floor INTEGER, rss INTEGER, loop_us INTEGER, level INTEGER, limit_bytes INTEGER,
  PRIMARY KEY (series, t)) STRICT, WITHOUT ROWID;`;
const partColumns = parts.map((name) => `${name} INTEGER`).join(', ');
const rawTables = `
CREATE TABLE raw (series INTEGER NOT NULL, at INTEGER NOT NULL, bytes INTEGER NOT NULL, PRIMARY KEY (series, at)) STRICT, WITHOUT ROWID;
CREATE TABLE detail (series INTEGER NOT NULL, at INTEGER NOT NULL, ${partColumns}, PRIMARY KEY (series, at)) STRICT, WITHOUT ROWID;
CREATE TABLE witness (seq INTEGER NOT NULL, hash TEXT NOT NULL) STRICT;
`;

/** Every sample with its parts, wherever it is stored. */
const sampleView = `VIEW sample AS
  SELECT r.series, r.at, r.bytes, ${parts.map((name) => `d.${name}`).join(', ')} FROM raw r LEFT JOIN detail d ON d.series = r.series AND d.at = r.at
  UNION ALL SELECT series, at, bytes, ${parts.join(', ')} FROM fresh;`;

/**
 * One series per run and scope path. `fresh` holds samples in order of arrival; upkeep moves them to `raw` (by series and time) and
 * `detail` (the parts of process samples), and merges them into `minute`, `hour` and `day`, where `t` counts buckets since the epoch.
 * `witness` is the newest audit entry that a writer saw: it tells when the end of audit.db was cut off.
 */
const schema = `
CREATE TABLE run (id INTEGER PRIMARY KEY, pid INTEGER NOT NULL, host TEXT NOT NULL, started INTEGER NOT NULL, batch INTEGER NOT NULL DEFAULT 0) STRICT;
CREATE TABLE series (
  id INTEGER PRIMARY KEY, run INTEGER NOT NULL, path TEXT NOT NULL, kind TEXT NOT NULL, name TEXT NOT NULL,
  n INTEGER NOT NULL DEFAULT 0, total REAL NOT NULL DEFAULT 0, low INTEGER, high INTEGER, high_at INTEGER,
  first_at INTEGER, last_at INTEGER, last INTEGER, UNIQUE (path, run)) STRICT;
CREATE TABLE fresh (id INTEGER PRIMARY KEY, series INTEGER NOT NULL, at INTEGER NOT NULL, bytes INTEGER NOT NULL, ${partColumns}) STRICT;
${rawTables}
${(['minute', 'hour', 'day'] as const).map(rollUpTable).join('\n')}
CREATE TABLE mark (name TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT, WITHOUT ROWID;
INSERT INTO mark VALUES ('rolled', 0);
CREATE ${sampleView}
PRAGMA user_version = ${samplesVersion};
`;

const daysOfHours =
  'SELECT series, t / 24 AS t, sum(n) AS n, min(low) AS low, max(high) AS high, sum(total) AS total, min(floor) AS floor, max(rss) AS rss, max(loop_us) AS loop_us, max(level) AS level, max(limit_bytes) AS limit_bytes FROM hour GROUP BY series, t / 24';

/**
 * Version 1 kept all raw samples in order of arrival. They become `fresh`, and upkeep moves them to their place slice by slice. The mark
 * "rolled" says up to which row they are in the minutes and hours already.
 */
const fromVersion1 = `
DROP INDEX raw_series;
ALTER TABLE raw RENAME TO fresh;
${rawTables}
${rollUpTable('day')}
INSERT INTO day ${daysOfHours};
CREATE ${sampleView}
PRAGMA user_version = ${samplesVersion};
`;

/** Lays the tables of a new file and brings an older one forward. To be called inside a transaction. */
export function laySamplesTables(db: Database): void {
  const version = db.number('PRAGMA user_version');
  if (version === 0) db.exec(schema);
  else if (version === 1) db.exec(fromVersion1);
}

/** Lets a reader, which may change nothing, see a file of version 1 as one of this version. */
export function viewOldSamples(db: Database): void {
  if (db.number('PRAGMA user_version') !== 1) return;
  db.exec(`
    CREATE TEMP VIEW fresh AS SELECT * FROM main.raw;
    CREATE TEMP VIEW detail AS SELECT series, at, ${parts.join(', ')} FROM main.raw WHERE 0;
    CREATE TEMP VIEW day AS ${daysOfHours};
    CREATE TEMP VIEW witness AS SELECT 0 AS seq, '' AS hash WHERE 0;
    CREATE TEMP VIEW raw AS SELECT series, at, bytes FROM main.raw WHERE 0;
    CREATE TEMP ${sampleView}`);
}
