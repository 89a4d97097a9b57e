/**
 * V8 layout rules: what one value takes on the heap, and which objects it reaches.
 *
 * A walker owns a `Walk` (sums and a stack of pending objects) and calls `step` until it returns false. A step charges one object and every
 * leaf it holds (strings, boxed numbers, bigints), and puts the objects it refers to onto `walk.pending`. The walker knows whether an
 * object was seen before or belongs to somebody else. It answers `enter(object)` when the object's turn comes. Large containers are charged
 * in chunks, so that a single step stays short however big the container is.
 *
 * No user code runs: proxies are recognised before they are touched, properties are read through their data descriptors, and collections
 * are iterated with the built-in methods whatever a subclass overrides.
 */
import { types } from 'node:util';
import { expandArray } from './arrays.ts';
import { expandExotic } from './exotics.ts';
import { isReadableAs, kindOf } from './kind.ts';
import { expandInstance, expandNullPrototype, expandPlain } from './properties.ts';
import { awaited, boundFunction, boxedNumber, closure, fixedSizes, mostAwaited } from './rules.ts';
import { stringBytes } from './string-bytes.ts';
import { bigintBytes, Walk } from './walk.ts';

export { Walk } from './walk.ts';

const { isProxy } = types;
const { getPrototypeOf } = Object;
const { isArray } = Array;
const objectPrototype = Object.prototype;

/** Goes on with an open container or takes the next pending object that `enter` admits; false when nothing is left. */
export function step(walk: Walk, enter: (node: object) => boolean): boolean {
  const cursor = walk.cursors.pop();
  if (cursor !== undefined) {
    cursor.resume(walk);
    return true;
  }
  let node: object | undefined;
  while ((node = walk.pending.pop()) !== undefined) {
    if (!enter(node)) continue;
    expand(node, walk);
    return true;
  }
  return false;
}

/** Charges one object and its leaves to the walk and pushes the objects it reaches; a large container leaves a cursor behind. */
export function expand(node: object, walk: Walk): void {
  if (isProxy(node)) {
    walk.bytes += fixedSizes.proxy;
    walk.missed('proxy');
    walk.hides(node);
  } else if (isArray(node)) expandArray(node, walk);
  else if (typeof node === 'function') {
    walk.bytes += functionBytes(node);
    // A bound one has its arguments besides.
    walk.above += 24;
    if (isResolver(node)) {
      walk.bytes += awaited;
      walk.below += awaited;
      walk.above += mostAwaited;
      walk.missed('promise');
      return;
    }
    walk.missed('closure');
    walk.hides(node);
  } else {
    const prototype = getPrototypeOf(node) as object | null;
    if (prototype === objectPrototype) expandPlain(node, walk);
    else if (prototype === null) expandNullPrototype(node, walk);
    else {
      const kind = kindOf(node, prototype);
      if (kind === 'instance' || !isReadableAs(node, kind)) expandInstance(node, walk);
      else expandExotic(node, kind, walk);
    }
  }
}

function functionBytes(node: object): number {
  // Arrow functions and methods have no slot for a prototype.
  if (Object.hasOwn(node, 'prototype')) return closure;
  const name: unknown = Object.getOwnPropertyDescriptor(node, 'name')?.value;
  return typeof name === 'string' && name.startsWith('bound ') ? boundFunction : closure - 8;
}

/** The function that settles a promise. */
function isResolver(node: object): boolean {
  const { length, name } = node as { length: unknown; name: unknown };
  return length === 1 && name === '' && Function.prototype.toString.call(node).endsWith('{ [native code] }');
}

/** Bytes of one value by itself: a string with its characters, an object without the values it refers to. */
export function shallowBytes(value: unknown): number {
  switch (typeof value) {
    case 'string':
      return stringBytes(value);
    case 'number':
      return (value | 0) === value ? 0 : boxedNumber;
    case 'bigint':
      return bigintBytes(value);
    case 'symbol':
      return fixedSizes.symbol;
    case 'object':
    case 'function': {
      if (value === null) return 0;
      const walk = new Walk({ chunk: Number.POSITIVE_INFINITY });
      expand(value, walk);
      walk.settle();
      return walk.bytes - walk.leafBytes;
    }
    default:
      return 0;
  }
}
