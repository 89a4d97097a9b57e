import type { Readable } from 'node:stream';
import type { ConstructorRow } from './graph/constructors.ts';
import { failure } from './errors.ts';
import { openSnapshot, type HeapGraph, type SnapshotReadOptions } from './snapshot.ts';
import { observe, type Observation } from './suspects/observations.ts';
import { findSuspects, type Suspect, type SuspectOptions } from './suspects/suspects.ts';
import { buildTrace, type Accumulation, type LeakTrace, type TraceContext } from './trace/leak-trace.ts';
import { classPaths, type ClassPath } from './trace/class-paths.ts';
import { Names, type NamesOptions } from './trace/names.ts';
import type { Hop } from './graph/path-search.ts';
import { scopeRoots, type ScopeRoots, type RetainedScope } from './trace/scope-roots.ts';
import { ScriptPlaces, type ScriptLookup } from './trace/script-place.ts';

export interface SnapshotOptions extends SnapshotReadOptions, NamesOptions {
  /** Looks up source maps and versions of packages; without, places are those of the snapshot. */
  readonly scripts?: ScriptLookup;
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
export async function open(
  source: string | AsyncIterable<Uint8Array> | Readable,
  options: SnapshotOptions = {},
): Promise<Snapshot> {
  return new Snapshot(await openSnapshot(source, options), options);
}

/** An open heap snapshot and the questions that can be put to it. Names are redacted unless `showStrings` was given. */
export class Snapshot {
  readonly graph: HeapGraph;
  readonly names: Names;
  readonly #context: TraceContext;
  #scopes: ScopeRoots | undefined;
  #constructors: readonly ConstructorRow[] | undefined;

  constructor(graph: HeapGraph, options: Pick<SnapshotOptions, keyof NamesOptions | 'scripts'> = {}) {
    this.graph = graph;
    this.names = new Names(graph, options);
    this.#context = {
      graph,
      names: this.names,
      places: new ScriptPlaces(graph, options.scripts),
      scopeOf: (node) => this.#scopeRoots().of(node),
    };
  }

  /** The path it was opened from, "stream" without one. */
  get file(): string {
    return this.graph.file ?? 'stream';
  }

  /** Bytes of all objects that are alive. */
  get heapBytes(): number {
    return this.graph.dominators().retainedBytes(this.graph.meta.rootNode);
  }

  /**
   * One row per class name, largest retained first. Plain objects are told apart by their properties where code names
   * these; the row `Object` is of the others.
   */
  constructors(): readonly ConstructorRow[] {
    this.#constructors ??= this.graph.constructors((name) => this.names.tableName(name));
    return this.#constructors;
  }

  /** The objects that keep most alive, below the one with the id `under` or below the root; what V8 keeps between is left out. */
  dominators(options: { readonly under?: number; readonly limit?: number } = {}): DominatorRow[] {
    const top = options.under === undefined ? this.graph.meta.rootNode : this.#node(options.under);
    const rows = this.visibleChildren(top).map((node) => ({
      ...this.#object(node),
      children: this.visibleChildren(node).length,
    }));
    return rows.sort((a, b) => b.retainedBytes - a.retainedBytes).slice(0, options.limit ?? 20);
  }

  /** Visible objects that a node dominates with nothing visible between. */
  visibleChildren(top: number): number[] {
    const dominators = this.graph.dominators();
    const found: number[] = [];
    const stack = [top];
    while (stack.length > 0) {
      for (const child of dominators.children(stack.pop() as number)) {
        if (this.graph.isVisible(child)) found.push(child);
        else stack.push(child);
      }
    }
    return found;
  }

