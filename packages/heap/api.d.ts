// entry @plimsoll/heap
// dist/index.d.ts
export { analyze, analyzeOpened, isAtLeast, type Analysis, type AnalyzeOptions } from './analysis.ts';
export { captureStream, captureToFile, type CaptureOptions, type CaptureResult } from './capture/capture.ts';
export { costNow, costOf, type SnapshotCost } from './capture/cost.ts';
export { predictCapture, type GuardOptions } from './capture/guard.ts';
export type { CapturePrediction } from './capture/prediction.ts';
export { diff, type Diff, type DiffOptions, type Growth } from './diff/diff.ts';
export { catalogue as heapErrors, HeapError, isHeapError, type HeapErrorCode } from './errors.ts';
export type { KnownLeak, KnownLeakMatcher } from './known-leaks/known-leak.ts';
export { open, type DominatorRow, type HeapObject, type Snapshot, type SnapshotOptions, } from './opened-snapshot.ts';
export { redact, type RedactOptions, type RedactResult } from './redact/redact.ts';
export { analysisText } from './report/analysis-text.ts';
export { bytesText } from './report/byte-text.ts';
export { diffText } from './report/diff-text.ts';
export { colours, plain, type Paint } from './report/paint.ts';
export { classText, nodeText, scopeText } from './report/question-text.ts';
export { renderHtml } from './report/render.ts';
export { traceText } from './report/trace-text.ts';
export { openSnapshot, type HeapGraph } from './snapshot.ts';
export type { Severity, Suspect } from './suspects/suspects.ts';
export type { LeakTrace, TraceStep } from './trace/leak-trace.ts';
export type { ScopeRow } from './trace/scope-roots.ts';

// dist/analysis.d.ts
import type { Readable } from 'node:stream';
import type { ConstructorRow } from './dominators/constructors.ts';
import { type Snapshot, type SnapshotOptions } from './opened-snapshot.ts';
import type { Observation } from './suspects/observations.ts';
import type { Severity, Suspect } from './suspects/suspects.ts';
import type { ScopeRow } from './trace/scope-roots.ts';
/** What `plimsoll analyze FILE --json` prints. */
export interface Analysis {
    readonly file: string;
    readonly fileBytes: number;
    readonly nodes: number;
    readonly edges: number;
    readonly heapBytes: number;
    /** `graph` is the time for the constructor table, `suspects` that for suspects and observations. */
    readonly ms: {
        readonly read: number;
        readonly graph: number;
        readonly dominators: number;
        readonly suspects: number;
        readonly total: number;
    };
    readonly peakRssBytes: number;
    readonly constructors: readonly ConstructorRow[];
    readonly suspects: readonly Suspect[];
    readonly observations: readonly Observation[];
    readonly scopes?: readonly ScopeRow[];
    /** The highest severity of the suspects, `info` without any. */
    readonly severity: Severity;
    /** True when string values and keys are shown as they are. */
    readonly showsStrings: boolean;
}
export interface AnalyzeOptions extends SnapshotOptions {
    /** Rows of the constructor table; default 20. */
    readonly top?: number;
    /** Suspects at most; default 5. */
    readonly suspects?: number;
}
/** True when the severity reaches the bar. */
export declare function isAtLeast(severity: Severity, bar: Severity): boolean;
/** Opens a snapshot, answers the questions of a report, and closes it. */
export declare function analyze(source: string | AsyncIterable<Uint8Array> | Readable, options?: AnalyzeOptions): Promise<Analysis>;
/** The answers for a snapshot that is already open; `readMs` is what opening it took. */
export declare function analyzeOpened(snapshot: Snapshot, readMs: number, options?: AnalyzeOptions): Analysis;

// dist/dominators/constructors.d.ts
import type { Scan } from '../read/scan.ts';
import type { DominatorTree } from './tree.ts';
/** One row of the constructor table. */
export interface ConstructorRow {
    readonly name: string;
    readonly count: number;
    /** Own bytes, backing stores included. */
    readonly shallowBytes: number;
    /** Bytes kept alive by the instances together, none counted twice. */
    readonly retainedBytes: number;
}
/** The constructor table of Chrome DevTools, largest retained first. */
export declare function constructorTable(scan: Scan, tree: DominatorTree): readonly ConstructorRow[];

// dist/read/scan.d.ts
import type { Columns } from '../graph/columns.ts';
import { SoftEdges } from '../graph/soft-edges.ts';
import type { Workspace } from '../graph/workspace.ts';
import type { Kernel } from '../kernel/kernel.ts';
import type { EdgeNames } from './edge-names.ts';
import { type Layout } from './header.ts';
import type { Ids } from './ids.ts';
import { type Breath, type ByteSource } from './input.ts';
import { Locations } from './locations.ts';
import type { KnownNames } from './names.ts';
import { type ShapeLists } from './shape-lists.ts';
import { type StringTable } from './string-table.ts';
/** Everything that one pass over a snapshot yields. */
export interface Scan {
    readonly kernel: Kernel;
    readonly layout: Layout;
    readonly columns: Columns;
    readonly space: Workspace;
    readonly ids: Ids;
    readonly edgeNames: EdgeNames;
    readonly strings: StringTable;
    readonly names: KnownNames;
    /** Nodes that are tables of WeakMaps, by id. */
    readonly tables: ReadonlyMap<number, number>;
    readonly soft: SoftEdges;
    readonly locations: Locations;
    /** Shapes of plain objects; the name of a plain object is replaced by its shape. */
    readonly shapes: ShapeLists;
    /** True when names were known before nodes and edges were read. */
    readonly stringsFirst: boolean;
    /** Self sizes of all nodes together. */
    readonly heapBytes: number;
    /** True when the embedder has said of some node that it is attached or detached. */
    readonly knowsDetached: boolean;
    /** Size of the text. */
    readonly bytes: number;
}
export interface ScanOptions {
    readonly kernel: 'auto' | 'wasm' | 'typescript';
    readonly breath: Breath;
    /** Reads no edges: enough for a histogram, and most of a file is edges. */
    readonly nodesOnly?: boolean;
}
/**
 * Reads a snapshot once. The strings of a plain file are looked at first, because names decide what is worth keeping of
 * nodes and edges; types and names of edges then stay in the file. A stream is read in order and keeps them in memory.
 */
export declare function scan(source: ByteSource, options: ScanOptions): Promise<Scan>;

// dist/graph/columns.d.ts
/** Marks an edge target whose edge retains nothing; node numbers stay below it. */
export declare const weakBit = 2147483648;
/** Low bits of `kind`: the node type; the two bits above are the detachedness. */
export declare const typeMask = 63;
export declare const detachedShift = 6;
/** Nodes and edges of a snapshot as flat columns: 13 bytes per node and 4 per edge. */
export interface Columns {
    readonly nodeCount: number;
    readonly edgeCount: number;
    /** Node type in the low 6 bits, detachedness in the upper 2. */
    readonly kind: Uint8Array;
    /** String index of the node name. */
    readonly name: Uint32Array;
    /** Self size; 0xffffffff means: look into `largeSizes`. */
    readonly size: Uint32Array;
    readonly largeSizes: Map<number, number>;
    /** First edge of each node, and one entry more for the end of the last. */
    readonly firstEdge: Uint32Array;
    /**
     * Target of each edge: a node, and once dominators are known its preorder number. `weakBit` is set on edges of type
     * "weak" and on edges to the node itself; once dominators are known, on all that do not retain.
     */
    readonly to: Uint32Array;
    /** One bit per node: set for plain objects, when their name was known before the nodes were read. */
    readonly plain: Uint8Array;
}
/** Self size of a node in bytes. */
export declare function sizeOf(columns: Columns, node: number): number;

// dist/graph/soft-edges.d.ts
/**
 * Edges that are not weak and yet need judgement: shortcuts, and edges named like one half of a WeakMap pair.
 * Three words each: edge, edge type, name.
 */
export declare class SoftEdges {
    #private;
    get count(): number;
    add(edge: number, type: number, name: number): void;
    /** Drops the edges that do retain. */
    keep(isSoft: (edge: number, type: number, name: number) => boolean): void;
    forEach(visit: (edge: number) => void): void;
}

// dist/graph/workspace.d.ts
import type { Arena } from '../kernel/arena.ts';
/**
 * Memory that reading, dominators and sums by class use one after the other. Every region is reserved at its largest;
 * pages that are never touched cost nothing. The comments say who uses a region when, in order of time.
 */
export interface Workspace {
    /** Groups of shapes, then node by preorder number (kept). */
    readonly vertex: Uint32Array;
    /** First list of each group, then parents, then immediate dominators (kept). */
    readonly dom: Uint32Array;
    /** Hash table of groups; owners and their stack; depth-first stacks and numbers; semidominators and links; retained bytes and subtree sizes (kept). */
    readonly triple: Uint32Array;
    /** Counts of groups, then ends of reverse lists, then tree order, then number by node (kept). */
    readonly ends: Uint32Array;
    /** Property names of plain objects, then locations, then reverse lists, then tree order and classes, then retainers. */
    readonly sources: Uint32Array;
    /** The path that is being compressed; later positions of retainer lists. */
    readonly path: Uint32Array;
    /** One bit per node: backing stores, then nodes that have a number. */
    readonly seen: Uint8Array;
    /** One bit per node: nodes that something retains. */
    readonly marked: Uint8Array;
}
/** How many bytes an arena has to reserve for a workspace. */
export declare function workspaceBytes(nodeCount: number, edgeCount: number): number;
export declare function allocateWorkspace(arena: Arena, nodeCount: number, edgeCount: number): Workspace;
/** Part of a region, as 8-byte numbers. */
export declare function asFloats(region: Uint32Array, length: number): Float64Array;

