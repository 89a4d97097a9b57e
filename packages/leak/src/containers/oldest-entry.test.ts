import { expect, test } from 'vitest';
import { OldestEntry } from './oldest-entry.ts';

function watched(
  container: Map<unknown, unknown> | Set<unknown>,
  change: (i: number) => void,
  looks = 40,
): boolean {
  const oldest = new OldestEntry();
  for (let i = 1; i <= looks; i++) {
    change(i);
    oldest.look(container, 1000 * i);
  }
  return oldest.isLeaving;
}

test('entries that go are seen by string, number and object', () => {
  for (const keyOf of [String, Number, (i: number) => ({ i })]) {
    const keys: unknown[] = [];
    const set = new Set<unknown>();
    const turn = (i: number): void => {
      keys.push(keyOf(i));
      set.add(keys.at(-1));
      if (i > 10) set.delete(keys.shift());
    };
    expect(watched(set, turn)).toBe(true);
  }
});

test('an entry that is only put to the end has not gone, and an empty container lets go of nothing', () => {
  const map = new Map<number, number>();
  const touch = (i: number): void => {
    map.set(i, i);
    map.delete(i % 7);
    map.set(i % 7, i);
  };
  expect(watched(map, touch)).toBe(false);
  expect(watched(new Map(), () => undefined)).toBe(false);
});

test('once one stays for ever, the oldest does not go any more', () => {
  const map = new Map<number, number>();
  const leak = (i: number): void => {
    map.set(i, i);
    if (i > 5 && i - 5 !== 20) map.delete(i - 5);
  };
  expect(watched(map, leak, 24)).toBe(true);
  expect(watched(map, leak, 60)).toBe(false);
});

test('other containers, and keys that are too long to be kept, tell nothing', () => {
  const oldest = new OldestEntry();
  const texts = new Set<string>();
  for (let i = 1; i <= 20; i++) {
    oldest.look([i], 1000 * i);
    texts.clear();
    texts.add(`${i}`.repeat(2000));
    oldest.look(texts, 1000 * i);
  }
  expect(oldest.isLeaving).toBe(false);
});
