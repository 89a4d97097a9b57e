import { expect, test } from 'vitest';
import type { HiddenClass } from './hidden-classes.ts';
import { LookQueue } from './look-queue.ts';

const recordOf = (count: number): HiddenClass => ({
  kind: 'hiding',
  isSpared: false,
  wishes: 0,
  wasSlow: false,
  count,
  mean: 0,
  squares: 0,
});
const objects = (count: number): { id: number }[] => Array.from({ length: count }, (_, id) => ({ id }));

test('roots come first, then classes of which little is known, then others in turn', () => {
  const queue = new LookQueue();
  const [known, other, unknown] = [recordOf(10), recordOf(10), recordOf(0)];
  const nodes = objects(6);
  queue.add(nodes[0] as object, known, false);
  queue.add(nodes[1] as object, known, false);
  queue.add(nodes[2] as object, other, false);
  queue.add(nodes[3] as object, unknown, false);
  queue.add(nodes[4] as object, known, true);
  queue.add(nodes[4] as object, known, true);
  expect(queue.size).toBe(5);
  expect(queue.has(nodes[4] as object)).toBe(true);
  const { records } = queue.take(5);
  expect(records).toEqual([known, unknown, known, other, known]);
  expect(queue.size).toBe(0);
  expect(queue.has(nodes[4] as object)).toBe(false);
});

test('of a class that many have a random sample waits', () => {
  const queue = new LookQueue();
  const record = recordOf(0);
  const nodes = objects(1000);
  for (const node of nodes) queue.add(node, record, false);
  expect(queue.size).toBeLessThan(50);
  const ids = (queue.take(50).nodes as { id: number }[]).map(({ id }) => id);
  expect(Math.max(...ids)).toBeGreaterThan(200);
  queue.add(nodes[0] as object, record, false);
  queue.clear();
  expect(queue.size).toBe(0);
});

test('no more objects wait than there is room for, and other classes replace none', () => {
  const queue = new LookQueue();
  const nodes = objects(4000);
  nodes.forEach((node, i) => queue.add(node, recordOf(i), i % 2 === 0));
  expect(queue.size).toBe(1024 + 512);
});
