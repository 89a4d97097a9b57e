import { policyDocument } from './document.ts';
import type { Key, Shape } from './shape.ts';

/** The reference table of docs/policy.md, from the same definition the loader reads by. */
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

/** Keys that share a shape (the three levels, the kinds of scopes) are listed each, and what is inside them once. */
function visitKeys(keys: readonly (readonly [string, Key])[], path: string, rows: string[]): void {
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
