import { weakBit, type Columns } from '../graph/columns.ts';
import type { SpanningTree } from './depth-first.ts';

/**
 * Immediate dominators by semi-NCA (Georgiadis, Tarjan, Werneck: "Finding dominators in practice", 2006), entirely in
 * preorder numbers. Forward edges give the first candidate of a semidominator in one sweep, so only edges that go back
 * or across need a reverse list.
 */
export function semiNca(columns: Columns, tree: SpanningTree): Uint32Array {
  const { nodeCount, firstEdge, to } = columns;
  const { order, vertex, parent, attached } = tree;
  const semi = parent.slice();
  const ends = new Uint32Array(nodeCount + 1);
  let back = 0;
  for (let i = 0; i < attached; i++) {
    const v = vertex[i] as number;
    for (let e = firstEdge[v] as number, end = firstEdge[v + 1] as number; e < end; e++) {
      const target = to[e] as number;
      if (target >= weakBit) continue;
      const j = order[target] as number;
      if (j > i) {
        if ((semi[j] as number) > i) semi[j] = i;
      } else if (j > 0) {
        ends[j] = (ends[j] as number) + 1;
        back++;
      }
    }
  }
  for (let j = 0, sum = 0; j <= nodeCount; j++) {
    const count = ends[j] as number;
    ends[j] = sum;
    sum += count;
  }
  const sources = new Uint32Array(back);
  for (let i = attached - 1; i >= 0; i--) {
    const v = vertex[i] as number;
    for (let e = firstEdge[v] as number, end = firstEdge[v + 1] as number; e < end; e++) {
      const target = to[e] as number;
      if (target >= weakBit) continue;
      const j = order[target] as number;
      if (j <= i && j > 0) {
        const at = ends[j] as number;
        sources[at] = i;
        ends[j] = at + 1;
      }
    }
  }
  semidominators(nodeCount, semi, parent, ends, sources);
  const dom = parent.slice();
  for (let i = 1; i < nodeCount; i++) {
    const limit = semi[i] as number;
    let d = dom[i] as number;
    while (d > limit) d = dom[d] as number;
    dom[i] = d;
  }
  return dom;
}

/** Lowers `semi` to the semidominators, from the last vertex to the first, with path compression. */
function semidominators(
  nodeCount: number,
  semi: Uint32Array,
  parent: Uint32Array,
  ends: Uint32Array,
  sources: Uint32Array,
): void {
  const ancestor = parent.slice();
  const label = new Uint32Array(nodeCount);
  const path: number[] = [];
  for (let i = nodeCount - 1; i > 0; i--) {
    let lowest = semi[i] as number;
    for (let k = ends[i - 1] as number, end = ends[i] as number; k < end; k++) {
      let u = sources[k] as number;
      let above = ancestor[u] as number;
      while (above > i) {
        path.push(u);
        u = above;
        above = ancestor[u] as number;
      }
      let best = label[u] as number;
      for (let p = path.pop(); p !== undefined; p = path.pop()) {
        if (best < (label[p] as number)) label[p] = best;
        else best = label[p] as number;
        ancestor[p] = above;
      }
      if (best < lowest) lowest = best;
    }
    semi[i] = lowest;
    label[i] = lowest;
  }
}
