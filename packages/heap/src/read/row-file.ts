import { failure } from '../errors.ts';
import { blockRows } from '../kernel/jobs.ts';
import type { EdgeNames } from './edge-names.ts';
import type { FileSource } from './source.ts';

/** Blocks of decoded rows that are kept. */
const cachedBlocks = 4096;
/** A block is about 1 KiB of text; a longer one is read in parts. */
const chunkBytes = 2048;

/**
 * A section of numbers that stays in the file: rows are read again when asked for, a block of 64 at a time, through
 * the offset of each block's first row.
 */
export class RowFile {
  readonly #source: FileSource;
  readonly #blocks: Float64Array;
  readonly #rows: number;
  readonly #fields: number;
  readonly #cache = new Map<number, Float64Array>();
  readonly #buffer = Buffer.allocUnsafeSlow(chunkBytes);
  #lastBlock = -1;
  #last: Float64Array = new Float64Array();

  constructor(source: FileSource, blocks: Float64Array, rows: number, fields: number) {
    this.#source = source;
    this.#blocks = blocks;
    this.#rows = rows;
    this.#fields = fields;
  }

  /** The value of one field of one row. */
  value(row: number, field: number): number {
    const block = Math.floor(row / blockRows);
    const values = block === this.#lastBlock ? this.#last : this.#load(block);
    return values[(row % blockRows) * this.#fields + field] as number;
  }

  #load(block: number): Float64Array {
    let values = this.#cache.get(block);
    if (values === undefined) {
      values = this.#decode(block);
      if (this.#cache.size >= cachedBlocks) this.#cache.delete(this.#cache.keys().next().value as number);
      this.#cache.set(block, values);
    }
    this.#lastBlock = block;
    this.#last = values;
    return values;
  }

  #decode(block: number): Float64Array {
    const rows = Math.min(blockRows, this.#rows - block * blockRows);
    const values = new Float64Array(rows * this.#fields);
    const buffer = this.#buffer;
    let offset = this.#blocks[block] as number;
    let found = 0;
    let value = 0;
    let digits = 0;
    while (found < values.length) {
      const read = this.#source.readAt(buffer, offset);
      if (read === 0) throw this.#changed(offset);
      offset += read;
      for (let p = 0; p < read && found < values.length; p++) {
        const digit = (buffer[p] as number) - 48;
        if (digit >= 0 && digit <= 9) {
          value = value * 10 + digit;
          digits++;
        } else if (digits > 0) {
          values[found++] = value;
          value = 0;
          digits = 0;
        }
      }
    }
    return values;
  }

  #changed(offset: number): Error {
    const place = { file: this.#source.label, offset };
    return failure('PLM_HEAP_READ', {
      ...place,
      reason: 'the file is shorter than it was when it was opened',
    });
  }
}

/** Types and names of edges that stay in the file. */
export class EdgeNameFile implements EdgeNames {
  readonly #rows: RowFile;
  readonly #type: number;
  readonly #name: number;

  constructor(rows: RowFile, fields: { readonly type: number; readonly name_or_index: number }) {
    this.#rows = rows;
    this.#type = fields.type;
    this.#name = fields.name_or_index;
  }

  type(edge: number): number {
    return this.#rows.value(edge, this.#type);
  }

  name(edge: number): number {
    return this.#rows.value(edge, this.#name);
  }
}
