import {
  copiedBytes,
  dictionaryBytes,
  dictionaryCapacity,
  isDictionary,
  numberTableBytes,
} from './hash-tables.ts';
import { grownCapacity } from './arrays.ts';
import {
  accessorPair,
  boxedNumber,
  emptyLiteralSlots,
  objectHeader,
  shapeProperty,
  storeHeader,
} from './rules.ts';
import { idsAsShapes } from './shapes.ts';
import { Cursor } from './walk.ts';
import type { Walk } from './walk.ts';

const { getOwnPropertyDescriptor, getOwnPropertySymbols } = Object;

/** Properties that keyed stores add before V8 turns an object into a dictionary: 4 inside it and 12 beside it. */
const fastPropertyLimit = 16;

/** Charges an object made by a literal, JSON.parse or `{}` and its values. */
export function expandPlain(node: object, walk: Walk): void {
  const isState = walk.isState(node);
  const { shapes } = walk;
  let count = 0;
  let own = 0;
  let accessors = 0;
  let doubles = 0;
  shapes.start();
  for (const key in node) {
    const descriptor = getOwnPropertyDescriptor(node, key);
    if (descriptor === undefined) continue;
    if (count === fastPropertyLimit || (count === 0 && isIndex(key))) {
      expandWide(node, count, own, walk, isState);
      return;
    }
    count++;
    if (shapes.next(key)) {
      own++;
      walk.name(key);
    }
    if ('value' in descriptor) {
      const value: unknown = descriptor.value;
      if (typeof value === 'number' && (value | 0) !== value) doubles++;
      walk.property(key, value, isState);
    } else accessors += expandAccessor(descriptor, walk);
  }
  walk.bytes += objectHeader + 8 * (count === 0 ? emptyLiteralSlots : count);
  if ((own > 0 || accessors > 0) && isDictionary(node, count)) {
    // A literal with an accessor becomes one with room for two more.
    walk.bytes += dictionaryBytes(count + (accessors > 0 ? 2 : 0)) - 8 * count;
  } else {
    const beside =
      count === 0 || accessors > 0 ? undefined : shapes.storeBytes(() => storeOf(node, count, doubles));
    walk.bytes += beside ?? 0;
    chargeShape(own, count, walk, beside);
    if (count > 0) walk.maybeDictionary(node, count);
  }
  expandSymbols(node, walk);
}

/** A getter is never run, but where a literal made it its function is the object's own. Returns the number of accessors, 1. */
function expandAccessor(descriptor: PropertyDescriptor, walk: Walk): number {
  walk.missed('accessor');
  walk.bytes += accessorPair;
  walk.below += accessorPair;
  for (const name of ['get', 'set'] as const) {
    const code: unknown = Reflect.get(descriptor, name);
    if (typeof code === 'function') walk.pending.push(code);
  }
  return 1;
}

/**
 * Charges properties by symbol of a plain object. Those of a literal lie in the object like any others. Added later they take a store, and
 * a symbol made for one object gives it a shape of its own.
 */
function expandSymbols(node: object, walk: Walk): void {
  const symbols = getOwnPropertySymbols(node);
  const count = symbols.length;
  if (count === 0) return;
  walk.bytes += 8 * count;
  walk.above += storeHeader + 8 * (Math.ceil(count / 3) * 3 - count) + count * shapeProperty;
  visit(node, symbols, 0, walk, false);
}

/** Charges an object of many properties or of numbered ones; the first ones have been charged already. */
function expandWide(node: object, visited: number, own: number, walk: Walk, isState: boolean): void {
  const keys = Object.keys(node);
  const indexes = chargeIndexes(keys, walk);
  const count = keys.length - indexes;
  walk.bytes += objectHeader;
  if (count > fastPropertyLimit && isDictionary(node, keys.length)) {
    chargeDictionary(count, walk);
    chargeNames(keys, indexes, walk);
  } else {
    walk.bytes += 8 * (count === 0 ? emptyLiteralSlots : count);
    walk.above += storeHeader + 8 * emptyLiteralSlots;
    chargeShape(own + ownAmong(keys, Math.max(visited, indexes), walk), 0, walk);
  }
  visit(node, keys, visited, walk, isState);
}

/** Integer-like keys come first in a listing and live in a store of elements; returns how many there are. */
function chargeIndexes(keys: readonly string[], walk: Walk): number {
  let indexes = 0;
  while (indexes < keys.length && isIndex(keys[indexes] as string)) indexes++;
  if (indexes === 0) return 0;
  const dense = Number(keys[indexes - 1]) < 2 * indexes + 16;
  const asTable = numberTableBytes(indexes);
  const slots = grownCapacity(Number(keys[indexes - 1]) + 1);
  const asList = storeHeader + 8 * slots;
  walk.bytes += dense ? asList : asTable;
  walk.below += dense ? 8 * (slots - indexes) : 0;
  walk.above += dense ? Math.max(0, asTable - asList) : asTable / 2;
  return indexes;
}

function isIndex(key: string): boolean {
  const first = key.charCodeAt(0);
  return first >= 48 && first <= 57 && String(Number(key) >>> 0) === key;
}

