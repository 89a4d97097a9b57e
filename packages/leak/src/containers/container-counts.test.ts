import { expect, test } from 'vitest';
import { ContainerCounts } from './container-counts.ts';
import type { FoundContainer } from './container-walk.ts';

const mapAt = (object: object, via = 'variable sessions'): FoundContainer => ({
  path: [{ via, name: 'Map' }],
  kind: 'Map',
  object,
});

function follow(change: (map: Map<number, object>, i: number) => void, looks = 40): ContainerCounts {
  const counts = new ContainerCounts();
  const map = new Map<number, object>();
  counts.add([mapAt(map)], 0, 0);
  for (let i = 0; i < looks; i++) {
    for (let n = 0; n < 20; n++) change(map, 20 * i + n);
    counts.look(1000 * i, 1e6 * i);
  }
  counts.add([mapAt(map)], 1000 * looks, 1e6 * looks);
  return counts;
}

test('a Map that only gains is growing, with its entries weighed', () => {
  const [grown] = follow((map, i) =>
    map.set(i, { id: i, text: 'x'.repeat(10) + i, list: [i, 2, 3] }),
  ).grown();
  expect(grown).toMatchObject({ kind: 'Map', shape: 'growing', count: 800, gained: 800, isLight: false });
  expect(grown?.entryBytes).toBeGreaterThan(60);
});

test('a Map at its bound is not', () => {
  const counts = follow((map, i) => {
    map.set(i, { i });
    if (map.size > 200) map.delete(i - 200);
  });
  expect(counts.grown().map(({ shape }) => shape)).not.toContain('growing');
});

test('a Map that is filled and emptied is not', () => {
  const counts = follow((map, i) => {
    map.set(i, { i });
    if (map.size > 190) map.clear();
  });
  expect(counts.grown().map(({ shape }) => shape)).not.toContain('growing');
});

test('entries that hold functions cannot be weighed and are said to be light', () => {
  const [grown] = follow((map, i) => map.set(i, { done: () => i })).grown();
  expect(grown).toMatchObject({ shape: 'growing', isLight: true });
});

test('a list that is replaced by a longer one goes on as the same container', () => {
  const counts = new ContainerCounts();
  let list: readonly number[] = [];
  for (let i = 0; i < 60; i++) {
    list = list.concat(Array.from({ length: 10 }, (_, n) => n));
    counts.add(
      [{ path: [{ via: 'variable list', name: 'Array' }], kind: 'Array', object: list }],
      1000 * i,
      1e6 * i,
    );
    counts.look(1000 * i, 1e6 * i);
  }
  expect(counts.size).toBe(1);
  expect(counts.grown()[0]).toMatchObject({ kind: 'Array', shape: 'growing', count: 600 });
});

test('what is watched is bounded', () => {
  const counts = new ContainerCounts();
  const maps = Array.from({ length: 400 }, () => new Map());
  counts.add(
    maps.map((map, i) => mapAt(map, `variable m${i}`)),
    0,
    0,
  );
  expect(counts.size).toBe(150);
  for (let i = 0; i < 2000; i++) counts.look(i, i);
  expect(counts.grown()).toEqual([]);
});

test('a chain is counted from the object that has its first link', () => {
  const counts = new ContainerCounts();
  const journal: { head: object | null } = { head: null };
  const path = [
    { via: 'variable journal', name: 'Object' },
    { via: 'head', name: 'Object' },
    { via: 'next', name: 'Object' },
  ];
  counts.add([{ path, kind: 'chain', object: journal, links: { first: 'head', next: 'next' } }], 0, 0);
  for (let i = 0; i < 40; i++) {
    for (let n = 0; n < 20; n++) journal.head = { next: journal.head };
    counts.look(1000 * i, 1e6 * i);
  }
  expect(counts.grown()[0]).toMatchObject({ kind: 'chain', shape: 'growing', count: 800, isLight: true });
});

test('numbers that are counted elsewhere are judged alike', () => {
  const counts = new ContainerCounts();
  for (let i = 0; i < 40; i++)
    counts.see([{ via: 'timers that wait', name: 'Timeout' }], 1000 * i, 1e6 * i, 5 + 10 * i);
  expect(counts.grown()[0]).toMatchObject({ kind: 'resources', shape: 'growing', count: 395 });
});

test('a text that is added to is counted in KiB', () => {
  const counts = new ContainerCounts();
  const audit = { log: '' };
  const path = [
    { via: 'variable audit', name: 'Object' },
    { via: 'log', name: 'string' },
  ];
  counts.add([{ path, kind: 'text', object: audit, links: { first: 'log', next: '' } }], 0, 0);
  for (let i = 0; i < 40; i++) {
    audit.log += 'x'.repeat(20 * 1024);
    counts.look(1000 * i, 1e6 * i);
  }
  expect(counts.grown()[0]).toMatchObject({ kind: 'text', shape: 'growing', count: 800, entryBytes: 1024 });
});

test('a Map that reaches its bound at the very end has stopped, and one whose program idles has not', () => {
  const filled = follow((map, i) => {
    if (map.size < 760) map.set(i, { i });
  });
  expect(filled.grown()[0]).toMatchObject({ shape: 'ended', count: 760 });
  const counts = new ContainerCounts();
  const map = new Map<number, object>();
  counts.add([mapAt(map)], 0, 0);
  for (let i = 0; i < 40; i++) {
    for (let n = 0; n < 20; n++) map.set(20 * i + n, { i });
    counts.look(1000 * i, 1e6 * i);
  }
  for (let i = 1; i < 8; i++) counts.look(39_000 + 5000 * i, 39e6 + 2e5 * i);
  expect(counts.grown()[0]).toMatchObject({ shape: 'growing', count: 800 });
});
