import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import v8 from 'node:v8';
import { createGzip, type Gzip } from 'node:zlib';
import { expect, test } from 'vitest';
import { open } from '@plimsoll/core';
import { evidenceOf } from './evidence.ts';
import { findingBody } from './finding-entry.ts';

class SessionStore {
  readonly sessions = new Map<string, object>();
}

const store = new SessionStore();
const streams: Gzip[] = [];

test('a snapshot names who holds the watched object of a closed scope', { timeout: 60_000 }, async () => {
  const dir = mkdtempSync(join(tmpdir(), 'plimsoll-evidence-'));
  const first = join(dir, 'first.heapsnapshot');
  v8.writeHeapSnapshot(first);
  const name = 'forgotten';
  const scope = open('session', name);
  const state = { history: Array.from({ length: 500 }, (_, i) => `message ${i}`) };
  scope.watch(state, 'state');
  store.sessions.set(name, state);
  const { path } = scope;
  await scope.close();
  for (let i = 0; i < 500; i++) store.sessions.set(`other ${i}`, { history: [`text ${i}`, { i }] });
  await new Promise((next) => setImmediate(next));
  const last = join(dir, 'last.heapsnapshot');
  v8.writeHeapSnapshot(last);
  const evidence = await evidenceOf(last, first, [path], [path]);
  expect(evidence.growth.some((growth) => JSON.stringify(growth.trace).includes('SessionStore'))).toBe(true);
  expect(evidence.watched).toMatchObject([{ scope: path, label: 'state' }]);
  const words = evidence.watched[0]?.trace.map((step) => `${step.via}:${step.name}`).join(' ');
  expect(words).toContain('SessionStore');
  expect(words).toContain('sessions:Map');
  const alone = await evidenceOf(last);
  expect(alone.growth).toEqual([]);
  expect(alone.watched).toEqual([]);
  store.sessions.clear();
});

test(
  'objects with native memory behind them are counted where that is asked',
  { timeout: 60_000 },
  async () => {
    const dir = mkdtempSync(join(tmpdir(), 'plimsoll-wrappers-'));
    const [first, last] = [join(dir, 'first.heapsnapshot'), join(dir, 'last.heapsnapshot')];
    streams.push(...Array.from({ length: 30 }, () => createGzip()));
    v8.writeHeapSnapshot(first);
    streams.push(...Array.from({ length: 40 }, () => createGzip()));
    v8.writeHeapSnapshot(last);
    const pair = await evidenceOf(last, first, [], [], true);
    expect(pair.wrappers?.[0]).toMatchObject({ name: 'Zlib', counts: [30, 70], fresh: 40 });
    expect(pair.wrappers?.[0]?.summary).toMatchInlineSnapshot(
      `"30 → 70 × Zlib are alive, each with memory of native code behind it"`,
    );
    expect(JSON.stringify(pair.wrappers?.[0]?.trace)).toContain('_handle');
    const alone = await evidenceOf(last, undefined, [], [], true);
    const zlib = alone.wrappers?.find(({ name }) => name === 'Zlib');
    expect(zlib).toMatchObject({ counts: [0, 70] });
    expect((await evidenceOf(last)).wrappers).toEqual([]);
    for (const stream of streams.splice(0)) stream.close();
  },
);

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
