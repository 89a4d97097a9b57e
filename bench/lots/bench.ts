/**
 * What parking costs in each lot, and rounds in which two pods fight for one session while one is killed: `npm run bench -- lots [rounds [COUNT]]`.
 * The rival is the file lot of one machine. Redis or Valkey is measured where a server is on the PATH.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import postgres from 'postgres';
import { SessionCache } from '@plimsoll/keep';
import { FileLot, PostgresLot, RedisLot, SqliteLot } from '@plimsoll/keep/parking-lot';
import type { ParkingLot } from '@plimsoll/keep/parking-lot';
import { fight } from '../../test/integration/fleet/lot-rounds.ts';
import { startPostgres } from '../../test/postgres/server.ts';
import { row } from '../row.ts';
import type { Benchmark, Row } from '../row.ts';
import { findRedis, startRedis } from './redis-server.ts';

const benchmark: Benchmark = async ({ quick, args, log }) => {
  const server = await startPostgres();
  try {
    if (args[0] === 'rounds') return await rounds(server, Number(args[1] ?? (quick ? 6 : 100)), log);
    const repeats = quick ? 3 : 15;
    const dir = mkdtempSync(join(tmpdir(), 'plimsoll-lots-'));
    const sql = postgres(server.url(), { max: 4, onnotice: () => undefined });
    const command = findRedis();
    const redis = command === undefined ? undefined : await startRedis(command);
    const client = redis === undefined ? undefined : new Redis(redis.port, '127.0.0.1');
    const lots: Record<string, ParkingLot> = {
      FileLot: new FileLot({ dir: join(dir, 'files') }),
      SqliteLot: new SqliteLot({ file: join(dir, 'parked.db') }),
      PostgresLot: new PostgresLot({ client: sql }),
      ...(client !== undefined && { RedisLot: new RedisLot({ client }) }),
    };
    if (client === undefined) log(noRedis);
    const times = new Map<string, { park: number[]; restore: number[] }>();
    for (const [name, lot] of Object.entries(lots)) times.set(name, await measure(lot, repeats));
    client?.disconnect();
    redis?.stop();
    await sql.end({ timeout: 1 });
    rmSync(dir, { recursive: true, force: true });
    return [...times].flatMap(([name, { park, restore }]) => {
      const peer = times.get('FileLot') as { park: number[]; restore: number[] };
      const beside = (samples: number[]): { peer?: { name: string; samples: number[] } } =>
        name === 'FileLot' ? {} : { peer: { name: 'FileLot', samples } };
      return [
        row({ metric: `${name}: park a session of 64 KiB`, unit: 'ms', samples: park, ...beside(peer.park) }),
        row({ metric: `${name}: restore it`, unit: 'ms', samples: restore, ...beside(peer.restore) }),
      ];
    });
  } finally {
    await server.stop();
  }
};

export default benchmark;

const sessions = 100;
const noRedis = 'no redis-server or valkey-server on the PATH: RedisLot is left out';

/** Ms per session, parked and restored one after another. */
async function measure(lot: ParkingLot, repeats: number): Promise<{ park: number[]; restore: number[] }> {
  const park: number[] = [];
  const restore: number[] = [];
  const text = Array.from({ length: 64 }, (_, i) => `${i} `.repeat(512).slice(0, 1024));
  for (let i = 0; i <= repeats; i++) {
    const cache = new SessionCache<{ text: string[] }>({
      maxEntries: sessions,
      park: lot,
      open: () => ({ text }),
    });
    for (let id = 0; id < sessions; id++) (await cache.acquire(`${i}-${id}`)).release();
    const parked = performance.now();
    for (let id = 0; id < sessions; id++) await cache.shed({ bytes: 1 });
    const restored = performance.now();
    for (let id = 0; id < sessions; id++) (await cache.acquire(`${i}-${id}`)).release();
    const over = performance.now();
    await cache.drain();
    if (i === 0) continue;
    park.push((restored - parked) / sessions);
    restore.push((over - restored) / sessions);
  }
  return { park, restore };
}

/** Rounds on PostgreSQL, and on Redis where the machine has one. */
async function rounds(
  server: { database(): Promise<string> },
  count: number,
  log: (line: string) => void,
): Promise<Row[]> {
  const command = findRedis();
  const redis = command === undefined ? undefined : await startRedis(command);
  if (redis === undefined) log(noRedis);
  const stores = {
    PostgresLot: await server.database(),
    RedisLot: redis && `redis://127.0.0.1:${redis.port}`,
  };
  const rows: Row[] = [];
  for (const [lot, url] of Object.entries(stores)) {
    if (url === undefined) continue;
    const done = await fight(url, count);
    log(`${lot}: ${done.rounds} rounds, ${done.moments} moments seen, ${done.handovers} handovers`);
    const claim = (metric: string, value: number, goal: { atMost: number } | { atLeast: number }): Row =>
      row({ metric: `${lot}: ${metric}`, unit: '', samples: [value], goal });
    rows.push(
      claim('moments with two owners', done.twoOwners, { atMost: 0 }),
      claim('parked turns forgotten', done.lostTurns, { atMost: 0 }),
      claim('rounds in which the other pod got the session', done.rounds, { atLeast: count }),
    );
  }
  redis?.stop();
  return rows;
}
