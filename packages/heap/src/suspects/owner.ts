import type { HeapGraph } from '../snapshot.ts';

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
