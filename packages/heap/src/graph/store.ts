import { failure } from '../errors.ts';
import type { SharedMemory } from '../kernel/arena.ts';
import type { Columns } from '../kernel/columns.ts';
import type { SoftEdges } from './soft-edges.ts';
import { allocateWorkspace, workspaceBytes, type Workspace } from './workspace.ts';
import { chooseKernel } from '../kernel/choose.ts';
import { blockRows } from '../kernel/jobs.ts';
import type { Kernel } from '../kernel/kernel.ts';
import {
  EdgeNameColumn,
  type EdgeNames,
  EdgeNameFile,
  RowFile,
  IdColumn,
  IdFile,
  type Ids,
  type RowBlocks,
} from './row-file.ts';
import { isNumbered, type EdgeTarget } from './edges.ts';
import type { Layout } from './header.ts';
import { slack, type ByteSource } from './input.ts';
import { pairBits, watchBits, type KnownNames } from './known-names.ts';
import type { NodeTarget } from './nodes.ts';
import type { FileSource } from './file-source.ts';
import { stringBuffers } from './strings.ts';

/** Bytes of text that are looked at in one go; small enough to stay in the processor's cache after the copy. */
const maxTextBytes = 1 << 18;
const minTextBytes = 1 << 12;

const unknown = 0xffff_ffff;

/** The memory of one snapshot: columns, workspace, the window, and either kept names and ids or ways to read them again. */
export class Store {
  readonly kernel: Kernel;
  readonly window: Uint8Array;
  readonly stringBuffers: { readonly offsets: Uint32Array; readonly notes: Uint32Array };
  readonly columns: Columns;
  readonly space: Workspace;
  readonly ids: Ids;
  readonly edgeNames: EdgeNames;
  readonly #id: Uint32Array | null;
  readonly #names: EdgeNameColumn | null;
  readonly rowBlocks: RowBlocks;
  readonly #watched: Uint8Array;
  readonly #pairs: Uint8Array;
  #plainName = unknown;
  #stringCount = unknown;

