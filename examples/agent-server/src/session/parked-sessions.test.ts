import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { keepers } from '@plimsoll/core/keeper';
import type { Keeper } from '@plimsoll/core/keeper';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { frontAgents } from '../agent/agent.ts';
import type { Agent } from '../agent/agent.ts';
import type { Leaks } from '../leak.ts';
import { CheckpointStore } from '../run/checkpoint-store.ts';
import { ReplayBuffer } from '../run/replay-buffer.ts';
import { ReplayRegistry } from '../run/replay-registry.ts';
import { scopeOpener } from '../scope/scopes.ts';
import { SessionStore } from './session-store.ts';
import type { Session } from './session.ts';

const planner = frontAgents.get('planner') as Agent;
let parkDir: string;
let stores: SessionStore[];

beforeEach(() => {
  parkDir = mkdtempSync(join(tmpdir(), 'agent-parked-'));
  stores = [];
});

afterEach(async () => {
  for (const store of stores) await store.closeAll('test over');
  rmSync(parkDir, { recursive: true });
});

/** A life of the server, as far as sessions go. */
function life(leaks: Leaks = new Set()): SessionStore {
  const store = new SessionStore({
    maxSessions: 10,
    idleMs: 60_000,
    leaks,
    openScope: scopeOpener(false),
    checkpoints: new CheckpointStore(leaks),
    replays: new ReplayRegistry(leaks),
    parkDir,
  });
  stores.push(store);
  return store;
}

function fill(session: Session): void {
  session.runs = 1;
  session.state.history.push({ role: 'user', content: 'What about tides?' });
  session.state.documents.set('d1', 'a document');
  session.state.checkpoints.checkpoints.push(new ArrayBuffer(64));
  const replay = new ReplayBuffer(1000, () => undefined);
  replay.append('done', {});
  replay.end();
  session.state.replays.set(1, replay);
}

const sessionKeeper = (): Keeper => keepers().findLast(({ name }) => name === 'agent-sessions') as Keeper;
const parkAll = (): Promise<number> => sessionKeeper().shed({ bytes: 1024 ** 3 });

test('a session that is parked under pressure comes back whole', async () => {
  const store = life();
  const session = store.open(planner) as Session;
  fill(session);
  const { bytes } = session;
  expect(sessionKeeper().bytes).toBeGreaterThan(0);
  expect(await parkAll()).toBeGreaterThan(1000);
  expect([store.size, store.sessions.size, session.closed]).toEqual([0, 0, true]);
  expect(readdirSync(parkDir)).toHaveLength(1);

  const back = (await store.find(session.id)) as Session;
  expect(back).not.toBe(session);
  expect(back.agent.name).toBe('planner');
  expect(back.runs).toBe(1);
  expect(back.state.history).toEqual(session.state.history);
  expect(back.state.documents.get('d1')).toBe('a document');
  expect(back.state.checkpoints.checkpoints[0]?.byteLength).toBe(64);
  expect(
    (await Array.fromAsync(back.state.replays.get(1)?.read(0, new AbortController().signal) ?? [])).join(''),
  ).toBe('id: 1\nevent: done\ndata: {}\n\n');
  expect(back.bytes).toBe(bytes);
  expect(store.size).toBe(1);
});

test('another life finds what was parked, and never gives its id away', async () => {
  const first = life();
  const session = first.open(planner) as Session;
  fill(session);
  await parkAll();
  await first.closeAll('restart');
  const second = life();
  expect((await second.find(session.id))?.state.history).toHaveLength(1);
  expect(second.use(session.id)).toBeDefined();
});

test('a session in use is neither parked nor evicted', async () => {
  const store = life();
  const session = store.open(planner) as Session;
  const lease = session.lease();
  expect(await parkAll()).toBe(0);
  expect(store.use(session.id)).toBe(session);
  lease.release();
  expect(await parkAll()).toBeGreaterThan(0);
});

test('a session that is deleted leaves no parked copy', async () => {
  const store = life();
  const session = store.open(planner) as Session;
  await parkAll();
  await store.find(session.id);
  expect(await store.close(session.id, 'deleted')).toBe(true);
  expect(readdirSync(parkDir)).toEqual([]);
  expect(await store.find(session.id)).toBeUndefined();
  expect(await store.find('never-there')).toBeUndefined();
});

test('the planted leak holds parked sessions too', async () => {
  const store = life(new Set(['session-map'] as const));
  const session = store.open(planner) as Session;
  await parkAll();
  expect(store.sessions.get(session.id)).toBe(session);
  expect(store.use(session.id)).toBeUndefined();
});
