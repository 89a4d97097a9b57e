import { weakBit } from '../columns.ts';
import { hasBit, setBit } from './rows.ts';
import { costMask, prototypeBit } from './survey.ts';

type Words = Uint32Array;

/** Costs of entering a node stay below this. */
export const buckets = 64;
/** A prototype is reached from every instance; a path through it explains nothing. */
const prototypeCost = 10;
/** Vertices of the same cost wait on a stack, made of chunks of this many words: what lies below it, then vertices. */
const chunkWords = 256;
/** Words of the pool: the top of each stack (0 when it is empty), the first free chunk, the next that was never used. */
const freeChunk = buckets;
const nextChunk = buckets + 1;

/** What a search works on, all by preorder number. */
export interface PathJob {
  readonly firstEdge: Words;
  readonly to: Words;
  readonly vertex: Words;
  /** Roles of a survey: what it costs to enter a vertex. */
  readonly roles: Uint8Array;
  /** One bit per vertex that has been reached; zeros. */
  readonly reached: Uint8Array;
  /** Room for the stacks: `poolWords` at most, touched as far as vertices wait. */
  readonly pool: Words;
}

/** A search for some vertices. */
export interface SomePathsJob extends PathJob {
  /** Receives the edge by which each vertex is reached. */
  readonly byEdge: Words;
  /** One bit per vertex that is looked for. */
  readonly wanted: Uint8Array;
  readonly wantedCount: number;
}

/** The room that stacks of all vertices need. */
export function poolWords(vertices: number): number {
  return (Math.ceil(vertices / (chunkWords - 1)) + buckets + 2) * chunkWords;
}

/** Prepares the pool and the root, vertex 0, which waits with cost 0. */
export function beginPaths({ pool, reached }: PathJob): void {
  pool.fill(0, 0, chunkWords);
  pool[nextChunk] = chunkWords;
  push(pool, 0, 0);
  setBit(reached, 0);
}

/**
 * Finds the cheapest paths from the root over the edges that retain. The cost of a step depends on its target alone, and vertices are
 * settled in the order of their cost. So the first edge that reaches a vertex is the cheapest, and no vertex is looked at again. Ends when
 * all wanted ones are settled.
 */
export function cheapestPaths(job: SomePathsJob): void {
  const { firstEdge, to, vertex, roles, byEdge, reached, wanted, pool } = job;
  beginPaths(job);
  let waiting = 1;
  let left = job.wantedCount;
  for (let now = 0; waiting > 0; now++) {
    while (pool[now % buckets] !== 0) {
      const i = pop(pool, now % buckets);
      waiting--;
      if (hasBit(wanted, i) && --left === 0) return;
      const v = vertex[i] as number;
      for (let e = firstEdge[v] as number, end = firstEdge[v + 1] as number; e < end; e++) {
        const j = to[e] as number;
        if (j >= weakBit || hasBit(reached, j)) continue;
        setBit(reached, j);
        byEdge[j] = e;
        push(pool, (now + stepCost(roles[j] as number)) % buckets, j);
        waiting++;
      }
    }
  }
}

/** What it costs a path to enter a vertex with this role. */
export function stepCost(role: number): number {
  return role >= prototypeBit ? prototypeCost : role & costMask;
}

export function push(pool: Words, bucket: number, vertex: number): void {
  let top = pool[bucket] as number;
  if (top === 0 || top % chunkWords === chunkWords - 1) {
    const below = top;
    top = pool[freeChunk] as number;
    if (top !== 0) pool[freeChunk] = pool[top] as number;
    else {
      top = pool[nextChunk] as number;
      pool[nextChunk] = top + chunkWords;
    }
    pool[top] = below;
  }
  pool[++top] = vertex;
  pool[bucket] = top;
}

export function pop(pool: Words, bucket: number): number {
  const top = pool[bucket] as number;
  const vertex = pool[top] as number;
  if (top % chunkWords === 1) {
    const chunk = top - 1;
    pool[bucket] = pool[chunk] as number;
    pool[chunk] = pool[freeChunk] as number;
    pool[freeChunk] = chunk;
  } else pool[bucket] = top - 1;
  return vertex;
}
