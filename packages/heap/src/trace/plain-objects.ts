import type { HeapGraph } from '../snapshot.ts';

const unknown = 0;
const free = 1;
const covered = 2;

/** Bytes that the plain objects of a heap keep alive together, none counted twice. */
export function retainedByPlainObjects(graph: HeapGraph): number {
  const isPlain = plainObjects(graph);
  const dominators = graph.dominators();
  /** Per node: whether a plain object stands above it in the dominator tree. */
  const above = new Uint8Array(graph.nodeCount);
  above[graph.meta.rootNode] = free;
  let bytes = 0;
  const trail: number[] = [];
  for (let node = 0; node < graph.nodeCount; node++) {
    if (isPlain[node] === 0) continue;
    let at = node;
    while (above[at] === unknown) {
      trail.push(at);
      at = dominators.idom(at);
    }
    let state = above[at] === covered || isPlain[at] === 1 ? covered : free;
    while (trail.length > 0) {
      const below = trail.pop() as number;
      above[below] = state;
      if (isPlain[below] === 1) state = covered;
    }
    if (above[node] === free) bytes += dominators.retainedBytes(node);
  }
  return bytes;
}

function plainObjects(graph: HeapGraph): Uint8Array {
  const flags = new Uint8Array(graph.nodeCount);
  const byName = new Map<number, boolean>();
  for (let node = 0; node < graph.nodeCount; node++) {
    if (graph.nodeType(node) !== 'object') continue;
    const index = graph.nodeNameIndex(node);
    let plain = byName.get(index);
    if (plain === undefined) {
      plain = graph.nodeName(node) === 'Object';
      byName.set(index, plain);
    }
    flags[node] = plain ? 1 : 0;
  }
  return flags;
}
