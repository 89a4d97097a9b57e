import { deserialize, serialize } from 'node:v8';
import { isPlainData } from '../spill/plain-data.ts';
import { SpillFile } from '../spill/spill-file.ts';
import type { SpillTarget } from '../spill/spill-file.ts';
import type { ChunkLog } from './chunk-log.ts';
import type { SpillCodec } from './settings.ts';

/** Some neighbouring chunks in the file. */
export interface SpilledPage<T> {
  readonly first: number;
  readonly count: number;
  readonly startSeq: number;
  readonly endSeq: number;
  readonly position: number;
  readonly length: number;
  /** Bytes of the chunks while they are in memory. */
  readonly bytes: number;
  /** The chunks, while a reader is at them. */
  items: T[] | undefined;
  /** Sequence numbers after each chunk, while a reader is at them. */
  ends: Float64Array | undefined;
  readers: number;
}

const plainCodec: SpillCodec<unknown> = {
  encode(chunks) {
    if (!isPlainData(chunks)) throw new TypeError('a chunk is not plain data: give the buffer a codec');
    return serialize(chunks);
  },
  decode: (bytes) => deserialize(bytes) as unknown[],
};

/** The oldest chunks of a buffer, in a file, page by page. A page is in memory only while a reader is at it. */
export class SpilledPages<T> {
  /** Bytes of the pages that are in memory. */
  residentBytes = 0;
  readonly pages: SpilledPage<T>[] = [];
  readonly #file: SpillFile;
  readonly #codec: SpillCodec<T>;
  readonly #pageBytes: number;
  readonly #maxBytes: number;

  constructor(
    target: SpillTarget,
    codec: SpillCodec<T> | undefined,
    maxMemoryBytes: number,
    maxFileBytes: number,
  ) {
    this.#file = new SpillFile(target);
    this.#codec = codec ?? (plainCodec as SpillCodec<T>);
    // Small pages keep a slow reader cheap; a smallest size keeps the file operations few.
    this.#pageBytes = Math.max(4096, Math.min(64 * 1024, maxMemoryBytes / 16));
    this.#maxBytes = maxFileBytes;
  }

  /** Chunks in the file. */
  get chunks(): number {
    let count = 0;
    for (const page of this.pages) count += page.count;
    return count;
  }

  get fileBytes(): number {
    return this.#file.bytes;
  }

  /** Writes the oldest chunks of a log and takes them out of it, page by page; throws when the disk or the codec refuses one. */
  take(log: ChunkLog<T>, count: number): void {
    for (let left = count; left > 0;) {
      let size = 0;
      let bytes = 0;
      while (size < left && bytes < this.#pageBytes) bytes += log.sizeAt(size++);
      const encoded = frame(log.endsOf(size), this.#codec.encode(log.items.slice(0, size)));
      if (this.#file.bytes + encoded.length > this.#maxBytes)
        throw new RangeError('maxSpillBytes is reached');
      const position = this.#file.write(encoded);
      const { base, baseSeq } = log;
      log.drop(size);
      const place = { first: base, count: size, startSeq: baseSeq, endSeq: log.baseSeq };
      const file = { position, length: encoded.length, bytes };
      this.pages.push({ ...place, ...file, items: undefined, ends: undefined, readers: 0 });
      left -= size;
    }
  }

  /** The page that contains an index, or the next after it. */
  at(index: number): SpilledPage<T> | undefined {
    return this.pages[this.#lowest((page) => page.first + page.count > index)];
  }

  /** The page that contains a sequence number, or the next after it. */
  atSeq(seq: number): SpilledPage<T> | undefined {
    return this.pages[this.#lowest((page) => page.endSeq > seq)];
  }

  /** Brings a page into memory for one more reader; throws when it cannot be read back. */
  enter(page: SpilledPage<T>): T[] {
    if (page.items === undefined) {
      const bytes = this.#file.read(page.position, page.length);
      const items = this.#codec.decode(bytes.subarray(8 * page.count));
      if (items.length !== page.count)
        throw new RangeError(`the codec gave ${items.length} of ${page.count} chunks back`);
      page.items = items;
      page.ends = new Float64Array(bytes.buffer.slice(0, 8 * page.count));
      this.residentBytes += page.bytes;
    }
    page.readers++;
    return page.items;
  }

  /** Sequence number of the chunk at an index of a page, which may be in the file. */
  seqAt(page: SpilledPage<T>, index: number): number {
    const position = index - page.first;
    if (position <= 0) return page.startSeq;
    const ends =
      page.ends ?? new Float64Array(this.#file.read(page.position, 8 * position).buffer as ArrayBuffer);
    return ends[position - 1] as number;
  }

  leave(page: SpilledPage<T>): void {
    if (--page.readers > 0 || page.items === undefined) return;
    page.items = undefined;
    page.ends = undefined;
    this.residentBytes -= page.bytes;
  }

  close(): void {
    this.pages.length = 0;
    this.residentBytes = 0;
    this.#file.close();
  }

  #lowest(isPast: (page: SpilledPage<T>) => boolean): number {
    let low = 0;
    let high = this.pages.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (isPast(this.pages[middle] as SpilledPage<T>)) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}

function frame(ends: Float64Array, chunks: Uint8Array): Uint8Array {
  const framed = new Uint8Array(ends.byteLength + chunks.length);
  framed.set(new Uint8Array(ends.buffer, 0, ends.byteLength));
  framed.set(chunks, ends.byteLength);
  return framed;
}
