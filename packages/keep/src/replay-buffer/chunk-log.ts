/** Which neighbours may become one; `join` gives undefined when it cannot after all. */
export interface Joiner<T> {
  joinable(first: T, next: T): boolean;
  join(run: readonly T[]): T | undefined;
}

/** The lists of every log that was cleared. */
const none: never[] = [];

/** Something that stands between two chunks of a log. */
interface Cursor {
  /** Index of the next chunk, counted from the first that was ever kept. */
  at: number;
}

/**
 * The chunks that are in memory, oldest first. The newest are as they were pushed; the others have been coalesced where possible.
 *
 * Every kept chunk has an index that counts from the beginning of the stream and a sequence number, which counts the chunks that were
 * pushed. Coalescing gives new indices to the newest chunks only, and moves the cursors that stand between them.
 */
export class ChunkLog<T> {
  /** Index of the first chunk in memory. */
  base = 0;
  /** Sequence number of the first chunk in memory. */
  baseSeq = 0;
  /** Chunks ever pushed. */
  seq = 0;
  /** Bytes of what is in memory. */
  bytes = 0;
  items: T[] = [];
  #sizes: number[] = [];
  /** For each chunk in memory the sequence number after it. */
  #ends: number[] = [];
  /** Position of the first chunk that no coalescing has looked at. */
  #fresh = 0;

  /** Index after the newest chunk. */
  get end(): number {
    return this.base + this.items.length;
  }

  /** Chunks that no coalescing has looked at. */
  get freshCount(): number {
    return this.items.length - this.#fresh;
  }

  push(chunk: T, bytes: number): void {
    this.items.push(chunk);
    this.#sizes.push(bytes);
    this.#ends.push(++this.seq);
    this.bytes += bytes;
  }

  /** Sequence number of the chunk at an index in memory. */
  seqAt(index: number): number {
    const position = index - this.base;
    return position <= 0 ? this.baseSeq : (this.#ends[position - 1] as number);
  }

  /** Index of the chunk in memory that contains a sequence number. */
  indexOf(seq: number): number {
    let low = 0;
    let high = this.#ends.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#ends[middle] as number) > seq) high = middle;
      else low = middle + 1;
    }
    return this.base + low;
  }

  /** Joins the newest chunks, up to a size and never across a cursor; returns how many chunks there are fewer. */
  compact(
    joiner: Joiner<T>,
    cursors: Iterable<Cursor>,
    sizeOf: (chunk: T) => number,
    mostBytes: number,
  ): number {
    const from = this.#fresh;
    const before = this.items.length;
    if (before - from < 2) {
      this.#fresh = before;
      return 0;
    }
    const standing = [...cursors]
      .filter((cursor) => cursor.at - this.base > from)
      .sort((a, b) => a.at - b.at);
    const chunks = this.items.slice(from);
    const sizes = this.#sizes.slice(from);
    const ends = this.#ends.slice(from);
    this.items.length = from;
    this.#sizes.length = from;
    this.#ends.length = from;
    let next = 0;
    for (let start = 0; start < chunks.length;) {
      next = this.#place(standing, next, this.base + from + start);
      const cut = (standing[next]?.at ?? Number.POSITIVE_INFINITY) - this.base - from;
      let stop = start + 1;
      let run = sizes[start] as number;
      while (
        stop < chunks.length &&
        stop < cut &&
        (run += sizes[stop] as number) <= mostBytes &&
        joiner.joinable(chunks[start] as T, chunks[stop] as T)
      )
        stop++;
      const joined = stop === start + 1 ? undefined : joiner.join(chunks.slice(start, stop));
      if (joined === undefined) {
        stop = start + 1;
        this.#keep(chunks[start] as T, sizes[start] as number, ends[start] as number);
      } else {
        const bytes = sizeOf(joined);
        for (let i = start; i < stop; i++) this.bytes -= sizes[i] as number;
        this.bytes += bytes;
        this.#keep(joined, bytes, ends[stop - 1] as number);
      }
      start = stop;
    }
    this.#place(standing, next, this.base + before);
    this.#fresh = this.items.length;
    return before - this.items.length;
  }

  /** How many of the oldest chunks have to go so that at most `bytes` stay; always leaves the newest one. */
  countOver(bytes: number): number {
    let count = 0;
    for (let left = this.bytes; left > bytes && count < this.items.length - 1; count++)
      left -= this.#sizes[count] as number;
    return count;
  }

  /** Bytes of some of the oldest chunks. */
  bytesOf(count: number): number {
    let bytes = 0;
    for (let i = 0; i < count; i++) bytes += this.#sizes[i] as number;
    return bytes;
  }

  /** Sequence numbers after each of some of the oldest chunks. */
  endsOf(count: number): Float64Array<ArrayBuffer> {
    return Float64Array.from(this.#ends.slice(0, count));
  }

  sizeAt(position: number): number {
    return this.#sizes[position] as number;
  }

  /** Forgets the oldest chunks. */
  drop(count: number): void {
    if (count === 0) return;
    this.bytes -= this.bytesOf(count);
    this.baseSeq = this.#ends[count - 1] as number;
    this.items = this.items.slice(count);
    this.#sizes = this.#sizes.slice(count);
    this.#ends = this.#ends.slice(count);
    this.base += count;
    this.#fresh = Math.max(0, this.#fresh - count);
  }

  /** Forgets everything but the counts; nothing is pushed any more. */
  clear(): void {
    this.base = this.end;
    this.baseSeq = this.seq;
    this.items = none;
    this.#sizes = none;
    this.#ends = none;
    this.#fresh = 0;
    this.bytes = 0;
  }

  /** Moves the cursors that stood at an old index to the end of what is kept by now; returns how many have been moved in all. */
  #place(standing: readonly Cursor[], next: number, oldIndex: number): number {
    while (standing[next] !== undefined && (standing[next] as Cursor).at === oldIndex)
      (standing[next++] as Cursor).at = this.base + this.items.length;
    return next;
  }

  #keep(chunk: T, bytes: number, end: number): void {
    this.items.push(chunk);
    this.#sizes.push(bytes);
    this.#ends.push(end);
  }
}
