import { closeSync } from 'node:fs';
import { dirname } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { DatabaseSync, SQLInputValue, SQLOutputValue, StatementSync } from 'node:sqlite';
import { makeOwnFolder, openOwnFile } from '@plimsoll/core/internal/own-path';

/** Most prepared statements. Texts with a number inside, such as the step of a chart, would otherwise pile up. */
const statements = 100;

export type Row = Record<string, SQLOutputValue>;
export type { SQLInputValue, StatementSync };

export interface DatabaseOptions {
  readonly readOnly?: boolean;
  /** FULL waits for the disk at each commit; NORMAL may lose the newest commits when the power fails. */
  readonly synchronous?: 'NORMAL' | 'FULL';
  /** Hard cap of the file. Pages of 4 KiB. */
  readonly maxPages?: number;
  /** Pages after which the write-ahead log is checkpointed. Default 1000. */
  readonly walPages?: number;
  /** Longest wait of a statement for a transaction of another process. Milliseconds. */
  readonly busyMs?: number;
}

/** Kind of a SQLite error, by the reaction to it. */
export type SqliteRefusal = 'busy' | 'full' | 'corrupt' | 'unwritable' | 'other';

/** One SQLite file. Only this class uses node:sqlite, because Node plans to rename that class (DEP0210). */
export class Database {
  readonly path: string;
  readonly #db: DatabaseSync;
  readonly #cache = new Map<string, StatementSync>();

  constructor(path: string, options: DatabaseOptions = {}) {
    this.path = path;
    const Connection = driver();
    const timeout = options.busyMs ?? 4000;
    if (options.readOnly === true) {
      this.#db = openToRead(Connection, path, timeout);
      return;
    }
    makeOwnFolder(dirname(path));
    // SQLite would create 0644; its -wal and -shm files take the mode of the main file.
    closeSync(openOwnFile(path));
    this.#db = new Connection(path, { timeout });
    const wal = options.walPages ?? 1000;
    try {
      // auto_vacuum only has an effect before the first table and before WAL.
      this.#db.exec('PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = WAL;');
      this.#db.exec(
        `PRAGMA synchronous = ${options.synchronous ?? 'NORMAL'}; PRAGMA wal_autocheckpoint = ${wal};`,
      );
      this.#db.exec(`PRAGMA journal_size_limit = ${wal * 4096};`);
      this.#db.exec('PRAGMA cache_size = -4096; PRAGMA trusted_schema = OFF;');
      if (options.maxPages !== undefined) this.#db.exec(`PRAGMA max_page_count = ${options.maxPages}`);
    } catch (error) {
      this.#db.close();
      throw error;
    }
  }

  exec(sql: string): void {
    this.#db.exec(sql);
  }

  /** The statement of a constant text, prepared once. */
  prepare(sql: string): StatementSync {
    const known = this.#cache.get(sql);
    if (known !== undefined) return known;
    const statement = this.#db.prepare(sql);
    if (this.#cache.size >= statements) this.#cache.clear();
    this.#cache.set(sql, statement);
    return statement;
  }

  run(sql: string, ...values: SQLInputValue[]): number {
    return Number(this.prepare(sql).run(...values).changes);
  }

  all<T = Row>(sql: string, ...values: SQLInputValue[]): T[] {
    return this.prepare(sql).all(...values) as T[];
  }

  get(sql: string, ...values: SQLInputValue[]): Row | undefined {
    return this.prepare(sql).get(...values);
  }

  /** The number of a statement with one row and one column. */
  number(sql: string, ...values: SQLInputValue[]): number {
    const found = this.get(sql, ...values);
    return found === undefined ? 0 : Number(Object.values(found)[0] ?? 0);
  }

  /** Runs the body in one write transaction. */
  transaction<T>(body: () => T): T {
    this.#db.exec('BEGIN IMMEDIATE');
    try {
      const result = body();
      this.#db.exec('COMMIT');
      return result;
    } catch (error) {
      try {
        this.#db.exec('ROLLBACK');
      } catch {
        // SQLite has already rolled back, as it does when the disk is full.
      }
      throw error;
    }
  }

  /** Bytes of the pages in use, without those that wait for reuse. */
  liveBytes(): number {
    const pages = this.number('PRAGMA page_count') - this.number('PRAGMA freelist_count');
    return pages * this.number('PRAGMA page_size');
  }

  /** Returns up to `pages` free pages to the file system. */
  shrink(pages: number): void {
    this.#db.exec(`PRAGMA incremental_vacuum(${pages})`);
  }

  close(): void {
    this.#cache.clear();
    if (this.#db.isOpen) this.#db.close();
  }
}

/** Classifies an error of node:sqlite or of the file system. */
export function refusal(error: unknown): SqliteRefusal {
  const { errcode, code } = error as { errcode?: number; code?: string };
  if (errcode === undefined) {
    if (code === 'ENOSPC' || code === 'EDQUOT' || code === 'EFBIG') return 'full';
    return code !== undefined && /^E[A-Z]+$/.test(code) ? 'unwritable' : 'other';
  }
  switch (errcode & 0xff) {
    case 5:
    case 6:
      return 'busy';
    case 13:
      return 'full';
    case 11:
    case 26:
      return 'corrupt';
    case 3:
    case 8:
    case 10:
    case 14:
      return 'unwritable';
    default:
      return 'other';
  }
}

type Connection = typeof DatabaseSync;
let loaded: Connection | undefined;

/** Loads node:sqlite without the ExperimentalWarning of Node 22. Other warnings are kept. */
function driver(): Connection {
  if (loaded !== undefined) return loaded;
  const emit = Reflect.get(process, 'emitWarning') as (...values: unknown[]) => void;
  process.emitWarning = (...values: unknown[]): void => {
    if (!/SQLite is an experimental feature/.test(String(values[0]))) Reflect.apply(emit, process, values);
  };
  try {
    const sqlite = process.getBuiltinModule('node:sqlite') as {
      DatabaseSync?: Connection;
      Database?: Connection;
    };
    loaded = (sqlite.DatabaseSync ?? sqlite.Database) as Connection;
  } finally {
    process.emitWarning = emit as typeof process.emitWarning;
  }
  return loaded;
}

/** A WAL file can only be read where its -shm file may be written. A copy on a read-only disk is read as immutable. */
function openToRead(Connection: Connection, path: string, timeout: number): DatabaseSync {
  const still = (): DatabaseSync =>
    new Connection(`${pathToFileURL(path).href}?immutable=1`, { readOnly: true, timeout });
  let db: DatabaseSync;
  try {
    db = new Connection(path, { readOnly: true, timeout });
  } catch (error) {
    if (refusal(error) !== 'unwritable') throw error;
    return still();
  }
  try {
    db.prepare('SELECT count(*) FROM sqlite_schema').get();
    return db;
  } catch (error) {
    db.close();
    if (refusal(error) !== 'unwritable') throw error;
    return still();
  }
}
