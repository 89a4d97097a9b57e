/** Strings shorter than this compare too fast for the difference to show. */
export const tellableLength = 1024;

/**
 * True when two equal strings are one object on the heap, as far as time can tell: comparing a string with itself does not look at its
 * characters, comparing it with a copy does. JavaScript has no other way to tell a shared system prompt from a thousand restored copies of
 * it. Shorter strings, where the difference drowns, are taken for one. Measured with 4,096 characters on Node 22 and 24: 160 to 230 ns for
 * a copy, 16 to 30 ns for the same one. Node 26 makes equal strings one as soon as a Map has compared them, so that there the answer is
 * true and becomes true.
 */
export function isSameString(a: string, b: string): boolean {
  if (a !== b) return false;
  if (a.length < tellableLength) return true;
  const itself = compareMs(a, a);
  const other = compareMs(a, b);
  return other < 2 * itself + a.length * 1e-8;
}

/** Best of several rounds; reading both sides from an array keeps the comparison inside the loop. */
function compareMs(a: string, b: string): number {
  const pair = [b, b];
  const compares = Math.max(1, Math.min(8, Math.floor(16_384 / a.length)));
  let best = Number.POSITIVE_INFINITY;
  let equal = 0;
  for (let round = 0; round < 5; round++) {
    const start = performance.now();
    for (let i = 0; i < compares; i++) if (a === pair[i & 1]) equal++;
    const elapsed = (performance.now() - start) / compares;
    if (elapsed < best) best = elapsed;
  }
  return equal > 0 ? best : 0;
}
