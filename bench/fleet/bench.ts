/**
 * One PostgreSQL for a fleet: 1,000 simulated processes with 100 scopes, a sample of each every 10 s. The processes share connections, as behind a
 * pooler. `npm run bench -- fleet approvals` runs the random interleavings of approvals instead.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from '@plimsoll/ledger/internal/postgres/client';
import type { PgClient } from '@plimsoll/ledger/internal/postgres/client';
import { migrate } from '@plimsoll/ledger/internal/postgres/migrate';
import { FleetQueries } from '@plimsoll/ledger/internal/postgres/queries';
import { shipSamples } from '@plimsoll/ledger/internal/postgres/ship-samples';
import { Spool } from '@plimsoll/ledger/internal/postgres/spool';
import type { SpooledLife, WaitingBatch } from '@plimsoll/ledger/internal/postgres/spool';
import { makePartition, upkeep } from '@plimsoll/ledger/internal/postgres/upkeep';
import { SampleBatch } from '@plimsoll/ledger/internal/sample-batch';
import { interleave } from '../../test/integration/fleet/interleavings.ts';
import { startPostgres } from '../../test/postgres/server.ts';
import { quantile, row } from '../row.ts';
import type { Benchmark, Row } from '../row.ts';

const scopes = 100;
const everyMs = 10_000;
const day = 86_400_000;
const nothing = { forecast: null, mode: null, policyVersion: null };
const identity = { service: 'shop', release: '1.4.2', host: 'pod', pid: 1, node: process.version };

const benchmark: Benchmark = async ({ quick, args, log }) => {
  await using server = await startPostgres({ settings: { shared_buffers: '256MB', max_wal_size: '2GB' } });
  const client = await connect(await server.database(), { connections: 20, statementMs: 600_000 });
  try {
    await migrate(client);
    // "approvals 2500 3": so many interleavings from another seed, for a run in pieces.
    const [count = quick ? 200 : 10_000, seed = 7] = args.slice(1).map(Number);
    if (args[0] === 'approvals') return await approvals(client, count, seed, log);
    const processes = quick ? 100 : 1000;
    return [
      ...(await shipping(client, processes, quick ? 4 : 12, log)),
      ...(await catchUp(client, quick ? 4 : 20, log)),
      ...(await asking(client, quick ? 100 : 1000, quick ? 20 : 100, log)),
    ];
  } finally {
    await client.close();
  }
};

export default benchmark;

async function approvals(
  client: PgClient,
  rounds: number,
  seed: number,
  log: (line: string) => void,
): Promise<Row[]> {
  const found = await interleave(client, rounds, seed);
  log(`${found.rounds} rounds with ${found.failures} failures of the database`);
  const claim = (metric: string, value: number): Row =>
    row({ metric, unit: '', samples: [value], goal: { atMost: 0 } });
  return [
    claim(`double decisions in ${rounds} rounds`, found.double),
    claim(`lost decisions in ${rounds} rounds`, found.lost),
  ];
}

/** The sample of a process and of its scopes at one moment, as its writer packs it. */
function batchAt(
  number: number,
  at: number,
  seed: number,
): SampleBatch['pack'] extends (n: number) => infer B ? B : never {
  const batch = new SampleBatch(10_000);
  const used = 200e6 + ((number * 7919 + seed * 104_729) % 50e6);
  const parts = {
    limit: 512e6,
    floor: used * 0.8,
    heapUsed: used,
    external: 4e6,
    arrayBuffers: 2e6,
    rss: used * 1.6,
    loopDelayMs: 3,
  };
  batch.add({ at, scope: 'process', usedBytes: used, level: 'normal', ...parts });
  for (let i = 0; i < scopes; i++)
    batch.add({
      at,
      scope: `process/agent:planner/session:${(seed * 1000 + i).toString(16)}`,
      bytes: (used / scopes) * (1 + i / scopes),
    });
  return batch.pack(number);
}

async function lives(client: PgClient, n: number, from: number): Promise<readonly SpooledLife[]> {
  const made = Array.from({ length: n }, (_, i): SpooledLife => {
    const run = from + i;
    return { run, process: `pod-${run}`, token: 't', identity, started: Date.now(), pid: 1, lost: 0 };
  });
  for (const life of made)
    await client.query(
      `insert into plimsoll.process (id, token, service, release, host, pid, started) values ($1, 't', 'shop', $2, $3, 1, now())`,
      [life.process, life.run % 2 === 0 ? '1.4.1' : '1.4.2', `node-${life.run % 40}`],
    );
  return made;
}

