import { failure } from '../errors.ts';
import { growGroups } from '../graph/grouping.ts';
import type { Workspace } from '../graph/workspace.ts';
import type { QuadRows } from '../kernel/jobs.ts';
import type { Kernel } from '../kernel/kernel.ts';
import type { Layout, LocationField } from './header.ts';
import type { Input } from './input.ts';
import { row, RowReader } from './row.ts';

/** Where the code of a function or a class stands. */
export interface Location {
  readonly scriptId: number;
  /** Zero-based, as V8 counts. */
  readonly line: number;
  readonly column: number;
}

/** Source locations by node, in the order of the file; many nodes share a place, so a place is stored once. */
export class Locations {
  readonly nodes: Uint32Array;
  /** Place of each of `nodes`. */
  readonly placeOf: Uint32Array;
  /** Three numbers per place: script, line, column. */
  readonly #places: Int32Array;
  /** Rows in order of their nodes, made when a node is asked for. */
  #sorted: Uint32Array | undefined;

  constructor(nodes: Uint32Array, placeOf: Uint32Array, places: Int32Array) {
    this.nodes = nodes;
    this.placeOf = placeOf;
    this.#places = places;
  }

  static readonly none = new Locations(new Uint32Array(), new Uint32Array(), new Int32Array());

  get count(): number {
    return this.nodes.length;
  }

  get placeCount(): number {
    return this.#places.length / 3;
  }

  of(node: number): Location | undefined {
    const rows = (this.#sorted ??= sortedRows(this.nodes));
    let low = 0;
    let high = rows.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.nodes[rows[middle] as number] as number) <= node) low = middle + 1;
      else high = middle;
    }
    const row = rows[low - 1];
    if (row === undefined || this.nodes[row] !== node) return undefined;
    const at = (this.placeOf[row] as number) * 3;
    return {
      scriptId: this.#places[at] as number,
      line: this.#places[at + 1] as number,
      column: this.#places[at + 2] as number,
    };
  }
}

/** Row numbers in order of their nodes, later rows of a node after earlier ones: a radix sort by 16 bits. */
function sortedRows(nodes: Uint32Array): Uint32Array {
  let rows = Uint32Array.from(nodes, (_, k) => k);
  for (const shift of [0, 16]) {
    const starts = new Uint32Array(65_537);
    for (const node of nodes) {
      const digit = ((node >>> shift) & 0xffff) + 1;
      starts[digit] = (starts[digit] as number) + 1;
    }
    for (let d = 0; d < 65_536; d++) starts[d + 1] = (starts[d + 1] as number) + (starts[d] as number);
    const next = new Uint32Array(rows.length);
    for (const row of rows) {
      const digit = ((nodes[row] as number) >>> shift) & 0xffff;
      next[starts[digit] as number] = row;
      starts[digit] = (starts[digit] as number) + 1;
    }
    rows = next;
  }
  return rows;
}

/** The reader of section "locations". Rows are collected in the workspace and grouped by place at the end. */
export class LocationReader {
  readonly #layout: Layout;
  readonly #kernel: Kernel;
  readonly #space: Workspace;
  readonly #at: Record<LocationField, number>;
  readonly #rows: RowReader;
  readonly #job: QuadRows;
  readonly #usualOrder: boolean;

  constructor(kernel: Kernel, layout: Layout, at: Record<LocationField, number>, space: Workspace) {
    this.#layout = layout;
    this.#kernel = kernel;
    this.#space = space;
    this.#at = at;
    this.#rows = new RowReader(layout.locationFields, 'locations', { negative: true });
    this.#usualOrder =
      layout.locationFields === 4 &&
      at.object_index === 0 &&
      at.script_id === 1 &&
      at.line === 2 &&
      at.column === 3;
    this.#job = {
      bytes: new Uint8Array(),
      start: 0,
      end: 0,
      base: 0,
      taken: 0,
      max: layout.nodeCount,
      newline: false,
      out: space.sources,
    };
  }

  /** Takes the rows of the window; true when the section is finished. */
  take(input: Input): boolean {
    const job = this.#job;
    for (;;) {
      const before = job.taken;
      if (before > 0 && this.#usualOrder) this.#fast(input, before);
      const outcome = this.#rows.take(input, job.taken === 0);
      if (outcome === row.needMore) return false;
      if (outcome === row.empty) return true;
      this.#store(input);
      if (outcome === row.last) return true;
    }
  }

  #fast(input: Input, before: number): void {
    const job = this.#job;
    const { fields, limit } = { fields: this.#layout.nodeFields, limit: this.#layout.nodeCount };
    job.bytes = input.bytes;
    job.start = input.start;
    job.end = input.end;
    this.#kernel.quads(job);
    for (let k = before; k < job.taken; k++) {
      const index = job.out[k * 4] as number;
      if (index % fields !== 0 || index / fields >= limit) throw this.#outside(input, input.start, k, index);
      job.out[k * 4] = index / fields;
    }
    input.start = job.start;
  }

  #store(input: Input): void {
    const job = this.#job;
    const { values } = this.#rows;
    const { nodeFields, nodeCount } = this.#layout;
    const index = values[this.#at.object_index] as number;
    const position = this.#rows.at[this.#at.object_index] as number;
    const node = index / nodeFields;
    if (node < 0 || node >= nodeCount || !Number.isInteger(node)) {
      throw this.#outside(input, position, job.taken, index);
    }
    if (job.taken === job.max) {
      const place = input.place(position);
      const found = job.taken + 1;
      throw failure('PLM_HEAP_COUNT', { ...place, what: 'locations or more', found, expected: nodeCount });
    }
    const to = job.taken * 4;
    job.out[to] = node;
    job.out[to + 1] = values[this.#at.script_id] as number;
    job.out[to + 2] = values[this.#at.line] as number;
    job.out[to + 3] = values[this.#at.column] as number;
    if (job.taken === 0) job.newline = this.#rows.lineFeed;
    job.taken++;
  }

  /** Groups the rows by place. */
  finish(): Locations {
    const { taken: count, out } = this.#job;
    const nodes = new Uint32Array(count);
    for (let k = 0; k < count; k++) {
      nodes[k] = out[k * 4] as number;
      // From here on each row is a list of three words, to be grouped.
      out[k * 4] = 3;
    }
    const groups = growGroups(this.#kernel, this.#space, out, count * 4);
    const places = new Int32Array(groups.count * 3);
    for (let g = 0; g < groups.count; g++) {
      const at = (groups.firstAt[g] as number) + 1;
      places.set(out.subarray(at, at + 3), g * 3);
    }
    return new Locations(nodes, new Uint32Array(groups.groupOf.subarray(0, count)), places);
  }

  #outside(input: Input, position: number, k: number, value: number): Error {
    const limit = this.#layout.nodeCount * this.#layout.nodeFields;
    return failure('PLM_HEAP_INDEX', {
      ...input.place(position),
      what: `object_index of location ${k}`,
      value,
      limit,
    });
  }
}
