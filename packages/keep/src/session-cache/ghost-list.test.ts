import { expect, test } from 'vitest';
import { GhostList, hashOf } from './ghost-list.ts';

test('an id that left is known once', () => {
  const ghosts = new GhostList();
  expect(ghosts.take(hashOf('a'), 10)).toBe(false);
  ghosts.add(hashOf('a'), 10);
  expect(ghosts.take(hashOf('b'), 10)).toBe(false);
  expect(ghosts.take(hashOf('a'), 10)).toBe(true);
  expect(ghosts.take(hashOf('a'), 10)).toBe(false);
});

test('an id is forgotten when enough others left after it', () => {
  const ghosts = new GhostList();
  // Hashes of which no two share a slot.
  const hash = (i: number): number => i * 0x10001;
  for (let i = 1; i <= 50; i++) ghosts.add(hash(i), 100);
  expect(ghosts.take(hash(1), 50)).toBe(true);
  expect(ghosts.take(hash(2), 48)).toBe(false);
  expect(ghosts.count(20)).toBe(20);
  expect(ghosts.count(1000)).toBe(50);
});

test.each([5000, 60_000])(
  'most of the last %i ids are found again, and ids that never left are not',
  (entries) => {
    const ghosts = new GhostList();
    const id = (i: number): string =>
      `0193f2a4-${(i * 7919).toString(16).padStart(8, '0')}-4b6d-${i.toString(16).padStart(12, '0')}`;
    const found = (from: number): number => {
      let count = 0;
      for (let i = from; i < from + entries; i++) if (ghosts.take(hashOf(id(i)), entries)) count++;
      return count;
    };
    for (let i = 0; i < 2 * entries; i++) ghosts.add(hashOf(id(i)), entries);
    // With twice as many slots as ids a slot keeps the latest of those that share it: (1 - 1/e^0.5) of the slots, 79 % of the ids.
    expect(found(entries)).toBeGreaterThan(0.77 * entries);
    expect(found(0)).toBeLessThan(0.01 * entries);
    expect(found(2 * entries)).toBeLessThan(0.01 * entries);
  },
);

const hex = (value: number): string => value.toString(16).padStart(8, '0');

test.each<[string, (i: number) => string]>([
  ['that differ in front', (i) => `${hex(i * 7919)}-tenant-a`],
  ['that differ in the middle', (i) => `user:${i}/session`],
  ['that count at their end', (i) => `session-${String(i).padStart(24, '0')}`],
  ['that are short', (i) => String(i)],
  ['of another script', (i) => `сессия-пользователя-${i}`],
])('ids %s have hashes of their own', (_which, id) => {
  const hashes = new Set(Array.from({ length: 20_000 }, (_, i) => hashOf(id(i))));
  expect(hashes.size).toBeGreaterThan(19_950);
});
