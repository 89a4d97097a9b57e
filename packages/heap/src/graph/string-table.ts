/** Bytes of section "strings", by absolute offset. */
export interface StringBytes {
  /** Fills `target` from an absolute offset; returns how many bytes there were. */
  readAt(target: Uint8Array, offset: number): number;
}

/** Every how many strings an offset is kept; the ones between are found by walking. */
export const stringStride = 16;
const windowBytes = 4 * 1024;
/** When many strings are wanted, neighbours are read together. */
const warmWindowBytes = 64 * 1024;
/** Window of a pass over all strings. */
const rawWindowBytes = 256 * 1024;
/** A string is cut after this many bytes of JSON text; V8 cuts at 1024 characters unless told otherwise. */
const maxStringBytes = 256 * 1024;
const cacheEntries = 16_384;

/** The strings of a snapshot, decoded one by one when asked for, with a small cache. */
export class StringTable {
  readonly count: number;
  readonly #offsets: Float64Array;
  readonly #bytes: StringBytes;
  #buffer = Buffer.allocUnsafeSlow(windowBytes);
  #window = Buffer.alloc(0);
  #windowAt = 0;
  /** The last string walked to, so that ascending indices never walk twice. */
  #last = -1;
  #lastOffset = 0;
  readonly #cache = new Map<number, string>();

  constructor(bytes: StringBytes, offsets: Float64Array, count: number) {
    this.#bytes = bytes;
    this.#offsets = offsets;
    this.count = count;
  }

  /** The string of an index; empty for an index that does not exist. */
  get(index: number): string {
    const cached = this.#cache.get(index);
    if (cached !== undefined) return cached;
    if (!(index >= 0 && index < this.count)) return '';
    const text = this.#decode(index);
    this.#keep(index, text);
    return text;
  }

  /** Decodes strings in the order of the file, without keeping them. `indices` ascend. */
  each(indices: Uint32Array, visit: (index: number, text: string) => void): void {
    this.eachRawOf(indices, (index, bytes, start, end) => visit(index, textOf(bytes, start, end)));
  }

