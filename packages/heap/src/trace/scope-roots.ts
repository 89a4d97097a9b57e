import type { HeapGraph } from '../snapshot.ts';
import { targetNamed, textParts } from './node-kind.ts';

/** What one scope holds in a snapshot. */
export interface RetainedScope {
  /** e.g. `process/agent:planner/session:42`. */
  readonly path: string;
  readonly state: string;
  /** Bytes that only this scope's roots keep alive. */
  readonly retainedBytes: number;
  readonly roots: number;
}

export interface ScopeRoots {
  readonly rows: readonly RetainedScope[];
  /** The scope that an object was registered with. */
  of(node: number): { readonly path: string; readonly state: string } | undefined;
  /** Objects registered with the scopes of a path. */
  rootsOf(path: string): readonly number[];
}

/** Finds the markers that scopes with registered roots leave in the heap, and sums up what each scope keeps alive. */
export function scopeRoots(graph: HeapGraph): ScopeRoots {
  const byNode = new Map<number, { path: string; state: string }>();
  const byPath = new Map<string, { state: string; nodes: number[] }>();
  // The prototype of the class is among them; it has no path.
  for (const node of graph.survey().scopeMarkers) {
    const path = textOf(graph, node, 'path');
    if (path === undefined) continue;
    const state = textOf(graph, node, 'state') ?? 'open';
    const list = targetNamed(graph, node, 'roots');
    const nodes = list < 0 ? [] : elements(graph, list);
    for (const root of nodes) byNode.set(root, { path, state });
    const known = byPath.get(path);
    if (known === undefined) byPath.set(path, { state, nodes });
    else known.nodes.push(...nodes);
  }
  const rows = [...byPath].map(([path, { state, nodes }]) => ({
    path,
    state,
    retainedBytes: retainedTogether(graph, nodes),
    roots: nodes.length,
  }));
  rows.sort((a, b) => b.retainedBytes - a.retainedBytes || (a.path < b.path ? -1 : 1));
  return { rows, of: (node) => byNode.get(node), rootsOf: (path) => byPath.get(path)?.nodes ?? [] };
}

function textOf(graph: HeapGraph, node: number, property: string): string | undefined {
  const value = targetNamed(graph, node, property);
  return value >= 0 ? textParts(graph, value)?.join('') : undefined;
}

function elements(graph: HeapGraph, list: number): number[] {
  const found = new Set<number>();
  graph.forEachEdge(list, (edge, to) => {
    if (graph.edgeType(edge) === 'element') found.add(to);
  });
  return [...found];
}

/**
 * Bytes that go when all of the nodes go: what each dominates, and what only several of them together keep alive. The
 * latter is what can be reached from them and from nowhere else.
 */
function retainedTogether(graph: HeapGraph, nodes: readonly number[]): number {
  const dominators = graph.dominators();
  if (nodes.length === 0) return 0;
  if (nodes.length === 1) return dominators.retainedBytes(nodes[0] as number);
  const owned = reachableFrom(graph, nodes);
  expel(graph, owned, new Set(nodes));
  let bytes = 0;
  for (const node of owned) bytes += graph.selfBytes(node);
  return bytes;
}

function reachableFrom(graph: HeapGraph, nodes: readonly number[]): Set<number> {
  const reached = new Set(nodes);
  const stack = [...nodes];
  while (stack.length > 0) {
    const node = stack.pop() as number;
    const end = graph.lastEdge(node);
    for (let edge = graph.firstEdge(node); edge < end; edge++) {
      const to = graph.edgeTo(edge);
      if (reached.has(to) || !graph.isEssentialEdge(node, edge)) continue;
      reached.add(to);
      stack.push(to);
    }
  }
  return reached;
}

/** Takes out what someone outside holds, and all that it leads to. The roots themselves stay, because others may point to them. */
function expel(graph: HeapGraph, owned: Set<number>, roots: ReadonlySet<number>): void {
  const stack: number[] = [];
  for (const node of owned) {
    if (roots.has(node)) continue;
    for (const { from } of graph.retainers(node)) {
      if (owned.has(from)) continue;
      stack.push(node);
      break;
    }
  }
  while (stack.length > 0) {
    const node = stack.pop() as number;
    if (roots.has(node) || !owned.delete(node)) continue;
    graph.forEachEdge(node, (edge, to) => {
      if (graph.isEssentialEdge(node, edge)) stack.push(to);
    });
  }
}
