import type { FleetProcess, FleetSummary } from '@plimsoll/host/protocol/fleet';
import { expect, test } from 'vitest';
import { askedText, cellTone, fullIn, headline, lastWord, whyNotHere } from './fleet-text.ts';

const process: FleetProcess = {
  id: 'a',
  service: 'shop',
  release: '1.4.2',
  host: 'pod-1',
  pid: 1,
  started: 0,
  lastSeen: 0,
  quietMs: 4000,
  state: 'live',
  level: 'normal',
  pressure: 0.5,
  usedBytes: 1,
  limitBytes: 2,
  forecast: null,
  mode: null,
  policyVersion: null,
  skewMs: 0,
  samples: 1,
  lost: 0,
  ended: null,
  outcome: null,
  live: null,
};

test('a silent process is told apart from a calm one and from one that ended', () => {
  expect(lastWord(process)).toBe('4 s ago');
  expect(lastWord({ ...process, state: 'silent', quietMs: 60_000 })).toMatch(/^silent for /);
  expect(lastWord({ ...process, state: 'ended', outcome: 'signal' })).toBe('ended: signal');
  expect(lastWord({ ...process, state: 'ended' })).toBe('ended');
});

test('a forecast counts from when it was made', () => {
  const forecast = { ms: 60_000, low: 1, high: 2, bytesPerHour: 1, source: 'heap', at: 1000 };
  expect(fullIn(process, 0)).toBe('–');
  expect(fullIn({ ...process, forecast }, 1000)).toMatch(/^in /);
  expect(fullIn({ ...process, forecast }, 99_000)).toBe('now');
});

test('the headline names only what is there', () => {
  const levels = { normal: 3, warning: 0, critical: 0, emergency: 0 };
  const summary: FleetSummary = { at: 0, processes: 3, live: 3, silent: 0, ended: 0, levels, releases: [] };
  expect(headline(summary)).toBe('3 live');
  expect(headline({ ...summary, silent: 2, levels: { ...levels, warning: 1, emergency: 4 } })).toBe(
    '3 live, 4 critical or worse, 1 at warning, 2 silent',
  );
});

test('a cell without a word is not a calm one', () => {
  expect(cellTone(null, null)).toBe(-1);
  expect(cellTone(0.2, null)).toBe(0);
  expect(cellTone(0.9, 2)).toBe(2);
});

test('an approval is told in the words of the process, or by its id when there are none', () => {
  const body = {
    action: 'scope.stop',
    scope: 'process/session:7',
    why: 'over its budget',
    approvers: ['owner', 'user:ann'],
  };
  expect(askedText({ id: 'x', body })).toEqual({ ...body, approvers: 'owner, user:ann' });
  expect(askedText({ id: 'x', body: {} })).toEqual({ action: 'x', scope: '', why: '', approvers: '' });
});

test('only approvers and admins decide', () => {
  const session = { live: false, canDecide: false, as: null, version: '1', process: null, fleet: true };
  expect(whyNotHere(null)).toMatch(/who you are/);
  expect(whyNotHere(session)).toMatch(/role approver or admin/);
  expect(whyNotHere({ ...session, fleetRole: 'viewer' })).toMatch(/role approver or admin/);
  expect(whyNotHere({ ...session, fleetRole: 'approver' })).toBeUndefined();
});
