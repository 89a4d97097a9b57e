import { types } from 'node:util';
import type { NamedValues } from './function-scopes.ts';

/** What an object says of how much its containers keep. */
export interface DeclaredLimits {
  /** Most entries. */
  readonly bound?: number;
  /** For how long each of them. */
  readonly keepsMs?: number;
  /** True when its owner says so, which may keep parts of the entries in other containers. */
  readonly isOfOwner?: boolean;
}

/** Names that caches and pools give to the most entries that they keep, or to the most bytes, which are never fewer. */
const boundName = /^#?_?(?:max(?:Size|Keys|Entries|Items|Length|EntrySize)?|limit|capacity)$/;
/** Names for how long an entry is kept. Less than this is meant in seconds. */
const ageName = /^#?_?(?:ttl|maxAge)(?:Ms|InMsecs)?$/;
const leastMs = 1000;

/**
 * What an object says by its fields. lru-cache ships minified, so that its fields have other names in each release: it has two lists of
 * indexes with a place for each entry.
 */
export function limitsIn(fields: NamedValues): DeclaredLimits {
  const [next, previous] = Object.values(fields).filter(isIndexes);
  const places = next !== undefined && next.length === previous?.length ? [next.length] : [];
  const bound = Math.min(...places, ...named(fields, boundName));
  const ages = named(fields, ageName).map((age) => (age < leastMs ? 1000 * age : age));
  const keepsMs = Math.min(...ages);
  return { ...(Number.isFinite(bound) && { bound }), ...(Number.isFinite(keepsMs) && { keepsMs }) };
}

/** The lists of the same object with a place for each entry, such as its keys and values: an index in a Map leads to them. */
export function listsBeside(fields: NamedValues): readonly (readonly unknown[])[] {
  const places = Object.values(fields).find(isIndexes)?.length;
  return Object.values(fields).filter(
    (value): value is readonly unknown[] => Array.isArray(value) && value.length === places,
  );
}

/** Whether it has no more entries than it says, or none as old as it keeps them. A bound that was passed is none. */
export function isWithin({ bound, keepsMs }: DeclaredLimits, count: number): boolean {
  return keepsMs !== undefined || (bound !== undefined && count <= bound);
}

function named(fields: NamedValues, name: RegExp): readonly number[] {
  return Object.entries(fields).flatMap(([key, value]) =>
    name.test(key) && typeof value === 'number' && value > 0 ? [value] : [],
  );
}

function isIndexes(value: unknown): value is Uint8Array | Uint16Array | Uint32Array {
  return types.isUint8Array(value) || types.isUint16Array(value) || types.isUint32Array(value);
}
