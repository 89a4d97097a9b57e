import { expect, test } from 'vitest';
import { Ranking } from './rotation.ts';
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
