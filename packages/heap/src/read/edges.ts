import { failure } from '../errors.ts';
import { weakBit } from '../graph/columns.ts';
import type { EdgeNames } from '../graph/edge-names.ts';
import type { Layout } from './header.ts';
import type { Input } from './input.ts';
import { row, RowReader } from './row.ts';

/** The reference reader of section "edges": fills the targets and hands every type and name to `names`. */
export class EdgeReader {
  readonly #layout: Layout;
  readonly #to: Uint32Array;
  readonly #names: EdgeNames;
  readonly #rows: RowReader;
  readonly #weak: number;
  readonly #numbered: readonly boolean[];
  taken = 0;
  /** Highest string index used as an edge name; checked when the strings are known. */
  maxName = 0;

  constructor(layout: Layout, to: Uint32Array, names: EdgeNames) {
    this.#layout = layout;
    this.#to = to;
    this.#names = names;
    this.#rows = new RowReader(layout.edgeFields, 'edges');
    this.#weak = layout.edgeTypes.indexOf('weak');
    this.#numbered = layout.edgeTypes.map(isNumbered);
  }

  /** Takes the rows of the window; true when the section is finished. */
  take(input: Input): boolean {
    for (;;) {
      const outcome = this.#rows.take(input, this.taken === 0);
      if (outcome === row.needMore) return false;
      if (outcome === row.sectionEnd) {
        this.#finish(input);
        return true;
      }
      this.#store(input);
    }
  }

  #store(input: Input): void {
    const { edge: at, edgeTypes, nodeFields, nodeCount, edgeCount } = this.#layout;
    const { values } = this.#rows;
    const e = this.taken;
    if (e === edgeCount) {
      const place = input.place(this.#rows.at[0]);
      throw failure('PLM_HEAP_COUNT', { ...place, what: 'edges or more', found: e + 1, expected: edgeCount });
    }
    const type = values[at.type] as number;
    const name = values[at.name_or_index] as number;
    const index = values[at.to_node] as number;
    const target = index / nodeFields;
    if (type >= edgeTypes.length) throw this.#outside(input, at.type, 'type', edgeTypes.length);
    if (target >= nodeCount || !Number.isInteger(target)) {
      throw this.#outside(input, at.to_node, 'to_node', nodeCount * nodeFields);
    }
    if (name > 0xffff_ffff) {
      const place = input.place(this.#rows.at[at.name_or_index]);
      throw failure('PLM_HEAP_RANGE', { ...place, what: `the name of edge ${e}`, limit: 0xffff_ffff });
    }
    if (name > this.maxName && this.#numbered[type] !== true) this.maxName = name;
    this.#names.add(e, type, name);
    this.#to[e] = type === this.#weak ? (target | weakBit) >>> 0 : target;
    this.taken = e + 1;
  }

  #finish(input: Input): void {
    const { edgeCount } = this.#layout;
    if (this.taken === edgeCount) return;
    const place = input.place(input.start - 1);
    throw failure('PLM_HEAP_COUNT', { ...place, what: 'edges', found: this.taken, expected: edgeCount });
  }

  #outside(input: Input, field: number, what: string, limit: number): Error {
    return failure('PLM_HEAP_INDEX', {
      ...input.place(this.#rows.at[field]),
      what: `${what} of edge ${this.taken}`,
      value: this.#rows.values[field] as number,
      limit,
    });
  }
}

/** True for edge types whose name is a number (an array slot), not a string index. */
export function isNumbered(type: string): boolean {
  return type === 'element' || type === 'hidden';
}
