import type { AgentCard, Message, Task } from '@a2a-js/sdk';
import { Role, TaskState } from '@a2a-js/sdk';
import type { AgentExecutor } from '@a2a-js/sdk/server';
import { AgentEvent, DefaultRequestHandler, InMemoryTaskStore } from '@a2a-js/sdk/server';
import { UserBuilder, agentCardHandler, jsonRpcHandler, restHandler } from '@a2a-js/sdk/server/express';
import type { Notice } from '@plimsoll/govern/internal/alert/alert';
import type { RecipientRule } from '@plimsoll/govern/internal/policy/sections/alert-rules';
import { AlertRouter } from '@plimsoll/govern/internal/alert/alert-router';
import { DeliveryError } from '@plimsoll/govern/internal/alert/sinks/sink';
import { builtInPolicy } from '@plimsoll/govern/internal/policy/built-in';
import { createServer } from 'node:http';
import type { IncomingMessage, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test, vi } from 'vitest';
import { express } from './express.fixture.ts';
import { A2aSink } from './a2a-sink.ts';
import { load } from './sdk.ts';

const notice: Notice = {
  id: '7a0b2c3d-0000-4000-8000-000000000001',
  recipient: 'coordinator',
  group: { service: 'checkout', level: 'critical' },
  level: 'critical',
  at: Date.UTC(2026, 0, 1),
  firing: [
    {
      fingerprint: 'ab12',
      labels: {
        alertname: 'memory.level',
        level: 'critical',
        service: 'checkout',
        pod: 'pod-1',
        kind: 'session',
        subject: '',
      },
      status: 'firing',
      startsAt: Date.UTC(2026, 0, 1),
      endsAt: null,
      summary: '3 scopes of kind session are at critical or above.',
      offenders: [],
      offenderCount: 0,
      actions: [],
    },
  ],
  resolved: [],
  stillFiring: 0,
};

const rule = (url: string, more: Partial<RecipientRule> = {}): RecipientRule => ({
  name: 'coordinator',
  kind: 'a2a',
  url,
  timeoutMs: 1000,
  attempts: 2,
  resendMs: 60_000,
  allowPrivate: true,
  place: { file: 'plimsoll.yaml', line: 1, column: 1 },
  ...more,
});

let servers: Server[] = [];
afterEach(() => {
  for (const server of servers) {
    server.closeAllConnections();
    server.close();
  }
  servers = [];
});

/** An agent made with the SDK as its users make one, over JSON-RPC or REST. */
async function agent(
  options: { state?: TaskState; binding?: 'JSONRPC' | 'HTTP+JSON'; cardUrl?: (own: string) => string } = {},
) {
  const app = express();
  const server = createServer(app);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  servers.push(server);
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const { state, binding = 'JSONRPC' } = options;
  const path = binding === 'JSONRPC' ? 'rpc' : 'rest';
  const card: AgentCard = {
    name: 'coordinator',
    description: 'takes alerts',
    supportedInterfaces: [
      {
        url: options.cardUrl?.(url) ?? `${url}${path}`,
        protocolBinding: binding,
        tenant: '',
        protocolVersion: '1.0',
      },
    ],
    provider: undefined,
    version: '1',
    capabilities: { extensions: [] },
    securitySchemes: {},
    securityRequirements: [],
    defaultInputModes: [],
    defaultOutputModes: [],
    skills: [],
    signatures: [],
  };
  const got: Message[] = [];
  const tokens: (string | undefined)[] = [];
  const executor: AgentExecutor = {
    execute: (context, bus) => {
      got.push(context.userMessage);
      const ids = { contextId: context.contextId, taskId: context.taskId };
      if (state === undefined)
        bus.publish(
          AgentEvent.message({
            ...ids,
            messageId: 'answer',
            role: Role.ROLE_AGENT,
            parts: [],
            metadata: undefined,
            extensions: [],
            referenceTaskIds: [],
          }),
        );
      else {
        const task: Task = {
          id: context.taskId,
          contextId: context.contextId,
          status: { state, message: undefined, timestamp: undefined },
          artifacts: [],
          history: [],
          metadata: undefined,
        };
        bus.publish(AgentEvent.task(task));
      }
      return Promise.resolve();
    },
    cancelTask: () => Promise.resolve(),
  };
  const requestHandler = new DefaultRequestHandler(card, new InMemoryTaskStore(), executor);
  app.use((request: IncomingMessage, _response: unknown, next: () => void) => {
    tokens.push(request.headers.authorization);
    next();
  });
  app.use('/.well-known/agent-card.json', agentCardHandler({ agentCardProvider: requestHandler }));
  app.use('/rpc', jsonRpcHandler({ requestHandler, userBuilder: UserBuilder.noAuthentication }));
  app.use('/rest', restHandler({ requestHandler, userBuilder: UserBuilder.noAuthentication }));
  return { url, got, tokens };
}

const deliver = (sink: A2aSink): Promise<void> => sink.deliver(notice, AbortSignal.timeout(2000));
const failureOf = async (sink: A2aSink): Promise<DeliveryError> => {
  const error: unknown = await deliver(sink).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(DeliveryError);
  return error as DeliveryError;
};

