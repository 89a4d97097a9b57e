import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { connect } from '@plimsoll/ledger/internal/postgres/client';
import type { PgClient } from '@plimsoll/ledger/internal/postgres/client';
import { FleetQueries } from '@plimsoll/ledger/internal/postgres/queries';
import { upkeep } from '@plimsoll/ledger/internal/postgres/upkeep';
import { startPostgres } from '../../postgres/server.ts';
import type { PostgresServer } from '../../postgres/server.ts';
import { Pod } from './pod.ts';
import type { PodOptions } from './pod.ts';

let server: PostgresServer;
let url: string;
let client: PgClient;
const pods: Pod[] = [];

beforeAll(async () => {
  server = await startPostgres();
  url = await server.database();
  client = await connect(url);
});
afterEach(async () => {
  await Promise.all(pods.splice(0).map((pod) => pod.close()));
});
afterAll(async () => {
  await client.close();
  await server.stop();
});

function pod(options: Partial<PodOptions> = {}): Pod {
  const made = new Pod({ url, ...options });
  pods.push(made);
  return made;
}

const count = async (table: string, id: string): Promise<number> => {
  const no =
    table === 'entry' ? 'process_id = $1' : 'process_no = (select no from plimsoll.process where id = $1)';
  const [row] = await client.query<{ n: number }>(
    `select count(*)::int as n from plimsoll.${table} where ${no}`,
    [id],
  );
  return row?.n ?? 0;
};

test('a process shows up with its readings, scopes and entries', async () => {
  const one = pod({ service: 'shop', release: '1.4.2', host: 'pod-a' });
  one.audit('start', { pid: 1 });
  for (let i = 0; i < 5; i++) one.sample(1_000_000 + i, 4);
  one.sample(3_000_000, 4, 'critical');
  one.shipper.tell({ forecast: { ms: 60_000 }, mode: 'enforce', policyVersion: 3 });
  one.shipper.start();
  await one.shipped();
  const fleet = new FleetQueries(client);
  const id = one.shipper.health.processId as string;
  expect(await fleet.process(id)).toMatchObject({
    service: 'shop',
    release: '1.4.2',
    host: 'pod-a',
    state: 'live',
    level: 'critical',
    pressure: 0.75,
    usedBytes: 3_000_000,
    limitBytes: 4_000_000,
    forecast: { ms: 60_000 },
    mode: 'enforce',
    policyVersion: 3,
    samples: 30,
    lost: 0,
    ended: null,
  });
  expect(await count('sample', id)).toBe(6);
  expect(await count('entry', id)).toBe(1);
  const now = Date.now();
  const points = await fleet.history(id, now - 60_000, now + 60_000);
  expect(points.at(-1)).toMatchObject({ high: 3_000_000, level: 'critical', rss: 6_000_000, pressure: 0.75 });
  const scopes = await fleet.scopes(id, now - 60_000, now + 60_000);
  expect(scopes[0]).toMatchObject({ path: 'process/session:0', bytes: 1_500_000, peakBytes: 1_500_000 });
  expect(scopes).toHaveLength(4);
  one.audit('exit', { code: 0, reason: 'exit' });
  await vi.waitFor(async () =>
    expect(await fleet.process(id)).toMatchObject({ state: 'ended', outcome: 'exit, code 0' }),
  );
});

test('what waited is shipped once and in order after the database was away', async () => {
  const one = pod({ fleet: { url: 'postgres://nobody:nothing@127.0.0.1:1/none' } });
  one.shipper.start();
  for (let i = 0; i < 40; i++) {
    one.sample(1000 + i);
    one.audit('level', { i });
  }
  await vi.waitFor(() => expect(one.states.at(-1)?.state).toBe('down'));
  expect(one.states.at(-1)?.lastError).not.toMatch(/nothing@/);
  expect(one.shipper.health).toMatchObject({ waitingBatches: 40, waitingEntries: 40, lostSamples: 0 });
  await one.die();
  pods.pop();
  // The next life of the same folder ships what the first one left behind.
  const two = pod({ dir: one.dir });
  two.sample();
  two.shipper.start();
  await two.shipped();
  const first = two.spool.life(one.run)?.process as string;
  expect(await count('sample', first)).toBe(40);
  const entries = await client.query<{ i: number }>(
    "select (body::json->>'i')::int as i from plimsoll.entry where process_id = $1 order by received, seq",
    [first],
  );
  expect(entries.map(({ i }) => i)).toEqual(Array.from({ length: 40 }, (_, i) => i));
  await vi.waitFor(async () =>
    expect(await new FleetQueries(client).process(first)).toMatchObject({
      state: 'ended',
      outcome: 'lost: it ended without a word',
    }),
  );
});

