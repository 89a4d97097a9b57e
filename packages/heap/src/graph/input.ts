import { failure, isHeapError, type HeapError } from '../errors.ts';

/** Something that hands over bytes, all of them in order. */
export interface ByteSource {
  /** The path, or "stream". */
  readonly label: string;
  /** Size of the text when it is known before reading. */
  readonly bytes: number | null;
  /** Fills `target` and returns how many bytes were written; 0 means the end. */
  read(target: Uint8Array): number | Promise<number>;
  close(): void;
}

/** Called before bytes are read, with the absolute offset and how many were read since; may throw to stop, may wait. */
export type Breath = (offset: number, read: number) => Promise<void> | undefined;

/**
 * A moving window over the text of a snapshot. Readers look at `bytes` from `start` to `end`, take whole rows,
 * advance `start`, and ask for `more()`; what they left is moved to the front, so no row is ever split.
 */
export class Input {
  readonly source: ByteSource;
  bytes: Uint8Array;
  start = 0;
  end = 0;
  /** True once the source has said that there is nothing more. */
  exhausted = false;
  /** Bytes of the window that are filled; the rest is room that vectors may read. */
  #capacity: number;
  /** Absolute offset of `bytes[0]`. */
  #base: number;
  #lastRead = 0;
  readonly #breath: Breath;

  constructor(source: ByteSource, bytes: Uint8Array, breath: Breath, base = 0) {
    this.source = source;
    this.bytes = bytes;
    this.#capacity = bytes.length - slack;
    this.#breath = breath;
    this.#base = base;
  }

  /** Absolute offset of a position of the window. */
  offset(position: number = this.start): number {
    return this.#base + position;
  }

  place(position: number = this.start): { file: string; offset: number } {
    return { file: this.source.label, offset: this.offset(position) };
  }

  /** Goes on in another buffer, which takes over what has not been read yet. */
  moveTo(bytes: Uint8Array): void {
    bytes.set(this.bytes.subarray(this.start, this.end));
    this.bytes = bytes;
    this.#capacity = bytes.length - slack;
    this.#base += this.start;
    this.end -= this.start;
    this.start = 0;
  }

  /** Drops the window and goes on at an absolute offset, to which the source has been moved. */
  jump(offset: number): void {
    this.start = 0;
    this.end = 0;
    this.exhausted = false;
    this.#base = offset;
  }

  /** Appends bytes to the window; false at the end of the input or when the window is full of unread bytes. */
  async more(): Promise<boolean> {
    if (this.start > 0) {
      this.bytes.copyWithin(0, this.start, this.end);
      this.#base += this.start;
      this.end -= this.start;
      this.start = 0;
    }
    if (this.end >= this.#capacity) return false;
    const pause = this.#breath(this.offset(this.end), this.#lastRead);
    if (pause !== undefined) await pause;
    try {
      const reading = this.source.read(this.bytes.subarray(this.end, this.#capacity));
      const read = typeof reading === 'number' ? reading : await reading;
      this.end += read;
      this.#lastRead = read;
      this.exhausted = read === 0;
      return read > 0;
    } catch (error) {
      if (isHeapError(error)) throw error;
      const reason = error instanceof Error ? error.message : String(error);
      throw failure('PLM_HEAP_READ', { ...this.place(this.end), reason }, { cause: error });
    }
  }

  /** The error for an input that stopped, or whose row is longer than the window. */
  ended(section: string, detail = ''): HeapError {
    return this.exhausted
      ? failure('PLM_HEAP_TRUNCATED', { ...this.place(this.end), section, detail })
      : this.unexpected(this.start, `${section} with rows of less than ${this.#capacity} bytes`);
  }

  /** The error for a byte that may not stand at `position`. */
  unexpected(position: number, expected: string): HeapError {
    const found = describe(this.bytes, position, this.end);
    return failure('PLM_HEAP_SYNTAX', { ...this.place(position), found, expected });
  }
}

/** Bytes at the end of a window that hold no text: vectors are loaded 64 bytes at a time. */
export const slack = 256;

/** Up to 12 bytes as JSON text, for error messages. */
export function describe(bytes: Uint8Array, position: number, end: number): string {
  if (position >= end) return 'the end of the input';
  const text = Buffer.from(bytes.subarray(position, Math.min(end, position + 12))).toString('latin1');
  return JSON.stringify(text);
}
