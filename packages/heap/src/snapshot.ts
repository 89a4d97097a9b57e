import type { Readable } from 'node:stream';
import type { SharedMemory } from './kernel/arena.ts';
import { failure } from './errors.ts';
import type { ConstructorRow } from './graph/constructors.ts';
import type { Dominators } from './graph/dominator-tree.ts';
import { buildGraph } from './graph/heap-graph.ts';
import type { Group } from './graph/groups.ts';
import type { PathForest, PathGroups, PathNaming } from './graph/path-groups.ts';
import type { Hop } from './graph/path-search.ts';
import type { PinnedTexts, Retainer } from './graph/retainers.ts';
import type { Survey, Texts } from './graph/survey.ts';
import type { Breath, ByteSource } from './graph/input.ts';
import type { Location } from './graph/locations.ts';
import { scan } from './graph/scan.ts';
import { openPath, type FileSource } from './graph/file-source.ts';
import { StreamSource } from './graph/stream-source.ts';

/** How a snapshot is opened. */
export interface SnapshotReadOptions {
  /** Which implementation runs the hot loops; "auto" (the default) takes WebAssembly where it works. */
  readonly kernel?: 'auto' | 'wasm' | 'typescript';
  /**
   * Keeps the ids of objects and the names of references in memory, 4 bytes each, instead of reading them from the file when
   * they are asked for; faster when most of them are. Default false; a stream is always kept.
   */
  readonly keepRows?: boolean;
  /** Called at most a few dozen times; ratio goes from 0 to 1 within a phase. */
  readonly onProgress?: (progress: { phase: string; ratio: number }) => void;
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
  /** Ids and own bytes of all nodes, which are gone when the graph is closed. */
  identities(): { readonly ids: Uint32Array; readonly bytes: Uint32Array | Float64Array };
  /** Own bytes, as Chrome DevTools shows them: backing stores count for their owner. */
  selfBytes(node: number): number;
  /** 0 unknown, 1 attached, 2 detached. */
  detachedness(node: number): number;
  location(node: number): Location | undefined;
  /** By script id, some functions that were compiled from the script. */
  closuresByScript(): ReadonlyMap<number, readonly number[]>;
  firstEdge(node: number): number;
  /** One past the last edge of the node. */
  lastEdge(node: number): number;
  edgeTo(edge: number): number;
  edgeType(edge: number): string;
  edgeName(edge: number): string | number;
  /** A number that edges of the same type and name share: 16 times the index of the name, and the type. */
  edgeKey(edge: number): number;
  forEachEdge(node: number, visit: (edge: number, to: number) => void): void;
  /** Edges that keep the node alive. The first call makes an index of all of them. */
  retainers(node: number): readonly Retainer[];
  /** Edges that keep a few nodes alive, in one pass and without an index. */
  retainersOfFew(nodes: Iterable<number>): readonly (Retainer & { to: number })[];
  /** Strings that only slices of them keep alive. */
  pinnedTexts(): PinnedTexts;
  /** What one pass over all nodes finds out; made at the first call, then kept. */
  survey(): Survey;
  /** What one pass over all text finds out; made at the first call, then kept. */
  texts(): Texts;
  /** True for what has a name in the program, false for what V8 stores it by. */
  isVisible(node: number): boolean;
  /** A number that nodes of one class share; undefined for what V8 stores objects by. */
  classKey(node: number): number | undefined;
  /** What a node refers to, by class. */
  groupsBelow(node: number): readonly Group[];
  /** What a node dominates with nothing visible between, by class. */
  groupsDominated(node: number): readonly Group[];
  /** Nodes that retain at least so many bytes, in the order of the file. */
  heavyNodes(leastBytes: number): Uint32Array;
  /** The cheapest retaining path to each node; one that nothing holds is missing. Edges `without` are not used. */
  paths(targets: Iterable<number>, without?: Iterable<number>): Map<number, Hop[]>;
  /**
   * Objects by the references and classes on their cheapest paths. `known` has one bit per id of an object that was there before. The
   * snapshot has to be opened with `keepRows`.
   */
  groupPaths(naming: PathNaming, known: Uint32Array): PathGroups;
  /** The paths that `groupPaths` found; they are gone when anything else is asked for. */
  groupedPaths(): PathForest;
  isEssentialEdge(from: number, edge: number): boolean;
  string(index: number): string;
  /** Visits the strings whose bit is set, in the order of the file. */
  eachString(bits: Uint8Array, visit: (text: string) => void): void;
  /** Computed at the first call, then kept. */
  dominators(): Dominators;
  /**
   * The table of Chrome DevTools: one row per class, largest retained first. Classes to which `nameOf` gives the same name
   * are one row. Made anew at every call.
   */
  constructors(nameOf?: (name: string) => string): readonly ConstructorRow[];
  close(): void;
}

/** How much is read between two looks at the clock and the signal. */
const breathBytes = 64 << 20;

/** Opens a snapshot from the path of a regular file or from a stream, and reads it once. No other open one may use the shared memory. */
export async function openSnapshot(
  source: string | AsyncIterable<Uint8Array> | Readable,
  options: SnapshotReadOptions = {},
  memory?: SharedMemory,
): Promise<HeapGraph> {
  const bytes = await sourceOf(source, options);
  try {
    const result = await scan(bytes, {
      kernel: options.kernel ?? 'auto',
      breath: breathing(bytes, options),
      keepRows: options.keepRows,
      memory,
    });
    return buildGraph(result, bytes, typeof source === 'string' ? source : null);
  } catch (error) {
    bytes.close();
    throw error;
  }
}

/** Opens the bytes of a path or a stream. */
export async function sourceOf(
  source: string | AsyncIterable<Uint8Array> | Readable,
  options: SnapshotReadOptions,
): Promise<FileSource | StreamSource> {
  return typeof source === 'string'
    ? openPath(source, options.signal)
    : new StreamSource('stream', source as AsyncIterable<Uint8Array>, { signal: options.signal });
}

/** Reports progress, lets the event loop run and looks at the signal, every 64 MiB. */
export function breathing(source: ByteSource, options: SnapshotReadOptions): Breath {
  const { signal, onProgress } = options;
  let done = 0;
  let next = 0;
  return (offset, read) => {
    done += read;
    if (done < next || (signal === undefined && onProgress === undefined)) return undefined;
    next = done + breathBytes;
    const check = (): void => {
      if (signal?.aborted !== true) return;
      throw failure('PLM_HEAP_ABORTED', { file: source.label, offset }, { cause: signal.reason });
    };
    check();
    try {
      onProgress?.({ phase: 'read', ratio: source.bytes === null ? 0 : Math.min(1, done / source.bytes) });
    } catch {
      // A progress bar that fails must not stop the analysis.
    }
    return new Promise<void>((resolve) => void setImmediate(resolve)).then(check);
  };
}
