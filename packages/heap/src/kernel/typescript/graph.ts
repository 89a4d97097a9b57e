import { typeMask, weakBit } from '../columns.ts';
import { hasBit, setBit } from './rows.ts';

type Words = Uint32Array;

const unvisited = 0xffff_ffff;
const shared = 0xffff_fffe;

/** Edges by source node. */
export interface Edges {
  readonly firstEdge: Words;
  readonly to: Words;
}

/** Spreads ownership from every node that owns itself to the backing stores (`owned` bits) it alone reaches. */
export function owners(
  count: number,
  { firstEdge, to }: Edges,
  owned: Uint8Array,
  owner: Words,
  stack: Words,
): void {
  for (let n = 0; n < count; n++) {
    if (hasBit(owned, n)) continue;
    let depth = 0;
    let from = n;
    for (;;) {
      const own = from === n ? n : (owner[from] as number);
      for (let e = firstEdge[from] as number, end = firstEdge[from + 1] as number; e < end; e++) {
        const target = to[e] as number;
        if (target >= weakBit || !hasBit(owned, target)) continue;
        const current = owner[target] as number;
        if (current === own || current === shared) continue;
        owner[target] = current === unvisited ? own : shared;
        stack[depth++] = target;
      }
      if (depth === 0) break;
      from = stack[--depth] as number;
    }
  }
}

/** Moves the size of each backing store to its owner; stops at a sum beyond 32 bits and returns that node. */
export function moveSizes(
  first: number,
  count: number,
  owned: Uint8Array,
  owner: Words,
  kind: Uint8Array,
  synthetic: number,
  root: number,
  size: Words,
): number {
  for (let n = first; n < count; n++) {
    if (!hasBit(owned, n)) continue;
    const own = owner[n] as number;
    if (own >= shared || own === root || ((kind[own] as number) & typeMask) === synthetic) continue;
    const sum = (size[own] as number) + (size[n] as number);
    if (sum >= 0xffff_ffff) return n;
    size[own] = sum;
    size[n] = 0;
  }
  return count;
}

/** The spanning tree while it grows; see `SpanningTree`. */
export interface Numbering {
  readonly order: Words;
  readonly vertex: Words;
  readonly parent: Words;
  readonly seen: Uint8Array;
  readonly stackNode: Words;
  readonly stackEdge: Words;
}

/** Numbers depth-first all that `from` reaches and that has no number yet; returns the next free number. */
export function visit(
  from: number,
  parentOf: number,
  next: number,
  { firstEdge, to }: Edges,
  tree: Numbering,
): number {
  const { order, vertex, parent, seen, stackNode, stackEdge } = tree;
  let n = next;
  let depth = 0;
  let v = from;
  let i = n++;
  let e = firstEdge[v] as number;
  let end = firstEdge[v + 1] as number;
  setBit(seen, v);
  order[v] = i;
  vertex[i] = v;
  parent[i] = parentOf;
  for (;;) {
    let found = weakBit;
    while (e < end) {
      const target = to[e++] as number;
      if (target < weakBit && !hasBit(seen, target)) {
        found = target;
        break;
      }
    }
    if (found === weakBit) {
      if (depth === 0) return n;
      depth--;
      v = stackNode[depth] as number;
      e = stackEdge[depth] as number;
      end = firstEdge[v + 1] as number;
      i = order[v] as number;
      continue;
    }
    if (e < end) {
      stackNode[depth] = v;
      stackEdge[depth++] = e;
    }
    setBit(seen, found);
    order[found] = n;
    vertex[n] = found;
    parent[n] = i;
    i = n++;
    v = found;
    e = firstEdge[v] as number;
    end = firstEdge[v + 1] as number;
  }
}

/** What `renumber` and `reverse` work on. */
export interface SemiJob extends Edges {
  readonly count: number;
  /** Edges out of vertices from `attached` on, and from `cliques` to below `user`, say nothing about dominators. */
  readonly attached: number;
  readonly cliques: number;
  /** From this preorder number on, nodes belong to the debugger. Their edges to nodes of the user retain nothing. */
  readonly user: number;
  readonly order: Words;
  readonly vertex: Words;
  readonly parent: Words;
  readonly semi: Words;
  readonly ends: Words;
}

/** Rewrites targets to preorder numbers, takes semidominators from forward edges, counts the other edges per target. */
export function renumber(job: SemiJob): void {
  const { count, attached, cliques, user, firstEdge, to, order, vertex, semi, ends } = job;
  for (let i = 0; i < count; i++) {
    const v = vertex[i] as number;
    const floor = i >= user ? user : 1;
    for (let e = firstEdge[v] as number, end = firstEdge[v + 1] as number; e < end; e++) {
      const target = to[e] as number;
      const j = order[target & 0x7fff_ffff] as number;
      if (target >= weakBit || j === i || j < floor) {
        to[e] = (j | weakBit) >>> 0;
        continue;
      }
      to[e] = j;
      if (i >= attached || (i >= cliques && i < user)) continue;
      if (j > i) {
        if ((semi[j] as number) > i) semi[j] = i;
      } else {
        ends[j] = (ends[j] as number) + 1;
      }
    }
  }
}

/** Turns counts into positions: entry `i` becomes the sum of all before it. */
export function positions(count: number, counts: Words): number {
  let sum = 0;
  for (let i = 0; i < count; i++) {
    const c = counts[i] as number;
    counts[i] = sum;
    sum += c;
  }
  counts[count] = sum;
  return sum;
}