// dist/kernel/arena.d.ts
import type { WasmMemory } from './web-assembly.ts';
/** Where columns live: plain typed arrays, or regions of a WebAssembly memory. */
export interface Arena {
    /** Makes room for this many bytes in one go; views handed out before must not be used after. */
    reserve(bytes: number): void;
    bytes(length: number): Uint8Array;
    words(length: number): Uint32Array;
    floats(length: number): Float64Array;
}
/** Regions begin on this boundary, so that vectors and cache lines are not split. */
export declare const regionAlign = 64;
/** Columns as separate arrays of the JavaScript heap; the operating system gives pages when they are touched. */
export declare class PlainArena implements Arena {
    reserve(): void;
    bytes(length: number): Uint8Array;
    words(length: number): Uint32Array;
    floats(length: number): Float64Array;
}
/** Columns as regions of one WebAssembly memory, given out in order and never taken back. */
export declare class WasmArena implements Arena {
    #private;
    readonly memory: WasmMemory;
    constructor(memory: WasmMemory);
    reserve(bytes: number): void;
    bytes(length: number): Uint8Array;
    words(length: number): Uint32Array;
    floats(length: number): Float64Array;
}

// dist/kernel/web-assembly.d.ts
/** The part of WebAssembly that is used here; neither the ECMAScript library nor Node's types declare it. */
export interface WasmMemory {
    readonly buffer: ArrayBuffer;
    grow(pages: number): number;
}
export interface WasmModule {
    readonly __module: never;
}
interface WebAssemblyApi {
    validate(bytes: Uint8Array): boolean;
    readonly Module: new (bytes: Uint8Array) => WasmModule;
    readonly Memory: new (limits: {
        initial: number;
        maximum: number;
    }) => WasmMemory;
    readonly Instance: new (module: WasmModule, imports: object) => {
        readonly exports: Record<string, unknown>;
    };
}
/** Undefined where the runtime was started without it (`--jitless`). */
export declare const webAssembly: WebAssemblyApi | undefined;
export {};

// dist/kernel/kernel.d.ts
import type { Arena } from './arena.ts';
import type { EdgeRows, NodeRows, QuadRows, StringRows } from './jobs.ts';
import type * as classes from './typescript/classes.ts';
import type * as graph from './typescript/graph.ts';
/**
 * The hot loops. There are two: plain TypeScript, which is the reference and runs everywhere, and WebAssembly, which
 * has to give the same bits. Arrays handed to a method have to come from `arena`, except those of the sums by class.
 */
export interface Kernel {
    readonly name: 'typescript' | 'wasm';
    readonly arena: Arena;
    nodes(job: NodeRows): void;
    edges(job: EdgeRows): void;
    quads(job: QuadRows): void;
    strings(job: StringRows): void;
    readonly ownedBits: typeof graph.ownedBits;
    readonly owners: typeof graph.owners;
    readonly moveSizes: typeof graph.moveSizes;
    readonly visit: typeof graph.visit;
    readonly renumber: typeof graph.renumber;
    readonly positions: typeof graph.positions;
    readonly reverse: typeof graph.reverse;
    readonly link: typeof graph.link;
    readonly semidominators: typeof graph.semidominators;
    readonly nearest: typeof graph.nearest;
    readonly invert: typeof graph.invert;
    readonly ownSizes: typeof graph.ownSizes;
    readonly sumUp: typeof graph.sumUp;
    readonly retainerLists: typeof graph.retainerLists;
    readonly search: typeof graph.search;
    readonly treeOrder: typeof classes.treeOrder;
    readonly totals: typeof classes.totals;
    readonly nameClasses: typeof classes.nameClasses;
    readonly shapes: typeof classes.shapes;
}

// dist/kernel/jobs.d.ts
/** The state of reading one section: what a kernel reads from, where it writes to, and how far it came. */
/** Every how many rows the offset in the file is kept, so that a row can be read again. */
export declare const blockRows = 64;
/** A part of the window: rows are taken from `start` on and never beyond `end`. */
export interface WindowJob {
    bytes: Uint8Array;
    start: number;
    end: number;
    /** Absolute offset of `bytes[0]`. */
    base: number;
}
/** Section "nodes". */
export interface NodeRows extends WindowJob {
    /** Rows taken so far. */
    taken: number;
    readonly max: number;
    readonly fields: number;
    /** Position of "detachedness" in a row; -1 without. */
    readonly detachedAt: number;
    /** Rows end with a line feed before the comma. */
    newline: boolean;
    readonly types: number;
    /** Names have to be below: the number of strings, or 0xffffffff when it is not known yet. */
    readonly names: number;
    readonly maxEdges: number;
    /** Node type and string index of plain objects; the index is 0xffffffff when it is not known yet. */
    readonly plainType: number;
    readonly plainName: number;
    /** 65536 bits: nodes whose id has its low 16 bits set here are put on the watch list. */
    readonly watched: Uint8Array;
    /** Pairs of node and id. */
    readonly watchList: Uint32Array;
    watchWords: number;
    readonly kind: Uint8Array;
    readonly name: Uint32Array;
    readonly id: Uint32Array | null;
    readonly size: Uint32Array;
    readonly firstEdge: Uint32Array;
    readonly plain: Uint8Array;
    readonly blocks: Float64Array | null;
    edgeSum: number;
    /** Self sizes of all rows so far together. */
    byteSum: number;
    /** All marks of detachedness so far, or-ed. */
    detachedBits: number;
}
/** Section "edges". */
export interface EdgeRows extends WindowJob {
    taken: number;
    readonly max: number;
    /** Fields of a node row: targets are written as row positions. */
    readonly fields: number;
    newline: boolean;
    readonly types: number;
    readonly nodeCount: number;
    readonly weak: number;
    readonly internal: number;
    readonly shortcut: number;
    readonly property: number;
    /** One bit per edge type: set where the name is a slot number. */
    readonly numbered: number;
    /** String indices have to be below; 0xffffffff when not known yet. */
    readonly stringCount: number;
    /** One bit per string: set where it names a WeakMap pair. */
    readonly pairs: Uint8Array;
    readonly firstEdge: Uint32Array;
    readonly plain: Uint8Array;
    readonly to: Uint32Array;
    /** Type and name of each edge, when they are kept. */
    readonly names: Uint32Array | null;
    /** Stream of `[count, name...]` per plain object, or null when names are kept. */
    readonly properties: Uint32Array | null;
    propertyWords: number;
    /** Where the open list begins, with its count. */
    countAt: number;
    /** Three words each: edge, type, name. */
    readonly notes: Uint32Array;
    noteWords: number;
    readonly blocks: Float64Array | null;
    /** The plain object whose list is open, or the number of nodes when there is none. */
    plainNode: number;
}
/** Section "locations" in the usual field order. */
export interface QuadRows extends WindowJob {
    taken: number;
    readonly max: number;
    newline: boolean;
    readonly out: Uint32Array;
}
/** Section "strings". */
export interface StringRows extends WindowJob {
    /** True when the window holds the rest of the input. */
    last: boolean;
    /** 0 between strings, 1 inside, 2 after a backslash, 3 after a comma, 4 at the end, 5 at a byte that may not be. */
    state: number;
    count: number;
    /** Positions in the window of every 16th string. */
    readonly offsets: Uint32Array;
    offsetCount: number;
    /** Strings worth a look, two words each: number, and position of the opening quote in the window. */
    readonly notes: Uint32Array;
    noteWords: number;
}

// dist/kernel/typescript/classes.d.ts
import type { Sums } from './graph.ts';
type Words = Uint32Array;
/**
 * The preorder of the dominator tree: `sequence[q]` is the vertex at position q; its `members` follow it. The root has
 * to be entered already, as `next[0] = 1` and `sequence[0] = 0`.
 */
export declare function treeOrder(count: number, dom: Words, members: Words, next: Words, sequence: Words): void;
/** Sums by class; the arrays have one entry per class and begin as zeros. */
export interface Totals {
    readonly counts: Words;
    readonly shallow: Float64Array;
    readonly kept: Float64Array;
    readonly until: Words;
}
/** What `totals` walks over. */
export interface TotalsJob {
    readonly count: number;
    readonly sequence: Words;
    readonly vertex: Words;
    readonly members: Words;
    readonly classOf: Words;
    readonly size: Words;
    readonly retained: Sums;
}
/** Sums by class over the tree order; an instance below another of its class adds no retained bytes. */
export declare function totals(job: TotalsJob, sums: Totals): void;
/** What `nameClasses` works on. */
export interface NameJob {
    readonly count: number;
    readonly kind: Uint8Array;
    readonly name: Words;
    /** One bit per node: set for plain objects, whose `name` is their shape. */
    readonly plain: Uint8Array;
    /** Class by node type; 0xffffffff where the name decides. */
    readonly typeClass: Words;
    /** Classes that exist already. */
    readonly first: number;
    /** One word per string, zeros. */
    readonly byName: Words;
    /** Receives the string index of each new class. */
    readonly names: Words;
    /** Class by shape. */
    readonly shapeClass: Words;
    readonly classOf: Words;
}
/** Class of every node; returns how many classes there are. */
export declare function nameClasses(job: NameJob): number;
/** Grouping equal lists of a stream `[length, word...]*`. */
export interface ShapeJob {
    readonly stream: Words;
    readonly end: number;
    /** Position in the stream. */
    at: number;
    /** Lists grouped so far. */
    lists: number;
    groups: number;
    /** Open addressing, a power of two of slots, zeros; grouping stops when it is half full. */
    table: Words;
    readonly firstAt: Words;
    readonly counts: Words;
    readonly groupOf: Words;
}
/** Groups lists until the stream ends or the table is half full. */
export declare function shapes(job: ShapeJob): void;
/** Enters all groups found so far into `job.table`, which is cleared first. */
export declare function rehash(job: ShapeJob): void;
export {};

