import type { RowFile } from './row-file.ts';

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