test.each(['JSONRPC', 'HTTP+JSON'] as const)(
  'an agent of the SDK gets the notice over %s, with the CloudEvent as data',
  async (binding) => {
    const { url, got, tokens } = await agent({ binding });
    const sink = new A2aSink(rule(url, { token: { env: 'COORDINATOR_TOKEN' } }), {
      env: { COORDINATOR_TOKEN: 's3cret' },
    });
    await deliver(sink);
    await deliver(sink);
    expect(got.map(({ messageId }) => messageId)).toEqual([notice.id, notice.id]);
    const [text, data] = got[0]?.parts ?? [];
    expect(text?.content).toEqual({
      $case: 'text',
      value:
        'CRITICAL: 1 alert of checkout on pod-1 fires\ncritical memory.level (session): 3 scopes of kind session are at critical or above.',
    });
    expect(data?.mediaType).toBe('application/cloudevents+json');
    expect(data?.content).toMatchObject({
      $case: 'data',
      value: {
        specversion: '1.0',
        id: notice.id,
        type: 'dev.plimsoll.alert.firing',
        source: '/plimsoll/checkout/pod-1',
        data: { level: 'critical', firing: [{ fingerprint: 'ab12' }] },
      },
    });
    // The card is fetched once; the token goes with every request.
    expect(tokens).toEqual(['Bearer s3cret', 'Bearer s3cret', 'Bearer s3cret']);
  },
);

test('a task that goes on is an arrival; one that was rejected or failed is not', async () => {
  const working = await agent({ state: TaskState.TASK_STATE_WORKING });
  await deliver(new A2aSink(rule(working.url)));
  for (const state of [TaskState.TASK_STATE_REJECTED, TaskState.TASK_STATE_FAILED]) {
    const error = await failureOf(new A2aSink(rule((await agent({ state })).url)));
    expect([error.final, error.message]).toEqual([
      true,
      `the agent "coordinator" answered with the task state ${TaskState[state]}.`,
    ]);
  }
});

test('a full address of a card is taken as it is', async () => {
  const { url, got } = await agent();
  await deliver(new A2aSink(rule(`${url}.well-known/agent-card.json`)));
  expect(got).toHaveLength(1);
});

test('a card that points to another origin does not get the token', async () => {
  const thief = await agent();
  const { url, got } = await agent({ cardUrl: () => `${thief.url}rpc` });
  await deliver(new A2aSink(rule(url, { token: { env: 'T' } }), { env: { T: 's3cret' } }));
  expect(thief.tokens).toEqual([undefined]);
  expect(got).toHaveLength(0);
});

test('private addresses are refused, also when a card of a public one names them', async () => {
  const { url } = await agent();
  const error = await failureOf(new A2aSink(rule(url, { allowPrivate: false })));
  expect([error.final, error.message]).toEqual([
    true,
    '127.0.0.1 is the private address 127.0.0.1, which is refused.',
  ]);
});

test('a dead agent, a silent one, a wrong one and a missing secret are said without the address', async () => {
  const { url } = await agent();
  const { port } = new URL(url);
  servers.pop()?.close();
  const dead = await failureOf(new A2aSink(rule(`http://127.0.0.1:${port}/`)));
  expect([dead.final, dead.message]).toEqual([false, `connect ECONNREFUSED 127.0.0.1:${port}`]);

  const silent = createServer(() => undefined);
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  servers.push(silent);
  const silentUrl = `http://127.0.0.1:${(silent.address() as AddressInfo).port}/path-with-secret`;
  const slow = await failureOf(new A2aSink(rule(silentUrl, { timeoutMs: 100 })));
  expect(slow.message).toBe('The operation was aborted due to timeout');

  const wrong = createServer((_request, response) => response.writeHead(404).end());
  await new Promise<void>((resolve) => wrong.listen(0, '127.0.0.1', resolve));
  servers.push(wrong);
  const wrongUrl = `http://127.0.0.1:${(wrong.address() as AddressInfo).port}/path-with-secret`;
  expect((await failureOf(new A2aSink(rule(wrongUrl)))).message).toBe(
    'Failed to fetch Agent Card from its address 404',
  );

  const missing = await failureOf(new A2aSink(rule('', { url: { env: 'NO_SUCH' } }), { env: {} }));
  expect([missing.final, missing.message]).toEqual([
    true,
    'the secret of recipient "coordinator" cannot be used: it is not set.',
  ]);
});

test('a dead agent harms neither the router nor the others, and its losses are counted', async () => {
  const alive = await agent();
  const events: string[] = [];
  const recipients = [rule(alive.url), { ...rule('http://127.0.0.1:9/'), name: 'captain', attempts: 1 }];
  const names = recipients.map(({ name }) => name);
  using router = new AlertRouter({
    rules: {
      ...builtInPolicy.alerts,
      urgentWaitMs: 0,
      routes: { warning: names, critical: names, emergency: names },
    },
    recipients: recipients.map((each) => ({ rule: each, sink: new A2aSink(each) })),
    service: 'checkout',
    pod: 'pod-1',
    onEvent: (event) =>
      events.push(
        event.event === 'sent' || event.event === 'lost'
          ? `${event.event} ${event.notice.recipient}`
          : event.event,
      ),
  });
  router.raise({ name: 'memory.rollback', level: 'emergency', summary: 'shadow mode, because of growth.' });
  await vi.waitFor(() => expect(events.toSorted()).toEqual(['lost captain', 'sent coordinator']));
  expect(alive.got).toHaveLength(1);
  expect(router.counts.recipients).toMatchObject({
    captain: { lost: 1, sent: 0 },
    coordinator: { lost: 0, sent: 1 },
  });
});

test('without the SDK the error says how to install it', async () => {
  const missing = load(() => import('no-such-package' as string));
  await expect(missing).rejects.toMatchObject({
    code: 'PLM_A2A_SDK_MISSING',
    fix: 'run "npm install @a2a-js/sdk@1.3.0".',
  });
});