// dist/kernel/typescript/graph.d.ts
type Words = Uint32Array;
/** Edges by source node. */
export interface Edges {
    readonly firstEdge: Words;
    readonly to: Words;
}
/** Spreads ownership from every node that owns itself to the backing stores (`owned` bits) it alone reaches. */
export declare function owners(count: number, { firstEdge, to }: Edges, owned: Uint8Array, owner: Words, stack: Words): void;
/** Moves the size of each backing store to its owner; stops at a sum beyond 32 bits and returns that node. */
export declare function moveSizes(first: number, count: number, owned: Uint8Array, owner: Words, kind: Uint8Array, synthetic: number, root: number, size: Words): number;
/** The spanning tree while it grows; see `SpanningTree`. */
export interface Numbering {
    readonly order: Words;
    readonly vertex: Words;
    readonly parent: Words;
    readonly seen: Uint8Array;
    readonly stackNode: Words;
    readonly stackEdge: Words;
}
/** Numbers depth-first all that `from` reaches and that has no number yet; returns the next free number. */
export declare function visit(from: number, parentOf: number, next: number, { firstEdge, to }: Edges, tree: Numbering): number;
/** What `renumber` and `reverse` work on. */
export interface SemiJob extends Edges {
    readonly count: number;
    /** Edges out of vertices from `attached` on, and from `cliques` to below `user`, say nothing about dominators. */
    readonly attached: number;
    readonly cliques: number;
    /** From this preorder number on, nodes are the debugger's: their edges into the user's retain nothing. */
    readonly user: number;
    readonly order: Words;
    readonly vertex: Words;
    readonly parent: Words;
    readonly semi: Words;
    readonly ends: Words;
}
/** Rewrites targets to preorder numbers, takes semidominators from forward edges, counts the other edges per target. */
export declare function renumber(job: SemiJob): void;
/** Turns counts into positions: entry `i` becomes the sum of all before it. */
export declare function positions(count: number, counts: Words): number;
/** Targets from `low` to below `high`, whose lists begin at `origin` of all lists. */
export interface TargetRange {
    readonly low: number;
    readonly high: number;
    readonly origin: number;
}
/**
 * Lists the sources of back and cross edges into a range of targets. `ends` holds where the list of each target begins
 * among all lists and becomes where it ends.
 */
export declare function reverse(job: SemiJob, { low, high, origin }: TargetRange, sources: Words): void;
/** Pairs of label and ancestor: each vertex is its own label, below its parent. */
export declare function link(count: number, links: Words, parent: Words): void;
/** What `semidominators` works on. */
export interface SemidominatorJob {
    readonly semi: Words;
    /** Pairs of label and ancestor, side by side because a step up a path needs both. */
    readonly links: Words;
    readonly ends: Words;
    readonly sources: Words;
    readonly path: Words;
}
/**
 * Lowers `semi` to the semidominators of a range, from its last vertex to its first, with path compression. This and
 * `nearest` are semi-NCA (Georgiadis, Tarjan, Werneck: "Finding dominators in practice", 2006) in preorder numbers.
 */
export declare function semidominators({ low, high, origin }: TargetRange, job: SemidominatorJob): void;
/** Turns parents into immediate dominators: the nearest ancestor that is not above the semidominator. */
export declare function nearest(count: number, semi: Words, dom: Words): void;
/** Sums of bytes: 32 bits where all sizes together fit, else floating point. */
export type Sums = Uint32Array | Float64Array;
/** Self sizes by preorder number, before they are summed. */
export declare function ownSizes(count: number, vertex: Words, size: Words, retained: Sums): void;
/** Adds each vertex's bytes and subtree size to its dominator, last first. */
export declare function sumUp(count: number, dom: Words, retained: Sums, members: Words): void;
/** What `ownedBits` looks at. */
export interface OwnedJob {
    readonly count: number;
    readonly kind: Uint8Array;
    readonly name: Words;
    /** 64 bits over node types, low word first. */
    readonly types: readonly [number, number];
    /** A type of which only nodes named `nativeName` count. */
    readonly native: number;
    readonly nativeName: number;
}
/** Marks the backing stores, which nobody owns yet: nodes of certain types, and one kind of native node. */
export declare function ownedBits(job: OwnedJob, bits: Uint8Array, owner: Words): void;
/** Turns a permutation around: `to[from[i]] = i`. */
export declare function invert(count: number, from: Words, to: Words): void;
/** What `search` works on: the graph in preorder numbers, and room for the walk. */
export interface SearchJob extends Edges {
    readonly vertex: Words;
    /** One bit per vertex; the root's is set. */
    readonly seen: Uint8Array;
    /** Begins with the root, vertex 0. */
    readonly queue: Words;
    /** The edge by which each vertex was reached. */
    readonly byEdge: Words;
}
/** Goes breadth-first from the root until `target` is reached; false when there is no way. */
export declare function search(target: number, job: SearchJob): boolean;
/** Lists the edges that retain each vertex, in edge order; afterwards `ends[j]` is the end of j's list. */
export declare function retainerLists(edgeCount: number, to: Words, count: number, ends: Words, list: Words): void;
export {};

// dist/read/edge-names.d.ts
/** Types and names of edges, by edge number. */
export interface EdgeNames {
    /** Index into the edge types of the header. */
    type(edge: number): number;
    /** String index, or the slot number of an element or hidden edge. */
    name(edge: number): number;
}
/** Edge types and names kept in memory, one 32-bit word per edge: for input that cannot be read twice. */
export declare class EdgeNameColumn implements EdgeNames {
    #private;
    readonly words: Uint32Array;
    constructor(words: Uint32Array);
    set(edge: number, type: number, name: number): void;
    type(edge: number): number;
    name(edge: number): number;
}

// dist/read/header.d.ts
/** Where the columns of a row stand, and what the numbers mean; read from the header by field name. */
export interface Layout {
    readonly nodeCount: number;
    readonly edgeCount: number;
    readonly nodeFields: number;
    readonly edgeFields: number;
    /** Position of each known field inside a node row; -1 when the snapshot has no such field. */
    readonly node: Readonly<Record<NodeField, number>>;
    readonly edge: Readonly<Record<EdgeField, number>>;
    readonly nodeTypes: readonly string[];
    readonly edgeTypes: readonly string[];
    /** Position of each location field, or null when the snapshot has no locations. */
    readonly location: Readonly<Record<LocationField, number>> | null;
    readonly locationFields: number;
    readonly rootNode: number;
    readonly extraNativeBytes: number;
    readonly traceFunctionCount: number;
}
export type NodeField = 'type' | 'name' | 'id' | 'self_size' | 'edge_count' | 'detachedness';
export type EdgeField = 'type' | 'name_or_index' | 'to_node';
export type LocationField = 'object_index' | 'script_id' | 'line' | 'column';
interface Place {
    readonly file: string;
    readonly offset: number;
}
/** Reads the "snapshot" object of the file. `textBytes` is the size of the whole text where known. */
export declare function parseHeader(json: string, place: Place, textBytes: number | null): Layout;
export {};

// dist/read/ids.d.ts
import type { RowFile } from './row-file.ts';
/** V8's object ids by node. */
export interface Ids {
    of(node: number): number;
}
/** Ids kept in memory: for input that cannot be read twice. */
export declare class IdColumn implements Ids {
    readonly words: Uint32Array;
    constructor(words: Uint32Array);
    of(node: number): number;
}
/** Ids that stay in the file. */
export declare class IdFile implements Ids {
    #private;
    constructor(rows: RowFile, field: number);
    of(node: number): number;
}

// dist/read/row-file.d.ts
import type { EdgeNames } from './edge-names.ts';
import type { FileSource } from './source.ts';
/**
 * A section of numbers that stays in the file: rows are read again when asked for, a block of 64 at a time, through
 * the offset of each block's first row.
 */
export declare class RowFile {
    #private;
    constructor(source: FileSource, blocks: Float64Array, rows: number, fields: number);
    /** The value of one field of one row. */
    value(row: number, field: number): number;
}
/** Types and names of edges that stay in the file. */
export declare class EdgeNameFile implements EdgeNames {
    #private;
    constructor(rows: RowFile, fields: {
        readonly type: number;
        readonly name_or_index: number;
    });
    type(edge: number): number;
    name(edge: number): number;
}

// dist/read/source.d.ts
import type { ByteSource } from './input.ts';
import { StreamSource } from './stream-source.ts';
/** A plain file, read by position; any range can be read again later. */
export declare class FileSource implements ByteSource {
    #private;
    readonly label: string;
    readonly bytes: number;
    constructor(path: string);
    read(target: Uint8Array): number;
    /** Makes `read` go on at `position`. */
    seek(position: number): void;
    /** Another reader of the same file that begins at `position`. */
    from(position: number): ByteSource;
    /** Reads at an absolute position, also after the scan. */
    readAt(target: Uint8Array, position: number): number;
    close(): void;
}
/** Opens what the user named: a file, a FIFO or another thing that streams. */
export declare function openPath(path: string, signal?: AbortSignal): Promise<FileSource | StreamSource>;

// dist/read/input.d.ts
import { type HeapError } from '../errors.ts';
/** Something that hands over bytes, all of them in order. */
export interface ByteSource {
    /** The path, or "stream". */
    readonly label: string;
    /** Size of the text when it is known before reading. */
    readonly bytes: number | null;
    /** Fills `target` and returns how many bytes were written; 0 means the end. */
    read(target: Uint8Array): number | Promise<number>;
    close(): void;
}
/** Called before bytes are read, with the absolute offset and how many were read since; may throw to stop, may wait. */
export type Breath = (offset: number, read: number) => Promise<void> | undefined;
/**
 * A moving window over the text of a snapshot. Readers look at `bytes` from `start` to `end`, take whole rows,
 * advance `start`, and ask for `more()`; what they left is moved to the front, so no row is ever split.
 */
