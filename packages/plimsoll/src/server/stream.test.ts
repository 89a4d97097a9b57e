import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { Frame } from '@plimsoll/host/protocol/frame';
import type { ProcessRow, StreamEvents } from '@plimsoll/host/protocol/api';
import { Governed, folder, scopeRow } from './governed.fixture.ts';
import { StreamReader, send, serverOver } from './server.fixture.ts';

async function governed(): Promise<Governed> {
  const made = new Governed(folder());
  await made.start();
  onTestFinished(() => made.stop());
  return made;
}

/** The table a page would have after these events. */
function tableOf(reader: StreamReader): Map<string, number> {
  const table = new Map<string, number>();
  for (const event of reader.of<StreamEvents['scopes']>('scopes')) {
    if (event.full) table.clear();
    for (const row of event.rows) table.set(row.path, row.bytes);
    for (const path of event.gone) table.delete(path);
  }
  return table;
}

test('a stream brings the process, every frame and all scopes, then what changed', async () => {
  const app = await governed();
  const { address, server } = await serverOver({ dir: app.dir });
  const reader = await StreamReader.open(address);
  await vi.waitFor(() => expect(app.feed.watchers).toBe(1));
  expect(reader.of<ProcessRow>('process')[0]).toMatchObject({ pid: process.pid, state: 'running' });
  app.push({ scopeCount: 41 });
  await vi.waitFor(() => expect(reader.of<Frame>('frame')[0]?.scopeCount).toBe(41));
  await vi.waitFor(() => expect(tableOf(reader).size).toBe(2));
  app.scopes = [scopeRow('process/session:2', { bytes: 77 }), scopeRow('process/session:3')];
  await vi.waitFor(() =>
    expect(tableOf(reader)).toEqual(
      new Map([
        ['process/session:2', 77],
        ['process/session:3', 10],
      ]),
    ),
  );
  expect(reader.of<StreamEvents['scopes']>('scopes').map((each) => each.full)).toEqual([true, false]);
  expect(server.hub.clients).toBe(1);
});

test('nobody who listens: nothing is asked of the process', async () => {
  const app = await governed();
  const { address, server } = await serverOver({ dir: app.dir });
  await fetch(`${address}healthz`);
  await wait(50);
  expect(app.feed.connections).toBe(0);
  const reader = await StreamReader.open(address);
  await vi.waitFor(() => expect(app.scopeAsks).toBeGreaterThan(0));
  reader.close();
  await vi.waitFor(() => expect(server.hub.clients).toBe(0));
  // What was asked meanwhile comes to its end; who watches rests a while before it goes.
  await vi.waitFor(() => expect(app.feed.connections).toBe(app.feed.watchers));
  const asks = app.scopeAsks;
  await wait(1300);
  expect(app.scopeAsks).toBe(asks);
});

test('a second client gets everything that the first one already has', async () => {
  const app = await governed();
  app.scopes = Array.from({ length: 2500 }, (_, i) => scopeRow(`process/session:${i}`));
  const { address } = await serverOver({ dir: app.dir });
  const first = await StreamReader.open(address);
  await vi.waitFor(() => expect(tableOf(first).size).toBe(2500));
  app.push();
  await vi.waitFor(() => expect(first.of('frame').length).toBe(1));
  const second = await StreamReader.open(address);
  await vi.waitFor(() => expect(tableOf(second).size).toBe(2500));
  expect(second.of<StreamEvents['scopes']>('scopes').map((each) => each.rows.length)).toEqual([
    1000, 1000, 500,
  ]);
  expect(second.of('frame').length).toBe(1);
});

