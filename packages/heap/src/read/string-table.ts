import type { FileSource } from './source.ts';
import { stringStride } from './string-scan.ts';

/** Bytes of section "strings", by absolute offset. */
export interface StringBytes {
  /** Fills `target` from an absolute offset; returns how many bytes there were. */
  readAt(target: Uint8Array, offset: number): number;
}

const windowBytes = 64 * 1024;
/** A string is cut after this many bytes of JSON text; V8 cuts at 1024 characters unless told otherwise. */
const maxStringBytes = 256 * 1024;
const cacheEntries = 4096;

/** The strings of a snapshot, decoded one by one when asked for, with a small cache. */
export class StringTable {
  readonly count: number;
  readonly #offsets: Float64Array;
  readonly #bytes: StringBytes;
  #window = Buffer.alloc(0);
  #windowAt = 0;
  /** The last string walked to: asking for ascending indices never walks twice. */
  #last = -1;
  #lastOffset = 0;
  readonly #cache = new Map<number, string>();

  constructor(bytes: StringBytes, offsets: readonly number[] | Float64Array, count: number) {
    this.#bytes = bytes;
    this.#offsets = Float64Array.from(offsets);
    this.count = count;
  }

  get(index: number): string {
    const cached = this.#cache.get(index);
    if (cached !== undefined) return cached;
    if (!(index >= 0 && index < this.count)) return '';
    const text = this.#decode(index);
    if (this.#cache.size >= cacheEntries) this.#cache.clear();
    this.#cache.set(index, text);
    return text;
  }

  #decode(index: number): string {
    const sample = Math.floor(index / stringStride);
    let at = sample * stringStride;
    let offset = this.#offsets[sample] as number;
    if (this.#last >= at && this.#last <= index) {
      at = this.#last;
      offset = this.#lastOffset;
    }
    for (; at < index; at++) offset = this.#nextQuote(this.#end(offset + 1) + 1);
    this.#last = index;
    this.#lastOffset = offset;
    const end = this.#end(offset + 1);
    const length = Math.min(end - offset - 1, maxStringBytes);
    return decode(this.#slice(offset + 1, length), length < end - offset - 1);
  }

  /** Offset of the quote that closes the string whose content begins at `offset`. */
  #end(offset: number): number {
    let from = offset;
    for (;;) {
      const window = this.#fill(from);
      const base = this.#windowAt;
      for (let p = from - base; p < window.length; p++) {
        const c = window[p];
        if (c === 34) return base + p;
        if (c === 92) p++;
        from = base + p + 1;
      }
      if (from - base >= window.length && window.length === 0) return from;
    }
  }

  #nextQuote(offset: number): number {
    let from = offset;
    for (;;) {
      const window = this.#fill(from);
      const found = window.indexOf(34, from - this.#windowAt);
      if (found >= 0 || window.length === 0) return found < 0 ? from : this.#windowAt + found;
      from = this.#windowAt + window.length;
    }
  }

  #fill(offset: number): Buffer {
    const into = offset - this.#windowAt;
    if (into >= 0 && into < this.#window.length) return this.#window;
    const target = Buffer.alloc(windowBytes);
    const read = this.#bytes.readAt(target, offset);
    this.#window = target.subarray(0, read);
    this.#windowAt = offset;
    return this.#window;
  }

  #slice(offset: number, length: number): Buffer {
    const into = offset - this.#windowAt;
    if (into >= 0 && into + length <= this.#window.length) return this.#window.subarray(into, into + length);
    const target = Buffer.alloc(length);
    return target.subarray(0, this.#bytes.readAt(target, offset));
  }
}

function decode(bytes: Buffer, cut: boolean): string {
  const text = bytes.toString('utf8');
  if (!text.includes('\\')) return cut ? `${text}…` : text;
  const whole = cut ? text.replace(/\\[^\\]{0,5}$/u, '') : text;
  try {
    return `${JSON.parse(`"${whole}"`) as string}${cut ? '…' : ''}`;
  } catch {
    return whole;
  }
}

/** The bytes of section "strings" of an input that cannot be read again. */
export class KeptBytes implements StringBytes {
  readonly #chunks: Uint8Array[] = [];
  readonly #starts: number[] = [];

  add(chunk: Uint8Array, offset: number): void {
    this.#chunks.push(chunk.slice());
    this.#starts.push(offset);
  }

  readAt(target: Uint8Array, offset: number): number {
    let done = 0;
    for (let k = this.#find(offset); k < this.#chunks.length && done < target.length; k++) {
      const chunk = this.#chunks[k] as Uint8Array;
      const from = offset + done - (this.#starts[k] as number);
      const part = chunk.subarray(from, from + target.length - done);
      target.set(part, done);
      done += part.length;
    }
    return done;
  }

  #find(offset: number): number {
    let low = 0;
    let high = this.#starts.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#starts[middle] as number) <= offset) low = middle + 1;
      else high = middle;
    }
    return Math.max(0, low - 1);
  }
}

/** Reads strings from the file they came from. */
export function fileStrings(source: FileSource): StringBytes {
  return { readAt: (target, offset) => source.readAt(target, offset) };
}
