import { pagesFor, WasmArena, type SharedMemory } from './arena.ts';
import { webAssembly, type WasmModule } from './web-assembly.ts';
import type { EdgeRows, NodeRows, QuadRows, StringRows } from './jobs.ts';
import { kernelBytes } from './kernel-bytes.ts';
import {
  at,
  counter,
  down,
  firstStep,
  maxStep,
  up,
  type Call,
  type Exports,
  type View,
} from './wasm-call.ts';
import * as paths from './wasm-paths.ts';
import type { Kernel } from './kernel.ts';
import type { NameJob, ShapeJob, Totals, TotalsJob } from './typescript/classes.ts';
import * as plain from './typescript/classes.ts';
import * as groupsInPlain from './typescript/path-groups.ts';
import type { GroupJob, GroupState } from './typescript/path-groups.ts';
import type { SomePathsJob } from './typescript/paths.ts';
import * as surveyInPlain from './typescript/survey.ts';
import type { EdgeNameJob, RoleJob, SurveyNodes } from './typescript/survey.ts';
import type {
  Edges,
  Numbering,
  OwnedJob,
  SemidominatorJob,
  SemiJob,
  Sums,
  TargetRange,
} from './typescript/graph.ts';

const prefix = (text: string): bigint => Buffer.from(text.padEnd(8, '\0'), 'latin1').readBigUInt64LE();
const systemPrefix = prefix('system /');
const documentPrefix = prefix('(Documen');
const objectWord = prefix('Object"');

let compiled: WasmModule | undefined;

/** True when this runtime can run the kernel: WebAssembly with 128-bit vectors. */
export function hasWasm(): boolean {
  return webAssembly?.validate(Buffer.from(kernelBytes, 'base64')) ?? false;
}

/**
 * The kernel in WebAssembly, with a memory of its own or the shared one, which may hold anything. A memory is made with all the bytes that
 * it will need: once one has grown, V8 checks at every access to any typed array whether its buffer is still there, which makes our loops in
 * JavaScript take twice as long.
 */
