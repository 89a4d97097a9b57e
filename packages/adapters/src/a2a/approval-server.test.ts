import { connect } from 'node:net';
import type { Task } from '@a2a-js/sdk';
import { Role, TaskState } from '@a2a-js/sdk';
import type { Client } from '@a2a-js/sdk/client';
import { ClientFactory, DefaultAgentCardResolver, JsonRpcTransportFactory } from '@a2a-js/sdk/client';
import { createServer, request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { express } from './express.fixture.ts';
import { approvalHandler } from './approval-handler.ts';
import { ApprovalServer } from './approval-server.ts';
import type { A2aApprover } from './approval-view.ts';
import { deskOf } from './desk.fixture.ts';

const approvers: Readonly<Record<string, A2aApprover>> = {
  'token-captain': { by: 'agent:captain', groups: [] },
  'token-eve': { by: 'agent:eve', groups: [] },
  'token-ann': { by: 'user:ann', groups: ['sre'] },
};
const authenticate = (token: string): A2aApprover | undefined => approvers[token];

let open: { close(): void }[] = [];
const consoleCalls: unknown[][] = [];
const consoleBefore = { ...console };
beforeEach(() => {
  const record = (...args: unknown[]): void => void consoleCalls.push(args);
  Object.assign(console, { log: record, info: record, warn: record, error: record, debug: record });
});
afterEach(() => {
  Object.assign(console, consoleBefore);
  for (const each of open) each.close();
  open = [];
  // Whatever was sent, nothing of it may reach the log of the program.
  expect(consoleCalls.splice(0)).toEqual([]);
});

async function served(quorum = 1, more: { mostTasks?: number; keepTasksMs?: number } = {}) {
  const { desk, clock, file } = deskOf(quorum);
  const server = await ApprovalServer.start({
    port: 0,
    approvals: desk,
    authenticate,
    service: 'checkout',
    now: () => clock.now(),
    ...more,
  });
  open.push(server, desk);
  return { desk, clock, file, server };
}

/** A client as any agent would make it, with the real SDK. */
function clientOf(url: string, token: string): Promise<Client> {
  const fetchImpl: typeof fetch = (input, init) => {
    const headers = new Headers(init?.headers);
    headers.set('authorization', `Bearer ${token}`);
    return fetch(input, { ...init, headers });
  };
  return new ClientFactory({
    transports: [new JsonRpcTransportFactory({ fetchImpl })],
    cardResolver: new DefaultAgentCardResolver({ fetchImpl }),
  }).createFromUrl(url);
}

function message(data: unknown, task?: Task, more: Record<string, unknown> = {}) {
  const isText = typeof data === 'string';
  return {
    tenant: '',
    message: {
      messageId: crypto.randomUUID(),
      contextId: '',
      taskId: task?.id ?? '',
      role: Role.ROLE_USER,
      parts: [
        {
          content: isText ? { $case: 'text' as const, value: data } : { $case: 'data' as const, value: data },
          metadata: undefined,
          filename: '',
          mediaType: '',
        },
      ],
      metadata: undefined,
      extensions: [],
      referenceTaskIds: [],
      ...more,
    },
    configuration: undefined,
    metadata: undefined,
  };
}

const send = async (client: Client, data: unknown, task?: Task): Promise<Task> =>
  (await client.sendMessage(message(data, task))) as Task;
const textOf = (task: Task): string => {
  const content = task.status?.message?.parts[0]?.content;
  return content?.$case === 'text' ? content.value : '';
};
const stateOf = (task: Task): string | undefined => TaskState[task.status?.state ?? 0];

describe('a decision over A2A', () => {
  test('a task needs input until its approval is decided, and then carries the decision', async () => {
    const { desk, file, server } = await served();
    const row = file('process/session:42');
    const captain = await clientOf(server.url, 'token-captain');
    const asked = await send(captain, { approval: row.id });
    expect(stateOf(asked)).toBe('TASK_STATE_INPUT_REQUIRED');
    expect(asked.metadata).toEqual({
      approval: row.id,
      digest: row.digest,
      deadline: new Date(row.deadlineAt).toISOString(),
    });
    expect(textOf(asked).replaceAll(row.id, 'ID').replaceAll(row.digest, 'DIGEST')).toMatchInlineSnapshot(
      `"approval ID: scope.stop on process/session:42, because it holds 71.4 MiB of 64.0 MiB. one approval is missing; no answer until 2026-01-01T00:02:00.000Z means skip. Answer in this task with a data part { "decision": "approve" or "deny", "digest": "DIGEST", "comment": "..." }, or with the text "approve DIGEST"."`,
    );
    const [, data] = asked.status?.message?.parts ?? [];
    expect(data?.content).toEqual({ $case: 'data', value: JSON.parse(JSON.stringify(row)) });

    const done = await send(captain, { decision: 'approve', digest: row.digest, comment: 'go on' }, asked);
    expect(stateOf(done)).toBe('TASK_STATE_COMPLETED');
    expect(desk.row(row.id)).toMatchObject({
      state: 'approved',
      votes: [{ by: 'agent:captain', decision: 'approve', channel: 'a2a', comment: 'go on' }],
    });
    await expect(send(captain, { decision: 'deny', digest: row.digest }, asked)).rejects.toThrow('terminal');
    expect(stateOf(await captain.getTask({ tenant: '', id: asked.id }))).toBe('TASK_STATE_COMPLETED');
  });

  test('an agent that only writes text can decide, in one message, the most urgent one', async () => {
    const { desk, file, server } = await served();
    const row = file('process/session:1');
    const ann = await clientOf(server.url, 'token-ann');
    const shown = await send(ann, 'what waits?');
    expect(shown.metadata?.['approval']).toBe(row.id);
    expect(stateOf(await send(ann, `deny ${row.digest} it is in use`))).toBe('TASK_STATE_COMPLETED');
    expect(desk.row(row.id)).toMatchObject({
      state: 'denied',
      votes: [{ by: 'user:ann', comment: 'it is in use' }],
    });
    expect(textOf(await send(ann, {}))).toBe('no approval waits.');
  });

  test('a stale digest, a stranger and an unknown approval decide nothing and are told why', async () => {
    const { desk, file, server } = await served();
    const row = file('process/session:1');
    const captain = await clientOf(server.url, 'token-captain');
    const asked = await send(captain, { approval: row.id });
    const stale = await send(captain, { decision: 'approve', digest: 'sha256:0' }, asked);
    expect([stateOf(stale), textOf(stale).split(':')[0]]).toEqual([
      'TASK_STATE_INPUT_REQUIRED',
      'PLM_APPROVAL_DIGEST',
    ]);
    const eve = await clientOf(server.url, 'token-eve');
    const refused = await send(eve, { approval: row.id, decision: 'approve', digest: row.digest });
    expect(textOf(refused).split(':')[0]).toBe('PLM_APPROVAL_NOT_ALLOWED');
    expect(stateOf(await send(eve, { approval: 'none' }))).toBe('TASK_STATE_REJECTED');
    expect(desk.row(row.id)?.state).toBe('open');
    // Tasks belong to whoever opened them.
    await expect(eve.getTask({ tenant: '', id: asked.id })).rejects.toThrow('not found');
    await expect(send(eve, { decision: 'approve', digest: row.digest }, asked)).rejects.toThrow('not found');
  });

  test('with a quorum of two the task of the first goes on needing input', async () => {
    const { file, server } = await served(2);
    const row = file('process/session:1');
    const captain = await clientOf(server.url, 'token-captain');
    const ann = await clientOf(server.url, 'token-ann');
    const first = await send(captain, { approval: row.id, decision: 'approve', digest: row.digest });
    expect(stateOf(first)).toBe('TASK_STATE_INPUT_REQUIRED');
    expect(textOf(first)).toContain('your answer "approve" was taken. approval');
    expect(textOf(first)).toContain('one approval is missing');
    await send(ann, { approval: row.id, decision: 'approve', digest: row.digest });
    expect(stateOf(await captain.getTask({ tenant: '', id: first.id }))).toBe('TASK_STATE_COMPLETED');
  });

  test('expiry rejects the task, a withdrawn approval cancels it, another channel completes it', async () => {
    const { desk, clock, file, server } = await served();
    const captain = await clientOf(server.url, 'token-captain');
    const [late, needless, elsewhere] = ['a', 'b', 'c'].map((name) => file(`process/session:${name}`));
    const tasks = await Promise.all(
      [late, needless, elsewhere].map((row) => send(captain, { approval: row?.id })),
    );
    desk.withdraw(needless?.id ?? '');
    desk.decide({
      id: elsewhere?.id ?? '',
      digest: elsewhere?.digest ?? '',
      decision: 'deny',
      by: 'user:bob',
      groups: ['sre'],
      channel: 'cli',
    });
    clock.advance(121_000);
    desk.tick();
    const now = await Promise.all(tasks.map(({ id }) => captain.getTask({ tenant: '', id })));
    expect(now.map(stateOf)).toEqual(['TASK_STATE_REJECTED', 'TASK_STATE_CANCELED', 'TASK_STATE_COMPLETED']);
    expect(now.map(textOf).map((text) => text.split(' is ').at(-1))).toEqual([
      'expired.',
      'withdrawn.',
      'denied.',
    ]);
    const listed = await captain.listTasks({
      tenant: '',
      contextId: '',
      status: TaskState.TASK_STATE_REJECTED,
      pageToken: '',
      statusTimestampAfter: undefined,
    });
    expect(listed.tasks.map(({ id }) => id)).toEqual([tasks[0]?.id]);
  });

  test('cancelling a task takes nothing back from the approval', async () => {
    const { desk, file, server } = await served();
    const row = file('process/session:1');
    const captain = await clientOf(server.url, 'token-captain');
    const asked = await send(captain, { approval: row.id });
    expect(stateOf(await captain.cancelTask({ tenant: '', id: asked.id, metadata: undefined }))).toBe(
      'TASK_STATE_CANCELED',
    );
    expect(desk.row(row.id)?.state).toBe('open');
  });
});

describe('what the server refuses', () => {
  const post = (url: string, headers: Record<string, string>, body = '{}'): Promise<Response> =>
    fetch(url, { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body });
  const bearer = { authorization: 'Bearer token-captain', 'a2a-version': '1.0' };

  test('no token, a wrong one, a foreign page, a foreign host name', async () => {
    const { server } = await served();
    const none = await post(server.url, {});
    expect([none.status, none.headers.get('www-authenticate'), await none.text()]).toEqual([
      401,
      'Bearer realm="plimsoll"',
      '{"error":"a bearer token is needed"}',
    ]);
    expect((await post(server.url, { authorization: 'Bearer no' })).status).toBe(401);
    expect((await post(server.url, { ...bearer, origin: 'https://evil.example' })).status).toBe(403);
    const { port } = new URL(server.url);
    const status = await new Promise<number>((resolve) => {
      const headers = { ...bearer, host: 'evil.example', 'content-type': 'application/json' };
      httpRequest({ host: '127.0.0.1', port, method: 'POST', headers })
        .on('response', (response) => resolve(response.statusCode ?? 0))
        .end('{}');
    });
    expect(status).toBe(403);
    await expect((await clientOf(server.url, 'no')).getTask({ tenant: '', id: 'x' })).rejects.toThrow('401');
  });

  test('bodies that are too long, no JSON, or of another type', async () => {
    const { server } = await served();
    expect((await post(server.url, bearer, ' '.repeat(70_000))).status).toBe(413);
    expect((await post(server.url, bearer, '{')).status).toBe(400);
    expect((await post(server.url, { ...bearer, 'content-type': 'text/plain' })).status).toBe(415);
    expect((await fetch(server.url, { headers: bearer })).status).toBe(405);
    expect((await fetch(`${server.url}elsewhere`)).status).toBe(404);
  });

  test(
    'a body that does not come in time ends with 408 and the connection',
    { timeout: 300_000 },
    async () => {
      const { server } = await served();
      const { hostname, port } = new URL(server.url);
      const socket = connect(Number(port), hostname);
      let answer = '';
      socket.setEncoding('utf8').on('data', (text: string) => (answer += text));
      socket.on('error', () => undefined);
      socket.write(
        `POST / HTTP/1.1\r\nhost: ${hostname}\r\nauthorization: ${bearer.authorization}\r\ncontent-type: application/json\r\ncontent-length: 900\r\n\r\n{`,
      );
      const drip = setInterval(() => socket.write(' '), 100);
      await new Promise((done) => socket.once('close', done));
      clearInterval(drip);
      expect(answer).toMatch(/^HTTP\/1\.1 408 /);
      expect(answer.toLowerCase()).toContain('connection: close');
    },
  );

  test.each([
    ['not a request', [1, 2], -32_602],
    ['no method', { jsonrpc: '2.0', id: 1 }, -32_602],
    ['an unknown method', { jsonrpc: '2.0', id: 1, method: 'Nonsense', params: {} }, -32_601],
    ['a stream', { jsonrpc: '2.0', id: 1, method: 'SendStreamingMessage', params: message({}) }, -32_004],
    ['no message', { jsonrpc: '2.0', id: 1, method: 'SendMessage', params: {} }, -32_602],
    [
      'another tenant',
      { jsonrpc: '2.0', id: 1, method: 'GetTask', params: { id: 'x', tenant: 'y' } },
      -32_001,
    ],
    [
      'a push',
      {
        jsonrpc: '2.0',
        id: 1,
        method: 'CreateTaskPushNotificationConfig',
        params: { taskId: 'x', url: 'http://169.254.169.254/' },
      },
      -32_003,
    ],
  ])('%s is answered with an error of JSON-RPC', async (_, body, code) => {
    const { server } = await served();
    const answer = (await (await post(server.url, bearer, JSON.stringify(body))).json()) as {
      error?: { code: number };
    };
    expect(answer.error?.code).toBe(code);
  });

  test('another version of the protocol', async () => {
    const { server } = await served();
    const body = JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'GetTask', params: { id: 'x' } });
    const answer = (await (await post(server.url, { ...bearer, 'a2a-version': '0.3' }, body)).json()) as {
      id: number;
      error?: { code: number };
    };
    expect([answer.id, answer.error?.code]).toEqual([7, -32_009]);
  });

  test('references to other tasks, which the SDK would log, are not looked at', async () => {
    const { server, file } = await served();
    file('process/session:1');
    const captain = await clientOf(server.url, 'token-captain');
    const sent = await captain.sendMessage(message({}, undefined, { referenceTaskIds: ['a\nforged line'] }));
    expect(stateOf(sent as Task)).toBe('TASK_STATE_INPUT_REQUIRED');
  });

  test('a desk that breaks fails the task and tells nothing of why', async () => {
    const { clock } = deskOf();
    const server = await ApprovalServer.start({
      port: 0,
      authenticate,
      service: 'checkout',
      now: () => clock.now(),
      approvals: {
        rows: () => {
          throw new Error('secret detail');
        },
        row: () => undefined,
        decide: () => {
          throw new Error('secret detail');
        },
      },
    });
    open.push(server);
    const failed = await send(await clientOf(server.url, 'token-captain'), {});
    expect([stateOf(failed), textOf(failed)]).toEqual([
      'TASK_STATE_FAILED',
      'this message could not be handled.',
    ]);
  });

  test('a check of tokens that breaks lets nobody in', async () => {
    const { desk } = deskOf();
    const server = await ApprovalServer.start({
      port: 0,
      approvals: desk,
      service: 'checkout',
      authenticate: () => Promise.reject(new Error('the file with the tokens is gone')),
    });
    open.push(server, desk);
    const answer = await post(server.url, bearer);
    expect([answer.status, await answer.text()]).toEqual([
      500,
      '{"error":"this request could not be handled"}',
    ]);
  });

  test('more requests at once than there is room for', async () => {
    const { desk } = deskOf();
    let release: () => void = () => undefined;
    const gate = new Promise<undefined>((resolve) => (release = () => resolve(undefined)));
    const server = await ApprovalServer.start({
      port: 0,
      approvals: desk,
      service: 'checkout',
      authenticate: () => gate,
    });
    open.push(server, desk);
    const statuses: number[] = [];
    const all = Array.from({ length: 20 }, async () =>
      statuses.push((await post(server.url, bearer)).status),
    );
    await vi.waitFor(() => expect(statuses).toEqual([503, 503, 503, 503]));
    release();
    await Promise.all(all);
    expect(statuses.slice(4)).toEqual(Array.from({ length: 16 }, () => 401));
  });

  test('an address of its own that is none', async () => {
    const { desk } = deskOf();
    const options = { port: 0, approvals: desk, authenticate, service: 'x' };
    await expect(ApprovalServer.start({ ...options, url: 'nowhere' })).rejects.toThrow('Invalid URL');
    using six = await ApprovalServer.start({ ...options, host: '::1' });
    expect(six.url).toMatch(/^http:\/\/\[::1\]:\d+\/$/);
    expect((await fetch(`${six.url}.well-known/agent-card.json`)).status).toBe(200);
    desk.close();
  });

  test('a port that is taken', async () => {
    const { server, desk } = await served();
    const port = Number(new URL(server.url).port);
    await expect(
      ApprovalServer.start({ port, approvals: desk, authenticate, service: 'x' }),
    ).rejects.toMatchObject({
      code: 'PLM_A2A_LISTEN',
      message: `the A2A server cannot listen on 127.0.0.1:${port}: EADDRINUSE.`,
    });
  });
});

