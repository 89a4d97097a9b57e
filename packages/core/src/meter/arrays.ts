import { numberTableBytes } from './hash-tables.ts';
import { allocatedBy } from './heap-growth.ts';
import { arrayHeader, boxedNumber, storeHeader } from './rules.ts';
import { Cursor } from './walk.ts';
import type { Walk } from './walk.ts';

/** Lengths from which an array is tested for being mostly holes before its slots are visited one by one. */
const sparseTestLength = 4096;
const sparseProbes = 64;
/** Longer lists of simple values are mostly data. */
const longestLiteral = 16;
/** Reads of one element by which boxed and unboxed numbers are told apart. */
const probeReads = 16;
const probes = 3;

// A property of a builtin, so that no feedback of this module decides how elements are read.
const readElement = Reflect.get as (array: readonly unknown[], index: number) => unknown;

/**
 * Charges an array and its elements. An array of numbers alone keeps doubles unboxed, as a rule; one other element boxes each of them.
 *
 * `array[i]` is only used on arrays that begin with something else than a number. Optimised code that has seen several kinds of arrays
 * converts an array of unboxed doubles to boxed ones when it reads it, which triples the memory of an embedding that was only measured.
 */
export function expandArray(array: readonly unknown[], walk: Walk): void {
  const length = array.length;
  walk.bytes += arrayHeader;
  if (length === 0) return;
  if (length >= sparseTestLength && isSparse(array)) {
    walk.cursors.push(new SparseCursor(array));
    return;
  }
  chargeStore(array, length, walk);
  const first = readElement(array, 0);
  if (length <= longestLiteral && mayBeLiteral(array)) walk.maybeLiteral(array);
  if (typeof first === 'number' || first === undefined) {
    if (isDouble(first) && isUnboxed(array, 0) === true) return;
    if (length <= walk.chunk) visitNumbers(array, 0, length, walk, { boxes: 0, double: -1 }, true);
    else walk.cursors.push(new NumberCursor(array));
  } else if (length <= walk.chunk) visit(array, 0, length, walk);
  else walk.cursors.push(new ArrayCursor(array));
}

/** True for an array of simple values. Others cannot share their elements, and what overrides how an array is copied is left alone. */
function mayBeLiteral(array: readonly unknown[]): boolean {
  if (Object.getPrototypeOf(array) !== Array.prototype || Object.hasOwn(array, 'constructor')) return false;
  for (let i = 0; i < array.length; i++) {
    const element = readElement(array, i);
    if ((typeof element === 'object' && element !== null) || typeof element === 'function') return false;
    if (isDouble(element)) return false;
  }
  return true;
}

/** Nothing shows how many slots an array has: as many as it needs when it was made at once, more when it was pushed to. */
function chargeStore(array: readonly unknown[], length: number, walk: Walk): void {
  const spare = 8 * (grownCapacity(length) - length);
  const charged = 8 * walk.spareSlots(array, grownCapacity);
  walk.bytes += storeHeader + 8 * length + charged;
  walk.below += charged;
  // A list that was spread into a literal has half of its length more.
  walk.above += Math.max(0, Math.max(spare, 8 * ((length >> 1) + 16)) - charged);
}

/** Capacity that `push` gives a backing store that has to hold `length` elements, starting from an empty array. */
export function grownCapacity(length: number): number {
  let capacity = 17;
  while (capacity < length) {
    const needed = capacity + 1;
    capacity = needed + (needed >> 1) + 16;
  }
  return capacity;
}

/** True when the doubles of an array lie in the array itself: then each read makes a number object. Undefined when it cannot be told. */
function isUnboxed(array: readonly unknown[], index: number): boolean | undefined {
  const expected = probeReads * boxedNumber;
  let sure = 0;
  for (let i = 0; i < probes; i++) {
    const bytes = allocatedBy(() => {
      for (let read = 0; read < probeReads; read++) readElement(array, index);
    });
    if (bytes !== undefined && bytes < expected / 2) return false;
    // What something else allocates at the same moment only adds.
    if (bytes !== undefined && bytes < 2 * expected) sure++;
  }
  return sure >= 2 ? true : undefined;
}

function isDouble(value: unknown): boolean {
  return typeof value === 'number' && (value | 0) !== value;
}

function visit(array: readonly unknown[], from: number, to: number, walk: Walk): void {
  for (let i = from; i < to; i++) {
    const element = array[i];
    if (element !== undefined) walk.element(element);
  }
}

interface Tally {
  boxes: number;
  /** Index of a double while there are only numbers; -1 before the first, -2 after something else. */
  double: number;
}

function visitNumbers(
  array: readonly unknown[],
  from: number,
  to: number,
  walk: Walk,
  tally: Tally,
  last: boolean,
): void {
  for (let i = from; i < to; i++) {
    const element = readElement(array, i);
    if (typeof element !== 'number') {
      if (element === undefined) continue;
      tally.double = -2;
      walk.element(element);
    } else if ((element | 0) !== element) {
      tally.boxes++;
      if (tally.double === -1) tally.double = i;
    }
  }
  if (!last || tally.boxes === 0) return;
  if (tally.double < 0 || isUnboxed(array, tally.double) === false) walk.leaf(tally.boxes * boxedNumber);
}

/** Goes through an array chunk by chunk. It may shrink or grow between two of them. */
abstract class ChunkCursor extends Cursor {
  readonly #array: readonly unknown[];
  #index = 0;

  constructor(array: readonly unknown[]) {
    super();
    this.#array = array;
  }

  resume(walk: Walk): void {
    const length = this.#array.length;
    const to = Math.min(length, this.#index + walk.chunk);
    const from = this.#index;
    this.#index = to;
    if (to < length) walk.cursors.push(this);
    this.visit(this.#array, from, to, walk);
  }

  /** Looks at the elements from `from` up to `to`. */
  abstract visit(array: readonly unknown[], from: number, to: number, walk: Walk): void;
}

class ArrayCursor extends ChunkCursor {
  visit(array: readonly unknown[], from: number, to: number, walk: Walk): void {
    visit(array, from, to, walk);
  }
}

class NumberCursor extends ChunkCursor {
  readonly #tally: Tally = { boxes: 0, double: -1 };

  visit(array: readonly unknown[], from: number, to: number, walk: Walk): void {
    visitNumbers(array, from, to, walk, this.#tally, to >= array.length);
  }
}

/** `a[1e9] = x` makes an array a dictionary of its used indexes. */
class SparseCursor extends Cursor {
  readonly #array: readonly unknown[];
  #indexes: readonly string[] | undefined;
  #at = 0;

  constructor(array: readonly unknown[]) {
    super();
    this.#array = array;
  }

  resume(walk: Walk): void {
    if (this.#indexes === undefined) {
      this.#indexes = Object.keys(this.#array);
      const bytes = numberTableBytes(this.#indexes.length);
      walk.bytes += bytes;
      walk.below += bytes / 2;
      walk.above += bytes;
    }
    const to = Math.min(this.#indexes.length, this.#at + walk.chunk);
    if (to < this.#indexes.length) walk.cursors.push(this);
    for (let i = this.#at; i < to; i++) walk.value(this.#array[Number(this.#indexes[i])]);
    this.#at = to;
  }
}

function isSparse(array: readonly unknown[]): boolean {
  const step = Math.floor(array.length / sparseProbes);
  for (let i = 0; i < sparseProbes; i++) if (Object.hasOwn(array, i * step)) return false;
  return true;
}
