import type { HeapGraph } from '../snapshot.ts';

/** Per graph, one byte per node: 1 visible, 0 not. */
const known = new WeakMap<HeapGraph, Uint8Array>();

/** What a node is to a reader: something with a name in their code, or part of how V8 stores it. */
export function isVisible(graph: HeapGraph, node: number): boolean {
  let flags = known.get(graph);
  if (flags === undefined) {
    flags = visibleNodes(graph);
    known.set(graph, flags);
  }
  return flags[node] === 1;
}

const alwaysVisible = new Set(['closure', 'string', 'concatenated string', 'sliced string', 'regexp']);

function visibleNodes(graph: HeapGraph): Uint8Array {
  const flags = new Uint8Array(graph.nodeCount);
  const hidden = { object: /^system \//, native: /^(?:Node|system) \// };
  const byName = { object: new Map<number, boolean>(), native: new Map<number, boolean>() };
  for (let node = 0; node < graph.nodeCount; node++) {
    const type = graph.nodeType(node);
    if (type !== 'object' && type !== 'native') {
      flags[node] = alwaysVisible.has(type) ? 1 : 0;
      continue;
    }
    const index = graph.nodeNameIndex(node);
    let visible = byName[type].get(index);
    if (visible === undefined) {
      visible = !hidden[type].test(graph.nodeName(node));
      byName[type].set(index, visible);
    }
    flags[node] = visible ? 1 : 0;
  }
  return flags;
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
