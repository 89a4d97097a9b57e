import { storedFields } from '@plimsoll/core/internal/sense/reading-fields';
import { processWidth, scopeWidth } from '../sample-batch.ts';
import type { PgClient, PgSession } from './client.ts';
import type { FleetNews } from './fleet-options.ts';
import type { SpooledLife, WaitingBatch } from './spool.ts';

/** Roll-ups begin with buckets of five minutes. */
const bucketMs = 300_000;
const dayMs = 86_400_000;
const names = storedFields.map(({ column }) => column);
const limitAt = scopeWidth + names.indexOf('limit_bytes');
const addSamples = `insert into plimsoll.sample (process_no, at, used_bytes, ${names.join(', ')}, level)
  select $1, to_timestamp(a / 1000), u, ${names.map((_, i) => `c${i}`).join(', ')}, l
  from unnest($2::float8[], $3::bigint[], ${names.map((_, i) => `$${i + 4}::bigint[]`).join(', ')}, $${names.length + 4}::smallint[])
    as s (a, u, ${names.map((_, i) => `c${i}`).join(', ')}, l)`;
const addScopes = `insert into plimsoll.scope_batch (process_no, at, until, paths, path_no, offset_ms, bytes)
  values ($1, to_timestamp($2::float8 / 1000), to_timestamp($3::float8 / 1000),
    array(select json_array_elements_text($4::json)), $5::integer[], $6::integer[], $7::bigint[])`;
const addDue = `insert into plimsoll.due select $1, to_timestamp(t) from unnest($2::float8[]) as t on conflict do nothing`;
const touch = `update plimsoll.process set last_seen = now(), batch = $2, samples = samples + $3, lost = $4, skew_ms = $5,
  forecast = $6::jsonb, mode = coalesce($7, mode), policy_version = coalesce($8::bigint, policy_version)`;
const newest = `, sampled = to_timestamp($9::float8 / 1000), used_bytes = $10::bigint, limit_bytes = $11::bigint, level = $12::smallint,
  pressure = $13::real`;

interface SampleShipment {
  readonly life: SpooledLife;
  readonly batches: readonly WaitingBatch[];
  readonly news: FleetNews;
  /** Clock of this host minus that of the database. Milliseconds. */
  readonly skewMs: number;
  /** Nothing before this time is stored, nor after `now` plus a day. By the database's clock, milliseconds. */
  readonly since: number;
  readonly now: number;
}

/** The result: stored samples, and samples outside of the kept times. `isTaken`: another writer has the id. */
interface SampleResult {
  readonly isTaken: boolean;
  readonly stored: number;
  readonly outside: number;
}

/**
 * Stores batches of one life in one transaction. The row of the process holds the number of the last stored batch and is locked meanwhile.
 * So a batch that was committed, but whose answer got lost, is not stored twice. The same transaction renews the sign of life.
 */
export function shipSamples(client: PgClient, shipment: SampleShipment): Promise<SampleResult> {
  const { life, batches, news, skewMs } = shipment;
  return client.transaction(async (session) => {
    const [row] = await session.query<{ no: number; batch: number; token: string }>(
      'select no, batch::float8 as batch, token from plimsoll.process where id = $1 for update',
      [life.process],
    );
    if (row === undefined || row.token !== life.token) return { isTaken: true, stored: 0, outside: 0 };
    const fresh = batches.filter(({ batch }) => batch.number > row.batch);
    const readings = readingsOf(fresh, shipment);
    const scopes = scopesOf(fresh, shipment);
    if (readings.at.length > 0) await storeReadings(session, row.no, readings);
    if (scopes.at.length > 0) await storeScopes(session, row.no, scopes);
    const stored = readings.at.length + scopes.at.length;
    const values = [
      life.process,
      fresh.at(-1)?.batch.number ?? row.batch,
      stored,
      life.lost,
      Math.round(skewMs),
      news.forecast === null ? null : JSON.stringify(news.forecast),
      news.mode,
      news.policyVersion,
    ];
    const { last } = readings;
    if (last === undefined) await session.query(`${touch} where id = $1`, values);
    else {
      const pressure = last.limit > 0 ? last.used / last.limit : null;
      const reading = [last.at, last.used, last.limit, last.level, pressure];
      await session.query(`${touch}${newest} where id = $1`, [...values, ...reading]);
    }
    return { isTaken: false, stored, outside: readings.outside + scopes.outside };
  });
}