test('many tasks stay within the bound, ended ones leave first, and nobody pushes out the tasks of others', async () => {
  const { file, server } = await served(1, { mostTasks: 10 });
  const captain = await clientOf(server.url, 'token-captain');
  const eve = await clientOf(server.url, 'token-eve');
  const row = file('process/session:1');
  const kept = await send(captain, { approval: row.id });
  const first = await send(eve, { approval: 'unknown' });
  const flood: Task[] = [];
  for (let i = 0; i < 30; i++) flood.push(await send(eve, { approval: row.id }));
  expect(stateOf(await captain.getTask({ tenant: '', id: kept.id }))).toBe('TASK_STATE_INPUT_REQUIRED');
  await expect(eve.getTask({ tenant: '', id: first.id })).rejects.toThrow('not found');
  const all = await eve.listTasks({
    tenant: '',
    contextId: '',
    status: 0,
    pageSize: 4,
    pageToken: '',
    statusTimestampAfter: undefined,
  });
  expect([all.tasks.length, all.totalSize, all.nextPageToken]).toEqual([4, 9, '4']);
  expect(all.tasks[0]?.id).toBe(flood.at(-1)?.id);
});

test('tasks are let go of when their time is over', async () => {
  const { file, server, clock } = await served(1, { keepTasksMs: 60_000 });
  const captain = await clientOf(server.url, 'token-captain');
  const asked = await send(captain, { approval: file('process/session:1').id });
  clock.advance(60_001);
  await expect(captain.getTask({ tenant: '', id: asked.id })).rejects.toThrow('not found');
});

