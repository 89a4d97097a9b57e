import { mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { open } from '@plimsoll/core';
import { roster } from '@plimsoll/core/internal/scope/index';
import { builtInPolicy } from '@plimsoll/govern/internal/policy/built-in';
import { openLedger } from '@plimsoll/ledger';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { Frame } from '@plimsoll/host/protocol/frame';
import type { ProcessRow, StreamEvents } from '@plimsoll/host/protocol/api';
import { socketPath, writeDescriptor } from '@plimsoll/host/protocol';
import { FeedServer } from '@plimsoll/host/internal/feed/feed-server';
import { frameOf } from '../../../host/src/protocol/frame.fixture.ts';
import { viewOps } from '@plimsoll/host/internal/control/view-ops';
import { ScopeBytes } from '@plimsoll/host/internal/parts/scopes/scope-bytes';
import { Governed, folder } from './governed.fixture.ts';
import { writeLedger } from './ledger.fixture.ts';
import { LedgerDesk } from './ledger/ledger-desk.ts';
import { LedgerSource } from './ledger-source.ts';
import { LiveSource } from './live-source.ts';
import { otlpOf } from './serve-options.ts';
import { startServing } from './serve-run.ts';
import { StreamReader, serverOver } from './server.fixture.ts';

const startedAt = Date.UTC(2026, 9, 1);

test('an older process that knows no operations still shows its frame', async () => {
  const dir = folder();
  const feed = new FeedServer(socketPath(dir, process.pid));
  feed.listen(() => undefined);
  onTestFinished(() => feed.close());
  const socket = socketPath(dir, process.pid);
  await vi.waitFor(() => expect(statSync(socket).mode & 0o777).toBe(0o600));
  const source = new LiveSource(dir, { pid: process.pid, target: 't', startedAt: 1, socket });
  onTestFinished(() => source[Symbol.dispose]());
  expect(source.ledgerDir).toBe(join(dir, 'ledger'));
  const timer = setInterval(() => feed.push(() => JSON.stringify(frameOf())), 20);
  onTestFinished(() => clearInterval(timer));
  expect(await source.approvals()).toEqual([]);
  expect(await source.policy()).toBeNull();
  expect(source.ledgerDir).toBe('.plimsoll/ledger');
  await expect(source.scopes()).rejects.toThrow('is no operation');
  const frames: Frame[] = [];
  const stop = source.listen({ onFrame: (frame) => frames.push(frame), onScopes: vi.fn(), onGone: vi.fn() });
  expect(frames).toHaveLength(1);
  stop();
  expect(source.isConnected).toBe(true);
});

test('whoever waits for a reading is told when the process ends instead', async () => {
  const governed = new Governed(folder());
  await governed.start();
  const source = new LiveSource(governed.dir, {
    pid: process.pid,
    target: 't',
    startedAt: 1,
    socket: socketPath(governed.dir, process.pid),
  });
  const frame = source.frame();
  await vi.waitFor(() => expect(governed.feed.watchers).toBe(1));
  governed.stop();
  await expect(frame).rejects.toThrow('has not sent a reading yet');
  const pending = source.frame();
  source[Symbol.dispose]();
  await expect(pending).rejects.toThrow('has not sent a reading yet');
});

test('a stream over a ledger brings its frame and scopes once, and goes over to a process that starts', async () => {
  const dir = folder();
  await writeLedger(join(dir, 'ledger'), { startedAt, minutes: 1 });
  const { address } = await serverOver({ dir });
  const reader = await StreamReader.open(address);
  await vi.waitFor(() => expect(reader.of<Frame>('frame')[0]?.target).toBe('node old-server.js'));
  await vi.waitFor(() => expect(reader.of<StreamEvents['scopes']>('scopes')[0]?.rows).toHaveLength(1));
  const governed = new Governed(dir);
  await governed.start(Date.now());
  onTestFinished(() => governed.stop());
  governed.beat();
  await vi.waitFor(() => expect(reader.of<ProcessRow>('process').at(-1)?.state).toBe('running'));
  await vi.waitFor(() => expect(reader.of<Frame>('frame').at(-1)?.pid).toBe(process.pid));
});

test('a ledger that vanishes is a process that went', async () => {
  const desk = new LedgerDesk();
  onTestFinished(() => desk[Symbol.asyncDispose]());
  const row = { id: 'run-1', pid: 1, target: 't', startedAt: 1, endedAt: 2, state: 'ended' } as const;
  const source = new LedgerSource(desk, folder(), row);
  const onGone = vi.fn();
  source.listen({ onFrame: vi.fn(), onScopes: vi.fn(), onGone });
  await vi.waitFor(() => expect(onGone).toHaveBeenCalled());
  source.listen({ onFrame: vi.fn(), onScopes: vi.fn(), onGone })();
  const other = folder();
  await writeLedger(other, { startedAt, minutes: 1 });
  await expect(new LedgerSource(desk, other, row).frame()).rejects.toThrow('is not known here');
});

test('what a supervisor finds out after the end reaches a page that is open', async () => {
  const desk = new LedgerDesk();
  onTestFinished(() => desk[Symbol.asyncDispose]());
  const dir = join(folder(), 'ledger');
  const died = openLedger({ dir });
  await died.audit({ kind: 'start', body: { pid: 4_194_304 } });
  await died.audit({ kind: 'exit', body: { code: 0 } });
  await died.close();
  const [row] = await desk.ask(dir, 'processes', {});
  const source = new LedgerSource(desk, dir, row as ProcessRow);
  const told: (readonly (string | undefined)[])[] = [];
  const stop = source.listen({
    onFrame: ({ findings }) => told.push(findings.map(({ trace }) => trace?.at(-1)?.name)),
    onScopes: vi.fn(),
    onGone: vi.fn(),
  });
  onTestFinished(stop);
  await vi.waitFor(() => expect(told).toEqual([[]]));
  const supervisor = openLedger({ dir });
  const body = {
    pid: 4_194_304,
    fingerprint: 'f',
    kind: 'survivor',
    trace: 'registry: Map > get(x): Session',
  };
  await supervisor.audit({ kind: 'finding', scope: 'process/session:1', body });
  await supervisor.close();
  await vi.waitFor(() => expect(told).toEqual([[], ['Session']]));
});

test('the policy of a process that is gone is its file as it reads today', async () => {
  const desk = new LedgerDesk();
  onTestFinished(() => desk[Symbol.asyncDispose]());
  const dir = folder();
  const file = join(dir, 'p.yaml');
  const ledger = openLedger({ dir: join(dir, 'ledger') });
  await ledger.audit({ kind: 'start', body: { policy: file, limit: 1000 } });
  await ledger.audit({ kind: 'exit', body: { code: 0 } });
  await ledger.close();
  const [row] = await desk.ask(join(dir, 'ledger'), 'processes', {});
  const source = new LedgerSource(desk, join(dir, 'ledger'), row as ProcessRow);
  expect(await source.policy()).toBeNull();
  await expect(source.explain('process/session:1')).rejects.toThrow('the process has ended');
  writeFileSync(file, 'apiVersion: plimsoll/v1\nbudgets: { sessions: { "*": { max: 50% } } }\n');
  expect((await source.policy())?.budgets).toContainEqual(
    expect.objectContaining({ section: 'sessions', maxBytes: 500 }),
  );
  expect((await source.explain('process/session:1')).values[0]).toMatchObject({ bytes: 500 });
});

test('the operations of a real host over real scopes', async () => {
  const scope = open('session', 'of-the-test');
  onTestFinished(() => void scope.close());
  const bytes = new ScopeBytes(roster, { bytesOf: () => undefined });
  bytes.refresh();
  const ops = viewOps(bytes, { policy: builtInPolicy, raised: () => [] }, {
    limits: { binding: { bytes: 1000 } },
  } as unknown as Parameters<typeof viewOps>[2]);
  expect(Object.keys(ops).toSorted()).toEqual(['explain', 'policy', 'scopes']);
  expect(JSON.stringify(ops['scopes']?.({}))).toContain('process/session:of-the-test');
});

test('metrics go to a collector when one is named', async () => {
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' };
  expect(otlpOf(undefined, { env })).toBe('http://127.0.0.1:9');
  expect(otlpOf('http://127.0.0.1:8', { env })).toBe('http://127.0.0.1:8');
  expect(otlpOf(undefined, { env: {} })).toBeUndefined();
  const dir = folder();
  const options = { dir, port: 0, portOption: '--port', env: {} };
  const serving = await startServing({ ...options, otlp: 'http://127.0.0.1:9' });
  expect(serving.addressWithToken).toContain('#token=');
  await serving[Symbol.asyncDispose]();
  await writeLedger(join(dir, 'ledger'), { startedAt, minutes: 1 });
  const elsewhere = await startServing({
    ...options,
    dir: join(dir, 'nowhere'),
    ledger: join(dir, 'ledger'),
  });
  expect(elsewhere.addressWithToken).toMatch(/#token=[\w-]{43}$/);
  await elsewhere[Symbol.asyncDispose]();
});

test('a descriptor without its process is passed over', async () => {
  const dir = folder();
  mkdirSync(dir, { recursive: true });
  writeDescriptor(dir, { pid: 4_194_305, target: 'gone', startedAt: 9, socket: 'x' });
  const { sources } = await serverOver({ dir });
  expect(await sources.list()).toEqual([]);
});
