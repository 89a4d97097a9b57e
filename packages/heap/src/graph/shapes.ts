import type { Columns } from './columns.ts';
import type { EdgeNames } from './edge-names.ts';

/** One distinct list of properties of plain objects, in order of creation. */
export interface Shape {
  /** String indices of the property names. */
  readonly properties: readonly number[];
  count: number;
}

const maxNameLength = 120;
const minObjects = 2;
const minProportion = 1000;

/** Groups plain objects by their list of properties. Returns the shapes in order of first sight and each node's shape. */
export function shapesOf(
  columns: Columns,
  names: EdgeNames,
  propertyType: number,
  plainNodes: Uint32Array,
): { shapes: Shape[]; shapeOf: Uint32Array } {
  const shapes: Shape[] = [];
  const byKey = new Map<string, number>();
  const shapeOf = new Uint32Array(plainNodes.length);
  plainNodes.forEach((n, k) => {
    const properties: number[] = [];
    const end = columns.firstEdge[n + 1] as number;
    for (let e = columns.firstEdge[n] as number; e < end; e++) {
      if (names.type(e) === propertyType) properties.push(names.name(e));
    }
    const key = properties.join();
    let shape = byKey.get(key);
    if (shape === undefined) {
      shape = shapes.length;
      byKey.set(key, shape);
      shapes.push({ properties, count: 0 });
    }
    (shapes[shape] as Shape).count++;
    shapeOf[k] = shape;
  });
  return { shapes, shapeOf };
}

/**
 * Names plain objects by their common shapes, such as `{role, content}`, as Chrome DevTools does: popular lists of
 * properties become interfaces, and an object gets the largest interface whose properties it all has.
 * Returns one name per shape; undefined where no interface fits.
 */
export function shapeNames(
  shapes: readonly Shape[],
  string: (index: number) => string,
): (string | undefined)[] {
  const total = shapes.reduce((sum, shape) => sum + shape.count, 0);
  const lists = shapes.map((shape) => shape.properties.map(string));
  const candidates = new Map<string, { name: string; properties: string[]; count: number }>();
  shapes.forEach((shape, k) => {
    const candidate = interfaceOf(lists[k] as string[]);
    if (candidate === undefined) return;
    const known = candidates.get(candidate.name);
    if (known === undefined) candidates.set(candidate.name, { ...candidate, count: shape.count });
    else known.count += shape.count;
  });
  const least = Math.max(minObjects, total / minProportion);
  const chosen = [...candidates.values()].sort((a, b) => b.count - a.count).filter((c) => c.count >= least);
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
    for (const state of [...states]) {
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
