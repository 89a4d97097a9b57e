import type { DominatorTree } from '../dominators/tree.ts';
import { weakBit, type Columns } from './columns.ts';
import { sourceOf } from './source-of.ts';

/** One edge that keeps a node alive. */
export interface Retainer {
  readonly from: number;
  readonly edge: number;
}

/** The edges that retain each node, in edge order: a reverse index of the graph. */
export class Retainers {
  readonly #columns: Columns;
  readonly #tree: DominatorTree;
  readonly #first: Uint32Array;
  readonly #edges: Uint32Array;

  constructor(columns: Columns, tree: DominatorTree) {
    const { nodeCount, to } = columns;
    this.#columns = columns;
    this.#tree = tree;
    const first = new Uint32Array(nodeCount + 1);
    let count = 0;
    for (let e = 0; e < to.length; e++) {
      const target = to[e] as number;
      if (target >= weakBit) continue;
      first[target] = (first[target] as number) + 1;
      count++;
    }
    for (let n = 0, sum = 0; n <= nodeCount; n++) {
      sum += first[n] as number;
      first[n] = sum;
    }
    const edges = new Uint32Array(count);
    for (let e = to.length - 1; e >= 0; e--) {
      const target = to[e] as number;
      if (target >= weakBit) continue;
      const at = (first[target] as number) - 1;
      first[target] = at;
      edges[at] = e;
    }
    this.#first = first;
    this.#edges = edges;
  }

  *of(node: number): IterableIterator<Retainer> {
    const i = this.#tree.order[node] as number;
    for (let k = this.#first[i] as number, end = this.#first[i + 1] as number; k < end; k++) {
      const edge = this.#edges[k] as number;
      yield { from: sourceOf(this.#columns, edge), edge };
    }
  }
}
