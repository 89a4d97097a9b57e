import { sizeOf, weakBit } from '../kernel/columns.ts';
import { asFloats } from './workspace.ts';
import type { Scan } from './scan.ts';
import { treeOrder } from '../kernel/typescript/classes.ts';
import { invert, type TargetRange } from '../kernel/typescript/graph.ts';
import { spanningTree } from './spanning-tree.ts';

/** The dominator tree by node: who alone keeps whom alive, and how many bytes go when a node goes. */
export interface Dominators {
  /** The node that alone keeps `node` alive; the root is its own. */
  idom(node: number): number;
  /** Bytes that would be freed with `node`: its own and those of all it dominates. */
  retainedBytes(node: number): number;
  /** Steps from the root of the tree. */
  depth(node: number): number;
  /** Nodes immediately dominated by `node`. */
  children(node: number): readonly number[];
  /** Of the nodes immediately dominated by `node` that are accepted and retain more than `above`, the first that retains most; -1 without. */
  heaviestChild(node: number, above: number, accept?: (child: number) => boolean): number;
  /** Nodes the root reaches only weakly or not at all; they hang under the root. */
  readonly unreachable: number;
}

/** A dominator tree in preorder numbers, with the way from and to nodes. */
export class DominatorTree implements Dominators {
  readonly unreachable: number;
  /** Node by preorder number. */
  readonly vertex: Uint32Array;
  /** Immediate dominator by preorder number, as a preorder number. */
  readonly dom: Uint32Array;
  /** Retained bytes by preorder number. */
  readonly retained: Uint32Array | Float64Array;
  /** Nodes in the subtree of each preorder number. */
  readonly members: Uint32Array;
  readonly #scan: Scan;
  #order: Uint32Array | undefined;
  #sequence: Uint32Array | undefined;

  constructor(scan: Scan, unreachable: number) {
    const { nodeCount } = scan.columns;
    const { vertex, dom, triple } = scan.space;
    this.#scan = scan;
    this.unreachable = unreachable;
    this.vertex = vertex.subarray(0, nodeCount);
    this.dom = dom.subarray(0, nodeCount);
    // Where all sizes together stay below 2^32, sums need four bytes and leave a third of the region free.
    const small = scan.heapBytes < 0xffff_ffff;
    this.retained = small ? triple.subarray(0, nodeCount) : asFloats(triple, nodeCount);
    this.members = small
      ? triple.subarray(nodeCount, 2 * nodeCount)
      : triple.subarray(2 * nodeCount, 3 * nodeCount);
  }

