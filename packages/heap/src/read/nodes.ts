import { failure } from '../errors.ts';
import { detachedShift, type Columns } from '../graph/columns.ts';
import type { Layout } from './header.ts';
import type { Input } from './input.ts';
import { row, RowReader } from './row.ts';

type NodeColumns = Pick<Columns, 'kind' | 'name' | 'id' | 'size' | 'largeSizes' | 'firstEdge'>;

/** The reference reader of section "nodes": fills the node columns row by row. */
export class NodeReader {
  readonly #layout: Layout;
  readonly #columns: NodeColumns;
  readonly #rows: RowReader;
  taken = 0;
  edges = 0;
  /** Highest string index used as a node name; checked when the strings are known. */
  maxName = 0;

  constructor(layout: Layout, columns: NodeColumns) {
    this.#layout = layout;
    this.#columns = columns;
    this.#rows = new RowReader(layout.nodeFields, 'nodes');
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
    const { nodeCount, node: at, nodeTypes } = this.#layout;
    const { values } = this.#rows;
    const columns = this.#columns;
    const n = this.taken;
    if (n === nodeCount) {
      throw failure('PLM_HEAP_COUNT', {
        ...input.place(this.#rows.at[0]),
        what: 'nodes or more',
        found: n + 1,
        expected: nodeCount,
      });
    }
    const type = values[at.type] as number;
    const name = values[at.name] as number;
    const id = values[at.id] as number;
    const size = values[at.self_size] as number;
    if (type >= nodeTypes.length) throw this.#outside(input, at.type, 'type', nodeTypes.length);
    if (name > 0xffff_fffe) throw this.#tooLarge(input, at.name, 'name');
    if (id > 0xffff_ffff) throw this.#tooLarge(input, at.id, 'id');
    const detached = at.detachedness < 0 ? 0 : (values[at.detachedness] as number);
    if (detached > 3) throw this.#outside(input, at.detachedness, 'detachedness', 4);
    columns.kind[n] = type | (detached << detachedShift);
    columns.name[n] = name;
    columns.id[n] = id;
    if (size >= 0xffff_ffff) {
      columns.largeSizes.set(n, size);
      columns.size[n] = 0xffff_ffff;
    } else {
      columns.size[n] = size;
    }
    this.#count(input, values[at.edge_count] as number);
    if (name > this.maxName) this.maxName = name;
    this.taken = n + 1;
  }

  #count(input: Input, edges: number): void {
    this.#columns.firstEdge[this.taken] = this.edges;
    this.edges += edges;
    if (this.edges > this.#layout.edgeCount) {
      throw failure('PLM_HEAP_COUNT', {
        ...input.place(this.#rows.at[this.#layout.node.edge_count]),
        what: 'edges or more by the edge_count of the nodes',
        found: this.edges,
        expected: this.#layout.edgeCount,
      });
    }
  }

  #finish(input: Input): void {
    const { nodeCount, edgeCount } = this.#layout;
    const place = input.place(input.start - 1);
    if (this.taken !== nodeCount) {
      throw failure('PLM_HEAP_COUNT', { ...place, what: 'nodes', found: this.taken, expected: nodeCount });
    }
    if (this.edges !== edgeCount) {
      const what = 'edges by the edge_count of the nodes';
      throw failure('PLM_HEAP_COUNT', { ...place, what, found: this.edges, expected: edgeCount });
    }
    this.#columns.firstEdge[nodeCount] = edgeCount;
  }

  #outside(input: Input, field: number, what: string, limit: number): Error {
    return failure('PLM_HEAP_INDEX', {
      ...input.place(this.#rows.at[field]),
      what: `${what} of node ${this.taken}`,
      value: this.#rows.values[field] as number,
      limit,
    });
  }

  #tooLarge(input: Input, field: number, what: string): Error {
    return failure('PLM_HEAP_RANGE', {
      ...input.place(this.#rows.at[field]),
      what: `the ${what} of node ${this.taken}`,
      limit: 0xffff_ffff,
    });
  }
}
