import type { HeapGraph } from '../snapshot.ts';

/** True for the three types that V8 stores text as. */
export function isText(type: string): boolean {
  return type === 'string' || type === 'concatenated string' || type === 'sliced string';
}

/** The edge of a node with this name, or -1. Names of elements and hidden slots are numbers. */
export function edgeNamed(graph: HeapGraph, node: number, name: string | number): number {
  const end = graph.lastEdge(node);
  for (let edge = graph.firstEdge(node); edge < end; edge++) {
    if (graph.edgeName(edge) === name) return edge;
  }
  return -1;
}

/** The node at the end of the edge with this name, or -1. */
export function targetNamed(graph: HeapGraph, node: number, name: string | number): number {
  const edge = edgeNamed(graph, node, name);
  return edge < 0 ? -1 : graph.edgeTo(edge);
}

/** A rope longer than this is not read to its end. */
const mostParts = 64;

/**
 * The pieces that a text is made of, in order, without empty ones. A plain string has one. A string built by `+` has one
 * piece per operand, and a single one after V8 has flattened it. Undefined for slices, of which a snapshot does not say
 * where they begin, and for ropes of more than 64 pieces.
 */
export function textParts(graph: HeapGraph, node: number): readonly string[] | undefined {
  const parts: string[] = [];
  const stack = [node];
  for (let visited = 0; stack.length > 0; visited++) {
    if (visited >= 2 * mostParts) return undefined;
    const at = stack.pop() as number;
    const type = graph.nodeType(at);
    if (type === 'concatenated string') {
      for (const half of [targetNamed(graph, at, 'second'), targetNamed(graph, at, 'first')]) {
        if (half >= 0) stack.push(half);
      }
    } else if (type === 'string') {
      const text = graph.nodeName(at);
      if (text !== '') parts.push(text);
    } else return undefined;
  }
  return parts;
}

/** More edges than an object has that is a Map or a Set: their entries hang on the table. */
const mostEdgesOfMap = 64;
/** A larger table is not searched for a slot by its name, because names of edges stay in the file. */
export const mostSearchedEdges = 4096;

/** The hidden table of a Map or Set, or -1. */
export function tableOf(graph: HeapGraph, node: number): number {
  return graph.lastEdge(node) - graph.firstEdge(node) > mostEdgesOfMap
    ? -1
    : targetNamed(graph, node, 'table');
}

/** True for an ArrayBuffer that Node.js shares among small Buffers: it must not be transferred, and so it alone has a property. */
export function isSlab(graph: HeapGraph, node: number): boolean {
  const end = graph.lastEdge(node);
  for (let edge = graph.firstEdge(node); edge < end; edge++) {
    if (graph.nodeName(graph.edgeTo(edge)) === 'system / PropertyArray') return true;
  }
  return false;
}
