import type { Database } from '../sqlite/database.ts';
import { reaching, rowsAt, windowValues } from './window.ts';
import type { Resolution, Window } from './window.ts';

/** How one scope of one run grew: the least-squares line through its samples in the window. */
export interface GrowthRow {
  readonly scope: string;
  readonly run: number;
  /** What the line was laid through: live bytes after a major GC where they were recorded, else what the scope held. */
  readonly of: 'floor' | 'bytes';
  readonly points: number;
  readonly from: number;
  readonly to: number;
  readonly bytesPerHour: number;
  /** Standard error of `bytesPerHour`; it assumes independent points, so it is too small for slow waves. */
  readonly errorPerHour: number;
  /** Share of the movement that the line explains, 0 to 1. */
  readonly r2: number;
  readonly startBytes: number;
  readonly endBytes: number;
}

export interface Growth {
  readonly since: number;
  readonly until: number;
  readonly resolution: Resolution;
  /** Fastest growth first. */
  readonly rows: readonly GrowthRow[];
  /** Scopes with too few samples for a line. */
  readonly tooShort: number;
}

const rawSpanMs = 1_800_000;
const minuteSpanMs = 7 * 86_400_000;
const leastPoints = 3;

interface Sums {
  scope: string;
  run: number;
  n: number;
  floors: number;
  from: number;
  to: number;
  base: number;
  sx: number;
  sxx: number;
  sy: number;
  sxy: number;
  syy: number;
}

/** Lays a line through every scope of the window, weighted by samples. Hours on x, bytes above the lowest on y: small numbers keep the sums exact. */
export function measureGrowth(db: Database, window: Window): Growth {
  const span = window.until - window.since;
  const wanted: Resolution = span <= rawSpanMs ? 'raw' : span <= minuteSpanMs ? 'minute' : 'hour';
  const resolution = reaching(db, wanted, window);
  const rows = rowsAt(resolution, window);
  const sums = db.all<Sums>(
    `WITH point AS (
       SELECT r.series, r.at, r.n AS w, CASE WHEN f.whole THEN r.floor ELSE r.total / r.n END AS value, f.whole
       FROM ${rows} r JOIN (SELECT series, count(floor) >= 3 AND 2 * count(floor) >= count(*) AS whole FROM ${rows} GROUP BY series) f ON f.series = r.series),
     based AS (SELECT series, min(at) AS t0, min(value) AS base FROM point WHERE value IS NOT NULL GROUP BY series)
     SELECT s.path AS scope, s.run AS run, count(*) AS n, max(p.whole) AS floors, min(p.at) AS "from", max(p.at) AS "to", b.base AS base,
       sum(w * (p.at - t0) / 3.6e6) / sum(w) AS sx, sum(w * ((p.at - t0) / 3.6e6) * ((p.at - t0) / 3.6e6)) / sum(w) AS sxx,
       sum(w * (value - base)) / sum(w) AS sy, sum(w * ((p.at - t0) / 3.6e6) * (value - base)) / sum(w) AS sxy,
       sum(w * (value - base) * 1.0 * (value - base)) / sum(w) AS syy
     FROM point p JOIN based b ON b.series = p.series JOIN series s ON s.id = p.series WHERE value IS NOT NULL GROUP BY p.series`,
    ...windowValues(window),
  );
  const lines = sums.filter((sum) => sum.n >= leastPoints && sum.to > sum.from).map(line);
  return {
    since: window.since,
    until: window.until,
    resolution,
    rows: lines.sort((a, b) => b.bytesPerHour - a.bytesPerHour),
    tooShort: sums.length - lines.length,
  };
}

function line(sum: Sums): GrowthRow {
  const varX = Math.max(Number.MIN_VALUE, sum.sxx - sum.sx * sum.sx);
  const varY = Math.max(0, sum.syy - sum.sy * sum.sy);
  const cov = sum.sxy - sum.sx * sum.sy;
  const slope = cov / varX;
  const r2 = varY === 0 ? 1 : Math.min(1, (cov * cov) / (varX * varY));
  const hours = (sum.to - sum.from) / 3.6e6;
  const start = sum.base + sum.sy - slope * sum.sx;
  return {
    scope: sum.scope,
    run: sum.run,
    of: sum.floors === 1 ? 'floor' : 'bytes',
    points: sum.n,
    from: sum.from,
    to: sum.to,
    bytesPerHour: slope,
    errorPerHour: Math.sqrt((Math.max(0, 1 - r2) * varY) / varX / Math.max(1, sum.n - 2)),
    r2,
    startBytes: start,
    endBytes: start + slope * hours,
  };
}
