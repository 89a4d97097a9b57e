import { setBit } from '../kernel/typescript/rows.ts';
import type { StringTable } from './string-table.ts';

/** Strings that mean something to the analysis, by index; 0xffffffff where the snapshot has no such string. */
export interface KnownNames {
  readonly object: number;
  readonly externalStringData: number;
  readonly documentTrees: number;
  /** Table id by string index of the name of a WeakMap pair. */
  readonly pairs: ReadonlyMap<number, number>;
}

/**
 * The name V8 gives to both edges of a WeakMap pair, one from the key and one from the table. A pair lives only while
 * both live, so one edge is enough for dominators; as in Chrome DevTools the edge from the key is kept.
 */
const pairName =
  /^\d+ \/ part of key \(?.*? @\d+\)? -> value \(?.*? @\d+\)? pair in WeakMap \(?table @(\d+)\)?$/su;

const absent = 0xffff_ffff;

/** Looks at the strings that the scan noted. */
export function knownNames(strings: StringTable, noted: readonly number[]): KnownNames {
  let [object, externalStringData, documentTrees] = [absent, absent, absent];
  const pairs = new Map<number, number>();
  for (const index of noted) {
    const text = strings.get(index);
    if (text === 'Object') object = Math.min(object, index);
    else if (text === 'system / ExternalStringData') externalStringData = index;
    else if (text === '(Document DOM trees)') documentTrees = index;
    else {
      const found = pairName.exec(text);
      if (found !== null) pairs.set(index, Number(found[1]));
    }
  }
  return { object, externalStringData, documentTrees, pairs };
}

/** 65536 bits: the low 16 bits of the ids of all tables of WeakMap pairs. */
export function watchBits(names: KnownNames, bits: Uint8Array): Uint8Array {
  for (const table of names.pairs.values()) setBit(bits, table & 0xffff);
  return bits;
}

/** One bit per string: set for names of WeakMap pairs. */
export function pairBits(names: KnownNames, bits: Uint8Array): Uint8Array {
  for (const index of names.pairs.keys()) setBit(bits, index);
  return bits;
}
