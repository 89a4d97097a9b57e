/** The dominator tree by node: who alone keeps whom alive, and how many bytes go when a node goes. */
export interface Dominators {
  /** The node that alone keeps `node` alive; the root is its own. */
  idom(node: number): number;
  /** Bytes that would be freed with `node`: its own and those of all it dominates. */
  retainedBytes(node: number): number;
  /** Steps from the root of the tree. */
  depth(node: number): number;
  /** Nodes immediately dominated by `node`, in node order. */
  children(node: number): Iterable<number>;
  /** Nodes the root reaches only weakly or not at all; they hang under the root. */
  readonly unreachable: number;
}

/** A dominator tree in preorder numbers, with the way from and to nodes. */
export class DominatorTree implements Dominators {
  /** Preorder number by node. */
  readonly order: Uint32Array;
  /** Node by preorder number. */
  readonly vertex: Uint32Array;
  /** Immediate dominator by preorder number, as a preorder number. */
  readonly dom: Uint32Array;
  /** Retained bytes by preorder number. */
  readonly retained: Float64Array;
  readonly unreachable: number;
  #firstChild: Uint32Array | undefined;
  #child: Uint32Array | undefined;

  constructor(parts: {
    order: Uint32Array;
    vertex: Uint32Array;
    dom: Uint32Array;
    retained: Float64Array;
    unreachable: number;
  }) {
    this.order = parts.order;
    this.vertex = parts.vertex;
    this.dom = parts.dom;
    this.retained = parts.retained;
    this.unreachable = parts.unreachable;
  }

  idom(node: number): number {
    return this.vertex[this.dom[this.order[node] as number] as number] as number;
  }

  retainedBytes(node: number): number {
    return this.retained[this.order[node] as number] as number;
  }

  depth(node: number): number {
    let depth = 0;
    for (let i = this.order[node] as number; i !== 0; i = this.dom[i] as number) depth++;
    return depth;
  }

  *children(node: number): IterableIterator<number> {
    const { first, child } = this.childLists();
    const i = this.order[node] as number;
    for (let k = first[i] as number, end = first[i + 1] as number; k < end; k++) {
      yield this.vertex[child[k] as number] as number;
    }
  }

  /** Children by preorder number: those of `i` stand in `child` from `first[i]` to `first[i + 1]`, ascending. */
  childLists(): { readonly first: Uint32Array; readonly child: Uint32Array } {
    const { dom } = this;
    const count = dom.length;
    if (this.#firstChild !== undefined && this.#child !== undefined) {
      return { first: this.#firstChild, child: this.#child };
    }
    const first = new Uint32Array(count + 1);
    for (let i = 1; i < count; i++) first[dom[i] as number] = (first[dom[i] as number] as number) + 1;
    for (let i = 0, sum = 0; i <= count; i++) {
      sum += first[i] as number;
      first[i] = sum;
    }
    const child = new Uint32Array(Math.max(0, count - 1));
    for (let i = count - 1; i > 0; i--) {
      const d = dom[i] as number;
      const at = (first[d] as number) - 1;
      first[d] = at;
      child[at] = i;
    }
    this.#firstChild = first;
    this.#child = child;
    return { first, child };
  }
}

/** Retained bytes by preorder number: each node adds its sum to its dominator, last vertex first. */
export function retainedBytes(dom: Uint32Array, vertex: Uint32Array, sizes: Float64Array): Float64Array {
  const retained = new Float64Array(dom.length);
  for (let i = 0; i < dom.length; i++) retained[i] = sizes[vertex[i] as number] as number;
  for (let i = dom.length - 1; i > 0; i--) {
    const d = dom[i] as number;
    retained[d] = (retained[d] as number) + (retained[i] as number);
  }
  return retained;
}
