import type { AgentCard, Message, Task } from '@a2a-js/sdk';
import { Role, TaskState } from '@a2a-js/sdk';
import { ClientFactory, DefaultAgentCardResolver, JsonRpcTransportFactory } from '@a2a-js/sdk/client';
import { AgentEvent, DefaultRequestHandler, InMemoryTaskStore } from '@a2a-js/sdk/server';
import { UserBuilder, agentCardHandler, jsonRpcHandler } from '@a2a-js/sdk/server/express';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { approval } from '@plimsoll/core';
import { LedgerReader } from '@plimsoll/ledger';
import { express } from '../../packages/adapters/src/a2a/express.fixture.ts';
import { addApprover } from '../../packages/host/src/protocol/approver-file.ts';
import { Host } from '../../packages/host/src/host.ts';

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function listening(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

/** The captain: an agent made with the SDK. It is told of approvals that wait, and answers each over A2A. */
async function captain(answer: (message: Message) => Promise<void>): Promise<string> {
  const app = express();
  const url = await listening(createServer(app));
  const card: AgentCard = {
    name: 'captain',
    description: 'decides',
    supportedInterfaces: [
      { url: `${url}rpc`, protocolBinding: 'JSONRPC', tenant: '', protocolVersion: '1.0' },
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
  const requestHandler = new DefaultRequestHandler(card, new InMemoryTaskStore(), {
    execute: (context, bus) => {
      bus.publish(
        AgentEvent.message({
          messageId: 'seen',
          contextId: context.contextId,
          taskId: '',
          role: Role.ROLE_AGENT,
          parts: [],
          metadata: undefined,
          extensions: [],
          referenceTaskIds: [],
        }),
      );
      return answer(context.userMessage);
    },
    cancelTask: () => Promise.resolve(),
  });
  app.use('/.well-known/agent-card.json', agentCardHandler({ agentCardProvider: requestHandler }));
  app.use('/rpc', jsonRpcHandler({ requestHandler, userBuilder: UserBuilder.noAuthentication }));
  return url;
}

/** What the captain does with an alert: it takes id and digest from the event and decides. */
async function decide(server: string, token: string, alert: Message): Promise<Task> {
  const data = alert.parts.find(({ content }) => content?.$case === 'data')?.content?.value as {
    data: { firing: { values?: { approval: string; digest: string } }[] };
  };
  const { approval: id, digest } = data.data.firing[0]?.values ?? { approval: '', digest: '' };
  const fetchImpl: typeof fetch = (input, init) => {
    const headers = new Headers(init?.headers);
    headers.set('authorization', `Bearer ${token}`);
    return fetch(input, { ...init, headers });
  };
  const client = await new ClientFactory({
    transports: [new JsonRpcTransportFactory({ fetchImpl })],
    cardResolver: new DefaultAgentCardResolver({ fetchImpl }),
  }).createFromUrl(server);
  const value = { approval: id, digest, decision: 'approve', comment: 'one level deeper is fine' };
  return (await client.sendMessage({
    tenant: '',
    message: {
      messageId: crypto.randomUUID(),
      contextId: '',
      taskId: '',
      role: Role.ROLE_USER,
      parts: [
        {
          content: { $case: 'data', value },
          metadata: undefined,
          filename: '',
          mediaType: 'application/json',
        },
      ],
      metadata: undefined,
      extensions: [],
      referenceTaskIds: [],
    },
    configuration: undefined,
    metadata: undefined,
  })) as Task;
}

/** Where approvals are taken over A2A, as the ledger has it: any free port. */
function approvalsAt(ledgerDir: string): Promise<string> {
  return vi.waitFor(() => {
    using reader = new LedgerReader(ledgerDir);
    const note = reader.audit({ kinds: ['alert'] }).find(({ body }) => body['event'] === 'a2a-server');
    return new URL('/', /http:\S+/.exec(String(note?.body['text']))?.[0]).href;
  });
}

test('a deep delegation waits, an agent is told over A2A, decides over A2A, and the delegation goes on', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'plimsoll-a2a-'));
  const ledgerDir = join(dir, 'ledger');
  const token = addApprover(join(dir, 'approvers.json'), 'agent:captain', []);
  const answers: Task[] = [];
  const captainUrl = await captain(async (alert) => {
    answers.push(await decide(await approvalsAt(ledgerDir), token, alert));
  });
  const policyFile = join(dir, 'plimsoll.yaml');
  writeFileSync(
    policyFile,
    `apiVersion: plimsoll/v1
mode: enforce
approvals:
  ops: { by: [ "agent:captain" ], ttl: 2m, on-expiry: deny, for: { delegation: { deeper-than: 4 } } }
alerts:
  urgent-wait: 10ms
  recipients:
    captain: { kind: a2a, url: "${captainUrl}", allow-private: true }
  a2a-server: { port: 0 }
`,
  );
  const host = await Host.load({
    dir,
    ledgerDir,
    policyFile,
    target: 'node test',
    maxPauseMs: 0,
    isSupervised: false,
  });
  host.start();
  closing.push(() => host.stop());
  const decided = await approval('delegation', {
    name: 'researcher',
    depth: 5,
    by: 'agent:planner',
    waitMs: 50_000,
  });
  expect(decided).toMatchObject({ state: 'approved', by: 'agent:captain' });
  await expect
    .poll(() => answers.map(({ status }) => status?.state))
    .toEqual([TaskState.TASK_STATE_COMPLETED]);
  await host.stop();
  const texts = [...new LedgerReader(ledgerDir).audit({ kinds: ['alert'] })].map(({ body }) =>
    String(body['text']),
  );
  expect(texts).toEqual(
    expect.arrayContaining([expect.stringMatching(/^sent to captain: critical memory\.approval process /)]),
  );
});
