import { storedFields } from '@plimsoll/core/internal/sense/reading-fields';
import type { Database } from './database.ts';

/** Version 2 keeps raw samples by series and time: 19 bytes a row instead of 53. */
export const samplesVersion = 2;

/** The roll-up tables and their bucket lengths in milliseconds. */
export const buckets = { minute: 60_000, hour: 3_600_000, day: 86_400_000 } as const;
export type RollUpTable = keyof typeof buckets;

/** A column of the roll-up tables, and the value that it keeps of several. */
export interface RolledColumn {
  readonly column: string;
  readonly rollUp: 'min' | 'max' | 'newest';
}

/** Columns of a process sample. Scope samples have none of them. */
export const parts: readonly string[] = [...storedFields.map(({ column }) => column), 'level'];

/** Those of them that roll-ups keep. */
export const rolled: readonly RolledColumn[] = [
  ...storedFields.flatMap(({ column, rollUp }) => (rollUp === null ? [] : [{ column, rollUp }])),
  { column: 'level', rollUp: 'max' },
];

/** SQL for the value of a group. Within one group no row counts as newer, so for `newest` the largest is used. */
export function chosen({ column, rollUp }: RolledColumn): string {
  return `${rollUp === 'min' ? 'min' : 'max'}(${column}) AS ${column}`;
}

const rolledNames = rolled.map(({ column }) => column);
const rolledColumns = rolledNames.map((name) => `${name} INTEGER`).join(', ');
const rollUpTable = (name: RollUpTable): string => `CREATE TABLE ${name} (
  series INTEGER NOT NULL, t INTEGER NOT NULL, n INTEGER NOT NULL, low INTEGER NOT NULL, high INTEGER NOT NULL,
  total REAL NOT NULL, ${rolledColumns},
  PRIMARY KEY (series, t)) STRICT, WITHOUT ROWID;`;
const partColumns = parts.map((name) => `${name} INTEGER`).join(', ');
const rawTables = `
CREATE TABLE raw (series INTEGER NOT NULL, at INTEGER NOT NULL, bytes INTEGER NOT NULL, PRIMARY KEY (series, at)) STRICT, WITHOUT ROWID;
CREATE TABLE detail (series INTEGER NOT NULL, at INTEGER NOT NULL, ${partColumns}, PRIMARY KEY (series, at)) STRICT, WITHOUT ROWID;
CREATE TABLE witness (seq INTEGER NOT NULL, hash TEXT NOT NULL) STRICT;
`;

/** Every sample with its parts, from all tables. */
const sampleView = `VIEW sample AS
  SELECT r.series, r.at, r.bytes, ${parts.map((name) => `d.${name}`).join(', ')} FROM raw r LEFT JOIN detail d ON d.series = r.series AND d.at = r.at
  UNION ALL SELECT series, at, bytes, ${parts.join(', ')} FROM fresh;`;

/**
 * One series per run and scope path. `fresh` holds samples in order of arrival; upkeep moves them to `raw` (by series and time) and
 * `detail` (the parts of process samples), and merges them into `minute`, `hour` and `day`, where `t` counts buckets since the epoch.
 * `witness` is the newest audit entry that a writer saw. It shows when the end of audit.db was cut off.
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

const daysOfHours = `SELECT series, t / 24 AS t, sum(n) AS n, min(low) AS low, max(high) AS high, sum(total) AS total, ${rolled.map(chosen).join(', ')} FROM hour GROUP BY series, t / 24`;

/** The tables with columns of a process sample. Fields that were added to readings later are missing in older files. */
const columnsOf: Readonly<Record<string, readonly string[]>> = {
  fresh: parts,
  detail: parts,
  minute: rolledNames,
  hour: rolledNames,
  day: rolledNames,
};

/**
 * Version 1 kept all raw samples in order of arrival. They become `fresh`, and upkeep moves them to their tables slice by slice. The mark
 * "rolled" is the last row that is already in the minutes and hours.
 */
const fromVersion1 = `
DROP INDEX raw_series;
ALTER TABLE raw RENAME TO fresh;
${rawTables}
${rollUpTable('day')}
PRAGMA user_version = ${samplesVersion};
`;

/** Creates the tables of a new file and migrates an older one. Call it inside a transaction. */
export function laySamplesTables(db: Database): void {
  const version = db.number('PRAGMA user_version');
  if (version === 0) {
    db.exec(schema);
    return;
  }
  if (version === 1) db.exec(fromVersion1);
  const missing = Object.keys(columnsOf).flatMap((table) =>
    missingIn(db, table).map((column) => `ALTER TABLE ${table} ADD COLUMN ${column} INTEGER;`),
  );
  if (missing.length > 0) db.exec(`DROP VIEW IF EXISTS sample; ${missing.join('')}`);
  if (version === 1) db.exec(`INSERT INTO day ${daysOfHours};`);
  if (version === 1 || missing.length > 0) db.exec(`CREATE ${sampleView}`);
}

/** Lets a reader see an older file as one of this version without changing it. */
export function viewOldSamples(db: Database): void {
  const isFirst = db.number('PRAGMA user_version') === 1;
  const views = Object.entries(columnsOf).flatMap(([table, columns]) => {
    if (isFirst && table === 'detail')
      return [`detail AS SELECT 0 AS series, 0 AS at, ${columns.map(asNull).join(', ')} WHERE 0`];
    if (isFirst && table === 'day') return [`day AS ${daysOfHours}`];
    const source = isFirst && table === 'fresh' ? 'raw' : table;
    const missing = missingIn(db, source, columns);
    return missing.length === 0 && source === table
      ? []
      : [`${table} AS SELECT *${missing.map((name) => `, ${asNull(name)}`).join('')} FROM main.${source}`];
  });
  if (views.length === 0) return;
  if (isFirst)
    views.push(
      "witness AS SELECT 0 AS seq, '' AS hash WHERE 0",
      'raw AS SELECT series, at, bytes FROM main.raw WHERE 0',
    );
  db.exec(`${views.map((view) => `CREATE TEMP VIEW ${view};`).join('')} CREATE TEMP ${sampleView}`);
}

function missingIn(db: Database, table: string, columns = columnsOf[table] ?? []): readonly string[] {
  const present = new Set(
    db.all<{ name: string }>(`PRAGMA main.table_info(${table})`).map(({ name }) => name),
  );
  return columns.filter((column) => !present.has(column));
}

function asNull(column: string): string {
  return `NULL AS ${column}`;
}
