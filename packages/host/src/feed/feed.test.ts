import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ask } from '../protocol/control.ts';
import { liveDescriptors, removeDescriptor, socketPath, writeDescriptor } from '../protocol/descriptor.ts';
import { parseFrame, watchFeed } from '../protocol/feed-client.ts';
import { FeedServer } from './feed-server.ts';
import { frameOf } from '../protocol/frame.fixture.ts';
import type { Frame } from '../protocol/frame.ts';

/** Waits for what a busy machine may take seconds for. */
const soon = (check: () => void): Promise<void> => vi.waitFor(check);

let dir: string;
let server: FeedServer;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'plimsoll-feed-'));
  server = new FeedServer(join(dir, 'feed.sock'));
});

afterEach(() => server.close());

function listening(): Promise<void> {
  const faults: Error[] = [];
  server.listen((error) => faults.push(error));
  return soon(() => {
    expect(faults).toEqual([]);
    expect(statSync(join(dir, 'feed.sock')).mode & 0o777).toBe(0o600);
  });
}

test('a watcher receives every frame as pushed', async () => {
  await listening();
  const seen: Frame[] = [];
  const feed = watchFeed(join(dir, 'feed.sock'), { onFrame: (frame) => seen.push(frame) });
  await soon(() => expect(server.watchers).toBe(1));
  server.push(() => JSON.stringify(frameOf({ at: 1 })));
  await soon(() => expect(seen).toHaveLength(1));
  server.push(() => JSON.stringify(frameOf({ at: 2 })));
  await soon(() => expect(seen.map((frame) => frame.at)).toEqual([1, 2]));
  feed.close();
  await soon(() => expect(server.watchers).toBe(0));
});

test('a watcher of brief frames gets rows once per number, and has those of before else', async () => {
  await listening();
  const seen: Frame[] = [];
  const path = join(dir, 'feed.sock');
  const feed = watchFeed(path, { onFrame: (frame) => seen.push(frame), isBrief: true });
  const other = watchFeed(path, { onFrame: () => undefined });
  await soon(() => expect(server.watchers).toBe(2));
  // Its wish is read by now: an answer comes after it.
  server.answer('hello', () => 'hello');
  await ask(path, 'hello', {});
  const made: string[] = [];
  const push = async (at: number, rowsNumber: number): Promise<void> => {
    const frame = (isBrief: boolean): string => {
      made.push(isBrief ? `brief ${at}` : `whole ${at}`);
      const {
        scopes,
        scopeCount,
        kinds,
        peaks,
        heap,
        workers: _,
        ...brief
      } = frameOf({ at, scopeCount: at });
      return JSON.stringify(isBrief ? brief : { ...brief, scopes, scopeCount, kinds, peaks, heap });
    };
    server.push(frame, rowsNumber);
    await soon(() => expect(seen.at(-1)?.at).toBe(at));
  };
  await push(1, 7);
  await push(2, 7);
  await push(3, 8);
  await push(4, 8);
  await push(5, 9);
  expect(seen.map(({ at, scopeCount }) => [at, scopeCount])).toEqual([
    [1, 1],
    [2, 1],
    [3, 3],
    [4, 3],
    [5, 5],
  ]);
  expect(seen.at(1)?.scopes).toEqual(frameOf().scopes);
  // The other one gets whole frames every time.
  expect(made.filter((each) => each.startsWith('brief'))).toEqual(['brief 2', 'brief 4']);
  expect(made.filter((each) => each.startsWith('whole'))).toHaveLength(5);
  feed.close();
  other.close();
});

test('without a watcher no frame is even made', async () => {
  await listening();
  const make = vi.fn(() => '');
  server.push(make);
  expect(make).not.toHaveBeenCalled();
});

test('a watcher that does not read skips frames instead of filling memory', async () => {
  await listening();
  const socket = connect(join(dir, 'feed.sock'));
  socket.pause();
  socket.on('error', () => undefined);
  await soon(() => expect(server.watchers).toBe(1));
  const big = JSON.stringify({ ...frameOf(), target: 'x'.repeat(1_000_000) });
  for (let i = 0; i < 50; i++) {
    server.push(() => big);
    await wait(1);
  }
  expect(server.skippedFrames).toBeGreaterThan(40);
  socket.destroy();
});

test('the seventeenth watcher is turned away', async () => {
  await listening();
  const sockets = Array.from({ length: 17 }, () => connect(join(dir, 'feed.sock')));
  const closed = vi.fn();
  for (const socket of sockets) socket.on('close', closed).on('error', () => undefined);
  await soon(() => expect(closed).toHaveBeenCalledTimes(1));
  expect(server.watchers).toBe(16);
  for (const socket of sockets) socket.destroy();
});

