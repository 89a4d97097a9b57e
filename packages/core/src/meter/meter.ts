import { types } from 'node:util';
import { grownCapacity } from './arrays.ts';
import { measure } from './measure.ts';
import { arrayHeader, boxedNumber, closure, objectHeader, storeHeader, stringHeader } from './rules.ts';
import { selfCheck } from './self-check.ts';
import {
  internedLength,
  isOneByte,
  judgedByFirst,
  stringBytes,
  unslice,
  uuidLength,
} from './string-bytes.ts';
import { bigintBytes } from './walk.ts';

const { isProxy } = types;
const { isArray } = Array;

// The hot loop reads these. V8 folds a constant of this module into the code, but loads an import each time.
const listBase = arrayHeader + storeHeader;
const listHeader = arrayHeader;
const objectBase = objectHeader;
const stringBase = stringHeader;
const box = boxedNumber;
const shortWord = internedLength;
const shortText = judgedByFirst;
const oneByte = isOneByte;
const uuidChars = uuidLength;

const firstElement = Reflect.get as (list: readonly unknown[], index: number) => unknown;

/** Objects that the quick path follows before it takes a value for cyclic or large and leaves it to `measure`. */
const quickNodes = 512;
/** Properties from which an object may be a dictionary, which only `measure` can tell. */
const quickProperties = 16;
/** Elements from which an array is left to `measure`, which tells sparse ones. */
const longList = 4096;
/** Values between two that are inspected for getters and proxies, and how many objects of one an inspection looks at. */
const quickRun = 512;
const inspectedNodes = 32;

export interface MeterOptions {
  /**
   * Measures every value through its property descriptors, so that no getter and no proxy trap can run; several times slower. Without it
   * the first value and every 512th are inspected, and the meter turns strict by itself when it meets an accessor or a proxy. Default false.
   */
  readonly strict?: boolean;
  /** Replaces the strings of plain objects and arrays by copies, so that slices do not keep their parents alive. Default false. */
  readonly unslice?: boolean;
}

/**
 * The incremental size of a list of values that grows: a conversation, a log, the state of a session.
 *
 * `append` costs tens of nanoseconds because it looks only at the new value, and flattens its strings. Within one value an object
 * reachable on two ways counts twice, and between values nothing is shared: a meter is for data, `measure` for graphs.
 */
export class Meter {
  #held = 0;
  #size = 0;
  #capacity = 0;
  /** Values that may still take the quick path before the next inspection; never positive in a strict meter. */
  #quickLeft = 0;
  #careful: boolean;
  readonly #copies: boolean;
  readonly #pending: object[] = [];

  constructor(options: MeterOptions = {}) {
    selfCheck();
    this.#careful = options.strict ?? false;
    this.#copies = options.unslice ?? false;
  }

  /** Bytes held now: the values and the list around them. */
  get bytes(): number {
    return this.#held + arrayHeader + (this.#capacity === 0 ? 0 : storeHeader + 8 * this.#capacity);
  }

  /** Values appended and not removed. */
  get count(): number {
    return this.#size;
  }

  /** True when every value is measured through its descriptors. */
  get strict(): boolean {
    return this.#careful;
  }

