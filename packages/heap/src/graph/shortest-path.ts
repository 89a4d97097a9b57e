import type { DominatorTree } from '../dominators/tree.ts';
import { search as searchInPlain } from '../kernel/typescript/graph.ts';
import { setBit } from '../kernel/typescript/rows.ts';
import type { Scan } from '../read/scan.ts';
import { sourceOf } from './source-of.ts';

/** The edges of a shortest way from the root to a node over edges that retain; empty for the root and without a way. */
export function shortestPath(
  scan: Scan,
  tree: DominatorTree,
  node: number,
  workspaceIsFree: boolean,
): readonly number[] {
  const { kernel, columns, space } = scan;
  const { nodeCount, firstEdge, to } = columns;
  const target = tree.order[node] as number;
  if (target === 0) return [];
  // Sums of 32 bits leave a third of their region free.
  const third = tree.retained instanceof Uint32Array ? space.triple.subarray(2 * nodeCount) : space.sources;
  const [byEdge, queue] = workspaceIsFree
    ? [space.sources.subarray(0, nodeCount), third.subarray(third.length - nodeCount)]
    : [new Uint32Array(nodeCount), new Uint32Array(nodeCount)];
  const seen = space.seen.fill(0);
  setBit(seen, 0);
  queue[0] = 0;
  const search = workspaceIsFree ? kernel.search.bind(kernel) : searchInPlain;
  if (!search(target, { firstEdge, to, vertex: tree.vertex, seen, queue, byEdge })) return [];
  const path: number[] = [];
  for (let i = target; i !== 0;) {
    const edge = byEdge[i] as number;
    path.push(edge);
    i = tree.order[sourceOf(columns, edge)] as number;
  }
  return path.reverse();
}
