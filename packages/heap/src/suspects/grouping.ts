import type { HeapGraph } from '../snapshot.ts';
import { isText } from '../trace/node-kind.ts';

/** Many nodes of one class below one holder. */
export interface Group {
  readonly members: number[];
  bytes: number;
}

/** A number that nodes of the same class share: the class for objects, the function name for closures, one for all text. */
export function classKey(graph: HeapGraph, node: number): number | undefined {
  const type = graph.nodeType(node);
  if (isText(type)) return -1;
  if (type === 'object' || type === 'native') return graph.nodeNameIndex(node) * 2;
  if (type === 'closure') return graph.nodeNameIndex(node) * 2 + 1;
  return undefined;
}

/** Adds a node to the group of its class. */
export function addTo(groups: Map<number, Group>, graph: HeapGraph, node: number, bytes: number): void {
  const key = classKey(graph, node);
  if (key === undefined) return;
  const group = groups.get(key);
  if (group === undefined) groups.set(key, { members: [node], bytes });
  else {
    group.members.push(node);
    group.bytes += bytes;
  }
}

/** The member of middle size, so that neither the empty nor the one giant stands for all. */
export function middleMember(members: readonly number[], bytesOf: (node: number) => number): number {
  const sample = members.length <= 201 ? [...members] : sampled(members, 201);
  sample.sort((a, b) => bytesOf(a) - bytesOf(b) || a - b);
  return sample[sample.length >> 1] as number;
}

function sampled(members: readonly number[], size: number): number[] {
  const step = members.length / size;
  return Array.from({ length: size }, (_, i) => members[Math.floor(i * step)] as number);
}
