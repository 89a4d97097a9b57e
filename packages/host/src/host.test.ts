import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Trouble } from '@plimsoll/govern/internal/health/trouble';
import { troubleChannelName } from '@plimsoll/govern/internal/health/trouble';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { admit, approval, open } from '@plimsoll/core';
import { registerKeeper } from '@plimsoll/core/keeper';
import { needsApproval } from '@plimsoll/core/internal/gate/approval';
import { recordOf } from '@plimsoll/core/internal/scope/scope';
import { roster } from '@plimsoll/core/internal/scope/index';
import { LedgerReader } from '@plimsoll/ledger';
import { ask } from './protocol/control.ts';
import { liveDescriptors } from './protocol/descriptor.ts';
import { watchFeed } from './protocol/feed-client.ts';
import type { Frame } from './protocol/frame.ts';
import { takeLastFrame } from './protocol/last-frame.ts';
import { GrowthRecorder } from '@plimsoll/leak/internal/proof/growth-recorder';
import { Host } from './host.ts';
import { PeakList } from './parts/scopes/scopes.ts';
import { ScopeBytes } from './parts/scopes/scope-bytes.ts';
import { settingsOf } from './parts/settings.ts';
import { LevelLog } from './parts/govern/governor.ts';
import { SampleRhythm } from './parts/history/history.ts';

const held: object[] = [];
let dir: string;
let host: Host | undefined;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'plimsoll-host-'));
});

afterEach(async () => {
  await host?.stop();
  host = undefined;
});

const quickPolicy = `apiVersion: plimsoll/v1
revision: 3
mode: enforce
levels:
  warning:   { enter: 60%, exit: 55%, for: 10ms, keep: 100ms }
  critical:  { enter: 80%, exit: 75%, for: 10ms, keep: 100ms }
  emergency: { enter: 95%, exit: 90%, for: 10ms, keep: 100ms }
signal: { sample: 100ms, fast: 100ms, grace: 10ms }
budgets:
  sessions:
    "*": { max: 1MiB }
ladder:
  warning: [notify]
`;

async function start(policy?: string): Promise<Host> {
  const file = join(dir, 'plimsoll.yaml');
  if (policy !== undefined) writeFileSync(file, policy);
  host = await Host.load({
    dir,
    ledgerDir: join(dir, 'ledger'),
    policyFile: policy === undefined ? undefined : file,
    target: 'node test',
    maxPauseMs: 0,
    isSupervised: false,
  });
  host.start();
  return host;
}

test('a host shows its process on the feed from the first second on', async () => {
  await start();
  const [descriptor] = liveDescriptors(dir);
  const frames: Frame[] = [];
  const feed = watchFeed(descriptor?.socket ?? '', { onFrame: (frame) => frames.push(frame) });
  await vi.waitFor(() => expect(frames.length).toBeGreaterThan(0));
  feed.close();
  expect(frames[0]).toMatchObject({
    v: 1,
    pid: process.pid,
    target: 'node test',
    level: 'normal',
    last: false,
  });
  expect(frames[0]?.policy).toEqual({
    file: null,
    mode: 'observe',
    revision: null,
    fault: null,
    faultSince: null,
    givenUp: null,
  });
  await host?.stop();
  expect(liveDescriptors(dir)).toEqual([]);
});

