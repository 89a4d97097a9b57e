import type { ScopesAnswer } from '@plimsoll/host/protocol/api';
import { numberOf } from './query.ts';
import type { Lookup } from './query.ts';

/** Every open scope of a process, from its source. */
export type AllScopes = Pick<ScopesAnswer, 'at' | 'rows'>;

const usualRows = 1000;
const mostRows = 10_000;
const mostOffset = 10_000_000;

/** The scopes of one answer, heaviest first, and its first page. Requests within the same second share them. */
const known = new WeakMap<AllScopes, { readonly rows: ScopesAnswer['rows']; readonly first: ScopesAnswer }>();

/** A page of the open scopes, heaviest first. All of 100,000 scopes would be 17 MB of JSON. */
export function scopePage(all: AllScopes, query: Lookup): ScopesAnswer {
  const limit = numberOf(query, 'limit', { least: 1, most: mostRows, unless: usualRows });
  const offset = numberOf(query, 'offset', { least: 0, most: mostOffset, unless: 0 });
  let found = known.get(all);
  if (found === undefined) {
    const rows = all.rows.toSorted((a, b) => (b.bytes ?? 0) - (a.bytes ?? 0));
    known.set(all, (found = { rows, first: cut(all.at, rows, 0, usualRows) }));
  }
  return offset === 0 && limit === usualRows ? found.first : cut(all.at, found.rows, offset, limit);
}

function cut(at: number, rows: ScopesAnswer['rows'], offset: number, limit: number): ScopesAnswer {
  const end = offset + limit;
  return { at, total: rows.length, next: end < rows.length ? end : null, rows: rows.slice(offset, end) };
}