  /** `rereadable` is the file, when strings are read first and rows can be read again. */
  constructor(
    kernel: Kernel,
    layout: Layout,
    rereadable: FileSource | null,
    room: { readonly textBytes: number; readonly maxStrings: number },
  ) {
    const { textBytes, maxStrings } = room;
    const { nodeCount, edgeCount } = layout;
    const { arena } = kernel;
    this.kernel = kernel;
    this.window = arena.bytes(textBytes + slack);
    this.stringBuffers = stringBuffers(arena, textBytes);
    // A shared memory holds the last snapshot. What counts as zero at first is cleared here or by who uses it.
    this.#watched = arena.bytes(8192).fill(0);
    this.#pairs = arena.bytes(Math.ceil(maxStrings / 8) + 8).fill(0);
    this.columns = {
      nodeCount,
      edgeCount,
      kind: arena.bytes(nodeCount),
      name: arena.words(nodeCount),
      size: arena.words(nodeCount),
      largeSizes: new Map(),
      firstEdge: arena.words(nodeCount + 1),
      to: arena.words(edgeCount),
      plain: arena.bytes(Math.ceil(nodeCount / 8) + 8).fill(0),
    };
    const nodeBlocks = arena.floats(Math.ceil(nodeCount / blockRows));
    const edgeBlocks = arena.floats(Math.ceil(edgeCount / blockRows));
    this.rowBlocks = { nodes: nodeBlocks, edges: edgeBlocks };
    if (rereadable === null) {
      this.#id = arena.words(nodeCount);
      this.#names = new EdgeNameColumn(arena.words(edgeCount));
      this.ids = new IdColumn(this.#id);
      this.edgeNames = this.#names;
    } else {
      this.#id = null;
      this.#names = null;
      const nodes = new RowFile(rereadable, nodeBlocks, nodeCount, layout.nodeFields);
      const edges = new RowFile(rereadable, edgeBlocks, edgeCount, layout.edgeFields);
      this.ids = new IdFile(nodes, layout.node.id);
      this.edgeNames = new EdgeNameFile(edges, layout.edge);
    }
    this.space = allocateWorkspace(arena, nodeCount, edgeCount);
  }

  /** Names that are known before nodes and edges are read. */
  useNames(names: KnownNames, stringCount: number): void {
    this.#plainName = names.object;
    this.#stringCount = stringCount;
    watchBits(names, this.#watched);
    pairBits(names, this.#pairs);
  }

  nodeTarget(): NodeTarget {
    return {
      columns: this.columns,
      id: this.#id,
      blocks: this.rowBlocks.nodes,
      plainName: this.#plainName,
      watched: this.#watched,
      stringCount: this.#stringCount,
      notes: this.stringBuffers.notes,
    };
  }

  edgeTarget(soft: SoftEdges, withProperties: boolean): EdgeTarget {
    return {
      columns: this.columns,
      names: this.#names,
      blocks: this.rowBlocks.edges,
      stringCount: this.#stringCount,
      pairs: this.#pairs,
      properties: withProperties && this.#stringCount !== unknown ? this.space.sources : null,
      notes: this.stringBuffers.notes,
      soft,
    };
  }

  /** Makes sure that every name is the index of a string; where strings were read first, that was done on the way. */
  checkNames(count: number, layout: Layout, place: { file: string; offset: number }): void {
    const outside = (what: string, value: number): Error =>
      failure('PLM_HEAP_INDEX', { ...place, what, value, limit: count });
    const names = this.#names;
    if (names === null || this.#stringCount !== unknown) return;
    const { name, nodeCount, edgeCount } = this.columns;
    for (let n = 0; n < nodeCount; n++) {
      if ((name[n] as number) >= count) throw outside(`name of node ${n}`, name[n] as number);
    }
    const numbered = layout.edgeTypes.map(isNumbered);
    for (let e = 0; e < edgeCount; e++) {
      const value = names.name(e);
      if (value >= count && numbered[names.type(e)] !== true) throw outside(`name of edge ${e}`, value);
    }
  }
}

/**
 * Reserves the memory for a snapshot. `stringsAt` is where the strings begin when they are read first; then ids of nodes and
 * names of edges stay in the file, unless `keepRows` asks for them.
 */
export function makeStore(
  layout: Layout,
  wanted: 'auto' | 'wasm' | 'typescript',
  source: ByteSource,
  stringsAt: number | null,
  keepRows = false,
  shared?: SharedMemory,
): Store {
  const { nodeCount, edgeCount } = layout;
  const textBytes = Math.max(minTextBytes, Math.min(maxTextBytes, source.bytes ?? maxTextBytes));
  const maxStrings = stringsAt === null ? 0 : Math.ceil(((source.bytes ?? 0) - stringsAt) / 3);
  const isKept = stringsAt === null || keepRows;
  const kept = isKept ? 4 * (nodeCount + edgeCount) : 0;
  const blocks = (8 * (nodeCount + edgeCount)) / blockRows + 128;
  const bytes = 5 * textBytes + 14 * nodeCount + 4 * edgeCount + kept + blocks + maxStrings / 8 + 32_768;
  const total = Math.ceil(bytes + workspaceBytes(nodeCount, edgeCount));
  const rereadable = isKept ? null : (source as FileSource);
  const ahead = Math.max(1, (shared?.largestBytes ?? 0) / (source.bytes ?? Number.POSITIVE_INFINITY));
  const make = (kind: typeof wanted): Store => {
    const kernel = chooseKernel(kind, total, shared, ahead);
    kernel.arena.reserve(total);
    return new Store(kernel, layout, rereadable, { textBytes, maxStrings });
  };
  try {
    return make(wanted);
  } catch (error) {
    // A refused WebAssembly memory may still be given in pieces.
    if (!(error instanceof RangeError)) throw error;
    const place = { file: source.label, offset: 0 };
    const refused = failure('PLM_HEAP_MEMORY', { ...place, bytes: total }, { cause: error });
    try {
      return make('typescript');
    } catch {
      throw refused;
    }
  }
}
