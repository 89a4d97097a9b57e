import { expect, test } from 'vitest';
import { TableWatch } from './table-watch.ts';

const mib = 1024 ** 2;

/** The bytes that the next table asks for after each of these sizes of the large object space. */
function requests(sizesMib: readonly number[]): number[] {
  const watch = new TableWatch();
  return sizesMib.map((size) => {
    watch.take(size * mib);
    return Math.round(watch.nextBytes / mib);
  });
}

// The large object space after each major GC, as measured on Node 24 with 256 MiB of old space.
test('a growing Map asks for twice its table', () => {
  expect(requests([0.3, 7.3, 14.3, 28.3, 28.3, 56.3])).toEqual([0, 0, 28, 56, 56, 112]);
  // Numbers need no collection between two tables: 28 to 112 MiB in one step.
  expect(requests([0.3, 28.3, 112.3])).toEqual([0, 0, 224]);
});

test('a growing array asks for one and a half times its table', () => {
  expect(requests([0.3, 22.6, 33.8, 50.6]).slice(2)).toEqual([50, 75]);
});

test('many large objects are no table, and a table that shrank is forgotten', () => {
  expect(requests([0.3, 20, 61, 110, 185])).toEqual([0, 0, 0, 0, 0]);
  expect(requests([0.3, 14.3, 28.3, 3]).at(-1)).toBe(0);
});
