import { failure } from '../errors.ts';
import { weakBit, type Columns } from '../kernel/columns.ts';
import type { SoftEdges } from './soft-edges.ts';
import { blockRows, type EdgeRows } from '../kernel/jobs.ts';
import type { Kernel } from '../kernel/kernel.ts';
import { look, nextPlain, openList } from '../kernel/typescript/rows.ts';
import type { EdgeNameColumn } from './row-file.ts';
import type { Layout } from './header.ts';
import type { Input } from './input.ts';
import { row, RowReader } from './row.ts';

/** What the reader of edges fills and looks for. */
export interface EdgeTarget {
  readonly columns: Columns;
  /** Types and names, when they are kept. */
  readonly names: EdgeNameColumn | null;
  readonly blocks: Float64Array | null;
  /** String indices have to be below; 0xffffffff when not known yet. */
  readonly stringCount: number;
  /** One bit per string: set where it names a WeakMap pair. */
  readonly pairs: Uint8Array;
  /** Receives the property names of plain objects, or null when names are kept. */
  readonly properties: Uint32Array | null;
  readonly notes: Uint32Array;
  /** Receives shortcuts and halves of WeakMap pairs. */
  readonly soft: SoftEdges;
}

/** The reader of section "edges": the kernel takes what is plain, this class the rest, with every check. */
export class EdgeReader {
  readonly #layout: Layout;
  readonly #kernel: Kernel;
  readonly #job: EdgeRows;
  readonly #names: EdgeNameColumn | null;
  readonly #soft: SoftEdges;
  readonly #rows: RowReader;
  readonly #usualOrder: boolean;

  constructor(kernel: Kernel, layout: Layout, target: EdgeTarget) {
    const { columns } = target;
    const type = (name: string): number => layout.edgeTypes.indexOf(name);
    this.#layout = layout;
    this.#kernel = kernel;
    this.#names = target.names;
    this.#soft = target.soft;
    this.#rows = new RowReader(layout.edgeFields, 'edges');
    const { edge } = layout;
    this.#usualOrder =
      layout.edgeFields === 3 && edge.type === 0 && edge.name_or_index === 1 && edge.to_node === 2;
    this.#job = {
      bytes: new Uint8Array(),
      start: 0,
      end: 0,
      base: 0,
      taken: 0,
      max: layout.edgeCount,
      fields: layout.nodeFields,
      newline: false,
      types: layout.edgeTypes.length,
      nodeCount: layout.nodeCount,
      weak: type('weak'),
      // Without strings no name can be told to be that of a pair.
      internal: target.stringCount === 0xffff_ffff ? -1 : type('internal'),
      shortcut: type('shortcut'),
      property: type('property'),
      numbered: layout.edgeTypes.reduce((bits, name, k) => (isNumbered(name) ? bits | (1 << k) : bits), 0),
      stringCount: target.stringCount,
      pairs: target.pairs,
      firstEdge: columns.firstEdge,
      plain: columns.plain,
      to: columns.to,
      names: target.names?.words ?? null,
      properties: target.properties,
      propertyWords: 0,
      countAt: 0,
      notes: target.notes,
      noteWords: 0,
      blocks: target.blocks,
      plainNode: layout.nodeCount,
    };
    const job = this.#job;
    if (target.properties === null) return;
    job.plainNode = nextPlain(columns.plain, 0, layout.nodeCount);
    if (job.plainNode < layout.nodeCount) job.countAt = job.propertyWords++;
  }

  get taken(): number {
    return this.#job.taken;
  }

  /** Words of the stream of property names, one list per plain object. */
  get propertyWords(): number {
    return this.#job.propertyWords;
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
    job.end = input.end;
    job.base = input.offset(0);
    let before = -1;
    // Once more when the list of notes was full.
    while (before !== job.taken) {
      before = job.taken;
      job.start = input.start;
      this.#kernel.edges(job);
      input.start = job.start;
      this.#note();
    }
  }

  /** Moves what was noted to the list of soft edges. */
  #note(): void {
    const { notes, noteWords } = this.#job;
    for (let k = 0; k < noteWords; k += 3) {
      this.#soft.add(notes[k] as number, notes[k + 1] as number, notes[k + 2] as number);
    }
  }

  #store(input: Input): void {
    const job = this.#job;
    const { edge: at, edgeTypes, nodeFields, nodeCount, edgeCount } = this.#layout;
    const { values } = this.#rows;
    const e = job.taken;
    if (e === edgeCount) {
      const place = input.place(this.#rows.at[0]);
      throw failure('PLM_HEAP_COUNT', { ...place, what: 'edges or more', found: e + 1, expected: edgeCount });
    }
    const type = values[at.type] as number;
    const name = values[at.name_or_index] as number;
    const target = (values[at.to_node] as number) / nodeFields;
    if (type >= edgeTypes.length) throw this.#outside(input, at.type, 'type', edgeTypes.length);
    if (target >= nodeCount || !Number.isInteger(target)) {
      throw this.#outside(input, at.to_node, 'to_node', nodeCount * nodeFields);
    }
    if (name > 0xffff_ffff) {
      const place = input.place(this.#rows.at[at.name_or_index]);
      throw failure('PLM_HEAP_RANGE', { ...place, what: `the name of edge ${e}`, limit: 0xffff_ffff });
    }
    if (name >= job.stringCount && ((job.numbered >>> type) & 1) === 0) {
      throw this.#outside(input, at.name_or_index, 'name', job.stringCount);
    }
    this.#names?.set(e, type, name);
    job.noteWords = 0;
    look(job, e, type, name);
    job.to[e] = type === job.weak ? (target | weakBit) >>> 0 : target;
    this.#note();
    if (job.blocks !== null && e % blockRows === 0) {
      job.blocks[e / blockRows] = input.offset(Math.min(...this.#rows.at));
    }
    if (e === 0) job.newline = this.#rows.lineFeed;
    job.taken = e + 1;
  }

  #finish(input: Input): void {
    const job = this.#job;
    const { edgeCount } = this.#layout;
    if (job.taken !== edgeCount) {
      const place = input.place(input.start - 1);
      throw failure('PLM_HEAP_COUNT', { ...place, what: 'edges', found: job.taken, expected: edgeCount });
    }
    // Closes the last list, and those of plain objects after the last edge, which are empty.
    openList(job, edgeCount);
  }

  #outside(input: Input, field: number, what: string, limit: number): Error {
    return failure('PLM_HEAP_INDEX', {
      ...input.place(this.#rows.at[field]),
      what: `${what} of edge ${this.#job.taken}`,
      value: this.#rows.values[field] as number,
      limit,
    });
  }
}

/** True for edge types whose name is a number (an array slot), not a string index. */
export function isNumbered(type: string): boolean {
  return type === 'element' || type === 'hidden';
}
