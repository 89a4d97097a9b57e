import { Cursor } from './cursor.ts';
import { dictionaryCapacity, isDictionary } from './dictionary.ts';
import {
  dictionaryHeader,
  emptyLiteralSlots,
  objectHeader,
  shapeProperty,
  storeHeader,
  stringHeader,
} from './rules.ts';
import { stringBytes } from './string-bytes.ts';
import type { Walk } from './walk.ts';

const { getOwnPropertyDescriptor } = Object;

/** Properties that keyed stores add before V8 turns an object into a dictionary: 4 inside it and 12 beside it. */
const fastPropertyLimit = 16;

/** Charges an object made by a literal, JSON.parse or `{}` and its values. */
export function expandPlain(node: object, walk: Walk): void {
  let count = 0;
  for (const key in node) {
    const descriptor = getOwnPropertyDescriptor(node, key);
    if (descriptor === undefined) continue;
    count++;
    if (count > fastPropertyLimit) {
      expandWide(node, count - 1, walk);
      return;
    }
    if ('value' in descriptor) walk.value(descriptor.value);
    else walk.missed('accessor');
  }
  walk.bytes += objectHeader + 8 * (count === 0 ? emptyLiteralSlots : count);
  walk.above += addedLater(count);
}

/** Charges an object of many properties, the first of which have been charged already. */
function expandWide(node: object, visited: number, walk: Walk): void {
  const keys = Object.keys(node);
  const indexes = chargeIndexes(keys, walk);
  const count = keys.length - indexes;
  walk.bytes += objectHeader;
  if (count > fastPropertyLimit && isDictionary(node, keys.length)) {
    chargeDictionary(count, walk);
    for (let i = indexes; i < keys.length; i++) chargeName(keys[i] as string, walk);
  } else {
    walk.bytes += 8 * count;
    walk.above += storeHeader + 8 * emptyLiteralSlots;
    if (count > fastPropertyLimit) chargeShape(keys, walk);
  }
  visit(node, keys, visited, walk);
}

/** Integer-like keys come first in a listing and live in a store of elements; returns how many there are. */
function chargeIndexes(keys: readonly string[], walk: Walk): number {
  let indexes = 0;
  while (indexes < keys.length && isIndex(keys[indexes] as string)) indexes++;
  if (indexes === 0) return 0;
  const dense = Number(keys[indexes - 1]) < 2 * indexes + 16;
  const slots = dictionaryCapacity(indexes);
  const asTable = dictionaryHeader + 24 * slots;
  const asList = storeHeader + 8 * indexes;
  walk.bytes += dense ? asList : asTable;
  if (dense) walk.above += asTable + 24 * slots - asList;
  else walk.above += 24 * slots;
  return indexes;
}

function isIndex(key: string): boolean {
  const first = key.charCodeAt(0);
  return first >= 48 && first <= 57 && String(Number(key) >>> 0) === key;
}

/** Names of a dictionary belong to it unless another object uses the same ones. */
function chargeName(name: string, walk: Walk): void {
  if (!walk.firstSight(name)) return;
  const bytes = stringBytes(name);
  walk.leaf(bytes);
  walk.below += bytes;
}

/** A wide shape takes as much as dozens of its objects; literals in the code share theirs with the code. */
function chargeShape(keys: readonly string[], walk: Walk): void {
  const count = keys.length;
  if (!walk.firstSight(`${keys[0]} ${keys[count - 1]} ${count}`)) return;
  const bytes = count * (shapeProperty + stringHeader + 8);
  walk.leaf(bytes);
  walk.below += bytes;
  walk.above += bytes;
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
  walk.bytes += objectHeader;
  chargeDictionary(keys.length, walk);
  visit(node, keys, 0, walk);
}

/** Charges an instance of a class and the values of its own properties, named or by symbol. Private fields cannot be seen. */
export function expandInstance(node: object, walk: Walk): void {
  const keys = Reflect.ownKeys(node);
  const count = keys.length;
  walk.bytes += objectHeader + 8 * count;
  // Until V8 has seen a few instances it keeps spare slots in each.
  walk.above += 32;
  visit(node, keys, 0, walk);
}

/** Charges what an exotic object carries besides its internal slots. */
export function expandExtras(node: object, walk: Walk): void {
  const keys = Reflect.ownKeys(node);
  if (keys.length === 0) return;
  walk.bytes += storeHeader + 8 * Math.ceil(keys.length / 3) * 3;
  visit(node, keys, 0, walk);
}

function chargeDictionary(count: number, walk: Walk): void {
  const slots = dictionaryCapacity(count);
  walk.bytes += dictionaryHeader + 24 * slots;
  walk.above += 24 * slots;
}

function visit(node: object, keys: readonly (string | symbol)[], from: number, walk: Walk): void {
  const to = Math.min(keys.length, from + walk.chunk);
  if (to < keys.length) walk.cursors.push(new PropertyCursor(node, keys, to));
  for (let i = from; i < to; i++) {
    const descriptor = getOwnPropertyDescriptor(node, keys[i] as string | symbol);
    if (descriptor === undefined) continue;
    if ('value' in descriptor) walk.value(descriptor.value);
    else walk.missed('accessor');
  }
}

class PropertyCursor extends Cursor {
  readonly #node: object;
  readonly #keys: readonly (string | symbol)[];
  readonly #from: number;

  constructor(node: object, keys: readonly (string | symbol)[], from: number) {
    super();
    this.#node = node;
    this.#keys = keys;
    this.#from = from;
  }

  resume(walk: Walk): void {
    visit(this.#node, this.#keys, this.#from, walk);
  }
}