  /** Retaining paths to an object, the most telling first; each later one shares no last reference with those before it. */
  pathsTo(id: number, options: { readonly limit?: number } = {}): LeakTrace[] {
    const target = this.#node(id);
    const limit = options.limit ?? 3;
    const traces = new Map<string, LeakTrace>();
    const without = new Set<number>();
    // An array leads to its elements twice, itself and through its store. A path that reads the same does not count.
    for (let tries = 0; traces.size < limit && tries < limit * 3; tries++) {
      const path = this.graph.paths([target], without).get(target);
      if (path === undefined) break;
      const trace = buildTrace(this.#context, path);
      const key = trace.steps.map((step) => `${step.via} ${step.id}`).join('\n');
      if (!traces.has(key)) traces.set(key, trace);
      without.add(lastChoice(this.graph, path).edge);
    }
    return [...traces.values()];
  }

  /** The most telling retaining path to each of these nodes, found in one search; one that nothing holds is missing. */
  tracesTo(nodes: readonly number[]): ReadonlyMap<number, LeakTrace> {
    if (nodes.length === 0) return new Map();
    const paths = this.graph.paths(nodes);
    return new Map([...paths].map(([node, path]) => [node, buildTrace(this.#context, path)]));
  }

  /** How the instances of a class are held, most common way first; `name()` asks for functions. */
  retainersOf(name: string): { readonly instances: number; readonly paths: readonly ClassPath[] } {
    return classPaths(this.#context, this.file, name);
  }

  /** The object with an id; throws when there is none. */
  object(id: number): HeapObject {
    return this.#object(this.#node(id));
  }

  /** The scopes whose path is `text` or ends with it, or that lie below it; throws when there is none. */
  scopesMatching(text: string): readonly RetainedScope[] {
    const rows = this.scopes().filter(
      ({ path }) => path === text || path.endsWith(`/${text}`) || `/${path}`.includes(`/${text}/`),
    );
    if (rows.length === 0)
      throw failure('PLM_HEAP_NO_SCOPE', { file: this.file, scope: text, known: this.scopes().length });
    return rows;
  }

  /** The trace of a path that was found otherwise. */
  traceOf(path: readonly Hop[], about?: Accumulation): LeakTrace {
    return buildTrace(this.#context, path, about);
  }

  /** Objects that the predicate accepts, in the order of the file; at most `limit`, default 1,000. */
  find(predicate: (object: HeapObject) => boolean, options: { readonly limit?: number } = {}): HeapObject[] {
    const found: HeapObject[] = [];
    for (let node = 0; node < this.graph.nodeCount && found.length < (options.limit ?? 1000); node++) {
      if (!this.graph.isVisible(node)) continue;
      const object = this.#object(node);
      if (predicate(object)) found.push(object);
    }
    return found;
  }

  /** What each scope with registered roots holds, largest first; empty when the process had none. */
  scopes(): readonly RetainedScope[] {
    return this.#scopeRoots().rows;
  }

  /** Who accumulates what, most suspicious first. */
  suspects(options: SuspectOptions = {}): Suspect[] {
    return findSuspects(this.#context, options);
  }

  /** What costs memory across the heap without being a leak by itself. */
  observations(): Observation[] {
    return observe(this.graph, this.names);
  }

  /** The node of an object id; throws when there is none. */
  #node(id: number): number {
    for (let node = 0; node < this.graph.nodeCount; node++) if (this.graph.nodeId(node) === id) return node;
    throw failure('PLM_HEAP_NO_NODE', { file: this.file, id });
  }

  #object(node: number): HeapObject {
    return {
      id: this.graph.nodeId(node),
      type: this.graph.nodeType(node),
      name: this.names.node(node),
      selfBytes: this.graph.selfBytes(node),
      retainedBytes: this.graph.dominators().retainedBytes(node),
    };
  }

  #scopeRoots(): ScopeRoots {
    this.#scopes ??= scopeRoots(this.graph);
    return this.#scopes;
  }

  /** Ids of the objects that were registered with the scopes of a path. */
  rootsOf(path: string): number[] {
    return this.#scopeRoots()
      .rootsOf(path)
      .map((node) => this.graph.nodeId(node));
  }

  close(): void {
    this.graph.close();
  }

  [Symbol.dispose](): void {
    this.close();
  }
}

/** The last reference of a path that starts at a visible object: the one to do without to find a path that differs. */
function lastChoice(graph: HeapGraph, path: readonly Hop[]): Hop {
  return (path.findLast((hop) => graph.isVisible(hop.from)) ?? path.at(-1)) as Hop;
}
