import type { Database } from '../sqlite/database.ts';
import { reaching, rowsAt, windowValues } from './window.ts';
import type { Resolution, Window } from './window.ts';

/** The scopes of one row of a summary: all of a kind, all of a kind and name (a kind with very many names is one row), or one path. */
export type SummaryBy = 'kind' | 'service' | 'scope';

export interface SummaryRow {
  /** `session`, `agent:planner` or a whole path. */
  readonly key: string;
  /** Scopes (paths in runs) behind the row. */
  readonly scopes: number;
  readonly samples: number;
  readonly minBytes: number;
  readonly avgBytes: number;
  readonly maxBytes: number;
  readonly p95Bytes: number;
  readonly lastBytes: number;
  readonly firstSeen: number;
  readonly lastSeen: number;
}

export interface Summary {
  readonly since: number;
  readonly until: number;
  /** Source of p95. From raw samples it is exact; from roll-ups it is the p95 of the highest value of each minute or hour. */
  readonly resolution: Resolution;
  /** Highest maximum first. */
  readonly rows: readonly SummaryRow[];
  /** Rows beyond the limit. */
  readonly more: number;
}

const rawSpanMs = 3_600_000;
const minuteSpanMs = 14 * 86_400_000;

/** A kind with more names than this, such as sessions, is one row. */
const mostServices = 12;

const keys: Readonly<Record<SummaryBy, string>> = {
  kind: 's.kind',
  service: `CASE WHEN s.kind = s.name OR s.kind IN (SELECT kind FROM series GROUP BY kind HAVING count(DISTINCT name) > ${mostServices})
    THEN s.kind ELSE s.kind || ':' || s.name END`,
  scope: 's.path',
};

interface Grouped extends Omit<SummaryRow, 'p95Bytes' | 'lastBytes' | 'avgBytes'> {
  readonly totalBytes: number;
}

/** Summarises the samples of a window, one row per kind, service or scope. */
export function summarize(db: Database, window: Window, by: SummaryBy, limit: number): Summary {
  const span = window.until - window.since;
  const wanted: Resolution = span <= rawSpanMs ? 'raw' : span <= minuteSpanMs ? 'minute' : 'hour';
  const resolution = reaching(db, wanted, window);
  const rows = rowsAt(resolution, window, false);
  const values = windowValues(window);
  const groups = db.all<Grouped>(
    `SELECT ${keys[by]} AS key, count(DISTINCT r.series) AS scopes, sum(r.n) AS samples, min(r.low) AS minBytes,
      max(r.high) AS maxBytes, sum(r.total) AS totalBytes, 
      max(min(s.first_at), CAST(?1 AS INTEGER)) AS firstSeen, min(max(s.last_at), CAST(?2 AS INTEGER) - 1) AS lastSeen
     FROM ${rows} r JOIN series s ON s.id = r.series GROUP BY 1 ORDER BY maxBytes DESC, key`,
    ...values,
  );
  const shown = groups.slice(0, limit);
  const p95 = percentiles(db, rows, values, keys[by], shown);
  const last = newest(db, rows, values, keys[by]);
  return {
    since: window.since,
    until: window.until,
    resolution,
    more: groups.length - shown.length,
    rows: shown.map((group) => ({
      key: group.key,
      scopes: group.scopes,
      samples: group.samples,
      minBytes: group.minBytes,
      avgBytes: group.totalBytes / group.samples,
      maxBytes: group.maxBytes,
      p95Bytes: p95.get(group.key) ?? group.maxBytes,
      lastBytes: last.get(group.key) ?? group.maxBytes,
      firstSeen: group.firstSeen,
      lastSeen: group.lastSeen,
    })),
  };
}

type Values = ReturnType<typeof windowValues>;

/** Walks each group's values in order until 95 % of its samples are passed. */
function percentiles(
  db: Database,
  rows: string,
  values: Values,
  key: string,
  groups: readonly Grouped[],
): Map<string, number> {
  const goal = new Map(groups.map((group) => [group.key, Math.ceil(group.samples * 0.95)]));
  const found = new Map<string, number>();
  const walk = db.prepare(
    `SELECT ${key} AS key, r.high AS high, sum(r.n) AS n FROM ${rows} r JOIN series s ON s.id = r.series GROUP BY 1, 2 ORDER BY 1, 2`,
  );
  for (const item of walk.iterate(...values)) {
    const { key: name, high, n } = item as unknown as { key: string; high: number; n: number };
    const left = goal.get(name);
    if (left === undefined) continue;
    if (left <= 0) continue;
    goal.set(name, left - n);
    if (left - n <= 0) found.set(name, high);
  }
  return found;
}

/**
 * The newest value of each group. The series has its newest value. For an earlier window the last row is used, of a roll-up its average.
 */
function newest(db: Database, rows: string, values: Values, key: string): Map<string, number> {
  const found = db.all<{ key: string; bytes: number }>(
    `SELECT ${key} AS key, CASE WHEN s.last_at < ?2 THEN s.last ELSE r.total / r.n END AS bytes, 
       max(CASE WHEN s.last_at < ?2 THEN s.last_at ELSE r.at END)
     FROM ${rows} r JOIN series s ON s.id = r.series GROUP BY 1`,
    ...values,
  );
  return new Map(found.map((row) => [row.key, row.bytes]));
}
