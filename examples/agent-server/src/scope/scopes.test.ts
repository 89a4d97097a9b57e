import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { roster } from '@plimsoll/core/internal/scope/index';
import type { Scope } from '@plimsoll/core';
import { expect, test } from 'vitest';
import { AgentService } from '../agent-service.ts';
import { Client } from '../load/client.ts';
import { scopeOpener } from './scopes.ts';

test('a turn opens scopes for agent, session, run, stages, sub-agents and tools, and leaves none behind', async () => {
  const paths = new Set<string>();
  const seen = (scope: unknown): void => void paths.add((scope as Scope).path);
  subscribe('plimsoll:scope.open', seen);
  const service = new AgentService({
    openScope: scopeOpener(false),
    leaks: new Set(),
    seed: 1,
    tokenMs: 0,
    toolMs: 0,
    payloadBytes: 2048,
    idleMs: 60_000,
    maxSessions: 10,
  });
  const server = createServer(service.handle);
  server.listen(0, '127.0.0.1');
  await new Promise((done) => server.once('listening', done));
  const client = new Client(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, 2);
  const id = await client.open('planner');
  await client.turn(id, 'Compare with tides');
  await client.turn(id, 'Say more on ballast');

  expect([...paths].filter((path) => path.includes('run:1')).sort()).toMatchInlineSnapshot(`
    [
      "process/agent:planner/session:1/run:1",
      "process/agent:planner/session:1/run:1/stage:rag",
      "process/agent:planner/session:1/run:1/stage:rag/tool:search",
      "process/agent:planner/session:1/run:1/stage:reply",
      "process/agent:planner/session:1/run:1/stage:reply/agent:researcher",
      "process/agent:planner/session:1/run:1/stage:reply/agent:researcher/tool:fetch_document",
      "process/agent:planner/session:1/run:1/stage:reply/agent:researcher/tool:search",
      "process/agent:planner/session:1/run:1/stage:reply/agent:writer",
    ]
  `);
  expect([...roster.open].map((scope) => scope.path).sort()).toEqual([
    'process',
    'process/agent:planner',
    'process/agent:planner/session:1',
  ]);
  const session = [...roster.open].find((scope) => scope.kind === 'session');
  const state = service.sessions.use(id)?.state;
  const replayBytes = [...(state?.replays.values() ?? [])].reduce((sum, replay) => sum + replay.bytes, 0);
  const checkpointBytes = state?.checkpoints.checkpoints[0]?.byteLength ?? 0;
  expect(session?.account.held).toBe(replayBytes + checkpointBytes);
  expect([...roster.roots()].find((entry) => entry.scope.id === session?.id)?.roots).toEqual([
    state,
    state?.replays,
    state?.checkpoints,
  ]);

  await client.close(id);
  await service.drain(0);
  expect([...roster.open].map((scope) => scope.path)).toEqual(['process']);
  expect(roster.faults.count).toBe(0);
  unsubscribe('plimsoll:scope.open', seen);
  client.destroy();
  server.close();
});
