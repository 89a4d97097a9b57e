import { failure } from '@plimsoll/core/internal/errors';
import { openOwnFile } from '@plimsoll/core/internal/own-path';
import { closeSync } from 'node:fs';
import { resolve } from 'node:path';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { bytesOption } from '../bound.ts';
import type { ParkingLot } from './parking-lot.ts';

export interface SqliteLotOptions {
  /** Database file; made with mode 0600 when it does not exist. */
  readonly file: string;
  /** Most bytes of parked values, default 1 GiB; the longest parked goes first. */
  readonly maxBytes?: number | string;
}

interface Statements {
  readonly database: DatabaseSync;
  readonly put: StatementSync;
  readonly get: StatementSync;
  readonly remove: StatementSync;
  readonly total: StatementSync;
  readonly oldest: StatementSync;
}

/** Parked values in one SQLite database, for many small sessions; each call takes tenths of a millisecond on the main thread. */
export class SqliteLot implements ParkingLot {
  readonly label: string;
  readonly #file: string;
  readonly #maxBytes: number;
  #opened: Promise<Statements> | undefined;
  #count: number | undefined;

  constructor(options: SqliteLotOptions) {
    this.#file = resolve(options.file);
    this.label = `parking lot ${this.#file}`;
    this.#maxBytes = bytesOption('SqliteLot', 'maxBytes', options.maxBytes) ?? 1024 ** 3;
  }

  get size(): number | undefined {
    return this.#count;
  }

  async put(id: string, form: Uint8Array): Promise<void> {
    const bytes = form.byteLength;
    const { label: lot } = this;
    const maxBytes = this.#maxBytes;
    if (bytes > maxBytes) throw failure('PLM_KEEP_PARK_TOO_LARGE', { id, bytes, maxBytes, lot });
    const { put, total, oldest, remove } = await this.#open();
    put.run(id, Date.now(), bytes, form);
    const sums = total.get();
    this.#count = Number(sums?.['count'] ?? 0);
    let held = Number(sums?.['bytes'] ?? 0);
    while (held > maxBytes) {
      const row = oldest.get(id);
      if (row === undefined) return;
      remove.run(row['id'] as string);
      held -= Number(row['bytes']);
      this.#count--;
    }
  }

  async get(id: string): Promise<Uint8Array | undefined> {
    const row = (await this.#open()).get.get(id);
    return row?.['form'] as Uint8Array | undefined;
  }

  async remove(id: string): Promise<boolean> {
    const isRemoved = Number((await this.#open()).remove.run(id).changes) > 0;
    if (isRemoved && this.#count !== undefined) this.#count--;
    return isRemoved;
  }

  async close(): Promise<void> {
    const opened = this.#opened;
    this.#opened = undefined;
    (await opened)?.database.close();
  }

  #open(): Promise<Statements> {
    this.#opened ??= this.#prepare().catch((error: unknown) => {
      this.#opened = undefined;
      throw error;
    });
    return this.#opened;
  }

  async #prepare(): Promise<Statements> {
    // SQLite would make the file with the mode of the umask.
    closeSync(openOwnFile(this.#file));
    const { DatabaseSync: Database } = await import('node:sqlite');
    const database = new Database(this.#file);
    database.exec(`
      PRAGMA journal_mode = WAL;
      PRAGMA synchronous = NORMAL;
      PRAGMA busy_timeout = 2000;
      CREATE TABLE IF NOT EXISTS parked (id TEXT PRIMARY KEY, at INTEGER NOT NULL, bytes INTEGER NOT NULL, form BLOB NOT NULL);
      CREATE INDEX IF NOT EXISTS parked_at ON parked (at);`);
    return {
      database,
      put: database.prepare('INSERT OR REPLACE INTO parked (id, at, bytes, form) VALUES (?, ?, ?, ?)'),
      get: database.prepare('SELECT form FROM parked WHERE id = ?'),
      remove: database.prepare('DELETE FROM parked WHERE id = ?'),
      total: database.prepare('SELECT sum(bytes) AS bytes, count(*) AS count FROM parked'),
      oldest: database.prepare('SELECT id, bytes FROM parked WHERE id <> ? ORDER BY at LIMIT 1'),
    };
  }
}
