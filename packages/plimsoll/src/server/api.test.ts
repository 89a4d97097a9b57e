import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { openLedger } from '@plimsoll/ledger';
import type {
  AuditAnswer,
  ErrorAnswer,
  HistoryAnswer,
  PolicyAnswer,
  ProcessesAnswer,
  ScopeHistoryAnswer,
  SessionAnswer,
} from '@plimsoll/host/protocol/api';
import type { Frame } from '@plimsoll/host/protocol/frame';
import { allRoutes } from './app.ts';
import { Governed, folder } from './governed.fixture.ts';
import { LedgerDesk } from './ledger/ledger-desk.ts';
import { writeLedger } from './ledger.fixture.ts';
import { schemas } from './schema.ts';
import { adminToken, send, serverOver } from './server.fixture.ts';
import { misfits } from './shape-check.fixture.ts';
import { unreadyFrame } from './system-routes.ts';

const bearer = { authorization: `Bearer ${adminToken}` };
const startedAt = Date.UTC(2026, 9, 1);
const routes = allRoutes({ metrics: () => Promise.resolve('') });
let ledgerDir: string;

beforeAll(async () => {
  ledgerDir = mkdtempSync(join(tmpdir(), 'plimsoll-api-'));
  await writeLedger(ledgerDir, { startedAt, minutes: 3 });
  return () => rmSync(ledgerDir, { recursive: true, force: true });
});

async function get<T>(address: string, path: string, headers: Record<string, string> = {}): Promise<T> {
  const answer = await send(address, path, { headers });
  expect([path, answer.status, answer.status === 200 ? '' : answer.text]).toEqual([path, 200, '']);
  return JSON.parse(answer.text) as T;
}

async function live(): Promise<{ address: string; governed: Governed }> {
  const dir = folder();
  await writeLedger(join(dir, 'ledger'), { startedAt, minutes: 1 });
  const governed = new Governed(dir, {
    ledger: { dir: join(dir, 'ledger'), droppedSamples: 0, fault: null },
  });
  await governed.start(Date.now());
  onTestFinished(() => governed.stop());
  governed.beat();
  return { address: (await serverOver({ dir })).address, governed };
}

/** What every route is asked with, so that it answers with its shape. */
function example(path: string): string {
  const values: Record<string, string> = {
    '/api/scopes/history': '?path=process%2Fsession%3A1',
    '/api/policy/explain': '?scope=process%2Fsession%3A1',
  };
  return `${path.replace('{id}', 'a1')}${values[path] ?? ''}`;
}

test.each(['live', 'ledger'])('every route is described and answers with its shape: %s', async (kind) => {
  const address =
    kind === 'live'
      ? (await live()).address
      : (await serverOver({ dir: folder(), ledger: ledgerDir })).address;
  const description = await get<{ paths: Record<string, Record<string, object>> }>(address, '/openapi.json');
  expect(Object.keys(description.paths).toSorted()).toEqual(
    [...new Set(routes.map((route) => route.path))].toSorted(),
  );
  for (const route of routes) {
    expect(description.paths[route.path]?.[route.method]).toBeDefined();
    if (route.answer.includes('/')) continue;
    const answer = await send(address, example(route.path), {
      method: route.method.toUpperCase(),
      headers: bearer,
      ...(route.body === undefined
        ? {}
        : {
            body: JSON.stringify({ decision: 'deny', digest: 'digest-of-a1', link: 'made', action: 'hint' }),
          }),
    });
    const isOfLiveOnly = route.access === 'decide' || route.path === '/api/snapshot';
    const isRefused = kind === 'ledger' && (isOfLiveOnly || route.path === '/readyz');
    expect([route.path, answer.status]).toEqual([
      route.path,
      isRefused ? (route.path === '/readyz' ? 503 : 409) : 200,
    ]);
    const shape = isRefused && route.path !== '/readyz' ? 'ErrorAnswer' : route.answer;
    expect(misfits(schemas[shape] ?? {}, JSON.parse(answer.text))).toEqual([]);
  }
});

