import type { FileSource } from './file-source.ts';

const key = Buffer.from('"strings":[', 'latin1');
const blockBytes = 1 << 20;
const probeBytes = 4096;

/**
 * Finds where the content of section "strings" begins, without reading what comes before. V8 writes it last, after
 * sections of numbers. Inside a JSON string every quote is preceded by a backslash, so the key cannot be confused with
 * text. Null when it is not written this way; the snapshot is then read in file order.
 */
export function findStrings(source: FileSource): number | null {
  const near = borderOfNumbers(source);
  return search(source, near, near + 2 * blockBytes) ?? search(source, 0, source.bytes);
}

/** A place shortly before the last long stretch of numbers ends, by bisection; wrong when text looks like numbers. */
function borderOfNumbers(source: FileSource): number {
  const probe = Buffer.allocUnsafe(probeBytes);
  let low = 0;
  let high = source.bytes;
  while (high - low > blockBytes) {
    const middle = Math.floor((low + high) / 2);
    const read = source.readAt(probe, middle);
    if (isNumbers(probe.subarray(0, read))) low = middle;
    else high = middle;
  }
  return low;
}

/** True when the bytes are digits, commas, line feeds and brackets. */
function isNumbers(bytes: Uint8Array): boolean {
  return bytes.every((c) => (c >= 48 && c <= 57) || c === 44 || c === 10 || c === 91 || c === 93);
}

/** The last occurrence of the key in a range of the file, as the offset after it. */
function search(source: FileSource, from: number, to: number): number | null {
  const block = Buffer.allocUnsafe(blockBytes + key.length);
  let end = Math.min(to, source.bytes);
  while (end > from) {
    const start = Math.max(from, end - blockBytes);
    // A little overlap finds a key that lies across two blocks.
    const read = source.readAt(block.subarray(0, Math.min(source.bytes, end + key.length) - start), start);
    const found = block.subarray(0, read).lastIndexOf(key);
    if (found >= 0) return start + found + key.length;
    end = start;
  }
  return null;
}