  /** Preorder number by node. */
  get order(): Uint32Array {
    if (this.#order === undefined) {
      const { kernel, space, columns } = this.#scan;
      this.#order = space.ends.subarray(0, columns.nodeCount);
      kernel.invert(columns.nodeCount, this.vertex, this.#order);
    }
    return this.#order;
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

  children(node: number): number[] {
    const found: number[] = [];
    this.forEachChild(node, (i) => found.push(this.vertex[i] as number));
    return found;
  }

  /** Visits the preorder numbers of the nodes immediately dominated by `node`. */
  forEachChild(node: number, visit: (i: number) => void): void {
    const position = this.#positions();
    const sequence = this.sequence();
    const { members } = this;
    const i = this.order[node] as number;
    const start = position[i] as number;
    const end = start + (members[i] as number);
    for (let q = start + 1; q < end;) {
      const child = sequence[q] as number;
      visit(child);
      q += members[child] as number;
    }
  }

  heaviestChild(node: number, above: number, accept: (child: number) => boolean = () => true): number {
    let best = -1;
    let most = above;
    this.forEachChild(node, (i) => {
      const bytes = this.retained[i] as number;
      if (bytes <= most) return;
      const child = this.vertex[i] as number;
      if (!accept(child)) return;
      most = bytes;
      best = child;
    });
    return best;
  }

  /** The preorder of the dominator tree: the children of a vertex follow it, each with its own subtree. */
  sequence(): Uint32Array {
    if (this.#sequence === undefined) {
      const { kernel, columns, space } = this.#scan;
      const { nodeCount } = columns;
      const next = space.path;
      space.users.path = null;
      next[0] = 1;
      // Sums of 32 bits leave a third of their region free.
      if (this.retained instanceof Uint32Array) {
        this.#sequence = space.triple.subarray(2 * nodeCount, 3 * nodeCount);
        kernel.treeOrder(nodeCount, this.dom, this.members, next, this.#sequence);
      } else {
        this.#sequence = new Uint32Array(nodeCount);
        treeOrder(nodeCount, this.dom, this.members, next, this.#sequence);
      }
      this.#sequence[0] = 0;
    }
    return this.#sequence;
  }

  /** Where each vertex stands in the sequence; made again after others used its region. */
  #positions(): Uint32Array {
    const { kernel, columns, space } = this.#scan;
    const sequence = this.sequence();
    if (space.users.path !== this) {
      space.users.path = this;
      const { nodeCount } = columns;
      if (this.retained instanceof Uint32Array) kernel.invert(nodeCount, sequence, space.path);
      else invert(nodeCount, sequence, space.path);
    }
    return space.path;
  }
}

/** Computes the dominator tree. Afterwards edge targets are preorder numbers and every edge that does not retain is marked. */
export function dominatorTree(scan: Scan): DominatorTree {
  const { kernel, columns, space } = scan;
  const { nodeCount, to } = columns;
  scan.soft.forEach((edge) => {
    to[edge] = ((to[edge] as number) | weakBit) >>> 0;
  });
  const { reachable, user, cliques, attached } = spanningTree(scan);
  const { vertex, dom, triple, ends, sources } = space;
  const semi = triple.subarray(0, nodeCount);
  const job = {
    firstEdge: columns.firstEdge,
    to,
    count: nodeCount,
    attached,
    cliques,
    user,
    order: triple.subarray(2 * nodeCount, 3 * nodeCount),
    vertex,
    parent: dom,
    semi,
    ends,
  };
  semi.set(dom.subarray(0, nodeCount));
  ends.fill(0);
  kernel.renumber(job);
  const links = triple.subarray(nodeCount, 3 * nodeCount);
  kernel.link(nodeCount, links, dom);
  for (const range of targetRanges(nodeCount, kernel.positions(nodeCount, ends), ends)) {
    kernel.reverse(job, range, sources);
    kernel.semidominators(range, { semi, links, ends, sources, path: space.path });
  }
  kernel.nearest(nodeCount, semi, dom);
  const tree = new DominatorTree(scan, nodeCount - reachable);
  kernel.ownSizes(nodeCount, vertex, columns.size, tree.retained);
  if (columns.largeSizes.size > 0) patchLarge(scan, tree);
  tree.members.fill(1);
  kernel.sumUp(nodeCount, tree.dom, tree.retained, tree.members);
  return tree;
}

/**
 * Ranges of targets whose reverse lists are made at a time, last first. Each costs a pass over all edges and saves the
 * memory of the others; `ends` holds where the list of each target begins.
 */
function* targetRanges(nodeCount: number, total: number, ends: Uint32Array): IterableIterator<TargetRange> {
  const most = Math.max(nodeCount, Math.ceil(total / maxRanges), cheapWords);
  let high = nodeCount;
  let end = total;
  while (high > 1) {
    let low = 1;
    for (let above = high - 1; low < above;) {
      const middle = (low + above) >>> 1;
      if (end - (ends[middle] as number) <= most) above = middle;
      else low = middle + 1;
    }
    const origin = ends[low] as number;
    yield { low, high, origin };
    high = low;
    end = origin;
  }
}

const maxRanges = 4;
/** Lists of this many words together are not worth a second pass. */
const cheapWords = 1 << 24;

/** Puts sizes beyond 32 bits where `ownSizes` has left their marker. */
function patchLarge(scan: Scan, tree: DominatorTree): void {
  for (let i = 0; i < tree.vertex.length; i++) {
    if (tree.retained[i] === 0xffff_ffff) tree.retained[i] = sizeOf(scan.columns, tree.vertex[i] as number);
  }
}
