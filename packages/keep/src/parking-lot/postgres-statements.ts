/** The statements of a PostgresLot. Each is one round trip and atomic by itself, so that a pool may run it on any connection. */
export interface PostgresStatements {
  readonly make: string;
  readonly put: string;
  readonly putFenced: string;
  readonly get: string;
  readonly remove: string;
  readonly removeFenced: string;
  readonly claim: string;
  readonly holder: string;
  readonly renew: string;
  readonly release: string;
  readonly sweep: string;
}

const now = 'clock_timestamp()';
const isFree = `(p.holder IS NULL OR p.held_until < ${now})`;

/** Milliseconds of a parameter as an interval. */
function ms(parameter: string): string {
  return `${parameter}::float8 * interval '1 millisecond'`;
}

export function postgresStatements(table: string): PostgresStatements {
  const sequence = `${table}_fence`;
  const name = table.split('.').at(-1) as string;
  return {
    // Two processes may make the table at once; CREATE ... IF NOT EXISTS alone would fail for one of them.
    make: `DO $make$ BEGIN
      PERFORM pg_advisory_xact_lock(hashtext('plimsoll parking lot ${table}'));
      CREATE SEQUENCE IF NOT EXISTS ${sequence};
      CREATE TABLE IF NOT EXISTS ${table} (
        id text PRIMARY KEY,
        fence bigint NOT NULL,
        holder text,
        held_until timestamptz,
        form bytea,
        bytes bigint NOT NULL DEFAULT 0,
        parked_at timestamptz NOT NULL DEFAULT ${now},
        expires_at timestamptz NOT NULL);
      ALTER TABLE ${table} ALTER COLUMN form SET STORAGE EXTERNAL;
      CREATE INDEX IF NOT EXISTS ${name}_parked_at ON ${table} (parked_at);
    END $make$`,
    put: `INSERT INTO ${table} AS p (id, fence, form, bytes, expires_at)
      VALUES ($1, nextval('${sequence}'), $2, $3, ${now} + ${ms('$4')})
      ON CONFLICT (id) DO UPDATE SET fence = excluded.fence, holder = NULL, held_until = NULL, form = excluded.form,
        bytes = excluded.bytes, parked_at = ${now}, expires_at = excluded.expires_at
      WHERE ${isFree} RETURNING id`,
    putFenced: `UPDATE ${table} SET holder = NULL, held_until = NULL, form = $2, bytes = $3, parked_at = ${now},
      expires_at = ${now} + ${ms('$4')} WHERE id = $1 AND fence = $5 RETURNING id`,
    get: `SELECT form FROM ${table} AS p WHERE id = $1 AND (expires_at > ${now} OR NOT ${isFree})`,
    remove: `DELETE FROM ${table} AS p WHERE id = $1 AND ${isFree} RETURNING id`,
    removeFenced: `DELETE FROM ${table} WHERE id = $1 AND fence = $2 RETURNING id`,
    claim: `INSERT INTO ${table} AS p (id, fence, holder, held_until, expires_at)
      VALUES ($1, nextval('${sequence}'), $2, ${now} + ${ms('$3')}, ${now} + ${ms('$4')})
      ON CONFLICT (id) DO UPDATE SET fence = excluded.fence, holder = excluded.holder, held_until = ${now} + ${ms('$3')},
        form = CASE WHEN p.expires_at > ${now} THEN p.form END, bytes = CASE WHEN p.expires_at > ${now} THEN p.bytes ELSE 0 END, expires_at = excluded.expires_at
      WHERE ${isFree} OR p.holder = excluded.holder RETURNING fence, form`,
    holder: `SELECT holder, extract(epoch FROM held_until - ${now}) * 1000 AS ms FROM ${table} AS p
      WHERE id = $1 AND NOT ${isFree}`,
    renew: `UPDATE ${table} AS p SET held_until = ${now} + ${ms('$3')}, expires_at = ${now} + ${ms('$4')}
      FROM unnest($1::text[], $2::bigint[]) AS c (id, fence)
      WHERE p.id = c.id AND p.fence = c.fence AND p.holder IS NOT NULL RETURNING p.id`,
    release: `WITH gone AS (DELETE FROM ${table} WHERE id = $1 AND fence = $2 AND form IS NULL)
      UPDATE ${table} SET holder = NULL, held_until = NULL WHERE id = $1 AND fence = $2 AND form IS NOT NULL`,
    // A row that is held is not swept: its holder may die and leave the copy as the only one.
    sweep: `WITH ranked AS (
        SELECT id, bytes, expires_at, sum(bytes) OVER (ORDER BY parked_at DESC, id) AS running FROM ${table} AS p WHERE ${isFree}),
      gone AS (DELETE FROM ${table} AS p USING ranked AS r
        WHERE p.id = r.id AND (r.expires_at < ${now} OR r.running > $1) AND ${isFree} RETURNING p.bytes, p.form IS NOT NULL AS had)
      SELECT (SELECT coalesce(sum(bytes), 0) FROM ${table}) - (SELECT coalesce(sum(bytes), 0) FROM gone) AS bytes,
        (SELECT count(*) FROM ${table} WHERE form IS NOT NULL) - (SELECT count(*) FROM gone WHERE had) AS entries`,
  };
}
