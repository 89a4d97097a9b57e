import { allocatedBy } from './heap-growth.ts';
import { arrayHeader, collectionHeader, dictionaryHeader, numberTableHeader, storeHeader } from './rules.ts';

/**
 * Tells fast objects from dictionaries, which take up to eight times the bytes for the same properties.
 *
 * No public API says in which mode V8 keeps an object, but listing its keys does. A fast object hands out a copy of the list that is
 * cached in its hidden class. A dictionary collects and sorts its keys, which takes a list more (40 bytes for three keys).
 */
const { keys } = Object;
const { slice } = Array.prototype;
const probes = 3;

/** True when V8 keeps the object's properties in a hash table. `count` is the number of keys that `Object.keys` lists. */
export function isDictionary(node: object, count: number): boolean {
  // The first listing of a fast object fills the cache of its hidden class.
  keys(node);
  const bound = listingBytes(count) + storeHeader + 8;
  let tries = 0;
  for (let i = 0; i < probes; i++) {
    const bytes = allocatedBy(() => void keys(node));
    if (bytes === undefined) continue;
    // What something else allocates at the same moment only adds.
    if (bytes < bound) return false;
    tries++;
  }
  return tries > 0;
}

/** Objects out of a batch that are dictionaries. Their keys must have been listed before, by a `for in` loop for instance. */
export function dictionariesAmong(nodes: readonly object[], counts: readonly number[]): number[] {
  let expected = 0;
  for (const count of counts) expected += listingBytes(count);
  const bytes = allocatedBy(() => {
    for (let i = 0; i < nodes.length; i++) keys(nodes[i] as object);
  });
  if (bytes === undefined || bytes < expected + storeHeader + 8) return [];
  const found: number[] = [];
  for (let i = 0; i < nodes.length; i++) {
    if (isDictionary(nodes[i] as object, counts[i] as number)) found.push(i);
  }
  return found;
}

/** What was copied last, so that no copy is left out as useless. */
const sink: { copy: unknown } = { copy: undefined };

/** What a copy of a plain object takes, which is laid out like the original; undefined when it could not be told. A copy runs getters. */
export function copiedBytes(node: object): number | undefined {
  const copy = (): void => {
    sink.copy = { ...node };
  };
  // At the first copy of a shape V8 also notes how to copy it.
  for (let i = 0; i < readings; i++) copy();
  const least = Math.min(
    ...Array.from({ length: readings }, () => allocatedBy(copy) ?? Number.POSITIVE_INFINITY),
  );
  sink.copy = undefined;
  return Number.isFinite(least) ? least : undefined;
}

/**
 * Bytes of arrays with their elements, each without the room that is left; those of a literal that were never written to are shared. Undefined
 * when no two readings agree.
 */
export function slicedBytes(lists: readonly (readonly unknown[])[]): number | undefined {
  const copy = (): void => {
    for (let i = 0; i < lists.length; i++) sink.copy = slice.call(lists[i]);
  };
  while (sliced < warmUps) {
    sliced++;
    allocatedBy(copy);
  }
  let bytes = allocatedBy(copy);
  for (let i = 0; i < slicings; i++) {
    const again = allocatedBy(copy);
    if (again === bytes) break;
    bytes = i === slicings - 1 ? undefined : again;
  }
  sink.copy = undefined;
  return bytes;
}

/** What a listing of a fast object allocates: an array and its elements. */
function listingBytes(count: number): number {
  return count === 0 ? arrayHeader : arrayHeader + storeHeader + 8 * count;
}

/** Slots of the hash table that holds `count` properties; V8 keeps at least a third of them free. */
export function dictionaryCapacity(count: number): number {
  let capacity = 4;
  while (capacity < count + (count >> 1)) capacity *= 2;
  return capacity;
}

export function dictionaryBytes(count: number): number {
  return dictionaryHeader + 24 * dictionaryCapacity(count);
}

/** A table of elements by number: `o[1e9] = x`. */
export function numberTableBytes(count: number): number {
  return numberTableHeader + 24 * dictionaryCapacity(count);
}

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
let sliced = 0;
const slicings = 4;

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