export declare class Input {
    #private;
    readonly source: ByteSource;
    bytes: Uint8Array;
    start: number;
    end: number;
    /** True once the source has said that there is nothing more. */
    exhausted: boolean;
    constructor(source: ByteSource, bytes: Uint8Array, breath: Breath, base?: number);
    /** Absolute offset of a position of the window. */
    offset(position?: number): number;
    place(position?: number): {
        file: string;
        offset: number;
    };
    /** Goes on in another buffer, which takes over what has not been read yet. */
    moveTo(bytes: Uint8Array): void;
    /** Drops the window and goes on at an absolute offset, to which the source has been moved. */
    jump(offset: number): void;
    /** Appends bytes to the window; false at the end of the input or when the window is full of unread bytes. */
    more(): Promise<boolean>;
    /** The error for an input that stopped, or whose row is longer than the window. */
    ended(section: string, detail?: string): HeapError;
    /** The error for a byte that may not stand at `position`. */
    unexpected(position: number, expected: string): HeapError;
}
/** Bytes at the end of a window that hold no text: vectors are loaded 64 bytes at a time. */
export declare const slack = 256;
/** Up to 12 bytes as JSON text, for error messages. */
export declare function describe(bytes: Uint8Array, position: number, end: number): string;

// dist/errors.d.ts
import type { ErrorEntry, ErrorText } from './errors/entry.ts';
/** Every error code of the heap package, one area per file under `errors/`. */
export declare const catalogue: {
    PLM_HEAP_NO_NODE: ErrorEntry<{
        file: string;
        id: number;
    }>;
    PLM_HEAP_NO_CLASS: ErrorEntry<{
        file: string;
        name: string;
        near: string[];
    }>;
    PLM_HEAP_NO_SCOPE: ErrorEntry<{
        file: string;
        scope: string;
        known: number;
    }>;
    PLM_HEAP_DIFF_COUNT: ErrorEntry<{
        count: number;
    }>;
    PLM_HEAP_REDACT_TARGET: ErrorEntry<{
        file: string;
        reason: string;
    }>;
    PLM_HEAP_REDACT_SOURCE: ErrorEntry<{
        file: string;
        reason: string;
    }>;
    PLM_HEAP_CAPTURE_REFUSED: ErrorEntry<{
        objects: string;
        needed: string;
        free: string;
        limit: string;
        stop: string;
        binds: string;
    }>;
    PLM_HEAP_CAPTURE_PAUSE: ErrorEntry<{
        objects: string;
        stop: string;
        allowed: string;
    }>;
    PLM_HEAP_CAPTURE_DENIED: ErrorEntry<{
        reason: string;
    }>;
    PLM_HEAP_NOT_FOUND: ErrorEntry<{
        file: string;
        reason: string;
    }>;
    PLM_HEAP_NOT_A_FILE: ErrorEntry<{
        file: string;
        kind: string;
    }>;
    PLM_HEAP_EMPTY: ErrorEntry<{
        file: string;
        offset: number;
    }>;
    PLM_HEAP_NOT_A_SNAPSHOT: ErrorEntry<{
        file: string;
        offset: number;
        found: string;
    }>;
    PLM_HEAP_HEADER: ErrorEntry<{
        file: string;
        offset: number;
        problem: string;
    }>;
    PLM_HEAP_TRUNCATED: ErrorEntry<{
        file: string;
        offset: number;
        section: string;
        detail: string;
    }>;
    PLM_HEAP_SYNTAX: ErrorEntry<{
        file: string;
        offset: number;
        found: string;
        expected: string;
    }>;
    PLM_HEAP_COUNT: ErrorEntry<{
        file: string;
        offset: number;
        what: string;
        found: number;
        expected: number;
    }>;
    PLM_HEAP_INDEX: ErrorEntry<{
        file: string;
        offset: number;
        what: string;
        value: number;
        limit: number;
    }>;
    PLM_HEAP_RANGE: ErrorEntry<{
        file: string;
        offset: number;
        what: string;
        limit: number;
    }>;
    PLM_HEAP_SECTION: ErrorEntry<{
        file: string;
        offset: number;
        section: string;
        problem: string;
    }>;
    PLM_HEAP_COMPRESSED: ErrorEntry<{
        file: string;
        offset: number;
        reason: string;
    }>;
    PLM_HEAP_READ: ErrorEntry<{
        file: string;
        offset: number;
        reason: string;
    }>;
    PLM_HEAP_TOO_LARGE: ErrorEntry<{
        file: string;
        offset: number;
        what: string;
        count: number;
        limit: number;
    }>;
    PLM_HEAP_MEMORY: ErrorEntry<{
        file: string;
        offset: number;
        bytes: number;
    }>;
    PLM_HEAP_ABORTED: ErrorEntry<{
        file: string;
        offset: number;
    }>;
    PLM_HEAP_CLOSED: ErrorEntry<{
        file: string;
    }>;
};
export type HeapErrorCode = keyof typeof catalogue;
type Details<Code extends HeapErrorCode> = (typeof catalogue)[Code] extends ErrorEntry<infer D> ? D : never;
/** An error with a code, a place and a way out; `String(error)` is the three-line form. */
export declare class HeapError extends Error {
    readonly code: HeapErrorCode;
    readonly where: string;
    readonly fix: string;
    readonly docs: string;
    /** Byte offset into the uncompressed input, where the error has one. */
    readonly offset: number | undefined;
    constructor(code: HeapErrorCode, text: ErrorText, options?: {
        cause?: unknown;
        offset?: number | undefined;
    });
    toString(): string;
}
/** Builds the catalogued error; the caller throws it. */
export declare function failure<Code extends HeapErrorCode>(code: Code, details: Details<Code>, options?: {
    cause?: unknown;
}): HeapError;
/** True for our errors, also from another copy of the package. */
export declare function isHeapError(value: unknown): value is HeapError;
export {};

// dist/errors/entry.d.ts
/** The three lines a user reads: what happened, where, and what to do. */
export interface ErrorText {
    readonly message: string;
    readonly where: string;
    readonly fix: string;
}
/** One code of the catalogue: its text as a function of the details, its page section and the example that documents it. */
export interface ErrorEntry<Details> {
    /** One paragraph for docs/reference/errors.md: when this happens and what it means. */
    readonly help: string;
    readonly text: (details: Details) => ErrorText;
    /** Details of a typical case; rendered into docs/reference/errors.md and frozen by a test. */
    readonly example: Details;
}
/** Infers `Details` from `text` so that a catalogue can be written as one literal. */
export declare function entry<Details>(definition: ErrorEntry<Details>): ErrorEntry<Details>;

// dist/read/stream-source.d.ts
import type { ByteSource } from './input.ts';
/** How a stream is given up and how its failures are told. */
export interface StreamOptions {
    readonly signal?: AbortSignal | undefined;
    /** Frees what is behind the stream. */
    readonly destroy?: () => void;
    /** Turns an error of the stream, after so many bytes, into one for the user. */
    readonly explain?: (error: unknown, offset: number) => unknown;
}
/** Bytes of an async iterable, in order, once. */
export declare class StreamSource implements ByteSource {
    #private;
    readonly label: string;
    readonly bytes: null;
    constructor(label: string, iterable: AsyncIterable<Uint8Array | string>, options?: StreamOptions);
    read(target: Uint8Array): Promise<number>;
    close(): void;
}

// dist/read/locations.d.ts
import type { Workspace } from '../graph/workspace.ts';
import type { Kernel } from '../kernel/kernel.ts';
import type { Layout, LocationField } from './header.ts';
import type { Input } from './input.ts';
/** Where the code of a function or a class stands. */
export interface Location {
    readonly scriptId: number;
    /** Zero-based, as V8 counts. */
    readonly line: number;
    readonly column: number;
}
/** Source locations by node, in the order of the file; many nodes share a place, so a place is stored once. */
export declare class Locations {
    #private;
    readonly nodes: Uint32Array;
    /** Place of each of `nodes`. */
    readonly placeOf: Uint32Array;
    constructor(nodes: Uint32Array, placeOf: Uint32Array, places: Int32Array);
    static readonly none: Locations;
    get count(): number;
    get placeCount(): number;
    of(node: number): Location | undefined;
}
/** The reader of section "locations". Rows are collected in the workspace and grouped by place at the end. */
export declare class LocationReader {
    #private;
    constructor(kernel: Kernel, layout: Layout, at: Record<LocationField, number>, space: Workspace);
    /** Takes the rows of the window; true when the section is finished. */
    take(input: Input): boolean;
    /** Groups the rows by place. */
    finish(): Locations;
}

// dist/read/names.d.ts
import type { StringTable } from './string-table.ts';
/** Strings that mean something to the analysis, by index; 0xffffffff where the snapshot has no such string. */
export interface KnownNames {
    readonly object: number;
    readonly externalStringData: number;
    readonly documentTrees: number;
    /** Table id by string index of the name of a WeakMap pair. */
    readonly pairs: ReadonlyMap<number, number>;
}
/** Looks at the strings that the scan noted, while they are in the window. */
export declare class NameFinder {
    #private;
    /** `p` is where the content of string `index` begins. */
    look(index: number, bytes: Uint8Array, p: number, end: number): void;
    finish(strings: StringTable): KnownNames;
}
/** 65536 bits: the low 16 bits of the ids of all tables of WeakMap pairs. */
export declare function watchBits(names: KnownNames, bits: Uint8Array): void;
/** One bit per string: set for names of WeakMap pairs. */
export declare function pairBits(names: KnownNames, bits: Uint8Array): void;

