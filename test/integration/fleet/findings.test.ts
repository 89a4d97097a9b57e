import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { FleetLink } from '@plimsoll/host/internal/parts/history/fleet-link';
import { connect } from '@plimsoll/ledger/internal/postgres/client';
import type { PgClient } from '@plimsoll/ledger/internal/postgres/client';
import { sentenceOf } from '@plimsoll/ledger/internal/postgres/finding-queries';
import { FleetQueries } from '@plimsoll/ledger/internal/postgres/queries';
import { startPostgres } from '../../postgres/server.ts';
import type { PostgresServer } from '../../postgres/server.ts';
import { Pod } from './pod.ts';

let server: PostgresServer;
let url: string;
let client: PgClient;

beforeAll(async () => {
  server = await startPostgres();
  url = await server.database();
  client = await connect(url);
});
afterAll(async () => {
  await client.close();
  await server.stop();
});

test('one fingerprint is one finding over processes, hosts and releases, and one process tells of it', async () => {
  const pods = ['1.4.1', '1.4.1', '1.4.2', '1.4.2', '1.4.2'].map(
    (release, i) => new Pod({ url, release, host: `node-${i}` }),
  );
  const body = {
    fingerprint: 'abc',
    kind: 'growth',
    severity: 'high',
    bytes: 1000,
    count: 3,
    message: 'growth of Map',
    fix: 'bound it',
  };
  for (const [i, pod] of pods.entries()) {
    if (i >= 2) pod.audit('finding', { ...body, rate: 100 * i });
    pod.shipper.start();
    await pod.shipped();
  }
  pods[4]?.audit('finding', { ...body, count: 9, rate: 500 });
  await pods[4]?.shipped();
  const [found, ...others] = await new FleetQueries(client).findings();
  expect(others).toEqual([]);
  expect(found).toMatchObject({
    service: 'shop',
    fingerprint: 'abc',
    processes: 3,
    of: 5,
    hosts: 3,
    count: 15,
    headline: 'growth of Map',
  });
  expect(found?.sentence).toMatch(
    /^in 3 of 5 processes, first seen \d+ seconds? after 1\.4\.2 was rolled out, not in 1\.4\.1$/,
  );
  const byRelease = new Map(found?.releases.map((each) => [each.release, each]));
  expect(byRelease.get('1.4.2')).toMatchObject({ processes: 3, of: 3, rate: 300 });
  expect(byRelease.get('1.4.1')).toMatchObject({ processes: 0, of: 2, rate: null });
  expect(pods.map(({ findings }) => findings.map(({ isFirst }) => isFirst))).toEqual([
    [],
    [],
    [true],
    [false],
    [false, false],
  ]);
  expect(found?.told?.by).toBe(pods[2]?.shipper.health.processId);
  expect(await new FleetQueries(client).finding('shop', 'abc')).toEqual(found);
  await Promise.all(pods.map((pod) => pod.close()));
});

test('the sentence says where a finding is', () => {
  const release = { of: 20, processes: 0, firstSeen: null, bytes: 0, rate: null };
  const old = { ...release, release: '1.4.1', rolledOut: 0 };
  const bad = { ...release, release: '1.4.2', rolledOut: 1_000_000, processes: 37, firstSeen: 1_720_000 };
  const next = { ...release, release: '1.4.3', rolledOut: 9_000_000 };
  expect(sentenceOf(37, 40, [bad, old])).toBe(
    'in 37 of 40 processes, first seen 12 minutes after 1.4.2 was rolled out, not in 1.4.1',
  );
  expect(sentenceOf(37, 40, [next, bad, old])).toBe(
    'in 37 of 40 processes, first seen 12 minutes after 1.4.2 was rolled out, not in 1.4.1, not seen in 1.4.3 so far',
  );
  expect(sentenceOf(1, 1, [{ ...bad, processes: 1 }])).toBe(
    'in 1 of 1 process, first seen 12 minutes after 1.4.2 was rolled out',
  );
  expect(sentenceOf(2, 3, [])).toBe('in 2 of 3 processes');
});

test('an alert is told by the first process, and by every one that hears nothing from the database', async () => {
  vi.useFakeTimers();
  try {
    const identity = { service: 'shop', release: '1', host: 'h', pid: 1, node: 'v' };
    const link = new FleetLink({ url, identity }, () => Promise.reject(new Error('no desk')));
    const asked = [link.mayTell('mine'), link.mayTell('theirs'), link.mayTell('unheard')];
    link.options?.onFindings?.([
      { fingerprint: 'mine', isFirst: true },
      { fingerprint: 'theirs', isFirst: false },
    ]);
    await vi.advanceTimersByTimeAsync(5000);
    expect(await Promise.all(asked)).toEqual([true, false, true]);
    link.options?.onFindings?.([{ fingerprint: 'mine', isFirst: false }]);
    expect(await link.mayTell('mine')).toBe(true);
  } finally {
    vi.useRealTimers();
  }
});
