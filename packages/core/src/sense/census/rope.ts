/** Longer strings are left as they are: flattening one of them would not fit into a slice. */
const maxFlattenChars = 256 * 1024;

let sink = 0;

/**
 * Flattens a string and says whether it was a rope.
 *
 * Text built by `s += delta` is a tree of its pieces and takes up to seven times its length (measured: 7.2 times for 1,000 deltas, 1.17
 * after flattening). Reading a character makes V8 join the pieces; the first read of a rope of 1,024 characters takes over a microsecond,
 * of a flat string 0.05 to 0.2. Nothing but memory changes for the owner. Committing text flat (`flatten` of the meter) saves the detour.
 */
export function flattenTimed(text: string): boolean {
  const { length } = text;
  if (length > maxFlattenChars) return false;
  const start = performance.now();
  // The result has to be used, or optimised code leaves the read out.
  sink = (sink + text.charCodeAt(length >> 1)) | 0;
  const elapsedMs = performance.now() - start;
  return length >= 1024 && elapsedMs > 0.0006 + length * 1e-7;
}
