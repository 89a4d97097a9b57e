import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { Host } from '@plimsoll/host/internal/host';
import { connect } from '@plimsoll/ledger/internal/postgres/client';
import type { PgClient } from '@plimsoll/ledger/internal/postgres/client';
import { migrate } from '@plimsoll/ledger/internal/postgres/migrate';
import { FleetPolicies, isInShare, stepFor } from '@plimsoll/ledger/internal/postgres/policies';
import type { PolicyStep } from '@plimsoll/ledger/internal/postgres/policies';
import { FleetPolicyPart, fleetQuestion } from '@plimsoll/host/internal/parts/fleet-policy';
import { TestIo } from '../../../packages/plimsoll/src/io.fixture.ts';
import { startPostgres } from '../../postgres/server.ts';
import type { PostgresServer } from '../../postgres/server.ts';

let server: PostgresServer;
let url: string;
let client: PgClient;
let policies: FleetPolicies;
beforeAll(async () => {
  server = await startPostgres();
  url = await server.database();
  client = await connect(url);
  await migrate(client);
  policies = new FleetPolicies(client);
});
afterAll(async () => {
  await client.close();
  await server.stop();
});

const hosts = Array.from({ length: 1000 }, (_, i) => `pod-${i}`);

describe('a share of the fleet', () => {
  test('is about as large as it says, and a growing one only adds processes', () => {
    const tenth = hosts.filter((host) => isInShare(host, 0.1));
    const half = hosts.filter((host) => isInShare(host, 0.5));
    expect(tenth.length).toBeGreaterThan(70);
    expect(tenth.length).toBeLessThan(130);
    expect(half).toEqual(expect.arrayContaining(tenth));
    expect(hosts.every((host) => isInShare(host, 1))).toBe(true);
    expect(hosts.some((host) => isInShare(host, 0))).toBe(false);
  });

  test('others go on with what was enforced everywhere before, or with their own file', () => {
    const step = (version: number, mode: PolicyStep['mode'], share: number): PolicyStep => ({
      version,
      mode,
      share,
      by: 'user:ann',
      origin: '',
      at: 0,
    });
    const out = hosts.find((host) => !isInShare(host, 0.1)) as string;
    const steps = [
      step(2, 'enforce', 0.1),
      step(2, 'shadow', 0.1),
      step(1, 'enforce', 1),
      step(1, 'shadow', 1),
    ];
    expect(stepFor(steps, out)?.version).toBe(1);
    expect(stepFor(steps.slice(0, 2), out)).toBeUndefined();
    expect(stepFor(steps.slice(3), out)).toMatchObject({ version: 1, mode: 'shadow' });
    expect(stepFor([], out)).toBeUndefined();
  });
});

test('versions are stored once, tried in shadow before they are enforced, and assigned by the newest step', async () => {
  const first = await policies.push('shop', 'mode: enforce\n', 'user:ann');
  expect(await policies.push('shop', 'mode: enforce\n', 'user:bob')).toEqual(first);
  const { version } = await policies.push('shop', 'mode: enforce\nrevision: 2\n', 'user:ann');
  expect(version).toBeGreaterThan(first.version);
  expect((await policies.versions('shop')).map((each) => each.version)).toEqual([version, first.version]);
  expect(await policies.services()).toEqual(['shop']);
  expect(await policies.assigned('shop', 'pod-1')).toBeNull();
  const enforce = { version, mode: 'enforce', share: 0.5, by: 'user:ann' } as const;
  await expect(policies.rollout('shop', enforce)).rejects.toMatchObject({ code: 'PLM_FLEET_POLICY_UNTRIED' });
  await expect(policies.rollout('other', enforce)).rejects.toMatchObject({
    code: 'PLM_FLEET_POLICY_UNKNOWN',
  });
  await policies.rollout('shop', { ...enforce, mode: 'shadow', share: 1 });
  expect(await policies.assigned('shop', 'pod-1')).toMatchObject({ version, mode: 'shadow' });
  await policies.rollout('shop', enforce);
  const chosen = await Promise.all(hosts.slice(0, 20).map((host) => policies.assigned('shop', host)));
  const expected = hosts.slice(0, 20).map((host) => (isInShare(host, 0.5) ? version : null));
  expect(chosen.map((each) => each?.version ?? null)).toEqual(expected);
});

test('the groups of a roll-out stand side by side', async () => {
  const { version } = await policies.push('groups', 'mode: enforce\n', 'user:ann');
  await policies.rollout('groups', { version, mode: 'enforce', share: 0.5, by: 'user:ann' }, true);
  const insert = (id: string, values: string): Promise<unknown> =>
    client.query(
      `insert into plimsoll.process (id, token, service, release, host, pid, started, policy_version, mode, level, pressure, ended, outcome)
       values ($1, 't', 'groups', '1', 'h', 1, now(), ${values})`,
      [id],
    );
  await insert('a', `${version}, 'enforce', 2, 0.8, null, null`);
  await insert('b', `${version}, 'enforce', 0, 0.4, null, null`);
  await insert('c', `${version}, 'enforce', 0, 0.4, now(), 'lost: it ended without a word'`);
  await insert('d', `null, 'enforce', 0, 0.2, null, null`);
  await insert('e', `null, 'enforce', 0, 0.2, now(), 'signal, code 0'`);
  await client.query("select plimsoll.make_partition('entry', now())");
  await client.query(
    `insert into plimsoll.entry (chain, seq, process_id, run, n, at_ms, kind, scope, body, hash)
     values ('x', 1, 'a', 1, 1, $1, 'action', 'process', $2, 'h')`,
    [Date.now() + 1000, JSON.stringify({ action: 'admit.refuse', outcome: 'done' })],
  );
  const { groups } = await policies.state('groups');
  expect(groups).toMatchObject([
    { version, live: 2, levels: { normal: 1, critical: 1 }, deaths: 1, shed: 1 },
    { version: null, live: 1, deaths: 0, shed: 0 },
  ]);
  expect(groups[0]?.pressure).toBeCloseTo(0.6);
});

