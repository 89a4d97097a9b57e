/** The state of reading one section: what a kernel reads from, where it writes to, and how far it came. */

/** Every how many rows the offset in the file is kept, so that a row can be read again. */
export const blockRows = 64;

/** A part of the window: rows are taken from `start` on and never beyond `end`. */
interface WindowJob {
  bytes: Uint8Array;
  start: number;
  end: number;
  /** Absolute offset of `bytes[0]`. */
  base: number;
}

/** Section "nodes". */
export interface NodeRows extends WindowJob {
  /** Rows taken so far. */
  taken: number;
  readonly max: number;
  readonly fields: number;
  /** Position of "detachedness" in a row; -1 without. */
  readonly detachedAt: number;
  /** Rows end with a line feed before the comma. */
  newline: boolean;
  readonly types: number;
  /** Names have to be below: the number of strings, or 0xffffffff when it is not known yet. */
  readonly names: number;
  readonly maxEdges: number;
  /** Node type and string index of plain objects; the index is 0xffffffff when it is not known yet. */
  readonly plainType: number;
  readonly plainName: number;
  /** 65536 bits: nodes whose id has its low 16 bits set here are put on the watch list. */
  readonly watched: Uint8Array;
  /** Pairs of node and id. */
  readonly watchList: Uint32Array;
  watchWords: number;
  readonly kind: Uint8Array;
  readonly name: Uint32Array;
  readonly id: Uint32Array | null;
  readonly size: Uint32Array;
  readonly firstEdge: Uint32Array;
  readonly plain: Uint8Array;
  readonly blocks: Float64Array | null;
  edgeSum: number;
  /** Self sizes of all rows so far together. */
  byteSum: number;
  /** All marks of detachedness so far, or-ed. */
  detachedBits: number;
}

/** Section "edges". */
export interface EdgeRows extends WindowJob {
  taken: number;
  readonly max: number;
  /** Fields of a node row: targets are written as row positions. */
  readonly fields: number;
  newline: boolean;
  readonly types: number;
  readonly nodeCount: number;
  readonly weak: number;
  readonly internal: number;
  readonly shortcut: number;
  readonly property: number;
  /** One bit per edge type: set where the name is a slot number. */
  readonly numbered: number;
  /** String indices have to be below; 0xffffffff when not known yet. */
  readonly stringCount: number;
  /** One bit per string: set where it names a WeakMap pair. */
  readonly pairs: Uint8Array;
  readonly firstEdge: Uint32Array;
  readonly plain: Uint8Array;
  readonly to: Uint32Array;
  /** Type and name of each edge, when they are kept. */
  readonly names: Uint32Array | null;
  /** Stream of `[count, name...]` per plain object, or null when names are kept. */
  readonly properties: Uint32Array | null;
  propertyWords: number;
  /** Where the open list begins, with its count. */
  countAt: number;
  /** Three words each: edge, type, name. */
  readonly notes: Uint32Array;
  noteWords: number;
  readonly blocks: Float64Array | null;
  /** The plain object whose list is open, or the number of nodes when there is none. */
  plainNode: number;
}

/** Section "locations" in the usual field order. */
export interface QuadRows extends WindowJob {
  taken: number;
  readonly max: number;
  newline: boolean;
  readonly out: Uint32Array;
}

/** Section "strings". */
export interface StringRows extends WindowJob {
  /** True when the window holds the rest of the input. */
  last: boolean;
  /** 0 between strings, 1 inside, 2 after a backslash, 3 after a comma, 4 at the end, 5 at a byte that may not be. */
  state: number;
  count: number;
  /** Positions in the window of every 16th string. */
  readonly offsets: Uint32Array;
  offsetCount: number;
  /** Strings worth a look, two words each: number, and position of the opening quote in the window. */
  readonly notes: Uint32Array;
  noteWords: number;
}
