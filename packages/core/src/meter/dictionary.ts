import { allocatedBy } from './heap-growth.ts';
import { arrayHeader, dictionaryHeader, numberTableHeader, storeHeader } from './rules.ts';

/**
 * Tells fast objects from dictionaries, which take up to eight times the bytes for the same properties.
 *
 * No public API says in which mode V8 keeps an object, but listing its keys does. A fast object hands out a copy of the list that is
 * cached in its hidden class. A dictionary collects and sorts its keys, which takes a list more (40 bytes for three keys).
 */
const { keys } = Object;
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
