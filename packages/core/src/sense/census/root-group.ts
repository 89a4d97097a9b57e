import { types } from 'node:util';

const numbers = new WeakMap<object, number>();
let count = 0;

/**
 * The kind of a scope together with the class of its first root. Scopes of one kind may hold sessions of many classes, which share
 * different things and hide different shares of their bytes. Plain objects are told apart by their first key.
 */
export function groupOf(kind: string, [root]: readonly object[]): string {
  if (root === undefined || types.isProxy(root)) return kind;
  const prototype = Object.getPrototypeOf(root) as object | null;
  if (prototype !== Object.prototype && prototype !== null) return `${kind} ${numberOf(prototype)}`;
  for (const key in root) return `${kind} ${key}`;
  return kind;
}

function numberOf(prototype: object): number {
  let number = numbers.get(prototype);
  if (number === undefined) numbers.set(prototype, (number = ++count));
  return number;
}