test('a watcher of brief frames is sent rows when a scope opens or closes, and not while nothing happens', async () => {
  await start(quickPolicy);
  const socket = connect(liveDescriptors(dir)[0]?.socket ?? '');
  let text = '';
  socket.on('data', (chunk) => (text += String(chunk)));
  socket.write('{"watch":"brief"}\n');
  const lines = (): readonly Partial<Frame>[] =>
    text
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as Partial<Frame>);
  const since = async (count: number, more: number): Promise<readonly Partial<Frame>[]> => {
    await vi.waitFor(() => expect(lines().length).toBeGreaterThanOrEqual(count + more));
    return lines().slice(count);
  };
  await since(0, 5);
  expect(lines()[0]?.scopes).toBeDefined();
  const brief = lines().find(({ scopes }) => scopes === undefined);
  expect(Object.keys(brief ?? {})).toEqual(expect.arrayContaining(['reading', 'level', 'findings']));
  const scope = open('session', 'brief');
  const before = lines().length;
  const opened = (await since(before, 3)).find(({ scopes }) => scopes !== undefined);
  expect(opened?.scopes?.map(({ path }) => path)).toContain('process/session:brief');
  await scope.close();
  const closed = (await since(lines().length, 3)).find(({ scopes }) => scopes !== undefined);
  expect(closed?.scopes?.map(({ path }) => path)).not.toContain('process/session:brief');
  socket.destroy();
});

test('a process without a policy lets all work go on and answers every question', async () => {
  await start();
  expect(needsApproval('delegation', { depth: 99 })).toBe(false);
  expect(await approval('delegation', { name: 'researcher', depth: 99 })).toEqual({
    state: 'not-needed',
    id: null,
    by: null,
  });
  const socket = liveDescriptors(dir)[0]?.socket ?? '';
  expect(await ask(socket, 'ops')).toEqual([
    'act',
    'approvals.decide',
    'approvals.list',
    'explain',
    'ops',
    'policy',
    'policy.mode',
    'policy.rollback',
    'policy.state',
    'scopes',
    'silences',
    'snapshot.state',
    'snapshot.take',
  ]);
  expect(await ask(socket, 'approvals.list')).toEqual([]);
  const decision = { id: 'none', digest: '0'.repeat(64), decision: 'approve' };
  await expect(ask(socket, 'approvals.decide', decision)).rejects.toMatchObject({
    code: 'PLM_APPROVAL_UNKNOWN',
  });
  expect(await ask(socket, 'act', { action: 'hint' })).toMatchObject({ action: 'hint', scope: 'process' });
  using session = open('session', 'by-hand');
  const quarantine = { action: 'scope.quarantine', scope: 'session:by-hand' };
  expect(await ask(socket, 'act', quarantine, { timeoutMs: 60_000 })).toMatchObject({ outcome: 'done' });
  expect(() => session.run(() => admit('run'))).toThrow('is in quarantine');
  expect(await ask(socket, 'act', { ...quarantine, off: true })).toMatchObject({ outcome: 'done' });
  expect(() => session.run(() => admit('run'))).not.toThrow();
  expect(await ask(socket, 'silences')).toMatchObject({ silences: [], alerts: [] });
  expect(await ask(socket, 'policy')).toMatchObject({ mode: 'observe' });
  expect(await ask(socket, 'scopes', { watch: 'test', fresh: true })).toBeDefined();
  await expect(ask(socket, 'policy.state')).rejects.toMatchObject({ code: 'PLM_ROLLBACK_NOT_GOVERNED' });
  await host?.stop();
  expect(await approval('delegation', { name: 'researcher', depth: 99 })).toMatchObject({
    state: 'ungoverned',
  });
});

test('what a keeper outside every scope holds is its own row and not unattributed', async () => {
  const gc = (globalThis as { gc?: () => void }).gc as () => void;
  const running = await start();
  const data = new Float64Array(4_000_000).fill(1);
  const remove = registerKeeper({
    name: 'embeddings',
    kind: 'cache',
    bytes: data.byteLength,
    shed: () => Promise.resolve(0),
    figures: () => ({ entries: 1, boundEntries: 10 }),
    stats: () => ({}),
  });
  const charged = await withGc(gc, running);
  expect(charged.keepers[0]).toMatchObject({
    name: 'embeddings',
    bytes: 32_000_000,
    entries: 1,
    scope: null,
  });
  expect(charged.keeperCount).toBe(charged.keepers.length);
  expect(charged.delegation).toBeNull();
  remove();
  const without = await withGc(gc, running);
  expect(without.keepers.some(({ name }) => name === 'embeddings')).toBe(false);
  const difference = (without.unattributedBytes as number) - (charged.unattributedBytes as number);
  expect(difference).toBeGreaterThan(24_000_000);
  expect(data).toHaveLength(4_000_000);
});

