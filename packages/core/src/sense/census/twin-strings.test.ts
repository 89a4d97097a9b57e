import { expect, test } from 'vitest';
import { step } from '../../meter/layout.ts';
import { GrownLists } from '../../meter/grown-lists.ts';
import { Joints } from '../../meter/joints.ts';
import { TextWalk } from './text-walk.ts';
import { KnownWords } from './known-words.ts';
import { Twins } from './same-string.ts';

const copy = (text: string): string => Buffer.from(text).toString();

/** Bytes of the last of some walks, which teach. */
function bytesOf(root: object): number {
  const learned = {
    lists: new GrownLists(),
    joints: new Joints(),
    twins: new Twins(),
    words: new KnownWords(),
  };
  let bytes = 0;
  for (let i = 0; i < 6; i++) {
    learned.twins.begin();
    const walk = new TextWalk(64, () => true, undefined, learned.lists, undefined, learned);
    walk.value(root);
    while (step(walk, () => true));
    walk.settle();
    ({ bytes } = walk);
  }
  return bytes;
}

test('an id that is key and field is one string, and a copy of it is another', () => {
  const records = (idOf: (id: string) => string): object => {
    const ids = Array.from({ length: 40 }, (_, i) => copy(`order${i + 1000}abc`));
    return { records: new Map(ids.map((id) => [id, { id: idOf(id) }])) };
  };
  const once = bytesOf(records((id) => id));
  // Node 26 makes equal keys and fields one.
  if (process.versions.v8.startsWith('14')) return;
  expect(bytesOf(records(copy)) - once).toBe(40 * 32);
});

test('words of a list are data when they are copies, and constants when those that are there twice are one', () => {
  const words = ['horse', 'mouse', 'goose'];
  const list = (of: (word: string) => string): object =>
    Array.from({ length: 60 }, (_, i) => [i, of(words[i % 3] as string)]);
  const constants = bytesOf(list((word) => word));
  const numbers = bytesOf(Array.from({ length: 60 }, (_, i) => [i, i]));
  expect(constants - numbers).toBe(0);
  if (process.versions.v8.startsWith('14')) return;
  expect(bytesOf(list(copy)) - numbers).toBe(60 * 24);
});

test('a list of a literal shares its elements with it until it is changed', () => {
  const literals = Array.from({ length: 40 }, () => [1, 2, 3]);
  const changed = literals.map((list) => list.map((each) => each));
  expect(bytesOf({ lists: changed }) - bytesOf({ lists: literals })).toBe(40 * (16 + 3 * 8));
});

test('short strings of parsed JSON are one for the process, and belong to no scope when several have them', () => {
  const learned = {
    lists: new GrownLists(),
    joints: new Joints(),
    twins: new Twins(),
    words: new KnownWords(),
  };
  const json = JSON.stringify(Array.from({ length: 60 }, (_, i) => ({ sku: `A-${100 + (i % 30)}` })));
  const roots = [JSON.parse(json), JSON.parse(json)] as object[];
  const bytesOfScope = (scope: number): number => {
    learned.twins.begin();
    const walk = new TextWalk(64, () => true, undefined, learned.lists, undefined, learned, scope);
    walk.value(roots[scope]);
    while (step(walk, () => true));
    walk.settle();
    return walk.bytes;
  };
  for (let i = 0; i < 6; i++) bytesOfScope(0);
  const alone = bytesOfScope(0);
  bytesOfScope(1);
  expect(alone - bytesOfScope(0)).toBe(30 * 24);
});
