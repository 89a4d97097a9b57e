import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import v8 from 'node:v8';
import { createGzip, type Gzip } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { open } from '@plimsoll/core';
import { analyzeSnapshots } from './snapshot-analysis.ts';
import { findingBody } from '../findings/finding-entry.ts';

class SessionStore {
  readonly sessions = new Map<string, object>();
}

const store = new SessionStore();
const streams: Gzip[] = [];
const dir = mkdtempSync(join(tmpdir(), 'plimsoll-analysis-'));

const [first, last] = ['first', 'last'].map((name) => join(dir, `${name}.heapsnapshot`)) as [string, string];
let path: string;

beforeAll(async () => {
  streams.push(...Array.from({ length: 30 }, () => createGzip()));
  v8.writeHeapSnapshot(first);
  const scope = open('session', 'forgotten');
  const state = { history: Array.from({ length: 500 }, (_, i) => `message ${i}`) };
  scope.watch(state, 'state');
  store.sessions.set('forgotten', state);
  path = scope.path;
  await scope.close();
  for (let i = 0; i < 500; i++) store.sessions.set(`other ${i}`, { history: [`text ${i}`, { i }] });
  streams.push(...Array.from({ length: 40 }, () => createGzip()));
  await new Promise((next) => setImmediate(next));
  v8.writeHeapSnapshot(last);
}, 60_000);
afterAll(() => {
  store.sessions.clear();
  for (const stream of streams.splice(0)) stream.close();
  rmSync(dir, { recursive: true });
});

test('two snapshots name who holds the watched object of a closed scope, and what native memory hangs on', async () => {
  const { growth, watched, wrappers } = await analyzeSnapshots(last, first, {
    scopes: [path],
    earlyScopes: [path],
    isNative: true,
  });
  expect(growth.some(({ trace }) => JSON.stringify(trace).includes('SessionStore'))).toBe(true);
  expect(watched).toMatchObject([{ scope: path, label: 'state' }]);
  const words = watched[0]?.trace.map((step) => `${step.via}:${step.name}`).join(' ');
  expect(words).toContain('SessionStore');
  expect(words).toContain('sessions:Map');
  expect(wrappers[0]).toMatchObject({ name: 'Zlib', counts: [30, 70], fresh: 40 });
  expect(wrappers[0]?.summary).toMatchInlineSnapshot(
    `"30 → 70 × Zlib are alive, each with memory of native code behind it"`,
  );
  expect(JSON.stringify(wrappers[0]?.trace)).toContain('_handle');
});

test('one snapshot counts what native memory hangs on, where that is asked', async () => {
  const { wrappers } = await analyzeSnapshots(last, undefined, { isNative: true });
  expect(wrappers.find(({ name }) => name === 'Zlib')).toMatchObject({ counts: [0, 70] });
  expect(await analyzeSnapshots(last)).toMatchObject({ growth: [], watched: [], wrappers: [] });
});

test('a finding as an entry of the ledger has its path in one line', () => {
  const body = findingBody({
    id: 'F-1',
    kind: 'growth',
    severity: 'high',
    scope: 'process',
    fingerprint: 'f',
    firstSeen: 1,
    lastSeen: 2,
    count: 1,
    bytes: 2048,
    trace: [
      { type: 'root', name: 'module', via: '', leaking: 'no', why: '' },
      { type: 'object', name: 'Map', via: 'sessions', leaking: 'yes', why: '' },
    ],
    knownLeak: { name: 'known', cure: 'update', link: 'l' },
    fix: 'x',
  });
  expect(body).toMatchObject({
    message: 'growth of 2.0 KiB (known)',
    trace: 'module > sessions: Map',
    rate: null,
  });
});

test('what an audit found is written with its place', () => {
  const body = findingBody({
    id: 'F-1',
    kind: 'listener',
    severity: 'medium',
    scope: 'process',
    fingerprint: 'abc',
    firstSeen: 1,
    lastSeen: 2,
    count: 7,
    bytes: 0,
    subject: '"abort" on AbortSignal',
    site: 'Run (src/run.ts:51:22)',
    fix: 'take it away.',
  });
  expect(body).toMatchObject({
    site: 'Run (src/run.ts:51:22)',
    message: 'listener of "abort" on AbortSignal, made at Run (src/run.ts:51:22)',
  });
});
