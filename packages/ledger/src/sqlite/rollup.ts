import type { Database } from './database.ts';
import { buckets, chosen, parts, rolled } from './samples-schema.ts';
import type { RollUpTable, RolledColumn } from './samples-schema.ts';

const columns = rolled.map(({ column }) => column).join(', ');
/** Joins the value of a bucket with that of new samples. Either may be missing. */
const joined = ({ column, rollUp }: RolledColumn): string =>
  rollUp === 'newest'
    ? `${column} = coalesce(excluded.${column}, ${column})`
    : `${column} = ${rollUp}(coalesce(${column}, excluded.${column}), coalesce(excluded.${column}, ${column}))`;

const merge = (table: RollUpTable): string => `
INSERT INTO ${table} (series, t, n, low, high, total, ${columns})
SELECT series, at / ${buckets[table]}, count(*), min(bytes), max(bytes), sum(bytes), ${rolled.map(chosen).join(', ')}
FROM fresh WHERE id <= ?1 GROUP BY 1, 2
ON CONFLICT DO UPDATE SET n = n + excluded.n, low = min(low, excluded.low), high = max(high, excluded.high),
  total = total + excluded.total, ${rolled.map(joined).join(', ')}`;

const merges = [merge('minute'), merge('hour'), merge('day')];
/** Two samples of one series in the same millisecond count twice in the roll-ups; the larger one is kept. */
const moveBytes = `INSERT INTO raw SELECT series, at, bytes FROM fresh WHERE id <= ?1 ORDER BY series, at
  ON CONFLICT DO UPDATE SET bytes = max(bytes, excluded.bytes)`;
const moveParts = `INSERT OR REPLACE INTO detail (series, at, ${parts.join(', ')}) SELECT series, at, ${parts.join(', ')} FROM fresh
  WHERE id <= ?1 AND limit_bytes IS NOT NULL ORDER BY series, at, bytes`;

/**
 * Moves the next slice of fresh samples to their place and into minutes, hours and days, in one transaction: every sample is merged exactly
 * once, even when the clock jumps and several processes write. Returns the samples moved; fewer than `rows` means there is no more.
 */
export function rollUp(db: Database, rows: number): number {
  return db.transaction(() => {
    const merged = mergedUpTo(db);
    // Rows up to the mark come from a file of version 1 and are in the roll-ups already; a slice must not cross the mark.
    const isMerged =
      merged > 0 && db.number('SELECT count(*) FROM (SELECT 1 FROM fresh WHERE id <= ? LIMIT 1)', merged) > 0;
    const span = db.get(
      'SELECT count(*) AS n, max(id) AS last FROM (SELECT id FROM fresh WHERE id <= ? ORDER BY id LIMIT ?)',
      isMerged ? merged : Number.MAX_SAFE_INTEGER,
      rows,
    ) as { n: number; last: number | null };
    if (merged > 0 && !isMerged) db.run("UPDATE mark SET value = 0 WHERE name = 'rolled'");
    if (span.last === null) return 0;
    if (!isMerged) for (const sql of merges) db.run(sql, span.last);
    db.run(moveBytes, span.last);
    db.run(moveParts, span.last);
    db.run('DELETE FROM fresh WHERE id <= ?', span.last);
    // The last slice before the mark may be short.
    return isMerged ? rows : span.n;
  });
}

/** The last row of `fresh` that is in minutes and hours already; 0 in files that began with version 2. */
function mergedUpTo(db: Database): number {
  return db.number("SELECT value FROM mark WHERE name = 'rolled'");
}
