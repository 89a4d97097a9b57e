/** A client on the same machine that means harm: it pipelines, hoards connections and does not read. */
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { once } from 'node:events';
import { expect, onTestFinished, test } from 'vitest';
import { Governed, folder } from './governed.fixture.ts';
import { adminToken, send, serverOver } from './server.fixture.ts';

const bearer = { authorization: `Bearer ${adminToken}` };

async function hostile(address: string): Promise<Socket> {
  const { hostname, port } = new URL(address);
  const socket = connect(Number(port), hostname).on('error', () => undefined);
  onTestFinished(() => void socket.destroy());
  await once(socket, 'connect');
  return socket;
}

/** Resolves when the connection is gone; that it was reset is no failure here. */
function ended(socket: Socket): Promise<void> {
  if (socket.closed) return Promise.resolve();
  return new Promise((done) => void socket.once('close', () => done()));
}

async function governed(): Promise<Governed> {
  const app = new Governed(folder());
  await app.start();
  onTestFinished(() => app.stop());
  app.beat();
  return app;
}

test.each([
  ['without a token', ''],
  ['with a token', `authorization: Bearer ${adminToken}\r\n`],
])('60,000 pipelined requests %s end their connection, not the server', async (_, header) => {
  const app = await governed();
  const { server, address } = await serverOver({ dir: app.dir }, { isPublic: false });
  const before = process.memoryUsage().rss;
  const socket = await hostile(address);
  const request = `GET /api/scopes HTTP/1.1\r\nhost: 127.0.0.1\r\n${header}\r\n`;
  socket.write(request.repeat(60_000));
  socket.resume();
  await ended(socket);
  expect((await send(address, '/healthz')).status).toBe(200);
  expect((await send(address, '/api/scopes', { headers: bearer })).status).toBe(200);
  expect(await server.connections).toBeLessThan(5);
  // 4 GB on the code before. The requests themselves, sent by this very process, are 4 MB.
  expect(process.memoryUsage().rss - before).toBeLessThan(200 * 1024 ** 2);
});

test('who hoards connections ends its own; the owner still gets in', async () => {
  const app = await governed();
  const { address } = await serverOver({ dir: app.dir }, { isPublic: false, bounds: { mostStrangers: 10 } });
  const hoard: Socket[] = [];
  for (let i = 0; i < 40; i++) hoard.push(await hostile(address));
  expect((await send(address, '/api/frame', { headers: bearer })).status).toBe(200);
  await expect.poll(() => hoard.filter((each) => each.destroyed || each.closed).length).toBeGreaterThan(25);
});

test('one that does not read its answers is bounded, and so are all together', async () => {
  const app = await governed();
  const bounds = { mostInAll: 3, mostPerConnection: 2 };
  const { server, address } = await serverOver({ dir: app.dir }, { isPublic: false, bounds });
  // The handler waits for a process that is not there: the requests stay open.
  const slow = await hostile(address);
  slow.write('GET /healthz HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n'.repeat(50));
  await ended(slow);
  expect((await send(address, '/healthz')).status).toBe(200);
  await expect.poll(() => server.inFlight).toBe(0);
});

test('the same scopes for many readers are asked for and written out once', async () => {
  const app = await governed();
  const { sources } = await serverOver({ dir: app.dir });
  const source = await sources.pick(undefined);
  const answers = await Promise.all(Array.from({ length: 50 }, () => source.scopes()));
  expect(new Set(answers).size).toBe(1);
});

test('the last streams are for the owner', async () => {
  const app = await governed();
  const { server } = await serverOver({ dir: app.dir }, { streams: { mostClients: 4 } });
  const open = (isOwner: boolean): void => server.hub.checkPlace(isOwner);
  for (let i = 0; i < 2; i++) {
    const socket = await hostile(server.address);
    socket.write('GET /api/stream HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n');
  }
  await expect.poll(() => server.hub.clients).toBe(2);
  expect(() => open(false)).toThrow('2 live streams are open');
  expect(() => open(true)).not.toThrow();
});
