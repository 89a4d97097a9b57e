import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { admission } from '@plimsoll/govern/internal/admission/admission-control';
import { afterEach, expect, test } from 'vitest';
import { AgentService } from './agent-service.ts';
import type { ServiceOptions } from './agent-service.ts';
import { openPlain } from './scope/plain-scope.ts';

let server: Server | undefined;
let service: AgentService | undefined;
afterEach(async () => {
  admission().ungovern();
  await service?.drain(0);
  server?.closeAllConnections();
  server?.close();
});

async function start(options: Partial<ServiceOptions> = {}): Promise<string> {
  service = new AgentService({
    openScope: openPlain,
    leaks: new Set(),
    seed: 1,
    tokenMs: 0,
    toolMs: 0,
    payloadBytes: 2048,
    idleMs: 60_000,
    maxSessions: 10,
    ...options,
  });
  server = createServer(service.handle);
  server.listen(0, '127.0.0.1');
  await new Promise((done) => server?.once('listening', done));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function open(base: string, agent: string): Promise<string> {
  const response = await fetch(`${base}/sessions`, { method: 'POST', body: JSON.stringify({ agent }) });
  return ((await response.json()) as { id: string }).id;
}

const turn = (base: string, id: string, body: object, signal?: AbortSignal): Promise<Response> =>
  fetch(`${base}/sessions/${id}/turns`, {
    method: 'POST',
    body: JSON.stringify(body),
    ...(signal === undefined ? {} : { signal }),
  });

const events = (text: string): string[] =>
  [...text.matchAll(/^event: (.*)$/gm)].map((match) => match[1] as string);

test('a planner turn streams delegations, tool calls and tokens, and remembers the conversation', async () => {
  const base = await start();
  const id = await open(base, 'planner');
  const response = await turn(base, id, { text: 'Compare with tides' });
  expect(response.headers.get('content-type')).toBe('text/event-stream');
  const text = await response.text();
  expect(new Set(events(text))).toEqual(new Set(['call', 'result', 'token', 'usage', 'done']));
  expect(text).toContain('"agent":"researcher"');
  expect(text).toContain('"name":"fetch_document"');
  const { history, checkpoints } = service?.sessions.use(id)?.state ?? {};
  expect(history?.map((message) => message.role)).toEqual([
    'tool',
    'user',
    'assistant',
    'tool',
    'assistant',
    'tool',
    'assistant',
  ]);
  expect(JSON.parse(new TextDecoder().decode(checkpoints?.checkpoints[0]))).toEqual(history);
});

test('the same seed gives the same reply', async () => {
  const replies: string[] = [];
  for (let i = 0; i < 2; i += 1) {
    const base = await start();
    replies.push(await (await turn(base, await open(base, 'analyst'), { text: 'Summarise freight' })).text());
  }
  expect(replies[0]).toBe(replies[1]);
});

test('a late reader sees the whole run, and goes on where it was with Last-Event-ID', async () => {
  const base = await start();
  const id = await open(base, 'support');
  const response = await turn(base, id, { text: 'Why?' });
  const text = await response.text();
  const stream = `${base}/sessions/${id}/runs/${response.headers.get('x-run')}/stream`;
  expect(await (await fetch(stream)).text()).toBe(text);
  const rest = await (await fetch(stream, { headers: { 'last-event-id': '2' } })).text();
  expect(text.endsWith(rest)).toBe(true);
  expect(rest).toMatch(/^id: 3\n/);
});

test('only the last two runs can be read again', async () => {
  const base = await start();
  const id = await open(base, 'support');
  for (let i = 0; i < 3; i += 1) await (await turn(base, id, { text: `Question ${i}` })).text();
  const status = async (run: number): Promise<number> => {
    const response = await fetch(`${base}/sessions/${id}/runs/${run}/stream`);
    await response.text();
    return response.status;
  };
  expect([await status(1), await status(2), await status(3)]).toEqual([404, 200, 200]);
});

test('a client who leaves cancels the run, unless it runs in the background', async () => {
  const base = await start({ tokenMs: 5 });
  for (const background of [false, true]) {
    const id = await open(base, 'analyst');
    const client = new AbortController();
    const response = await turn(base, id, { text: 'Summarise tides', background }, client.signal);
    await response.body?.getReader().read();
    client.abort();
    const session = service?.sessions.use(id);
    await session?.run?.finished;
    const text = await (await fetch(`${base}/sessions/${id}/runs/1/stream`)).text();
    expect(events(text).at(-1)).toBe(background ? 'done' : 'cancelled');
  }
});

test('a session is deleted once, with the run it is in', async () => {
  const base = await start({ tokenMs: 50 });
  const id = await open(base, 'planner');
  const reading = turn(base, id, { text: 'Say more on ballast' }).then((response) => response.text());
  await expect.poll(() => service?.sessions.use(id)?.run).toBeDefined();
  expect((await fetch(`${base}/sessions/${id}`, { method: 'DELETE' })).status).toBe(204);
  await reading;
  expect((await fetch(`${base}/sessions/${id}`, { method: 'DELETE' })).status).toBe(404);
  expect(service?.sessions.size).toBe(0);
});

test('what cannot be served says why', async () => {
  const base = await start({ maxSessions: 1, tokenMs: 50 });
  const id = await open(base, 'planner');
  const said = async (method: string, path: string, body?: string): Promise<string> => {
    const response = await fetch(`${base}${path}`, { method, ...(body === undefined ? {} : { body }) });
    return `${response.status} ${((await response.json()) as { error: string }).error}`;
  };
  const busy = turn(base, id, { text: 'Why?' });
  await expect.poll(() => service?.sessions.use(id)?.run).toBeDefined();
  expect([
    await said('GET', '/nothing'),
    await said('POST', '/sessions', '{"agent":"juggler"}'),
    await said('POST', '/sessions', 'no json'),
    await said('POST', '/sessions', '[]'),
    await said('POST', '/sessions'),
    await said('POST', '/sessions/99/turns', '{"text":"hi"}'),
    await said('POST', `/sessions/${id}/turns`, '{}'),
    await said('POST', `/sessions/${id}/turns`, '{"text":"hi"}'),
    await said('POST', `/sessions/${id}/turns`, JSON.stringify({ text: 'x'.repeat(300_000) })),
    await said('GET', `/sessions/${id}/runs/9/stream`),
    await said('DELETE', '/sessions/99'),
  ]).toMatchInlineSnapshot(`
    [
      "404 There is no GET /nothing.",
      "400 There is no agent "juggler": planner, analyst, support.",
      "400 The body is no JSON.",
      "400 The body must be a JSON object.",
      "503 The server is full: close a session or try later.",
      "404 There is no session 99.",
      "400 A turn needs a "text".",
      "409 Run 1 of session 1 is still in progress.",
      "413 A body may have at most 262144 bytes.",
      "404 Run 9 of session 1 cannot be read any more.",
      "404 There is no session 99.",
    ]
  `);
  await fetch(`${base}/sessions/${id}`, { method: 'DELETE' });
  await (await busy).text();
});

test('draining refuses new work, lets runs finish and then closes everything', async () => {
  const base = await start({ tokenMs: 20 });
  const id = await open(base, 'support');
  const running = turn(base, id, { text: 'Why?' });
  await expect.poll(() => service?.sessions.use(id)?.run).toBeDefined();
  const drained = service?.drain(10_000);
  expect((await fetch(`${base}/healthz`)).status).toBe(503);
  expect((await fetch(`${base}/sessions`, { method: 'POST' })).status).toBe(503);
  expect(events(await (await running).text()).at(-1)).toBe('done');
  await drained;
  expect(service?.sessions.size).toBe(0);
});

test('a run that is still going at the deadline is cancelled', async () => {
  const base = await start({ tokenMs: 60_000 });
  const id = await open(base, 'support');
  const running = turn(base, id, { text: 'Why?' });
  await expect.poll(() => service?.sessions.use(id)?.run).toBeDefined();
  await service?.drain(10);
  expect(events(await (await running).text()).at(-1)).toBe('cancelled');
});

test('idle sessions are swept without being asked', async () => {
  const base = await start({ idleMs: 40 });
  await open(base, 'support');
  await expect
    .poll(async () => (await fetch(`${base}/healthz`)).json())
    .toEqual({ status: 'ok', sessions: 0 });
});

/** A process whose memory is short, with orders of a ladder in force. */
function short(): ReturnType<typeof admission> {
  const control = admission();
  control.govern({ mode: 'enforce' });
  control.observe({
    level: 'emergency',
    usedBytes: 390,
    limitBytes: 400,
    source: 'heap',
    rule: 'limits.heap',
    freeBytes: 10,
    inFlight: () => 4,
  });
  return control;
}

test('while memory is short new sessions are refused with a time to come back; open ones and management go on', async () => {
  const base = await start();
  const id = await open(base, 'planner');
  const control = short();
  control.refuse({ except: [], retryAfterMs: { min: 5000, max: 20_000 }, reason: 'ladder.emergency[1]' });
  control.clamp({ depth: 0, reason: 'ladder.critical[1]' });
  const refused = await fetch(`${base}/sessions`, { method: 'POST', body: '{"agent":"support"}' });
  expect(refused.status).toBe(503);
  expect(refused.headers.get('content-type')).toBe('application/problem+json');
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThanOrEqual(5);
  expect(await refused.json()).toMatchObject({
    code: 'PLM_ADMIT_REFUSED',
    point: 'session',
    retryable: true,
  });

  const text = await (await turn(base, id, { text: 'Compare with tides' })).text();
  expect(events(text).at(-1)).toBe('done');
  expect(text).toContain('Memory is short: this was refused');

  expect((await fetch(`${base}/healthz`)).status).toBe(200);
  expect((await fetch(`${base}/readyz`)).status).toBe(200);
  expect(await (await fetch(`${base}/admin/pressure`)).json()).toMatchObject({
    isUnderPressure: true,
  });
  expect((await fetch(`${base}/admin/other`)).status).toBe(404);
});

test('a process that drains is not ready and takes no turn', async () => {
  const base = await start();
  const id = await open(base, 'support');
  short().drain('restart');
  expect((await fetch(`${base}/readyz`)).status).toBe(503);
  expect((await fetch(`${base}/healthz`)).status).toBe(200);
  const refused = await turn(base, id, { text: 'Why?' });
  expect(refused.status).toBe(503);
  expect(await refused.json()).toMatchObject({ code: 'PLM_ADMIT_DRAINING' });
});
