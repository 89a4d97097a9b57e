import { describe, expect, it } from 'vitest';
import { grownCapacity } from './arrays.ts';
import { collectionBytes } from './hash-tables.ts';
import { GrownLists } from './grown-lists.ts';
import { step, Walk } from './layout.ts';

describe('lists that grow', () => {
  it('says nothing of a list that never changed', () => {
    const lists = new GrownLists();
    const list = [1, 2, 3];
    expect([1, 2, 3].map(() => lists.grownLength(list, 'items', false))).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });

  it('takes all lists of a name for grown when one was seen to', () => {
    const lists = new GrownLists();
    const [seen, other] = [[1], [7, 8]];
    lists.grownLength(seen, 'items', false);
    seen.push(2);
    expect(lists.grownLength(seen, 'items', false)).toBe(2);
    expect(lists.grownLength(other, 'items', false)).toBe(2);
    expect(lists.grownLength(other, 'names', false)).toBeUndefined();
  });

  it('remembers the most that a list had, because its store does not shrink', () => {
    const lists = new GrownLists();
    const list = [1];
    lists.grownLength(list, 'items', false);
    while (list.length < 60) list.push(2);
    lists.grownLength(list, 'items', false);
    list.splice(0, 40);
    expect(lists.grownLength(list, 'items', false)).toBe(60);
  });

  it('follows other lists once the first ones are many, and forgets names beyond its bound', () => {
    const lists = new GrownLists();
    for (let i = 0; i < 256; i++) lists.grownLength([i], 'items', false);
    const late = [1];
    lists.grownLength(late, 'items', false);
    late.push(2);
    expect(lists.grownLength(late, 'items', false)).toBeUndefined();
    const wanted = [1];
    lists.grownLength(wanted, 'items', true);
    wanted.push(2);
    expect(lists.grownLength(wanted, 'items', false)).toBe(2);
    for (let i = 0; i < 500; i++) lists.grownLength([], `name ${i}`, false);
    expect(lists.grownLength([1], 'items', false)).toBeUndefined();
  });

  it('charges the room of a list in a record', () => {
    const lists = new GrownLists();
    const record = { inventory: [1, 2] };
    const bytes = (): number => {
      const walk = new Walk({ lists });
      walk.value(record);
      while (step(walk, () => true));
      return walk.bytes;
    };
    const before = bytes();
    record.inventory.push(3);
    expect(bytes() - before).toBe(8 * (grownCapacity(3) - 2));
  });

  it('knows a map whose entries are replaced, which has twice the slots', () => {
    const lists = new GrownLists();
    const jobs = new Map(Array.from({ length: 20 }, (_, i) => [`job ${i}`, i]));
    const replace = (i: number): boolean => {
      jobs.delete(jobs.keys().next().value as string);
      jobs.set(`job ${i}`, i);
      return lists.isReplaced(jobs, jobs.size, jobs.keys().next().value);
    };
    // There are twelve free slots, which replaced entries use up first.
    const answers = Array.from({ length: 14 }, (_, i) => replace(20 + i));
    expect(answers.indexOf(true)).toBe(13);
    const walk = new Walk({ lists });
    walk.value(jobs);
    while (step(walk, () => true));
    expect(walk.bytes - walk.leafBytes).toBe(collectionBytes(40, 3));
  });

  it('tells first keys of a map apart by number and text alone', () => {
    const lists = new GrownLists();
    const map = new Map();
    expect([1, 1, 2].map((key) => lists.isReplaced(map, 4, key))).toEqual([false, false, true]);
    const byObject = new Map();
    expect([{}, {}].map((key) => lists.isReplaced(byObject, 4, key))).toEqual([false, false]);
  });
});
