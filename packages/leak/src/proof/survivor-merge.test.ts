import { expect, test } from 'vitest';
import type { Finding } from '../findings/finding.ts';
import { foldSurvivors, mergeGrowth, rowOf, withPath } from './survivor-merge.ts';
import type { WatchedTrace } from './watched-trace.ts';

const step = (id: number, via: string, name: string, suspect = false): WatchedTrace['trace'][number] => ({
  type: id === 1 ? 'root' : 'object',
  name,
  via,
  id,
  retainedBytes: 1,
  leaking: 'maybe',
  why: '',
  suspect,
});

const toMap = [
  step(1, '', 'global'),
  step(2, 'store', 'SessionStore', true),
  step(3, 'sessions', 'Map', true),
];
const toSession = [...toMap, step(4, 'get(<serial:7>)', 'Session', true)];

const row = (
  label: string,
  trace: WatchedTrace['trace'],
  through: WatchedTrace['through'] = [],
  kind = 'session',
): WatchedTrace => ({
  scope: `process/${kind}:1`,
  kind,
  label,
  retainedBytes: 1000,
  fingerprint: 'f',
  trace,
  through,
});

const survivor = (subject: string, fingerprint: string): Finding => ({
  id: `F-${fingerprint}`,
  kind: 'survivor',
  severity: 'medium',
  scope: 'process/session:1',
  fingerprint,
  firstSeen: 1,
  lastSeen: 2,
  count: 12,
  bytes: 5,
  subject,
  fix: 'let go.',
});

test('a survivor gets the path of its label, by that of another scope when its own is not there', () => {
  const finding = survivor('"state" of the closed session', 'a');
  const rows = [row('other', toSession), row('state', [...toSession, step(5, 'state', 'Object')])];
  const found = rowOf({ ...finding, scope: 'process/session:2' }, rows);
  expect(found).toBe(rows[1]);
  expect(withPath(finding, found as WatchedTrace).fix).toMatchInlineSnapshot(
    `"release "state" of the closed session: remove entries from SessionStore.sessions when their work ends, or give it a bound (a keeper of @plimsoll/keep)."`,
  );
});

test('what is held through another survivor, or by the same container, goes with it', () => {
  const rows = [
    row('state', [...toSession, step(5, 'state', 'Object')]),
    row(
      'buffers',
      [...toSession, step(5, 'state', 'Object'), step(6, 'buffers', 'Map')],
      [{ kind: 'session', label: 'state' }],
    ),
    row('scope', [...toSession, step(7, 'scope', 'Scope')]),
    row('elsewhere', [
      step(1, '', 'global'),
      step(8, 'cache', 'Map', true),
      step(9, 'get(1)', 'Object', true),
    ]),
  ];
  const subjects = ['the closed session', '"state" of the closed session', '"buffers" of the closed session'];
  const findings = [...subjects, '"elsewhere" of the closed session']
    .map((subject, i) => survivor(subject, String(i)))
    .map((finding) => withPath(finding, rowOf(finding, rows) as WatchedTrace));
  const folded = foldSurvivors([...findings, survivor('"lost" of the closed session', '9')], rows);
  expect(folded.map(({ severity }) => severity)).toEqual(['info', 'medium', 'info', 'medium', 'medium']);
  expect(folded[2]?.fix).toMatchInlineSnapshot(
    `"belongs to F-1: the holder of "state" of the closed session also holds "buffers" of the closed session."`,
  );
});

test('a container that holds runs and sessions is two leaks, one list of listeners is one holder', () => {
  const signal = [
    step(1, '', 'global'),
    step(2, '#signal', 'AbortSignal', true),
    step(3, 'kEvents', 'Map', true),
  ];
  const rows = [
    row('run', [...signal, step(4, 'next', 'Listener', true), step(5, 'this', 'Run', true)], [], 'run'),
    row('scope', [...signal, step(6, 'next', 'Listener', true), step(7, 'this', 'Scope', true)], [], 'run'),
    row('state', [...signal, step(8, 'next', 'Listener', true), step(9, 'this', 'Object', true)]),
  ];
  const subjects = ['"run" of the closed run', 'the closed run', '"state" of the closed session'];
  const findings = subjects
    .map((subject, i) => survivor(subject, String(i)))
    .map((finding) => withPath(finding, rowOf(finding, rows) as WatchedTrace));
  expect(findings[0]?.fix).toContain('remove the abort listener');
  expect(foldSurvivors(findings, rows).map(({ severity }) => severity)).toEqual(['medium', 'info', 'medium']);
});

test('growth below what holds a survivor is the same leak', () => {
  const state = withPath(survivor('"state" of the closed session', 'a'), row('state', toSession));
  const growth: Finding = {
    ...survivor('', 'g'),
    kind: 'growth',
    severity: 'high',
    bytes: 9000,
    rate: 77,
    trace: [...toMap, step(44, 'get(<serial:7>)', 'Session', true)],
  };
  const other = { ...growth, fingerprint: 'h', trace: [step(1, '', 'global'), step(99, 'x', 'Map', true)] };
  expect(mergeGrowth([growth, state, other])).toEqual([
    { ...state, severity: 'high', bytes: 9000, rate: 77 },
    other,
  ]);
  const knownLeak = { name: 'known', cure: 'update', link: 'l' };
  expect(mergeGrowth([{ ...growth, severity: 'low', knownLeak, fix: 'update' }, state])).toMatchObject([
    { kind: 'survivor', severity: 'medium', knownLeak, fix: 'update' },
  ]);
});
