import { levelNames } from '../sample.ts';
import type { LevelName } from '../sample.ts';
import type { Database } from '../sqlite/database.ts';
import { buckets } from '../sqlite/samples-schema.ts';
import { reaching, rowsAt, windowValues } from './window.ts';
import type { Resolution, Window } from './window.ts';

/** A question about one scope over time. */
export interface RangeQuery {
  readonly scope: string;
  readonly since: number;
  readonly until: number;
  readonly run?: number | undefined;
  /** About how many points are wanted. Default 300, 1 to 10,000. */
  readonly points?: number;
}

/** One point of a chart: what the scope held in `[at, at + stepMs)`. The optional parts exist for process samples. */
export interface RangePoint {
  readonly at: number;
  readonly samples: number;
  readonly minBytes: number;
  readonly avgBytes: number;
  readonly maxBytes: number;
  readonly floor?: number;
  readonly rss?: number;
  readonly loopDelayMs?: number;
  readonly level?: LevelName;
  readonly limit?: number;
}

export interface Range {
  readonly resolution: Resolution;
  readonly stepMs: number;
  readonly points: readonly RangePoint[];
}

interface Bucketed {
  b: number;
  n: number;
  low: number;
  high: number;
  total: number;
  floor: number | null;
  rss: number | null;
  loop_us: number | null;
  level: number | null;
  limit_bytes: number | null;
}

/** Reads a range from the coarsest table whose rows are no longer than one wanted point. */
export function readRange(db: Database, query: RangeQuery): Range {
  const points = Math.min(10_000, Math.max(1, Math.round(query.points ?? 300)));
  const span = Math.max(1, query.until - query.since);
  const wanted: Resolution =
    span / points >= buckets.hour ? 'hour' : span / points >= buckets.minute ? 'minute' : 'raw';
  const window: Window = query;
  const resolution = reaching(db, wanted, window);
  const rowMs = resolution === 'raw' ? 1 : buckets[resolution];
  // A whole number of rows per point, else points would hold now one row and now two.
  const stepMs = Math.max(rowMs, Math.ceil(span / points / rowMs) * rowMs);
  const rows = db.all<Bucketed>(
    `SELECT at / ${stepMs} AS b, sum(n) AS n, min(low) AS low, max(high) AS high, sum(total) AS total, min(floor) AS floor,
      max(rss) AS rss, max(loop_us) AS loop_us, max(level) AS level, max(limit_bytes) AS limit_bytes
     FROM ${rowsAt(resolution, window)} GROUP BY b ORDER BY b`,
    ...windowValues(window),
  );
  return { resolution, stepMs, points: rows.map((row) => point(row, stepMs)) };
}

function point(row: Bucketed, stepMs: number): RangePoint {
  return {
    at: row.b * stepMs,
    samples: row.n,
    minBytes: row.low,
    avgBytes: row.total / row.n,
    maxBytes: row.high,
    ...(row.floor === null ? {} : { floor: row.floor }),
    ...(row.rss === null ? {} : { rss: row.rss }),
    ...(row.loop_us === null ? {} : { loopDelayMs: row.loop_us / 1000 }),
    ...(row.level === null ? {} : { level: levelNames[row.level] as LevelName }),
    ...(row.limit_bytes === null ? {} : { limit: row.limit_bytes }),
  };
}
