import { failure } from '../errors.ts';
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

/** Source locations by node: four numbers per row, found by binary search once sorted. */
export class Locations {
  #rows = new Int32Array(4 * 64);
  #count = 0;
  #sorted = true;

  get count(): number {
    return this.#count;
  }

  add(node: number, scriptId: number, line: number, column: number): void {
    const at = this.#count * 4;
    if (at === this.#rows.length) {
      const grown = new Int32Array(at * 2);
      grown.set(this.#rows);
      this.#rows = grown;
    }
    if (at > 0 && (this.#rows[at - 4] as number) >= node) this.#sorted = false;
    this.#rows[at] = node;
    this.#rows[at + 1] = scriptId;
    this.#rows[at + 2] = line;
    this.#rows[at + 3] = column;
    this.#count++;
  }

  of(node: number): Location | undefined {
    const at = this.#find(node);
    if (at < 0) return undefined;
    const rows = this.#rows;
    return {
      scriptId: rows[at + 1] as number,
      line: rows[at + 2] as number,
      column: rows[at + 3] as number,
    };
  }

  /** Visits every location in node order, the last one of a node when it has several. */
  forEach(visit: (node: number, scriptId: number, line: number, column: number) => void): void {
    this.#sort();
    const rows = this.#rows;
    for (let at = 0, end = this.#count * 4; at < end; at += 4) {
      const node = rows[at] as number;
      if (at + 4 < end && rows[at + 4] === node) continue;
      visit(node, rows[at + 1] as number, rows[at + 2] as number, rows[at + 3] as number);
    }
  }

  #find(node: number): number {
    this.#sort();
    let low = 0;
    let high = this.#count;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#rows[middle * 4] as number) <= node) low = middle + 1;
      else high = middle;
    }
    const at = (low - 1) * 4;
    return low > 0 && this.#rows[at] === node ? at : -1;
  }

  #sort(): void {
    if (this.#sorted) return;
    const old = this.#rows;
    const order = Uint32Array.from({ length: this.#count }, (_, i) => i);
    order.sort((a, b) => (old[a * 4] as number) - (old[b * 4] as number) || a - b);
    const rows = new Int32Array(this.#count * 4);
    order.forEach((from, to) => rows.set(old.subarray(from * 4, from * 4 + 4), to * 4));
    this.#rows = rows;
    this.#sorted = true;
  }
}

/** The reader of section "locations". */
export class LocationReader {
  readonly #layout: Layout;
  readonly #rows: RowReader;
  readonly #locations: Locations;
  readonly #at: Record<LocationField, number>;

  constructor(layout: Layout, at: Record<LocationField, number>, locations: Locations) {
    this.#layout = layout;
    this.#at = at;
    this.#locations = locations;
    this.#rows = new RowReader(layout.locationFields, 'locations', { negative: true });
  }

  /** Takes the rows of the window; true when the section is finished. */
  take(input: Input): boolean {
    const at = this.#at;
    for (;;) {
      const outcome = this.#rows.take(input, this.#locations.count === 0);
      if (outcome === row.needMore) return false;
      if (outcome === row.sectionEnd) return true;
      const { values } = this.#rows;
      const index = values[at.object_index] as number;
      const node = index / this.#layout.nodeFields;
      if (node < 0 || node >= this.#layout.nodeCount || !Number.isInteger(node)) {
        throw failure('PLM_HEAP_INDEX', {
          ...input.place(this.#rows.at[at.object_index]),
          what: `object_index of location ${this.#locations.count}`,
          value: index,
          limit: this.#layout.nodeCount * this.#layout.nodeFields,
        });
      }
      this.#locations.add(
        node,
        values[at.script_id] as number,
        values[at.line] as number,
        values[at.column] as number,
      );
    }
  }
}