test('a full spool gives up the oldest samples, counts them, and keeps the audit', async () => {
  const one = pod({ fleet: { spoolBytes: 65_536 } });
  for (let i = 0; i < 400; i++) one.sample(1_000_000 + i * 7, 30);
  one.audit('level', {});
  const { lostSamples, waitingBatches } = one.shipper.health;
  expect(lostSamples).toBe((400 - waitingBatches) * 31);
  expect(waitingBatches).toBeLessThan(400);
  one.shipper.start();
  await one.shipped();
  const found = await new FleetQueries(client).process(one.shipper.health.processId as string);
  expect(found).toMatchObject({ samples: waitingBatches * 31, lost: lostSamples });
  expect((found?.samples ?? 0) + (found?.lost ?? 0)).toBe(400 * 31);
});

describe('roll-ups', () => {
  test('five minutes, hours and quarters of a day are made once by one process, and again for samples that come late', async () => {
    let at = Date.now() - 3 * 3_600_000;
    const one = pod({ now: () => at, parts: { now: Date.now } });
    for (let i = 0; i < 120; i++) {
      one.sample(1_000_000 + i);
      at += 60_000;
    }
    one.shipper.start();
    await one.shipped();
    const id = one.shipper.health.processId as string;
    const other = await connect(url);
    const done = await Promise.all([upkeep(client), upkeep(other)]);
    await other.close();
    expect(done.filter(({ isHeld }) => isHeld).length).toBeGreaterThanOrEqual(1);
    const fleet = new FleetQueries(client);
    const now = Date.now();
    const hours = await fleet.history(id, now - 20 * 86_400_000, now + 3_600_000);
    expect(hours.reduce((sum, { n }) => sum + n, 0)).toBe(120);
    const { rows } = await fleet.heat(now - 4 * 3_600_000, now, { limit: 200 });
    const row = rows.find((each) => each.id === id);
    expect(row?.cells.filter((cell) => cell !== null).length).toBeGreaterThan(20);
    // Thirty days are read from quarters of a day.
    const month = async (): Promise<{ stepMs: number; most: number }> => {
      const map = await fleet.heat(now - 30 * 86_400_000, now, { limit: 200, columns: 120 });
      const cells = map.rows.find((each) => each.id === id)?.cells ?? [];
      return { stepMs: map.stepMs, most: Math.max(...cells.map((cell) => cell ?? 0)) };
    };
    expect(await month()).toEqual({ stepMs: 6 * 3_600_000, most: expect.closeTo(0.25, 3) as number });
    at = now - 3 * 3_600_000;
    one.sample(3_900_000);
    one.shipper.wake();
    await one.shipped();
    await upkeep(client);
    const again = await fleet.history(id, now - 20 * 86_400_000, now + 3_600_000);
    expect(again.reduce((sum, { n }) => sum + n, 0)).toBe(121);
    expect(Math.max(...again.map(({ high }) => high))).toBe(3_900_000);
    expect((await month()).most).toBeCloseTo(0.975);
  });

  test('retention drops whole partitions and remembers where a chain begins', async () => {
    const own = await server.database();
    const one = pod({ url: own });
    one.audit('level', { i: 1 });
    one.audit('level', { i: 2 });
    one.sample();
    one.shipper.start();
    await one.shipped();
    const mine = await connect(own);
    await mine.query(
      "update plimsoll.retention set keep = interval '-60 days' where what in ('entry', 'sample')",
    );
    expect((await upkeep(mine)).dropped).toBeGreaterThanOrEqual(2);
    expect(await mine.query('select base_seq::int as seq, base_hash as hash from plimsoll.chain')).toEqual([
      one.head,
    ]);
    await mine.query("update plimsoll.retention set keep = interval '90 days'");
    one.audit('level', { i: 3 });
    one.sample();
    await mine.close();
    // The table of today is gone; the writer makes it again.
    await one.shipped();
  });
});
