import {
  collectionBytes,
  dictionariesAmong,
  dictionaryBytes,
  setBatch,
  setBytes,
  slicedBytes,
} from './hash-tables.ts';
import type { GrownLists } from './grown-lists.ts';
import { arrayHeader, bigintHeader, boxedNumber, fixedSizes, joinedString, storeHeader } from './rules.ts';
import { idsAsShapes } from './shapes.ts';
import type { ShapeReader } from './shapes.ts';
import { flatten, internedLength, isSharedWord, stringBytes, uuidLength } from './string-bytes.ts';

/** What a walk met and could not look into. */
export type UnknownKind = 'accessor' | 'closure' | 'native' | 'promise' | 'proxy' | 'weak';

interface WalkOptions {
  readonly chunk?: number;
  readonly onLongString?: (text: string) => boolean;
  readonly flatten?: boolean;
  /** What earlier walks learned about arrays that grow. */
  readonly lists?: GrownLists | undefined;
  /** What earlier walks learned about shapes that scopes have for themselves. */
  readonly shapes?: ShapeReader | undefined;
}

/** Strings from this length on are offered to `onLongString`. */
const longStringLength = 256;

/** Shorter strings are copied when they are joined or cut. */
export const joinedLength = 13;
/** From V8 14 on (Node.js 26), keys of maps and sets are names like those of properties, of which V8 keeps but one. */
export const keysAreNames = Number(process.versions.v8.split('.')[0]) >= 14;

/** A map with more keys than this is an index of data. */
const mostNames = 8;

/** Regular expressions with other patterns than so many are no literals of a program. */
const mostOfCode = 6;

/** Plain objects that are asked together whether they are dictionaries, or arrays whether they share elements: reading the heap's size costs as much as a few objects. */
const batchSize = 32;
/** The largest set whose table is weighed: the copy is gone at once but has to be made. */
const largestSet = 2048;
/** After a batch without a dictionary, so many objects are taken for fast ones before the next batch. */
const skippedObjects = 96;
/** A dictionary of few properties was made by `delete`: it had one property more, and V8 adds room for two. */
const deletedRoom = 3;

/** The rest of a container too large for one step of a walk. */
export abstract class Cursor {
  abstract resume(walk: Walk): void;
}

/** The sums of one walk over a value and the objects it still has to visit. */
export class Walk {
  /** Point estimate so far. */
  bytes = 0;
  /** How far the truth may lie below `bytes`. */
  below = 0;
  /** How far the truth may lie above `bytes`. */
  above = 0;
  /** The part of `bytes` that is strings, boxed numbers and bigints held by the objects visited. */
  leafBytes = 0;
  /** Objects reached and not yet expanded, with duplicates. */
  readonly pending: object[] = [];
  /** Containers charged in part. */
  readonly cursors: Cursor[] = [];
  /** Most elements or properties that one `expand` looks at before it leaves the rest to a cursor. */
  readonly chunk: number;
  /** Called with each string of 256 characters or more; true leaves the string out because something else owns it. */
  readonly onLongString: ((text: string) => boolean) | undefined;
  /** Flattens strings built by concatenation, which hold up to thirteen times their length until something reads them. */
  readonly flatten: boolean;
  readonly shapes: ShapeReader;
  /** Share of the room that `push` leaves which a list in a map is taken to have. */
  protected readonly mapListShare: number = 0.5;
  readonly #lists: GrownLists | undefined;
  /** Names under which arrays were met that have not been expanded yet. */
  readonly #listNames = new Map<object, string>();
  #unknownCounts: Map<UnknownKind, number> | undefined;
  /** Objects that hold the state of something that lives on, and arrays that grow with it. */
  #state: Map<object, number> | undefined;
  readonly #patterns = new Set<string>();
  readonly #plain: object[] = [];
  readonly #plainCounts: number[] = [];
  #skipped = 0;
  readonly #literals: (readonly unknown[])[] = [];
  #literalBytes = 0;
  readonly #sets: Set<unknown>[] = [];
  /** What they were charged with, and the most that their tables may take. */
  #setBytes = 0;
  #mostSetBytes = 0;

