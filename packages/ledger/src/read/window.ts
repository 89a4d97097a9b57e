import type { Database, SQLInputValue } from '../sqlite/database.ts';
import { buckets, parts, rolled } from '../sqlite/samples-schema.ts';
import type { RollUpTable } from '../sqlite/samples-schema.ts';

/** The rows of a query: every sample, or one row per minute or hour. */
export type Resolution = 'raw' | 'minute' | 'hour';

/** The samples of a query. Times are milliseconds since the epoch; the end is not included. */
export interface Window {
  readonly since: number;
  readonly until: number;
  /** One run only. */
  readonly run?: number | undefined;
  /** One scope path only. */
  readonly scope?: string | undefined;
}

const order: readonly Resolution[] = ['raw', 'minute', 'hour'];

/** SQL for the ids of the series in the window, with its parameters `?3` run and `?4` scope. */
function seriesOf(window: Window): string {
  return window.scope === undefined
    ? 'SELECT id FROM series WHERE (?3 IS NULL OR run = ?3)'
    : 'SELECT id FROM series WHERE path = ?4 AND (?3 IS NULL OR run = ?3)';
}

/** The values for `rowsAt`. */
export function windowValues(window: Window): SQLInputValue[] {
  const values = [window.since, window.until, window.run ?? null];
  return window.scope === undefined ? values : [...values, window.scope];
}

/**
 * Rows `(series, at, n, low, high, total)` of one resolution as a FROM item, with all columns that the resolution keeps when `details` are
 * asked for. Samples that upkeep has not moved yet are added from `fresh`, so that every resolution has every sample. The text depends only
 * on the kind of query, so that its statement is prepared once.
 */
export function rowsAt(resolution: Resolution, window: Window, details = true): string {
  const kept = resolution === 'raw' ? parts : rolled.map(({ column }) => column);
  const columns = details ? `, ${kept.join(', ')}` : '';
  const series = seriesOf(window);
  const single = `SELECT series, at, 1 AS n, bytes AS low, bytes AS high, bytes AS total${columns}`;
  const within = `series IN (${series}) AND at >= ?1 AND at < ?2`;
  if (resolution === 'raw')
    return details
      ? `(${single} FROM sample WHERE ${within})`
      : `(${single} FROM raw WHERE ${within} UNION ALL ${single} FROM fresh WHERE ${within})`;
  return `(SELECT series, t * ${buckets[resolution]} AS at, n, low, high, total${columns} FROM ${resolution}
    WHERE series IN (${series}) AND ${bucketsWithin(resolution)} UNION ALL ${single} FROM fresh WHERE ${unmerged} AND ${within})`;
}

/** SQL for the rows of `fresh` that are in no roll-up. */
export const unmerged = "id > (SELECT value FROM mark WHERE name = 'rolled')";

/** SQL for the buckets of a window, with its parameters `?1` and `?2`. */
export function bucketsWithin(resolution: RollUpTable): string {
  const ms = buckets[resolution];
  return `t >= CAST(?1 AS INTEGER) / ${ms} AND t < (CAST(?2 AS INTEGER) + ${ms - 1}) / ${ms}`;
}

/** The given resolution, or the next coarser one whose rows reach back to the start. Raw rows are kept for days, minutes for months. */
export function reaching(db: Database, wanted: Resolution, window: Window): Resolution {
  const values = windowValues(window).slice(2);
  const series = seriesOf(window).replaceAll('?3', '?1').replaceAll('?4', '?2');
  const oldest = (table: Resolution): number | null => {
    const [column, ms] = table === 'raw' ? ['at', 1] : ['t', buckets[table]];
    const found = db.get(
      `SELECT min((SELECT min(${column}) FROM ${table} WHERE series = s.id)) * ${ms} AS at FROM series s WHERE id IN (${series})`,
      ...values,
    ) as { at: number | null };
    return found.at;
  };
  const fresh = db.get(`SELECT min(at) AS at FROM fresh WHERE series IN (${series})`, ...values) as {
    at: number | null;
  };
  const moved = oldest('raw');
  const raw = moved === null || fresh.at === null ? (moved ?? fresh.at) : Math.min(moved, fresh.at);
  // A bucket is stamped with its beginning. The bucket with the first raw row reaches no further back than that row.
  const reach = (table: 'minute' | 'hour'): number | null => {
    const at = oldest(table);
    // Without a roll-up yet, its rows come from raw.
    return at === null || (raw !== null && at <= raw && raw < at + buckets[table]) ? raw : at;
  };
  const starts = [raw, reach('minute'), reach('hour')].map((at) => at ?? Number.MAX_SAFE_INTEGER);
  const from = Math.max(window.since, Math.min(...starts));
  const at = order.findIndex((_, i) => i >= order.indexOf(wanted) && (starts[i] as number) <= from);
  return order[at] ?? wanted;
}