async function shipping(
  client: PgClient,
  processes: number,
  rounds: number,
  log: (line: string) => void,
): Promise<Row[]> {
  const all = await lives(client, processes, 1);
  const now = Date.now();
  for (const parent of ['sample', 'scope_batch'])
    for (const at of [now - day, now]) await makePartition(client, parent, at);
  const rates: number[] = [];
  const shares: number[] = [];
  const dir = mkdtempSync(join(tmpdir(), 'plimsoll-bench-fleet-'));
  const spools = new Map<number, Spool>();
  // The spool of each tenth process is real, so that the files do not outnumber what one machine of a fleet has.
  for (const life of all.slice(0, Math.ceil(processes / 10))) {
    const spool = new Spool(join(dir, String(life.run)), 64 * 1024 ** 2);
    spool.begin({ id: life.run, pid: 1, host: 'pod', started: now }, identity);
    spools.set(life.run, spool);
  }
  for (let round = 1; round <= rounds; round++) {
    const at = now - (rounds - round) * everyMs;
    const waiting = [...all];
    const cpu = process.cpuUsage();
    const began = performance.now();
    const pump = async (): Promise<void> => {
      for (let life = waiting.pop(); life !== undefined; life = waiting.pop()) {
        const spool = spools.get(life.run);
        let batches: readonly WaitingBatch[];
        if (spool === undefined)
          batches = [{ id: 1, run: life.run, bytes: 0, batch: batchAt(round, at, life.run) }];
        else {
          spool.add(life.run, batchAt(round, at, life.run), at);
          batches = spool.oldest(262_144);
        }
        await shipSamples(client, { life, batches, news: nothing, skewMs: 0, since: 0, now });
        spool?.shipped(life.run, round);
      }
    };
    await Promise.all(Array.from({ length: 20 }, pump));
    const tookMs = performance.now() - began;
    const { user, system } = process.cpuUsage(cpu);
    rates.push((processes * (scopes + 1)) / (tookMs / 1000));
    shares.push(((user + system) / 1000 / processes / everyMs) * 100);
    log(`round ${round}: ${Math.round(rates.at(-1) ?? 0).toLocaleString('en-US')} samples/s`);
  }
  for (const spool of spools.values()) spool.close();
  rmSync(dir, { recursive: true, force: true });
  const [size] = await client.query<{ bytes: number }>(
    `select sum(pg_total_relation_size(c.oid))::float8 as bytes from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where n.nspname = 'plimsoll' and (c.relname like 'sample_2%' or c.relname like 'scope_batch_2%')`,
  );
  const perDay = ((size?.bytes ?? 0) / processes / rounds) * (day / everyMs);
  await upkeep(client);
  return [
    row({
      metric: `samples stored (${processes} processes x ${scopes} scopes)`,
      unit: 'samples/s',
      samples: rates,
      goal: { atLeast: (1000 * (scopes + 1)) / (everyMs / 1000) },
    }),
    row({
      metric: 'CPU of a process for shipping',
      unit: '% of a core',
      samples: shares,
      goal: { atMost: 0.2 },
    }),
    row({ metric: 'size per process and day, raw', unit: 'MB', samples: [perDay / 1e6] }),
  ];
}

