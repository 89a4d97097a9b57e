import type { FileSource } from '../graph/file-source.ts';
import { blockRows } from '../kernel/jobs.ts';

const windowBytes = 4096;

/** Where a section of rows lies in the file and which of its columns is the name. */
interface NamedRows {
  /** Where every 64th row begins. */
  readonly blocks: Float64Array;
  /** Columns of a row. */
  readonly width: number;
  readonly nameAt: number;
}

/** A number of the file that is written differently: bytes from `start` to `end`. */
interface Patch {
  readonly start: number;
  readonly end: number;
  readonly value: number;
}

/**
 * The few rows of a section whose name gets another index, with their place in the file. All bytes between two of them are copied as they
 * are, so no row of the section has to be parsed.
 */
export class RowPatches {
  readonly #source: FileSource;
  readonly #rows: NamedRows;
  readonly #changed: Uint32Array;
  readonly #valueOf: (row: number) => number;
  #next = 0;
  readonly #window = Buffer.allocUnsafeSlow(windowBytes);
  #windowAt = 0;
  #length = 0;
  /** Where the walk stands: at the begin of this column, counted from the first one of the section. */
  #column = -1;
  #at = 0;

  /** `changed` are the rows in ascending order, `valueOf` gives the index that stands for the name of one. */
  constructor(source: FileSource, rows: NamedRows, changed: Uint32Array, valueOf: (row: number) => number) {
    this.#source = source;
    this.#rows = rows;
    this.#changed = changed;
    this.#valueOf = valueOf;
  }

  /** The next change in the order of the file. */
  next(): Patch | undefined {
    if (this.#next >= this.#changed.length) return undefined;
    const row = this.#changed[this.#next++] as number;
    this.#walkTo(row);
    while (!isDigit(this.#byte())) this.#at++;
    const start = this.#at;
    while (isDigit(this.#byte())) this.#at++;
    return { start, end: this.#at, value: this.#valueOf(row) };
  }

  #walkTo(row: number): void {
    const { blocks, width, nameAt } = this.#rows;
    const block = Math.floor(row / blockRows);
    if (this.#column < block * blockRows * width) {
      this.#column = block * blockRows * width;
      this.#at = blocks[block] as number;
    }
    for (const wanted = row * width + nameAt; this.#column < wanted; this.#at++)
      if (this.#byte() === 44) this.#column++;
  }

  /** The byte at the walk; a comma after the end of the file, so that every search ends. */
  #byte(): number {
    const into = this.#at - this.#windowAt;
    if (into >= 0 && into < this.#length) return this.#window[into] as number;
    this.#length = this.#source.readAt(this.#window, this.#at);
    this.#windowAt = this.#at;
    return this.#length === 0 ? 44 : (this.#window[0] as number);
  }
}

function isDigit(byte: number): boolean {
  return byte >= 48 && byte <= 57;
}
