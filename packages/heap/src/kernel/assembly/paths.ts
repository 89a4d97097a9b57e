// @ts-nocheck AssemblyScript: compiled by scripts/build-kernel.ts, not by tsc.
import { bit, setBit, setWord, weakBit, word } from './memory';

/** Takes the vertex from the top of a stack that is not empty. */
@inline export function pop(pool: usize, bucket: u32): u32 {
  const top = word(pool, bucket);
  const i = word(pool, top);
  if ((top & 255) == 1) {
    // The chunk is empty: below it continues the one before, and it is free.
    const chunk = top & ~255;
    setWord(pool, bucket, word(pool, chunk));
    setWord(pool, chunk, word(pool, 64));
    setWord(pool, 64, chunk);
  } else {
    setWord(pool, bucket, top - 1);
  }
  return i;
}

@inline export function pushVertex(pool: usize, into: u32, j: u32): void {
  let place = word(pool, into);
  if (place == 0 || (place & 255) == 255) {
    let chunk = word(pool, 64);
    if (chunk != 0) {
      setWord(pool, 64, word(pool, chunk));
    } else {
      chunk = word(pool, 65);
      setWord(pool, 65, chunk + 256);
    }
    setWord(pool, chunk, place);
    place = chunk;
  }
  setWord(pool, ++place, j);
  setWord(pool, into, place);
}

/** The cost that is being settled, how many vertices wait, and how many wanted ones are not settled yet. */
export let pathNow: u32 = 0;
export let pathWaiting: u32 = 0;
export let pathLeft: u32 = 0;

/**
 * Settles at most `budget` vertices; the counters above say how to go on. It ends with the last wanted vertex. `pool` holds the stacks as in
 * `cheapestPaths` of ../typescript/paths.ts.
 */
export function settlePaths(
  now: u32, waiting: u32, left: u32, budget: u32, firstEdge: usize, to: usize, vertex: usize, roles: usize, byEdge: usize,
  reached: usize, wanted: usize, pool: usize,
): void {
  let at = now;
  let wait = waiting;
  let room = budget;
  let open = left;
  while (wait > 0 && room > 0) {
    const bucket = at & 63;
    if (word(pool, bucket) == 0) { at++; continue; }
    const i = pop(pool, bucket);
    wait--;
    room--;
    if (bit(wanted, i) && --open == 0) break;
    const v = word(vertex, i);
    const end = word(firstEdge, v + 1);
    for (let e = word(firstEdge, v); e < end; e++) {
      const j = word(to, e);
      if (j >= weakBit || bit(reached, j)) continue;
      setBit(reached, j);
      setWord(byEdge, j, e);
      const role = <u32>load<u8>(roles + j);
      pushVertex(pool, (at + (role >= 128 ? 10 : role & 63)) & 63, j);
      wait++;
    }
  }
  pathNow = at;
  pathWaiting = wait;
  pathLeft = open;
}
