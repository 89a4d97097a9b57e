import { expect, test } from 'vitest';
import {
  delegationRow,
  homeOf,
  keeperRows,
  keepers,
  registerKeeper,
  registerKeeperWeakly,
} from './keeper-roster.ts';
import type { Keeper } from './keeper-roster.ts';

function fake(name: string): Keeper {
  return { name, kind: 'fake', bytes: 1, stats: () => ({}), shed: () => Promise.resolve(0) };
}

test('the roster lists keepers until they are removed', () => {
  const keeper = fake('one');
  const remove = registerKeeper(keeper);
  expect(keepers()).toContain(keeper);
  remove();
  expect(keepers()).not.toContain(keeper);
});

async function collect(): Promise<void> {
  for (let i = 0; i < 4; i++) {
    await new Promise((resolve) => setImmediate(resolve));
    globalThis.gc?.();
  }
}

test('a keeper that only the roster holds stays until it is removed', async () => {
  const remove = (() => registerKeeper(fake('made for the call')))();
  await collect();
  const names = (): string[] => keepers().map(({ name }) => name);
  expect(names()).toContain('made for the call');
  remove();
  expect(names()).not.toContain('made for the call');
});

test('weakly listed keepers that nobody holds leave by themselves, and the roster stays small', async () => {
  for (let i = 0; i < 500; i++) registerKeeperWeakly(fake(`dropped ${i}`));
  await collect();
  expect(keepers().filter((keeper) => keeper.name.startsWith('dropped'))).toHaveLength(0);
});

test('a keeper may say which scope it charges', () => {
  const [here, nowhere] = [fake('here'), fake('nowhere')];
  const removes = [registerKeeper(here, 'process/agent:a'), registerKeeper(nowhere)];
  expect([homeOf(here), homeOf(nowhere)]).toEqual(['process/agent:a', undefined]);
  for (const remove of removes) remove();
});

test('a keeper that left the roster has no scope any more', () => {
  const [held, weak] = [fake('held'), fake('weak')];
  const leave = [
    registerKeeper(held, 'process/agent:a'),
    registerKeeperWeakly(weak, () => 'process/agent:b'),
  ];
  expect([homeOf(held), homeOf(weak)]).toEqual(['process/agent:a', 'process/agent:b']);
  for (const each of leave) each();
  expect([homeOf(held), homeOf(weak)]).toEqual([undefined, undefined]);
});

test('rows say null for what a keeper does not have, and for no bound', () => {
  const full: Keeper = {
    ...fake('full'),
    bytes: 100,
    figures: () => ({ entries: 3, boundBytes: Number.POSITIVE_INFINITY, boundEntries: 5, hitRatio: 0.5 }),
  };
  const broken: Keeper = {
    ...fake('broken'),
    get bytes(): number {
      throw new Error('no bytes');
    },
    figures: () => {
      throw new Error('no figures');
    },
  };
  const removes = [registerKeeper(full, 'process'), registerKeeper(broken, 'process/agent:a')];
  const nothing = {
    entries: null,
    boundBytes: null,
    boundEntries: null,
    parked: null,
    hitRatio: null,
    leases: null,
  };
  expect(keeperRows().filter(({ kind }) => kind === 'fake')).toEqual([
    {
      ...nothing,
      name: 'full',
      kind: 'fake',
      scope: null,
      bytes: 100,
      entries: 3,
      boundEntries: 5,
      hitRatio: 0.5,
    },
    { ...nothing, name: 'broken', kind: 'fake', scope: 'process/agent:a', bytes: 0 },
  ]);
  for (const remove of removes) remove();
});

test('delegations of all breakers are one row; without a breaker there is none', () => {
  expect(delegationRow()).toBeNull();
  const breaker = (name: string, depth: number): Keeper => ({
    ...fake(name),
    delegations: () => ({ active: 2, depth, denied: 1, started: 3 }),
  });
  const removes = [registerKeeper(breaker('a', 4)), registerKeeper(breaker('b', 2))];
  expect(delegationRow()).toEqual({ active: 4, depth: 4, denied: 2, started: 6, blockedRatio: 0.25 });
  for (const remove of removes) remove();
});
