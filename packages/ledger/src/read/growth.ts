import type { Database } from '../sqlite/database.ts';
import { buckets } from '../sqlite/samples-schema.ts';
import { bucketsWithin, reaching, unmerged, windowValues } from './window.ts';
import type { Resolution, Window } from './window.ts';

/** Growth of one scope of one run: the least-squares line through its samples in the window. */
export interface GrowthRow {
  readonly scope: string;
  readonly run: number;
  /** Values of the line: live bytes after a major GC where they were recorded, else the bytes of the scope. */
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

export interface LedgerGrowth {
  readonly since: number;
  readonly until: number;
  readonly resolution: Resolution | 'day';
  /** Fastest growth first. */
  readonly rows: readonly GrowthRow[];
  /** Scopes with too few samples for a line. */
  readonly tooShort: number;
}

const rawSpanMs = 1_800_000;
const minuteSpanMs = 6 * 3_600_000;
const hourSpanMs = 14 * 86_400_000;
const leastPoints = 3;

/** Sums over the points of one series. x counts hours from the window's start; y counts bytes above the lowest of the series. */
interface Sums {
  readonly id: number;
  readonly scope: string;
  readonly run: number;
  readonly base: number;
  bytes: Line;
  floor: Line;
}

interface Line {
  n: number;
  from: number;
  to: number;
  w: number;
  x: number;
  xx: number;
  y: number;
  xy: number;
  yy: number;
}

/** Fits a line to every scope of the window, weighted by samples. */
export function measureGrowth(db: Database, window: Window): LedgerGrowth {
  const span = window.until - window.since;
  const wanted: Resolution = span <= rawSpanMs ? 'raw' : span <= minuteSpanMs ? 'minute' : 'hour';
  const resolution = span > hourSpanMs ? 'day' : reaching(db, wanted, window);
  const all = new Map<number, Sums>();
  for (const source of sources(resolution)) collect(db, window, source, all);
  const lines = [...all.values()]
    .map((sums) => ({ sums, of: isFloor(sums) ? ('floor' as const) : ('bytes' as const) }))
    .filter(({ sums, of }) => sums[of].n >= leastPoints && sums[of].to > sums[of].from)
    .map(({ sums, of }) => line(sums, of, window.since));
  return {
    since: window.since,
    until: window.until,
    resolution,
    rows: lines.sort((a, b) => b.bytesPerHour - a.bytesPerHour),
    tooShort: all.size - lines.length,
  };
}

/** The tables with the points, each read in one pass in the order of its key. */
function sources(resolution: LedgerGrowth['resolution']): string[] {
  const within = 'r.at >= ?1 AND r.at < ?2';
  const single = 'r.at AS at, 1 AS n, r.bytes AS total';
  const fresh = `SELECT s.id AS id, s.low AS base, ${single}, r.floor AS floor FROM fresh r JOIN series s ON s.id = r.series WHERE ${within}`;
  if (resolution === 'raw')
    return [
      `SELECT s.id AS id, s.low AS base, ${single}, d.floor AS floor FROM series s CROSS JOIN raw r ON r.series = s.id
       LEFT JOIN detail d ON d.series = r.series AND d.at = r.at WHERE ${within}`,
      fresh,
    ];
  return [
    `SELECT s.id AS id, s.low AS base, r.t * ${buckets[resolution]} AS at, r.n AS n, r.total AS total, r.floor AS floor
     FROM series s CROSS JOIN ${resolution} r ON r.series = s.id WHERE ${bucketsWithin(resolution)}`,
    `${fresh} AND r.${unmerged}`,
  ];
}

const sumsOf = (name: string, y: string): string =>
  [
    `count(${y}) AS ${name}N`,
    `min(CASE WHEN ${y} IS NOT NULL THEN at END) AS ${name}From`,
    `max(CASE WHEN ${y} IS NOT NULL THEN at END) AS ${name}To`,
    `sum(CASE WHEN ${y} IS NOT NULL THEN n END) AS ${name}W`,
    `sum(CASE WHEN ${y} IS NOT NULL THEN n * x END) AS ${name}X`,
    `sum(CASE WHEN ${y} IS NOT NULL THEN n * x * x END) AS ${name}XX`,
    `sum(n * ${y}) AS ${name}Y`,
    `sum(n * x * ${y}) AS ${name}XY`,
    `sum(n * ${y} * ${y}) AS ${name}YY`,
  ].join(', ');

function collect(db: Database, window: Window, source: string, into: Map<number, Sums>): void {
  const scope = window.scope === undefined ? '' : ' AND s.path = ?4';
  const rows = db.all<Record<string, number | null>>(
    `SELECT id, base, ${sumsOf('bytes', 'y')}, ${sumsOf('floor', 'f')} FROM
       (SELECT id, base, at, n, (at - ?1) / 3.6e6 AS x, total * 1.0 / n - base AS y, floor * 1.0 - base AS f FROM
         (${source} AND (?3 IS NULL OR s.run = ?3)${scope}))
     GROUP BY id`,
    ...windowValues(window),
  );
  for (const row of rows) {
    const id = row['id'] as number;
    const known = into.get(id);
    const found = { bytes: lineOf(row, 'bytes'), floor: lineOf(row, 'floor') };
    if (known !== undefined) {
      known.bytes = added(known.bytes, found.bytes);
      known.floor = added(known.floor, found.floor);
      continue;
    }
    const { path, run } = db.get('SELECT path, run FROM series WHERE id = ?', id) as {
      path: string;
      run: number;
    };
    into.set(id, { id, scope: path, run, base: row['base'] as number, ...found });
  }
}

function lineOf(row: Record<string, number | null>, name: 'bytes' | 'floor'): Line {
  const of = (field: string): number => row[name + field] ?? 0;
  const none = of('N') === 0;
  return {
    n: of('N'),
    from: none ? Number.POSITIVE_INFINITY : of('From'),
    to: none ? Number.NEGATIVE_INFINITY : of('To'),
    w: of('W'),
    x: of('X'),
    xx: of('XX'),
    y: of('Y'),
    xy: of('XY'),
    yy: of('YY'),
  };
}

function added(a: Line, b: Line): Line {
  return {
    n: a.n + b.n,
    from: Math.min(a.from, b.from),
    to: Math.max(a.to, b.to),
    w: a.w + b.w,
    x: a.x + b.x,
    xx: a.xx + b.xx,
    y: a.y + b.y,
    xy: a.xy + b.xy,
    yy: a.yy + b.yy,
  };
}

/** The floor is used when at least half of the points have one. */
function isFloor({ bytes, floor }: Sums): boolean {
  return floor.n >= leastPoints && 2 * floor.n >= bytes.n;
}

function line(sums: Sums, of: 'floor' | 'bytes', since: number): GrowthRow {
  const { n, from, to, w, x, xx, y, xy, yy } = sums[of];
  const [meanX, meanY] = [x / w, y / w];
  const varX = Math.max(Number.MIN_VALUE, xx / w - meanX * meanX);
  const varY = Math.max(0, yy / w - meanY * meanY);
  const cov = xy / w - meanX * meanY;
  const slope = cov / varX;
  const r2 = varY === 0 ? 1 : Math.min(1, (cov * cov) / (varX * varY));
  const start = sums.base + meanY + slope * ((from - since) / 3.6e6 - meanX);
  return {
    scope: sums.scope,
    run: sums.run,
    of,
    points: n,
    from,
    to,
    bytesPerHour: slope,
    errorPerHour: Math.sqrt((Math.max(0, 1 - r2) * varY) / varX / Math.max(1, n - 2)),
    r2,
    startBytes: start,
    endBytes: start + slope * ((to - from) / 3.6e6),
  };
}
