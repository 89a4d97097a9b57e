import { typeMask, weakBit, sourceOf } from '../kernel/columns.ts';
import { hasBit, setBit } from '../kernel/typescript/rows.ts';
import type { Scan } from './scan.ts';

/** How the nodes were numbered depth-first. The numbers themselves are in the workspace. */
export interface SpanningTree {
  /** How many nodes the root reaches over edges that retain. */
  readonly reachable: number;
  /** Nodes below this preorder number (and above 0) are the user's, the others the debugger's or V8's. */
  readonly user: number;
  /** From this number to below `user`, nodes retain only each other; their edges say nothing about the rest. */
  readonly cliques: number;
  /** From this number on, the same. */
  readonly attached: number;
}

/**
 * Numbers the nodes depth-first over the edges that retain. All that the global objects reach comes first, so "an edge
 * from outside into the user's objects" (which retains nothing, as in Chrome DevTools) becomes a comparison of numbers.
 * Nodes that nothing retains come later, as children of the root; nodes that retain only each other come last.
 */
export function spanningTree(scan: Scan): SpanningTree {
  return new Numberer(scan).run();
}

class Numberer {
  readonly #scan: Scan;
  readonly #seen: Uint8Array;
  #count = 1;

  constructor(scan: Scan) {
    this.#scan = scan;
    this.#seen = scan.space.seen.fill(0);
  }

  run(): SpanningTree {
    const { columns, layout, space } = this.#scan;
    const { nodeCount } = columns;
    const root = layout.rootNode;
    space.triple[2 * nodeCount + root] = 0;
    space.vertex[0] = root;
    space.dom[0] = 0;
    setBit(this.#seen, root);
    this.#fromRoot((edge, target) => this.#isEntry(edge, target));
    const { orphans, cliques } = this.#reachedOnlySoftly();
    const user = this.#count;
    this.#fromRoot(() => true);
    const reachable = this.#count - orphans;
    if (this.#count < nodeCount) this.#orphans();
    const attached = this.#count;
    if (this.#count < nodeCount) for (const n of this.#unseen()) this.#number(n);
    return { reachable, user, cliques, attached };
  }

  /** Visits what chosen edges of the root retain. */
  #fromRoot(choose: (edge: number, target: number) => boolean): void {
    const { firstEdge, to } = this.#scan.columns;
    const root = this.#scan.layout.rootNode;
    for (let e = firstEdge[root] as number, end = firstEdge[root + 1] as number; e < end; e++) {
      const target = to[e] as number;
      if (target < weakBit && !hasBit(this.#seen, target) && choose(e, target)) this.#visit(target);
    }
  }

  /** True for the edges of the root that lead to global objects and DOM trees. */
  #isEntry(edge: number, target: number): boolean {
    const { layout, edgeNames, columns, names } = this.#scan;
    const type = layout.edgeTypes[edgeNames.type(edge)];
    if (type === 'shortcut') return true;
    const isSynthetic = layout.nodeTypes[(columns.kind[target] as number) & typeMask] === 'synthetic';
    return type === 'element' && isSynthetic && columns.name[target] === names.documentTrees;
  }

  /**
   * The user's objects that global objects reach only through edges that do not retain, such as values of a WeakMap
   * whose key is V8's. Edges from outside do not retain them either, so only the root itself may.
   */
  #reachedOnlySoftly(): { orphans: number; cliques: number } {
    const found = this.#softClosure();
    if (found.length === 0) return { orphans: 0, cliques: this.#count };
    const soft = new Set(found);
    this.#fromRoot((_, target) => soft.has(target));
    const { firstEdge, to } = this.#scan.columns;
    const before = this.#count;
    const retained = new Set<number>();
    const rest = found.filter((n) => !hasBit(this.#seen, n));
    for (const n of rest) {
      for (let e = firstEdge[n] as number, end = firstEdge[n + 1] as number; e < end; e++) {
        if (to[e] !== n) retained.add(to[e] as number);
      }
    }
    for (const n of rest) if (!retained.has(n) && !hasBit(this.#seen, n)) this.#visit(n);
    const cliques = this.#count;
    for (const n of rest) if (!hasBit(this.#seen, n)) this.#number(n);
    return { orphans: this.#count - before, cliques };
  }

  #softClosure(): readonly number[] {
    const { soft, columns, layout } = this.#scan;
    const { firstEdge, to } = columns;
    const found: number[] = [];
    const known = new Set<number>();
    const isUser = (n: number): boolean => n !== layout.rootNode && (hasBit(this.#seen, n) || known.has(n));
    const enter = (n: number): void => {
      if (isUser(n) || n === layout.rootNode) return;
      known.add(n);
      found.push(n);
    };
    for (let before = -1; before !== found.length;) {
      before = found.length;
      soft.forEach((edge) => {
        if (isUser(sourceOf(columns, edge))) enter(((to[edge] as number) & ~weakBit) >>> 0);
      });
      for (let k = before; k < found.length; k++) {
        const n = found[k] as number;
        for (let e = firstEdge[n] as number, end = firstEdge[n + 1] as number; e < end; e++) {
          const target = to[e] as number;
          if (target < weakBit) enter(target);
        }
      }
    }
    return found;
  }

  /** Visits the nodes that nothing retains. Only nodes without a number can retain another one without. */
  #orphans(): void {
    const { firstEdge, to } = this.#scan.columns;
    const rest = this.#unseen();
    const retained = new Set<number>();
    for (const n of rest) {
      for (let e = firstEdge[n] as number, end = firstEdge[n + 1] as number; e < end; e++) {
        const target = to[e] as number;
        if (target !== n && target < weakBit && !hasBit(this.#seen, target)) retained.add(target);
      }
    }
    for (const n of rest) if (!retained.has(n) && !hasBit(this.#seen, n)) this.#visit(n);
  }

  /** Nodes that have no number yet. */
  #unseen(): readonly number[] {
    const { nodeCount } = this.#scan.columns;
    const found: number[] = [];
    for (let byte = 0; byte * 8 < nodeCount; byte++) {
      if (this.#seen[byte] === 0xff) continue;
      const end = Math.min(nodeCount, byte * 8 + 8);
      for (let n = byte * 8; n < end; n++) if (!hasBit(this.#seen, n)) found.push(n);
    }
    return found;
  }

  #visit(node: number): void {
    const { kernel, columns, space } = this.#scan;
    const { nodeCount } = columns;
    const { vertex, dom: parent, triple } = space;
    const stackNode = triple.subarray(0, nodeCount);
    const stackEdge = triple.subarray(nodeCount, 2 * nodeCount);
    const order = triple.subarray(2 * nodeCount, 3 * nodeCount);
    const tree = { order, vertex, parent, seen: this.#seen, stackNode, stackEdge };
    this.#count = kernel.visit(node, 0, this.#count, columns, tree);
  }

  /** Gives a node the next number as a child of the root, without following its edges. */
  #number(node: number): void {
    const { columns, space } = this.#scan;
    setBit(this.#seen, node);
    space.triple[2 * columns.nodeCount + node] = this.#count;
    space.vertex[this.#count] = node;
    space.dom[this.#count] = 0;
    this.#count++;
  }
}