test('the command pushes, rolls out and shows', async () => {
  const io = new TestIo(mkdtempSync(join(tmpdir(), 'plimsoll-policy-')));
  writeFileSync(join(io.cwd, 'good.yaml'), 'apiVersion: plimsoll/v1\nmode: enforce\n');
  writeFileSync(join(io.cwd, 'bad.yaml'), 'apiVersion: plimsoll/v1\nmod: enforce\n');
  const run = async (...args: readonly string[]): Promise<string> => {
    io.out = '';
    io.err = '';
    await io.plimsoll('policy', ...args, '--service', 'cli', '--fleet', url);
    return io.out + io.err;
  };
  expect(await run('push', 'bad.yaml')).toContain('PLM_POLICY_UNKNOWN_KEY');
  const pushed = await run('push', 'good.yaml');
  const version = /version (\d+) of cli/.exec(pushed)?.[1] as string;
  expect(await run('status')).toContain('no policy was rolled out');
  expect(await run('rollout', version)).toContain('PLM_FLEET_POLICY_UNTRIED');
  expect(await run('rollout', version, '--mode', 'shadow')).toContain(
    'in mode shadow at 100 % of the processes',
  );
  expect(await run('rollout', version, '--share', '12.5%')).toContain('in mode enforce at 13 %');
  await client.query(
    `insert into plimsoll.process (id, token, service, release, host, pid, started, policy_version, mode, level, pressure)
     values ('cli-1', 't', 'cli', '1', 'h', 1, now(), $1, 'enforce', 1, 0.7)`,
    [Number(version)],
  );
  const shown = await run('status');
  expect(shown).toMatch(/policy +mode +live +silent +warning/);
  expect(shown).toMatch(/version \d+ +enforce +1 +0 +1 +0 +0 +0 +0 +70 %/);
  expect(JSON.parse(await run('status', '--json'))).toMatchObject({ service: 'cli' });
  for (const wrong of [
    ['push'],
    ['rollout', 'x'],
    ['rollout', version, '--share', '200%'],
    ['rollout', version, '--mode', 'on'],
    ['dance'],
  ])
    expect(await run(...wrong), wrong.join(' ')).toContain('PLM_CLI_BAD_OPTION');
  io.out = '';
  io.err = '';
  io.env['PLIMSOLL_LEDGER_URL'] = undefined;
  expect(await io.plimsoll('policy', 'status', '--service', 'cli')).toBe(1);
  expect(await io.plimsoll('policy', 'status', '--fleet', url)).toBe(1);
});

test('a governed process takes the policy of the fleet, and keeps it without the database', async () => {
  const away = await startPostgres();
  try {
    const database = await away.database();
    const owner = await connect(database);
    await migrate(owner);
    const own = new FleetPolicies(owner);
    const text = 'apiVersion: plimsoll/v1\nmode: enforce\nrevision: 41\n';
    const { version } = await own.push('agents', text, 'user:ann');
    await own.rollout('agents', { version, mode: 'shadow', share: 1, by: 'user:ann' });
    await owner.close();
    const dir = mkdtempSync(join(tmpdir(), 'plimsoll-fleet-process-'));
    const { ask, close } = fleetQuestion(database, 'agents', 'pod-1');
    const files: (string | undefined)[] = [];
    const part = new FleetPolicyPart({
      dir,
      ask,
      close,
      changed: (file) => files.push(file),
      refused: expect.unreachable,
    });
    await part.look();
    expect(files).toEqual([join(dir, 'fleet-policy.yaml')]);
    expect(readFileSync(files[0] as string, 'utf8')).toContain('\nmode: shadow\nrevision: 41');
    await away.kill();
    await part.look();
    expect(files).toHaveLength(1);
    await part.stop();
  } finally {
    await away.stop();
  }
});

test('a process that knows nothing but the database takes the roll-out, and the fleet sees its version', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'plimsoll-fleet-alone-'));
  const text = 'apiVersion: plimsoll/v1\nmode: enforce\nrevision: 77\n';
  const { version } = await policies.push('alone', text, 'user:ann');
  await policies.rollout('alone', { version, mode: 'shadow', share: 1, by: 'user:ann' });
  const settings = {
    dir,
    ledgerDir: join(dir, 'ledger'),
    policyFile: undefined,
    ledgerUrl: url,
    service: 'alone',
    target: 'node alone.js',
    maxPauseMs: undefined,
    isSupervised: false,
  };
  const seen = async (): Promise<unknown> =>
    (
      await client.query(
        "select policy_version::float8 as version, mode from plimsoll.process where service = 'alone' order by started desc limit 1",
      )
    )[0];
  let host = await Host.load(settings);
  host.start();
  expect(host.frame?.policy).toMatchObject({ file: null, mode: 'observe', revision: null });
  await vi.waitFor(() => expect(host.frame?.policy).toMatchObject({ mode: 'shadow', revision: 77 }));
  await vi.waitFor(async () => expect(await seen()).toEqual({ version, mode: 'shadow' }));
  await host.stop();
  // The next life begins with it.
  host = await Host.load(settings);
  host.start();
  expect(host.frame?.policy).toMatchObject({ mode: 'shadow', revision: 77 });
  await host.stop();
});