test('the description is whole: names, references, one id each', async () => {
  const { address } = await serverOver({ dir: folder() });
  const text = (await send(address, '/openapi.json')).text;
  const { openapi, paths } = JSON.parse(text) as {
    openapi: string;
    paths: Record<string, Record<string, { operationId: string }>>;
  };
  expect(openapi).toBe('3.1.0');
  for (const [, name] of text.matchAll(/#\/components\/schemas\/(\w+)/g))
    expect(schemas).toHaveProperty(name as string);
  const ids = Object.values(paths).flatMap((methods) =>
    Object.values(methods).map((each) => each.operationId),
  );
  expect(ids).toMatchInlineSnapshot(`
    [
      "getSession",
      "postLink",
      "getProcesses",
      "getFrame",
      "getStream",
      "getScopes",
      "getScopesHistory",
      "getHistory",
      "getAudit",
      "getApprovals",
      "postApprovalsId",
      "getPolicy",
      "getPolicyExplain",
      "postAct",
      "getAutopsy",
      "getSnapshot",
      "postSnapshotTake",
      "getSnapshotFile",
      "getHealthz",
      "getReadyz",
      "getMetrics",
      "getStatusJson",
      "getOpenapiJson",
    ]
  `);
  expect(new Set(ids).size).toBe(ids.length);
});

test('the check of shapes finds what does not fit', () => {
  expect(
    misfits(schemas['ScopesAnswer'] ?? {}, { at: 'x', total: 1, next: null, rows: [{ path: 1 }], more: 1 }),
  ).toHaveLength(14);
});

test('the session says who asks', async () => {
  const { address } = await live();
  expect(await get<SessionAnswer>(address, '/api/session')).toMatchObject({
    live: true,
    canDecide: false,
    as: null,
  });
  expect(await get<SessionAnswer>(address, '/api/session', bearer)).toMatchObject({
    live: true,
    canDecide: true,
    as: 'admin',
    process: { pid: process.pid },
  });
  const nothing = await serverOver({ dir: folder() });
  expect(await get<SessionAnswer>(nothing.address, '/api/session', bearer)).toMatchObject({
    live: false,
    canDecide: false,
    process: null,
  });
});

test('a ledger shows a process that is gone with the same routes', async () => {
  const { address } = await serverOver({ dir: folder(), ledger: join(ledgerDir, 'samples.db') });
  const { processes } = await get<ProcessesAnswer>(address, '/api/processes');
  expect(processes).toMatchObject([
    { target: 'node old-server.js', startedAt, endedAt: startedAt + 180_000, state: 'ended' },
  ]);
  expect(processes[0]?.id).toMatch(/^run-\d+$/);
  const frame = await get<Frame>(address, `/api/frame?pid=${processes[0]?.id}`);
  expect(frame).toMatchObject({
    last: true,
    target: 'node old-server.js',
    level: 'warning',
    reading: { used: 67 * 1024 ** 2, heapUsed: 62 * 1024 ** 2, floor: 57 * 1024 ** 2 },
    scopes: [{ path: 'process/session:1', bytes: 18 * 1024 ** 2 }],
    findings: [
      {
        kind: 'survivor',
        severity: 'high',
        trace: [
          { name: 'globalThis', via: '' },
          { name: 'Map', via: 'cache' },
        ],
      },
    ],
    governance: { counts: { actions: 2, cleanups: 1, wouldHave: 2, freedBytes: 1024 ** 2, approvals: 2 } },
    watermark: { level: 'warning' },
  });
  expect(frame.governance.approvals).toMatchObject([
    { id: 'a2', state: 'lost' },
    { id: 'a1', state: 'denied', why: 'full', votes: [{ by: 'user:ann', decision: 'deny' }] },
  ]);
  const history = await get<HistoryAnswer>(address, '/api/history?points=50');
  expect(history).toMatchObject({ from: startedAt, to: startedAt + 180_001, resolution: 'raw' });
  expect(history.rows).toHaveLength(18);
  expect(history.rows[0]).toMatchObject({
    heapUsed: 45 * 1024 ** 2,
    external: 3 * 1024 ** 2,
    level: 'normal',
  });
  const scope = await get<ScopeHistoryAnswer>(address, '/api/scopes/history?path=process/session:0');
  expect(scope.rows.map((row) => row.bytes)).toEqual([9, 9, 9].map((n) => n * 1024 ** 2));
  expect((await get<PolicyAnswer>(address, '/api/policy')).wouldHave).toEqual([
    {
      action: 'cache.drop',
      level: 'warning',
      rule: 'ladder.warning (p.yaml:3)',
      count: 2,
      lastAt: startedAt + 95_000,
      lastScope: 'process',
      lastText: 'would w2',
    },
  ]);
  expect((await send(address, '/metrics')).text).toMatch(
    /plimsoll_actions_total\{action="cache.drop",outcome="done",mode="enforce"\} 1/,
  );
});

test('the audit can be narrowed', async () => {
  const { address } = await serverOver({ dir: folder(), ledger: ledgerDir });
  const kinds = async (query: string): Promise<string[]> =>
    (await get<AuditAnswer>(address, `/api/audit${query}`)).entries.map((entry) => entry.kind);
  expect(await kinds('?kind=start,exit')).toEqual(['start', 'exit']);
  expect(await kinds('?scope=process/session:0')).toEqual(['finding']);
  expect(await kinds(`?from=${startedAt + 100_000}`)).toEqual(['exit']);
  expect(await kinds(`?to=${new Date(startedAt + 1).toISOString()}`)).toEqual(['start']);
  const last = await get<AuditAnswer>(address, '/api/audit?limit=2');
  expect(last.entries).toHaveLength(2);
  expect(last.more).toBe(true);
});

test('wrong questions are told what is accepted', async () => {
  const { address } = await live();
  for (const path of [
    '/api/history?points=0',
    '/api/history?points=many',
    '/api/history?from=yesterday-ish',
    '/api/scopes/history',
    '/api/policy/explain',
    '/api/audit?limit=99999',
  ]) {
    const answer = await send(address, path);
    expect([path, answer.status]).toEqual([path, 400]);
    expect((JSON.parse(answer.text) as ErrorAnswer).error.code).toBe('PLM_SERVER_BAD_QUERY');
  }
  const unknown = await send(address, '/api/frame?pid=1');
  expect(unknown.status).toBe(404);
  expect(JSON.parse(unknown.text)).toMatchInlineSnapshot(`
    {
      "error": {
        "code": "PLM_SERVER_NO_PROCESS",
        "fix": "start one with "plimsoll run -- node server.js"; /api/processes lists those that are known.",
        "message": "process "1" is not known here.",
      },
    }
  `);
  expect((await send(address, '/api/frame', { method: 'DELETE' })).headers['allow']).toBe('GET');
  expect((await send(address, '/api/stream', { method: 'HEAD' })).status).toBe(405);
  expect((await send(address, '/api/frame', { method: 'HEAD' })).status).toBe(200);
  expect((await send(address, '/api/nothing')).status).toBe(404);
});

test('the text of the policy is shown to whoever has a token', async () => {
  const dir = folder();
  const file = join(dir, 'plimsoll.yaml');
  writeFileSync(file, 'apiVersion: plimsoll/v1\n');
  const governed = new Governed(dir, {
    policy: { file, mode: 'enforce', revision: 3, fault: 'line 7 is wrong', faultSince: 1, givenUp: null },
  });
  await governed.start();
  onTestFinished(() => governed.stop());
  governed.beat();
  const { address } = await serverOver({ dir });
  expect(await get<PolicyAnswer>(address, '/api/policy')).toMatchObject({
    text: null,
    revision: 3,
    mode: 'enforce',
  });
  expect(await get<PolicyAnswer>(address, '/api/policy', bearer)).toMatchObject({
    text: 'apiVersion: plimsoll/v1\n',
    fault: 'line 7 is wrong',
  });
});

test('a folder without anything, and a ledger that is none', async () => {
  const nothing = await serverOver({ dir: folder() });
  expect((await send(nothing.address, '/api/frame')).status).toBe(404);
  expect((await send(nothing.address, '/')).text).toContain('waiting for the first reading');
  expect(JSON.parse((await send(nothing.address, '/readyz')).text)).toMatchObject({ ok: false });
  const wrong = await serverOver({ dir: folder(), ledger: folder() });
  const answer = await send(wrong.address, '/api/processes');
  expect(answer.status).toBe(404);
  expect((JSON.parse(answer.text) as ErrorAnswer).error.code).toBe('PLM_LEDGER_NOT_FOUND');
});

test('a process without readings or without a ledger says so', async () => {
  const governed = new Governed(folder());
  await governed.start();
  onTestFinished(() => governed.stop());
  const { address } = await serverOver({ dir: governed.dir });
  vi.setConfig({ testTimeout: 30_000 });
  const answer = await send(address, '/api/frame');
  expect([answer.status, (JSON.parse(answer.text) as ErrorAnswer).error.code]).toEqual([
    503,
    'PLM_SERVER_NO_READING',
  ]);
  governed.beat();
  await vi.waitFor(async () => expect((await send(address, '/api/frame')).status).toBe(200));
  expect((await send(address, '/api/history')).status).toBe(404);
});

test('readiness follows admission and the age of the reading', async () => {
  const { governed, address } = await live();
  expect((await send(address, '/readyz')).status).toBe(200);
  const { frame } = governed;
  const admission = { state: 'draining', ratio: 1, admitted: 0, refused: 0, points: [] } as const;
  const draining = { ...frame, governance: { ...frame.governance, admission } };
  expect(unreadyFrame(draining, frame.at)).toBe('the process is draining');
  expect(unreadyFrame(frame, frame.at + 11_000)).toBe('the last reading is 11 s old');
  expect(unreadyFrame(frame, frame.at + 1000)).toBeNull();
});

test('several processes: each by its id, the ended ones after the running one', async () => {
  const { address, governed } = await live();
  await writeLedger(join(governed.dir, 'ledger-77'), { startedAt: startedAt + 1000, minutes: 1 });
  mkdirSync(join(governed.dir, 'ledger-broken'));
  const { processes } = await get<ProcessesAnswer>(address, '/api/processes');
  expect(processes.map((row) => row.state)).toEqual(['running', 'ended', 'ended']);
  for (const row of processes)
    expect((await get<Frame>(address, `/api/frame?pid=${row.id}`)).target).toBe(row.target);
  const own = await get<HistoryAnswer>(address, `/api/history?pid=${processes[2]?.id}`);
  expect(own.to).toBe(startedAt + 60_001);
});

test('the ledger thread ends with its server, answers after a crash and bounds its queue', async () => {
  const desk = new LedgerDesk();
  const asks = Array.from({ length: 40 }, () =>
    desk.ask(ledgerDir, 'processes', {}).then(() => 'ok', String),
  );
  const answers = await Promise.all(asks);
  expect(answers.filter((each) => each === 'ok')).toHaveLength(32);
  expect(answers.filter((each) => each.includes('PLM_SERVER_BUSY'))).toHaveLength(8);
  expect(desk.isOpen).toBe(true);
  await expect(desk.ask(ledgerDir, 'nonsense' as 'processes', {})).rejects.toThrow('there is no history');
  await desk[Symbol.asyncDispose]();
  expect(desk.isOpen).toBe(false);
  const broken = new LedgerDesk(new URL('file:///nowhere.js'));
  await expect(broken.ask(ledgerDir, 'processes', {})).rejects.toThrow('there is no history');
});

test('a month of history comes from roll-ups', async () => {
  const dir = folder();
  const ledger = openLedger({ dir, queueRows: 1_000_000, batchMs: 10, upkeepMs: 50 });
  const end = Date.now();
  const begin = end - 30 * 86_400_000;
  for (let at = begin; at < end; at += 300_000) {
    const parts = { heapUsed: 5, external: 1, arrayBuffers: 0, rss: 9, loopDelayMs: 1 };
    ledger.sample({ at, scope: 'process', usedBytes: 7, limit: 10, ...parts });
  }
  await ledger.flush();
  await ledger.close();
  const { address } = await serverOver({ dir: folder(), ledger: dir });
  const history = await get<HistoryAnswer>(address, `/api/history?from=${begin}&to=${end}&points=500`);
  expect(history.resolution).toBe('hour');
  expect(history.rows.length).toBeGreaterThan(300);
  expect(history.rows[0]).toMatchObject({ used: 7, heapUsed: null });
});
