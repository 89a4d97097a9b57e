import type { DominatorTree } from '../dominators/tree.ts';
import type { Scan } from '../read/scan.ts';
import type { Columns } from './columns.ts';
import { sourceOf } from './source-of.ts';

/** One edge that keeps a node alive. */
export interface Retainer {
  readonly from: number;
  readonly edge: number;
}

/** The edges that retain each node, in edge order: a reverse index of the graph, kept in the workspace. */
export class Retainers {
  readonly #columns: Columns;
  readonly #tree: DominatorTree;
  readonly #ends: Uint32Array;
  readonly #edges: Uint32Array;

  /** Takes over the regions `sources` and `path`: nothing else may use them afterwards. */
  constructor(scan: Scan, tree: DominatorTree) {
    const { kernel, columns, space } = scan;
    this.#columns = columns;
    this.#tree = tree;
    this.#ends = space.path.fill(0);
    this.#edges = space.sources;
    kernel.retainerLists(columns.edgeCount, columns.to, columns.nodeCount, this.#ends, this.#edges);
  }

  *of(node: number): IterableIterator<Retainer> {
    const i = this.#tree.order[node] as number;
    const end = this.#ends[i] as number;
    for (let k = i === 0 ? 0 : (this.#ends[i - 1] as number); k < end; k++) {
      const edge = this.#edges[k] as number;
      yield { from: sourceOf(this.#columns, edge), edge };
    }
  }
}