/** Targets from `low` to below `high`, whose lists begin at `origin` of all lists. */
export interface TargetRange {
  readonly low: number;
  readonly high: number;
  readonly origin: number;
}

/**
 * Lists the sources of back and cross edges into a range of targets. `ends` holds where the list of each target begins
 * among all lists and becomes where it ends.
 */
export function reverse(job: SemiJob, { low, high, origin }: TargetRange, sources: Words): void {
  const { attached, cliques, user, firstEdge, to, vertex, ends } = job;
  for (let i = attached - 1; i >= 0; i--) {
    if (i >= cliques && i < user) continue;
    const v = vertex[i] as number;
    for (let e = firstEdge[v] as number, end = firstEdge[v + 1] as number; e < end; e++) {
      const j = to[e] as number;
      if (j <= i && j >= low && j < high) {
        const at = ends[j] as number;
        sources[at - origin] = i;
        ends[j] = at + 1;
      }
    }
  }
}

/** Pairs of label and ancestor: each vertex is its own label, below its parent. */
export function link(count: number, links: Words, parent: Words): void {
  for (let i = 0; i < count; i++) {
    links[i * 2] = i;
    links[i * 2 + 1] = parent[i] as number;
  }
}

/** What `semidominators` works on. */
export interface SemidominatorJob {
  readonly semi: Words;
  /** Pairs of label and ancestor, side by side because a step up a path needs both. */
  readonly links: Words;
  readonly ends: Words;
  readonly sources: Words;
  readonly path: Words;
}

/**
 * Lowers `semi` to the semidominators of a range, from its last vertex to its first, with path compression. This and
 * `nearest` are semi-NCA (Georgiadis, Tarjan, Werneck: "Finding dominators in practice", 2006) in preorder numbers.
 */
export function semidominators({ low, high, origin }: TargetRange, job: SemidominatorJob): void {
  const { semi, links, ends, sources, path } = job;
  for (let i = high - 1; i >= low; i--) {
    let lowest = semi[i] as number;
    const begin = i === low ? origin : (ends[i - 1] as number);
    for (let k = begin - origin, end = (ends[i] as number) - origin; k < end; k++) {
      let u = sources[k] as number;
      let above = links[u * 2 + 1] as number;
      let depth = 0;
      while (above > i) {
        path[depth++] = u;
        u = above;
        above = links[u * 2 + 1] as number;
      }
      let best = links[u * 2] as number;
      while (depth > 0) {
        u = path[--depth] as number;
        const label = links[u * 2] as number;
        if (label < best) best = label;
        links[u * 2] = best;
        links[u * 2 + 1] = above;
      }
      if (best < lowest) lowest = best;
    }
    semi[i] = lowest;
    links[i * 2] = lowest;
  }
}

/** Turns parents into immediate dominators: the nearest ancestor that is not above the semidominator. */
export function nearest(count: number, semi: Words, dom: Words): void {
  for (let i = 1; i < count; i++) {
    const limit = semi[i] as number;
    let d = dom[i] as number;
    while (d > limit) d = dom[d] as number;
    dom[i] = d;
  }
}

/** Sums of bytes: 32 bits where all sizes together fit, else floating point. */
export type Sums = Uint32Array | Float64Array;

/** Self sizes by preorder number, before they are summed. */
export function ownSizes(count: number, vertex: Words, size: Words, retained: Sums): void {
  for (let i = 0; i < count; i++) retained[i] = size[vertex[i] as number] as number;
}

/** Adds each vertex's bytes and subtree size to its dominator, last first. */
export function sumUp(count: number, dom: Words, retained: Sums, members: Words): void {
  for (let i = count - 1; i > 0; i--) {
    const d = dom[i] as number;
    retained[d] = (retained[d] as number) + (retained[i] as number);
    members[d] = (members[d] as number) + (members[i] as number);
  }
}

/** What `ownedBits` looks at. */
export interface OwnedJob {
  readonly count: number;
  readonly kind: Uint8Array;
  readonly name: Words;
  /** 64 bits over node types, low word first. */
  readonly types: readonly [number, number];
  /** A type of which only nodes named `nativeName` count. */
  readonly native: number;
  readonly nativeName: number;
}

/** Marks the backing stores, which nobody owns yet: nodes of certain types, and one kind of native node. */
export function ownedBits(job: OwnedJob, bits: Uint8Array, owner: Words): void {
  const { kind, name, types, native, nativeName } = job;
  for (let n = 0; n < job.count; n++) {
    const type = (kind[n] as number) & typeMask;
    const owned = ((types[type >>> 5] as number) >>> (type & 31)) & 1;
    if (owned === 1 || (type === native && name[n] === nativeName)) {
      setBit(bits, n);
      owner[n] = unvisited;
    }
  }
}

/** Turns a permutation around: `to[from[i]] = i`. */
export function invert(count: number, from: Words, to: Words): void {
  for (let i = 0; i < count; i++) to[from[i] as number] = i;
}

/** Lists the edges that retain each vertex, in edge order; afterwards `ends[j]` is the end of j's list. */
export function retainerLists(edgeCount: number, to: Words, count: number, ends: Words, list: Words): void {
  for (let e = 0; e < edgeCount; e++) {
    const j = to[e] as number;
    if (j < weakBit) ends[j] = (ends[j] as number) + 1;
  }
  positions(count, ends);
  for (let e = 0; e < edgeCount; e++) {
    const j = to[e] as number;
    if (j >= weakBit) continue;
    const at = ends[j] as number;
    list[at] = e;
    ends[j] = at + 1;
  }
}