  /** As `eachRaw`, for some strings. `indices` ascend. */
  eachRawOf(
    indices: Uint32Array,
    visit: (index: number, bytes: Buffer, start: number, end: number) => void,
  ): void {
    let buffer = Buffer.allocUnsafeSlow(warmWindowBytes);
    let offset = 0;
    let length = 0;
    // The string that comes next, and where in the window it or the space before it begins.
    let next = -1;
    let at = 0;
    for (let k = 0; k < indices.length; k++) {
      const index = indices[k] as number;
      if (index >= this.count) return;
      const sample = Math.floor(index / stringStride);
      if (next < sample * stringStride) {
        next = sample * stringStride;
        at = (this.#offsets[sample] as number) - offset;
      }
      while (next <= index) {
        while (at < length && buffer[at] !== 34) at++;
        const close = closingQuote(buffer, at + 1, length);
        if (close >= 0) {
          if (next === index) visit(index, buffer, at + 1, close);
          next++;
          at = close + 1;
          continue;
        }
        const before = at === 0 ? length : 0;
        // A string that is longer than the window gets a larger one.
        if (before === buffer.length) buffer = Buffer.allocUnsafeSlow(2 * before);
        offset += at;
        at = 0;
        length = this.#bytes.readAt(buffer, offset);
        if (length <= before) return;
      }
    }
  }

  /**
   * Visits every string in the order of the file, as its bytes between the quotes: `bytes` from `start` to `end`, valid during the call. A
   * string of which only the length is wanted needs no decoding.
   */
  eachRaw(visit: (index: number, bytes: Buffer, start: number, end: number) => void): void {
    let buffer = Buffer.allocUnsafeSlow(rawWindowBytes);
    let offset = this.#offsets[0] ?? 0;
    let length = 0;
    let at = 0;
    for (let index = 0; index < this.count;) {
      let open = at;
      while (open < length && buffer[open] !== 34) open++;
      const close = closingQuote(buffer, open + 1, length);
      if (close >= 0) {
        visit(index++, buffer, open + 1, close);
        at = close + 1;
        continue;
      }
      // What is left begins the next window. A string that is longer than the window gets a larger one.
      const rest = length - at;
      if (rest === buffer.length) buffer = Buffer.allocUnsafeSlow(2 * rest);
      offset += at;
      at = 0;
      length = this.#bytes.readAt(buffer, offset);
      if (length <= rest) return;
    }
  }

  /** Decodes strings that will be asked for soon, in the order of the file: far fewer reads than one by one. */
  warm(indices: Iterable<number>): void {
    const sorted = Uint32Array.from(new Set(indices)).sort();
    this.each(sorted.subarray(0, cacheEntries), (index, text) => this.#keep(index, text));
  }

  #keep(index: number, text: string): void {
    if (this.#cache.size >= cacheEntries) this.#cache.clear();
    this.#cache.set(index, text);
  }

  #decode(index: number): string {
    const sample = Math.floor(index / stringStride);
    let at = sample * stringStride;
    let offset = this.#offsets[sample] as number;
    if (this.#last >= at && this.#last <= index) {
      at = this.#last;
      offset = this.#lastOffset;
    }
    for (; at < index; at++) offset = this.#nextQuote(this.#closing(offset + 1) + 1);
    this.#last = index;
    this.#lastOffset = offset;
    const length = this.#closing(offset + 1) - offset - 1;
    const shown = Math.min(length, maxStringBytes);
    return decode(this.#slice(offset + 1, shown).toString('utf8'), shown < length);
  }

  /** Offset of the quote that closes the string whose content begins at `offset`. */
  #closing(offset: number): number {
    let from = offset;
    for (;;) {
      const window = this.#fill(from);
      let p = from - this.#windowAt;
      while (p < window.length) {
        const c = window[p] as number;
        if (c === 34) return this.#windowAt + p;
        p += c === 92 ? 2 : 1;
      }
      if (window.length === 0) return from;
      from = this.#windowAt + p;
    }
  }

  #nextQuote(offset: number): number {
    let from = offset;
    for (;;) {
      const window = this.#fill(from);
      const found = window.indexOf(34, from - this.#windowAt);
      if (found >= 0) return this.#windowAt + found;
      if (window.length === 0) return from;
      from = this.#windowAt + window.length;
    }
  }

  /** Makes the window hold `offset`; empty at the end of the input. */
  #fill(offset: number): Buffer {
    const into = offset - this.#windowAt;
    if (into >= 0 && into < this.#window.length) return this.#window;
    this.#window = this.#buffer.subarray(0, this.#bytes.readAt(this.#buffer, offset));
    this.#windowAt = offset;
    return this.#window;
  }

  #slice(offset: number, length: number): Buffer {
    const into = offset - this.#windowAt;
    if (into >= 0 && into + length <= this.#window.length) return this.#window.subarray(into, into + length);
    const target = Buffer.allocUnsafe(length);
    return target.subarray(0, this.#bytes.readAt(target, offset));
  }
}

/** Where the string that goes on at `from` is closed; -1 when that is not before `end`. */
function closingQuote(bytes: Buffer, from: number, end: number): number {
  for (let at = from; at < end; at++) {
    const byte = bytes[at] as number;
    if (byte === 34) return at;
    if (byte === 92) at++;
  }
  return -1;
}

/** The text of the bytes between two quotes. */
export function textOf(bytes: Buffer, start: number, end: number): string {
  const shown = Math.min(end, start + maxStringBytes);
  return decode(bytes.toString('utf8', start, shown), shown < end);
}

function decode(text: string, cut: boolean): string {
  if (!text.includes('\\')) return cut ? `${text}…` : text;
  // An escape that the cut went through is dropped.
  const whole = cut ? text.replace(/\\(?:u[0-9a-fA-F]{0,3})?$/u, '') : text;
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
    if (chunk.length === 0) return;
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
