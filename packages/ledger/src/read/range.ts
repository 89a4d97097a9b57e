import { levels, type Level } from '@plimsoll/core/internal/level';
import { storedFields, type StoredNumbers } from '@plimsoll/core/internal/sense/reading-fields';
import type { Database } from '../sqlite/database.ts';
import { buckets, chosen, rolled } from '../sqlite/samples-schema.ts';
import { reaching, rowsAt, windowValues } from './window.ts';
import type { Resolution, Window } from './window.ts';

/** A question about one scope over time. */
export interface RangeQuery {
  readonly scope: string;
  readonly since: number;
  readonly until: number;
  readonly run?: number | undefined;
  /** Approximate number of points. Default 300, 1 to 10,000. */
  readonly points?: number;
}

/** One point of a chart: the bytes of the scope in `[at, at + stepMs)`. The optional numbers exist only for process samples. */
export interface RangePoint extends Partial<StoredNumbers> {
  readonly at: number;
  readonly samples: number;
  readonly minBytes: number;
  readonly avgBytes: number;
  readonly maxBytes: number;
  readonly level?: Level;
}

export interface Range {
  readonly resolution: Resolution;
  readonly stepMs: number;
  readonly points: readonly RangePoint[];
}

type Bucketed = Readonly<Record<'b' | 'n' | 'low' | 'high' | 'total', number>> &
  Readonly<Record<string, number | null>>;

/** Columns that only raw samples have are averaged. */
const means = storedFields.flatMap(({ column, rollUp }) =>
  rollUp === null ? [`avg(${column}) AS ${column}`] : [],
);

/** Reads a range from the coarsest table whose rows cover no more time than one point. */
export function readRange(db: Database, query: RangeQuery): Range {
  const points = Math.min(10_000, Math.max(1, Math.round(query.points ?? 300)));
  const span = Math.max(1, query.until - query.since);
  const wanted: Resolution =
    span / points >= buckets.hour ? 'hour' : span / points >= buckets.minute ? 'minute' : 'raw';
  const window: Window = query;
  const resolution = reaching(db, wanted, window);
  const rowMs = resolution === 'raw' ? 1 : buckets[resolution];
  // A whole number of rows per point. Otherwise some points would have one row and others two.
  const stepMs = Math.max(rowMs, Math.ceil(span / points / rowMs) * rowMs);
  const rows = db.all<Bucketed>(
    `SELECT at / ${stepMs} AS b, sum(n) AS n, min(low) AS low, max(high) AS high, sum(total) AS total,
      ${[...rolled.map(chosen), ...(resolution === 'raw' ? means : [])].join(', ')}
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
    ...numbers(row),
    ...(row['level'] == null ? {} : { level: levels[row['level']] as Level }),
  };
}

function numbers(row: Bucketed): Partial<StoredNumbers> {
  return Object.fromEntries(
    storedFields.flatMap(({ name, column, scale, rollUp }) => {
      const value = row[column];
      if (value == null) return [];
      return [[name, rollUp === null ? Math.round(value / scale) : value / scale]];
    }),
  );
}