test('long messages are not kept', async () => {
  const { file, server } = await served();
  const captain = await clientOf(server.url, 'token-captain');
  const asked = await send(captain, { approval: file('process/session:1').id, note: 'x'.repeat(30_000) });
  expect((await captain.getTask({ tenant: '', id: asked.id })).history).toEqual([]);
});

test('the handler is a middleware of Express, also behind its JSON parser, and runs in the lane it is given', async () => {
  const { desk, clock, file } = deskOf();
  open.push(desk);
  const app = express();
  const http = createServer(app);
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  open.push({ close: () => http.close() });
  const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}/memory/`;
  let inLane = 0;
  const handler = await approvalHandler({
    approvals: desk,
    authenticate,
    service: 'checkout',
    version: '1.2.3',
    url,
    now: () => clock.now(),
    lane: (work) => {
      inLane++;
      return work();
    },
  });
  app.use(express.json());
  app.use('/memory', handler);
  app.get('/memory/other', (_request, response) => response.end('of the program'));
  const row = file('process/session:1');
  const captain = await clientOf(url, 'token-captain');
  expect(stateOf(await send(captain, { approval: row.id, decision: 'approve', digest: row.digest }))).toBe(
    'TASK_STATE_COMPLETED',
  );
  expect(inLane).toBe(2);
  expect(await (await fetch(`${url}other`)).text()).toBe('of the program');
  expect(await captain.getAgentCard()).toMatchObject({
    name: 'Plimsoll memory governance of checkout',
    version: '1.2.3',
    skills: [{ id: 'memory.approve' }],
    capabilities: { streaming: false, pushNotifications: false },
  });
});