// dist/read/string-table.d.ts
/** Bytes of section "strings", by absolute offset. */
export interface StringBytes {
    /** Fills `target` from an absolute offset; returns how many bytes there were. */
    readAt(target: Uint8Array, offset: number): number;
}
/** Every how many strings an offset is kept; the ones between are found by walking. */
export declare const stringStride = 16;
/** The strings of a snapshot, decoded one by one when asked for, with a small cache. */
export declare class StringTable {
    #private;
    readonly count: number;
    constructor(bytes: StringBytes, offsets: Float64Array, count: number);
    /** The string of an index; empty for an index that does not exist. */
    get(index: number): string;
    /** Decodes strings that will be asked for soon, in the order of the file: far fewer reads than one by one. */
    warm(indices: Iterable<number>): void;
}
/** The bytes of section "strings" of an input that cannot be read again. */
export declare class KeptBytes implements StringBytes {
    #private;
    add(chunk: Uint8Array, offset: number): void;
    readAt(target: Uint8Array, offset: number): number;
}

// dist/read/shape-lists.d.ts
import { type Columns } from '../graph/columns.ts';
import type { Workspace } from '../graph/workspace.ts';
import type { Kernel } from '../kernel/kernel.ts';
import type { EdgeNames } from './edge-names.ts';
import type { Layout } from './header.ts';
/** The distinct lists of properties of plain objects. */
export interface ShapeLists {
    /** String indices of the property names of each shape. */
    readonly lists: readonly Uint32Array[];
    /** Objects per shape. */
    readonly counts: Uint32Array;
}
export declare const noShapes: ShapeLists;
/**
 * Groups the stream of `[count, name...]` of all plain objects, which stands in `space.sources`. The name of a plain
 * object is always "Object", so its place in the column is taken by the number of its shape.
 */
export declare function shapeLists(kernel: Kernel, space: Workspace, columns: Columns, words: number): ShapeLists;
/** Finds the plain objects and writes their property names as a stream, when names are kept; returns its length. */
export declare function collectProperties(layout: Layout, columns: Columns, names: EdgeNames, objectName: number, stream: Uint32Array): number;

// dist/dominators/tree.d.ts
import type { Scan } from '../read/scan.ts';
/** The dominator tree by node: who alone keeps whom alive, and how many bytes go when a node goes. */
export interface Dominators {
    /** The node that alone keeps `node` alive; the root is its own. */
    idom(node: number): number;
    /** Bytes that would be freed with `node`: its own and those of all it dominates. */
    retainedBytes(node: number): number;
    /** Steps from the root of the tree. */
    depth(node: number): number;
    /** Nodes immediately dominated by `node`. */
    children(node: number): Iterable<number>;
    /** Nodes the root reaches only weakly or not at all; they hang under the root. */
    readonly unreachable: number;
}
/** A dominator tree in preorder numbers, with the way from and to nodes. */
export declare class DominatorTree implements Dominators {
    #private;
    readonly unreachable: number;
    /** Node by preorder number. */
    readonly vertex: Uint32Array;
    /** Immediate dominator by preorder number, as a preorder number. */
    readonly dom: Uint32Array;
    /** Retained bytes by preorder number. */
    readonly retained: Uint32Array | Float64Array;
    /** Nodes in the subtree of each preorder number. */
    readonly members: Uint32Array;
    constructor(scan: Scan, unreachable: number);
    /** Preorder number by node. */
    get order(): Uint32Array;
    idom(node: number): number;
    retainedBytes(node: number): number;
    depth(node: number): number;
    children(node: number): IterableIterator<number>;
    /** True once `order` occupies its region of the workspace. */
    get hasOrder(): boolean;
}
/** Computes the dominator tree. Afterwards edge targets are preorder numbers and every edge that does not retain is marked. */
export declare function dominatorTree(scan: Scan): DominatorTree;

// dist/opened-snapshot.d.ts
import type { Readable } from 'node:stream';
import type { ConstructorRow } from './dominators/constructors.ts';
import { type HeapGraph, type OpenOptions } from './snapshot.ts';
import { type Observation } from './suspects/observations.ts';
import { type Suspect, type SuspectOptions } from './suspects/suspects.ts';
import { type Accumulation, type LeakTrace } from './trace/leak-trace.ts';
import { type ClassPath } from './trace/class-paths.ts';
import { Names, type NamesOptions } from './trace/names.ts';
import { type Hop } from './trace/path-search.ts';
import { type ScopeRow } from './trace/scope-roots.ts';
export interface SnapshotOptions extends OpenOptions, NamesOptions {
}
/** One object of the heap. */
export interface HeapObject {
    /** V8's id, stable across snapshots of one process. */
    readonly id: number;
    readonly type: string;
    readonly name: string;
    readonly selfBytes: number;
    readonly retainedBytes: number;
}
/** An object and what it alone keeps alive. */
export interface DominatorRow extends HeapObject {
    /** Number of visible objects directly below it. */
    readonly children: number;
}
/** Opens a snapshot from a path or a stream. Close it, or let `using` do so. */
export declare function open(source: string | AsyncIterable<Uint8Array> | Readable, options?: SnapshotOptions): Promise<Snapshot>;
/** An open heap snapshot and the questions that can be put to it. Names are redacted unless `showStrings` was given. */
export declare class Snapshot {
    #private;
    readonly graph: HeapGraph;
    readonly names: Names;
    constructor(graph: HeapGraph, options?: NamesOptions);
    /** The path it was opened from, "stream" without one. */
    get file(): string;
    /** Bytes of all objects that are alive. */
    get heapBytes(): number;
    /**
     * One row per class, largest retained first. Plain objects are told apart by their properties where code names these;
     * the row `Object` counts the others, and its retained bytes are those of all plain objects.
     */
    constructors(): ConstructorRow[];
    /** The objects that keep most alive, below the one with the id `under` or below the root; what V8 keeps between is left out. */
    dominators(options?: {
        readonly under?: number;
        readonly limit?: number;
    }): DominatorRow[];
    /** Visible objects that a node dominates with nothing visible between. */
    visibleChildren(top: number): number[];
    /** Retaining paths to an object, the most telling first; each later one shares no last reference with those before it. */
    pathsTo(id: number, options?: {
        readonly limit?: number;
    }): LeakTrace[];
    /** The most telling retaining path to each of these nodes, found in one search; one that nothing holds is missing. */
    tracesTo(nodes: readonly number[]): ReadonlyMap<number, LeakTrace>;
    /** How the instances of a class are held, most common way first; `name()` asks for functions. */
    retainersOf(name: string): {
        readonly instances: number;
        readonly paths: readonly ClassPath[];
    };
    /** The object with an id; throws when there is none. */
    object(id: number): HeapObject;
    /** The scopes whose path is `text` or ends with it, or that lie below it; throws when there is none. */
    scopesMatching(text: string): readonly ScopeRow[];
    /** The trace of a path that was found otherwise. */
    traceOf(path: readonly Hop[], about?: Accumulation): LeakTrace;
    /** Objects that the predicate accepts, in the order of the file; at most `limit`, default 1,000. */
    find(predicate: (object: HeapObject) => boolean, options?: {
        readonly limit?: number;
    }): HeapObject[];
    /** What each scope with registered roots holds, largest first; empty when the process had none. */
    scopes(): readonly ScopeRow[];
    /** Who accumulates what, most suspicious first. */
    suspects(options?: SuspectOptions): Suspect[];
    /** What costs memory across the heap without being a leak by itself. */
    observations(): Observation[];
    /** Ids of the objects that were registered with the scopes of a path. */
    rootsOf(path: string): number[];
    close(): void;
    [Symbol.dispose](): void;
}

