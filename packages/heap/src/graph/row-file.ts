import { failure } from '../errors.ts';
import { nameBits, nameMask } from '../kernel/columns.ts';
import { blockRows } from '../kernel/jobs.ts';
import type { FileSource } from './file-source.ts';

/** Where every 64th row of a section begins in the file. */
export interface RowBlocks {
  readonly nodes: Float64Array;
  readonly edges: Float64Array;
}

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

/** Types and names of edges, by edge number. */
export interface EdgeNames {
  /** Index into the edge types of the header. */
  type(edge: number): number;
  /** String index, or the slot number of an element or hidden edge. */
  name(edge: number): number;
}

/** Edge types and names kept in memory, one 32-bit word per edge: for input that cannot be read twice. */
export class EdgeNameColumn implements EdgeNames {
  readonly words: Uint32Array;
  readonly #large = new Map<number, number>();

  constructor(words: Uint32Array) {
    this.words = words;
  }

  set(edge: number, type: number, name: number): void {
    if (name >= nameMask) this.#large.set(edge, name);
    this.words[edge] = (type << nameBits) | Math.min(name, nameMask);
  }

  type(edge: number): number {
    return (this.words[edge] as number) >>> nameBits;
  }

  name(edge: number): number {
    const name = (this.words[edge] as number) & nameMask;
    return name === nameMask ? (this.#large.get(edge) ?? name) : name;
  }
}

/** V8's object ids by node. */
export interface Ids {
  of(node: number): number;
}

/** Ids kept in memory: for input that cannot be read twice. */
export class IdColumn implements Ids {
  readonly words: Uint32Array;

  constructor(words: Uint32Array) {
    this.words = words;
  }

  of(node: number): number {
    return this.words[node] as number;
  }
}

/** Ids that stay in the file. */
export class IdFile implements Ids {
  readonly #rows: RowFile;
  readonly #field: number;

  constructor(rows: RowFile, field: number) {
    this.#rows = rows;
    this.#field = field;
  }

  of(node: number): number {
    return this.#rows.value(node, this.#field);
  }
}
