import type { HeapGraph } from '../snapshot.ts';
import { isVisible } from '../trace/node-kind.ts';
import type { Candidate } from './candidate.ts';
import { addTo, middleMember, type Group } from './grouping.ts';

const fewestMembers = 50;

/**
 * Objects that alone keep many of one class alive although no collection of theirs shows it: lists linked both ways, things
 * that two collections share. Where everything hangs under one node, such as the global object, it says nothing.
 */
export function findFans(graph: HeapGraph, leastBytes: number): Candidate[] {
  const dominators = graph.dominators();
  const found: Candidate[] = [];
  for (let node = 0; node < graph.nodeCount; node++) {
    if (dominators.retainedBytes(node) < leastBytes || !mayHold(graph, node)) continue;
    for (const group of dominated(graph, node).values()) {
      if (group.members.length < fewestMembers || group.bytes < leastBytes) continue;
      const entry = middleMember(group.members, (member) => dominators.retainedBytes(member));
      found.push({ kind: 'fan', holder: node, entry, count: group.members.length, bytes: group.bytes });
    }
  }
  return found;
}

function mayHold(graph: HeapGraph, node: number): boolean {
  return isVisible(graph, node) && !/^(?:global|Window|ModuleWrap|ModuleLoader)\b/.test(graph.nodeName(node));
}

/** What the node dominates, seen through V8's own structures. */
function dominated(graph: HeapGraph, node: number): Map<number, Group> {
  const dominators = graph.dominators();
  const groups = new Map<number, Group>();
  const stack = [node];
  while (stack.length > 0) {
    for (const child of dominators.children(stack.pop() as number)) {
      if (isVisible(graph, child)) addTo(groups, graph, child, dominators.retainedBytes(child));
      else if (graph.nodeType(child) !== 'code') stack.push(child);
    }
  }
  return groups;
}
