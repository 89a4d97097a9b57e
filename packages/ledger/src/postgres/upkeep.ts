import { rolled } from '../sqlite/samples-schema.ts';
import type { PgClient, PgSession } from './client.ts';
import { lockSpace } from './migrate.ts';

const upkeepLock = 2;
const slice = 5000;
const dayMs = 86_400_000;
const columns = rolled.filter(({ column }) => column !== 'level');
const names = columns.map(({ column }) => column);
/** Within one bucket the largest limit is used as the newest. */
const chosen = (prefix: string): string =>
  columns.map(({ column, rollUp }) => `${rollUp === 'min' ? 'min' : 'max'}(${prefix}.${column})`).join(', ');
const kept = ['n', 'low', 'high', 'total', 'pressure', 'level', ...names];
const target = `(process_no, at, ${kept.join(', ')})`;
const replace = `on conflict (process_no, at) do update set ${kept.map((name) => `${name} = excluded.${name}`).join(', ')}`;

const rollUp = `with picked as (delete from plimsoll.due d using
    (select process_no, at from plimsoll.due where at < now() - interval '5 minutes' order by at limit $1) p
    where d.process_no = p.process_no and d.at = p.at returning d.process_no, d.at)
  insert into plimsoll.rollup ${target}
  select d.process_no, d.at, count(*), min(s.used_bytes), max(s.used_bytes), sum(s.used_bytes),
    max(s.used_bytes::float8 / nullif(s.limit_bytes, 0)), max(s.level), ${chosen('s')}
  from picked d join plimsoll.sample s on s.process_no = d.process_no and s.at >= d.at and s.at < d.at + interval '5 minutes'
  group by 1, 2 ${replace}
  returning process_no, extract(epoch from date_trunc('hour', at at time zone 'UTC') at time zone 'UTC')::float8 as hour`;
const rollHours = `insert into plimsoll.rollup_hour ${target}
  select h.no, to_timestamp(h.hour), sum(r.n), min(r.low), max(r.high), sum(r.total), max(r.pressure), max(r.level), ${chosen('r')}
  from unnest($1::integer[], $2::float8[]) as h (no, hour)
    join plimsoll.rollup r on r.process_no = h.no and r.at >= to_timestamp(h.hour) and r.at < to_timestamp(h.hour + 3600)
  group by 1, 2 ${replace}`;

const rollQuarters = `insert into plimsoll.heat (process_no, at, pressure, level)
  select q.no, to_timestamp(q.at), max(r.pressure), max(r.level)
  from unnest($1::integer[], $2::float8[]) as q (no, at)
    join plimsoll.rollup_hour r on r.process_no = q.no and r.at >= to_timestamp(q.at) and r.at < to_timestamp(q.at + 21600)
  group by 1, 2 on conflict (process_no, at) do update set pressure = excluded.pressure, level = excluded.level`;
const quarterS = 6 * 3600;

export interface Upkeep {
  /** False when another process is doing it. */
  readonly isHeld: boolean;
  readonly rolled: number;
  readonly dropped: number;
  readonly more: boolean;
}

/**
 * Rolls up due rows, makes the partitions of the next days and drops expired ones. The process with the advisory lock does it, a slice at a
 * time. The lock ends with the transaction, so a dead holder does not keep it.
 */
export function upkeep(client: PgClient, now = Date.now()): Promise<Upkeep> {
  return client.transaction(async (session) => {
    const [lock] = await session.query<{ held: boolean }>(
      'select pg_try_advisory_xact_lock($1, $2) as held',
      [lockSpace, upkeepLock],
    );
    if (lock?.held !== true) return { isHeld: false, rolled: 0, dropped: 0, more: false };
    await makeAhead(session, now);
    const rolledUp = await roll(session);
    const [gone] = await session.query<{ dropped: number }>('select plimsoll.expire() as dropped');
    return { isHeld: true, rolled: rolledUp, dropped: gone?.dropped ?? 0, more: rolledUp === slice };
  });
}

async function makeAhead(session: PgSession, now: number): Promise<void> {
  for (const parent of ['sample', 'scope_batch'])
    for (const days of [0, 1, 2]) await makePartition(session, parent, now + days * dayMs);
  for (const parent of ['rollup', 'rollup_hour', 'heat', 'entry'])
    for (const days of [0, 5]) await makePartition(session, parent, now + days * dayMs);
}

/** Makes the partition of a table that holds a moment, unless it is there. */
export async function makePartition(session: PgSession, parent: string, at: number): Promise<void> {
  await session.query('select plimsoll.make_partition($1, to_timestamp($2::float8 / 1000))', [parent, at]);
}

async function roll(session: PgSession): Promise<number> {
  const months = await session.query<{ at: number }>(
    `select distinct extract(epoch from date_trunc('month', at at time zone 'UTC') at time zone 'UTC')::float8 * 1000 as at
     from plimsoll.due where at < now() - interval '5 minutes'`,
  );
  for (const { at } of months)
    for (const parent of ['rollup', 'rollup_hour', 'heat']) await makePartition(session, parent, at);
  const buckets = await session.query<Bucket>(rollUp, [slice]);
  if (buckets.length === 0) return 0;
  await session.query(
    rollHours,
    distinct(buckets, ({ hour }) => hour),
  );
  await session.query(
    rollQuarters,
    distinct(buckets, ({ hour }) => Math.floor(hour / quarterS) * quarterS),
  );
  return buckets.length;
}

interface Bucket {
  readonly process_no: number;
  readonly hour: number;
}

/** The processes and times of buckets as two arrays, each pair once. */
function distinct(buckets: readonly Bucket[], timeOf: (bucket: Bucket) => number): readonly [string, string] {
  const pairs = new Map(
    buckets.map((bucket) => [`${bucket.process_no} ${timeOf(bucket)}`, [bucket.process_no, timeOf(bucket)]]),
  );
  const column = (i: 0 | 1): string => `{${[...pairs.values()].map((pair) => pair[i]).join(',')}}`;
  return [column(0), column(1)];
}
