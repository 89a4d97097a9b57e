import { failure, isHeapError, type HeapError } from '../errors.ts';

/** Something that hands over bytes: all of them in order, and, when it is a plain file, any range again. */
export interface ByteSource {
  /** The path, or "stream". */
  readonly label: string;
  /** Size of the text when it is known before reading. */
  readonly bytes: number | null;
  /** Fills `target` and returns how many bytes were written; 0 means the end. */
  read(target: Uint8Array): number | Promise<number>;
  close(): void;
}

/**
 * A moving window over the text of a snapshot. Readers look at `bytes` from `start` to `end`, take whole rows,
 * advance `start`, and ask for `more()`; what they left is moved to the front, so no row is ever split.
 */
export class Input {
  readonly bytes: Uint8Array;
  readonly source: ByteSource;
  start = 0;
  end = 0;
  /** Absolute offset of `bytes[0]`. */
  #base = 0;
  readonly #tick: (offset: number) => void | Promise<void>;

  constructor(source: ByteSource, bytes: Uint8Array, tick: (offset: number) => void | Promise<void>) {
    this.source = source;
    this.bytes = bytes;
    this.#tick = tick;
  }

  /** Absolute offset of a position of the window. */
  offset(position: number = this.start): number {
    return this.#base + position;
  }

  place(position: number = this.start): { file: string; offset: number } {
    return { file: this.source.label, offset: this.offset(position) };
  }

  /** Appends bytes to the window; false at the end of the input or when the window is full of unread bytes. */
  async more(): Promise<boolean> {
    if (this.start > 0) {
      this.bytes.copyWithin(0, this.start, this.end);
      this.#base += this.start;
      this.end -= this.start;
      this.start = 0;
    }
    if (this.end === this.bytes.length) return false;
    await this.#tick(this.offset(this.end));
    const read = await this.#read();
    this.end += read;
    return read > 0;
  }

  async #read(): Promise<number> {
    try {
      return await this.source.read(this.bytes.subarray(this.end));
    } catch (error) {
      if (isHeapError(error)) throw error;
      const reason = error instanceof Error ? error.message : String(error);
      throw failure('PLM_HEAP_READ', { ...this.place(this.end), reason }, { cause: error });
    }
  }

  /** The error for an input that stopped, or whose row is longer than the window. */
  ended(section: string, detail = ''): HeapError {
    return this.end === this.bytes.length && this.start === 0
      ? this.unexpected(0, `${section} with rows of less than ${this.bytes.length} bytes`)
      : failure('PLM_HEAP_TRUNCATED', { ...this.place(this.end), section, detail });
  }

  /** The error for a byte that may not stand at `position`. */
  unexpected(position: number, expected: string): HeapError {
    const found = describe(this.bytes, position, this.end);
    return failure('PLM_HEAP_SYNTAX', { ...this.place(position), found, expected });
  }
}

/** Up to 12 printable bytes as JSON text, for error messages. */
export function describe(bytes: Uint8Array, position: number, end: number): string {
  if (position >= end) return 'the end of the input';
  const text = Buffer.from(bytes.subarray(position, Math.min(end, position + 12))).toString('latin1');
  return JSON.stringify(text);
}
