import { keeperRows, delegationRow } from '@plimsoll/core/keeper';
import type { KeeperRow } from '@plimsoll/core/keeper';
import { open } from '@plimsoll/core';
import { expect, test } from 'vitest';
import { isCollected } from './collect.fixture.ts';
import {
  ConversationWindow,
  DelegationBreaker,
  EventSink,
  OutputBag,
  Pool,
  ReplayBuffer,
  SessionCache,
  WeakRegistry,
} from './index.ts';

const rowOf = (name: string): Partial<KeeperRow> => {
  const found = keeperRows().find((row) => row.name === name);
  if (found === undefined) throw new Error(`no row of ${name}`);
  // Bytes of values are what the meter says; other tests look at them.
  const { bytes, ...rest } = found;
  expect(bytes).toBeGreaterThanOrEqual(0);
  return rest;
};
const none = {
  entries: null,
  boundBytes: null,
  boundEntries: null,
  parked: null,
  hitRatio: null,
  leases: null,
};

test('every keeper has a row with the same figures', async () => {
  const cache = new SessionCache<object>({ name: 'a', maxEntries: 10, maxBytes: 1e6 });
  cache.set('1', {});
  cache.get('1');
  cache.get('2');
  const lease = cache.tryAcquire('1');
  expect(rowOf('a')).toEqual({
    ...none,
    name: 'a',
    kind: 'session-cache',
    scope: null,
    entries: 1,
    boundBytes: 1e6,
    boundEntries: 10,
    hitRatio: 2 / 3,
    leases: 1,
  });
  lease?.release();

  using buffer = new ReplayBuffer<object>({ name: 'b', maxBytes: 5000 });
  const reader = buffer.subscribe();
  buffer.push({ type: 'start' });
  expect(rowOf('b')).toMatchObject({
    kind: 'replay-buffer',
    entries: 1,
    boundBytes: 5000,
    parked: 0,
    leases: 1,
  });
  await reader.return();

  using window = new ConversationWindow<object>({ name: 'c', maxBytes: 9000 });
  window.append({ role: 'user', content: 'hello' });
  expect(rowOf('c')).toEqual({
    ...none,
    name: 'c',
    kind: 'conversation-window',
    scope: null,
    entries: 1,
    boundBytes: 9000,
  });

  using bag = new OutputBag({ name: 'd', maxBytes: 4000, maxOutputs: 7 });
  bag.put('x', 'y'.repeat(3000), { consumers: ['z'] });
  bag.put('y', 'z'.repeat(3000), { consumers: ['z'] });
  expect(rowOf('d')).toMatchObject({ entries: 1, parked: 1, boundBytes: 4000, boundEntries: 7 });

  using sink = new EventSink<number>({ name: 'e', capacity: 4 });
  sink.push(1);
  expect(rowOf('e')).toMatchObject({ entries: 1, boundEntries: 4, boundBytes: null });

  using registry = new WeakRegistry<object>({ name: 'f', maxEntries: 3 });
  registry.add('x', cache);
  expect(rowOf('f')).toMatchObject({ entries: 1, boundEntries: 3 });

  using pool = new Pool({ name: 'g', max: 2, create: () => new Uint8Array(8), bytesEach: 8 });
  pool.take().release();
  const taken = pool.take();
  expect(rowOf('g')).toMatchObject({ entries: 1, boundEntries: 2, boundBytes: 16, leases: 1, hitRatio: 0.5 });
  taken.release();
  await cache.drain();
});

test('delegations are counted while they run, and refusals as a share of all', async () => {
  using breaker = new DelegationBreaker({ name: 'h', total: 10, depth: 2 });
  await breaker.run({ agent: 'planner' }, () =>
    breaker.run({ agent: 'writer' }, async () => {
      expect(delegationRow()).toEqual({ active: 2, depth: 2, denied: 0, started: 2, blockedRatio: 0 });
      await breaker.run({ agent: 'checker' }, () => 1).catch(() => 2);
    }),
  );
  expect(delegationRow()).toEqual({ active: 0, depth: 0, denied: 1, started: 2, blockedRatio: 1 / 3 });
});

test('a keeper names its scope while the scope is open, and leaves when nobody holds it', async () => {
  let scope: ReturnType<typeof open> | undefined = open('session', '42');
  const home = scope.path;
  let sink: EventSink<number> | undefined = new EventSink<number>({ name: 'owned', capacity: 4, scope });
  sink.push(1);
  expect(rowOf('owned').scope).toBe(home);
  await scope.close();
  scope = undefined;
  expect(rowOf('owned').scope).toBeNull();
  const ref = new WeakRef(sink);
  sink = undefined;
  expect(await isCollected(ref)).toBe(true);
  expect(keeperRows().some(({ name }) => name === 'owned')).toBe(false);
});
