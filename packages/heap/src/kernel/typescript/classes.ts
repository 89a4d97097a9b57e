import { typeMask } from '../columns.ts';
import type { Sums } from './graph.ts';
import { hasBit } from './rows.ts';

type Words = Uint32Array;

/**
 * The preorder of the dominator tree: `sequence[q]` is the vertex at position q; its `members` follow it. The root has
 * to be entered already, as `next[0] = 1` and `sequence[0] = 0`.
 */
export function treeOrder(count: number, dom: Words, members: Words, next: Words, sequence: Words): void {
  for (let i = 1; i < count; i++) {
    const d = dom[i] as number;
    const q = next[d] as number;
    next[d] = q + (members[i] as number);
    next[i] = q + 1;
    sequence[q] = i;
  }
}

/** Sums by class; the arrays have one entry per class and begin as zeros. */
export interface Totals {
  readonly counts: Words;
  readonly shallow: Float64Array;
  readonly kept: Float64Array;
  readonly until: Words;
}

/** What `totals` walks over. */
export interface TotalsJob {
  readonly count: number;
  readonly sequence: Words;
  readonly vertex: Words;
  readonly members: Words;
  readonly classOf: Words;
  readonly size: Words;
  readonly retained: Sums;
}

/** Sums by class over the tree order; an instance below another of its class adds no retained bytes. */
export function totals(job: TotalsJob, sums: Totals): void {
  const { sequence, vertex, members, classOf, size, retained } = job;
  const { counts, shallow, kept, until } = sums;
  for (let q = 0; q < job.count; q++) {
    const i = sequence[q] as number;
    const v = vertex[i] as number;
    const own = size[v] as number;
    if (own === 0) continue;
    const c = classOf[v] as number;
    counts[c] = (counts[c] as number) + 1;
    shallow[c] = (shallow[c] as number) + own;
    if (q < (until[c] as number)) continue;
    kept[c] = (kept[c] as number) + (retained[i] as number);
    until[c] = q + (members[i] as number);
  }
}

/** What `nameClasses` works on. */
export interface NameJob {
  readonly count: number;
  readonly kind: Uint8Array;
  readonly name: Words;
  /** One bit per node: set for plain objects, whose `name` is their shape. */
  readonly plain: Uint8Array;
  /** Class by node type; 0xffffffff where the name decides. */
  readonly typeClass: Words;
  /** Classes that exist already. */
  readonly first: number;
  /** One word per string, zeros. */
  readonly byName: Words;
  /** Receives the string index of each new class. */
  readonly names: Words;
  /** Class by shape. */
  readonly shapeClass: Words;
  readonly classOf: Words;
}

/** Class of every node; returns how many classes there are. */
export function nameClasses(job: NameJob): number {
  const { kind, name, plain, typeClass, first, byName, names, shapeClass, classOf } = job;
  let classes = first;
  for (let n = 0; n < job.count; n++) {
    const fixed = typeClass[(kind[n] as number) & typeMask] as number;
    const index = name[n] as number;
    if (fixed !== 0xffff_ffff) {
      classOf[n] = fixed;
    } else if (hasBit(plain, n)) {
      classOf[n] = shapeClass[index] as number;
    } else {
      let found = byName[index] as number;
      if (found === 0) {
        names[classes - first] = index;
        found = ++classes;
        byName[index] = found;
      }
      classOf[n] = found - 1;
    }
  }
  return classes;
}

/** Grouping equal lists of a stream `[length, word...]*`. */
export interface ShapeJob {
  readonly stream: Words;
  readonly end: number;
  /** Position in the stream. */
  at: number;
  /** Lists grouped so far. */
  lists: number;
  groups: number;
  /** Open addressing, a power of two of slots, zeros; grouping stops when it is half full. */
  table: Words;
  readonly firstAt: Words;
  readonly counts: Words;
  readonly groupOf: Words;
}

/** Groups lists until the stream ends or the table is half full. */
export function shapes(job: ShapeJob): void {
  const { stream, end, table, firstAt, counts, groupOf } = job;
  const mask = table.length - 1;
  const limit = table.length >>> 1;
  while (job.at < end && job.groups < limit) {
    const at = job.at;
    const length = stream[at] as number;
    let slot = hashOf(stream, at) & mask;
    let entry = table[slot] as number;
    while (entry !== 0 && !sameList(stream, at, firstAt[entry - 1] as number)) {
      slot = (slot + 1) & mask;
      entry = table[slot] as number;
    }
    if (entry === 0) {
      firstAt[job.groups] = at;
      counts[job.groups] = 0;
      entry = ++job.groups;
      table[slot] = entry;
    }
    counts[entry - 1] = (counts[entry - 1] as number) + 1;
    groupOf[job.lists++] = entry - 1;
    job.at += length + 1;
  }
}

/** Enters all groups found so far into `job.table`, which is cleared first. */
export function rehash(job: ShapeJob): void {
  const { stream, table, firstAt } = job;
  const mask = table.length - 1;
  table.fill(0);
  for (let g = 0; g < job.groups; g++) {
    let slot = hashOf(stream, firstAt[g] as number) & mask;
    while (table[slot] !== 0) slot = (slot + 1) & mask;
    table[slot] = g + 1;
  }
}

function hashOf(stream: Words, at: number): number {
  const length = stream[at] as number;
  let hash = Math.imul(length, 0x9e37_79b1);
  for (let x = 1; x <= length; x++) {
    hash = Math.imul(((hash << 5) | (hash >>> 27)) ^ (stream[at + x] as number), 0x9e37_79b1);
  }
  return hash ^ (hash >>> 15);
}

function sameList(stream: Words, a: number, b: number): boolean {
  const length = stream[a] as number;
  for (let x = 0; x <= length; x++) if (stream[a + x] !== stream[b + x]) return false;
  return true;
}
