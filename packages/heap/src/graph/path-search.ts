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

  /** Settles all wanted nodes, of which there is one at least. Edges `without` are not used. */
  run(wanted: ReadonlySet<number>, without: Iterable<number>): void {
    closing(this.#scan, without, () => this.#settle(wanted));
  }

  #settle(wanted: ReadonlySet<number>): void {
    const { kernel, columns, space } = this.#scan;
    const { firstEdge, to, nodeCount } = columns;
    const { vertex, order } = this.#tree;
    space.users.path = this;
    space.users.sources = this;
    space.marked.fill(0);
    for (const node of wanted) setBit(space.marked, order[node] as number);
    kernel.cheapestPaths({
      firstEdge,
      to,
      vertex,
      roles: this.#roles,
      byEdge: space.path,
      reached: space.seen.fill(0),
      wanted: space.marked,
      wantedCount: wanted.size,
      pool: space.sources.subarray(0, poolWords(nodeCount)),
    });
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

/** Does something while edges do not retain. */
export function closing<T>({ columns: { to } }: Scan, without: Iterable<number>, work: () => T): T {
  const closed = [...without].filter((edge) => (to[edge] as number) < weakBit);
  for (const edge of closed) to[edge] = ((to[edge] as number) | weakBit) >>> 0;
  try {
    return work();
  } finally {
    for (const edge of closed) to[edge] = ((to[edge] as number) & ~weakBit) >>> 0;
  }
}