/** Opens a stream and never reads it. */
function stalled(address: string): Promise<Socket> {
  const { port, host } = new URL(address);
  const socket = connect(Number(port), '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  socket.on('error', () => undefined);
  return new Promise((resolve) => {
    socket.once('connect', () => {
      socket.pause();
      socket.write(`GET /api/stream HTTP/1.1\r\nhost: ${host}\r\n\r\n`);
      resolve(socket);
    });
  });
}

test('a client that does not read misses frames, is told how many, and holds nothing up', async () => {
  const app = await governed();
  const { address, server } = await serverOver({ dir: app.dir });
  const slow = await stalled(address);
  const fast = await StreamReader.open(address);
  await vi.waitFor(() => expect(server.hub.clients).toBe(2));
  await vi.waitFor(() => expect(app.feed.watchers).toBe(1));
  const target = 'x'.repeat(200_000);
  for (let i = 0; i < 100; i++) {
    app.push({ target, scopeCount: i });
    await vi.waitFor(() => expect(fast.of<Frame>('frame').at(-1)?.scopeCount).toBe(i));
  }
  expect(fast.of('skipped')).toEqual([]);
  let heard = '';
  slow.setEncoding('utf8');
  slow.on('data', (chunk: string) => (heard += chunk));
  slow.resume();
  app.push({ target: 'small', scopeCount: 100 });
  await vi.waitFor(() => expect(heard).toContain('"scopeCount":100'));
  const skipped = /event: skipped\s+data: (\{.*\})/.exec(heard)?.[1] ?? '{}';
  const { events } = JSON.parse(skipped) as StreamEvents['skipped'];
  const frames = heard.match(/event: frame/g)?.length ?? 0;
  expect(events).toBeGreaterThan(20);
  expect(frames + events).toBe(101);
});

test('a client that reads nothing for too long is given up', async () => {
  const app = await governed();
  const { address, server } = await serverOver(
    { dir: app.dir },
    { streams: { beatMs: 50, longestStallMs: 200 } },
  );
  await stalled(address);
  await vi.waitFor(() => expect(app.feed.watchers).toBe(1));
  const target = 'x'.repeat(4_000_000);
  for (let i = 0; i < 10 && server.hub.clients > 0; i++) {
    app.push({ target });
    await wait(100);
  }
  await vi.waitFor(() => expect(server.hub.clients).toBe(0));
});

test('the heartbeat comes, and a full house is told so', async () => {
  const app = await governed();
  const { address } = await serverOver({ dir: app.dir }, { streams: { mostClients: 4, beatMs: 30 } });
  const readers = [await StreamReader.open(address), await StreamReader.open(address)];
  await vi.waitFor(() => expect(readers.every((reader) => reader.of('process').length > 2)).toBe(true));
  // The other two places are the owner's.
  const third = await send(address, '/api/stream');
  expect(third.status).toBe(503);
  expect(third.headers['retry-after']).toBe('2');
  expect(third.text).toContain('PLM_SERVER_BUSY');
  readers[0]?.close();
  await vi.waitFor(async () => {
    const again = await StreamReader.open(address);
    again.close();
  });
});

test('a process that ends and comes back is followed without a new stream', async () => {
  const dir = folder();
  const first = new Governed(dir);
  await first.start(1);
  const { address } = await serverOver({ dir });
  const reader = await StreamReader.open(address);
  await vi.waitFor(() => expect(tableOf(reader).size).toBe(2));
  first.stop();
  await vi.waitFor(() => expect(reader.of('process').at(-1)).toBeNull());
  const second = new Governed(dir);
  second.scopes = [scopeRow('process/session:9')];
  await second.start(2);
  onTestFinished(() => second.stop());
  await vi.waitFor(() => expect(reader.of<ProcessRow>('process').at(-1)).toMatchObject({ startedAt: 2 }));
  await vi.waitFor(() => expect([...tableOf(reader).keys()]).toEqual(['process/session:9']));
  second.push({ scopeCount: 5 });
  await vi.waitFor(() => expect(reader.of<Frame>('frame').at(-1)?.scopeCount).toBe(5));
});

test('without any process the stream waits', async () => {
  const dir = folder();
  const { address } = await serverOver({ dir });
  const reader = await StreamReader.open(address);
  await vi.waitFor(() => expect(reader.of('process')).toEqual([null]));
  const app = new Governed(dir);
  await app.start();
  onTestFinished(() => app.stop());
  await vi.waitFor(() => expect(reader.of<ProcessRow>('process').at(-1)?.pid).toBe(process.pid));
});
