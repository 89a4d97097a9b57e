import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import v8 from 'node:v8';
import { createGzip, type Gzip } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { open } from '@plimsoll/core';
import type { Scope } from '@plimsoll/core';
import { roster } from '@plimsoll/core/internal/scope/index';
import { Census } from '@plimsoll/core/internal/sense/census/census';
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

/** Keeps a short piece of each page, and with it the page. */
class Pieces {
  readonly fields: string[] = [];

  constructor(pages: number) {
    for (let i = 0; i < pages; i++) {
      const page = Buffer.from(`page ${i} ${'of many words '.repeat(40)}`).toString();
      this.fields.push(page.slice(5, 45));
    }
  }
}

const census = new Census({ roster, lookInside: false });
const readers: Scope[] = [];
let measuredAt = 0;

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
  for (let i = 0; i < 8; i++) readers.push(open('reader', String(i), { root: new Pieces(20 + 10 * i) }));
  census.completeRotation();
  measuredAt = Date.now();
  await new Promise((next) => setImmediate(next));
  v8.writeHeapSnapshot(last);
}, 60_000);
afterAll(async () => {
  census[Symbol.dispose]();
  for (const reader of readers) await reader.close();
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

test('open scopes of a snapshot tell the census what pieces of long texts keep alive', async () => {
  const { sample } = await analyzeSnapshots(last);
  expect(sample.map(({ state }) => state)).not.toContain('closed');
  const known = new Map(sample.map(({ path: scope, retainedBytes }) => [scope, retainedBytes]));
  const ratios = (): number[] =>
    readers.map((reader) => (census.bytesOf(reader)?.bytes ?? 0) / (known.get(reader.path) ?? 0));
  expect(Math.max(...ratios())).toBeLessThan(0.3);
  census.calibrate(sample.slice(0, Math.ceil(sample.length / 2)), measuredAt);
  for (const ratio of ratios()) {
    expect(ratio).toBeGreaterThan(0.9);
    expect(ratio).toBeLessThan(1.1);
  }
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
