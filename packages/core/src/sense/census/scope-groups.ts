import { types } from 'node:util';
import { isIdLike } from '../../meter/string-bytes.ts';

/** A name, and those that one key more makes of it. */
interface Group {
  readonly name: string;
  readonly next: Map<string, Group>;
}

/** Many begin with the same one, such as `id`. */
const groupKeys = 3;
/** More groups than this are told apart by less. */
const mostGroups = 4096;

/** Classes of roots by their prototypes. */
const numbers = new WeakMap<object, number>();
const kinds = new Map<string, Group>();
let classes = 0;
let groups = 0;

/**
 * The kind of a scope together with the class of its first root. Scopes of one kind may hold sessions of many classes, which share
 * different things and hide different shares of their bytes. Plain objects are told apart by their first keys. The names are kept, because
 * a look at a hundred thousand scopes would make a text of each.
 */
export function groupOf(kind: string, [root]: readonly object[]): string {
  let group = kinds.get(kind) ?? added(kinds, kind, kind);
  if (group === undefined || root === undefined || types.isProxy(root)) return kind;
  const prototype = Object.getPrototypeOf(root) as object | null;
  if (prototype !== Object.prototype && prototype !== null) return `${kind} ${numberOf(prototype)}`;
  let keys = 0;
  for (const key in root) {
    const next: Group | undefined = group.next.get(key) ?? nextOf(group, key);
    if (next === undefined) break;
    group = next;
    if (++keys === groupKeys) break;
  }
  return group.name;
}

/** The group that a key leads to, made when it is new. Keys like ids are one. */
function nextOf({ name, next }: Group, key: string): Group | undefined {
  const step = isIdLike(key) ? '' : key;
  return next.get(step) ?? added(next, step, `${name} ${step}`);
}

function added(among: Map<string, Group>, key: string, name: string): Group | undefined {
  if (groups >= mostGroups) return undefined;
  groups++;
  const group = { name, next: new Map<string, Group>() };
  among.set(key, group);
  return group;
}

function numberOf(prototype: object): number {
  let number = numbers.get(prototype);
  if (number === undefined) numbers.set(prototype, (number = ++classes));
  return number;
}
