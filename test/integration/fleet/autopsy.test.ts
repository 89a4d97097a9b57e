/** Why a process of the fleet died, from its database: with its folder, and without. */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { BoxWriter } from '@plimsoll/host/internal/parts/black-box/box-writer';
import { DeadBoxesPart } from '@plimsoll/host/internal/parts/black-box/dead-boxes';
import type { BoxReading } from '@plimsoll/host/protocol/death';
import { connect } from '@plimsoll/ledger/internal/postgres/client';
import type { PgClient } from '@plimsoll/ledger/internal/postgres/client';
import { migrate } from '@plimsoll/ledger/internal/postgres/migrate';
import { FleetQueries } from '@plimsoll/ledger/internal/postgres/queries';
import { autopsyOf } from '../../../packages/plimsoll/src/autopsy/autopsy.ts';
import { autopsyBody } from '../../../packages/plimsoll/src/autopsy/autopsy-entry.ts';
import { fleetAutopsy } from '../../../packages/plimsoll/src/autopsy/fleet-autopsy.ts';
import { TestIo } from '../../../packages/plimsoll/src/io.fixture.ts';
import { startPostgres } from '../../postgres/server.ts';
import type { PostgresServer } from '../../postgres/server.ts';
import { Pod } from './pod.ts';

const mib = 1024 ** 2;
let server: PostgresServer;
let url: string;
let client: PgClient;

beforeAll(async () => {
  server = await startPostgres();
  url = await server.database();
  client = await connect(url);
  await migrate(client);
});
afterAll(async () => {
  await client.close();
  await server.stop();
});

function reading(at: number, used: number): BoxReading {
  return {
    kind: 'reading',
    at,
    used,
    limit: 1000 * mib,
    heapUsed: used,
    floor: used,
    external: 0,
    arrayBuffers: 0,
    rss: 2 * used,
    loopDelayMs: 1,
    level: used > 900 * mib ? 'emergency' : 'normal',
    source: 'cgroup',
    scopes: [['process/session:1', used / 2]],
    keepers: [],
    open: { session: 3 },
    workers: 0,
    refused: 0,
    actions: [],
    incident: null,
  };
}

/** The process has ended for the fleet, a while ago. */
async function silence(host: string): Promise<void> {
  await client.query("update plimsoll.process set last_seen = now() - interval '5 minutes' where host = $1", [
    host,
  ]);
}

test('the next process of a folder tells of a box once, also of one with its own number', async () => {
  const one = new Pod({ url, host: 'boxed' });
  one.shipper.start();
  one.sample();
  await one.shipped();
  const dir = mkdtempSync(join(tmpdir(), 'plimsoll-boxes-'));
  const began = Date.now();
  const before = new BoxWriter(dir, process.pid);
  const start = {
    kind: 'start',
    at: began,
    pid: process.pid,
    node: 'v24',
    target: 'node server.js',
    heapLimit: 1,
  } as const;
  before.write(start);
  for (let i = 1; i <= 60; i++) before.write(reading(began + i, i * 16 * mib));
  before.close(false);
  // The program is started again, and has the same number as in a container.
  const after = new BoxWriter(dir, process.pid);
  after.write({ ...start, at: began + 1000 });
  const told: unknown[] = [];
  const part = new DeadBoxesPart({
    dir,
    write: (record) => {
      told.push(record);
      one.audit('black-box', { ...record });
      return Promise.resolve();
    },
  });
  await part.tell();
  await part.tell();
  after.close(true);
  expect(told).toHaveLength(1);
  await one.shipped();
  await expect(fleetAutopsy(new FleetQueries(client), 'boxed')).rejects.toMatchObject({
    code: 'PLM_FLEET_PROCESS_ALIVE',
  });
  await one.close();
  await silence('boxed');
  const found = await fleetAutopsy(new FleetQueries(client), 'boxed');
  expect(found.from).toBe('black-box');
  expect(found.autopsy).toMatchObject({
    target: 'node server.js',
    cause: { name: 'group-oom-kill', sure: 'likely' },
    memory: { used: 960 * mib, level: 'emergency' },
    open: { session: 3 },
    isDeath: true,
  });
  expect(found.autopsy.grew[0]).toEqual({
    name: 'process/session:1',
    bytes: 480 * mib,
    grewBytes: 472 * mib,
  });
});

