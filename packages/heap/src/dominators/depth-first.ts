import { weakBit, type Columns } from '../graph/columns.ts';

/** A depth-first spanning tree; everything is in preorder numbers except `vertex`, which leads back to nodes. */
export interface SpanningTree {
  /** Preorder number by node. */
  readonly order: Uint32Array;
  /** Node by preorder number. */
  readonly vertex: Uint32Array;
  /** Parent by preorder number. */
  readonly parent: Uint32Array;
  /** How many nodes the root reaches; those after hang under the root artificially. */
  readonly reachable: number;
  /** From this preorder number on, nodes retain only each other; their edges say nothing about the rest. */
  readonly attached: number;
}

/**
 * Numbers the nodes depth-first over the edges that retain. Nodes that no edge retains come next, as children of the
 * root; nodes that retain only each other come last, one by one (both as in Chrome DevTools).
 */
export function depthFirst(columns: Columns, root: number): SpanningTree {
  const { nodeCount, firstEdge, to } = columns;
  const order = new Uint32Array(nodeCount).fill(weakBit);
  const vertex = new Uint32Array(nodeCount);
  const parent = new Uint32Array(nodeCount);
  const cursor = new Uint32Array(nodeCount);
  let count = 0;
  const visit = (from: number): void => {
    let v = from;
    let i = count++;
    order[v] = i;
    vertex[i] = v;
    cursor[i] = firstEdge[v] as number;
    const top = i;
    for (;;) {
      let e = cursor[i] as number;
      const end = firstEdge[v + 1] as number;
      let next = -1;
      while (e < end) {
        const target = to[e++] as number;
        if (target < weakBit && order[target] === weakBit) {
          next = target;
          break;
        }
      }
      cursor[i] = e;
      if (next >= 0) {
        parent[count] = i;
        v = next;
        i = count++;
        order[v] = i;
        vertex[i] = v;
        cursor[i] = firstEdge[v] as number;
      } else {
        if (i === top) return;
        i = parent[i] as number;
        v = vertex[i] as number;
      }
    }
  };
  visit(root);
  const reachable = count;
  let attached = count;
  if (count < nodeCount) {
    const retained = retainedNodes(columns);
    for (let n = 0; n < nodeCount; n++) if (order[n] === weakBit && retained[n] === 0) visit(n);
    attached = count;
    for (let n = 0; n < nodeCount; n++) {
      if (order[n] !== weakBit) continue;
      order[n] = count;
      vertex[count++] = n;
    }
  }
  return { order, vertex, parent, reachable, attached };
}

/** One byte per node: 1 when at least one edge retains it. */
function retainedNodes(columns: Columns): Uint8Array {
  const { to, nodeCount } = columns;
  const retained = new Uint8Array(nodeCount);
  for (let e = 0; e < to.length; e++) {
    const target = to[e] as number;
    if (target < weakBit) retained[target] = 1;
  }
  return retained;
}
