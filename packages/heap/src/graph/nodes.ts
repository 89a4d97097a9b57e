import { failure } from '../errors.ts';
import { detachedShift, type Columns } from '../kernel/columns.ts';
import { blockRows, type NodeRows } from '../kernel/jobs.ts';
import type { Kernel } from '../kernel/kernel.ts';
import { hasBit, setBit } from '../kernel/typescript/rows.ts';
import type { Layout } from './header.ts';
import type { Input } from './input.ts';
import { row, RowReader } from './row.ts';

/** What the reader of nodes fills and looks for. */
export interface NodeTarget {
  readonly columns: Columns;
  /** Ids, when they are kept. */
  readonly id: Uint32Array | null;
  /** Offset of every 64th row, when rows can be read again. */
  readonly blocks: Float64Array | null;
  /** String index of "Object"; 0xffffffff when it is not known yet. */
  readonly plainName: number;
  /** Ids whose nodes are wanted, as 65536 bits over the low 16 bits of the id. */
  readonly watched: Uint8Array;
  /** Number of strings; 0xffffffff when it is not known yet. */
  readonly stringCount: number;
  /** Room for what a kernel notes. */
  readonly notes: Uint32Array;
}

/** The reader of section "nodes": the kernel takes what is plain, this class the rest, with every check. */
export class NodeReader {
  readonly #layout: Layout;
  readonly #kernel: Kernel;
  readonly #job: NodeRows;
  readonly #largeSizes: Map<number, number>;
  readonly #rows: RowReader;
  readonly #usualOrder: boolean;
  /** Nodes on the watch list, by id. */
  readonly watched = new Map<number, number>();

  constructor(kernel: Kernel, layout: Layout, target: NodeTarget) {
    const { columns } = target;
    this.#layout = layout;
    this.#kernel = kernel;
    this.#largeSizes = columns.largeSizes;
    this.#rows = new RowReader(layout.nodeFields, 'nodes');
    const { node } = layout;
    const usual = [node.type, node.name, node.id, node.self_size, node.edge_count];
    this.#usualOrder = usual.every((at, k) => at === k) && layout.nodeFields <= 7;
    this.#job = {
      bytes: new Uint8Array(),
      start: 0,
      end: 0,
      base: 0,
      taken: 0,
      max: layout.nodeCount,
      fields: layout.nodeFields,
      detachedAt: node.detachedness,
      newline: false,
      types: layout.nodeTypes.length,
      names: target.stringCount,
      maxEdges: layout.edgeCount,
      plainType: layout.nodeTypes.indexOf('object'),
      plainName: target.plainName,
      watched: target.watched,
      watchList: target.notes,
      watchWords: 0,
      kind: columns.kind,
      name: columns.name,
      id: target.id,
      size: columns.size,
      firstEdge: columns.firstEdge,
      plain: columns.plain,
      blocks: target.blocks,
      edgeSum: 0,
      byteSum: 0,
      detachedBits: 0,
    };
  }

  get taken(): number {
    return this.#job.taken;
  }

  /** Self sizes of all nodes together. */
  get bytes(): number {
    return this.#job.byteSum;
  }

  /** True when the embedder has said of some node that it is attached or detached. */
  get knowsDetached(): boolean {
    return this.#job.detachedBits !== 0;
  }

  /** Takes the rows of the window; true when the section is finished. */
  take(input: Input): boolean {
    const job = this.#job;
    for (;;) {
      if (job.taken > 0 && this.#usualOrder) this.#fast(input);
      const outcome = this.#rows.take(input, job.taken === 0);
      if (outcome === row.needMore) return false;
      if (outcome !== row.empty) this.#store(input);
      if (outcome === row.taken) continue;
      this.#finish(input);
      return true;
    }
  }

  #fast(input: Input): void {
    const job = this.#job;
    job.bytes = input.bytes;
    job.start = input.start;
    job.end = input.end;
    job.base = input.offset(0);
    this.#kernel.nodes(job);
    input.start = job.start;
    for (let k = 0; k < job.watchWords; k += 2) {
      this.watched.set(job.watchList[k + 1] as number, job.watchList[k] as number);
    }
  }

  #store(input: Input): void {
    const job = this.#job;
    const { nodeCount, node: at, nodeTypes } = this.#layout;
    const { values } = this.#rows;
    const n = job.taken;
    if (n === nodeCount) {
      const place = input.place(this.#rows.at[0]);
      throw failure('PLM_HEAP_COUNT', { ...place, what: 'nodes or more', found: n + 1, expected: nodeCount });
    }
    const type = values[at.type] as number;
    const name = values[at.name] as number;
    const id = values[at.id] as number;
    const size = values[at.self_size] as number;
    if (type >= nodeTypes.length) throw this.#outside(input, at.type, 'type', nodeTypes.length);
    if (name >= job.names) throw this.#outside(input, at.name, 'name', job.names);
    if (id > 0xffff_ffff) throw this.#tooLarge(input, at.id, 'id');
    const detached = at.detachedness < 0 ? 0 : (values[at.detachedness] as number);
    if (detached > 3) throw this.#outside(input, at.detachedness, 'detachedness', 4);
    job.kind[n] = type | (detached << detachedShift);
    job.name[n] = name;
    if (job.id !== null) job.id[n] = id;
    if (size >= 0xffff_ffff) this.#largeSizes.set(n, size);
    job.size[n] = Math.min(size, 0xffff_ffff);
    job.byteSum += size;
    job.detachedBits |= detached;
    this.#count(input, values[at.edge_count] as number);
    if (name === job.plainName && type === job.plainType) setBit(job.plain, n);
    if (hasBit(job.watched, id & 0xffff)) this.watched.set(id, n);
    if (job.blocks !== null && n % blockRows === 0) {
      job.blocks[n / blockRows] = input.offset(Math.min(...this.#rows.at));
    }
    if (n === 0) job.newline = this.#rows.lineFeed;
    job.taken = n + 1;
  }

  #count(input: Input, edges: number): void {
    const job = this.#job;
    job.firstEdge[job.taken] = job.edgeSum;
    job.edgeSum += edges;
    if (job.edgeSum <= job.maxEdges) return;
    throw failure('PLM_HEAP_COUNT', {
      ...input.place(this.#rows.at[this.#layout.node.edge_count]),
      what: 'edges or more by the edge_count of the nodes',
      found: job.edgeSum,
      expected: job.maxEdges,
    });
  }

  #finish(input: Input): void {
    const { taken, edgeSum, firstEdge } = this.#job;
    const { nodeCount, edgeCount } = this.#layout;
    const place = input.place(input.start - 1);
    if (taken !== nodeCount) {
      throw failure('PLM_HEAP_COUNT', { ...place, what: 'nodes', found: taken, expected: nodeCount });
    }
    if (edgeSum !== edgeCount) {
      const what = 'edges by the edge_count of the nodes';
      throw failure('PLM_HEAP_COUNT', { ...place, what, found: edgeSum, expected: edgeCount });
    }
    firstEdge[nodeCount] = edgeCount;
  }

  #outside(input: Input, field: number, what: string, limit: number): Error {
    return failure('PLM_HEAP_INDEX', {
      ...input.place(this.#rows.at[field]),
      what: `${what} of node ${this.#job.taken}`,
      value: this.#rows.values[field] as number,
      limit,
    });
  }

  #tooLarge(input: Input, field: number, what: string): Error {
    return failure('PLM_HEAP_RANGE', {
      ...input.place(this.#rows.at[field]),
      what: `the ${what} of node ${this.#job.taken}`,
      limit: 0xffff_ffff,
    });
  }
}