/** A frame whose floor was measured after this call. */
async function withGc(gc: () => void, running: Host): Promise<Frame> {
  const before = running.frame?.reading.majors ?? 0;
  await vi.waitFor(() => {
    gc();
    expect(running.frame?.reading.majors ?? 0).toBeGreaterThan(before + 1);
    expect(running.frame?.unattributedBytes).not.toBeNull();
  });
  return running.frame as Frame;
}

test('a scope above its budget rises through the levels, is notified and told to the ledger', async () => {
  const running = await start(quickPolicy);
  const scope = open('session', 'greedy');
  scope.charge(1_040_000);
  await vi.waitFor(() => {
    const row = running.frame?.scopes.find((each) => each.path === scope.path);
    expect(row).toMatchObject({
      bytes: 1_040_000,
      by: 'account',
      budgetBytes: 1_048_576,
      level: 'emergency',
    });
  });
  expect(running.frame?.peaks[0]).toMatchObject({ path: scope.path, peakBytes: 1_040_000 });
  expect(running.frame?.kinds.find((row) => row.kind === 'session')).toMatchObject({ bytes: 1_040_000 });
  await scope.close();
  await vi.waitFor(() => expect(running.frame?.levels.at(-1)).toMatchObject({ level: 'normal' }));
  await running.stop();
  const reader = new LedgerReader(join(dir, 'ledger'));
  const entries = reader.audit({}).map((entry) => entry.kind);
  expect(entries).toContain('start');
  expect(entries).toContain('level');
  expect(entries).toContain('action');
  reader.close();
});

test('a policy that becomes faulty is reported and the last good one stays', async () => {
  const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
  const troubles: Trouble[] = [];
  const listen = (message: unknown): void => void troubles.push(message as Trouble);
  subscribe(troubleChannelName, listen);
  const running = await start(quickPolicy);
  const file = join(dir, 'plimsoll.yaml');
  writeFileSync(file, 'apiVersion: plimsoll/v1\nmode: sometimes\n');
  await vi.waitFor(() => expect(running.frame?.policy.fault).toContain('stays in force'));
  expect(running.frame?.policy).toMatchObject({ mode: 'enforce', revision: 3 });
  expect(running.frame?.policy.faultSince).toBeGreaterThan(0);
  const line = warned.mock.calls.map(([text]) => String(text)).find((text) => text.includes('refused'));
  expect(line).toContain('PLM_POLICY_BAD_VALUE');
  // The text that is in force already mends it as well as a new one.
  writeFileSync(file, quickPolicy);
  await vi.waitFor(() => expect(running.frame?.policy).toMatchObject({ fault: null, faultSince: null }));
  expect(
    troubles.filter(({ name }) => name === 'memory.policy').map(({ summary }) => summary === null),
  ).toEqual([false, true]);
  unsubscribe(troubleChannelName, listen);
  warned.mockRestore();
  writeFileSync(
    file,
    quickPolicy.replace('revision: 3', 'revision: 4').replace('mode: enforce', 'mode: shadow'),
  );
  await vi.waitFor(() =>
    expect(running.frame?.policy).toMatchObject({ mode: 'shadow', revision: 4, fault: null }),
  );
});

test('a policy that cannot be read at start leaves the process observed', async () => {
  const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
  const running = await start('mode: sometimes\n');
  await vi.waitFor(() => expect(running.frame).toBeDefined());
  expect(running.frame?.policy.mode).toBe('observe');
  expect(running.frame?.policy.fault).not.toBeNull();
  expect(warned).toHaveBeenCalled();
  warned.mockRestore();
});

