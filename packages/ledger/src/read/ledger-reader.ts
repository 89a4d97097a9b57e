import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { failure } from '@plimsoll/core/internal/errors';
import { storedFields, type KnownNumbers } from '@plimsoll/core/internal/sense/reading-fields';
import { isPlimsollError } from '@plimsoll/core';
import type { ChainHead } from '../sqlite/audit-store.ts';
import { checkChain } from '../sqlite/chain-check.ts';
import type { ChainCheck } from '../sqlite/chain-check.ts';
import { Database } from '../sqlite/database.ts';
import { viewOldSamples } from '../sqlite/samples-schema.ts';
import { listAudit } from './audit-list.ts';
import { bringHome } from './bring-home.ts';
import type { AuditFilter, AuditRecord } from './audit-list.ts';
import { measureGrowth } from './growth.ts';
import type { LedgerGrowth } from './growth.ts';
import { readRange } from './range.ts';
import type { Range, RangeQuery } from './range.ts';
import { listRuns, tellRun } from './story.ts';
import type { RunRow, Story } from './story.ts';
import { summarize } from './summary.ts';
import type { Summary, SummaryBy } from './summary.ts';
import type { Window } from './window.ts';

/** Selects samples. A missing field matches all. */
export interface WindowOptions {
  readonly since?: number | undefined;
  readonly until?: number | undefined;
  readonly run?: number | undefined;
  readonly scope?: string | undefined;
}

/** One sample as it was stored, for export. */
export interface StoredSample extends KnownNumbers {
  readonly at: number;
  readonly run: number;
  readonly scope: string;
  readonly bytes: number;
  /** Index of the level. */
  readonly level: number | null;
}

const numbers = storedFields.map(
  ({ name, column, scale }) => `${column}${scale === 1 ? '' : ` / ${scale}.0`} AS "${name}"`,
);

/**
 * The read side of a ledger: both files opened read-only, also while another process writes them and also when only one of them exists.
 * Journals beside them are copied into them first. Queries run on the calling thread.
 */
export class LedgerReader {
  readonly dir: string;
  readonly #samples: Database | undefined;
  readonly #audit: Database | undefined;

  /** Throws PLM_LEDGER_NOT_FOUND or PLM_LEDGER_UNREADABLE. With `asWritten` journals are not copied, which is faster. */
  constructor(dir: string, { asWritten = false }: { asWritten?: boolean } = {}) {
    this.dir = resolve(dir);
    if (!asWritten) bringHome(this.dir);
    this.#samples = openFile(join(this.dir, 'samples.db'));
    try {
      this.#audit = openFile(join(this.dir, 'audit.db'));
    } catch (error) {
      this.#samples?.close();
      throw error;
    }
    if (this.#samples === undefined && this.#audit === undefined) {
      throw failure('PLM_LEDGER_NOT_FOUND', { dir: this.dir });
    }
  }

  /** Processes that wrote this ledger, newest first. */
  runs(): RunRow[] {
    return listRuns(this.#samples, this.#audit);
  }

  /** One run from start to end; by default the newest. */
  story(run?: number): Story | undefined {
    const rows = this.runs();
    const row = run === undefined ? rows[0] : rows.find((item) => item.run === run);
    return row === undefined ? undefined : tellRun(row, this.#samples, this.#audit);
  }

  /** Count, minimum, average, p95, maximum, last and first seen per kind, service or scope. `limit` rows, default 50. */
  summary(options: WindowOptions & { by?: SummaryBy; limit?: number } = {}): Summary {
    const window = this.#window(options);
    if (this.#samples === undefined) return { ...window, resolution: 'raw', rows: [], more: 0 };
    return summarize(this.#samples, window, options.by ?? 'service', options.limit ?? 50);
  }

  /** Bytes per hour of every scope in the window. */
  growth(options: WindowOptions = {}): LedgerGrowth {
    const window = this.#window(options);
    if (this.#samples === undefined) return { ...window, resolution: 'raw', rows: [], tooShort: 0 };
    return measureGrowth(this.#samples, window);
  }

  /** A chart of one scope: about `points` points, from raw samples, minutes or hours, whichever fits the span. */
  range(query: RangeQuery): Range {
    if (this.#samples === undefined) return { resolution: 'raw', stepMs: 0, points: [] };
    return readRange(this.#samples, query);
  }

  /** Every raw sample of the window, scope by scope in the order of time. */
  *samples(options: WindowOptions = {}): IterableIterator<StoredSample> {
    if (this.#samples === undefined) return;
    const window = this.#window(options);
    const walk = this.#samples.prepare(
      `SELECT at, run, path AS scope, bytes, ${numbers.join(', ')}, level
       FROM series s CROSS JOIN sample ON sample.series = s.id
       WHERE at >= ?1 AND at < ?2 AND (?3 IS NULL OR s.run = ?3) AND (?4 IS NULL OR s.path = ?4) ORDER BY s.id, at`,
    );
    const values = [window.since, window.until, window.run ?? null, window.scope ?? null];
    for (const row of walk.iterate(...values)) yield row as unknown as StoredSample;
  }

  /** Audit entries, oldest first. */
  audit(filter: AuditFilter = {}): AuditRecord[] {
    return this.#audit === undefined ? [] : listAudit(this.#audit, filter);
  }

  /**
   * Recomputes the hash chain and compares it with the head that samples.db remembers and with heads that were kept elsewhere. undefined
   * when there is no audit.db.
   */
  verifyChain(anchors: readonly ChainHead[] = []): ChainCheck | undefined {
    const witness = this.#samples?.all<ChainHead>('SELECT seq, hash FROM witness') ?? [];
    const known = [...witness, ...anchors];
    if (this.#audit !== undefined)
      return unreadable(this.#audit.path, this.#audit, (db) => checkChain(db, known));
    const [first] = known;
    if (first === undefined) return undefined;
    const head = { seq: 0, hash: '' };
    return {
      ok: false,
      rows: 0,
      head,
      prunedUpTo: 0,
      anchors: known.length,
      broken: { seq: 1, why: 'emptied' },
    };
  }

  close(): void {
    this.#samples?.close();
    this.#audit?.close();
  }

  [Symbol.dispose](): void {
    this.close();
  }

  #window(options: WindowOptions): Window {
    const run = options.run ?? null;
    const ends = this.#samples?.get(
      'SELECT min(first_at) AS first, max(last_at) AS last FROM series WHERE (?1 IS NULL OR run = ?1)',
      run,
    ) as { first: number | null; last: number | null } | undefined;
    const since = options.since ?? ends?.first ?? 0;
    const until = options.until ?? Math.max(since, ends?.last ?? 0) + 1;
    return { since, until, run: options.run, scope: options.scope };
  }
}

/** Runs a query; a file whose tables are not those of a ledger is an error with a code. */
function unreadable<T>(file: string, db: Database, query: (db: Database) => T): T {
  try {
    return query(db);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw failure('PLM_LEDGER_UNREADABLE', { file, reason }, { cause: error });
  }
}

function openFile(path: string): Database | undefined {
  if (!existsSync(path)) return undefined;
  let db: Database | undefined;
  try {
    db = new Database(path, { readOnly: true });
    if (db.number('PRAGMA user_version') === 0) {
      // A process has just created the file and not yet its tables.
      db.close();
      return undefined;
    }
    if (path.endsWith('samples.db')) viewOldSamples(db);
    return db;
  } catch (error) {
    db?.close();
    if (isPlimsollError(error)) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw failure('PLM_LEDGER_UNREADABLE', { file: path, reason }, { cause: error });
  }
}
