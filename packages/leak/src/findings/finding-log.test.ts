import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { expect, test } from 'vitest';
import type { Finding } from './finding.ts';
import { FindingLog } from './finding-log.ts';

const finding = (
  fingerprint: string,
  severity: Finding['severity'],
  changes: Partial<Finding> = {},
): Finding => ({
  id: fingerprint,
  kind: 'growth',
  severity,
  scope: 'process',
  fingerprint,
  firstSeen: 10,
  lastSeen: 20,
  count: 1,
  bytes: 1,
  fix: 'x',
  ...changes,
});

test('one finding per fingerprint, told when it is new, graver, or proved', () => {
  const told: string[] = [];
  const log = new FindingLog(({ severity }) => told.push(severity));
  log.take(finding('a', 'low'));
  log.take(finding('a', 'low', { firstSeen: 30, count: 2 }));
  log.take(finding('a', 'high'));
  log.take(finding('a', 'high', { trace: [] }));
  log.take(finding('a', 'high'));
  expect(told).toEqual(['low', 'high', 'high']);
  expect(log.rows).toMatchObject([{ severity: 'high', firstSeen: 10, count: 2, trace: [] }]);
  log.take(finding('b', 'critical'));
  expect(log.rows.map((each) => each.fingerprint)).toEqual(['b', 'a']);
  log.clear('b');
  expect(log.rows).toHaveLength(1);
});

test('ours are published on the channel, and the log is bounded', () => {
  const heard: unknown[] = [];
  const listen = (message: unknown): void => void heard.push(message);
  subscribe('plimsoll:finding', listen);
  const log = new FindingLog(() => undefined);
  log.publish(finding('x', 'high'));
  for (let i = 0; i < 200; i++) log.take(finding(`f${i}`, 'info'));
  unsubscribe('plimsoll:finding', listen);
  expect(heard).toMatchObject([{ fingerprint: 'x' }]);
  expect(log.rows).toHaveLength(100);
  expect(log.rows[0]?.fingerprint).toBe('x');
});