test('a line that is no frame is passed over, one without end drops the connection', async () => {
  await listening();
  const seen: Frame[] = [];
  const closed = vi.fn();
  watchFeed(join(dir, 'feed.sock'), { onFrame: (frame) => seen.push(frame), onClose: closed });
  await soon(() => expect(server.watchers).toBe(1));
  server.push(() => 'not json\n{"v":2}');
  await wait(20);
  expect(seen).toEqual([]);
  server.push(() => 'y'.repeat(9 * 1024 * 1024));
  await soon(() => expect(closed).toHaveBeenCalled());
});

test('a socket that cannot be made is reported, not thrown', async () => {
  const faults: Error[] = [];
  const broken = new FeedServer(join(dir, 'missing', 'feed.sock'));
  broken.listen((error) => faults.push(error));
  await soon(() => expect(faults).toHaveLength(1));
  broken.close();
});

test('descriptors of dead processes and foreign files are passed over', () => {
  writeDescriptor(dir, {
    pid: process.pid,
    target: 'node a.js',
    startedAt: 2,
    socket: socketPath(dir, process.pid),
  });
  writeDescriptor(dir, {
    pid: process.ppid,
    target: 'node b.js',
    startedAt: 5,
    socket: socketPath(dir, process.ppid),
  });
  writeDescriptor(dir, { pid: 4_194_305, target: 'gone', startedAt: 9, socket: 'x' });
  writeFileSync(join(dir, '77.json'), 'broken');
  writeFileSync(join(dir, '78.json'), '{}');
  expect(liveDescriptors(dir).map((each) => each.startedAt)).toEqual([5, 2]);
  expect(readdirSync(dir)).not.toContain('4194305.json');
  removeDescriptor(dir, process.pid);
  expect(liveDescriptors(dir).map((each) => each.pid)).toEqual([process.ppid]);
  expect(liveDescriptors(join(dir, 'nowhere'))).toEqual([]);
});

test('a folder with a long path keeps its socket in a folder of this user alone', () => {
  expect(socketPath('/short', 7)).toBe('/short/7.sock');
  const long = join(dir, ...'long/'.repeat(30).split('/').filter(Boolean));
  const socket = socketPath(long, 7);
  expect(socket).not.toBe(socketPath(`${long}x`, 7));
  expect(Buffer.byteLength(socket)).toBeLessThanOrEqual(100);
  writeDescriptor(long, { pid: 7, target: 't', startedAt: 1, socket });
  expect(statSync(dirname(socket)).mode & 0o777).toBe(0o700);
});

test('a link in the place of a descriptor is replaced, not followed', () => {
  const victim = join(dir, 'victim');
  writeFileSync(victim, 'mine');
  symlinkSync(victim, join(dir, `${process.pid}.json`));
  symlinkSync(victim, join(dir, `${process.pid}.last.json`));
  const socket = socketPath(dir, process.pid);
  writeDescriptor(dir, { pid: process.pid, target: 't', startedAt: 1, socket });
  expect(readFileSync(victim, 'utf8')).toBe('mine');
  expect(liveDescriptors(dir).map(({ pid }) => pid)).toEqual([process.pid]);
});

test('a folder that another user can replace is neither read nor written nor spoken to', async () => {
  const shared = join(dir, 'shared');
  const run = join(shared, '.plimsoll');
  mkdirSync(run, { recursive: true, mode: 0o700 });
  const socket = socketPath(run, process.pid);
  const listener = createServer().listen(socket);
  const heard: string[] = [];
  listener.on('connection', (each) => each.on('data', (chunk) => heard.push(String(chunk))));
  await new Promise((resolve) => listener.once('listening', resolve));
  // Without the sticky bit anybody may move the folder away and put another one there.
  chmodSync(shared, 0o777);
  const code = { code: 'PLM_PATH_FOREIGN' };
  expect(() => writeDescriptor(run, { pid: 7, target: 't', startedAt: 1, socket })).toThrow(
    expect.objectContaining(code),
  );
  expect(() => liveDescriptors(run)).toThrow(expect.objectContaining(code));
  await expect(ask(socket, 'approvals.decide', { token: 'secret' })).rejects.toMatchObject(code);
  const fault = await new Promise<Error>((resolve) =>
    watchFeed(socket, { onFrame: () => undefined, onFault: resolve }),
  );
  expect(fault).toMatchObject(code);
  expect(fault.message).toContain(`any user may remove or replace files in ${shared}`);
  listener.close();
  expect(heard).toEqual([]);
});

test('only a frame of our version parses', () => {
  expect(parseFrame(JSON.stringify(frameOf()))?.pid).toBe(4711);
  expect(parseFrame('{"v":1}')).toBeUndefined();
  expect(parseFrame('nonsense')).toBeUndefined();
});
