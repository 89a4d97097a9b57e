import { types } from 'node:util';
import type { Kind } from './kind.ts';
import { expandExtras, expandInstance } from './properties.ts';
import { collectionBytes } from './hash-tables.ts';
import {
  arrayIterator,
  boxedNumber,
  errorStack,
  fixedSizes,
  generatorPrototype,
  iteratedList,
  objectHeader,
  patternData,
  storeHeader,
  tableIterator,
  weakTable,
} from './rules.ts';
import { stringBytes } from './string-bytes.ts';
import { Cursor } from './walk.ts';
import type { Walk } from './walk.ts';

/** Charges an object with internal slots: a collection, a buffer, a date and the like. */
export function expandExotic(node: object, kind: Kind, walk: Walk): void {
  switch (kind) {
    case 'context':
      return;
    case 'map': {
      const size = Reflect.get(Map.prototype, 'size', node) as number;
      const first: unknown = Map.prototype.keys.call(node).next().value;
      chargeTable(walk.mapSlots(node, size, first), 3, walk);
      walk.cursors.push(new MapCursor(node as Map<unknown, unknown>, size));
      break;
    }
    case 'set': {
      const size = Reflect.get(Set.prototype, 'size', node) as number;
      chargeTable(size, 2, walk);
      if (size > 0) walk.weighSet(node as Set<unknown>, size);
      walk.cursors.push(new SetCursor(node as Set<unknown>));
      break;
    }
    case 'typed-array':
      expandView(node as Uint8Array, walk);
      break;
    case 'data-view':
      walk.bytes += fixedSizes.dataView;
      walk.pending.push((node as DataView).buffer);
      break;
    case 'array-buffer':
      walk.bytes += fixedSizes.arrayBuffer + (node as ArrayBuffer).byteLength;
      break;
    case 'error':
      walk.bytes += errorStack;
      walk.below += errorStack;
      // A stack that was read is a string of its own, with one line per frame.
      walk.above += 8 * errorStack;
      expandInstance(node, walk, undefined, false);
      return;
    case 'promise':
      walk.bytes += fixedSizes.promise;
      walk.missed('promise');
      walk.hides(node);
      break;
    case 'weak':
      walk.bytes += fixedSizes.weak + (types.isWeakMap(node) || types.isWeakSet(node) ? weakTable : 0);
      walk.missed('weak');
      if (types.isWeakMap(node)) walk.hides(node);
      break;
    case 'iterator': {
      const isOfTable = types.isMapIterator(node) || types.isSetIterator(node);
      walk.bytes += isOfTable ? tableIterator : arrayIterator;
      // Mostly it goes through something that the scope has anyway.
      walk.missed('native');
      if (isOfTable) walk.hides(node);
      else walk.above += iteratedList;
      break;
    }
    case 'generator':
      walk.bytes += fixedSizes.generator;
      walk.missed('native');
      // A function made for one call has its own prototype, with the shapes that belong to it.
      walk.pending.push(Object.getPrototypeOf(node) as object);
      break;
    case 'generators':
      walk.bytes += generatorPrototype;
      break;
    case 'url':
      walk.bytes += fixedSizes.url;
      walk.string(hrefOf(node as URL));
      walk.above += 64;
      break;
    case 'timer':
      if (walk.isHeldByNode(node)) return;
      // Its times and ids are numbers that V8 keeps apart.
      walk.bytes += 3 * boxedNumber;
      expandInstance(node, walk, isListLink);
      return;
    case 'native':
      walk.bytes += objectHeader;
      walk.missed('native');
      break;
    case 'regexp':
      walk.bytes += fixedSizes.regexp;
      expandPattern(sourceOf(node as RegExp), walk);
      // Its `lastIndex` lies in the object.
      return;
    default:
      walk.bytes += kind === 'date' ? fixedSizes.date : fixedSizes.boxedPrimitive;
      // The characters of a boxed string are listed like properties.
      if (types.isStringObject(node)) return expandBoxedString(node, walk);
  }
  if (kind === 'map' || kind === 'set' || kind === 'generator') walk.hides(node);
  if (kind !== 'typed-array' && kind !== 'array-buffer') expandExtras(node, walk);
}

