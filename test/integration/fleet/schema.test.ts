import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { connect } from '@plimsoll/ledger/internal/postgres/client';
import {
  migrate,
  needSchema,
  readVersion,
  schemaVersion,
  statementsOf,
} from '@plimsoll/ledger/internal/postgres/migrate';
import { FleetQueries } from '@plimsoll/ledger/internal/postgres/queries';
import { startPostgres } from '../../postgres/server.ts';
import type { PostgresServer } from '../../postgres/server.ts';

describe.each([14, 18] as const)('PostgreSQL %i', (version) => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres({ version });
  });
  afterAll(() => server.stop());

  test('pods that start at once lay the tables once', async () => {
    const url = await server.database();
    const clients = await Promise.all(Array.from({ length: 4 }, () => connect(url)));
    const done = await Promise.all(clients.map((client) => migrate(client)));
    expect(done.filter(({ from }) => from === 0)).toHaveLength(1);
    expect(done.every(({ to }) => to === schemaVersion)).toBe(true);
    expect(await migrate(clients[0]!)).toEqual({ from: schemaVersion, to: schemaVersion });
    await Promise.all(clients.map((client) => client.close()));
  });

  test('a notice of a channel is heard until it is stopped, and a lost connection is told', async () => {
    const url = await server.database();
    const client = await connect(url);
    const heard: string[] = [];
    let lost = 0;
    const hear = (): Promise<() => Promise<void>> =>
      client.listen(
        'a "vote"',
        (payload) => heard.push(payload),
        () => lost++,
      );
    const stop = await hear();
    await server.sql(`notify "a ""vote""", 'one'`, url);
    await vi.waitFor(() => expect(heard).toEqual(['one']));
    await stop();
    expect(lost).toBe(0);
    await hear();
    await server.sql(
      `select pg_terminate_backend(pid) from pg_stat_activity where query like 'listen%' and datname = current_database()`,
      url,
    );
    await vi.waitFor(() => expect(lost).toBe(1));
    await client.close();
  });

  test('every question of the page has an answer on an empty database', async () => {
    const client = await connect(await server.database());
    await migrate(client);
    const fleet = new FleetQueries(client);
    const now = Date.now();
    expect(await fleet.processes()).toEqual([]);
    expect(await fleet.process('nobody')).toBeUndefined();
    expect((await fleet.summary()).processes).toBe(0);
    for (const hours of [1, 48, 24 * 30]) {
      expect(await fleet.history('nobody', now - hours * 3_600_000, now)).toEqual([]);
      expect((await fleet.heat(now - hours * 3_600_000, now)).rows).toEqual([]);
    }
    expect(await fleet.scopes('nobody', 0, now)).toEqual([]);
    expect(await fleet.findings()).toEqual([]);
    expect(await fleet.finding('shop', 'abc')).toBeUndefined();
    expect(await fleet.approvals()).toEqual([]);
    expect(await fleet.entries({ kinds: ['level'] })).toEqual([]);
    await client.close();
  });

  test('an older database is brought forward, and a writer that may not do it is told', async () => {
    const url = await server.database();
    const client = await connect(url);
    expect(await readVersion(client)).toBeUndefined();
    await expect(needSchema(client)).rejects.toMatchObject({ code: 'PLM_FLEET_SCHEMA_OLD' });
    await migrate(client);
    const next = { version: 99, name: 'next', least: 1, sql: 'create table plimsoll.next (a integer);\n' };
    expect(await migrate(client, [next])).toEqual({ from: schemaVersion, to: 99 });
    // A program of today still writes into it.
    await needSchema(client);
    await client.query('insert into plimsoll.meta values (100, $1, 100)', ['apart']);
    await expect(needSchema(client)).rejects.toThrow(`this program writes version ${schemaVersion}`);
    await client.close();
  });

  test('a column of a new reading field is added without a step of its own', async () => {
    const client = await connect(await server.database());
    await migrate(client);
    await client.exec('alter table plimsoll.sample drop column rss');
    await migrate(client);
    expect(
      await client.query(
        "select 1 from information_schema.columns where table_name = 'sample' and column_name = 'rss'",
      ),
    ).toHaveLength(1);
    await client.close();
  });

  test('the audit takes no change, not even from the owner of the table', async () => {
    const client = await connect(await server.database());
    await migrate(client);
    await client.query(
      "insert into plimsoll.entry (chain, seq, process_id, run, n, at_ms, kind, scope, body, hash) values ('c', 1, 'p', 1, 1, 1, 'level', 'process', '{}', 'h')",
    );
    await expect(client.query("update plimsoll.entry set body = '[]'")).rejects.toThrow('append-only');
    await expect(client.query('delete from plimsoll.entry')).rejects.toThrow('append-only');
    await client.close();
  });

  test('no message shows user or password', async () => {
    const wrong = await connect(server.url('postgres', 'mallory', 'hunter2 hunter2'));
    const said = await wrong.query('select 1').then(
      () => '',
      (error: unknown) => `${String(error)} ${(error as Error).stack} ${JSON.stringify(error)}`,
    );
    expect(said).toMatch(/password authentication failed/);
    expect(said).not.toMatch(/mallory|hunter2/);
    await wrong.close();
    const unusable = await connect('postgres://u:top-secret@host:notaport/db').then(
      () => 'connected',
      (error: unknown) => String(error),
    );
    expect(unusable).toContain('PLM_FLEET_URL');
    expect(unusable).not.toContain('top-secret');
  });
});

test('a text of statements is cut where they end', () => {
  expect(statementsOf('-- note\nselect 1;\nselect $$ a;\nb $$;\n\n-- last\n')).toEqual([
    '-- note\nselect 1',
    'select $$ a;\nb $$',
  ]);
});