// dist/snapshot.d.ts
import type { Readable } from 'node:stream';
import type { ConstructorRow } from './dominators/constructors.ts';
import type { Dominators } from './dominators/tree.ts';
import type { Retainer } from './graph/retainers.ts';
import type { Breath, ByteSource } from './read/input.ts';
import type { Location } from './read/locations.ts';
import { type FileSource } from './read/source.ts';
import { StreamSource } from './read/stream-source.ts';
/** How a snapshot is opened. */
export interface OpenOptions {
    /** Which implementation runs the hot loops; "auto" (the default) takes WebAssembly where it works. */
    readonly kernel?: 'auto' | 'wasm' | 'typescript';
    /** Called at most a few dozen times; ratio goes from 0 to 1 within a phase. */
    readonly onProgress?: (progress: {
        phase: string;
        ratio: number;
    }) => void;
    /** Stops reading; the promise then rejects with PLM_HEAP_ABORTED. */
    readonly signal?: AbortSignal;
}
/** What the header of a snapshot says. */
export interface SnapshotMeta {
    /** The V8 generation by the fields of the header, e.g. "Node 24 or later". */
    readonly format: string;
    /** Bytes outside of the heap that V8 knows about but no node carries. */
    readonly extraNativeBytes: number;
    readonly rootNode: number;
    readonly nodeTypes: readonly string[];
    readonly edgeTypes: readonly string[];
    readonly stringCount: number;
    readonly locationCount: number;
}
/** A heap snapshot as numbers: nodes and edges are ordinals from 0, no object is made per node. */
export interface HeapGraph {
    readonly nodeCount: number;
    readonly edgeCount: number;
    /** The path it was opened from; null for a stream. */
    readonly file: string | null;
    /** Size of the text read, uncompressed. */
    readonly fileBytes: number;
    readonly meta: SnapshotMeta;
    nodeType(node: number): string;
    /** Decoded on demand and cut at 256 KiB of text. */
    nodeName(node: number): string;
    /** String index of the name: equal indices mean equal names. */
    nodeNameIndex(node: number): number;
    /** V8's object id, stable across snapshots of one process. */
    nodeId(node: number): number;
    /** Own bytes, as Chrome DevTools shows them: backing stores count for their owner. */
    selfBytes(node: number): number;
    /** 0 unknown, 1 attached, 2 detached. */
    detachedness(node: number): number;
    location(node: number): Location | undefined;
    firstEdge(node: number): number;
    /** One past the last edge of the node. */
    lastEdge(node: number): number;
    edgeTo(edge: number): number;
    edgeType(edge: number): string;
    edgeName(edge: number): string | number;
    forEachEdge(node: number, visit: (edge: number, to: number) => void): void;
    /** Edges that keep the node alive. */
    retainers(node: number): Iterable<Retainer>;
    isEssentialEdge(from: number, edge: number): boolean;
    string(index: number): string;
    /** Computed at the first call, then kept. */
    dominators(): Dominators;
    /** The table of Chrome DevTools: one row per class, largest retained first. */
    constructors(): readonly ConstructorRow[];
    /** Steps from the root over edges that retain; Infinity where there is no way. */
    distance(node: number): number;
    /** Edges of a shortest way from the root over edges that retain, root first; empty when there is none. */
    shortestPath(node: number): readonly number[];
    close(): void;
}
/** Opens a snapshot from a path (file or FIFO) or from a stream, and reads it once. */
export declare function openSnapshot(source: string | AsyncIterable<Uint8Array> | Readable, options?: OpenOptions): Promise<HeapGraph>;
/** Opens the bytes of a path or a stream. */
export declare function sourceOf(source: string | AsyncIterable<Uint8Array> | Readable, options: OpenOptions): Promise<FileSource | StreamSource>;
/** Reports progress, lets the event loop run and looks at the signal, every 64 MiB. */
export declare function breathing(source: ByteSource, options: OpenOptions): Breath;

// dist/graph/retainers.d.ts
import type { DominatorTree } from '../dominators/tree.ts';
import type { Scan } from '../read/scan.ts';
/** One edge that keeps a node alive. */
export interface Retainer {
    readonly from: number;
    readonly edge: number;
}
/** The edges that retain each node, in edge order: a reverse index of the graph, kept in the workspace. */
export declare class Retainers {
    #private;
    /** Takes over the regions `sources` and `path`: nothing else may use them afterwards. */
    constructor(scan: Scan, tree: DominatorTree);
    of(node: number): IterableIterator<Retainer>;
}

// dist/suspects/observations.d.ts
import type { HeapGraph } from '../snapshot.ts';
import type { Names } from '../trace/names.ts';
/** Something about the heap as a whole that costs memory without being a leak by itself. */
export interface Observation {
    readonly kind: 'duplicate-strings' | 'slices' | 'ropes' | 'buffers' | 'listeners';
    readonly bytes: number;
    readonly count: number;
    readonly text: string;
    /** Ids of the objects it is about, largest first, at most five. */
    readonly ids: readonly number[];
}
/** Looks for duplicated strings, slices that pin their parent, ropes, large buffers and long listener lists. */
export declare function observe(graph: HeapGraph, names: Names): Observation[];

// dist/trace/names.d.ts
import type { HeapGraph } from '../snapshot.ts';
export interface NamesOptions {
    /** Show string values and keys as they are; default false, then a placeholder with class and length stands for them. */
    readonly showStrings?: boolean;
    /** Property names to show beside those that code refers to. */
    readonly keepNames?: Iterable<string>;
}
/** The names of a snapshot as a report may show them: structure as it is, content as placeholders unless asked for. */
export declare class Names {
    #private;
    readonly graph: HeapGraph;
    readonly showsStrings: boolean;
    constructor(graph: HeapGraph, options?: NamesOptions);
    /** The node as a noun: a class, a function with "()", a text. */
    node(node: number): string;
    /** The name of a class or of one of V8's own kinds, without content. */
    className(type: string, name: string): string;
    /** The name of a row of the constructor table: a shape shows only when all of its properties are structure. */
    tableName(name: string): string;
    /** The value of a text node; ropes and slices have no text of their own in a snapshot. */
    text(node: number): string;
    /** The name of a property, variable or internal edge; the placeholder when it is content. */
    edge(from: number, edge: number): string;
    /** True when the name of the edge is structure; a placeholder stands for content. */
    isStructural(from: number, edge: number, name: string): boolean;
    /** True for a name that some compiled function of the process refers to. */
    isNamedInCode(name: string): boolean;
}

// dist/suspects/suspects.d.ts
import type { KnownLeak } from '../known-leaks/known-leak.ts';
import { type LeakTrace, type TraceContext } from '../trace/leak-trace.ts';
import type { Candidate } from './candidate.ts';
export type Severity = 'info' | 'low' | 'medium' | 'high' | 'critical';
/** What one snapshot alone makes suspicious: much of one kind, and the path that keeps it alive. */
export interface Suspect {
    readonly fingerprint: string;
    /** The class of what accumulates. */
    readonly name: string;
    readonly kind: Candidate['kind'];
    readonly count: number;
    readonly retainedBytes: number;
    /** Part of the heap, 0 to 1. */
    readonly ratio: number;
    readonly severity: Severity;
    /** One sentence: who holds how much of what. */
    readonly summary: string;
    /** How many holders have this fingerprint. */
    readonly holders: number;
    readonly code: string;
    readonly trace: LeakTrace['steps'];
    /** Other paths to the same object, when the first is weak evidence: through compiled code or from a running stack. */
    readonly otherTraces?: readonly LeakTrace['steps'][];
    /** Part of the entries looked at that are over: closed, destroyed, or of a closed scope. */
    readonly endedRatio?: number;
    /** What the keys look like, when the holder is keyed: `serial`, `timestamp`, … */
    readonly keys?: string;
    readonly knownLeak?: KnownLeak;
}
export interface SuspectOptions {
    /** How many at most; default 10. */
    readonly limit?: number;
}
/** Finds who accumulates what in a single snapshot, most suspicious first. */
export declare function findSuspects(context: TraceContext, options?: SuspectOptions): Suspect[];

// dist/known-leaks/known-leak.d.ts
/** A leak that is known and has a cure: what a report says beside the trace that matches it. */
export interface KnownLeak {
    /** Stable name for `ignore` lists and ledgers, e.g. `ai-stream-early-exit`. */
    readonly id: string;
    readonly framework: string;
    /** Versions that leak, as far as measured. */
    readonly versions: string;
    readonly title: string;
    readonly cure: string;
    readonly link: string;
}
/** A known leak and the path it shows as. */
export interface KnownLeakMatcher extends KnownLeak {
    /**
     * Steps of a trace that have to appear in this order; others may lie between. A part is the class or function of a step,
     * `.reference` for how it is held, or both as `reference : Class`; ` @ script` after a function names the file it comes
     * from. `*` stands for anything.
     */
    readonly path: readonly string[];
}

// dist/trace/leak-trace.d.ts
import type { HeapGraph } from '../snapshot.ts';
import { type Leaking } from './inspectors.ts';
import type { Names } from './names.ts';
import type { Hop } from './path-search.ts';
import type { ScriptPlaces } from './script-place.ts';
/** One object of a retaining path and how the one before it holds it. */
export interface TraceStep {
    readonly type: 'root' | 'object' | 'function' | 'string' | 'native';
    readonly name: string;
    /** The reference that leads here; empty for the root. */
    readonly via: string;
    /** V8's id of the object, for `--node` and DevTools; 0 for a root without an object. */
    readonly id: number;
    readonly retainedBytes: number;
    readonly leaking: Leaking;
    readonly why: string;
    /** The reference that leads here may be the one that should not exist. */
    readonly suspect: boolean;
    /** How many equal steps in a row this one stands for. */
    readonly times?: number;
    /** Entries of the collection that this object is. */
    readonly entries?: number;
    /** Where its code stands, e.g. `lib/harness.mjs:61`. */
    readonly at?: string;
    /** The scope that the object is a root of. */
    readonly scope?: string;
}
/** A retaining path from the root to an object, with what is suspicious about it. */
export interface LeakTrace {
    readonly steps: readonly TraceStep[];
    /** Twelve hex digits over the suspect references: the same leak has the same fingerprint in every snapshot. */
    readonly fingerprint: string;
    /** The path as an expression where code could write it, e.g. `registry.sessions.get(<serial:8>)`. */
    readonly code: string;
    /** The names without indices and keys, root first, for matchers. */
    readonly pattern: readonly PatternStep[];
}
export interface PatternStep {
    readonly via: string;
    readonly name: string;
    /** The script that a function comes from, e.g. `ai/dist/index.js`. */
    readonly script?: string;
}
/** What a trace is told about the accumulation that it leads to. */
export interface Accumulation {
    /** The node that holds the many: its reference and those below it, down to `entry`, are suspect. */
    readonly holder: number;
    readonly entry: number;
    readonly holderWhy: string;
    readonly entryWhy: string;
    readonly entries: number;
    /** The many are links of a chain: the folded step then counts all of them. */
    readonly chain?: boolean;
}
export interface TraceContext {
    readonly graph: HeapGraph;
    readonly names: Names;
    readonly places: ScriptPlaces;
    readonly scopeOf: (node: number) => {
        readonly path: string;
        readonly state: string;
    } | undefined;
}
/** Turns the hops of a path into a trace. */
export declare function buildTrace(context: TraceContext, hops: readonly Hop[], about?: Accumulation): LeakTrace;

