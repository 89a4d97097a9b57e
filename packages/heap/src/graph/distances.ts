import type { DominatorTree } from '../dominators/tree.ts';
import { weakBit, type Columns } from './columns.ts';

export const unreached = 0xffff_ffff;

/** Steps from the root by preorder number, over edges that retain; `unreached` where there is no way. */
export function distances(columns: Columns, tree: DominatorTree): Uint32Array {
  const { firstEdge, to, nodeCount } = columns;
  const distance = new Uint32Array(nodeCount).fill(unreached);
  const queue = new Uint32Array(nodeCount);
  let head = 0;
  let tail = 1;
  distance[0] = 0;
  while (head < tail) {
    const i = queue[head++] as number;
    const n = tree.vertex[i] as number;
    const next = (distance[i] as number) + 1;
    for (let e = firstEdge[n] as number, end = firstEdge[n + 1] as number; e < end; e++) {
      const target = to[e] as number;
      if (target >= weakBit || distance[target] !== unreached) continue;
      distance[target] = next;
      queue[tail++] = target;
    }
  }
  return distance;
}
