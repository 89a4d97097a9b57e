import { fewestEntries } from '../kernel/typescript/survey.ts';
import type { HeapGraph } from '../snapshot.ts';
import { type Candidate, ownerOf, middleMember } from './candidate.ts';

/** Arrays, maps, sets, objects used as dictionaries and root categories that hold many of one class. */
export function findCollections(graph: HeapGraph, leastBytes: number): Candidate[] {
  const dominators = graph.dominators();
  const best = new Map<string, Candidate>();
  for (const node of graph.survey().wide) {
    for (const group of graph.groupsBelow(node)) {
      if (group.members.length < fewestEntries || group.bytes < leastBytes) continue;
      const entry = middleMember(group.members, (member) => dominators.retainedBytes(member));
      const isRoot = graph.nodeType(node) === 'synthetic';
      const holder = isRoot ? node : ownerOf(graph, node);
      const found: Candidate = {
        kind: isRoot ? 'handles' : 'collection',
        holder,
        entry,
        between: holder === node ? [] : [node],
        count: holder === node ? group.members.length : entryCount(graph, node, group.members.length),
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

const sampledEdges = 4096;

/**
 * How many entries of a table these members are. Keys and values of a Map may be of one class, such as text, and are then
 * two members of one entry. V8 writes an entry into three slots: key, value and a link that no edge shows.
 */
export function entryCount(graph: HeapGraph, table: number, members: number): number {
  const first = graph.firstEdge(table);
  const edges = graph.lastEdge(table) - first;
  if (members <= edges / 2) return members;
  const slots: number[] = [];
  const places = new Set<number>();
  for (let edge = first; edge < first + Math.min(edges, sampledEdges); edge++) {
    const slot = Number(graph.edgeName(edge));
    if (!Number.isInteger(slot)) continue;
    slots.push(slot);
    places.add(slot % 3);
    // A Set or an array uses all three places. Its other names need not be read from the file.
    if (places.size === 3) return members;
  }
  // A Map with numbers for keys or values uses one place.
  if (places.size !== 2) return members;
  const used = [0, 1, 2].filter((place) => places.has(place));
  const keys = used[0] === 0 && used[1] === 2 ? 2 : (used[0] as number);
  const entries = new Set(slots.map((slot) => Math.floor((slot - keys) / 3))).size;
  return Math.min(members, Math.round((entries * edges) / Math.min(edges, sampledEdges)));
}
