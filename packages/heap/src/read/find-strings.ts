import type { FileSource } from './source.ts';

const key = Buffer.from('"strings":[', 'latin1');
const blockBytes = 1 << 20;

/**
 * Finds where the content of section "strings" begins by searching from the end of the file, where V8 writes it. Inside
 * a JSON string every quote is preceded by a backslash, so the key cannot be confused with text. Null when it is not
 * written this way; the snapshot is then read in file order.
 */
export function findStrings(source: FileSource): number | null {
  const block = Buffer.allocUnsafe(blockBytes + key.length);
  let end = source.bytes;
  while (end > 0) {
    const start = Math.max(0, end - blockBytes);
    // A little overlap finds a key that lies across two blocks.
    const length = Math.min(source.bytes - start, end - start + key.length);
    const read = source.readAt(block.subarray(0, length), start);
    const found = block.subarray(0, read).lastIndexOf(key);
    if (found >= 0) return start + found + key.length;
    end = start;
  }
  return null;
}