function expandBoxedString(node: object, walk: Walk): void {
  walk.string(String.prototype.valueOf.call(node));
}

/** Timers of one duration are in one list, whoever set them. */
export function isListLink(key: string | symbol): boolean {
  return key === '_idleNext' || key === '_idlePrev';
}

const { get: href } = Object.getOwnPropertyDescriptor(URL.prototype, 'href') as {
  get: (this: URL) => string;
};

const { get: source } = Object.getOwnPropertyDescriptor(RegExp.prototype, 'source') as {
  get: (this: RegExp) => string;
};

function sourceOf(regexp: RegExp): string {
  try {
    return source.call(regexp);
  } catch {
    // An object that only inherits from RegExp has none.
    return '';
  }
}

/** A pattern that was put together for one scope is its own; what literals have is shared. Both are compiled at their first use. */
function expandPattern(text: string, walk: Walk): void {
  walk.above += 512;
  walk.shapes.start();
  // Many patterns are data.
  if (!walk.shapes.next(`/${text}`) && !walk.isOneOfMany(text)) return;
  const bytes = patternData + stringBytes(text);
  walk.bytes += bytes;
  walk.below += bytes;
}

/** The address of an URL by the getter of Node.js, which reads a field; a subclass may have overridden it. */
function hrefOf(url: URL): string {
  try {
    return href.call(url);
  } catch {
    // An object that only inherits from URL has none.
    return '';
  }
}

function chargeTable(size: number, words: 2 | 3, walk: Walk): void {
  const bytes = collectionBytes(size, words);
  walk.bytes += bytes;
  // After deletions a table shrinks only when it is three quarters empty.
  walk.above += collectionBytes(2 * size, words) - bytes;
}

/** Bytes up to which V8 keeps the data of a typed array on the heap. */
const onHeapBytes = 64;

/** A view is charged with its whole buffer, except when it is a piece of a slab that Buffer shares among many. */
function expandView(view: Uint8Array, walk: Walk): void {
  const { byteLength } = view;
  walk.bytes += fixedSizes.typedArray;
  if (byteLength <= onHeapBytes && view.byteOffset === 0) {
    // Asking a small array for its buffer would move its data off the heap.
    walk.bytes += fixedSizes.arrayBuffer + storeHeader + ((byteLength + 7) & ~7);
    return;
  }
  const { buffer } = view;
  if (isPoolSlab(buffer) && byteLength < buffer.byteLength) walk.slab(buffer, byteLength);
  else walk.pending.push(buffer);
}

/** Buffer.from and Buffer.allocUnsafe cut small buffers out of slabs of poolSize bytes (64 more on Node 26). */
function isPoolSlab(buffer: ArrayBufferLike): boolean {
  const size = buffer.byteLength;
  return size >= Buffer.poolSize && size <= Buffer.poolSize + 64;
}

class MapCursor extends Cursor {
  readonly #entries: Iterator<[unknown, unknown]>;
  readonly #size: number;

  constructor(map: Map<unknown, unknown>, size: number) {
    super();
    this.#size = size;
    // A subclass may have overridden entries().
    this.#entries = Map.prototype.entries.call(map) as Iterator<[unknown, unknown]>;
  }

  resume(walk: Walk): void {
    for (let i = 0; i < walk.chunk; i++) {
      const step = this.#entries.next();
      if (step.done === true) return;
      walk.key(step.value[0], this.#size);
      walk.mapValue(step.value[1]);
    }
    walk.cursors.push(this);
  }
}

class SetCursor extends Cursor {
  readonly #values: Iterator<unknown>;

  constructor(set: Set<unknown>) {
    super();
    this.#values = Set.prototype.values.call(set) as Iterator<unknown>;
  }

  resume(walk: Walk): void {
    for (let i = 0; i < walk.chunk; i++) {
      const step = this.#values.next();
      if (step.done === true) return;
      walk.key(step.value);
    }
    walk.cursors.push(this);
  }
}
