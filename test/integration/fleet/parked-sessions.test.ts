import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import postgres from 'postgres';
import { PostgresLot } from '@plimsoll/keep/parking-lot';
import { sharedLotPromises } from '@plimsoll/keep/internal/parking-lot/shared-lot.fixture';
import { startPostgres } from '../../postgres/server.ts';
import type { PostgresServer } from '../../postgres/server.ts';
import { fight } from './lot-rounds.ts';

let server: PostgresServer;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server.stop());

describe('PostgresLot', () => {
  let tables = 0;
  let sql: postgres.Sql;
  beforeAll(() => {
    sql = postgres(server.url(), { max: 3, onnotice: () => undefined });
  });
  afterAll(() => sql.end({ timeout: 1 }));

  sharedLotPromises((options) => new PostgresLot({ client: sql, table: `lot_${++tables}`, ...options }));

  test('a client with the shape of pg works; the longest parked goes first; a holder is never swept', async () => {
    const queries: string[] = [];
    const client = {
      query: async (text: string, values: unknown[]) => {
        queries.push(text);
        return { rows: await sql.unsafe(text, values as never[]) };
      },
    };
    const options = { client, table: 'public.swept', maxBytes: 700 };
    const first = new PostgresLot(options);
    await first.put('held', Buffer.alloc(300));
    const claim = await first.claim('held', 'one');
    for (const id of ['a', 'b', 'c']) await first.put(id, Buffer.alloc(300));
    expect(first.size).toBe(1);
    // A lot of another process sweeps with its first parking.
    const second = new PostgresLot(options);
    await second.put('d', Buffer.alloc(300));
    expect(second.bytes).toBe(900);
    const left = await Promise.all(
      ['held', 'a', 'b', 'c', 'd'].map(async (id) => (await second.get(id))?.byteLength),
    );
    expect(left).toEqual([300, undefined, undefined, 300, 300]);
    await first.release('held', claim.fence);
    expect(queries[0]).toContain('INSERT INTO public.swept');
    await second.close();
  });

  test('processes that start at once make the table once', async () => {
    const lots = Array.from({ length: 5 }, () => new PostgresLot({ client: sql, table: 'made_once' }));
    await Promise.all(lots.map((lot, i) => lot.put(`s${i}`, Buffer.from('x'))));
    expect(await lots[0]!.get('s4')).toBeDefined();
  });
});

test('two pods fight for one session while one is killed or stopped: never two owners, never none', async () => {
  const done = await fight(await server.database(), 10);
  expect(done).toMatchObject({ rounds: 10, twoOwners: 0, lostTurns: 0 });
  expect(done.handovers).toBeGreaterThan(10);
});
