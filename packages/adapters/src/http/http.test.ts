import { createServer } from 'node:http';
import type { RequestListener, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { currentScope, processScope } from '@plimsoll/core';
import { openIn, sessions } from '@plimsoll/core/adapter';
import { AdmitError } from '@plimsoll/core/internal/gate/admit-error';
import { admissionSlot } from '@plimsoll/core/internal/gate/admit';
import type { AdmissionGate } from '@plimsoll/core/internal/gate/shed-point';
import { roster } from '@plimsoll/core/internal/scope/index';
import { afterEach, expect, test } from 'vitest';
import { sessionName } from '../session-name.ts';
import { plimsoll } from './http.ts';
import type { HttpOptions } from './http.ts';
import { sessionOf } from './session-id.ts';

const ends: (() => void)[] = [];

afterEach(async () => {
  for (const end of ends.splice(0)) end();
  await processScope().close();
});

async function serve(listener: RequestListener, options?: HttpOptions): Promise<string> {
  ends.push(plimsoll(options));
  const server: Server = createServer(listener);
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

test('the session in a parsed body takes the agents of the request', async () => {
  const paths: string[] = [];
  // What body parsers do: read the stream, then set the property.
  const listener: RequestListener = (request, response) =>
    void json(request).then((body) => {
      (request as { body?: unknown }).body = body;
      using agent = openIn(undefined, 'agent', 'planner');
      paths.push(agent.path);
      response.end(JSON.stringify((request as { body?: unknown }).body));
    });
  const url = await serve(listener, { from: () => [{ at: 'body', name: 'chat.threadId' }] });
  const headers = { 'content-type': 'application/json' };
  const sent = await fetch(`${url}/chat`, { method: 'POST', headers, body: '{"chat":{"threadId":"t-1"}}' });
  expect(await sent.json()).toEqual({ chat: { threadId: 't-1' } });
  expect(paths).toEqual(['process/session:t-1/agent:planner']);
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
