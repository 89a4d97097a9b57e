import type { Retention } from '../options.ts';
import type { Database } from './database.ts';
import { rollUp } from './rollup.ts';
import { buckets } from './samples-schema.ts';
import type { RollUpTable } from './samples-schema.ts';

type Table = 'raw' | 'detail' | RollUpTable;

const slice = 2000;
const shrinkPages = 2000;
const keptPages = 32;

/** Result of one step of upkeep. `more`: another step is due soon. */
interface Upkeep {
  readonly rolled: number;
  readonly expired: number;
  readonly more: boolean;
}

/**
 * Rolls up, expires by age and holds the size cap of samples.db, a few milliseconds at a time: between two steps the
 * writer serves waiting batches.
 */
export class SamplesUpkeep {
  readonly #db: Database;
  readonly #retention: Retention;
  /** Series are visited in order of id, a slice per step. */
  #cursor = 0;

  constructor(db: Database, retention: Retention) {
    this.#db = db;
    this.#retention = retention;
  }

  step(now: number, maxBytes: number): Upkeep {
    const rolled = rollUp(this.#db, slice);
    if (rolled === slice) return { rolled, expired: 0, more: true };
    // Moving rows leaves free pages; a few are kept for the next batches.
    const free = this.#db.number('PRAGMA freelist_count') - keptPages;
    if (free > 0) this.#db.shrink(Math.min(free, shrinkPages));
    if (this.#db.liveBytes() > maxBytes) {
      const expired = this.#cut(now);
      this.#db.shrink(shrinkPages);
      return { rolled, expired, more: expired > 0 };
    }
    const round = this.#expire(now);
    if (round.expired > 0) this.#db.shrink(shrinkPages);
    return { rolled, ...round };
  }

  /**
   * Frees space for a batch that did not fit. It removes the oldest rows of `raw`, or of `fresh` when there are too few, because moving
   * rows needs space itself.
   */
  makeRoom(now: number, rows: number): void {
    this.#db.transaction(() => {
      const wanted = Math.max(slice, 2 * rows);
      const freed = this.#cutOldest('raw', 'at', now, wanted);
      if (freed < wanted)
        this.#db.run(
          'DELETE FROM fresh WHERE id IN (SELECT id FROM fresh ORDER BY id LIMIT ?)',
          wanted - freed,
        );
    });
  }

  /** Removes expired rows of the next slice of series. */
  #expire(now: number): { expired: number; more: boolean } {
    return this.#db.transaction(() => {
      const ids = this.#db.all<{ id: number }>(
        'SELECT id FROM series WHERE id > ? ORDER BY id LIMIT 200',
        this.#cursor,
      );
      let expired = 0;
      for (const { id } of ids) {
        expired += this.#expireSeries(id, now);
        if (expired >= slice) return { expired, more: true };
        this.#cursor = id;
      }
      if (ids.length === 200) return { expired, more: true };
      this.#cursor = 0;
      this.#db.run(
        'DELETE FROM run WHERE started < ? AND id NOT IN (SELECT run FROM series)',
        now - this.#retention.hourMs,
      );
      return { expired, more: false };
    });
  }

  #expireSeries(id: number, now: number): number {
    const { rawMs, minuteMs, hourMs } = this.#retention;
    const rows =
      this.#expireRows('raw', 'at', id, now - rawMs) +
      this.#expireRows('detail', 'at', id, now - rawMs) +
      this.#expireRows('minute', 't', id, Math.floor((now - minuteMs) / buckets.minute)) +
      this.#expireRows('hour', 't', id, Math.floor((now - hourMs) / buckets.hour)) +
      this.#expireRows('day', 't', id, Math.floor((now - hourMs) / buckets.day));
    if (rows > 0) this.#dropEmptySeries(id, now - rawMs);
    return rows;
  }

  #expireRows(table: Table, column: 'at' | 't', series: number, before: number): number {
    return this.#db.run(
      `DELETE FROM ${table} WHERE series = ?1 AND ${column} IN (SELECT ${column} FROM ${table} WHERE series = ?1 AND ${column} < ?2 LIMIT ${slice})`,
      series,
      before,
    );
  }

  #dropEmptySeries(id: number, before: number): void {
    this.#db.run(
      `DELETE FROM series WHERE id = ?1 AND last_at < ?2 AND ${['raw', 'minute', 'hour', 'day', 'fresh']
        .map((table) => `NOT EXISTS (SELECT 1 FROM ${table} WHERE series = ?1)`)
        .join(' AND ')}`,
      id,
      before,
    );
  }

  /** Removes rows above the cap: first the oldest raw rows, then the oldest minutes, hours and days, then series without rows. */
  #cut(now: number): number {
    return this.#db.transaction(
      () =>
        this.#cutOldest('raw', 'at', now, 10 * slice) ||
        this.#cutOldest('minute', 't', Math.floor(now / buckets.minute), 10 * slice) ||
        this.#cutOldest('hour', 't', Math.floor(now / buckets.hour), 10 * slice) ||
        this.#cutOldest('day', 't', Math.floor(now / buckets.day), 10 * slice) ||
        this.#db.run(
          'DELETE FROM series WHERE id IN (SELECT id FROM series WHERE id NOT IN (SELECT series FROM fresh) ORDER BY last_at LIMIT ?)',
          slice,
        ),
    );
  }

  /**
   * Removes up to `most` rows from the oldest sixteenth of the time that a table covers. Rows stamped after `now` by a wrong clock do not
   * stretch that time.
   */
  #cutOldest(table: 'raw' | RollUpTable, column: 'at' | 't', now: number, most: number): number {
    const span = this.#db.get(
      `SELECT min((SELECT min(${column}) FROM ${table} WHERE series = s.id)) AS low,
        max((SELECT max(${column}) FROM ${table} WHERE series = s.id)) AS high FROM series s`,
    );
    const { low, high } = span as { low: number | null; high: number | null };
    if (low === null || high === null) return 0;
    const end = low <= now ? Math.min(high, now) : high;
    const oldest = (from: string): string =>
      `DELETE FROM ${from} WHERE (series, ${column}) IN
        (SELECT r.series, r.${column} FROM series s CROSS JOIN ${from} r ON r.series = s.id AND r.${column} < ?1 LIMIT ?2)`;
    const before = low + Math.ceil((end - low + 1) / 16);
    if (table === 'raw') this.#db.run(oldest('detail'), before, most);
    return this.#db.run(oldest(table), before, most);
  }
}
