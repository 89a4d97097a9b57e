// @ts-nocheck AssemblyScript: compiled by scripts/build-kernel.ts, not by tsc.
import { bit, setBit, setWord, weakBit, word } from './memory';

/** The cost that is being settled, how many vertices wait, how many are settled, and how many wanted ones are not yet. */
export let pathNow: u32 = 0;
export let pathWaiting: u32 = 0;
export let pathSettled: u32 = 0;
export let pathLeft: u32 = 0;

/**
 * Settles at most `budget` vertices; the counters above say how to go on. With `wanted` 0 every vertex is settled, else
 * it ends with the last of them. `pool` holds the stacks as in `cheapestPaths` of ../typescript/paths.ts.
 */
export function settlePaths(
  now: u32, waiting: u32, settledBefore: u32, left: u32, budget: u32, firstEdge: usize, to: usize, vertex: usize, roles: usize,
  byEdge: usize, reached: usize, wanted: usize, pool: usize, order: usize,
): void {
  let at = now;
  let wait = waiting;
  let count = settledBefore;
  let open = left;
  const stop = settledBefore + budget;
  while (wait > 0 && count < stop) {
    const bucket = at & 63;
    const top = word(pool, bucket);
    if (top == 0) { at++; continue; }
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
    wait--;
    if (order != 0) setWord(order, count, i);
    count++;
    if (wanted != 0 && bit(wanted, i) && --open == 0) break;
    const v = word(vertex, i);
    const end = word(firstEdge, v + 1);
    for (let e = word(firstEdge, v); e < end; e++) {
      const j = word(to, e);
      if (j >= weakBit || bit(reached, j)) continue;
      setBit(reached, j);
      setWord(byEdge, j, e);
      const role = <u32>load<u8>(roles + j);
      const into = (at + (role >= 128 ? 10 : role & 63)) & 63;
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
      wait++;
    }
  }
  pathNow = at;
  pathWaiting = wait;
  pathSettled = count;
  pathLeft = open;
}
