/**
 * A slow and obvious model of what the analysis has to answer, for small graphs: reachability, once for every node that
 * could be taken away. Nothing of the product is used.
 */
import type { BuiltNode } from '../snapshot-builder.fixture.ts';

export interface Truth {
  readonly selfBytes: readonly number[];
  readonly idom: readonly number[];
  readonly retainedBytes: readonly number[];
  readonly essential: readonly (readonly boolean[])[];
  readonly unreachable: number;
}

const pair = /^\d+ \/ part of key .* pair in WeakMap \(table @(\d+)\)$/u;

export function truthOf(nodes: readonly BuiltNode[]): Truth {
  const essential = essentialEdges(nodes);
  const kept = nodes.map((node, n) =>
    (node.edges ?? []).filter((_, k) => essential[n]?.[k]).map((edge) => edge.to),
  );
  const fromRoot = reach(kept, [0]);
  const retained = new Set(kept.flat());
  const orphans = nodes.flatMap((_, n) => (!fromRoot.has(n) && !retained.has(n) ? [n] : []));
  const attached = reach(kept, [0, ...orphans]);
  // What retains only itself in circles hangs under the root, node by node, and holds nothing.
  const cliques = nodes.flatMap((_, n) => (attached.has(n) ? [] : [n]));
  const graph = kept.map((targets, n) => (attached.has(n) ? targets : []));
  graph[0] = [...(graph[0] ?? []), ...orphans, ...cliques];
  const lost = nodes.map((_, n) => {
    if (n === 0) return new Set(nodes.keys());
    const still = reach(graph, [0], n);
    return new Set([...nodes.keys()].filter((v) => !still.has(v)));
  });
  const selfBytes = foldedSizes(nodes);
  return {
    selfBytes,
    essential,
    unreachable: nodes.length - fromRoot.size,
    retainedBytes: lost.map((set) => [...set].reduce((sum, v) => sum + (selfBytes[v] as number), 0)),
    idom: nodes.map((_, v) => {
      if (v === 0) return 0;
      const dominators = [...nodes.keys()].filter((d) => d !== v && lost[d]?.has(v));
      return dominators.reduce((best, d) => ((lost[d]?.size ?? 0) < (lost[best]?.size ?? 0) ? d : best), 0);
    }),
  };
}

function reach(graph: readonly (readonly number[])[], from: readonly number[], without = -1): Set<number> {
  const seen = new Set(from.filter((n) => n !== without));
  const queue = [...seen];
  for (let n = queue.pop(); n !== undefined; n = queue.pop()) {
    for (const target of graph[n] ?? []) {
      if (target === without || seen.has(target)) continue;
      seen.add(target);
      queue.push(target);
    }
  }
  return seen;
}

function essentialEdges(nodes: readonly BuiltNode[]): boolean[][] {
  // Nothing leads to the root in what V8 writes; such an edge would say nothing.
  const strong = nodes.map((node) =>
    (node.edges ?? []).filter((edge) => edge.type !== 'weak' && edge.to !== 0).map((edge) => edge.to),
  );
  const globals = (nodes[0]?.edges ?? [])
    .filter((edge) => edge.type === 'shortcut' && edge.to !== 0)
    .map((edge) => edge.to);
  const user = reach(strong, globals);
  return nodes.map((node, n) =>
    (node.edges ?? []).map((edge) => {
      if (edge.type === 'weak' || edge.to === n || edge.to === 0) return false;
      const table = edge.type === 'internal' ? pair.exec(String(edge.name)) : null;
      if (table !== null && Number(table[1]) === (node.id ?? 2 * n + 1)) return false;
      if (n === 0) return true;
      return edge.type !== 'shortcut' && (user.has(n) || !user.has(edge.to));
    }),
  );
}

function foldedSizes(nodes: readonly BuiltNode[]): number[] {
  const sizes = nodes.map((node) => node.size ?? 16);
  const isStore = (n: number): boolean => ['hidden', 'array'].includes(nodes[n]?.type ?? 'object');
  if (!(nodes[0]?.edges ?? []).some((edge) => nodes[edge.to]?.type !== 'synthetic')) return sizes;
  const strong = nodes.map((node) =>
    (node.edges ?? []).filter((edge) => edge.type !== 'weak').map((edge) => edge.to),
  );
  const owners = nodes.map(() => new Set<number>());
  nodes.forEach((_, n) => {
    if (isStore(n)) return;
    const stores = (strong[n] ?? []).filter(isStore);
    const inner = strong.map((targets, k) => (isStore(k) ? targets.filter(isStore) : []));
    for (const store of reach(inner, stores)) owners[store]?.add(n);
  });
  nodes.forEach((_, n) => {
    const [owner] = owners[n] ?? [];
    if (owners[n]?.size !== 1 || owner === undefined) return;
    if (owner === 0 || nodes[owner]?.type === 'synthetic') return;
    sizes[owner] = (sizes[owner] as number) + (nodes[n]?.size ?? 16);
    sizes[n] = (sizes[n] as number) - (nodes[n]?.size ?? 16);
  });
  return sizes;
}
