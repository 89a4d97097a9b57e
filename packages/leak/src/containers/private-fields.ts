import { types } from 'node:util';

/** A private name in the text of a class. */
const privateName = /#[\p{ID_Start}$_]/u;
const mostPrototypes = 8;
const hiding = new WeakMap<object, boolean>();

/**
 * Whether an object may have private fields, by the text of its classes. JavaScript does not list such fields, only the inspector shows
 * them, and asking it takes 0.1 ms.
 */
export function mayHideFields(value: object): boolean {
  if (types.isProxy(value)) return false;
  let prototype: unknown = Object.getPrototypeOf(value);
  for (let i = 0; i < mostPrototypes && isObject(prototype) && prototype !== Object.prototype; i++) {
    if (types.isProxy(prototype)) return false;
    const maker: unknown = Reflect.getOwnPropertyDescriptor(prototype, 'constructor')?.value;
    if (typeof maker === 'function' && hidesFields(maker)) return true;
    prototype = Object.getPrototypeOf(prototype);
  }
  return false;
}

function hidesFields(maker: object): boolean {
  let hides = hiding.get(maker);
  if (hides === undefined) {
    hides = privateName.test(Function.prototype.toString.call(maker));
    hiding.set(maker, hides);
  }
  return hides;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
