import { expect, test } from 'vitest';
import { openSnapshot } from '../snapshot.ts';
import { HeapFixture } from '../trace/heap.fixture.ts';
import { keyPattern } from './key-pattern.ts';

const keysOf = async (texts: readonly string[]): Promise<(string | undefined)[]> => {
  const heap = new HeapFixture();
  const map = heap.map(
    heap.global,
    'map',
    texts.map((text) => [heap.string(text), heap.node('object', 'V')] as const),
  );
  const dictionary = heap.property(heap.global, 'dictionary', 'object', 'Object');
  for (const text of texts) heap.property(dictionary, text, 'object', 'V');
  const graph = await openSnapshot(heap.stream());
  return [keyPattern(graph, map), keyPattern(graph, dictionary)];
};

test('generated keys are recognised in maps and dictionaries, written ones are not', async () => {
  const texts = (make: (i: number) => string): string[] => Array.from({ length: 20 }, (_, i) => make(i));
  expect(await keysOf(texts((i) => `run-${i}`))).toEqual(['serial', 'serial']);
  expect(await keysOf(texts((i) => String(1_763_200_000_000 + i)))).toEqual(['timestamp', 'timestamp']);
  expect(await keysOf(texts((i) => 'abcdefghijklmnopqrstuvwxyz'[i] ?? ''))).toEqual([undefined, undefined]);
  expect(await keysOf(['run-1', 'run-2'])).toEqual([undefined, undefined]);
});
