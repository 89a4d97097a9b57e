import { constructorTable, type ConstructorRow } from '../dominators/constructors.ts';
import { depthFirst } from '../dominators/depth-first.ts';
import { semiNca } from '../dominators/semi-nca.ts';
import { DominatorTree, retainedBytes, type Dominators } from '../dominators/tree.ts';
import { failure } from '../errors.ts';
import { isNumbered } from '../read/edges.ts';
import type { Layout } from '../read/header.ts';
import type { ByteSource } from '../read/input.ts';
import type { Location } from '../read/locations.ts';
import type { Scan } from '../read/scan.ts';
import type { HeapGraph, SnapshotMeta } from '../snapshot.ts';
import { classify } from './classes.ts';
import { detachedShift, sizeOf, typeMask, weakBit } from './columns.ts';
import { distances, unreached } from './distances.ts';
import { markEssential } from './essential.ts';
import { Retainers, type Retainer } from './retainers.ts';
import { foldedSizes } from './shallow-sizes.ts';
import { weakMapPairs } from './weak-map-pairs.ts';

/** Makes the graph of a scanned snapshot; it owns the source until it is closed. */
export function buildGraph(scan: Scan, source: ByteSource, file: string | null): HeapGraph {
  return new ScannedGraph(scan, source, file);
}

class ScannedGraph implements HeapGraph {
  readonly nodeCount: number;
  readonly edgeCount: number;
  readonly file: string | null;
  readonly fileBytes: number;
  readonly meta: SnapshotMeta;
  readonly #source: ByteSource;
  #scan: Scan | undefined;
  readonly #sizes: Float64Array;
  #tree: DominatorTree | undefined;
  #retainers: Retainers | undefined;
  #distances: Uint32Array | undefined;
  #constructors: readonly ConstructorRow[] | undefined;
  readonly #numbered: readonly boolean[];

  constructor(scan: Scan, source: ByteSource, file: string | null) {
    const { layout, columns, strings } = scan;
    this.#scan = scan;
    this.#source = source;
    this.file = file;
    this.fileBytes = scan.bytes;
    this.nodeCount = layout.nodeCount;
    this.edgeCount = layout.edgeCount;
    this.#numbered = layout.edgeTypes.map(isNumbered);
    this.meta = metaOf(layout, strings.count, scan.locations.count);
    this.#sizes = Float64Array.from({ length: layout.nodeCount }, (_, n) => sizeOf(columns, n));
    const named = (node: number, text: string): boolean => strings.get(columns.name[node] as number) === text;
    foldedSizes(columns, layout, this.#sizes, (n) => named(n, 'system / ExternalStringData'));
    const synthetic = layout.nodeTypes.indexOf('synthetic');
    const isDocumentRoot = (n: number): boolean =>
      ((columns.kind[n] as number) & typeMask) === synthetic && named(n, '(Document DOM trees)');
    markEssential(columns, scan.edgeNames, layout, weakMapPairs(strings, scan.numberedNames), isDocumentRoot);
  }

  get #open(): Scan {
    if (this.#scan === undefined) throw failure('PLM_HEAP_CLOSED', { file: this.file ?? 'stream' });
    return this.#scan;
  }

  nodeType(node: number): string {
    return this.meta.nodeTypes[(this.#open.columns.kind[node] as number) & typeMask] ?? '';
  }

  nodeName(node: number): string {
    return this.string(this.nodeNameIndex(node));
  }

  nodeNameIndex(node: number): number {
    return this.#open.columns.name[node] as number;
  }

  nodeId(node: number): number {
    return this.#open.columns.id[node] as number;
  }

  selfBytes(node: number): number {
    return this.#sizes[node] as number;
  }

  detachedness(node: number): number {
    return (this.#open.columns.kind[node] as number) >>> detachedShift;
  }

  location(node: number): Location | undefined {
    return this.#open.locations.of(node);
  }

  firstEdge(node: number): number {
    return this.#open.columns.firstEdge[node] as number;
  }

  lastEdge(node: number): number {
    return this.#open.columns.firstEdge[node + 1] as number;
  }

  edgeTo(edge: number): number {
    return ((this.#open.columns.to[edge] as number) & ~weakBit) >>> 0;
  }

  edgeType(edge: number): string {
    return this.meta.edgeTypes[this.#open.edgeNames.type(edge)] ?? '';
  }

  edgeName(edge: number): string | number {
    const { edgeNames } = this.#open;
    const name = edgeNames.name(edge);
    return this.#numbered[edgeNames.type(edge)] === true ? name : this.string(name);
  }

  forEachEdge(node: number, visit: (edge: number, to: number) => void): void {
    const end = this.lastEdge(node);
    for (let e = this.firstEdge(node); e < end; e++) visit(e, this.edgeTo(e));
  }

  retainers(node: number): Iterable<Retainer> {
    this.#retainers ??= new Retainers(this.#open.columns);
    return this.#retainers.of(node);
  }

  isEssentialEdge(_from: number, edge: number): boolean {
    return (this.#open.columns.to[edge] as number) < weakBit;
  }

  string(index: number): string {
    return this.#open.strings.get(index);
  }

  dominators(): Dominators {
    return this.#dominators();
  }

  #dominators(): DominatorTree {
    if (this.#tree !== undefined) return this.#tree;
    const { columns, layout } = this.#open;
    const spanning = depthFirst(columns, layout.rootNode);
    const dom = semiNca(columns, spanning);
    const retained = retainedBytes(dom, spanning.vertex, this.#sizes);
    const unreachable = this.nodeCount - spanning.reachable;
    this.#tree = new DominatorTree({
      order: spanning.order,
      vertex: spanning.vertex,
      dom,
      retained,
      unreachable,
    });
    return this.#tree;
  }

  constructors(): readonly ConstructorRow[] {
    if (this.#constructors !== undefined) return this.#constructors;
    const { columns, edgeNames, layout, strings, locations } = this.#open;
    const classes = classify(columns, edgeNames, layout, strings, locations);
    this.#constructors = constructorTable(classes, this.#dominators(), this.#sizes);
    return this.#constructors;
  }

  distance(node: number): number {
    this.#distances ??= distances(this.#open.columns, this.#open.layout.rootNode);
    const found = this.#distances[node] as number;
    return found === unreached ? Number.POSITIVE_INFINITY : found;
  }

  close(): void {
    this.#scan?.edgeNames.close();
    this.#scan = undefined;
    this.#source.close();
  }
}

function metaOf(layout: Layout, stringCount: number, locationCount: number): SnapshotMeta {
  return {
    format: formatOf(layout),
    extraNativeBytes: layout.extraNativeBytes,
    rootNode: layout.rootNode,
    nodeTypes: layout.nodeTypes,
    edgeTypes: layout.edgeTypes,
    stringCount,
    locationCount,
  };
}

function formatOf(layout: Layout): string {
  if (layout.nodeFields === 6) return 'Node 24 or later';
  return layout.nodeTypes.includes('object shape')
    ? 'Node 20 or 22, or with allocation tracking'
    : 'Node 18 or earlier';
}