test('what outlives its scope is found while the program runs, with the path that holds it', async () => {
  const gc = (globalThis as { gc?: () => void }).gc as () => void;
  const file = join(dir, 'plimsoll.yaml');
  writeFileSync(file, quickPolicy);
  const recorder = new GrowthRecorder({ dir, maxPauseMs: 60_000, isSupervised: false });
  const settings = {
    dir,
    ledgerDir: join(dir, 'ledger'),
    policyFile: file,
    target: 'node test',
    maxPauseMs: 60_000,
    isSupervised: false,
  };
  host = await Host.load(settings, { recorder });
  const running = host;
  running.start();
  const scope = open('session', 'held');
  const state = { history: ['text'] };
  held.push(state);
  scope.watch(state, 'state');
  await scope.close();
  await vi.waitFor(
    () => {
      gc();
      const finding = running.frame?.findings.find((each) => each.subject?.startsWith('"state"'));
      expect(JSON.stringify(finding?.trace)).toContain('{history}');
    },
    { interval: 300 },
  );
  expect(running.frame?.growth?.first).not.toBeNull();
  recorder.capture();
  await vi.waitFor(() => expect(running.frame?.growth?.last).not.toBeNull());
  await running.stop();
  recorder.stop();
  const reader = new LedgerReader(join(dir, 'ledger'));
  expect(reader.audit({ kinds: ['finding'] }).length).toBeGreaterThan(0);
  reader.close();
  held.length = 0;
});

test('a folder that cannot be written is said in the frame', async () => {
  const file = join(dir, 'file');
  writeFileSync(file, '');
  const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
  host = await Host.load({
    dir: join(file, 'x'),
    ledgerDir: join(file, 'x', 'ledger'),
    policyFile: undefined,
    target: 't',
    maxPauseMs: undefined,
    isSupervised: false,
  });
  host.start();
  await vi.waitFor(() => expect(host?.frame?.ledger.fault).toMatch(/ENOTDIR|not a directory/));
  warned.mockRestore();
});

test('the last frame is left in a file while the process exits', async () => {
  const running = await start();
  await vi.waitFor(() => expect(running.frame).toBeDefined());
  const before = process.listeners('exit');
  const handler = before.find((listener) => String(listener).includes('#exit')) as
    | ((code: number) => void)
    | undefined;
  handler?.(0);
  expect(readFileSync(join(dir, `${process.pid}.last.json`), 'utf8')).toContain('"last":true');
  expect(takeLastFrame(dir, process.pid)).toMatchObject({ last: true, target: 'node test' });
  expect(takeLastFrame(dir, process.pid)).toBeUndefined();
});

test('bytes roll up to the parents, the larger of walked and charged', async () => {
  const agent = open('agent', 'planner');
  const session = open('session', '1', { parent: agent });
  const other = open('session', '2', { parent: agent });
  session.charge(500);
  other.charge(10);
  const walked = new Map([[session.id, { bytes: 2000 }]]);
  const bytes = new ScopeBytes(roster, { bytesOf: (scope) => walked.get(scope.id) as never });
  bytes.refresh();
  expect(bytes.of(agent)).toBe(2010);
  expect(bytes.of(session)).toBe(2000);
  expect([agent, session, other].map((scope) => bytes.knownBy(scope))).toEqual([
    'census',
    'census',
    'account',
  ]);
  walked.clear();
  recordOf(session)?.account.changed();
  bytes.refresh();
  expect(bytes.of(agent)).toBe(510);
  expect(bytes.peakOf(agent)).toBe(2010);
  await agent.close();
  bytes.refresh();
  expect(bytes.of(agent) + bytes.peakOf(agent)).toBe(0);
  expect(bytes.knownBy(agent)).toBe('account');
});

