import { Cursor } from './cursor.ts';
import { dictionaryCapacity } from './dictionary.ts';
import { arrayHeader, boxedNumber, dictionaryHeader, storeHeader } from './rules.ts';
import type { Walk } from './walk.ts';

/** Lengths from which an array is tested for being mostly holes before its slots are visited one by one. */
const sparseTestLength = 4096;
const sparseProbes = 64;

/** Charges an array and its elements. An array of numbers alone keeps doubles unboxed; one other element boxes each of them. */
export function expandArray(array: readonly unknown[], walk: Walk): void {
  const length = array.length;
  walk.bytes += arrayHeader;
  if (length === 0) return;
  if (length >= sparseTestLength && isSparse(array)) {
    walk.cursors.push(new SparseCursor(array));
    return;
  }
  walk.bytes += storeHeader + 8 * length;
  walk.above += 8 * (grownCapacity(length) - length);
  if (length <= walk.chunk) visit(array, 0, length, walk, { boxes: 0, numbersOnly: true }, true);
  else walk.cursors.push(new ArrayCursor(array));
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

interface Tally {
  boxes: number;
  numbersOnly: boolean;
}

function visit(
  array: readonly unknown[],
  from: number,
  to: number,
  walk: Walk,
  tally: Tally,
  last: boolean,
): void {
  let { boxes, numbersOnly } = tally;
  for (let i = from; i < to; i++) {
    const element = array[i];
    if (typeof element === 'number') {
      if ((element | 0) !== element) boxes++;
    } else {
      numbersOnly = false;
      if (element !== undefined) walk.value(element);
    }
  }
  tally.boxes = boxes;
  tally.numbersOnly = numbersOnly;
  if (last && !numbersOnly && boxes > 0) walk.leaf(boxes * boxedNumber);
}

class ArrayCursor extends Cursor {
  readonly #array: readonly unknown[];
  readonly #tally: Tally = { boxes: 0, numbersOnly: true };
  #index = 0;

  constructor(array: readonly unknown[]) {
    super();
    this.#array = array;
  }

  resume(walk: Walk): void {
    // The array may have shrunk or grown between two slices.
    const length = this.#array.length;
    const to = Math.min(length, this.#index + walk.chunk);
    const from = this.#index;
    this.#index = to;
    if (to < length) walk.cursors.push(this);
    visit(this.#array, from, to, walk, this.#tally, to >= length);
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
      const slots = dictionaryCapacity(this.#indexes.length);
      walk.bytes += dictionaryHeader + 24 * slots;
      walk.below += 12 * slots;
      walk.above += 24 * slots;
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