async function catchUp(client: PgClient, processes: number, log: (line: string) => void): Promise<Row[]> {
  const batches = 3_600_000 / everyMs;
  const now = Date.now();
  const all = await lives(client, processes, 1_000_000);
  const dir = mkdtempSync(join(tmpdir(), 'plimsoll-bench-fleet-'));
  const spools = all.map((life) => {
    const spool = new Spool(join(dir, String(life.run)), 64 * 1024 ** 2);
    spool.begin({ id: life.run, pid: 1, host: 'pod', started: now }, identity);
    for (let i = 1; i <= batches; i++)
      spool.add(life.run, batchAt(i, now - (batches - i) * everyMs, life.run), now);
    return { life, spool };
  });
  const began = performance.now();
  const took = await Promise.all(
    spools.map(async ({ life, spool }) => {
      for (let waiting = spool.oldest(262_144); waiting.length > 0; waiting = spool.oldest(262_144)) {
        await shipSamples(client, { life, batches: waiting, news: nothing, skewMs: 0, since: 0, now });
        spool.shipped(life.run, waiting.at(-1)?.batch.number ?? 0);
      }
      return (performance.now() - began) / 1000;
    }),
  );
  const rate = (processes * batches * (scopes + 1)) / ((performance.now() - began) / 1000);
  for (const { spool } of spools) spool.close();
  rmSync(dir, { recursive: true, force: true });
  log(`an hour of ${processes} processes: ${Math.round(rate).toLocaleString('en-US')} samples/s`);
  return [
    row({ metric: `catch-up of one hour, ${processes} processes at once`, unit: 's', samples: took }),
    row({ metric: 'catch-up', unit: 'samples/s', samples: [rate] }),
  ];
}

/** Thirty days of roll-ups, made by the database itself. */
async function asking(
  client: PgClient,
  processes: number,
  repeats: number,
  log: (line: string) => void,
): Promise<Row[]> {
  const now = Date.now();
  for (let days = 0; days <= 31; days += 5)
    for (const parent of ['rollup', 'rollup_hour']) await makePartition(client, parent, now - days * day);
  const fill = (table: string, span: string, step: string): Promise<unknown> =>
    client.query(
      `insert into plimsoll.${table} (process_no, at, n, low, high, total, pressure, level, limit_bytes)
       select p.no, t, 30, 1e8, 2e8, 4.5e9, 0.3 + random() * 0.5, (random() * 1.2)::int, 512e6
       from (select no from plimsoll.process order by no limit ${processes}) p,
         generate_series(date_trunc('hour', now()) - interval '${span}', date_trunc('hour', now()) - interval '1 hour', interval '${step}') t
       order by t on conflict do nothing`,
    );
  await fill('rollup_hour', '30 days', '1 hour');
  await fill('rollup', '3 days', '5 minutes');
  for (let days = 0; days <= 31; days += 5) await makePartition(client, 'heat', now - days * day);
  await client.query(
    `insert into plimsoll.heat (process_no, at, pressure, level) select process_no, date_bin('6 hours', at, timestamptz '2000-01-01 00:00Z'),
       max(pressure), max(level) from plimsoll.rollup_hour group by 1, 2 on conflict do nothing`,
  );
  await client.query(
    `insert into plimsoll.finding (fingerprint, process_id, service, release, host, kind, severity, scope, headline, first_seen, last_seen, count, bytes, rate)
     select 'f' || f, p.id, p.service, p.release, p.host, 'growth', 'high', 'process', 'growth of Map', now() - interval '1 day', now(), 3, 1e6, random() * 1e6
     from plimsoll.process p, generate_series(1, 20) f where p.no % 20 >= f on conflict do nothing`,
  );
  await client.exec(
    'analyze plimsoll.process; analyze plimsoll.finding; analyze plimsoll.rollup; analyze plimsoll.rollup_hour; analyze plimsoll.heat',
  );
  const fleet = new FleetQueries(client);
  const id = `pod-${Math.ceil(processes / 2)}`;
  const questions: readonly (readonly [string, () => Promise<unknown>])[] = [
    ['all processes by danger', () => fleet.processes()],
    ['summary', () => fleet.summary()],
    ['heat map, 100 processes x 30 days', () => fleet.heat(now - 30 * day, now, { columns: 120 })],
    ['heat map, 100 processes x 24 h', () => fleet.heat(now - day, now)],
    ['one process, 30 days', () => fleet.history(id, now - 30 * day, now)],
    ['findings by release', () => fleet.findings()],
    ['open approvals', () => fleet.approvals({ state: 'open' })],
  ];
  const rows: Row[] = [];
  for (const [name, ask] of questions) {
    const times: number[] = [];
    for (let i = 0; i < repeats; i++) {
      const began = performance.now();
      await ask();
      times.push(performance.now() - began);
    }
    const p99 = quantile(times, 0.99);
    log(`${name}: median ${quantile(times, 0.5).toFixed(1)} ms, p99 ${p99.toFixed(1)} ms`);
    rows.push(row({ metric: `p99: ${name}`, unit: 'ms', samples: [p99], goal: { atMost: 100 } }));
  }
  return rows;
}
