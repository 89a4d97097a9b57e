import type { Arena } from '../kernel/arena.ts';
import { regionAlign } from '../kernel/arena.ts';
import { poolWords } from '../kernel/typescript/paths.ts';
import { groupWords } from '../kernel/typescript/path-groups.ts';

/**
 * Memory that reading, dominators and sums by class use one after the other. Every region is reserved at its largest;
 * pages that are never touched cost nothing. The comments say who uses a region when, in order of time.
 */
export interface Workspace {
  /** Groups of shapes, then node by preorder number (kept). */
  readonly vertex: Uint32Array;
  /** First list of each group, then parents, then immediate dominators (kept). */
  readonly dom: Uint32Array;
  /** Hash table of groups; owners and their stack; depth-first stacks and numbers; semidominators and links; retained bytes and subtree sizes (kept). */
  readonly triple: Uint32Array;
  /** Counts of groups, then ends of reverse lists, then tree order, then number by node (kept). */
  readonly ends: Uint32Array;
  /** Property names of plain objects, then locations, then reverse lists, then tree order and classes, then retainers. */
  readonly sources: Uint32Array;
  /** The path that is being compressed; later positions of retainer lists. */
  readonly path: Uint32Array;
  /** One bit per node: backing stores, then nodes that have a number. */
  readonly seen: Uint8Array;
  /** One bit per node: nodes that something retains. */
  readonly marked: Uint8Array;
  /** One byte per preorder number: what a survey says of the node (kept). */
  readonly roles: Uint8Array;
  /** Objects by the path to them, for a comparison. */
  readonly groups: Uint32Array;
  /** Whose content the regions `path` and `sources` hold once the graph is read; null while it is nobody's. */
  readonly users: { path: object | null; sources: object | null };
}

function lengths(nodeCount: number, edgeCount: number): Record<Exclude<keyof Workspace, 'users'>, number> {
  const bits = Math.ceil(nodeCount / 8) + 8;
  return {
    vertex: nodeCount + 1,
    dom: nodeCount + 1,
    triple: 3 * nodeCount + 8192,
    ends: nodeCount + 1,
    sources: Math.max(edgeCount + nodeCount, 4 * nodeCount) + 32_768,
    path: poolWords(nodeCount),
    seen: bits,
    marked: bits,
    roles: nodeCount,
    groups: groupWords(nodeCount),
  };
}

/** How many bytes an arena has to reserve for a workspace. */
export function workspaceBytes(nodeCount: number, edgeCount: number): number {
  const sizes = lengths(nodeCount, edgeCount);
  const words =
    sizes.vertex + sizes.dom + sizes.triple + sizes.ends + sizes.sources + sizes.path + sizes.groups;
  return words * 4 + sizes.seen + sizes.marked + sizes.roles + 10 * regionAlign;
}

export function allocateWorkspace(arena: Arena, nodeCount: number, edgeCount: number): Workspace {
  const sizes = lengths(nodeCount, edgeCount);
  return {
    vertex: arena.words(sizes.vertex),
    dom: arena.words(sizes.dom),
    triple: arena.words(sizes.triple),
    ends: arena.words(sizes.ends),
    sources: arena.words(sizes.sources),
    path: arena.words(sizes.path),
    seen: arena.bytes(sizes.seen),
    marked: arena.bytes(sizes.marked),
    roles: arena.bytes(sizes.roles),
    groups: arena.words(sizes.groups),
    users: { path: null, sources: null },
  };
}

/** Part of a region, as 8-byte numbers. */
export function asFloats(region: Uint32Array, length: number): Float64Array {
  return new Float64Array(region.buffer, region.byteOffset, length);
}
