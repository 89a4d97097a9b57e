import { expect, test } from 'vitest';
import { openSnapshot } from '../snapshot.ts';
import { HeapFixture } from './heap.fixture.ts';
import { retainedByPlainObjects } from './plain-objects.ts';

test('a plain object below another counts with it', async () => {
  const heap = new HeapFixture();
  const outer = heap.property(heap.global, 'a', 'object', 'Object', 100);
  const box = heap.property(outer, 'b', 'object', 'Box', 10);
  const inner = heap.property(box, 'c', 'object', 'Object', 1000);
  heap.property(inner, 'd', 'object', 'Object', 5);
  const other = heap.property(heap.global, 'e', 'object', 'Box', 7);
  heap.property(other, 'f', 'object', 'Object', 20_000);
  expect(retainedByPlainObjects(await openSnapshot(heap.stream()))).toBe(21_115);
});