test('what the supervisor found is told as it is, by the command, too; several deaths are one story', async () => {
  const fatal = {
    event: 'Allocation failed - JavaScript heap out of memory',
    trigger: 'OOMError',
    heapUsedBytes: mib,
    heapLimitBytes: 1,
    frames: ['grow (server.ts:41:7)'],
    at: null,
  };
  for (const host of ['first', 'second']) {
    const one = new Pod({ url, host, service: 'agents' });
    one.shipper.start();
    one.sample();
    await one.shipped();
    const seen = {
      exit: { code: null, signal: 'SIGABRT' },
      endedAt: Date.now(),
      oomKills: null,
      asked: null,
      wasStuck: false,
      restart: null,
    };
    const autopsy = autopsyOf(process.pid, 'node server.js', { ...seen, box: undefined, fatal });
    // The supervisor writes with a run of its own and names the process.
    one.auditAs(999, 'exit', {
      pid: process.pid,
      code: null,
      signal: 'SIGABRT',
      reason: autopsy.cause.text,
      isDeath: true,
    });
    one.auditAs(999, 'autopsy', autopsyBody(autopsy));
    await one.shipped();
    await one.close();
  }
  const io = new TestIo(tmpdir());
  io.env['PLIMSOLL_LEDGER_URL'] = url;
  expect(await io.plimsoll('autopsy', 'second', '--fleet')).toBe(0);
  expect(io.out).toMatch(/^agents: died 2 times in .* at the V8 heap limit/);
  expect(io.out).toMatch(/process second-\w+ on second, as plimsoll run saw it/);
  expect(io.out).toContain('cause     it reached the heap limit of V8 (v8-heap-limit, sure)');
  expect(io.out).toContain('stack     grow (server.ts:41:7)');
  expect(await new FleetQueries(client).processNamed('second')).toMatchObject({
    state: 'ended',
    outcome: 'died: it reached the heap limit of V8',
  });
  io.out = '';
  expect(await io.plimsoll('autopsy', 'first', '--fleet', url, '--json')).toBe(0);
  expect(JSON.parse(io.out)).toMatchObject({ from: 'supervisor', deaths: 2 });
  io.err = '';
  expect(await io.plimsoll('autopsy', 'nowhere', '--fleet')).toBe(1);
  expect(io.err).toContain('PLM_FLEET_PROCESS_UNKNOWN');
});

test('without its folder a lost process is told from what it sent', async () => {
  const one = new Pod({ url, host: 'lost' });
  one.shipper.start();
  one.audit('start', { pid: process.pid, node: 'v24', command: 'node lost.js', limitSource: 'cgroup' });
  for (let i = 0; i < 3; i++) one.sample(3_000_000 + i * 400_000, 3, 'critical');
  one.audit('incident', { headline: 'closed sessions hold 168 MiB' });
  one.audit('last-words', {
    v: 1,
    at: Date.now(),
    sites: [{ name: 'keep', where: 'server.js:4:3', bytes: mib }],
    scopes: [['process/session:1', mib]],
    keepers: [],
    snapshot: null,
  });
  await one.shipped();
  await one.close();
  await silence('lost');
  const { autopsy, from } = await fleetAutopsy(new FleetQueries(client), 'lost');
  expect(from).toBe('samples');
  expect(autopsy).toMatchObject({
    target: 'node lost.js',
    release: '1.4.2',
    cause: { name: 'group-oom-kill', sure: 'likely' },
    memory: { used: 3_800_000, limit: 4_000_000, level: 'critical', source: 'cgroup' },
    incident: 'closed sessions hold 168 MiB',
    lastWords: { sites: [{ name: 'keep' }] },
  });
  expect(autopsy.lastMinute).toHaveLength(3);
});
