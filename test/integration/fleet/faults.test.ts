/** Nothing acknowledged is lost, nothing is doubled, and the host never waits, whatever happens to the database. */
import { cpSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { connect } from '@plimsoll/ledger/internal/postgres/client';
import { migrate } from '@plimsoll/ledger/internal/postgres/migrate';
import { verifyChains } from '@plimsoll/ledger/internal/postgres/verify';
import { startPostgres } from '../../postgres/server.ts';
import type { PostgresServer } from '../../postgres/server.ts';
import { Pod } from './pod.ts';
import type { PodOptions } from './pod.ts';

let server: PostgresServer;
let url: string;
const pods: Pod[] = [];
/** How long the network stays cut; five minutes with PLIMSOLL_SLOW=1. */
const cutMs = process.env['PLIMSOLL_SLOW'] === '1' ? 300_000 : 0;

beforeAll(async () => {
  server = await startPostgres();
});
beforeEach(async () => {
  url = await server.database();
});
afterEach(async () => {
  await Promise.all(pods.splice(0).map((pod) => pod.close()));
});
afterAll(() => server.stop());

function pod(options: Partial<PodOptions> = {}): Pod {
  const made = new Pod({ url, ...options });
  pods.push(made);
  return made;
}

/** What the database has of a process: readings, scopes, and the numbers of its entries in the order of their storing. */
async function stored(id: string): Promise<{ readings: number; scopes: number; entries: readonly number[] }> {
  const [row] = await server.sql<{ readings: number; scopes: number }>(
    `select (select count(*)::int from plimsoll.sample s where s.process_no = p.no) as readings,
       (select count(*)::int from plimsoll.scope_sample s where s.process_no = p.no) as scopes from plimsoll.process p where id = '${id}'`,
    url,
  );
  const entries = await server.sql<{ i: number }>(
    `select (body::json->>'i')::int as i from plimsoll.entry where process_id = '${id}' order by seq`,
    url,
  );
  return { readings: row?.readings ?? 0, scopes: row?.scopes ?? 0, entries: entries.map(({ i }) => i) };
}

const upTo = (n: number): readonly number[] => Array.from({ length: n }, (_, i) => i);

/** Works on while the given fault lasts; gives the longest that one write of the host's ledger took. */
async function work(one: Pod, n: number, from = 0): Promise<number> {
  let longest = 0;
  for (let i = from; i < from + n; i++) {
    const before = performance.now();
    one.sample(1_000_000 + i);
    one.audit('level', { i });
    longest = Math.max(longest, performance.now() - before);
    await sleep(2);
  }
  return longest;
}

async function whole(one: Pod, n: number): Promise<void> {
  await one.shipped();
  expect(await stored(one.shipper.health.processId as string)).toEqual({
    readings: n,
    scopes: n * 3,
    entries: upTo(n),
  });
  const client = await connect(url);
  const checks = await verifyChains(client);
  await client.close();
  expect(checks.every(({ ok }) => ok)).toBe(true);
}

test('killed with kill -9 in the middle of batches, and started again', async () => {
  const one = pod();
  one.shipper.start();
  await work(one, 20);
  await vi.waitFor(() => expect(one.states.some(({ state }) => state === 'up')).toBe(true));
  for (let round = 1; round <= 2; round++) {
    const working = work(one, 40, round * 40 - 20);
    await sleep(30);
    await server.kill();
    await working;
    await server.start();
  }
  await whole(one, 100);
}, 60_000);

test(
  'stopped, as behind a network that swallows everything',
  async () => {
    const one = pod({ fleet: { deadlineMs: 2000 } });
    one.shipper.start();
    await work(one, 10);
    await vi.waitFor(() => expect(one.states.some(({ state }) => state === 'up')).toBe(true));
    server.pause();
    try {
      await work(one, 10, 10);
      await vi.waitFor(() => expect(one.states.at(-1)).toMatchObject({ state: 'down' }));
      expect(one.states.at(-1)?.lastError).toMatch(/no answer within 2000 ms|CONNECT_TIMEOUT/);
      await sleep(cutMs);
    } finally {
      server.resume();
    }
    await whole(one, 20);
  },
  60_000 + cutMs,
);

test('slow: each statement takes longer than the deadline at first', async () => {
  const client = await connect(url);
  await migrate(client);
  await client.exec(`create function plimsoll.slow() returns trigger language plpgsql as $$ begin perform pg_sleep(4); return new; end $$;
    create trigger slow before insert on plimsoll.sample for each statement execute function plimsoll.slow()`);
  const one = pod({ fleet: { deadlineMs: 2000 } });
  one.shipper.start();
  await work(one, 10);
  await vi.waitFor(() => expect(one.states.at(-1)?.state).toBe('down'));
  await client.exec('drop trigger slow on plimsoll.sample');
  await client.close();
  await whole(one, 10);
});

test('full, and read-only: what was half written is not there, and comes later', async () => {
  const client = await connect(url);
  await migrate(client);
  await client.exec(`create function plimsoll.full() returns trigger language plpgsql as $$ begin raise exception 'could not extend file' using errcode = '53100'; end $$;
    create trigger full_disk before insert on plimsoll.scope_batch for each statement execute function plimsoll.full()`);
  const one = pod();
  one.shipper.start();
  await work(one, 5);
  await vi.waitFor(() => expect(one.states.at(-1)?.lastError).toMatch(/could not extend file/));
  expect((await stored(one.shipper.health.processId as string)).readings).toBe(0);
  await client.exec('drop trigger full_disk on plimsoll.scope_batch');
  const name = new URL(url).pathname.slice(1);
  await client.exec(`alter database ${name} set default_transaction_read_only = on`);
  await server.sql(
    `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}' and pid <> pg_backend_pid()`,
    server.url(),
  );
  await work(one, 5, 5);
  await vi.waitFor(() => expect(one.states.at(-1)?.lastError).toMatch(/read-only transaction/));
  await server.sql(`alter database ${name} reset default_transaction_read_only`);
  await client.close();
  await whole(one, 10);
});

test('a wrong password is told without it, and mended later', async () => {
  await server.sql("create role writer login superuser password 'one'");
  const name = new URL(url).pathname.slice(1);
  const one = pod({ fleet: { url: server.url(name, 'writer', 'the other') } });
  one.shipper.start();
  await work(one, 5);
  await vi.waitFor(() => expect(one.states.at(-1)?.state).toBe('down'));
  expect(one.states.at(-1)?.lastError).toMatch(/password authentication failed/);
  expect(JSON.stringify(one.states)).not.toMatch(/the other|writer/);
  await server.sql("alter role writer password 'the other'");
  await whole(one, 5);
});

test('an old schema that the writer may not change: it waits for the one who may', async () => {
  const name = new URL(url).pathname.slice(1);
  await server.sql("create role plain login password 'plain'");
  const one = pod({ fleet: { url: server.url(name, 'plain', 'plain') } });
  one.shipper.start();
  await work(one, 5);
  await vi.waitFor(() =>
    expect(one.states.at(-1)?.lastError).toMatch(/schema version 0, this program writes version/),
  );
  const client = await connect(url);
  await migrate(client);
  // The rights that the guide names.
  await client.exec(`grant usage on schema plimsoll to plain; grant select, insert, update on all tables in schema plimsoll to plain;
    grant delete on plimsoll.due to plain; revoke update on plimsoll.entry from plain`);
  await client.close();
  await whole(one, 5);
});

test('two writers with the same process id: each keeps its own', async () => {
  const one = pod({ run: 77, host: 'twin' });
  const two = pod({ run: 77, host: 'twin' });
  for (const each of [one, two]) {
    each.shipper.start();
    await work(each, 10);
  }
  await whole(one, 10);
  await whole(two, 10);
  expect(one.shipper.health.processId).not.toBe(two.shipper.health.processId);
});

test('a copied folder goes on as a chain of its own', async () => {
  const one = pod({ run: 78 });
  one.shipper.start();
  await work(one, 3);
  await one.shipped();
  await one.shipper.close();
  one.writer.close();
  pods.pop();
  const copy = mkdtempSync(join(tmpdir(), 'plimsoll-pod-'));
  cpSync(one.dir, copy, { recursive: true });
  const left = pod({ dir: one.dir, run: 79 });
  const right = pod({ dir: copy, run: 80 });
  for (const each of [left, right]) {
    each.shipper.start();
    await work(each, 4);
    await each.shipped();
  }
  const chains = await server.sql<{ head: number; forked_from: string | null }>(
    'select head_seq::int as head, forked_from from plimsoll.chain order by first_seen',
    url,
  );
  expect(chains).toEqual([
    { head: 7, forked_from: null },
    { head: 7, forked_from: expect.any(String) as string },
  ]);
  const client = await connect(url);
  expect((await verifyChains(client)).map(({ ok, rows }) => ({ ok, rows }))).toEqual([
    { ok: true, rows: 7 },
    { ok: true, rows: 7 },
  ]);
  // Somebody who may do everything changes an entry.
  await client.exec('alter table plimsoll.entry disable trigger entry_no_change');
  await client.query(`update plimsoll.entry set body = '{"i":9}' where seq = 5`);
  expect((await verifyChains(client)).map(({ broken }) => broken)).toEqual([
    { seq: 5, why: 'edited' },
    { seq: 5, why: 'edited' },
  ]);
  await client.close();
});

test('a clock that is minutes off: readings line up by the clock of the database', async () => {
  const off = 7 * 60_000;
  const one = pod({ now: () => Date.now() + off });
  one.shipper.start();
  await work(one, 5);
  await whole(one, 5);
  const id = one.shipper.health.processId as string;
  const [row] = await server.sql<{ skew: number; age: number; started: number }>(
    `select skew_ms::int as skew, extract(epoch from now() - sampled)::float8 as age, extract(epoch from now() - started)::float8 as started
     from plimsoll.process where id = '${id}'`,
    url,
  );
  expect(Math.abs((row?.skew ?? 0) - off)).toBeLessThan(30_000);
  expect(Math.abs(row?.age ?? 999)).toBeLessThan(60);
  expect(Math.abs(row?.started ?? 999)).toBeLessThan(60);
});
