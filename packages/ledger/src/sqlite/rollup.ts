import type { Database } from './database.ts';

/** The two roll-up tables, their bucket lengths in milliseconds. */
export const buckets = { minute: 60_000, hour: 3_600_000 } as const;
export type Bucket = keyof typeof buckets;

const merge = (table: Bucket): string => `
INSERT INTO ${table} (series, t, n, low, high, total, floor, rss, loop_us, level, limit_bytes)
SELECT series, at / ${buckets[table]}, count(*), min(bytes), max(bytes), sum(bytes), min(floor), max(rss), max(loop_us), max(level), max(limit_bytes)
FROM raw WHERE id > ?1 AND id <= ?2 GROUP BY 1, 2
ON CONFLICT DO UPDATE SET n = n + excluded.n, low = min(low, excluded.low), high = max(high, excluded.high),
  total = total + excluded.total, floor = min(coalesce(floor, excluded.floor), coalesce(excluded.floor, floor)),
  rss = max(coalesce(rss, excluded.rss), coalesce(excluded.rss, rss)),
  loop_us = max(coalesce(loop_us, excluded.loop_us), coalesce(excluded.loop_us, loop_us)),
  level = max(coalesce(level, excluded.level), coalesce(excluded.level, level)),
  limit_bytes = coalesce(excluded.limit_bytes, limit_bytes)`;

const mergeMinute = merge('minute');
const mergeHour = merge('hour');

/**
 * Merges the next slice of raw rows into minutes and hours. The mark follows row ids, that is order of arrival, and
 * moves in the same transaction: every row is merged exactly once, whatever the clock did and however many processes
 * write. Returns the rows merged; fewer than `rows` means there is no more.
 */
export function rollUp(db: Database, rows: number): number {
  return db.transaction(() => {
    const from = rolled(db);
    const span = db.get(
      'SELECT count(*) AS n, max(id) AS last FROM (SELECT id FROM raw WHERE id > ? ORDER BY id LIMIT ?)',
      from,
      rows,
    ) as { n: number; last: number | null };
    if (span.last === null) return 0;
    db.run(mergeMinute, from, span.last);
    db.run(mergeHour, from, span.last);
    db.run("UPDATE mark SET value = ? WHERE name = 'rolled'", span.last);
    return span.n;
  });
}

/** The id of the last raw row that is in the roll-ups. */
export function rolled(db: Database): number {
  return db.number("SELECT value FROM mark WHERE name = 'rolled'");
}
