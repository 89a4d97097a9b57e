import { expect, test } from 'vitest';
import { frontAgents } from '../agent/agent.ts';
import type { Agent } from '../agent/agent.ts';
import type { LeakName } from '../leak.ts';
import { CheckpointStore } from '../run/checkpoint-store.ts';
import { ReplayBuffer } from '../run/replay-buffer.ts';
import { ReplayRegistry } from '../run/replay-registry.ts';
import { openPlain } from '../scope/plain-scope.ts';
import { SessionStore } from './session-store.ts';
import type { Session } from './session.ts';

const planner = frontAgents.get('planner') as Agent;

function storeWith(...names: LeakName[]) {
  const leaks = new Set(names);
  const clock = { now: 0 };
  const checkpoints = new CheckpointStore(leaks);
  const replays = new ReplayRegistry(leaks);
  const store = new SessionStore({
    maxSessions: 3,
    idleMs: 1000,
    leaks,
    openScope: openPlain,
    checkpoints,
    replays,
    now: () => clock.now,
  });
  return { store, clock, checkpoints, replays };
}

/** Gives the session what a turn leaves behind. */
function fill({ checkpoints, replays }: ReturnType<typeof storeWith>, session: Session): void {
  for (const run of [1, 2, 3]) session.state.replays.set(run, new ReplayBuffer(1000, () => {}));
  replays.trim(session.state.replays, 2);
  checkpoints.save(session.state.checkpoints, { turn: 1 });
  checkpoints.save(session.state.checkpoints, { turn: 2 });
}

test('a closed session is gone from everywhere', async () => {
  const parts = storeWith();
  const session = parts.store.open(planner) as Session;
  fill(parts, session);
  expect(await parts.store.close(session.id, 'deleted')).toBe(true);
  expect(parts.store.use(session.id)).toBeUndefined();
  expect([parts.store.sessions.size, parts.replays.sessions.size, parts.checkpoints.threads.size]).toEqual([
    0, 0, 0,
  ]);
  expect(await parts.store.close(session.id, 'deleted')).toBe(false);
});

test('only the last checkpoint and the last runs of a session are kept', () => {
  const parts = storeWith();
  const session = parts.store.open(planner) as Session;
  fill(parts, session);
  expect(session.state.checkpoints.checkpoints).toHaveLength(1);
  expect([...session.state.replays.keys()]).toEqual([2, 3]);
  expect(parts.replays.find(session.id, 3)).toBeDefined();
});

test.each([
  ['session-map', [1, 0, 0]],
  ['replay-buffer', [0, 1, 0]],
  ['checkpoints', [0, 0, 1]],
] as const)('the %s leak keeps exactly its own part of a closed session', async (leak, kept) => {
  const parts = storeWith(leak);
  const session = parts.store.open(planner) as Session;
  fill(parts, session);
  await parts.store.close(session.id, 'deleted');
  expect([parts.store.sessions.size, parts.replays.sessions.size, parts.checkpoints.threads.size]).toEqual(
    kept,
  );
  expect(parts.store.size).toBe(0);
  expect(parts.store.use(session.id)).toBeUndefined();
});

test('idle sessions are swept, used ones and those with a run are not', async () => {
  const { store, clock } = storeWith();
  const [idle, used, busy] = [store.open(planner), store.open(planner), store.open(planner)] as [
    Session,
    Session,
    Session,
  ];
  busy.run = { cancel: async () => {} } as unknown as NonNullable<Session['run']>;
  clock.now = 900;
  store.use(used.id);
  clock.now = 1000;
  expect(await store.sweep()).toBe(1);
  expect([idle.closed, used.closed, busy.closed]).toEqual([true, false, false]);
});

test('a full store opens nothing until a session is closed', async () => {
  const { store } = storeWith();
  const first = store.open(planner) as Session;
  store.open(planner);
  store.open(planner);
  expect(store.open(planner)).toBeUndefined();
  await store.close(first.id, 'deleted');
  expect(store.open(planner)?.id).toBe('4');
});

test('closing the store closes every session', async () => {
  const { store } = storeWith();
  const session = store.open(planner) as Session;
  const { signal } = session.scope;
  await store.closeAll('shutdown');
  expect([store.size, signal.aborted]).toEqual([0, true]);
});
