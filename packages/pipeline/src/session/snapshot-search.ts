import { getHeapSnapshot } from 'node:v8';

/** Texts that are looked for. They are held outside of the heap, or a snapshot would find the search itself. */
export class Needles {
  readonly #list: Buffer[] = [];

  get count(): number {
    return this.#list.length;
  }

  /** Takes a part of a text that a snapshot writes as it is; false when there is none long enough, or enough are known. */
  add(text: string): boolean {
    const range = plainRange(text);
    if (range === undefined || this.#list.length >= mostNeedles) return false;
    const needle = Buffer.alloc(range.end - range.start);
    // Copied by character: a slice of the text or a match of a pattern would stay in V8's caches.
    for (let i = range.start; i < range.end; i++) needle[i - range.start] = text.charCodeAt(i);
    this.#list.push(needle);
    return true;
  }

  /** How many of the texts occur in a stream of bytes. */
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

  /** How many of the texts are in the heap of this thread. Takes a snapshot: the thread stops for about 4 µs per object. */
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

/** Where a text has its first run of plain characters that is long enough. Quotes and others are escaped in a snapshot. */
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