export function wasmKernel(bytes: number, shared: SharedMemory = {}): Kernel {
  if (webAssembly === undefined) throw new Error('this runtime has no WebAssembly');
  compiled ??= new webAssembly.Module(Buffer.from(kernelBytes, 'base64'));
  shared.wasm ??= new webAssembly.Memory({ initial: pagesFor(bytes), maximum: 65_536 });
  const arena = new WasmArena(shared.wasm);
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
    return counter(this.#call, name);
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
    job.byteSum += (this.#call['byteSum'] as { readonly value: number }).value;
    job.detachedBits |= this.#value('detachedBits');
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
      job.notes.length - 3,
      at(job.blocks),
      job.base - window,
      job.plainNode,
      job.propertyWords,
      job.countAt,
    );
    job.taken += taken >>> 0;
    job.start = this.#value('position') - window;
    job.plainNode = this.#value('source');
    job.propertyWords = this.#value('propertyWords');
    job.countAt = this.#value('propertyCountAt');
    job.noteWords = this.#value('noteWords');
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
    job.noteWords = this.#value('stringNotes');
    job.offsetCount = this.#value('stringOffsets');
    for (let k = 0; k < job.offsetCount; k++) job.offsets[k] = (job.offsets[k] as number) - window;
    for (let k = 1; k < job.noteWords; k += 2) job.notes[k] = (job.notes[k] as number) - window;
  }

  ownedBits(job: OwnedJob, bits: Uint8Array, owner: Uint32Array): void {
    const { count, kind, name, types, native, nativeName } = job;
    const mark = this.#call['ownedBits'] as Call;
    up(0, count, (first, last) => {
      mark(first, last, at(kind), at(name), types[0], types[1], native, nativeName, at(bits), at(owner));
    });
  }

  owners(count: number, edges: Edges, owned: Uint8Array, owner: Uint32Array, stack: Uint32Array): void {
    const spread = this.#call['owners'] as Call;
    up(0, count, (first, last) => {
      spread(first, last, at(edges.firstEdge), at(edges.to), at(owned), at(owner), at(stack));
    });
  }

  moveSizes(
    first: number,
    count: number,
    owned: Uint8Array,
    owner: Uint32Array,
    kind: Uint8Array,
    synthetic: number,
    root: number,
    size: Uint32Array,
  ): number {
    const move = this.#call['moveSizes'] as Call;
    return move(first, count, at(owned), at(owner), at(kind), synthetic, root, at(size)) >>> 0;
  }

  visit(from: number, parentOf: number, next: number, edges: Edges, tree: Numbering): number {
    const walk = this.#call['visit'] as Call;
    let resume = 0;
    let number = next;
    let step = firstStep;
    do {
      number =
        walk(
          resume,
          number + step,
          from,
          parentOf,
          number,
          at(edges.firstEdge),
          at(edges.to),
          at(tree.order),
          at(tree.vertex),
          at(tree.parent),
          at(tree.seen),
          at(tree.stackNode),
          at(tree.stackEdge),
        ) >>> 0;
      resume = this.#value('walking');
      step = Math.min(step * 2, maxStep);
    } while (resume !== 0);
    return number;
  }

  renumber(job: SemiJob): void {
    const run = this.#call['renumber'] as Call;
    const { attached, cliques, user } = job;
    const graph = [job.firstEdge, job.to, job.order, job.vertex, job.semi, job.ends].map(at);
    up(0, job.count, (first, last) => void run(first, last, attached, cliques, user, ...graph));
  }

  positions(count: number, counts: Uint32Array): number {
    return (this.#call['positions'] as Call)(count, at(counts)) >>> 0;
  }

  reverse(job: SemiJob, range: TargetRange, sources: Uint32Array): void {
    const run = this.#call['reverse'] as Call;
    const { low, high, origin } = range;
    const { firstEdge, to, vertex, ends } = job;
    const list = (first: number, last: number): void => {
      run(first, last, low, high, origin, at(firstEdge), at(to), at(vertex), at(ends), at(sources));
    };
    down(job.user, job.attached, list);
    down(0, job.cliques, list);
  }

  link(count: number, links: Uint32Array, parent: Uint32Array): void {
    const run = this.#call['link'] as Call;
    up(0, count, (first, last) => void run(first, last, at(links), at(parent)));
  }

  semidominators({ low, high, origin }: TargetRange, job: SemidominatorJob): void {
    const run = this.#call['semidominators'] as Call;
    const { semi, links, ends, sources, path } = job;
    down(low, high, (first, last) => {
      run(first, last, low, origin, at(semi), at(links), at(ends), at(sources), at(path));
    });
  }

  nearest(count: number, semi: Uint32Array, dom: Uint32Array): void {
    const run = this.#call['nearest'] as Call;
    up(1, count, (first, last) => void run(first, last, at(semi), at(dom)));
  }

  invert(count: number, from: Uint32Array, to: Uint32Array): void {
    const run = this.#call['invert'] as Call;
    up(0, count, (first, last) => void run(first, last, at(from), at(to)));
  }

  retainerLists(
    edgeCount: number,
    to: Uint32Array,
    count: number,
    ends: Uint32Array,
    list: Uint32Array,
  ): void {
    const add = this.#call['countRetainers'] as Call;
    const enter = this.#call['listRetainers'] as Call;
    up(0, edgeCount, (first, last) => void add(first, last, at(to), at(ends)));
    this.positions(count, ends);
    up(0, edgeCount, (first, last) => void enter(first, last, at(to), at(ends), at(list)));
  }

  cheapestPaths(job: SomePathsJob): void {
    paths.cheapestPaths(this.#call, job);
  }

  classWords(job: GroupJob, first: number): number {
    return this.#holds(job.known)
      ? paths.classWords(this.#call, job, first)
      : groupsInPlain.classWords(job, first);
  }

  groupedPaths(job: GroupJob, state: GroupState): void {
    paths.groupedPaths(this.#call, job, state);
  }

  usedNames(job: SurveyNodes, used: Uint8Array): void {
    if (!this.#holds(used)) {
      surveyInPlain.usedNames(job, used);
      return;
    }
    const run = this.#call['usedNames'] as Call;
    const nodes = [job.kind, job.name, job.plain, job.acts, used].map(at);
    up(0, job.count, (first, last) => void run(first, last, ...nodes));
  }

  surveyNodes(job: RoleJob): number {
    if (!this.#holds(job.traits)) return surveyInPlain.surveyNodes(job);
    const run = this.#call['surveyNodes'] as Call;
    const nodes = [job.kind, job.name, job.plain].map(at);
    const edges = [job.size, job.firstEdge, job.to, job.vertex, job.order, job.retained].map(at);
    const tables = [job.acts, job.defaults, job.traits, job.inCode, job.roles, job.notes].map(at);
    const large = job.retained instanceof Float64Array ? 1 : 0;
    let words = 0;
    up(0, job.count, (first, last) => {
      run(
        first,
        last,
        ...nodes,
        job.objectName,
        ...edges,
        large,
        job.least,
        ...tables,
        words,
        job.notes.length,
      );
      words = this.#value('surveyNotes');
    });
    return words;
  }

  countTexts(
    job: SurveyNodes,
    string: number,
    rope: number,
    counts: Uint32Array,
  ): { count: number; bytes: number } {
    if (!this.#holds(counts)) return surveyInPlain.countTexts(job, string, rope, counts);
    const run = this.#call['countTexts'] as Call;
    const ropes = { count: 0, bytes: 0 };
    const nodes = [job.kind, job.name, job.size].map(at);
    up(0, job.count, (first, last) => {
      run(first, last, ...nodes, string, rope, at(counts));
      ropes.count += this.#value('ropeCount');
      ropes.bytes += (this.#call['ropeBytes'] as { readonly value: number }).value;
    });
    return ropes;
  }

  slicedTexts(job: SurveyNodes, pinned: Uint8Array, found: Uint32Array): number {
    const run = this.#call['slicedTexts'] as Call;
    const nodes = [job.kind, job.firstEdge, job.to, job.vertex, job.acts, pinned, found].map(at);
    let length = 0;
    up(0, job.count, (first, last) => {
      run(first, last, ...nodes, length);
      length = this.#value('sliceNotes');
    });
    return length;
  }

  unpin(job: SurveyNodes, pinned: Uint8Array): void {
    const run = this.#call['unpin'] as Call;
    const nodes = [job.kind, job.firstEdge, job.to, job.acts, pinned].map(at);
    up(0, job.count, (first, last) => void run(first, last, ...nodes));
  }

  edgesInto(edgeCount: number, to: Uint32Array, wanted: Uint8Array, found: Uint32Array): number {
    const run = this.#call['edgesInto'] as Call;
    let length = 0;
    up(0, edgeCount, (first, last) => {
      run(first, last, at(to), at(wanted), at(found), length, found.length);
      length = this.#value('edgeNotes');
    });
    return length;
  }

  edgeNames(job: EdgeNameJob, list: Uint32Array | null): number {
    if (!this.#holds(job.seen)) return surveyInPlain.edgeNames(job, list);
    const run = this.#call['edgeNames'] as Call;
    const { object, empty, most } = job;
    const views = [job.name, job.firstEdge, job.words, job.bits, job.seen, list].map(at);
    let length = 0;
    up(0, job.count, (first, last) => {
      run(first, last, object, empty, most, ...views, length);
      length = this.#value('namedEdges');
    });
    return length;
  }

  /** True for a view of the kernel's memory; what did not fit into it is an array of its own. */
  #holds(view: View): boolean {
    return view.buffer === this.arena.memory.buffer;
  }

  ownSizes(count: number, vertex: Uint32Array, size: Uint32Array, retained: Sums): void {
    const run = this.#call[retained instanceof Float64Array ? 'ownSizesLarge' : 'ownSizes'] as Call;
    up(0, count, (first, last) => void run(first, last, at(vertex), at(size), at(retained)));
  }

  sumUp(count: number, dom: Uint32Array, retained: Sums, members: Uint32Array): void {
    const run = this.#call[retained instanceof Float64Array ? 'sumUpLarge' : 'sumUp'] as Call;
    down(1, count, (first, last) => void run(first, last, at(dom), at(retained), at(members)));
  }

  treeOrder(
    count: number,
    dom: Uint32Array,
    members: Uint32Array,
    next: Uint32Array,
    sequence: Uint32Array,
  ): void {
    const run = this.#call['treeOrder'] as Call;
    up(1, count, (first, last) => void run(first, last, at(dom), at(members), at(next), at(sequence)));
  }

  totals(job: TotalsJob, sums: Totals): void {
    if (!this.#holds(sums.counts) || !this.#holds(job.sequence)) {
      plain.totals(job, sums);
      return;
    }
    const run = this.#call[job.retained instanceof Float64Array ? 'totalsLarge' : 'totals'] as Call;
    const walked = [job.sequence, job.vertex, job.members, job.classOf, job.size, job.retained].map(at);
    const summed = [sums.counts, sums.shallow, sums.kept, sums.until].map(at);
    up(0, job.count, (first, last) => void run(first, last, ...walked, ...summed));
  }

  nameClasses(job: NameJob): number {
    if (!this.#holds(job.byName)) return plain.nameClasses(job);
    const run = this.#call['nameClasses'] as Call;
    let classes = job.first;
    const nodes = [job.kind, job.name, job.plain, job.typeClass].map(at);
    const found = [job.byName, job.names, job.shapeClass, job.classOf].map(at);
    up(0, job.count, (first, last) => {
      run(first, last, ...nodes, job.first, classes, ...found);
      classes = this.#value('classCount');
    });
    return classes;
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
