import { Agent, createServer, get, IncomingMessage, request as send } from 'node:http';
import type { RequestListener, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { AsyncResource } from 'node:async_hooks';
import { once } from 'node:events';
import { connect, createServer as createHttp2Server } from 'node:http2';
import { json, text } from 'node:stream/consumers';
import { currentScope, open, processScope } from '@plimsoll/core';
import { openIn, sessions } from '@plimsoll/core/adapter';
import { AdmitError } from '@plimsoll/core/internal/gate/admit-error';
import { admissionSlot } from '@plimsoll/core/internal/gate/admit';
import type { AdmissionGate } from '@plimsoll/core/internal/gate/shed-point';
import { owningScope, roster } from '@plimsoll/core/internal/scope/index';
import { afterEach, expect, test } from 'vitest';
import { sessionName } from '../session-name.ts';
import { plimsoll } from './http.ts';
import type { HttpOptions } from './http.ts';
import { sessionOf } from './session-id.ts';

const ends: (() => void)[] & { server?: Server } = [];

afterEach(async () => {
  for (const end of ends.splice(0)) end();
  await processScope().close();
});

async function serve(listener: RequestListener, options?: HttpOptions): Promise<string> {
  ends.push(plimsoll(options));
  const server: Server = createServer(listener);
  ends.server = server;
  ends.push(() => {
    server.close();
    server.closeAllConnections();
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const requests = (): readonly string[] =>
  [...roster.open].filter(({ kind }) => kind === 'request').map(({ path }) => path);

test('a request is a scope inside the session that it names, from the first one on', async () => {
  const paths: string[] = [];
  const url = await serve((_, response) => {
    setTimeout(() => {
      paths.push(currentScope().path);
      response.end('ok');
    }, 1);
  });
  const headers = { 'x-session-id': 'secret-id' };
  await (await fetch(`${url}/api/chat/42?x=1`, { method: 'POST', headers })).text();
  await (await fetch(`${url}/api/chat`, { headers: { cookie: 'a=b; sid=secret-id' } })).text();
  await (await fetch(url)).text();
  const session = `process/session:${sessionName('secret-id')}`;
  expect(paths).toEqual([
    `${session}/request:POST api.chat`,
    `${session}/request:GET api.chat`,
    'process/request:GET',
  ]);
  // The id itself lets its owner in, so it is shown nowhere.
  expect(paths.join()).not.toContain('secret-id');
  await expect.poll(requests).toEqual([]);
  expect(sessions().get(sessionName('secret-id'))?.leases).toBe(0);
});

test('an abandoned response closes its request', async () => {
  const url = await serve((_, response) => void response.write('first'));
  const abort = new AbortController();
  const response = await fetch(url, { signal: abort.signal });
  await response.body?.getReader().read();
  expect(requests()).toEqual(['process/request:GET']);
  abort.abort();
  await expect.poll(requests).toEqual([]);
});

test('work that goes on in the background keeps its request open, and is not stopped by the end of the response', async () => {
  let agent = processScope();
  let isClosed = false;
  const url = await serve((_, response) => {
    agent = openIn(undefined, 'agent', 'background');
    response.once('close', () => (isClosed = true));
    response.end('ok');
  });
  await (await fetch(url)).text();
  await expect.poll(() => isClosed).toBe(true);
  expect(agent.state).toBe('open');
  expect(agent.signal.aborted).toBe(false);
  expect(requests()).toEqual(['process/request:GET']);
});

test('the session in a JSON body takes the agents of the request, whoever reads the body', async () => {
  const paths: string[] = [];
  const listener: RequestListener = (request, response) => {
    // A property that is taken away again would make V8 keep the request as a dictionary.
    expect(Object.hasOwn(request, 'push')).toBe(false);
    void json(request).then((body) => {
      using agent = openIn(undefined, 'agent', 'planner');
      paths.push(agent.path);
      response.end(JSON.stringify(body));
    });
  };
  const url = await serve(listener, {
    from: () => [
      { at: 'body', name: 'chat.threadId' },
      { at: 'body', name: 'sessionId' },
    ],
  });
  const post = async (body: object): Promise<void> => {
    const headers = { 'content-type': 'application/json' };
    const sent = await fetch(`${url}/chat`, { method: 'POST', headers, body: JSON.stringify(body) });
    expect(await sent.json()).toEqual(body);
  };
  await post({ messages: [{ threadId: 'no', text: 'a "quoted\\" text' }], chat: { threadId: 't-1' } });
  await post({ chat: { threadId: 42 } });
  await post({ sessionId: 'secret' });
  await post({ text: 'none', chat: { threadId: 'grün' } });
  await post({ text: 'none' });
  expect(paths).toEqual([
    'process/session:t-1/agent:planner',
    'process/session:42/agent:planner',
    `process/session:${sessionName('secret')}/agent:planner`,
    'process/session:grün/agent:planner',
    'process/request:POST chat/agent:planner',
  ]);
  await expect.poll(requests).toEqual([]);
  expect(sessions().get('t-1')?.leases).toBe(0);
  expect(Object.hasOwn(IncomingMessage.prototype, 'push')).toBe(true);
  for (const end of ends.splice(0)) end();
  expect(Object.hasOwn(IncomingMessage.prototype, 'push')).toBe(false);
});

test('what the program opens in a request stays where it is without the adapter, and outlives the response', async () => {
  const opened: string[] = [];
  let late: (() => void) | undefined;
  const warnings: unknown[] = [];
  const onWarning = (warning: unknown): void => void warnings.push(warning);
  process.on('warning', onWarning);
  ends.push(() => process.off('warning', onWarning));
  const own = open('agent', 'own');
  const url = await serve((_, response) => {
    opened.push(open('session', 'mine').path, owningScope().path);
    own.run(() => opened.push(open('stage', 'inner').path));
    const agent = openIn(undefined, 'agent', 'called');
    agent.run(() => opened.push(open('stage', 'in-call').path));
    void agent.close();
    late = AsyncResource.bind(() => opened.push(open('stage', 'late').path));
    response.end('ok');
  });
  await (await fetch(url, { headers: { 'x-session-id': 'x' } })).text();
  await expect.poll(requests).toEqual([]);
  late?.();
  const request = `process/session:${sessionName('x')}/request:GET`;
  expect(opened).toEqual([
    'process/session:mine',
    'process',
    'process/agent:own/stage:inner',
    `${request}/agent:called/stage:in-call`,
    'process/stage:late',
  ]);
  expect([...roster.open].map(({ path }) => path)).toContain('process/session:mine');
  expect(warnings).toEqual([]);
});

test('idle keep-alive connections, which hold the context of their last request, leave no survivors', async () => {
  const url = await serve((_, response) => {
    const agent = openIn(undefined, 'agent', 'planner');
    agent.run(() => setImmediate(() => void agent.close().then(() => response.end('ok'))));
  });
  const agent = new Agent({ keepAlive: true, maxSockets: 20 });
  ends.push(() => agent.destroy());
  const ask = async (): Promise<void> =>
    new Promise((done, failed) => {
      get(url, { agent }, (response) => response.resume().once('end', done)).once('error', failed);
    });
  for (let round = 0; round < 5; round += 1) await Promise.all(Array.from({ length: 20 }, ask));
  await expect.poll(requests).toEqual([]);
  for (let i = 0; i < 5; i += 1) {
    globalThis.gc?.();
    roster.noteMajorGc();
    await new Promise((done) => setTimeout(done, 5));
  }
  expect([...roster.lingering()]).toEqual([]);
  expect(Object.values(agent.freeSockets).flat()).toHaveLength(20);
});

test('a request over HTTP/2 is a scope in its session, by its header and by its body', async () => {
  const paths: string[] = [];
  ends.push(plimsoll());
  const server = createHttp2Server((request, response) => {
    const answer = (): void => {
      using agent = openIn(undefined, 'agent', 'planner');
      paths.push(agent.path);
      response.end('ok');
    };
    void json(request).then(answer, () => undefined);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  ends.push(() => {
    client.destroy();
    server.close();
  });
  const post = async (headers: Record<string, string>, body: string): Promise<void> => {
    const stream = client.request({ ':method': 'POST', ':path': '/chat', ...headers });
    stream.end(body);
    await text(stream);
  };
  await post({ 'x-session-id': 'secret-id' }, '{}');
  await post({ 'content-type': 'application/json' }, '{"threadId":"t-2"}');
  const left = client.request({ ':method': 'POST', ':path': '/left' });
  await expect.poll(requests).toEqual(['process/request:POST left']);
  left.close();
  await expect.poll(requests).toEqual([]);
  expect(paths).toEqual([
    `process/session:${sessionName('secret-id')}/request:POST chat/agent:planner`,
    'process/session:t-2/agent:planner',
  ]);
});

test('a WebSocket is a connection in its session until its socket closes', async () => {
  const paths: string[] = [];
  const url = await serve((_, response) => void response.end());
  const server = ends.server as Server;
  server.on('upgrade', (_request, socket) => {
    socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n');
    socket.resume().once('end', () => socket.end());
    paths.push(currentScope().path);
  });
  const headers = { connection: 'Upgrade', upgrade: 'websocket' };
  const asked = send(`${url}/live?sessionId=s`, { headers });
  asked.end();
  const [, socket] = (await once(asked, 'upgrade')) as [unknown, { destroy(): void }];
  const path = `process/session:${sessionName('s')}/connection:GET live`;
  expect(paths).toEqual([path]);
  const connections = (): readonly string[] =>
    [...roster.open].filter(({ kind }) => kind === 'connection').map((scope) => scope.path);
  expect(connections()).toEqual([path]);
  socket.destroy();
  await expect.poll(connections).toEqual([]);
});

test('what waits for a client that does not read is charged to the request, and above the bound its connection is closed', async () => {
  let bound: number | undefined;
  const held: number[] = [];
  const url = await serve(
    (_, response) => {
      const scope = currentScope();
      const timer = setInterval(() => {
        if (response.destroyed) return clearInterval(timer);
        if (response.writableLength < 4 * 2 ** 20) response.write(Buffer.alloc(2 ** 20));
        held.push(scope.account.held);
      }, 5);
    },
    { sendQueueBytes: () => bound },
  );
  let isClosed = false;
  const asked = get(url, (response) => response.once('close', () => (isClosed = true)).pause());
  asked.once('error', () => (isClosed = true));
  await expect.poll(() => Math.max(0, ...held), { timeout: 20_000 }).toBeGreaterThan(2 ** 20);
  bound = 2 ** 20;
  await expect.poll(requests, { timeout: 20_000 }).toEqual([]);
  asked.destroy();
  await expect.poll(() => isClosed).toBe(true);
});

test('a request that begins work is refused with 503 and Retry-After, where that is allowed', async () => {
  const slot = admissionSlot();
  const before = slot.gate;
  slot.gate = {
    admit: (point: 'session', want?: { continues?: unknown }) => {
      if (want?.continues === 'session')
        return { point, release: () => undefined, [Symbol.dispose]: () => undefined };
      throw new AdmitError({
        reason: 'REFUSED',
        point,
        level: 'emergency',
        usedBytes: 95,
        limitBytes: 100,
        rule: 'ladder.emergency[0]',
        retryable: true,
        retryAfterMs: 5000,
      });
    },
  } as unknown as AdmissionGate;
  ends.push(() => {
    slot.gate = before;
  });
  let mayRefuse = false;
  let served = 0;
  const url = await serve(
    (_, response) => {
      served += 1;
      response.end('ok');
    },
    { refuses: () => mayRefuse },
  );
  const post = async (headers = {}): Promise<Response> => fetch(url, { method: 'POST', headers });
  expect((await post({ 'x-session-id': 'known' })).status).toBe(200);
  mayRefuse = true;
  const refused = await post();
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5']);
  expect(await refused.json()).toMatchObject({ code: 'PLM_ADMIT_REFUSED', retryable: true });
  // Health checks and the next call of an open session go on.
  expect((await fetch(url)).status).toBe(200);
  expect((await post({ 'x-session-id': 'known' })).status).toBe(200);
  expect(served).toBe(3);
});

test('connecting twice is one connection, and disconnecting puts the server back', async () => {
  const url = await serve((_, response) => void response.end(currentScope().path));
  const again = plimsoll();
  expect(await (await fetch(url)).text()).toBe('process/request:GET');
  again();
  expect(await (await fetch(url)).text()).toBe('process');
});

test.each([
  ['path:/chat/:id', { url: '/chat/42/messages', headers: {} }, '42'],
  ['path:/chat/:id', { url: '/other/42', headers: {} }, undefined],
  ['query:chat', { url: '/x?chat=7', headers: {} }, '7'],
  ['cookie:sid', { headers: { cookie: 'xsid=1' } }, undefined],
  ['header:x', { headers: { x: 'y'.repeat(1000) } }, undefined],
] as const)('%s of %j is %s', (source, request, id) => {
  const [at, name] = source.split(':', 1).concat(source.slice(source.indexOf(':') + 1));
  expect(sessionOf(request, [{ at: at as 'path', name: name as string }])).toBe(id);
});
