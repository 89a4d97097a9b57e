import { types } from 'node:util';
import type { NamedValues } from './function-scopes.ts';

/** Names that caches and pools give to the most entries that they keep, or to the most bytes, which are never fewer. */
const boundName = /^#?_?(?:max(?:Size|Keys|Entries|Items|Length|EntrySize)?|limit|capacity)$/;

/**
 * The most entries that an object says it keeps, by its fields; undefined when it says none. lru-cache ships minified, so that its fields
 * have other names in each release: it has two lists of indexes with a place for each entry.
 */
export function boundOf(fields: NamedValues): number | undefined {
  const named = Object.entries(fields).flatMap(([name, value]) =>
    boundName.test(name) && typeof value === 'number' && Number.isFinite(value) && value > 0 ? [value] : [],
  );
  const [next, previous] = Object.values(fields).filter(isIndexes);
  const places = next !== undefined && next.length === previous?.length ? [next.length] : [];
  const known = [...places, ...named];
  return known.length === 0 ? undefined : Math.min(...known);
}

function isIndexes(value: unknown): value is Uint8Array | Uint16Array | Uint32Array {
  return types.isUint8Array(value) || types.isUint16Array(value) || types.isUint32Array(value);
}
