import { expect, test } from 'vitest';
import { step } from './layout.ts';
import { Shapes } from './shapes.ts';
import { shapeProperty } from './rules.ts';
import { Walk } from './walk.ts';

interface Holder {
  state: 'open' | 'closed';
}

const newHolder = (): Holder => ({ state: 'open' });

/** Steps of one object that are charged to the scope. */
function chargedOf(shapes: Shapes, holder: Holder, ...objects: readonly (readonly string[])[]): number {
  const reader = shapes.reader('session', holder);
  let charged = 0;
  for (const keys of objects) {
    reader.start();
    for (const key of keys) if (reader.next(key)) charged++;
  }
  return charged;
}

/** Shapes that have seen enough scopes of the kind to tell which are shared. */
function knownShapes(): Shapes {
  const shapes = new Shapes();
  for (let i = 0; i < 3; i++) chargedOf(shapes, newHolder(), ['role', 'text']);
  return shapes;
}

test('what only one scope has is charged to it, once, from where it parts with the others', () => {
  const shapes = knownShapes();
  const one = newHolder();
  expect(chargedOf(shapes, one, ['role', 'text'])).toBe(0);
  expect(chargedOf(shapes, one, ['role', 'image', 'size'], ['role', 'image', 'size'])).toBe(2);
  expect(chargedOf(shapes, one, ['role', 'image', 'size', 'alt'])).toBe(3);
});

test('a shape that another scope has, too, is nobody’s, and one of a closed scope goes to the next', () => {
  const shapes = knownShapes();
  const [one, other] = [newHolder(), newHolder()];
  expect(chargedOf(shapes, one, ['price', 'unit'])).toBe(2);
  one.state = 'closed';
  expect(chargedOf(shapes, other, ['price', 'unit'])).toBe(2);
  expect(chargedOf(shapes, newHolder(), ['price', 'unit'])).toBe(0);
  expect(chargedOf(shapes, other, ['price', 'unit'])).toBe(0);
});

test('among the first scopes of a kind nothing but ids is known to be a scope’s own', () => {
  const shapes = new Shapes();
  expect(chargedOf(shapes, newHolder(), ['role', 'text'], ['task-48213', 'done'])).toBe(2);
  expect(shapes.retainedBytes).toBe(200);
});

test('it remembers a bounded number of shapes, and begins anew much later', () => {
  const shapes = knownShapes();
  const word = (i: number): string => `k${i.toString(2).replaceAll('0', 'a').replaceAll('1', 'b')}`;
  const keys = Array.from({ length: 20_000 }, (_, i) => [word(i), 'x', 'y']);
  const one = newHolder();
  expect(chargedOf(shapes, one, ...keys)).toBe(20_000 - 2);
  expect(chargedOf(shapes, one, ['new', 'ones'])).toBe(0);
  expect(shapes.retainedBytes).toBe(2_000_000);
  for (let i = 0; i < 10_000; i++) chargedOf(shapes, one, ['role']);
  expect(shapes.retainedBytes).toBe(100);
});

/** Bytes by the rules of what `make` makes, with what a copy of it shows of its layout. */
function bytesOf(make: () => object): number {
  const walk = new Walk({ shapes: new Shapes().reader('session', newHolder()) });
  walk.value(make());
  while (step(walk, () => true));
  walk.settle();
  return walk.bytes;
}

test('each step of a shape that only one scope has is charged, also where most of the shape is shared', () => {
  const shapes = knownShapes();
  const walk = (holder: ReturnType<typeof newHolder>, object: object): number => {
    const one = new Walk({ shapes: shapes.reader('session', holder) });
    one.value(object);
    while (step(one, () => true));
    return one.bytes;
  };
  const form = { name: 1, street: 2, city: 3 };
  walk(newHolder(), form);
  const shared = walk(newHolder(), form);
  const added = walk(newHolder(), { ...form, oddly: 4 }) - walk(newHolder(), { ...form, oddly: 4 });
  expect(shared).toBe(24 + 3 * 8);
  expect(added).toBe(shapeProperty);
});

test('properties that were added to an object lie in a store beside it, those of a literal in the object', () => {
  const literal = (): object => ({ five: 1, keys: 2, of: 3, a: 4, literal: 5 });
  expect(bytesOf(literal)).toBe(24 + 5 * 8);
  expect(bytesOf(() => ({ ...literal(), more: 6 }))).toBe(24 + 5 * 8 + 16 + 3 * 8);
  const added = (): object => {
    const object: Record<string, number> = {};
    for (const key of ['made', 'one', 'by', 'one', 'after', 'it', 'began']) object[key] = 1;
    return object;
  };
  expect(bytesOf(added)).toBe(24 + 4 * 8 + 16 + 3 * 8);
  // Each fraction has a box, which is not counted twice.
  expect(bytesOf(() => ({ half: 0.5, third: 0.25 }))).toBe(24 + 2 * 8 + 2 * 16);
});
