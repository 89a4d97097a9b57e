import type { StringTable } from '../read/string-table.ts';

/**
 * The name V8 gives to both edges of a WeakMap pair, one from the key and one from the table. A pair lives only while
 * both live, so one edge is enough for dominators; as in Chrome DevTools the edge from the key is kept.
 */
const pairName =
  /^\d+ \/ part of key \(?.*? @\d+\)? -> value \(?.*? @\d+\)? pair in WeakMap \(?table @(\d+)\)?$/su;

/** Table id by string index of the pair's name. */
export function weakMapPairs(strings: StringTable, candidates: readonly number[]): Map<number, number> {
  const pairs = new Map<number, number>();
  for (const index of candidates) {
    const found = pairName.exec(strings.get(index));
    if (found !== null) pairs.set(index, Number(found[1]));
  }
  return pairs;
}
