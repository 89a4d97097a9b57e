import { WasmArena } from './arena.ts';
import { webAssembly, type WasmModule } from './web-assembly.ts';
import type { EdgeRows, NodeRows, QuadRows, StringRows } from './jobs.ts';
import { kernelBytes } from './kernel-bytes.ts';
import type { Kernel } from './kernel.ts';
import type { NameJob, ShapeJob, Totals, TotalsJob } from './typescript/classes.ts';
import * as plain from './typescript/classes.ts';
import type { Edges, Numbering, OwnedJob, SemiJob } from './typescript/graph.ts';

type Call = (...values: (number | bigint)[]) => number;
type Exports = Readonly<Record<string, Call>> & Readonly<Record<string, { readonly value: number }>>;

/** A view of the kernel's memory. */
type View = Uint8Array | Uint32Array | Float64Array;

const at = (view: View | null): number => view?.byteOffset ?? 0;
const prefix = (text: string): bigint => Buffer.from(text.padEnd(8, '\0'), 'latin1').readBigUInt64LE();
const systemPrefix = prefix('system /');
const documentPrefix = prefix('(Documen');
const objectWord = prefix('Object"');

let compiled: WasmModule | undefined;

/** True when this runtime can run the kernel: WebAssembly with 128-bit vectors. */
export function hasWasm(): boolean {
  return webAssembly?.validate(Buffer.from(kernelBytes, 'base64')) ?? false;
}

/** The kernel in WebAssembly, with a memory of its own. */
export function wasmKernel(): Kernel {
  if (webAssembly === undefined) throw new Error('this runtime has no WebAssembly');
  compiled ??= new webAssembly.Module(Buffer.from(kernelBytes, 'base64'));
  const arena = new WasmArena(new webAssembly.Memory({ initial: 1, maximum: 65_536 }));
  const instance = new webAssembly.Instance(compiled, { env: { memory: arena.memory } });
  return new WasmKernel(arena, instance.exports as unknown as Exports);
}

class WasmKernel implements Kernel {
  readonly name = 'wasm';
  readonly arena: WasmArena;
  readonly #call: Exports;

  constructor(arena: WasmArena, call: Exports) {
    this.arena = arena;
    this.#call = call;
  }

  /** An exported counter, as an unsigned number. */
  #value(name: string): number {
    return (this.#call[name] as { readonly value: number }).value >>> 0;
  }

  nodes(job: NodeRows): void {
    const window = at(job.bytes);
    const taken = (this.#call['nodes'] as Call)(
      window + job.start,
      window + job.end,
      job.taken,
      job.max,
      job.fields,
      job.detachedAt,
      job.newline ? 1 : 0,
      job.types,
      job.names,
      job.maxEdges,
      job.plainType,
      job.plainName,
      at(job.watched),
      at(job.watchList),
      at(job.kind),
      at(job.name),
      at(job.id),
      at(job.size),
      at(job.firstEdge),
      at(job.plain),
      at(job.blocks),
      job.base - window,
      job.edgeSum,
    );
    job.taken += taken >>> 0;
    job.start = this.#value('position') - window;
    job.edgeSum = this.#value('edgeSum');
    job.watchWords = this.#value('noteWords');
  }

  edges(job: EdgeRows): void {
    const window = at(job.bytes);
    const taken = (this.#call['edges'] as Call)(
      window + job.start,
      window + job.end,
      job.taken,
      job.max,
      job.fields,
      job.newline ? 1 : 0,
      job.types,
      job.nodeCount,
      job.root,
      job.weak,
      job.internal,
      job.shortcut,
      job.property,
      job.numbered,
      job.stringCount,
      at(job.pairs),
      at(job.firstEdge),
      at(job.plain),
      at(job.to),
      at(job.names),
      at(job.properties),
      at(job.notes),
      job.notes.length - 4,
      at(job.blocks),
      job.base - window,
      job.source,
      job.propertyWords,
      job.countAt,
    );
    job.taken += taken >>> 0;
    job.start = this.#value('position') - window;
    job.source = this.#value('source');
    job.propertyWords = this.#value('propertyWords');
    job.countAt = this.#value('propertyCountAt');
    job.noteWords = this.#value('noteWords');
    job.sourceIsPlain =
      job.properties !== null && (((job.plain[job.source >>> 3] as number) >>> (job.source & 7)) & 1) === 1;
  }

  quads(job: QuadRows): void {
    const window = at(job.bytes);
    const taken = (this.#call['quads'] as Call)(
      window + job.start,
      window + job.end,
      job.taken,
      job.max,
      job.newline ? 1 : 0,
      at(job.out),
    );
    job.taken += taken >>> 0;
    job.start = this.#value('position') - window;
  }

  strings(job: StringRows): void {
    const window = at(job.bytes);
    const begun = (this.#call['strings'] as Call)(
      window + job.start,
      window + job.end,
      job.last ? 1 : 0,
      job.state,
      job.count,
      at(job.offsets),
      at(job.notes),
      systemPrefix,
      documentPrefix,
      objectWord,
    );
    job.count += begun >>> 0;
    job.start = this.#value('stringPosition') - window;
    job.state = this.#value('stringState');
    job.noteCount = this.#value('stringNotes');
    job.offsetCount = this.#value('stringOffsets');
    for (let k = 0; k < job.offsetCount; k++) job.offsets[k] = (job.offsets[k] as number) - window;
  }

