import type { HeapGraph } from '../snapshot.ts';

/** Something that holds much of one kind: what a suspect is before its path is known. */
export interface Candidate {
  /**
   * `collection`: many alike in one array, map, set or dictionary. `fan`: many alike that one object alone keeps alive, such
   * as the nodes of a doubly linked list. `chain`: each keeps the next alive. `handles`: many alike held by native code.
   * `large`: one object that keeps much alive for itself.
   */
  readonly kind: 'collection' | 'fan' | 'chain' | 'handles' | 'large';
  /** The node that holds the many; a visible object, or a root category for `handles`. */
  readonly holder: number;
  /** One of the many, of middle size. */
  readonly entry: number;
  /** The nodes between holder and entry where they are known. */
  readonly between?: readonly number[];
  readonly count: number;
  /** Bytes kept alive by the many. */
  readonly bytes: number;
}

/** The visible object that a node of V8's own belongs to: the first one up the dominator tree, the root when there is none. */
export function ownerOf(graph: HeapGraph, node: number): number {
  const dominators = graph.dominators();
  let at = node;
  while (at !== graph.meta.rootNode && !graph.isVisible(at)) at = dominators.idom(at);
  return at;
}

/** True when `upper` dominates `node` or is it. */
export function isDominatedBy(graph: HeapGraph, node: number, upper: number): boolean {
  const dominators = graph.dominators();
  const root = graph.meta.rootNode;
  for (let at = node; ; at = dominators.idom(at)) {
    if (at === upper) return true;
    if (at === root) return false;
  }
}

/** The member of middle size, so that neither the empty nor the one giant stands for all. */
export function middleMember(members: Uint32Array, bytesOf: (node: number) => number): number {
  const size = Math.min(members.length, 201);
  const step = members.length / size;
  const sample = Array.from({ length: size }, (_, i) => members[Math.floor(i * step)] as number);
  sample.sort((a, b) => bytesOf(a) - bytesOf(b) || a - b);
  return sample[sample.length >> 1] as number;
}
