import { types } from 'node:util';

/** Objects that one look follows; larger values are taken for not plain. */
const mostNodes = 1_000_000;

/**
 * True when a value comes back the same from v8.serialize: primitives, plain objects, arrays, maps, sets, dates, regular expressions and
 * binary data. Instances of classes lose their class, accessors their getter, and functions cannot be written at all.
 */
export function isPlainData(root: unknown): boolean {
  if (typeof root === 'string') return true;
  const pending: unknown[] = [root];
  const seen = new Set<object>();
  while (pending.length > 0) {
    const value = pending.pop();
    if (typeof value === 'function' || typeof value === 'symbol') return false;
    if (typeof value !== 'object' || value === null || seen.has(value)) continue;
    if (seen.size >= mostNodes) return false;
    seen.add(value);
    if (!pushParts(value, pending)) return false;
  }
  return true;
}

/** Pushes what an object holds; false when the object itself cannot be written. */
function pushParts(value: object, pending: unknown[]): boolean {
  if (types.isProxy(value)) return false;
  const prototype = Object.getPrototypeOf(value) as unknown;
  if (prototype === Map.prototype) {
    for (const [key, item] of value as Map<unknown, unknown>) pending.push(key, item);
    return Object.keys(value).length === 0;
  }
  if (prototype === Set.prototype) {
    for (const item of value as Set<unknown>) pending.push(item);
    return Object.keys(value).length === 0;
  }
  if (ArrayBuffer.isView(value) || types.isAnyArrayBuffer(value)) return !types.isSharedArrayBuffer(value);
  if (prototype === Date.prototype || prototype === RegExp.prototype) return true;
  if (prototype !== Object.prototype && prototype !== Array.prototype) return false;
  for (const key of Reflect.ownKeys(value)) {
    const descriptor = Object.getOwnPropertyDescriptor(value, key) as PropertyDescriptor;
    if (key === 'length' && Array.isArray(value)) continue;
    if (typeof key === 'symbol' || descriptor.get !== undefined || descriptor.set !== undefined) return false;
    if (descriptor.enumerable !== true) return false;
    pending.push(descriptor.value);
  }
  return true;
}
