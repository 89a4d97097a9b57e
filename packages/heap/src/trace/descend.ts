import type { HeapGraph } from '../snapshot.ts';
import type { Hop } from '../graph/path-search.ts';

const deepest = 8;
const share = 0.4;
const leastBytes = 128;
const widest = 2000;

/**
 * The way from an object down to what makes it heavy: from dominator to heaviest dominated, while one child keeps most of
 * the bytes. It shows what an entry of a collection drags along. `ownBytes` replaces the bytes of the start, for a link of a
 * chain, which keeps all later links alive.
 */
export function descend(
  graph: HeapGraph,
  from: number,
  options: { readonly ownBytes?: number; readonly skip?: (node: number) => boolean } = {},
): Hop[] {
  const dominators = graph.dominators();
  const hops: Hop[] = [];
  let steps = 0;
  let own = options.ownBytes ?? dominators.retainedBytes(from);
  const skip = options.skip ?? (() => false);
  for (let node = from; steps < deepest;) {
    const child = heaviest(graph, node, skip);
    if (child < 0) break;
    const bytes = dominators.retainedBytes(child);
    if (bytes < leastBytes || bytes < own * share) break;
    const between = connect(graph, node, child);
    if (between.length === 0) break;
    hops.push(...between);
    if (graph.isVisible(child)) steps++;
    node = child;
    own = bytes;
  }
  while (hops.length > 0 && !graph.isVisible((hops.at(-1) as Hop).to)) hops.pop();
  return hops;
}

function heaviest(graph: HeapGraph, node: number, skip: (node: number) => boolean): number {
  return graph.dominators().heaviestChild(node, 0, (child) => {
    const type = graph.nodeType(child);
    return type !== 'code' && type !== 'object shape' && !skip(child);
  });
}

/** Hops from a node to one that it dominates: breadth first, with a bound, so that an entry with a huge inside costs little. */
export function connect(graph: HeapGraph, from: number, to: number): Hop[] {
  const arrived = new Map<number, Hop>();
  const queue = [from];
  for (let head = 0; head < queue.length && arrived.size < widest; head++) {
    const node = queue[head] as number;
    const end = graph.lastEdge(node);
    for (let edge = graph.firstEdge(node); edge < end; edge++) {
      const target = graph.edgeTo(edge);
      if (target === from || arrived.has(target) || !graph.isEssentialEdge(node, edge)) continue;
      arrived.set(target, { from: node, edge, to: target });
      if (target === to) return backwards(arrived, from, to);
      queue.push(target);
    }
  }
  return [];
}

function backwards(arrived: ReadonlyMap<number, Hop>, from: number, to: number): Hop[] {
  const hops: Hop[] = [];
  for (let node = to; node !== from;) {
    const hop = arrived.get(node) as Hop;
    hops.push(hop);
    node = hop.from;
  }
  return hops.toReversed();
}
