import { constructorTable, type ConstructorRow } from '../dominators/constructors.ts';
import { dominatorTree, type Dominators, type DominatorTree } from '../dominators/tree.ts';
import { failure } from '../errors.ts';
import { hasBit } from '../kernel/typescript/rows.ts';
import { isNumbered } from '../read/edges.ts';
import type { Layout } from '../read/header.ts';
import type { ByteSource } from '../read/input.ts';
import type { Location } from '../read/locations.ts';
import type { Scan } from '../read/scan.ts';
import type { HeapGraph, SnapshotMeta } from '../snapshot.ts';
import { detachedShift, sizeOf, typeMask, weakBit } from './columns.ts';
import { distances, unreached } from './distances.ts';
import { resolveSoft } from './resolve-soft.ts';
import { Retainers, type Retainer } from './retainers.ts';
import { shortestPath } from './shortest-path.ts';
import { foldSizes } from './shallow-sizes.ts';

/** Makes the graph of a scanned snapshot; it owns the source until it is closed. */
export function buildGraph(scan: Scan, source: ByteSource, file: string | null): HeapGraph {
  return new ScannedGraph(scan, source, file);
}

const targetMask = 0x7fff_ffff;

class ScannedGraph implements HeapGraph {
  readonly nodeCount: number;
  readonly edgeCount: number;
  readonly file: string | null;
  readonly fileBytes: number;
  readonly meta: SnapshotMeta;
  readonly #source: ByteSource;
  #scan: Scan | undefined;
  #tree: DominatorTree | undefined;
  #retainers: Retainers | undefined;
  #distances: Uint32Array | undefined;
  #constructors: readonly ConstructorRow[] | undefined;
  readonly #numbered: readonly boolean[];

  constructor(scan: Scan, source: ByteSource, file: string | null) {
    const { layout, strings } = scan;
    this.#scan = scan;
    this.#source = source;
    this.file = file;
    this.fileBytes = scan.bytes;
    this.nodeCount = layout.nodeCount;
    this.edgeCount = layout.edgeCount;
    this.#numbered = layout.edgeTypes.map(isNumbered);
    this.meta = metaOf(layout, strings.count, scan.locations.count);
    resolveSoft(scan);
    foldSizes(scan);
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
    const { columns, names } = this.#open;
    return hasBit(columns.plain, node) ? names.object : (columns.name[node] as number);
  }

  nodeId(node: number): number {
    return this.#open.ids.of(node);
  }

  selfBytes(node: number): number {
    return sizeOf(this.#open.columns, node);
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
    const target = (this.#open.columns.to[edge] as number) & targetMask;
    return this.#tree === undefined ? target : (this.#tree.vertex[target] as number);
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
    if (this.#retainers === undefined) {
      // The table is made first, because it needs the part of the workspace that retainers take over.
      this.constructors();
      this.#retainers = new Retainers(this.#open, this.#dominators());
    }
    return this.#retainers.of(node);
  }

  isEssentialEdge(_from: number, edge: number): boolean {
    this.#dominators();
    return (this.#open.columns.to[edge] as number) < weakBit;
  }

  string(index: number): string {
    return this.#open.strings.get(index);
  }

  dominators(): Dominators {
    return this.#dominators();
  }

  #dominators(): DominatorTree {
    this.#tree ??= dominatorTree(this.#open);
    return this.#tree;
  }

  constructors(): readonly ConstructorRow[] {
    this.#constructors ??= constructorTable(this.#open, this.#dominators());
    return this.#constructors;
  }

  distance(node: number): number {
    const tree = this.#dominators();
    this.#distances ??= distances(this.#open.columns, tree);
    const found = this.#distances[tree.order[node] as number] as number;
    return found === unreached ? Number.POSITIVE_INFINITY : found;
  }

  shortestPath(node: number): readonly number[] {
    return shortestPath(this.#open, this.#dominators(), node, this.#retainers === undefined);
  }

  close(): void {
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
