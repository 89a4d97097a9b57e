import { weakBit } from '../../graph/columns.ts';
import { hasBit, setBit } from './rows.ts';
import { costMask, prototypeBit } from './survey.ts';

type Words = Uint32Array;

/** Costs of entering a node stay below this. */
export const pathBuckets = 64;
/** A prototype is reached from every instance; a path through it explains nothing. */
const prototypeCost = 10;
const none = 0xffff_ffff;

/** What a search works on, all by preorder number. */
export interface PathJob {
  readonly firstEdge: Words;
  readonly to: Words;
  readonly vertex: Words;
  /** Roles of a survey: what it costs to enter a vertex. */
  readonly roles: Uint8Array;
  /** Receives the edge by which each vertex is reached. */
  readonly byEdge: Words;
  /** Vertices of the same cost form a list; room for its links. */
  readonly next: Words;
  readonly previous: Words;
  /** Low 8 bits of the cost; those that wait differ by less than the number of buckets. */
  readonly cost: Uint8Array;
  /** One bit per vertex that has a cost; zeros. */
  readonly reached: Uint8Array;
  /** One bit per vertex whose path is final; zeros. */
  readonly settled: Uint8Array;
  /** One bit per vertex that is looked for; null for all. */
  readonly wanted: Uint8Array | null;
  readonly wantedCount: number;
  /** Room for one list per bucket. */
  readonly heads: Words;
  /** Receives the vertices in the order of their cost, when asked for. */
  readonly order: Words | null;
}

/**
 * Finds the cheapest paths from the root by Dial's algorithm over the edges that retain: vertices wait in a list per cost
 * and are settled in ascending order. Ends when all wanted ones are settled; returns how many vertices were.
 */
export function cheapestPaths(job: PathJob): number {
  const { next, previous, reached, settled, wanted, heads, order } = job;
  heads.fill(none);
  heads[0] = 0;
  next[0] = none;
  setBit(reached, 0);
  let waiting = 1;
  let count = 0;
  let left = job.wantedCount;
  for (let now = 0; waiting > 0; now++) {
    const bucket = now % pathBuckets;
    for (let i = heads[bucket] as number; i !== none; i = heads[bucket] as number) {
      const after = next[i] as number;
      heads[bucket] = after;
      if (after !== none) previous[after] = none;
      waiting--;
      setBit(settled, i);
      if (order !== null) order[count] = i;
      count++;
      if (wanted !== null && hasBit(wanted, i) && --left === 0) return count;
      waiting += relax(job, i, now);
    }
  }
  return count;
}

/** Offers the targets of a vertex a path through it; returns how many more wait. */
function relax(job: PathJob, i: number, now: number): number {
  const { firstEdge, to, vertex, roles, byEdge, next, previous, cost, reached, settled, heads } = job;
  const v = vertex[i] as number;
  let added = 0;
  for (let e = firstEdge[v] as number, end = firstEdge[v + 1] as number; e < end; e++) {
    const j = to[e] as number;
    if (j >= weakBit || hasBit(settled, j)) continue;
    const role = roles[j] as number;
    const enter = role >= prototypeBit ? prototypeCost : role & costMask;
    if (hasBit(reached, j)) {
      const before = ((cost[j] as number) - now) & 0xff;
      if (enter >= before) continue;
      // It waits for less from now on: out of the list it was in.
      const below = next[j] as number;
      const above = previous[j] as number;
      if (above === none) heads[(now + before) % pathBuckets] = below;
      else next[above] = below;
      if (below !== none) previous[below] = above;
    } else {
      setBit(reached, j);
      added++;
    }
    cost[j] = now + enter;
    byEdge[j] = e;
    const bucket = (now + enter) % pathBuckets;
    const head = heads[bucket] as number;
    next[j] = head;
    previous[j] = none;
    if (head !== none) previous[head] = j;
    heads[bucket] = j;
  }
  return added;
}
