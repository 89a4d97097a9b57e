import { expect, test } from 'vitest';
import { collectionBytes, setBytes } from './hash-tables.ts';

function added(count: number): Set<number> {
  const set = new Set<number>();
  for (let i = 0; i < count; i++) set.add(i);
  return set;
}

test('the table of a set is weighed with the room that it really has', () => {
  expect(setBytes([added(3)])).toBe(collectionBytes(3, 2));
  expect(setBytes([added(40), added(1)])).toBe(collectionBytes(40, 2) + collectionBytes(1, 2));
  // Made of a list it has room for eight from the start.
  expect(setBytes([new Set([1])])).toBe(collectionBytes(8, 2));
  const emptied = added(40);
  for (let i = 0; i < 20; i++) emptied.delete(i);
  expect(setBytes([emptied])).toBe(collectionBytes(40, 2));
});