  owners(count: number, edges: Edges, owned: Uint8Array, owner: Uint32Array, stack: Uint32Array): void {
    (this.#call['owners'] as Call)(count, at(edges.firstEdge), at(edges.to), at(owned), at(owner), at(stack));
  }

  moveSizes(
    first: number,
    count: number,
    owner: Uint32Array,
    kind: Uint8Array,
    synthetic: number,
    root: number,
    size: Uint32Array,
  ): number {
    const move = this.#call['moveSizes'] as Call;
    return move(first, count, at(owner), at(kind), synthetic, root, at(size)) >>> 0;
  }

  invert(count: number, from: Uint32Array, to: Uint32Array): void {
    (this.#call['invert'] as Call)(count, at(from), at(to));
  }

  ownedBits(job: OwnedJob, bits: Uint8Array): void {
    const { count, kind, name, types, native, nativeName } = job;
    (this.#call['ownedBits'] as Call)(
      count,
      at(kind),
      at(name),
      types[0],
      types[1],
      native,
      nativeName,
      at(bits),
    );
  }

  visit(from: number, parentOf: number, next: number, edges: Edges, tree: Numbering): number {
    const number = (this.#call['visit'] as Call)(
      from,
      parentOf,
      next,
      at(edges.firstEdge),
      at(edges.to),
      at(tree.order),
      at(tree.vertex),
      at(tree.parent),
      at(tree.seen),
      at(tree.stackNode),
      at(tree.stackEdge),
    );
    return number >>> 0;
  }

  markTargets(firstEdge: number, lastEdge: number, to: Uint32Array, bits: Uint8Array): void {
    (this.#call['markTargets'] as Call)(firstEdge, lastEdge, at(to), at(bits));
  }

  renumber(job: SemiJob): number {
    const back = (this.#call['renumber'] as Call)(
      job.count,
      job.attached,
      job.user,
      at(job.firstEdge),
      at(job.to),
      at(job.order),
      at(job.vertex),
      at(job.parent),
      at(job.semi),
      at(job.ends),
    );
    return back >>> 0;
  }

  positions(count: number, counts: Uint32Array): number {
    return (this.#call['positions'] as Call)(count, at(counts)) >>> 0;
  }

  reverse(job: SemiJob, sources: Uint32Array): void {
    const list = this.#call['reverse'] as Call;
    list(job.attached, at(job.firstEdge), at(job.to), at(job.vertex), at(job.ends), at(sources));
  }

  dominators(
    count: number,
    semi: Uint32Array,
    links: Uint32Array,
    ends: Uint32Array,
    sources: Uint32Array,
    dom: Uint32Array,
    path: Uint32Array,
  ): void {
    const run = this.#call['dominators'] as Call;
    run(count, at(semi), at(links), at(ends), at(sources), at(dom), at(path));
  }

  ownSizes(count: number, vertex: Uint32Array, size: Uint32Array, retained: Float64Array): void {
    (this.#call['ownSizes'] as Call)(count, at(vertex), at(size), at(retained));
  }

  sumUp(count: number, dom: Uint32Array, retained: Float64Array, members: Uint32Array): void {
    (this.#call['sumUp'] as Call)(count, at(dom), at(retained), at(members));
  }

  treeOrder(
    count: number,
    dom: Uint32Array,
    members: Uint32Array,
    next: Uint32Array,
    sequence: Uint32Array,
  ): void {
    (this.#call['treeOrder'] as Call)(count, at(dom), at(members), at(next), at(sequence));
  }

  totals(job: TotalsJob, sums: Totals): void {
    if (sums.counts.buffer !== this.arena.memory.buffer) {
      plain.totals(job, sums);
      return;
    }
    (this.#call['totals'] as Call)(
      job.count,
      at(job.sequence),
      at(job.vertex),
      at(job.members),
      at(job.classOf),
      at(job.size),
      at(job.retained),
      at(sums.counts),
      at(sums.shallow),
      at(sums.kept),
      at(sums.until),
    );
  }

  nameClasses(job: NameJob): number {
    (this.#call['nameClasses'] as Call)(
      job.count,
      at(job.kind),
      at(job.name),
      at(job.typeClass),
      job.first,
      at(job.byName),
      at(job.names),
      at(job.classOf),
    );
    return this.#value('classCount');
  }

  shapes(job: ShapeJob): void {
    const end = (this.#call['shapes'] as Call)(
      at(job.stream),
      job.at,
      job.end,
      job.lists,
      job.groups,
      at(job.table),
      job.table.length,
      at(job.firstAt),
      at(job.counts),
      at(job.groupOf),
    );
    job.at = end >>> 0;
    job.groups = this.#value('shapeCount');
    job.lists = this.#value('shapeLists');
  }
}
