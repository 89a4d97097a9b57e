// @ts-nocheck AssemblyScript: compiled by scripts/build-kernel.ts, not by tsc.
import { bit, setBit, setWord, weakBit, word } from './memory';

const none: u32 = 0xffffffff;

/** The cost that is being settled, how many vertices wait, how many are settled, and how many wanted ones are not yet. */
export let pathNow: u32 = 0;
export let pathWaiting: u32 = 0;
export let pathSettled: u32 = 0;
export let pathLeft: u32 = 0;

/**
 * Settles at most `budget` vertices; the counters above say how to go on. With `wanted` 0 every vertex is settled, else
 * it ends with the last of them. See `cheapestPaths` in ../typescript/paths.ts.
 */
export function settlePaths(
  now: u32, waiting: u32, settledBefore: u32, left: u32, budget: u32, firstEdge: usize, to: usize, vertex: usize, roles: usize,
  byEdge: usize, next: usize, previous: usize, cost: usize, reached: usize, settled: usize, wanted: usize, heads: usize,
  order: usize,
): void {
  let at = now;
  let wait = waiting;
  let count = settledBefore;
  let open = left;
  const stop = settledBefore + budget;
  while (wait > 0 && count < stop) {
    const bucket = at & 63;
    const i = word(heads, bucket);
    if (i == none) { at++; continue; }
    const after = word(next, i);
    setWord(heads, bucket, after);
    if (after != none) setWord(previous, after, none);
    wait--;
    setBit(settled, i);
    if (order != 0) setWord(order, count, i);
    count++;
    if (wanted != 0 && bit(wanted, i) && --open == 0) break;
    const v = word(vertex, i);
    const end = word(firstEdge, v + 1);
    for (let e = word(firstEdge, v); e < end; e++) {
      const j = word(to, e);
      if (j >= weakBit || bit(settled, j)) continue;
      const role = <u32>load<u8>(roles + j);
      const enter: u32 = role >= 128 ? 10 : role & 63;
      if (bit(reached, j)) {
        const before = (<u32>load<u8>(cost + j) - at) & 255;
        if (enter >= before) continue;
        const below = word(next, j);
        const above = word(previous, j);
        if (above == none) setWord(heads, (at + before) & 63, below);
        else setWord(next, above, below);
        if (below != none) setWord(previous, below, above);
      } else {
        setBit(reached, j);
        wait++;
      }
      store<u8>(cost + j, <u8>(at + enter));
      setWord(byEdge, j, e);
      const into = (at + enter) & 63;
      const head = word(heads, into);
      setWord(next, j, head);
      setWord(previous, j, none);
      if (head != none) setWord(previous, head, j);
      setWord(heads, into, j);
    }
  }
  pathNow = at;
  pathWaiting = wait;
  pathSettled = count;
  pathLeft = open;
}