/** The days on which samples of the batches lie. Their partitions have to be there before the transaction begins. */
export function daysOf({ batches, ...window }: Omit<SampleShipment, 'life' | 'news'>): readonly number[] {
  const days = new Set<number>();
  for (const { batch } of batches) {
    for (let i = 1; i < batch.processes.length; i += processWidth) {
      const at = (batch.processes[i] as number) - window.skewMs;
      if (isKept(at, window)) days.add(Math.floor(at / dayMs));
    }
    for (let i = 1; i < batch.scopes.length; i += scopeWidth) {
      const at = (batch.scopes[i] as number) - window.skewMs;
      if (isKept(at, window)) days.add(Math.floor(at / dayMs));
    }
  }
  return [...days];
}

interface Readings {
  readonly at: number[];
  readonly used: number[];
  readonly columns: (number | null)[][];
  readonly level: (number | null)[];
  outside: number;
  last: { at: number; used: number; limit: number; level: number } | undefined;
}

function readingsOf(batches: readonly WaitingBatch[], window: SampleShipment): Readings {
  const found: Readings = {
    at: [],
    used: [],
    columns: names.map(() => []),
    level: [],
    outside: 0,
    last: undefined,
  };
  for (const { batch } of batches) {
    const packed = batch.processes;
    for (let i = 0; i < packed.length; i += processWidth) {
      const at = Math.round((packed[i + 1] as number) - window.skewMs);
      if (!isKept(at, window)) {
        found.outside++;
        continue;
      }
      const used = Math.round(packed[i + 2] as number);
      const level = whole(packed[i + processWidth - 1] as number);
      found.at.push(at);
      found.used.push(used);
      found.level.push(level);
      for (const [k, column] of found.columns.entries())
        column.push(whole(packed[i + scopeWidth + k] as number));
      found.last = { at, used, limit: whole(packed[i + limitAt] as number) ?? 0, level: level ?? 0 };
    }
  }
  return found;
}

async function storeReadings(session: PgSession, no: number, readings: Readings): Promise<void> {
  const { at, used, columns, level } = readings;
  await session.query(addSamples, [
    no,
    numbers(at),
    numbers(used),
    ...columns.map((column) => numbers(column)),
    numbers(level),
  ]);
  const buckets = new Set(at.map((each) => (Math.floor(each / bucketMs) * bucketMs) / 1000));
  await session.query(addDue, [no, numbers([...buckets])]);
}

interface Scopes {
  readonly paths: Map<string, number>;
  readonly pathNo: number[];
  readonly at: number[];
  readonly bytes: number[];
  outside: number;
}

function scopesOf(batches: readonly WaitingBatch[], window: SampleShipment): Scopes {
  const found: Scopes = { paths: new Map(), pathNo: [], at: [], bytes: [], outside: 0 };
  for (const { batch } of batches) {
    const packed = batch.scopes;
    for (let i = 0; i < packed.length; i += scopeWidth) {
      const at = Math.round((packed[i + 1] as number) - window.skewMs);
      if (!isKept(at, window)) {
        found.outside++;
        continue;
      }
      const path = batch.paths[packed[i] as number] ?? '';
      let no = found.paths.get(path);
      if (no === undefined) found.paths.set(path, (no = found.paths.size));
      found.pathNo.push(no);
      found.at.push(at);
      found.bytes.push(Math.round(packed[i + 2] as number));
    }
  }
  return found;
}

async function storeScopes(session: PgSession, no: number, scopes: Scopes): Promise<void> {
  const { paths, pathNo, at, bytes } = scopes;
  const from = at.reduce((least, each) => Math.min(least, each), Infinity);
  const until = at.reduce((most, each) => Math.max(most, each), 0);
  await session.query(addScopes, [
    no,
    from,
    until,
    JSON.stringify([...paths.keys()].map(storable)),
    numbers(pathNo),
    numbers(at.map((each) => each - from)),
    numbers(bytes),
  ]);
}

function isKept(at: number, { since, now }: Pick<SampleShipment, 'since' | 'now'>): boolean {
  return at >= since && at <= now + dayMs;
}

function whole(value: number): number | null {
  return Number.isFinite(value) ? Math.round(value) : null;
}

/** An array of numbers as PostgreSQL reads it. */
function numbers(values: readonly (number | null)[]): string {
  return `{${values.map((value) => value ?? 'null').join(',')}}`;
}

/** PostgreSQL stores no NUL character. */
export function storable(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\uFFFD');
}
