import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, get } from 'node:http';
import type { IncomingMessage, Server } from 'node:http';
import net from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { once } from 'node:events';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { slots } from '@plimsoll/core/internal/slots';
import { SessionCache } from '@plimsoll/keep';
import { FileLot } from '@plimsoll/keep/session-cache';
import { readHandover, sessionMark, writeHandover } from '../protocol/handover-file.ts';
import type { Handover } from '../protocol/handover-file.ts';
import { followListening, portOf } from './listeners.ts';
import { Predecessor } from './predecessor.ts';
import { Successor } from './successor.ts';
import { SupervisorLink } from './supervisor-link.ts';
import type { ListenerMessage } from './supervisor-link.ts';

let dir: string;
let open: net.Server[];
const listen = Reflect.get(net.Server.prototype, 'listen') as net.Server['listen'];

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'plimsoll-handover-'));
  open = [];
});
afterEach(() => {
  for (const server of open) server.close();
  net.Server.prototype.listen = listen;
  delete slots().handover;
  rmSync(dir, { recursive: true });
});

/** A link whose messages the test delivers. */
class Link {
  readonly sent: (ListenerMessage & { readonly server?: net.Server | undefined })[] = [];
  receive: (message: ListenerMessage, server: net.Server | undefined) => void = () => undefined;

  async send(message: ListenerMessage, server?: net.Server): Promise<void> {
    this.sent.push({ ...message, server });
  }
  onListener(receive: Link['receive']): void {
    this.receive = receive;
  }
}

async function serving(): Promise<{ server: Server; port: number }> {
  const server = createServer((_request, response) => response.end('here'));
  open.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { server, port: (server.address() as AddressInfo).port };
}

async function ask(port: number): Promise<IncomingMessage> {
  const [response] = (await once(get({ port, host: '127.0.0.1' }), 'response')) as [IncomingMessage];
  response.resume();
  return response;
}

const state = (): Handover => readHandover(dir) as Handover;
const own = { from: process.pid, mostBytes: null };
const until = (phase: string): Promise<void> => vi.waitFor(() => expect(state().phase).toBe(phase));

