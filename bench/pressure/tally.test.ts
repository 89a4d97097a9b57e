import { createServer } from 'node:http';
import type { RequestListener, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { Crowd } from './crowd.ts';
import { ManagementProbe } from './management-probe.ts';
import { Tally, recovery } from './tally.ts';

test('recovery is the longest row of seconds in which users failed or nothing was served', () => {
  const good = { served: 10, failed: 1 };
  const bad = { served: 5, failed: 5 };
  const silent = { served: 0, failed: 0 };
  expect(recovery([good, good])).toBe(0);
  expect(recovery([bad, good, bad, silent, bad, good])).toBe(3000);
  expect(recovery([good, bad, silent])).toBe(2000);
});

test('requests inside sessions and attempts to open one are counted apart, an outage to its end', () => {
  const tally = new Tally();
  tally.open('served', 100);
  tally.open('refused', 200);
  tally.request('served', 1000, 50);
  tally.request('unreachable', 3000);
  tally.request('served', 9000, 70);
  tally.request('served', 9100);
  tally.sessionEnded('lost');
  tally.sessionHarmed();
  const report = tally.report(10_000);
  expect(report.opens).toMatchObject({ served: 1, refused: 1 });
  expect(report.requests).toMatchObject({ served: 3, unreachable: 1 });
  expect(report.sessions).toEqual({ opened: 1, finished: 0, lost: 1, harmed: 1 });
  expect(report.longestOutageMs).toBe(8000);
  expect(report.turnMs.p50).toBe(50);
});

let server: Server | undefined;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

async function listening(handle: RequestListener): Promise<string> {
  server = createServer((request, response) => {
    request.resume();
    request.once('end', () => handle(request, response));
  });
  server.listen(0, '127.0.0.1');
  await new Promise((done) => server?.once('listening', done));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const load = { seed: 1, users: 2, thinkMs: 5, durationMs: 2000, abandonRatio: 0 };

test('users see what a server does to them: refused, cut off, forgotten', async () => {
  let turns = 0;
  const base = await listening((request, response) => {
    if (request.url === '/sessions') {
      response.writeHead(201).end('{"id":"1"}');
      return;
    }
    if (request.method === 'DELETE') {
      response.writeHead(204).end();
      return;
    }
    turns += 1;
    const stream = { 'content-type': 'text/event-stream' };
    if (turns % 7 === 1) response.writeHead(503, { 'retry-after': '0' }).end('later');
    else if (turns % 7 === 2) response.writeHead(200, stream).end('event: cancelled\ndata: {}\n\n');
    else if (turns % 7 === 3) response.writeHead(404).end('no such session');
    else response.writeHead(200, stream).end('event: done\ndata: {}\n\n');
  });
  const { requests, sessions } = await new Crowd({ base, ...load }).run();
  expect(requests.served).toBeGreaterThan(0);
  expect(requests.refused).toBeGreaterThan(0);
  expect(requests.broken).toBe(sessions.harmed);
  expect(sessions.harmed).toBeGreaterThan(0);
  expect(requests.lost).toBe(sessions.lost);
  expect(sessions.lost).toBeGreaterThan(0);
});

test('only what the health route itself says is an answer', async () => {
  let asked = 0;
  const base = await listening((_request, response) => {
    asked += 1;
    if (asked % 2 === 0) response.writeHead(503).end('{"status":"draining"}');
    else response.writeHead(503).end('Service Unavailable');
  });
  const probe = new ManagementProbe(base);
  await new Promise((done) => setTimeout(done, 1150));
  const report = probe.stop();
  expect(report.asked).toBeGreaterThan(1);
  expect(report.answered).toBe(Math.floor(report.asked / 2));
});
