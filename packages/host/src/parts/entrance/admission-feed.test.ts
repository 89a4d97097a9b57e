import { admit, isUnderPressure, open } from '@plimsoll/core';
import { pressure } from '@plimsoll/core/internal/gate/admit';
import { admission } from '@plimsoll/govern/internal/admission/admission-control';
import { parsePolicy } from '@plimsoll/govern/internal/policy/parse';
import { afterEach, expect, test } from 'vitest';
import { frameOf } from '../../protocol/frame.fixture.ts';
import { AdmissionFeed, openOf, workInFlight } from './admission-feed.ts';
import type { AdmissionFeedParts } from './admission-feed.ts';

const mib = 1024 ** 2;
const policy = parsePolicy(
  `apiVersion: plimsoll/v1
revision: 1
mode: enforce
budgets:
  global: { max: 100%, reserve: 10MiB }
  agents:
    "research-*": { max: 50MiB, priority: sheddable }
`,
  'p.yaml',
);
const reading = {
  ...frameOf().reading,
  pressures: [
    { source: 'heap' as const, used: 150 * mib, limit: 200 * mib },
    { source: 'cgroup' as const, used: 200 * mib, limit: 230 * mib },
  ],
};

function feedOf(changes: Partial<AdmissionFeedParts['governor']> = {}): {
  feed: AdmissionFeed;
  records: object[];
  pass: (ms: number) => void;
} {
  const records: object[] = [];
  let now = 0;
  const governor = {
    level: 'normal' as const,
    mode: 'enforce' as const,
    policy,
    levelOf: () => 'normal' as const,
    raised: () => [],
    ...changes,
  };
  const feed = new AdmissionFeed({
    governor,
    scopes: () => [{ kind: 'run', leases: 0 }],
    record: (body) => void records.push(body),
    now: () => now,
  });
  return { feed, records, pass: (ms) => void (now += ms) };
}

afterEach(() => admission().ungovern());

test('what is left is measured against the nearest limit, less the reserve', () => {
  const { feed, records } = feedOf();
  feed.take(reading);
  expect(() => admit('buffer', 21 * mib)).toThrow(/do not fit the 20.0 MiB that are left/);
  admit('buffer', 19 * mib);
  expect(feed.row()).toMatchObject({ state: 'open' });
  expect(records).toMatchObject(
    [{ newlyRefused: 1, sheds: expect.stringContaining('buffer no_room') }].slice(1),
  );
});

test('the level and its rule are what pressure names', () => {
  const row = {
    scope: 'process',
    level: 'critical' as const,
    ratio: 0.75,
    usedBytes: 1,
    limitBytes: 2,
    source: 'heap' as const,
    rule: 'limits.heap (p.yaml)',
  };
  const { feed } = feedOf({ level: 'critical', raised: () => [row] });
  feed.take(reading);
  expect(isUnderPressure()).toBe(true);
  expect(pressure()).toMatchObject({
    reason: 'level critical: limits.heap (p.yaml)',
    source: 'heap',
    ratio: 0.75,
  });
});

test('the priority comes from the policy for the scope at hand', async () => {
  const { feed } = feedOf();
  feed.take(reading);
  admission().throttle({ ratio: 1, only: 'sheddable', reason: 'r' });
  admit('run');
  const scope = open('agent', 'research-1');
  expect(() => scope.run(() => admit('run'))).toThrow('100 %');
  await scope.close();
});

test('each change of state and each 10 s of refusals is told to the ledger', () => {
  const { feed, records, pass } = feedOf();
  feed.take(reading);
  admission().refuse({ except: [], retryAfterMs: { min: 1, max: 2 }, reason: 'r' });
  expect(() => admit('session')).toThrow();
  feed.take(reading);
  expect(records).toMatchObject([{ from: 'open', to: 'refusing', ratio: 1, newlyRefused: 1 }]);
  expect(() => admit('session')).toThrow();
  feed.take(reading);
  expect(records).toHaveLength(1);
  pass(10_000);
  feed.take(reading);
  expect(records[1]).toMatchObject({ from: 'refusing', to: 'refusing', newlyRefused: 1 });
  pass(10_000);
  feed.take(reading);
  expect(records).toHaveLength(2);
  feed[Symbol.dispose]();
  expect(admission().row().state).toBe('open');
});

test('a reading without limits tells what it has', () => {
  const { feed } = feedOf({ mode: 'observe' });
  feed.take({ ...reading, pressures: [] });
  admit('buffer', 1024 ** 4);
  expect(pressure()).toMatchObject({ source: 'unknown', limitBytes: reading.limit });
});

test('work in flight is what runs and what is leased', () => {
  const scopes = [
    { kind: 'process', leases: 0 },
    { kind: 'session', leases: 0 },
    { kind: 'session', leases: 2 },
    { kind: 'run', leases: 0 },
    { kind: 'tool', leases: 0 },
  ];
  expect(workInFlight(scopes)).toBe(3);
  expect(openOf('session', scopes)).toBe(2);
});
