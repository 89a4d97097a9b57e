import { failure } from '@plimsoll/core/internal/errors';
import { parts, rolled } from '../sqlite/samples-schema.ts';
import type { PgClient, PgSession } from './client.ts';
import { migrations } from './migrations/index.ts';
import type { Migration } from './migrations/migration.ts';

/** The first number of every advisory lock of Plimsoll: "pls" in ASCII. */
export const lockSpace = 7_366_771;
const migrationLock = 1;
const oldestServer = 140_000;

/** The newest version that this program knows. */
export const schemaVersion = Math.max(...migrations.map(({ version }) => version));

interface Migrated {
  readonly from: number;
  readonly to: number;
}

/**
 * Migrates the database to the version of this program, under an advisory lock. When many pods start at once, one migrates and the others
 * wait. A newer database is not changed when it still accepts writers of this version.
 */
export async function migrate(client: PgClient, steps: readonly Migration[] = migrations): Promise<Migrated> {
  const known = await readVersion(client);
  const wanted = Math.max(...steps.map(({ version }) => version));
  if (known !== undefined && known.version >= wanted && (await hasColumns(client)))
    return accept(known, wanted);
  return client.transaction(async (session) => {
    await session.query('select pg_advisory_xact_lock($1, $2)', [lockSpace, migrationLock]);
    await needServer(session);
    await session.query('create schema if not exists plimsoll');
    await session.query(
      'create table if not exists plimsoll.meta (version integer primary key, name text not null, least integer not null, applied timestamptz not null default now())',
    );
    const found = await versionOf(session);
    if (found.version > wanted) return accept(found, wanted);
    for (const { version, name, least, sql } of steps) {
      if (version <= found.version) continue;
      for (const statement of statementsOf(sql)) await session.query(statement);
      await session.query('insert into plimsoll.meta (version, name, least) values ($1, $2, $3)', [
        version,
        name,
        least,
      ]);
    }
    await addColumns(session);
    for (const parent of ['sample', 'scope_batch', 'rollup', 'rollup_hour', 'heat', 'entry'])
      await session.query('select plimsoll.make_partition($1, now())', [parent]);
    return { from: found.version, to: wanted };
  });
}

interface SchemaState {
  readonly version: number;
  readonly least: number;
}

/** The version of the database; undefined when it has no tables of ours. */
export async function readVersion(session: PgSession): Promise<SchemaState | undefined> {
  const found = await session.query<{ there: boolean }>(
    "select to_regclass('plimsoll.meta') is not null as there",
  );
  return found[0]?.there === true ? versionOf(session) : undefined;
}

/** Throws when the database is older than this program, or too new for writers of this version. */
export async function needSchema(session: PgSession): Promise<void> {
  const found = await readVersion(session);
  if (found === undefined || found.version < schemaVersion)
    throw failure('PLM_FLEET_SCHEMA_OLD', { found: found?.version ?? 0, wanted: schemaVersion });
  accept(found, schemaVersion);
}

async function versionOf(session: PgSession): Promise<SchemaState> {
  const [row] = await session.query<SchemaState>(
    'select coalesce(max(version), 0)::int as version, coalesce(max(least), 0)::int as least from plimsoll.meta',
  );
  return row ?? { version: 0, least: 0 };
}

function accept(found: SchemaState, wanted: number): Migrated {
  if (found.least > wanted)
    throw failure('PLM_FLEET_SCHEMA_NEW', { found: found.version, least: found.least, wanted });
  return { from: found.version, to: found.version };
}

async function needServer(session: PgSession): Promise<void> {
  const [row] = await session.query<{ number: number; text: string }>(
    "select current_setting('server_version_num')::int as number, current_setting('server_version') as text",
  );
  if (row !== undefined && row.number < oldestServer)
    throw failure('PLM_FLEET_SERVER_OLD', { version: row.text });
}

const measured = parts.filter((name) => name !== 'level');

async function hasColumns(session: PgSession): Promise<boolean> {
  const found = await session.query<{ name: string }>(
    "select column_name as name from information_schema.columns where table_schema = 'plimsoll' and table_name = 'sample'",
  );
  const names = new Set(found.map(({ name }) => name));
  return measured.every((name) => names.has(name));
}

/** Adds columns for fields that were added to readings after the database was made. */
async function addColumns(session: PgSession): Promise<void> {
  const add = (table: string, names: readonly string[]): Promise<unknown> =>
    session.query(
      `alter table plimsoll.${table} ${names.map((name) => `add column if not exists ${name} bigint`).join(', ')}`,
    );
  const kept = rolled.map(({ column }) => column).filter((name) => name !== 'level');
  await add('sample', measured);
  await add('rollup', kept);
  await add('rollup_hour', kept);
}

/** Splits a text of several statements at each semicolon that ends a line. Function bodies between $$ stay whole. */
export function statementsOf(sql: string): readonly string[] {
  const pieces: string[] = [];
  let open = '';
  for (const part of sql.split(/;[ \t]*(?:\n|$)/)) {
    open = open === '' ? part : `${open};\n${part}`;
    if ((open.split('$$').length - 1) % 2 === 1) continue;
    if (open.replaceAll(/^\s*--.*$/gm, '').trim() !== '') pieces.push(open.trim());
    open = '';
  }
  return pieces;
}
