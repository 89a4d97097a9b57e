import type { HeapGraph } from '../snapshot.ts';

/** What a node is to a reader: something with a name in their code, or part of how V8 stores it. */
export function isVisible(graph: HeapGraph, node: number): boolean {
  switch (graph.nodeType(node)) {
    case 'closure':
    case 'string':
    case 'concatenated string':
    case 'sliced string':
    case 'regexp':
      return true;
    case 'object':
      return !graph.nodeName(node).startsWith('system / ');
    case 'native':
      return !/^(?:Node|system) \//.test(graph.nodeName(node));
    default:
      return false;
  }
}

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
