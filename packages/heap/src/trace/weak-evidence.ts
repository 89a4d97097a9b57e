import type { HeapGraph } from '../snapshot.ts';
import type { Hop } from '../graph/path-search.ts';
import { rootPenalty } from '../graph/roots.ts';

/** A root category from this cost on may be gone a moment later: a stack, or V8's own tables. */
const passingRoot = 24;

/** The hop by which a path is weak evidence: through compiled code, or from a root that does not last; undefined when there is none. */
export function weakHop(graph: HeapGraph, path: readonly Hop[]): Hop | undefined {
  return path.find((hop) => {
    if (graph.nodeType(hop.from) === 'code') return true;
    return graph.nodeType(hop.from) === 'synthetic' && rootPenalty(graph.nodeName(hop.from)) >= passingRoot;
  });
}

/** Other paths to a target that do without the weak hops of those before; ends with the first that is strong. */
export function strongerPaths(graph: HeapGraph, target: number, first: readonly Hop[], limit = 2): Hop[][] {
  const found: Hop[][] = [];
  const without = new Set<number>();
  for (let weak = weakHop(graph, first); weak !== undefined && found.length < limit;) {
    without.add(weak.edge);
    const path = graph.paths([target], without).get(target);
    if (path === undefined) break;
    found.push(path);
    weak = weakHop(graph, path);
  }
  return found;
}