function ownAmong(keys: readonly string[], from: number, { shapes }: Walk): number {
  let own = 0;
  for (let i = from; i < keys.length; i++) if (shapes.next(keys[i] as string)) own++;
  return own;
}

function chargeNames(keys: readonly string[], from: number, walk: Walk): void {
  for (let i = from; i < keys.length; i++) walk.name(keys[i] as string);
}

/** Charges the part of an object's shape that no other scope uses; mostly it is shared with many, or with the code that makes them. */
function chargeShape(own: number, count: number, walk: Walk, beside?: number): void {
  const added = Math.max(0, addedLater(count) - (beside ?? 0));
  // Where no other scopes are known, a key that looks like an id may be in a shape that many have.
  if (own === 0 || (walk.shapes === idsAsShapes && 2 * own <= count)) {
    walk.above += added;
    return;
  }
  const bytes = (2 * own <= count ? 0 : 64) + own * shapeProperty;
  walk.bytes += added;
  walk.leaf(bytes);
  walk.below += bytes;
}

/**
 * What a plain object takes beside its slots, by a copy of it. Properties that were added to a literal or to a copy lie in a store, which has
 * a header and up to two empty slots. Undefined when it cannot be told.
 */
function storeOf(node: object, count: number, doubles: number): number | undefined {
  const copied = copiedBytes(node);
  if (copied === undefined || isDictionary(node, count)) return undefined;
  const inOne = objectHeader + 8 * count;
  // An object that began empty is sometimes copied property by property, which leaves the smaller stores behind.
  let steps = objectHeader + 8 * emptyLiteralSlots;
  for (let slots = 3; slots < count - emptyLiteralSlots + 3; slots += 3) steps += storeHeader + 8 * slots;
  // Each fraction is copied, too, and some copies read it into another one before.
  for (const fractions of new Set([2 * doubles, doubles])) {
    const bytes = copied - fractions * boxedNumber;
    if (bytes === steps) return addedLater(count);
    const empty = bytes - inOne - storeHeader;
    if (bytes === inOne || empty === 0 || empty === 8 || empty === 16) return bytes - inOne;
  }
  return copied < inOne ? 0 : undefined;
}

/** What an object of few properties takes more when they were added to `{}` one by one. */
function addedLater(count: number): number {
  const slots = emptyLiteralSlots;
  if (count === 0) return 0;
  if (count <= slots) return 8 * (slots - count);
  return storeHeader + 8 * (Math.ceil((count - slots) / 3) * 3 - (count - slots));
}

/** Charges an object without a prototype, which V8 keeps as a dictionary from the start. */
export function expandNullPrototype(node: object, walk: Walk): void {
  const keys = Object.keys(node);
  const indexes = chargeIndexes(keys, walk);
  walk.bytes += objectHeader;
  chargeDictionary(keys.length - indexes, walk);
  chargeNames(keys, indexes, walk);
  visit(node, keys, 0, walk, walk.isState(node));
}

/**
 * Charges an instance of a class and the values of its own properties, named or by symbol. Private fields cannot be seen. An error is not
 * asked for them: the inspector would read its stack, which makes a text of it.
 */
export function expandInstance(
  node: object,
  walk: Walk,
  isLeftOut?: (key: string | symbol) => boolean,
  mayHide = true,
): void {
  const own = Reflect.ownKeys(node);
  const keys = isLeftOut === undefined ? own : own.filter((key) => !isLeftOut(key));
  const count = own.length;
  walk.bytes += objectHeader + 8 * count;
  // Until V8 has seen a few instances it keeps spare slots in each.
  walk.above += 32;
  if (mayHide) walk.hides(node);
  visit(node, keys, 0, walk, true);
}

/** Charges what an exotic object carries besides its internal slots. */
export function expandExtras(node: object, walk: Walk): void {
  const keys = Reflect.ownKeys(node);
  if (keys.length === 0) return;
  walk.bytes += storeHeader + 8 * Math.ceil(keys.length / 3) * 3;
  visit(node, keys, 0, walk, false);
}

function chargeDictionary(count: number, walk: Walk): void {
  walk.bytes += dictionaryBytes(count);
  walk.above += 24 * dictionaryCapacity(count);
}

function visit(
  node: object,
  keys: readonly (string | symbol)[],
  from: number,
  walk: Walk,
  isState: boolean,
): void {
  const to = Math.min(keys.length, from + walk.chunk);
  if (to < keys.length) walk.cursors.push(new PropertyCursor(node, keys, to, isState));
  for (let i = from; i < to; i++) {
    const descriptor = getOwnPropertyDescriptor(node, keys[i] as string | symbol);
    if (descriptor === undefined) continue;
    if (!('value' in descriptor)) walk.missed('accessor');
    else walk.property(keys[i] as string | symbol, descriptor.value, isState);
  }
}

class PropertyCursor extends Cursor {
  readonly #node: object;
  readonly #keys: readonly (string | symbol)[];
  readonly #from: number;
  readonly #isState: boolean;

  constructor(node: object, keys: readonly (string | symbol)[], from: number, isState: boolean) {
    super();
    this.#node = node;
    this.#keys = keys;
    this.#from = from;
    this.#isState = isState;
  }

  resume(walk: Walk): void {
    visit(this.#node, this.#keys, this.#from, walk, this.#isState);
  }
}
