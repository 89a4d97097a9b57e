import type { HeapGraph } from '../snapshot.ts';
import { tableOf } from '../trace/node-kind.ts';
import { type Candidate, middleMember } from './candidate.ts';
import { entryCount } from './collections.ts';

const fewestMembers = 50;

/**
 * Objects that alone keep many of one class alive although no collection of theirs shows it: lists linked both ways, things
 * that two collections share. Where everything hangs under one node, such as the global object, it says nothing.
 */
export function findFans(graph: HeapGraph, heavy: Uint32Array, leastBytes: number): Candidate[] {
  const dominators = graph.dominators();
  const found: Candidate[] = [];
  for (const node of heavy) {
    if (!mayHold(graph, node)) continue;
    for (const group of graph.groupsDominated(node)) {
      if (group.members.length < fewestMembers || group.bytes < leastBytes) continue;
      const entry = middleMember(group.members, (member) => dominators.retainedBytes(member));
      const table = tableOf(graph, node);
      const count = table < 0 ? group.members.length : entryCount(graph, table, group.members.length);
      found.push({ kind: 'fan', holder: node, entry, count, bytes: group.bytes });
    }
  }
  return found;
}

function mayHold(graph: HeapGraph, node: number): boolean {
  return graph.isVisible(node) && !/^(?:global|Window|ModuleWrap|ModuleLoader)\b/.test(graph.nodeName(node));
}
