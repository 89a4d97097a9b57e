import type { Retention } from '../options.ts';
import type { Database } from './database.ts';
import { buckets, rolled, rollUp } from './rollup.ts';

const slice = 2000;
const shrinkPages = 2000;

/** What one piece of upkeep did; `more` asks for another soon. */
export interface Upkeep {
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
    if (this.#db.liveBytes() > maxBytes) {
      const expired = this.#cut();
      this.#db.shrink(shrinkPages);
      return { rolled, expired, more: expired > 0 };
    }
    const round = this.#expire(now);
    if (round.expired > 0) this.#db.shrink(shrinkPages);
    return { rolled, ...round };
  }

  /**
   * Frees space for a batch that did not fit: the oldest rolled-up rows, or the oldest of all when nothing is rolled up,
   * since merging needs room itself.
   */
  makeRoom(rows: number): void {
    this.#db.transaction(() => {
      const wanted = Math.max(slice, 2 * rows);
      const oldest = 'DELETE FROM raw WHERE id IN (SELECT id FROM raw WHERE id <= ? ORDER BY id LIMIT ?)';
      const freed = this.#db.run(oldest, rolled(this.#db), wanted);
      if (freed < wanted) this.#db.run(oldest, Number.MAX_SAFE_INTEGER, wanted - freed);
    });
  }

  /** Removes what is too old, for the next slice of series. */
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
    const raw = this.#db.run(
      'DELETE FROM raw WHERE id IN (SELECT id FROM raw WHERE series = ? AND at < ? AND id <= ? LIMIT ?)',
      id,
      now - rawMs,
      rolled(this.#db),
      slice,
    );
    const minutes = this.#expireBuckets('minute', id, now - minuteMs);
    const hours = this.#expireBuckets('hour', id, now - hourMs);
    if (raw + minutes + hours > 0) this.#dropEmptySeries(id, now - rawMs);
    return raw + minutes + hours;
  }

  #expireBuckets(table: 'minute' | 'hour', series: number, before: number): number {
    return this.#db.run(
      `DELETE FROM ${table} WHERE series = ?1 AND t IN (SELECT t FROM ${table} WHERE series = ?1 AND t < ?2 LIMIT ${slice})`,
      series,
      Math.floor(before / buckets[table]),
    );
  }

  #dropEmptySeries(id: number, before: number): void {
    this.#db.run(
      `DELETE FROM series WHERE id = ?1 AND last_at < ?2 AND NOT EXISTS (SELECT 1 FROM raw WHERE series = ?1)
       AND NOT EXISTS (SELECT 1 FROM minute WHERE series = ?1) AND NOT EXISTS (SELECT 1 FROM hour WHERE series = ?1)`,
      id,
      before,
    );
  }

  /** Over the cap: the oldest raw rows go first, then the oldest minutes, then the oldest hours, then series without rows. */
  #cut(): number {
    return this.#db.transaction(() => {
      const raw = this.#db.run(
        'DELETE FROM raw WHERE id IN (SELECT id FROM raw WHERE id <= ? ORDER BY id LIMIT ?)',
        rolled(this.#db),
        slice,
      );
      if (raw > 0) return raw;
      const old = this.#cutBuckets('minute') || this.#cutBuckets('hour');
      if (old > 0) return old;
      return this.#db.run(
        'DELETE FROM series WHERE id IN (SELECT id FROM series WHERE id NOT IN (SELECT series FROM raw) ORDER BY last_at LIMIT ?)',
        slice,
      );
    });
  }

  /** Removes the oldest sixteenth of the time a roll-up table covers. */
  #cutBuckets(table: 'minute' | 'hour'): number {
    const span = this.#db.get(
      `SELECT min((SELECT min(t) FROM ${table} WHERE series = s.id)) AS low,
        max((SELECT max(t) FROM ${table} WHERE series = s.id)) AS high FROM series s`,
    );
    const { low, high } = span as { low: number | null; high: number | null };
    if (low === null || high === null) return 0;
    const before = low + Math.ceil((high - low + 1) / 16);
    return this.#db.run(
      `DELETE FROM ${table} WHERE (series, t) IN (SELECT series, t FROM ${table} WHERE t < ? LIMIT ?)`,
      before,
      slice * 10,
    );
  }
}
