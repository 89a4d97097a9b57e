/**
 * Lists inside the entries of a container, e.g. a Map that has one list of events per user. The number of users may stay the same while the
 * lists grow, so the size of the Map alone is not enough.
 */
import { types } from 'node:util';
import type { NamedValues } from './function-scopes.ts';
import { mayHideFields } from './private-fields.ts';

/** Lists that are in the same place in the entries of a container. */
interface InnerLists {
  /** The property or private field of an entry with its list; undefined when the entries are the lists. */
  readonly field: string | undefined;
  /** An entry, and its list. */
  readonly entry: object;
  readonly list: object;
  /** Estimated entries of all lists in private fields, which can only be counted at a walk. */
  readonly count?: number;
}

/** Least number of entries. A smaller container is walked entry by entry. */
const fewestEntries = 4;
/** Number of sampled entries for finding fields with lists. */
const sampled = 8;
const mostFields = 3;
/** Most lists that are counted individually. The others are estimated from the first ones. */
const mostCounted = 300;
const mostProperties = 32;

/** The fields in which more than half of a container's entries have a list. `privatesOf` reads the private fields of one entry. */
export function innerListsOf(
  values: Iterable<unknown>,
  size: number,
  privatesOf: (value: object) => NamedValues,
): readonly InnerLists[] {
  if (size < fewestEntries) return [];
  const entries = Iterator.from(values).take(sampled).filter(isObject).toArray();
  const found = new Map<string | undefined, InnerLists[]>();
  const add = (lists: InnerLists): void => {
    found.set(lists.field, [...(found.get(lists.field) ?? []), lists]);
  };
  for (const entry of entries) {
    if (isList(entry)) add({ field: undefined, entry, list: entry });
    else for (const [field, list] of listsIn(entry, privatesOf)) add({ field, entry, list });
  }
  return [...found.values()]
    .filter((lists) => 2 * lists.length > entries.length && entries.length >= fewestEntries)
    .slice(0, mostFields)
    .map((lists) => summary(lists, size));
}

/** The entries of all lists: counted for the first ones, estimated for the others. */
export function innerCount(values: Iterable<unknown>, size: number, field: string | undefined): number {
  let count = 0;
  let seen = 0;
  for (const value of values) {
    if (seen >= mostCounted) break;
    seen++;
    count += listSize(listAt(value, field));
  }
  return seen === 0 ? 0 : Math.round((count * size) / seen);
}

/** One entry of the list of each of the first containers, from its middle. */
export function innerEntries(values: Iterable<unknown>, field: string | undefined, most: number): unknown[] {
  return Iterator.from(values)
    .map((value) => listAt(value, field))
    .filter((list) => list !== undefined && listSize(list) > 0)
    .take(most)
    .map(middleOf)
    .toArray();
}

function summary(lists: readonly InnerLists[], size: number): InnerLists {
  const first = lists[0] as InnerLists;
  if (first.field?.startsWith('#') !== true) return first;
  const counted = lists.reduce((sum, { list }) => sum + listSize(list), 0);
  return { ...first, count: Math.round((counted / lists.length) * size) };
}

function listsIn(
  entry: object,
  privatesOf: (value: object) => NamedValues,
): readonly (readonly [string, object])[] {
  const own = Object.keys(entry)
    .slice(0, mostProperties)
    .map((field) => [field, listAt(entry, field)] as const);
  const hidden = mayHideFields(entry) ? Object.entries(privatesOf(entry)) : [];
  return [...own, ...hidden].flatMap(([field, value]) =>
    isObject(value) && isList(value) ? [[field, value] as const] : [],
  );
}

function listAt(value: unknown, field: string | undefined): object | undefined {
  if (!isObject(value)) return undefined;
  const found =
    field === undefined ? value : (Reflect.getOwnPropertyDescriptor(value, field)?.value as unknown);
  return isObject(found) && isList(found) ? found : undefined;
}

function listSize(list: object | undefined): number {
  if (list === undefined) return 0;
  return Array.isArray(list) ? list.length : (list as ReadonlySet<unknown>).size;
}

function middleOf(list: object | undefined): unknown {
  if (Array.isArray(list)) return list[list.length >> 1];
  return (list as ReadonlyMap<unknown, unknown>).entries().next().value;
}

function isList(value: object): boolean {
  return Array.isArray(value) || types.isMap(value) || types.isSet(value);
}

/** False for proxies, because reading one would run code of the program. */
function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !types.isProxy(value);
}