test('the peak list keeps the ten highest, closed or not', () => {
  const peaks = new PeakList();
  for (let i = 1; i <= 30; i++) peaks.note(() => `s${i}`, i * 10, i);
  peaks.note(() => 's30', 305, 31);
  peaks.note(() => 's30', 302, 32);
  peaks.note(() => 's1', 10, 33);
  expect(peaks.rows).toHaveLength(10);
  expect(peaks.rows[0]).toEqual({ path: 's30', peakBytes: 305, at: 31 });
  expect(peaks.rows.at(-1)?.path).toBe('s21');
});

test('every reading is stored at first and above normal, one in ten seconds otherwise', () => {
  const rhythm = new SampleRhythm(0);
  expect(rhythm.due(1000, 'normal')).toBe(true);
  expect(rhythm.due(2000, 'normal')).toBe(true);
  const later = 10 * 60_000;
  expect(rhythm.due(later, 'normal')).toBe(true);
  expect(rhythm.due(later + 9000, 'normal')).toBe(false);
  expect(rhythm.due(later + 9500, 'warning')).toBe(true);
  expect(rhythm.due(later + 19_500, 'normal')).toBe(true);
});

test('the level log keeps the newest', () => {
  const log = new LevelLog();
  for (let i = 0; i < 100; i++) {
    log.add({
      at: i,
      scope: 'process',
      from: 'normal',
      level: 'warning',
      usedBytes: 1,
      limitBytes: 2,
      source: 'heap',
    });
  }
  expect(log.rows).toHaveLength(64);
  expect(log.rows.at(-1)?.at).toBe(99);
});

test('the environment says whether and where a process is governed', () => {
  const argv = ['/usr/bin/node', '/app/server.js', '--token=secret'];
  expect(settingsOf({}, argv, '/app', 7)).toEqual({
    dir: '/app/.plimsoll',
    ledgerDir: '/app/.plimsoll/ledger',
    policyFile: undefined,
    target: 'node server.js',
    maxPauseMs: undefined,
    isSupervised: false,
  });
  expect(
    settingsOf({ PLIMSOLL_DIR: '/run/p', PLIMSOLL_POLICY: 'p.yaml', PLIMSOLL_HOST: '3' }, argv, '/app', 7),
  ).toMatchObject({
    dir: '/run/p',
    ledgerDir: '/run/p/ledger-7',
    policyFile: '/app/p.yaml',
  });
  const pauseOf = (text: string): number | undefined =>
    settingsOf({ PLIMSOLL_MAX_PAUSE_MS: text }, argv, '/app', 7)?.maxPauseMs;
  expect(['500', 'off', 'soon'].map(pauseOf)).toEqual([500, undefined, undefined]);
  const liveOf = (text: string): string | undefined =>
    settingsOf({ PLIMSOLL_LIVE_URL: text }, argv, '/app', 7)?.liveUrl;
  const addresses = ['http://10.0.0.7:4180/', 'javascript:alert(1)', 'https://ann:secret@pod/', 'nowhere'];
  expect(addresses.map(liveOf)).toEqual(['http://10.0.0.7:4180/', undefined, undefined, undefined]);
  expect(settingsOf({ PLIMSOLL: 'off' }, argv, '/app', 7)).toBeUndefined();
  expect(settingsOf({}, ['node', '/usr/lib/node_modules/npm/bin/npm-cli.js'], '/app', 7)).toBeUndefined();
  const commands = [
    '.bin/plimsoll',
    'plimsoll/bin/plimsoll.js',
    'plimsoll/dist/cli.js',
    'plimsoll/src/cli.ts',
  ];
  for (const name of commands)
    expect(settingsOf({}, ['node', `/app/node_modules/${name}`], '/app', 7)).toBeUndefined();
  expect(settingsOf({}, ['node', '/app/plimsoll/cli.js'], '/app', 7)).toBeDefined();
  expect(settingsOf({}, ['node'], '/app', 7)?.target).toBe('node');
});
