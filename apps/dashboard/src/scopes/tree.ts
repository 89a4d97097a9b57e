import { ageOf, idleOf, type KnownScope } from '../live/known-scopes.ts';
import { leafOf, parentOf } from '../text/scope-path.ts';

export type SortKey = 'name' | 'bytes' | 'peak' | 'budget' | 'age' | 'idle' | 'leases';

/** The user's view of the tree. */
export interface TreeView {
  readonly sort: SortKey;
  readonly descending: boolean;
  /** Words that all have to be in the path; empty shows everything. */
  readonly filter: string;
  /** True shows a plain list instead of a tree. */
  readonly flat: boolean;
  /** Paths whose children are hidden. */
  readonly folded: ReadonlySet<string>;
}

/** One line of the tree. */
export interface TreeLine {
  readonly path: string;
  readonly name: string;
  readonly depth: number;
  readonly children: number;
  readonly open: boolean;
  /** Undefined for a scope that is known only from its children. */
  readonly known: KnownScope | undefined;
  readonly bytes: number;
}

interface Node {
  readonly path: string;
  known: KnownScope | undefined;
  readonly children: Node[];
  /** Bytes of the branch: its own figure, or the sum of its children when that is higher or there is no figure. */
  bytes: number;
  key: number | string;
}

/** The lines to show, in order. Takes 10,000 scopes in a few milliseconds: one map, one sort per family. */
export function treeLines(known: Iterable<KnownScope>, view: TreeView, now: number): TreeLine[] {
  const words = view.filter.toLowerCase().split(/\s+/).filter(Boolean);
  const nodes = new Map<string, Node>();
  const roots: Node[] = [];
  for (const scope of known) {
    const lower = words.length === 0 ? '' : scope.row.path.toLowerCase();
    if (!words.every((word) => lower.includes(word))) continue;
    place(nodes, roots, scope, view.flat);
  }
  for (const root of roots) weigh(root, view.sort, now);
  const lines: TreeLine[] = [];
  emit(lines, roots, 0, view, comparison(view));
  return lines;
}

function place(nodes: Map<string, Node>, roots: Node[], scope: KnownScope, flat: boolean): void {
  const node = nodeAt(nodes, roots, scope.row.path, flat);
  node.known = scope;
  node.bytes = scope.row.bytes;
}

function nodeAt(nodes: Map<string, Node>, roots: Node[], path: string, flat: boolean): Node {
  const there = nodes.get(path);
  if (there !== undefined) return there;
  const node: Node = { path, known: undefined, children: [], bytes: 0, key: 0 };
  nodes.set(path, node);
  const parent = flat ? undefined : parentOf(path);
  if (parent === undefined) roots.push(node);
  else nodeAt(nodes, roots, parent, flat).children.push(node);
  return node;
}

function weigh(node: Node, sort: SortKey, now: number): void {
  let sum = 0;
  for (const child of node.children) {
    weigh(child, sort, now);
    sum += child.bytes;
  }
  node.bytes = Math.max(node.bytes, sum);
  node.key = keyOf(node, sort, now);
}

function keyOf({ path, known, bytes }: Node, sort: SortKey, now: number): number | string {
  if (sort === 'name') return path;
  if (sort === 'bytes') return bytes;
  if (known === undefined) return -1;
  if (sort === 'peak') return known.row.peakBytes;
  if (sort === 'leases') return known.row.leases;
  if (sort === 'age') return ageOf(known, now);
  if (sort === 'idle') return idleOf(known, now);
  return known.row.budgetBytes === null ? -1 : known.row.bytes / known.row.budgetBytes;
}

function comparison(view: TreeView): (a: Node, b: Node) => number {
  const sign = view.descending ? -1 : 1;
  if (view.sort === 'name') {
    const collator = new Intl.Collator('en', { numeric: true });
    return (a, b) => sign * collator.compare(a.key as string, b.key as string);
  }
  return (a, b) => sign * ((a.key as number) - (b.key as number)) || (a.path < b.path ? -1 : 1);
}

function emit(
  lines: TreeLine[],
  family: Node[],
  depth: number,
  view: TreeView,
  compare: (a: Node, b: Node) => number,
): void {
  family.sort(compare);
  for (const { path, known, children, bytes } of family) {
    const open = children.length > 0 && !view.folded.has(path);
    const name = view.flat ? path : leafOf(path);
    lines.push({ path, name, depth, children: children.length, open, known, bytes });
    if (open) emit(lines, children, depth + 1, view, compare);
  }
}