  constructor(options: WalkOptions = {}) {
    this.chunk = options.chunk ?? 4096;
    this.onLongString = options.onLongString;
    this.flatten = options.flatten ?? false;
    this.#lists = options.lists;
    this.shapes = options.shapes ?? idsAsShapes;
  }

  get lo(): number {
    return this.bytes - this.below;
  }

  get hi(): number {
    return this.bytes + this.above;
  }

  get unknown(): ReadonlyMap<UnknownKind, number> {
    return this.#unknownCounts ?? new Map();
  }

  /** Notes something whose size cannot be known from JavaScript. */
  missed(kind: UnknownKind): void {
    const counts = (this.#unknownCounts ??= new Map());
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }

  /** Says that a root holds state: arrays in it grew by `push`, and so did those of the plain objects in it. */
  markState(node: object, spareShare = 0.5): void {
    (this.#state ??= new Map()).set(node, spareShare);
  }

  isState(node: object): boolean {
    return this.#state !== undefined && this.#state.has(node);
  }

  /**
   * Slots that an array is taken to have beyond its length, by the rule `capacityOf` of `push`: none in records and parsed data, all when it
   * or others of its name were seen to grow, the share given with `markState` where it may have been pushed to or made at once.
   */
  spareSlots(array: readonly unknown[], capacityOf: (length: number) => number): number {
    const name = this.#listNames.get(array);
    if (name !== undefined) this.#listNames.delete(array);
    this.place = `${name ?? ''}[]`;
    const share = this.#state?.get(array);
    if (share !== undefined) this.#state?.delete(array);
    const grown =
      this.#lists === undefined || (name ?? share) === undefined
        ? undefined
        : this.#lists.grownLength(array, name ?? '', share !== undefined);
    if (grown !== undefined) return capacityOf(grown) - array.length;
    return share === undefined ? 0 : share * (capacityOf(array.length) - array.length);
  }

  /** Entries that the table of a map is taken to have slots for. */
  mapSlots(map: object, size: number, firstKey: unknown): number {
    return this.#lists?.isReplaced(map, size, firstKey) === true ? 2 * size : size;
  }

  /** A piece of a slab that Buffer shares among many. */
  slab(buffer: ArrayBufferLike, bytes: number): void {
    this.bytes += bytes;
    this.above += buffer.byteLength - bytes;
  }

  /** Whether a timer is left out, because Node.js holds it and what it reaches until it is due. */
  isHeldByNode(_timer: object): boolean {
    return false;
  }

  /** True for a pattern that was not met yet, after several others. */
  isOneOfMany(pattern: string): boolean {
    const { size } = this.#patterns;
    return this.#patterns.add(pattern).size > Math.max(size, mostOfCode);
  }

  /** Called for each object that may have private fields or other insides that cannot be seen. */
  hides(_node: object): void {}

  /** Name of the property or list whose value is looked at. */
  protected place = '';

  /** The value of a property; `isState` says that its object holds the state of something that lives on. */
  property(key: string | symbol, value: unknown, isState: boolean): void {
    if (typeof key === 'string') this.place = key;
    if (typeof value === 'object' && value !== null) {
      if (isState) this.markState(value);
      if (this.#lists !== undefined && typeof key === 'string' && Array.isArray(value))
        this.#listNames.set(value, key);
    }
    this.value(value);
  }

  /** A key of a map that has so many, or an element of a set. Few words are names of fields, many are data, as in lists. */
  key(value: unknown, size = 0): void {
    this.place = '{key}';
    if (typeof value !== 'string') this.value(value);
    else if (size > mostNames && !keysAreNames) this.element(value);
    else this.string(value);
  }

  /** The name of a property, of which V8 keeps but one. It may be the object's own. */
  name(text: string): void {
    this.above += stringBytes(text);
  }

  /** A value of a map: a list that entries are collected in grew, a record did not. */
  mapValue(value: unknown): void {
    this.place = '{}';
    if (Array.isArray(value)) this.markState(value, this.mapListShare);
    this.value(value);
  }

  /** Notes a plain object that may be a dictionary; they are asked in batches, one batch in four while none is found. */
  maybeDictionary(node: object, count: number): void {
    if (this.#skipped > 0) {
      this.#skipped--;
      return;
    }
    this.#plain.push(node);
    this.#plainCounts.push(count);
    if (this.#plain.length >= batchSize) this.#settlePlain();
  }

  /** Notes a set that was charged by its size. Its table may have more room. */
  weighSet(node: Set<unknown>, size: number): void {
    if (size > largestSet) return;
    const bytes = collectionBytes(size, 2);
    this.#sets.push(node);
    this.#setBytes += bytes;
    this.#mostSetBytes += collectionBytes(8 * size, 2);
    if (this.#sets.length >= setBatch) this.#settleSets();
  }

  #settleSets(): void {
    const real = this.#sets.length === 0 ? undefined : setBytes(this.#sets);
    if (real !== undefined && real >= this.#setBytes && real <= this.#mostSetBytes)
      this.bytes += real - this.#setBytes;
    this.#sets.length = 0;
    this.#setBytes = 0;
    this.#mostSetBytes = 0;
  }

  /** Ends the batches of sets, arrays and plain objects. Call it when a walk is over, and before other code runs. */
  settle(): void {
    this.#settleSets();
    this.#settleLiterals();
    this.#settlePlain();
  }

  #settlePlain(): void {
    const found = this.#plain.length === 0 ? [] : dictionariesAmong(this.#plain, this.#plainCounts);
    for (const i of found) {
      const count = this.#plainCounts[i] as number;
      this.bytes += dictionaryBytes(count + deletedRoom) - 8 * count;
    }
    this.#plain.length = 0;
    this.#plainCounts.length = 0;
    if (found.length === 0) this.#skipped = skippedObjects;
  }

  /**
   * Notes an array of simple values, which may share its elements with the literal that it was made by. By itself it counts with them: its
   * first change makes them its own.
   */
  maybeLiteral(list: readonly unknown[]): void {
    if (this.#lists === undefined) return;
    this.#literals.push(list);
    this.#literalBytes += arrayHeader + storeHeader + 8 * list.length;
    if (this.#literals.length >= batchSize) this.#settleLiterals();
  }

  #settleLiterals(): void {
    const real = this.#literals.length === 0 ? undefined : slicedBytes(this.#literals);
    if (real !== undefined && real < this.#literalBytes) this.bytes -= this.#literalBytes - real;
    this.#literals.length = 0;
    this.#literalBytes = 0;
  }

  /** Charges what one slot refers to: a leaf at once, an object by putting it on the stack. */
  value(value: unknown): void {
    switch (typeof value) {
      case 'string':
        this.string(value);
        return;
      case 'number':
        if ((value | 0) !== value) this.leaf(boxedNumber);
        return;
      case 'object':
        if (value !== null) this.pending.push(value);
        return;
      case 'function':
        this.pending.push(value);
        return;
      case 'bigint':
        this.leaf(bigintBytes(value));
        return;
      case 'symbol':
        // Most symbols are well-known or registered and shared by everything.
        this.above += fixedSizes.symbol;
    }
  }

  /** An element of an array. */
  element(value: unknown): void {
    this.value(value);
  }

  string(text: string): void {
    const length = text.length;
    if (length < 2) return;
    const bytes = stringBytes(text);
    if (length <= internedLength) {
      if (isSharedWord(text)) this.above += bytes;
      else {
        this.leaf(bytes);
        this.below += bytes;
      }
      return;
    }
    if (this.flatten) flatten(text);
    if (length >= longStringLength && this.onLongString?.(text) === true) return;
    this.leaf(bytes);
    // A collection may have dropped the joint of an UUID.
    if (length === uuidLength) this.below += joinedString;
    if (length >= joinedLength) this.joint(text);
  }

  /** What a string of 13 characters or more may have beside its own: built by `+`, a template or `trim`, it refers to another string. */
  joint(_text: string): void {
    this.above += joinedString + 8;
  }

  leaf(bytes: number): void {
    this.bytes += bytes;
    this.leafBytes += bytes;
  }
}

/** Bytes of a bigint; the magnitude takes one word per 64 bits. */
export function bigintBytes(value: bigint): number {
  const magnitude = value < 0n ? -value : value;
  if (magnitude === 0n) return bigintHeader;
  const words = magnitude <= 0xffff_ffff_ffff_ffffn ? 1 : Math.ceil(magnitude.toString(16).length / 16);
  return bigintHeader + 8 * words;
}
