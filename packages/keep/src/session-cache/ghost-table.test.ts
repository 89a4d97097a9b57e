import { expect, test } from 'vitest';
import { GhostTable } from './ghost-table.ts';

const all: readonly [number, number] = [1000, 1000];

test('an id that left is known once, with its list and weight', () => {
  const ghosts = new GhostTable();
  ghosts.add('a', 7, 0, 10);
  ghosts.add('b', 9, 1, 10);
  expect(ghosts.take('b', all)).toEqual({ weight: 9, list: 1 });
  expect(ghosts.take('b', all)).toBeUndefined();
  expect(ghosts.take('a', all)).toEqual({ weight: 7, list: 0 });
  expect(ghosts.take('never', all)).toBeUndefined();
});

test('an id is forgotten when enough others left the same list after it', () => {
  const ghosts = new GhostTable();
  ghosts.add('old', 1, 0, 100);
  for (let i = 0; i < 50; i++) ghosts.add(`other ${i}`, 1, 1, 100);
  expect(ghosts.take('old', [1, 0])).toEqual({ weight: 1, list: 0 });
  ghosts.add('old', 1, 0, 100);
  for (let i = 0; i < 50; i++) ghosts.add(`same ${i}`, 1, 0, 100);
  expect(ghosts.take('old', [50, 0])).toBeUndefined();
  expect(ghosts.count(0, 20)).toBe(20);
  expect(ghosts.count(0, -3)).toBe(0);
});

test('nearly all ids are found again, long ones too, and the table grows with the cache', () => {
  const ghosts = new GhostTable();
  const id = (i: number): string =>
    `0193f2a4-${(i * 7919).toString(16).padStart(8, '0')}-4b6d-${i.toString(16).padStart(12, '0')}`;
  for (let i = 0; i < 5000; i++) ghosts.add(id(i), 1, 0, 5000);
  let found = 0;
  for (let i = 0; i < 5000; i++) if (ghosts.take(id(i), [5000, 5000]) !== undefined) found++;
  expect(found).toBeGreaterThan(4900);
});
