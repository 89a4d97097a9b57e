import { types } from 'node:util';

/** What V8 made an object as, beyond plain objects, arrays, functions and proxies. */
export type Kind =
  | 'array-buffer'
  | 'boxed'
  | 'context'
  | 'data-view'
  | 'date'
  | 'error'
  | 'generator'
  /** What generators of one function have in common. */
  | 'generators'
  | 'instance'
  /** Of an array, a map or a set. */
  | 'iterator'
  | 'map'
  | 'native'
  | 'promise'
  | 'regexp'
  | 'set'
  | 'timer'
  | 'typed-array'
  | 'url'
  | 'weak';

const byPrototype = new WeakMap<object, Kind>();

/** The kind of an object that is no proxy, learned once per prototype because the checks cost more than the lookup. */
export function kindOf(node: object, prototype: object): Kind {
  const known = byPrototype.get(prototype);
  if (known !== undefined) return known;
  const kind = inspect(node);
  // An object whose prototype is built in but which is none itself (a prototype object of a subclass) must not teach the wrong kind.
  if (kind !== 'instance' || !builtIn.has(prototype)) byPrototype.set(prototype, kind);
  return kind;
}

/** True when an object can be read as its kind: one that only inherits from a built-in prototype has none of its internal slots. */
export function isReadableAs(node: object, kind: Kind): boolean {
  switch (kind) {
    case 'map':
      return types.isMap(node);
    case 'set':
      return types.isSet(node);
    case 'typed-array':
    case 'data-view':
      return ArrayBuffer.isView(node);
    case 'array-buffer':
      return types.isAnyArrayBuffer(node);
    default:
      return true;
  }
}

/** On the prototypes of what refers to a running scope: its tree belongs to Plimsoll, whoever holds a reference. */
export const contextBrand = Symbol.for('plimsoll.context');

function inspect(node: object): Kind {
  if (types.isMap(node)) return isContextFrame(node) ? 'context' : 'map';
  if (types.isSet(node)) return 'set';
  if (ArrayBuffer.isView(node)) return types.isDataView(node) ? 'data-view' : 'typed-array';
  if (types.isAnyArrayBuffer(node)) return 'array-buffer';
  if (types.isDate(node)) return 'date';
  if (types.isRegExp(node)) return 'regexp';
  if (types.isPromise(node)) return 'promise';
  if (types.isNativeError(node)) return 'error';
  if (types.isWeakMap(node) || types.isWeakSet(node) || isWeakHandle(node)) return 'weak';
  if (types.isBoxedPrimitive(node)) return 'boxed';
  if (types.isGeneratorObject(node)) return 'generator';
  if (isGeneratorPrototype(node)) return 'generators';
  if (isIterator(node)) return 'iterator';
  if (types.isExternal(node)) return 'native';
  if (URL.prototype.isPrototypeOf(node)) return 'url';
  if (Object.hasOwn(node, '_idleNext') && Object.hasOwn(node, '_idlePrev')) return 'timer';
  if (contextBrand in node) return 'context';
  return 'instance';
}

function isGeneratorPrototype(node: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(node);
  return prototype === generatorPrototypes[0] || prototype === generatorPrototypes[1];
}

/** What an array iterator goes through cannot be seen, and an object that inherits from one has nothing of it. */
const arrayIteratorPrototype: unknown = Object.getPrototypeOf([].values());

function isIterator(node: object): boolean {
  return (
    types.isMapIterator(node) ||
    types.isSetIterator(node) ||
    Object.getPrototypeOf(node) === arrayIteratorPrototype
  );
}

const generatorPrototypes: readonly unknown[] = [
  Object.getPrototypeOf((function* () {})()),
  Object.getPrototypeOf((async function* () {})()),
].map((prototype: object) => Object.getPrototypeOf(prototype) as unknown);

/** The stores of the request that made a timer or a promise, which each of them refers to. */
function isContextFrame(node: object): boolean {
  const prototype = Object.getPrototypeOf(node) as object;
  const made: unknown = Object.getOwnPropertyDescriptor(prototype, 'constructor')?.value;
  return typeof made === 'function' && made !== Map && made.name === 'AsyncContextFrame';
}

// No built-in check exists, and deref() would keep the target alive for the rest of the task.
function isWeakHandle(node: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(node);
  return prototype === WeakRef.prototype || prototype === FinalizationRegistry.prototype;
}

const builtIn = new WeakSet<object>([
  Map.prototype,
  Set.prototype,
  Date.prototype,
  RegExp.prototype,
  Promise.prototype,
  Error.prototype,
  WeakMap.prototype,
  WeakSet.prototype,
  WeakRef.prototype,
  FinalizationRegistry.prototype,
  ArrayBuffer.prototype,
  Buffer.prototype,
  Uint8Array.prototype,
  Float32Array.prototype,
  Float64Array.prototype,
]);
