import { Cursor } from './cursor.ts';
import { dictionaryCapacity, isDictionary } from './dictionary.ts';
import { rules } from './rules.ts';
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
  walk.bytes += rules.objectHeader + 8 * (count === 0 ? rules.emptyLiteralSlots : count);
  walk.above += addedLater(count);
}

/** Charges an object of many properties, the first of which have been charged already. */
function expandWide(node: object, visited: number, walk: Walk): void {
  const keys = Object.keys(node);
  const count = keys.length;
  walk.bytes += rules.objectHeader;
  if (isDictionary(node, count)) {
    walk.bytes += 8 * rules.emptyLiteralSlots;
    chargeDictionary(count, walk);
    for (let i = 0; i < count; i++) chargeKey(keys[i] as string, walk);
  } else {
    walk.bytes += 8 * count;
    walk.above += rules.storeHeader + 16;
  }
  visit(node, keys, visited, walk);
}

/** Keys of a dictionary belong to it unless another object uses the same names. */
function chargeKey(key: string, walk: Walk): void {
  const bytes = stringBytes(key);
  walk.leaf(bytes);
  walk.below += bytes;
}

/** What an object of few properties takes more when they were added to `{}` one by one. */
function addedLater(count: number): number {
  const slots = rules.emptyLiteralSlots;
  if (count === 0) return 0;
  if (count <= slots) return 8 * (slots - count);
  return rules.storeHeader + 8 * (Math.ceil((count - slots) / 3) * 3 - (count - slots));
}

/** Charges an object without a prototype, which V8 keeps as a dictionary from the start. */
export function expandNullPrototype(node: object, walk: Walk): void {
  const keys = Object.keys(node);
  walk.bytes += rules.objectHeader;
  chargeDictionary(keys.length, walk);
  visit(node, keys, 0, walk);
}

/** Charges an instance of a class and the values of its own properties, named or by symbol. Private fields cannot be seen. */
export function expandInstance(node: object, prototype: object, walk: Walk): void {
  void prototype;
  const keys = Reflect.ownKeys(node);
  const count = keys.length;
  walk.bytes += rules.objectHeader + 8 * count;
  // Until V8 has seen a few instances it keeps spare slots in each.
  walk.above += 32;
  visit(node, keys, 0, walk);
}

/** Charges what an exotic object carries besides its internal slots. */
export function expandExtras(node: object, walk: Walk): void {
  const keys = Reflect.ownKeys(node);
  if (keys.length === 0) return;
  walk.bytes += rules.storeHeader + 8 * Math.ceil(keys.length / 3) * 3;
  visit(node, keys, 0, walk);
}

function chargeDictionary(count: number, walk: Walk): void {
  const slots = dictionaryCapacity(count);
  walk.bytes += rules.dictionaryHeader + 24 * slots;
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
  private readonly node: object;
  private readonly keys: readonly (string | symbol)[];
  private readonly from: number;

  constructor(node: object, keys: readonly (string | symbol)[], from: number) {
    super();
    this.node = node;
    this.keys = keys;
    this.from = from;
  }

  resume(walk: Walk): void {
    visit(this.node, this.keys, this.from, walk);
  }
}
