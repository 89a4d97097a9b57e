import { expect, test } from 'vitest';
import { Ranking, SampleByKind } from './rotation.ts';
import { groupOf } from './scope-groups.ts';
import type { CensusTarget } from './scope-walk.ts';

const target = (id: number): CensusTarget => ({
  id,
  kind: 'session',
  group: 'session',
  roots: [],
  marker: { state: 'open' },
});

test('new scopes come first, then used ones by size, then idle ones by size', () => {
  const ranking = new Ranking();
  ranking.add(target(1), 'idle', 1e9);
  ranking.add(target(2), 'used', 100);
  ranking.add(target(3), 'used', 1e6);
  ranking.add(target(4), 'new', 0);
  ranking.add(target(5), 'idle', 1000);
  expect(ranking.size).toBe(5);
  const order = Array.from({ length: 6 }, () => ranking.take()?.id);
  expect(order).toEqual([4, 3, 2, 1, 5, undefined]);
  expect(ranking.size).toBe(0);
});

test('of many classes of scopes each has fewer samples, and others are left out each time', () => {
  const samples = new SampleByKind();
  for (let i = 0; i < 600; i++) samples.offer({ ...target(i), group: `kind ${i % 60}` });
  const groups = Map.groupBy(samples.list(), ({ group }) => group);
  expect(groups.size).toBeGreaterThan(40);
  expect(Math.max(...[...groups.values()].map((each) => each.length))).toBe(3);
  const few = new SampleByKind();
  for (let i = 0; i < 100; i++) few.offer(target(i));
  expect(few.list()).toHaveLength(8);
  expect(new SampleByKind().list()).toEqual([]);
});

test('roots of plain objects are told apart by their first keys, without ids', () => {
  const cart = groupOf('session', [{ id: 1, items: [], total: 0, note: '' }]);
  expect(groupOf('session', [{ id: 2, items: [], total: 1 }])).toBe(cart);
  expect(groupOf('session', [{ id: 2, messages: [] }])).not.toBe(cart);
  expect(groupOf('session', [{ 'order-48213': 1 }])).toBe(groupOf('session', [{ 'order-99999': 1 }]));
  expect(groupOf('session', [new Map()])).not.toBe(groupOf('session', [{}]));
});
