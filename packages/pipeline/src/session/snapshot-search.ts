import { getHeapSnapshot } from 'node:v8';

/** The texts to search for. They are held outside of the heap, because otherwise the search would find itself. */
export class Needles {
  readonly #list: Buffer[] = [];

  get count(): number {
    return this.#list.length;
  }

  /**
   * Adds the part of a text that a snapshot writes without escapes; false when no part is long enough, or there are already enough texts.
   */
  add(text: string): boolean {
    const range = plainRange(text);
    if (range === undefined || this.#list.length >= mostNeedles) return false;
    const needle = Buffer.alloc(range.end - range.start);
    // Copied by character, because a slice of the text or a match of a pattern would stay in V8's caches.
    for (let i = range.start; i < range.end; i++) needle[i - range.start] = text.charCodeAt(i);
    this.#list.push(needle);
    return true;
  }

  /** Number of the texts that occur in a stream of bytes. */
  async foundIn(
    stream: AsyncIterable<Uint8Array>,
  ): Promise<{ readonly found: number; readonly bytes: number }> {
    const missing = new Set(this.#list);
    let tail = Buffer.alloc(0);
    let bytes = 0;
    for await (const chunk of stream) {
      bytes += chunk.length;
      const text = Buffer.concat([tail, chunk]);
      for (const needle of missing) if (text.includes(needle)) missing.delete(needle);
      tail = text.subarray(Math.max(0, text.length - mostChars));
    }
    return { found: this.#list.length - missing.size, bytes };
  }

  /** Number of the texts that are in the heap of this thread. It takes a snapshot, which stops the thread for about 4 µs per object. */
  async foundInHeap(): Promise<{ readonly found: number; readonly bytes: number }> {
    return await this.foundIn(getHeapSnapshot() as AsyncIterable<Uint8Array>);
  }
}

const mostNeedles = 100;
const mostChars = 64;
/** A shorter text may be in the heap for other reasons. */
const leastChars = 12;
/** A snapshot cuts strings after 1,024 characters. */
const searchedChars = 960;

/** The first run of plain characters of a text that is long enough. Quotes and some other characters are escaped in a snapshot. */
function plainRange(text: string): { readonly start: number; readonly end: number } | undefined {
  const end = Math.min(text.length, searchedChars);
  let start = 0;
  for (let i = 0; i <= end; i++) {
    const code = i < end ? text.charCodeAt(i) : 0;
    const isPlain = code >= 32 && code < 127 && code !== 34 && code !== 92;
    if (isPlain && i - start < mostChars) continue;
    if (i - start >= leastChars) return { start, end: i };
    start = i + 1;
  }
  return undefined;
}
