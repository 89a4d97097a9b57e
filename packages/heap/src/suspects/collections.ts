import type { HeapGraph } from '../snapshot.ts';
import type { Candidate } from './candidate.ts';
import { addTo, middleMember, type Group } from './grouping.ts';
import { ownerOf } from './owner.ts';

const fewestEntries = 20;

/** Arrays, maps, sets, objects used as dictionaries and root categories that hold many of one class. */
export function findCollections(graph: HeapGraph, leastBytes: number): Candidate[] {
  const dominators = graph.dominators();
  const best = new Map<string, Candidate>();
  for (let node = 0; node < graph.nodeCount; node++) {
    const first = graph.firstEdge(node);
    const end = graph.lastEdge(node);
    if (end - first < fewestEntries || !mayCollect(graph, node)) continue;
    for (const group of groupsOf(graph, node).values()) {
      if (group.members.length < fewestEntries || group.bytes < leastBytes) continue;
      const entry = middleMember(group.members, (member) => dominators.retainedBytes(member));
      const isRoot = graph.nodeType(node) === 'synthetic';
      const holder = isRoot ? node : ownerOf(graph, node);
      const found: Candidate = {
        kind: isRoot ? 'handles' : 'collection',
        holder,
        entry,
        between: holder === node ? [] : [node],
        count: group.members.length,
        bytes: group.bytes,
      };
      const key = `${holder} ${graph.nodeNameIndex(entry)} ${graph.nodeType(entry)}`;
      const known = best.get(key);
      // An array and its elements store both lead to the entries; the array itself makes the shorter path.
      if (
        known === undefined ||
        known.bytes < found.bytes ||
        (known.bytes === found.bytes && holder === node)
      ) {
        best.set(key, found);
      }
    }
  }
  return [...best.values()];
}

/** Variables of a scope, code and shapes are no collections however many edges they have. */
function mayCollect(graph: HeapGraph, node: number): boolean {
  const type = graph.nodeType(node);
  if (type === 'code' || type === 'object shape') return false;
  return type !== 'object' || graph.nodeName(node) !== 'system / Context';
}

function groupsOf(graph: HeapGraph, node: number): Map<number, Group> {
  const dominators = graph.dominators();
  const groups = new Map<number, Group>();
  const end = graph.lastEdge(node);
  const seen = new Set<number>();
  for (let edge = graph.firstEdge(node); edge < end; edge++) {
    if (!graph.isEssentialEdge(node, edge)) continue;
    const to = graph.edgeTo(edge);
    if (seen.has(to)) continue;
    seen.add(to);
    addTo(groups, graph, to, dominators.retainedBytes(to));
  }
  return groups;
}
