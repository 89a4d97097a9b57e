/**
 * Bytes V8 uses for the parts of a value, without pointer compression (64-bit builds of Node for Linux, macOS and Windows), as read from
 * heap snapshots of Node 22, 24 and 26.
 */

/** Map, properties and elements pointers of every object. */
export const objectHeader = 24;
/** In-object slots that `{}` is born with. */
export const emptyLiteralSlots = 4;
export const arrayHeader = 32;
/** Map and length of a backing store of elements or properties. */
export const storeHeader = 16;
export const stringHeader = 16;
export const boxedNumber = 16;
export const bigintHeader = 16;
export const collectionHeader = 32;
/** Store header and bookkeeping of a dictionary; each of its slots takes three words. */
export const dictionaryHeader = 64;
/** The same of a table of elements by number. */
export const numberTableHeader = 48;
/** What a string built by `+` or a template keeps beside its characters once it was read. */
export const joinedString = 32;
/** Hidden class, descriptor and cached key of one property of a shape that no other object uses. */
export const shapeProperty = 112;
/** Frames that an error keeps beside its properties: from about 290 for three frames to 660 for ten, and more once the stack was read. */
export const errorStack = 480;
/** The prototype of a generator function that was made for one call, its two shapes, and the room that the first generators keep. */
export const generatorPrototype = 312;
/** The table of a weak map or set of up to two entries. */
export const weakTable = 104;
const v8Version = Number(process.versions.v8.split('.')[0]);
/** What a regular expression keeps beside its source: 112 bytes on Node 22, 128 on Node 24, 136 on Node 26. */
export const patternData = v8Version < 13 ? 112 : v8Version < 14 ? 128 : 136;
/** An iterator of a map or a set, and one of an array, without what they go through. */
export const tableIterator = 40;
export const arrayIterator = 48;
/** A list that may hang on its iterator alone; nothing shows it. */
export const iteratedList = 480;
/** A function object without what it captured. */
export const closure = 64;
export const boundFunction = 48;
/** Behind the function that settles a promise: its promise, and the one who waits for that, as a rule a function with its variables. */
export const awaited = 60;
/** The same where an async function waits: its generator with its variables, and what they hold. */
export const mostAwaited = 720;
/** A getter, a setter or both of one object. */
export const accessorPair = 24;

/** Sizes of whole objects, which V8 versions change; the self-check corrects them for the running Node. */
export interface FixedSizes {
  arrayBuffer: number;
  boxedPrimitive: number;
  dataView: number;
  date: number;
  /** Not checked: what a suspended generator keeps depends on its variables. */
  generator: number;
  promise: number;
  proxy: number;
  regexp: number;
  symbol: number;
  typedArray: number;
  /** Not checked: an URL without its address, with the record of its parts. */
  url: number;
  weak: number;
}

export const fixedSizes: FixedSizes = {
  arrayBuffer: 96,
  boxedPrimitive: 32,
  dataView: 88,
  date: 96,
  generator: 88,
  promise: 48,
  proxy: 32,
  regexp: 56,
  symbol: 24,
  typedArray: 104,
  url: 216,
  weak: 32,
};
