import type { DominatorTree } from './dominator-tree.ts';
import { hasBit, setBit } from '../kernel/typescript/rows.ts';
import type { Scan } from './scan.ts';
import { sourceOf } from '../kernel/columns.ts';
import { surveyNodesOf } from './survey.ts';

/** One edge that keeps a node alive. */
export interface Retainer {
  readonly from: number;
  readonly edge: number;
}

/** The edges that retain each node, in edge order: a reverse index of the graph, in the workspace, made again when others used that. */
export class Retainers {
  readonly #scan: Scan;
  readonly #tree: DominatorTree;

  constructor(scan: Scan, tree: DominatorTree) {
    this.#scan = scan;
    this.#tree = tree;
  }

  of(node: number): readonly Retainer[] {
    const { columns, space } = this.#scan;
    if (space.users.path !== this || space.users.sources !== this) this.#index();
    const i = this.#tree.order[node] as number;
    const found: Retainer[] = [];
    for (let k = i === 0 ? 0 : (space.path[i - 1] as number); k < (space.path[i] as number); k++) {
      const edge = space.sources[k] as number;
      found.push({ from: sourceOf(columns, edge), edge });
    }
    return found;
  }

  #index(): void {
    const { kernel, columns, space } = this.#scan;
    space.users.path = this;
    space.users.sources = this;
    kernel.retainerLists(columns.edgeCount, columns.to, columns.nodeCount, space.path.fill(0), space.sources);
  }
}

const mostHolders = 1_000_000;

/** The edges that retain one of a few nodes, found in one pass over all edges: cheaper than the index, which is of all nodes. */
export function retainersOfFew(
  { kernel, columns, space }: Scan,
  tree: DominatorTree,
  nodes: Iterable<number>,
): (Retainer & { to: number })[] {
  const wanted = space.marked.fill(0);
  for (const node of nodes) setBit(wanted, tree.order[node] as number);
  space.users.sources = null;
  const found = space.sources.subarray(0, Math.min(mostHolders, space.sources.length));
  const count = kernel.edgesInto(columns.edgeCount, columns.to, wanted, found);
  return Array.from(found.subarray(0, count), (edge) => ({
    from: sourceOf(columns, edge),
    edge,
    to: tree.vertex[columns.to[edge] as number] as number,
  }));
}

/** Long strings that nothing but slices of them keeps alive. */
export interface PinnedTexts {
  readonly slices: number;
  /** The strings, in the order in which their slices stand in the file. */
  readonly parents: Uint32Array;
}

/** Finds the texts that no node but slices of them retains. */
export function pinnedTexts(scan: Scan, tree: DominatorTree): PinnedTexts {
  const { kernel, space } = scan;
  space.users.sources = null;
  const nodes = surveyNodesOf(scan, tree);
  /** One bit per vertex: a parent of a slice, as long as nothing else is known to retain it. */
  const pinned = space.seen.fill(0);
  const found = space.sources.subarray(0, kernel.slicedTexts(nodes, pinned, space.sources));
  if (found.length > 0) kernel.unpin(nodes, pinned);
  let slices = 0;
  let count = 0;
  const listed = space.marked.fill(0);
  for (const parent of found) {
    if (!hasBit(pinned, parent)) continue;
    slices++;
    if (hasBit(listed, parent)) continue;
    setBit(listed, parent);
    found[count++] = tree.vertex[parent] as number;
  }
  return { slices, parents: found.slice(0, count) };
}