// dist/trace/inspectors.d.ts
import type { HeapGraph } from '../snapshot.ts';
/** Whether an object is expected to be gone: `no` it lives on, `yes` its life is over, `maybe` nobody knows. */
export type Leaking = 'no' | 'maybe' | 'yes';
export interface Verdict {
    readonly leaking: Leaking;
    readonly why: string;
}
/** Judges one object by its class and its flags; `scopeState` is the state of the scope it is a root of. */
export declare function inspect(graph: HeapGraph, node: number, scope: {
    readonly path: string;
    readonly state: string;
} | undefined): Verdict;

// dist/trace/path-search.d.ts
import type { HeapGraph } from '../snapshot.ts';
/** One reference of a path: the edge, where it leaves from and where it arrives. */
export interface Hop {
    readonly from: number;
    readonly edge: number;
    readonly to: number;
}
export interface PathSearchOptions {
    /** Edges that must not be used, to find another path than those already known. */
    readonly without?: ReadonlySet<number>;
}
/**
 * The cheapest retaining path from the root to each target, by Dial's algorithm over the edges that retain. Plain shortest
 * paths run through V8's own structures where a longer one through named properties exists; the costs prefer the latter.
 * Stops as soon as all targets are settled. A target that cannot be reached is missing in the result.
 */
export declare function findPaths(graph: HeapGraph, targets: Iterable<number>, options?: PathSearchOptions): Map<number, Hop[]>;
/** The cheapest path to every node that can be reached, and the nodes in the order of their cost. */
export interface PathForest {
    /** Reached nodes, cheapest first; the root is the first. */
    readonly order: Uint32Array;
    parentOf(node: number): number;
    edgeTo(node: number): number;
    pathTo(node: number): Hop[];
}
/** Finds the cheapest path to every node. */
export declare function allPaths(graph: HeapGraph): PathForest;

// dist/trace/script-place.d.ts
import type { HeapGraph } from '../snapshot.ts';
/** Where the code of a function or class stands, e.g. `lib/harness.mjs:61`. */
export declare class ScriptPlaces {
    #private;
    constructor(graph: HeapGraph);
    /** The place of a closure or of the class of an object; undefined where the snapshot does not say. */
    of(node: number): string | undefined;
    /** The script that a closure was compiled from. */
    scriptOf(node: number): string | undefined;
}
/** The part of a path that tells a package or a source file: from the last node_modules on, else the last three segments. */
export declare function shortPath(script: string): string;

// dist/suspects/candidate.d.ts
/** Something that holds much of one kind: what a suspect is before its path is known. */
export interface Candidate {
    /**
     * `collection`: many alike in one array, map, set or dictionary. `fan`: many alike that one object alone keeps alive, such
     * as the nodes of a doubly linked list. `chain`: each keeps the next alive. `handles`: many alike held by native code.
     * `large`: one object that keeps much alive for itself.
     */
    readonly kind: 'collection' | 'fan' | 'chain' | 'handles' | 'large';
    /** The node that holds the many; a visible object, or a root category for `handles`. */
    readonly holder: number;
    /** One of the many, of middle size. */
    readonly entry: number;
    /** The nodes between holder and entry where they are known. */
    readonly between?: readonly number[];
    readonly count: number;
    /** Bytes kept alive by the many. */
    readonly bytes: number;
}

// dist/trace/class-paths.d.ts
import { type LeakTrace, type TraceContext } from './leak-trace.ts';
/** One way in which instances of a class are held, and how many of those looked at are held so. */
export interface ClassPath {
    readonly instances: number;
    readonly trace: LeakTrace;
}
/** The ways in which the instances of a class are held, most common first; looks at up to 200 instances, evenly spread. */
export declare function classPaths(context: TraceContext, file: string, name: string): {
    instances: number;
    paths: ClassPath[];
};

// dist/trace/scope-roots.d.ts
import type { HeapGraph } from '../snapshot.ts';
/** What one scope holds in a snapshot. */
export interface ScopeRow {
    /** e.g. `process/agent:planner/session:42`. */
    readonly path: string;
    readonly state: string;
    /** Bytes that only this scope's roots keep alive. */
    readonly retainedBytes: number;
    readonly roots: number;
}
export interface ScopeRoots {
    readonly rows: readonly ScopeRow[];
    /** The scope that an object was registered with. */
    of(node: number): {
        readonly path: string;
        readonly state: string;
    } | undefined;
    /** Objects registered with the scopes of a path. */
    rootsOf(path: string): readonly number[];
}
/** Finds the markers that scopes with registered roots leave in the heap, and sums up what each scope keeps alive. */
export declare function scopeRoots(graph: HeapGraph): ScopeRoots;
/**
 * Bytes that go when all of the nodes go: what each dominates, and what only several of them together keep alive. The
 * latter is what can be reached from them and from nowhere else.
 */
export declare function retainedTogether(graph: HeapGraph, nodes: readonly number[]): number;

// dist/capture/capture.d.ts
import type { Readable } from 'node:stream';
import { type GuardOptions } from './guard.ts';
import type { CapturePrediction } from './prediction.ts';
export interface CaptureOptions extends GuardOptions {
    /** Write the values of numbers too; default false, they are content. */
    readonly numericValues?: boolean;
}
export interface CaptureResult {
    readonly file: string;
    readonly fileBytes: number;
    readonly prediction: CapturePrediction;
    /** How long building the snapshot stopped the process; writing it adds pauses of a few milliseconds. */
    readonly stopMs: number;
    readonly totalMs: number;
}
/** Takes a snapshot of this process into a file of mode 0600, after the guard has let it pass. The name appears when the file is whole. */
export declare function captureToFile(file: string, options?: CaptureOptions): Promise<CaptureResult>;
/** Takes a snapshot of this process as a stream, for the analyser in this process or a pipe to another; no file is written. */
export declare function captureStream(options?: CaptureOptions): Promise<Readable>;

// dist/capture/guard.d.ts
import { type FreeMemory } from './free-memory.ts';
import { type CapturePrediction } from './prediction.ts';
export interface GuardOptions {
    /** Take the snapshot although it does not fit. */
    readonly force?: boolean;
    /** Asked when the guard would refuse; true lets the snapshot be taken. A failure or no answer within `askTimeoutMs` is a no. */
    readonly ask?: (prediction: CapturePrediction) => boolean | Promise<boolean>;
    /** Default 60,000. */
    readonly askTimeoutMs?: number;
    /** Longest stop of the event loop that is allowed; default none. */
    readonly maxStopMs?: number;
    /** Bytes that must stay free; default a tenth of the limit, at most 256 MiB. */
    readonly reserveBytes?: number;
    /** What is free; default: cgroup and host, whichever is tighter. */
    readonly memory?: () => FreeMemory;
    /** The snapshot is analysed in this process instead of written to a file. */
    readonly analyse?: boolean;
}
/**
 * What a snapshot taken now would cost. The estimate is free; only when it does not fit comfortably is the heap counted,
 * which stops the process for about a tenth of the time of a snapshot.
 */
export declare function predictCapture(options?: GuardOptions): Promise<CapturePrediction>;
/**
 * Lets a capture pass, or throws the error that says why not. Returns in a fresh macrotask: a snapshot in the same job as
 * `new WeakRef` or `deref` shows every such target as held by V8.
 */
export declare function admitCapture(options?: GuardOptions): Promise<CapturePrediction>;

// dist/capture/free-memory.d.ts
/** Memory that the process may still take before someone kills it, and whose limit that is. */
export interface FreeMemory {
    readonly freeBytes: number;
    readonly limitBytes: number;
    readonly binds: 'cgroup' | 'host';
}
/** Reads a file or returns undefined; injectable so that tests can be any container. */
export type ReadText = (path: string) => string | undefined;
/** The tightest of the cgroup limits above the process and the host's memory. V8's heap limit does not bind here: a snapshot is built outside of the heap. */
export declare function freeMemory(read?: ReadText): FreeMemory;

// dist/capture/prediction.d.ts
import type { FreeMemory } from './free-memory.ts';
import type { ObjectCount } from './object-count.ts';
/** What taking a snapshot now would cost, against what is free. */
export interface CapturePrediction {
    readonly objects: number;
    /** False when the number of objects is an upper estimate. */
    readonly exact: boolean;
    /** Memory on top of what the process has now, at the worst moment. */
    readonly neededBytes: number;
    /** Resident memory of the process at the worst moment. */
    readonly peakBytes: number;
    /** How long the event loop stands still. */
    readonly stopMs: number;
    readonly freeBytes: number;
    readonly limitBytes: number;
    readonly binds: FreeMemory['binds'];
    /** Whether it fits into what is free, with a quarter to spare and less the reserve. */
    readonly fits: boolean;
}
export interface PredictionInput {
    readonly count: ObjectCount;
    readonly longestArray: number;
    readonly rssBytes: number;
    readonly free: FreeMemory;
    /** The snapshot is analysed in this process instead of written to a file. */
    readonly analyse: boolean;
    /** Bytes that must stay free. */
    readonly reserveBytes: number;
}
/** What the snapshot costs by the cost model, against what is free. */
export declare function predict(input: PredictionInput): CapturePrediction;

// dist/capture/object-count.d.ts
import v8 from 'node:v8';
/** How many objects the heap holds, and how that is known. */
export interface ObjectCount {
    readonly objects: number;
    /** True when V8 counted them, false for an upper estimate from heap statistics. */
    readonly exact: boolean;
    /** Milliseconds that counting stopped the process; 0 for the estimate. */
    readonly ms: number;
}
/** An upper estimate of the number of objects that costs nothing: large objects are few, all others are taken for small. */
export declare function estimateObjects(spaces?: readonly v8.HeapSpaceInfo[]): ObjectCount;
/** Entries of the longest array or hash table that the heap can hold, from the bytes of its large objects. */
export declare function longestArray(spaces?: readonly v8.HeapSpaceInfo[]): number;
/** The exact number of live objects, by one garbage collection and one walk: about 0.2 µs per object, a tenth of a snapshot. */
export declare function countObjects(): Promise<ObjectCount>;