  /** Charges one more value and returns its bytes, which `credit` takes back without measuring again. */
  append(value: unknown): number {
    if (++this.#size > this.#capacity) this.#capacity = grownCapacity(this.#size);
    const bytes =
      typeof value === 'object' && value !== null && --this.#quickLeft > 0
        ? this.#quick(value)
        : this.#slow(value);
    this.#held += bytes;
    return bytes;
  }

  /** Exchanges a value for another; returns the change in bytes. */
  replace(old: unknown, next: unknown): number {
    const change = this.#slow(next) - this.#slow(old);
    this.#held = Math.max(0, this.#held + change);
    return change;
  }

  /** Takes back a value, measured as it is now; returns its bytes. A value that changed since `append` is better credited. */
  remove(value: unknown): number {
    const bytes = this.#slow(value);
    this.credit(bytes);
    return bytes;
  }

  /** Takes back the bytes that `append` returned. */
  credit(bytes: number): void {
    this.#held = Math.max(0, this.#held - bytes);
    if (this.#size > 0) this.#size--;
    // V8 gives the store of a list back when it is half empty.
    if (2 * this.#size + 16 <= this.#capacity)
      this.#capacity = this.#size === 0 ? 0 : grownCapacity(this.#size);
  }

  /** Forgets everything appended. */
  clear(): void {
    this.#held = 0;
    this.#size = 0;
    this.#capacity = 0;
  }

  /** Measures a leaf, a value whose turn it is to be inspected, or any value in a strict meter. */
  #slow(value: unknown): number {
    if (typeof value !== 'object' || value === null) return leafBytes(value);
    if (this.#copies) detach(value);
    this.#careful ||= hasTraps(value);
    this.#quickLeft = this.#careful || this.#copies ? 0 : quickRun;
    return this.#careful ? measure(value).bytes : this.#quick(value);
  }

  /** Measures a value by reading it as JSON.stringify would; what needs a closer look is left to `measure`. */
  #quick(root: object): number {
    try {
      const bytes = isArray(root) ? this.#descend(root, 0) : this.#flat(root as Record<string, unknown>);
      return bytes < 0 ? this.#restart(root) : bytes;
    } catch {
      // A getter that was not met before threw. From now on no getter of the user runs.
      this.#careful = true;
      return this.#restart(root);
    }
  }

  // The same loop as in `descend`, apart from it because most values have no objects inside and small functions are optimised better.
  #flat(root: Record<string, unknown>): number {
    let bytes = 0;
    let count = 0;
    let next: object | undefined;
    for (const key in root) {
      if (count++ === 0 && isDigit(key)) return -1;
      const value = root[key];
      if (typeof value === 'string') bytes += textBytes(value);
      else if (typeof value === 'number') {
        if ((value | 0) !== value) bytes += box;
      } else if (typeof value === 'object') {
        if (value !== null) {
          if (next === undefined) next = value;
          else this.#pending.push(value);
        }
      } else if (typeof value !== 'boolean') bytes += leafBytes(value);
    }
    // Collections and dates have no fields, and dictionaries have many. Both are measured on the slow path.
    if (count > quickProperties) return -1;
    bytes += count === 0 ? measure(root).bytes : objectBase + 8 * count;
    return next === undefined ? bytes : this.#descend(next, bytes);
  }

  #descend(first: object, start: number): number {
    const pending = this.#pending;
    let bytes = start;
    let nodes = 0;
    let node = first as Record<string, unknown>;
    // The first child waits here and not on the stack, which costs more. Most objects have one child at most.
    let next: Record<string, unknown> | undefined;
    for (;;) {
      if (isArray(node)) {
        const length = node.length;
        if (length > longList) return -1;
        const start = length === 0 ? '' : firstElement(node, 0);
        // Only `measure` reads lists of numbers without converting them.
        if (typeof start === 'number' || start === undefined) return -1;
        for (let i = 0; i < length; i++) {
          const value: unknown = node[i];
          if (typeof value === 'string') bytes += textBytes(value);
          else if (typeof value === 'object') {
            if (value !== null) pending.push(value);
          } else bytes += leafBytes(value);
        }
        bytes += length === 0 ? listHeader : listBase + 8 * length;
      } else {
        let count = 0;
        for (const key in node) {
          if (count++ === 0 && isDigit(key)) return -1;
          const value = node[key];
          if (typeof value === 'string') bytes += textBytes(value);
          else if (typeof value === 'number') {
            if ((value | 0) !== value) bytes += box;
          } else if (typeof value === 'object') {
            if (value !== null) {
              if (next === undefined) next = value as Record<string, unknown>;
              else pending.push(value);
            }
          } else if (typeof value !== 'boolean') bytes += leafBytes(value);
        }
        if (count > quickProperties) return -1;
        bytes += count === 0 ? measure(node).bytes : objectBase + 8 * count;
      }
      if (next === undefined) {
        if (pending.length === 0) return bytes;
        next = pending.pop() as Record<string, unknown>;
      }
      if (++nodes > quickNodes) return -1;
      node = next;
      next = undefined;
    }
  }

  #restart(root: object): number {
    this.#pending.length = 0;
    if (this.#careful) this.#quickLeft = 0;
    return measure(root).bytes;
  }
}

/** The same rules as `Walk.string`, in one piece for speed; looking at the first character flattens the text. */
function textBytes(text: string): number {
  const length = text.length;
  if (length <= shortWord && (length < 2 || isWord(text))) return 0;
  if (length === uuidChars) return stringBytes(text);
  const narrow = text.charCodeAt(0) < 256 && (length < shortText || oneByte(text));
  return (stringBase + (narrow ? length : length + length) + 7) & ~7;
}

/** Numbers as keys come first and lie in a store of their own, which only `measure` knows. */
function isDigit(key: string): boolean {
  const first = key.charCodeAt(0);
  return first >= 48 && first <= 57;
}

function isWord(text: string): boolean {
  const last = text.charCodeAt(text.length - 1);
  return (last < 48 || last > 57) && !text.includes(' ');
}

function leafBytes(value: unknown): number {
  switch (typeof value) {
    case 'string':
      return textBytes(value);
    case 'number':
      return (value | 0) === value ? 0 : box;
    case 'bigint':
      return bigintBytes(value);
    case 'function':
      return Object.hasOwn(value, 'prototype') ? closure : closure - 8;
    default:
      return 0;
  }
}

/** True when a getter or a proxy is among the first objects of a value. */
function hasTraps(root: object): boolean {
  const pending: object[] = [root];
  for (let i = 0; i < inspectedNodes; i++) {
    const node = pending.pop();
    if (node === undefined) return false;
    if (isProxy(node)) return true;
    for (const key of Object.keys(node)) {
      const descriptor = Object.getOwnPropertyDescriptor(node, key) as PropertyDescriptor;
      if (descriptor.get !== undefined) return true;
      const value: unknown = descriptor.value;
      if (typeof value === 'object' && value !== null && pending.length < inspectedNodes) pending.push(value);
    }
  }
  return false;
}

/** Replaces the long strings of plain data by copies of their own, in place. */
function detach(root: object): void {
  const seen = new Set<object>();
  const pending: object[] = [root];
  let node: object | undefined;
  while ((node = pending.pop()) !== undefined && seen.size < quickNodes) {
    if (seen.has(node) || isProxy(node) || !isPlainData(node)) continue;
    seen.add(node);
    for (const key of Object.keys(node)) {
      const descriptor = Object.getOwnPropertyDescriptor(node, key);
      const value: unknown = descriptor?.value;
      if (typeof value === 'string' && descriptor?.writable === true)
        (node as Record<string, unknown>)[key] = unslice(value);
      else if (typeof value === 'object' && value !== null) pending.push(value);
    }
  }
}

function isPlainData(node: object): boolean {
  return isArray(node) || Object.getPrototypeOf(node) === Object.prototype;
}
