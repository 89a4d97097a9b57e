import { hasBit, setBit } from '../kernel/typescript/rows.ts';
import { poolWords } from '../kernel/typescript/paths.ts';
import type { DominatorTree } from './dominator-tree.ts';
import type { Scan } from './scan.ts';
import { weakBit, sourceOf } from '../kernel/columns.ts';

/** One reference of a path: the edge, where it leaves from and where it arrives. */
export interface Hop {
  readonly from: number;
  readonly edge: number;
  readonly to: number;
}

/**
 * The cheapest retaining paths from the root. Plain shortest paths run through V8's own structures where a longer one
 * through named properties exists; the costs of a survey prefer the latter. Overwrites the regions `sources`, `path`,
 * `seen` and `marked` of the workspace; what it found is to be read before anyone else uses them.
 */
export class PathSearch {
  readonly #scan: Scan;
  readonly #tree: DominatorTree;
  readonly #roles: Uint8Array;

  constructor(scan: Scan, tree: DominatorTree, roles: Uint8Array) {
    this.#scan = scan;
    this.#tree = tree;
    this.#roles = roles;
  }

  /**
   * Settles all wanted nodes, or every node when none is wanted. Edges `without` are not used. Returns the preorder numbers
   * of all nodes in the order of their cost when every node was asked for.
   */
  run(wanted: Iterable<number>, without: Iterable<number>): Uint32Array {
    const { to } = this.#scan.columns;
    const closed = [...without].filter((edge) => (to[edge] as number) < weakBit);
    for (const edge of closed) to[edge] = ((to[edge] as number) | weakBit) >>> 0;
    try {
      return this.#settle(new Set(wanted));
    } finally {
      for (const edge of closed) to[edge] = ((to[edge] as number) & ~weakBit) >>> 0;
    }
  }

  #settle(wanted: ReadonlySet<number>): Uint32Array {
    const { kernel, columns, space } = this.#scan;
    const { firstEdge, to, nodeCount } = columns;
    const { vertex, order } = this.#tree;
    const { sources } = space;
    space.users.path = this;
    space.users.sources = this;
    const isAll = wanted.size === 0;
    if (isAll) space.path.fill(noEdge);
    const looked = isAll ? null : space.marked.fill(0);
    for (const node of wanted) setBit(space.marked, order[node] as number);
    const poolEnd = poolWords(nodeCount);
    const inOrder = isAll ? sources.subarray(poolEnd, poolEnd + nodeCount) : null;
    const settled = kernel.cheapestPaths({
      firstEdge,
      to,
      vertex,
      roles: this.#roles,
      byEdge: space.path,
      reached: space.seen.fill(0),
      wanted: looked,
      wantedCount: wanted.size,
      pool: sources.subarray(0, poolEnd),
      order: inOrder,
    });
    return inOrder?.subarray(0, settled) ?? new Uint32Array();
  }

  /** The edge by which a vertex was reached. */
  edgeTo(i: number): number {
    return this.#scan.space.path[i] as number;
  }

  /** The path to a node; undefined when it was not reached. */
  pathTo(node: number): Hop[] | undefined {
    const { columns, space } = this.#scan;
    const { order } = this.#tree;
    let i = order[node] as number;
    if (!hasBit(space.seen, i)) return undefined;
    const hops: Hop[] = [];
    for (let to = node; i !== 0;) {
      const edge = this.edgeTo(i);
      const from = sourceOf(columns, edge);
      hops.push({ from, edge, to });
      to = from;
      i = order[from] as number;
    }
    return hops.toReversed();
  }
}

/** Stands for the edge to a vertex that no path leads to. Edges are fewer: V8 keeps both as integers. */
export const noEdge = 0x7fff_ffff;

/** The cheapest path to every node that can be reached, by preorder number. */
export interface PathForest {
  /** Vertices that were reached, cheapest first; the root is the first. */
  readonly vertices: Uint32Array;
  /** By vertex, the edge by which it is reached; `noEdge` for the root and what is not. */
  readonly edges: Uint32Array;
  pathTo(node: number): Hop[];
}

/** Keeps the outcome of a search that settled every node. `found` are preorder numbers in the order of cost. */
export function forestOf({ columns, space }: Scan, { order }: DominatorTree, found: Uint32Array): PathForest {
  const edges = space.path.slice(0, columns.nodeCount);
  return {
    vertices: found.slice(),
    edges,
    pathTo(node) {
      const hops: Hop[] = [];
      for (let to = node, i = order[node] as number; i !== 0;) {
        const edge = edges[i] as number;
        const from = sourceOf(columns, edge);
        hops.push({ from, edge, to });
        to = from;
        i = order[from] as number;
      }
      return hops.toReversed();
    },
  };
}
