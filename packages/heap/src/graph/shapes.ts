import type { ShapeLists } from './shape-lists.ts';

const maxNameLength = 120;
const minObjects = 2;
const minProportion = 1000;

/**
 * Names plain objects by their common shapes, such as `{role, content}`, as Chrome DevTools does: popular lists of
 * properties become interfaces, and an object gets the largest interface whose properties it all has.
 * Returns one name per shape; undefined where no interface fits.
 */
export function shapeNames(shapes: ShapeLists, string: (index: number) => string): (string | undefined)[] {
  const { counts } = shapes;
  const lists = shapes.lists.map((list) => Array.from(list, string));
  const candidates = new Map<string, { name: string; properties: string[]; count: number }>();
  let total = 0;
  lists.forEach((list, k) => {
    const count = counts[k] as number;
    total += count;
    const candidate = interfaceOf(list);
    if (candidate === undefined) return;
    const known = candidates.get(candidate.name);
    if (known === undefined) candidates.set(candidate.name, { ...candidate, count });
    else known.count += count;
  });
  const least = Math.max(minObjects, total / minProportion);
  const chosen = [...candidates.values()].filter((c) => c.count >= least).sort((a, b) => b.count - a.count);
  const tree = propertyTree(chosen);
  return lists.map((list) => bestMatch(tree, list.sort()));
}

function interfaceOf(names: readonly string[]): { name: string; properties: string[] } | undefined {
  let name = '{';
  const properties: string[] = [];
  for (const property of names) {
    if (property === '__proto__') continue;
    const text = formatProperty(property);
    if (name.length > 1 && name.length + text.length > maxNameLength) break;
    if (name.length !== 1) name += ', ';
    name += text;
    properties.push(property);
  }
  return properties.length === 0 ? undefined : { name: `${name}}`, properties };
}

function formatProperty(name: string): string {
  return /[,'"{}]/u.test(name) ? JSON.stringify(name) : name;
}

interface Branch {
  readonly next: Map<string, Branch>;
  match: { readonly name: string; readonly size: number; readonly rank: number } | undefined;
  greatest: string;
}

function propertyTree(interfaces: readonly { name: string; properties: readonly string[] }[]): Branch {
  const branch = (): Branch => ({ next: new Map(), match: undefined, greatest: '' });
  const root = branch();
  interfaces.forEach((candidate, rank) => {
    let at = root;
    for (const property of candidate.properties.toSorted()) {
      let next = at.next.get(property);
      if (next === undefined) {
        next = branch();
        at.next.set(property, next);
        if (at.greatest < property) at.greatest = property;
      }
      at = next;
    }
    at.match ??= { name: candidate.name, size: candidate.properties.length, rank };
  });
  return root;
}

function bestMatch(tree: Branch, sorted: readonly string[]): string | undefined {
  const states = new Set<Branch>([tree]);
  let best: Branch['match'];
  for (const property of sorted) {
    // States added on the way belong to the next property.
    for (const state of Array.from(states)) {
      if (state.next.size === 0 || property >= state.greatest) states.delete(state);
      const next = state.next.get(property);
      if (next === undefined) continue;
      states.add(next);
      if (next.match !== undefined && isBetter(next.match, best)) best = next.match;
    }
  }
  return best?.name;
}

function isBetter(a: NonNullable<Branch['match']>, b: Branch['match']): boolean {
  return b === undefined || a.size > b.size || (a.size === b.size && a.rank < b.rank);
}
