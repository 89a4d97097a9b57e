/** Bytes V8 uses for the parts of a value, without pointer compression (64-bit Linux, macOS and Windows builds of Node). */
export interface Rules {
  /** Map, properties and elements pointers of every object. */
  readonly objectHeader: number;
  /** In-object slots that `{}` is born with. */
  readonly emptyLiteralSlots: number;
  readonly arrayHeader: number;
  /** Map and length of a backing store of elements or properties. */
  readonly storeHeader: number;
  readonly stringHeader: number;
  readonly boxedNumber: number;
  readonly bigintHeader: number;
  readonly symbol: number;
  readonly collectionHeader: number;
  /** Store header plus bookkeeping of a dictionary; each of its slots takes three words. */
  readonly dictionaryHeader: number;
  readonly typedArray: number;
  readonly arrayBuffer: number;
  readonly dataView: number;
  readonly date: number;
  readonly regexp: number;
  readonly promise: number;
  readonly weakRef: number;
  readonly weakCollection: number;
  readonly boxedPrimitive: number;
  readonly proxy: number;
  /** A function object without what it captured. */
  readonly closure: number;
  /** An error object besides its own properties: hidden stack data. */
  readonly errorStack: number;
}

/** The rules as read from heap snapshots of Node 24 (V8 13.6); `self-check.ts` compares them with the running Node. */
export const rules: Rules = {
  objectHeader: 24,
  emptyLiteralSlots: 4,
  arrayHeader: 32,
  storeHeader: 16,
  stringHeader: 16,
  boxedNumber: 16,
  bigintHeader: 16,
  symbol: 24,
  collectionHeader: 32,
  dictionaryHeader: 64,
  typedArray: 104,
  arrayBuffer: 96,
  dataView: 96,
  date: 96,
  regexp: 56,
  promise: 48,
  weakRef: 32,
  weakCollection: 64,
  boxedPrimitive: 32,
  proxy: 32,
  closure: 64,
  errorStack: 200,
};
