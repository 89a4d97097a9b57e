import { allocatedBy } from './heap-growth.ts';
import { collectionHeader, storeHeader } from './rules.ts';

/** Words of a table per entry: key and link of a set, and the value of a map. */
export type EntryWords = 2 | 3;

/** A collection with its table, which has `words` words per entry, half a word of buckets, and a power of two of entries. */
export function collectionBytes(size: number, words: EntryWords): number {
  let capacity = 4;
  while (capacity < size) capacity *= 2;
  return collectionHeader + storeHeader + 8 * (3 + capacity / 2 + words * capacity);
}

/** Sets whose tables are weighed together at most. */
export const setBatch = 16;
const readings = 2;
/** Code that runs for the first times allocates for itself. */
const warmUps = 20;

const union = Reflect.get(Set.prototype, 'union') as (
  this: ReadonlySet<unknown>,
  other: ReadonlySet<unknown>,
) => unknown;
const empty: ReadonlySet<unknown> = new Set<unknown>();
/** Sets of known size, which are weighed by the same code. */
const known: readonly ReadonlySet<unknown>[] = Array.from({ length: setBatch }, () => new Set());

let warmed = 0;

/**
 * Bytes of some sets with their tables; undefined when it could not be told.
 *
 * How much room a table has depends on what was deleted, and `new Set(list)` makes another one than `add`. But a union with an empty set
 * is a copy that has the room of the original, so that it takes as many bytes.
 */
export function setBytes(sets: readonly ReadonlySet<unknown>[]): number | undefined {
  const { length } = sets;
  while (warmed < warmUps) {
    warmed++;
    copyBytes(known, 1);
  }
  const bytes = copyBytes(sets, length);
  // What the calls themselves allocate hangs on how far V8 has optimised them.
  const base = copyBytes(known, length);
  if (bytes === undefined || base === undefined) return undefined;
  return bytes - base + length * collectionBytes(0, 2);
}

/** The least of several readings, because what V8 itself allocates at the same moment only adds. */
function copyBytes(sets: readonly ReadonlySet<unknown>[], count: number): number | undefined {
  let least: number | undefined;
  for (let i = 0; i < readings; i++) {
    const bytes = allocatedBy(() => copy(sets, count));
    if (bytes === undefined) return undefined;
    least = Math.min(least ?? bytes, bytes);
  }
  return least;
}

function copy(sets: readonly ReadonlySet<unknown>[], count: number): void {
  for (let i = 0; i < count; i++) union.call(sets[i] as ReadonlySet<unknown>, empty);
}
