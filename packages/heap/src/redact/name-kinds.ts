import { typeMask } from '../kernel/columns.ts';
import { traitValues } from './name-policy.ts';

/** What a string is needed as. */
export const use = {
  /** Some node or edge shows it as it is. */
  kept: 1,
  /** Some node or edge shows its placeholder. */
  replaced: 2,
  /** Some edge is named by it. */
  namesEdge: 4,
} as const;

/** Rows of types that a rule treats alike. */
export interface Kinds {
  readonly count: number;
  /** By row, the bit of its kind; 0 where the rows have no name. */
  readonly bits: Uint32Array;
  /** The bits of all kinds. */
  readonly all: number;
  readonly useOf: (kind: number, traits: number, inCode: number) => number;
}

/**
 * Finds the kinds of rows: a rule treats types alike when it says the same of all traits. There are far fewer kinds than types, however many
 * types the header has, so that one word per string notes all that it names. The bits begin with `firstBit`.
 */
export function kindsOf(
  types: readonly (string | null)[],
  firstBit: number,
  isKept: (type: string, traits: number, inCode: boolean, row: number) => boolean,
): Kinds {
  const bits = new Uint32Array(2 * (typeMask + 1));
  const tables: Uint8Array[] = [];
  const known = new Map<string, number>();
  types.forEach((type, row) => {
    if (type === null) return;
    const table = Uint8Array.from({ length: 2 * traitValues }, (_, at) =>
      isKept(type, at >>> 1, (at & 1) === 1, row) ? use.kept : use.replaced,
    );
    const key = table.join('');
    const kind = known.get(key) ?? tables.push(table) - 1;
    known.set(key, kind);
    bits[row] = 1 << (firstBit + kind);
  });
  return {
    count: tables.length,
    bits,
    all: bits.reduce((sum, bit) => sum | bit, 0),
    useOf: (kind, traits, inCode) => (tables[kind] as Uint8Array)[traits * 2 + inCode] as number,
  };
}