// dist/capture/cost.d.ts
/**
 * The cost model of a snapshot, and the one estimate by it that is to be had at once.
 *
 * V8's cost per object and per array index, from snapshots of seven heap shapes (bench/capture). Bytes inside objects cost nothing;
 * objects, the longest array and, within the spread, distinct strings do. It imports nothing but `node:v8`: what runs while a process
 * exits must not wait for anything.
 */
import v8 from 'node:v8';
/** What a snapshot costs. */
export interface SnapshotCost {
    readonly objects: number;
    /** Memory on top of what the process has, at the worst moment. */
    readonly neededBytes: number;
    /** How long the event loop stands still. */
    readonly stopMs: number;
}
/** A space of V8's heap and the bytes in use in it. */
export type SpaceUse = Pick<v8.HeapSpaceInfo, 'space_name' | 'space_used_size'>;
/** What a prediction may be short by; a capture is admitted only when this much more is free. */
export declare const costMargin = 1.25;
/**
 * Bytes per object of a heap that is nothing but small objects. Measured means lie between 40 (agent sessions) and 77, far
 * more with long strings or arrays of numbers, so that the estimate errs on the side of too many objects.
 */
export declare const smallestMeanBytes = 36;
export interface CostInput {
    readonly objects: number;
    /** Entries of the longest array. */
    readonly indices: number;
    /** Further bytes per object, e.g. of an analysis in the same process. */
    readonly extraObjectBytes?: number;
    /** How much slower than the machine that the costs were taken on. */
    readonly slowness?: number;
}
/** The model: linear in objects and in the length of the longest array. */
export declare function costOf({ objects, indices, extraObjectBytes, slowness }: CostInput): SnapshotCost;
/** Bytes of small objects, and entries of the longest array or hash table that the large ones leave room for. */
export declare function heapShape(spaces: readonly SpaceUse[]): {
    readonly smallBytes: number;
    readonly indices: number;
};
/**
 * What a snapshot of this heap would cost at most, answered at once and without stopping anything: the memory for the worst heap of its
 * size, the time for a usual one, because large objects are texts more often than arrays.
 */
export declare function costNow(spaces?: readonly SpaceUse[]): SnapshotCost;
/** How long a snapshot of so many bytes of usual objects stops the process. */
export declare function stopMsOf(bytes: number): number;

// dist/diff/diff.d.ts
import type { KnownLeak } from '../known-leaks/known-leak.ts';
import { type Snapshot, type SnapshotOptions } from '../opened-snapshot.ts';
import type { Severity } from '../suspects/suspects.ts';
import type { LeakTrace } from '../trace/leak-trace.ts';
import { type Turnover } from './object-ids.ts';
/** A path at which objects accumulate from snapshot to snapshot. */
export interface Growth {
    readonly fingerprint: string;
    /** The class of what accumulates. */
    readonly name: string;
    /** Objects at the path, by snapshot. */
    readonly counts: readonly number[];
    /** Objects at the path that the first snapshot does not have at all; those of other processes all count. */
    readonly fresh: number;
    /** Bytes at the path and below it, by snapshot. */
    readonly bytes: readonly number[];
    /** Bytes more in the last snapshot than in the first. */
    readonly newBytes: number;
    readonly severity: Severity;
    readonly summary: string;
    readonly code: string;
    /** The retaining path of one of the new objects in the last snapshot. */
    readonly trace: LeakTrace['steps'];
    readonly knownLeak?: KnownLeak;
}
export interface ConstructorChange {
    readonly name: string;
    readonly counts: readonly number[];
    readonly shallowBytes: readonly number[];
    readonly retainedBytes: readonly number[];
}
/** What `plimsoll diff A B [C] --json` prints. */
export interface Diff {
    readonly files: readonly string[];
    /** False when the object ids say that the snapshots are of different processes; then only paths and classes compare. */
    readonly sameProcess: boolean;
    readonly heapBytes: readonly number[];
    readonly nodes: readonly number[];
    readonly growth: readonly Growth[];
    readonly constructors: readonly ConstructorChange[];
    /** Objects of the last snapshot that the first did not have, and the reverse; only within one process. */
    readonly appeared?: Turnover;
    readonly vanished?: Turnover;
    readonly ms: number;
    readonly peakRssBytes: number;
    readonly severity: Severity;
}
export interface DiffOptions extends SnapshotOptions {
    /** Growth rows at most; default 10. */
    readonly limit?: number;
    /** Constructor rows at most; default 20. */
    readonly top?: number;
    /** Told of each snapshot while it is open, for further questions to it. */
    readonly onOpen?: (snapshot: Snapshot, index: number) => void;
}
/** Compares snapshots in the order they were taken, by path and by class. Only two are open at any time. */
export declare function diff(sources: readonly string[], options?: DiffOptions): Promise<Diff>;

// dist/diff/object-ids.d.ts
import type { HeapGraph } from '../snapshot.ts';
/** The ids of a snapshot's objects, one bit each: V8 counts them up, so they are dense. */
export declare class ObjectIds {
    #private;
    readonly largest: number;
    constructor(graph: HeapGraph);
    has(id: number): boolean;
}
export interface Turnover {
    readonly objects: number;
    readonly bytes: number;
}
/** Objects of a snapshot that another one of the same process does not have. */
export declare function missingIn(graph: HeapGraph, other: ObjectIds): Turnover;

// dist/redact/redact.d.ts
export interface RedactOptions {
    /** Property names to keep beside those of the language, of Node.js and those that code refers to. */
    readonly keepNames?: Iterable<string>;
    /** Called with bytes read and bytes to read, at most once per megabyte. */
    readonly onProgress?: (done: number, total: number) => void;
    readonly signal?: AbortSignal;
}
export interface RedactResult {
    readonly input: string;
    readonly output: string;
    readonly inputBytes: number;
    readonly outputBytes: number;
    /** Entries of the string table that stayed as they were: names of code. */
    readonly keptStrings: number;
    /** Entries that became placeholders. */
    readonly replacedStrings: number;
}
/**
 * Writes a snapshot without the content of any string: structure, sizes and the names that code is made of stay, so that
 * an analysis of the result reads the same. Works on files of any length; holds 9 bytes per node and 5 per string.
 */
export declare function redact(input: string, output: string, options?: RedactOptions): Promise<RedactResult>;

// dist/report/analysis-text.d.ts
import type { Analysis } from '../analysis.ts';
import type { Suspect } from '../suspects/suspects.ts';
import { type Paint } from './paint.ts';
export interface TextOptions {
    readonly paint?: Paint;
    /** Suspects shown with their traces; default 3. */
    readonly traces?: number;
}
/** An analysis for the terminal. */
export declare function analysisText(analysis: Analysis, options?: TextOptions): string;
/** One suspect with its trace, its expression and its cure. */
export declare function suspectText(suspect: Suspect, index: number, count: number, paint?: Paint): string;

// dist/report/paint.d.ts
/** Colours of the terminal, or none when the output is not one. */
export interface Paint {
    bold(text: string): string;
    dim(text: string): string;
    red(text: string): string;
    yellow(text: string): string;
    green(text: string): string;
}
export declare const colours: Paint;
export declare const plain: Paint;

// dist/report/byte-text.d.ts
/** Bytes as people read them: "512 B", "1.4 KiB", "71.4 MiB". */
export declare function bytesText(bytes: number): string;
/** Counts with thousands separators: "7,496". */
export declare function countText(count: number): string;
/** "240 ms", "9 s". */
export declare function msText(ms: number): string;

// dist/report/diff-text.d.ts
import type { Diff } from '../diff/diff.ts';
import { type Paint } from './paint.ts';
/** A comparison for the terminal. */
export declare function diffText(diff: Diff, options?: {
    readonly paint?: Paint;
    readonly traces?: number;
}): string;

// dist/report/question-text.d.ts
import type { DominatorRow, HeapObject } from '../opened-snapshot.ts';
import type { ClassPath } from '../trace/class-paths.ts';
import type { LeakTrace } from '../trace/leak-trace.ts';
import type { ScopeRow } from '../trace/scope-roots.ts';
import { type Paint } from './paint.ts';
/** The answer to `--node ID`. */
export declare function nodeText(object: HeapObject, paths: readonly LeakTrace[], paint?: Paint): string;
/** The answer to `--retainers NAME`. */
export declare function classText(name: string, found: {
    readonly instances: number;
    readonly paths: readonly ClassPath[];
}, paint?: Paint): string;
/** The answer to `--focus SCOPE`. */
export declare function scopeText(scopes: readonly ScopeRow[], holds: readonly DominatorRow[]): string;

// dist/report/render.d.ts
import type { Analysis } from '../analysis.ts';
import type { Snapshot } from '../opened-snapshot.ts';
/** The HTML report of an open snapshot: one file, no request to anybody. */
export declare function renderHtml(snapshot: Snapshot, analysis: Analysis): string;

// dist/report/trace-text.d.ts
import type { TraceStep } from '../trace/leak-trace.ts';
import { type Paint } from './paint.ts';
/**
 * A leak trace as text, root first: objects on the rail, references between them, suspect references underlined. A
 * collection between two objects is part of the reference.
 */
export declare function traceText(steps: readonly TraceStep[], paint?: Paint): string;

// entry @plimsoll/heap/capture-cost