test('a call of listen is understood in all its forms', () => {
  expect(
    [[3000], ['3000', '127.0.0.1'], [{ port: 80, host: 'localhost' }], [], [() => undefined]].map(portOf),
  ).toEqual([3000, 3000, 80, 0, 0]);
  expect([['/tmp/pipe'], [{ path: '/tmp/pipe' }], [{ fd: 3 }], [{}]].map(portOf)).toEqual([
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
});

test('servers that listen on a port are known until they close', async () => {
  followListening(undefined);
  const { server } = await serving();
  expect([...(slots().handover?.servers ?? [])]).toEqual([server]);
  server.close();
  await once(server, 'close');
  expect(slots().handover?.servers.size).toBe(0);
});

test('a next life listens on the sockets of the old one, and answers who came early', async () => {
  writeHandover(dir, { ...own, phase: 'starting' });
  const link = new Link();
  const before = new Predecessor(dir, process.pid, link);
  const old = net.createServer();
  open.push(old);
  old.listen(0, '127.0.0.1');
  await once(old, 'listening');
  const { port } = old.address() as AddressInfo;
  followListening(before);
  const waiting = createServer((_request, response) => response.end('new'));
  waiting.listen(port, '127.0.0.1');
  await until('ready');
  expect([waiting.listening, state().to]).toEqual([false, process.pid]);
  link.receive({ plimsoll: 'listener', port }, old);
  expect(waiting.listening).toBe(true);
  await until('listening');
  expect((await ask(port)).statusCode).toBe(200);
  // Another socket arrives before its server asks for it, and somebody connects meanwhile.
  const early = net.createServer();
  open.push(early);
  listen.call(early, { port: 0, host: '127.0.0.1' });
  await once(early, 'listening');
  const other = (early.address() as AddressInfo).port;
  link.receive({ plimsoll: 'listener', port: other }, early);
  const answer = ask(other);
  await once(early, 'connection');
  const late = createServer((_request, response) => response.end('late'));
  late.listen(other);
  expect((await answer).statusCode).toBe(200);
  // What the old life did not have is listened on as usual.
  link.receive({ plimsoll: 'listener' }, undefined);
  expect((await serving()).port).not.toBe(port);
});

test('a next life knows which sessions the old one may still use', () => {
  writeHandover(dir, { ...own, phase: 'ready' });
  new Predecessor(dir, process.pid, new Link()).start();
  const mayHold = (id: string): boolean | undefined => slots().handover?.mayHold?.(id);
  expect(mayHold('a')).toBe(true);
  writeHandover(dir, { ...own, phase: 'handed', held: [sessionMark('a')] });
  expect([mayHold('a'), mayHold('b')]).toEqual([true, false]);
  writeHandover(dir, { ...own, from: 1, phase: 'ready' });
  expect(mayHold('a')).toBe(false);
});

test('a session that the old life uses is waited for', async () => {
  const lot = new FileLot({ dir: join(dir, 'parked') });
  const there = new SessionCache<{ turns: number }>({ maxEntries: 9, park: lot, name: 'there' });
  const here = new SessionCache<{ turns: number }>({
    maxEntries: 9,
    park: new FileLot({ dir: join(dir, 'parked') }),
    open: () => ({ turns: 0 }),
    name: 'here',
  });
  there.set('a', { turns: 7 });
  let isHeld = true;
  slots().handover = { servers: new Set(), mayHold: () => isHeld };
  const waiting = here.acquire('a');
  await there.shed({ bytes: 1e9 });
  using lease = await waiting;
  expect(lease.value.turns).toBe(7);
  isHeld = false;
  using fresh = await here.acquire('b');
  expect(fresh.value.turns).toBe(0);
});

test('an old life hands over its sockets, parks what nobody uses and says what it still uses', async () => {
  followListening(undefined);
  const { port } = await serving();
  const cache = new SessionCache<object>({ maxEntries: 9, park: new FileLot({ dir: join(dir, 'parked') }) });
  for (const id of ['idle', 'used', 'later']) cache.set(id, {});
  using _used = cache.tryAcquire('used');
  const link = new Link();
  const successor = new Successor(dir, link);
  const ready = successor.ready(5);
  await until('wanted');
  expect(state().mostBytes).toBe(5);
  expect((await ask(port)).headers.connection).toBe('close');
  writeHandover(dir, { ...state(), phase: 'starting' });
  writeHandover(dir, { ...state(), phase: 'ready', to: process.pid });
  expect(await ready).toBeUndefined();
  const handed = successor.handOver([cache]);
  await vi.waitFor(() => expect(link.sent.map((each) => each.port)).toEqual([port, undefined]));
  writeHandover(dir, { ...state(), phase: 'listening' });
  await handed;
  expect(state()).toMatchObject({ phase: 'handed', held: [sessionMark('used')] });
  expect([cache.has('idle'), cache.has('used')]).toEqual([false, true]);
  // A request that was accepted before asks for its session now.
  cache.set('new', {});
  using _new = cache.tryAcquire('new');
  expect(state().held).toContain(sessionMark('new'));
  expect(await successor.connectionsEnded([cache], 100)).toBe(true);
  // A hook of the program that closes its server again is answered.
  const [server] = open as [Server];
  const closed = vi.fn();
  server.close(closed);
  successor.stop();
});

test('without a supervisor that answers, or without servers, there is no next life beside this one', async () => {
  const successor = new Successor(dir, new Link());
  expect(await successor.ready(null)).toBe('no server of it listens on a port');
  // The primary of a cluster gives the sockets of its servers away.
  slots().handover?.servers.add(net.createServer());
  expect(await successor.ready(null)).toBe('no server of it listens on a port');
  followListening(undefined);
  await serving();
  const refused = successor.ready(null);
  await until('wanted');
  writeHandover(dir, { ...state(), phase: 'alone', why: 'no room' });
  expect(await refused).toBe('no room');
  const silent = successor.ready(null);
  await until('wanted');
  successor.stop();
  expect(await silent).toBe('its supervisor does not answer');
});

test('the channel to the supervisor is hidden from the program', async () => {
  const { send } = process;
  const sent: unknown[] = [];
  process.send = ((...[message, , , done]: unknown[]) => {
    sent.push(message);
    (done as (error: Error | null) => void)(null);
    return true;
  }) as NonNullable<typeof process.send>;
  const link = SupervisorLink.take() as SupervisorLink;
  expect('send' in process).toBe(false);
  expect(SupervisorLink.take()).toBeUndefined();
  if (send !== undefined) process.send = send;
  process.channel?.ref();
  await link.send({ plimsoll: 'listener', port: 1 });
  expect(sent).toEqual([{ plimsoll: 'listener', port: 1 }]);
  const received: unknown[] = [];
  const known = new Set(process.listeners('message'));
  link.onListener((message) => received.push(message));
  process.channel?.ref();
  process.emit('message', { plimsoll: 'listener' }, undefined);
  process.emit('message', 'of the program', undefined);
  expect(received).toEqual([{ plimsoll: 'listener' }]);
  for (const listener of process.listeners('message'))
    if (!known.has(listener)) process.off('message', listener);
});
