import { failure } from '../errors.ts';
import { growGroups } from './equal-lists.ts';
import type { Workspace } from './workspace.ts';
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
  /** Made when a node is asked for. */
  #index: NodeIndex | undefined;

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
    const { starts, rows, shift } = (this.#index ??= indexOf(this.nodes));
    const bucket = node >>> shift;
    // The last location of a node counts.
    for (let k = (starts[bucket + 1] ?? 0) - 1; k >= (starts[bucket] ?? 0); k--) {
      const row = rows[k] as number;
      if (this.nodes[row] !== node) continue;
      const at = (this.placeOf[row] as number) * 3;
      return {
        scriptId: this.#places[at] as number,
        line: this.#places[at + 1] as number,
        column: this.#places[at + 2] as number,
      };
    }
    return undefined;
  }

  /** By script, the first nodes with a location in it that are accepted; at most four each. */
  nodesByScript(accept: (node: number) => boolean): ReadonlyMap<number, readonly number[]> {
    const found = new Map<number, number[]>();
    /** By place, whether its script has enough. */
    const isFull = new Uint8Array(this.placeCount);
    for (let k = 0; k < this.nodes.length; k++) {
      const place = this.placeOf[k] as number;
      if (isFull[place] === 1 || !accept(this.nodes[k] as number)) continue;
      const script = this.#places[place * 3] as number;
      const nodes = found.get(script) ?? [];
      found.set(script, nodes);
      if (nodes.length < mostOfScript) nodes.push(this.nodes[k] as number);
      else isFull[place] = 1;
    }
    return found;
  }
}

const mostOfScript = 4;

/** Rows grouped by neighbouring nodes, in the order of the file within a group. */
interface NodeIndex {
  readonly starts: Uint32Array;
  readonly rows: Uint32Array;
  readonly shift: number;
}

const indexBits = 16;

function indexOf(nodes: Uint32Array): NodeIndex {
  let largest = 0;
  for (let k = 0; k < nodes.length; k++) if ((nodes[k] as number) > largest) largest = nodes[k] as number;
  const shift = Math.max(0, 32 - Math.clz32(largest) - indexBits);
  const starts = new Uint32Array((largest >>> shift) + 2);
  for (let k = 0; k < nodes.length; k++) {
    const bucket = (nodes[k] as number) >>> shift;
    starts[bucket] = (starts[bucket] as number) + 1;
  }
  let sum = 0;
  for (let bucket = 0; bucket < starts.length; bucket++) {
    sum += starts[bucket] as number;
    starts[bucket] = sum;
  }
  const rows = new Uint32Array(nodes.length);
  for (let k = nodes.length - 1; k >= 0; k--) {
    const bucket = (nodes[k] as number) >>> shift;
    const at = (starts[bucket] as number) - 1;
    starts[bucket] = at;
    rows[at] = k;
  }
  return { starts, rows, shift };
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
