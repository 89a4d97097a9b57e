import { policyDocument } from './document.ts';
import type { Key, Shape } from './form/shape.ts';

/** The reference table of docs/reference/policy.md, from the definition that the loader uses. */
export function keyTable(): string {
  const rows = ['| key | value | meaning |', '|---|---|---|'];
  visit(policyDocument, '', rows);
  return rows.join('\n');
}

function visit(shape: Shape, path: string, rows: string[]): void {
  if (shape.kind === 'choice') visit(shape.table, path, rows);
  else if (shape.kind === 'named') visit(shape.item, `${path}.NAME`, rows);
  else if (shape.kind === 'list') visit(shape.item, path, rows);
  else if (shape.kind === 'table') visitKeys(Object.entries(shape.keys), path, rows);
}

/**
 * Keys that share a shape (the three levels, the kinds of scopes) are all listed, and their inner keys once. A key that several maps have
 * (the mode of an action) is listed once for all of them, after the last one.
 */
function visitKeys(all: readonly (readonly [string, Key])[], path: string, rows: string[]): void {
  const keys = all.filter(([, key]) => !isShared(key));
  const shared = sharedKeys(all);
  for (const key of shared.values()) seen.add(key);
  visitOwn(keys, path, rows);
  for (const [name, key] of shared) {
    rows.push(`| \`${path}.*.${name}\` | ${formOf(key.shape)} | ${key.about} |`);
    seen.delete(key);
  }
}

const seen = new Set<Key>();
const isShared = (key: Key): boolean => seen.has(key);

/** Keys that occur in three or more of the inner maps. */
function sharedKeys(keys: readonly (readonly [string, Key])[]): ReadonlyMap<string, Key> {
  const counts = new Map<Key, { name: string; count: number }>();
  for (const [, { shape }] of keys) {
    if (shape.kind !== 'table') continue;
    for (const [name, key] of Object.entries(shape.keys))
      counts.set(key, { name, count: (counts.get(key)?.count ?? 0) + 1 });
  }
  const found = [...counts].filter(([, { count }]) => count > 2);
  return new Map(found.map(([key, { name }]) => [name, key]));
}

function visitOwn(keys: readonly (readonly [string, Key])[], path: string, rows: string[]): void {
  const done = new Set<unknown>();
  const inner = (shape: Shape): unknown => ('item' in shape ? shape.item : shape);
  for (const [name, key] of keys) {
    const full = path === '' ? name : `${path}.${name}`;
    rows.push(`| \`${full}\` | ${formOf(key.shape)} | ${key.about} |`);
    const same = keys.filter(([, other]) => inner(other.shape) === inner(key.shape));
    if (same.length === 1) visit(key.shape, full, rows);
    else if (same.at(-1)?.[0] === name && !done.has(inner(key.shape))) {
      done.add(inner(key.shape));
      visit(key.shape, `${path}.*`, rows);
    }
  }
}

function formOf(shape: Shape): string {
  if (shape.kind === 'leaf') return shape.accepted;
  if (shape.kind === 'choice') return `${shape.word.accepted}, or a map`;
  return { table: 'a map', named: 'a map of names or globs', list: 'a list' }[shape.kind];
}
