import { constructorTable, type ConstructorRow } from './constructors.ts';
import { dominatorTree, type Dominators, type DominatorTree } from './dominator-tree.ts';
import { failure } from '../errors.ts';
import { hasBit, setBits } from '../kernel/typescript/rows.ts';
import { visibleBit } from '../kernel/typescript/survey.ts';
import { isNumbered } from './edges.ts';
import type { Layout } from './header.ts';
import type { ByteSource } from './input.ts';
import type { Location } from './locations.ts';
import type { Scan } from './scan.ts';
import type { HeapGraph, SnapshotMeta } from '../snapshot.ts';
import { detachedShift, sizeOf, typeMask, weakBit } from '../kernel/columns.ts';
import { resolveSoft } from './soft-edges.ts';
import { classKey, Grouping, type Group } from './groups.ts';
import { forestOf, groupPaths, type PathForest, type PathGroups, type PathNaming } from './path-groups.ts';
import { closing, PathSearch, type Hop } from './path-search.ts';
import { pinnedTexts, Retainers, retainersOfFew, type PinnedTexts, type Retainer } from './retainers.ts';
import { passingEdges } from './roots.ts';
import { IdColumn } from './row-file.ts';
import { foldSizes } from './shallow-sizes.ts';
import { actsOf, survey, surveyTexts, type Survey, type Texts } from './survey.ts';

/** Makes the graph of a scanned snapshot; it owns the source until it is closed. */
export function buildGraph(scan: Scan, source: ByteSource, file: string | null): HeapGraph {
  return new ScannedGraph(scan, source, file);
}

const targetMask = 0x7fff_ffff;
/** Smallest part of the heap, and fewest bytes, that a collection has to keep alive to be suspicious. */
const leastKeptRatio = 0.01;
const leastKept = 48 * 1024;

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
  #survey: Survey | undefined;
  #texts: Texts | undefined;
  #acts: Uint8Array | undefined;
  #blocked: ReadonlySet<number> | undefined;
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

  identities(): { readonly ids: Uint32Array; readonly bytes: Uint32Array | Float64Array } {
    const { ids, columns } = this.#open;
    const { nodeCount, size, largeSizes } = columns;
    const bytes = largeSizes.size === 0 ? size : Float64Array.from(size);
    for (const [node, large] of largeSizes) bytes[node] = large;
    if (ids instanceof IdColumn) return { ids: ids.words, bytes };
    return { ids: Uint32Array.from({ length: nodeCount }, (_, node) => ids.of(node)), bytes };
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

  closuresByScript(): ReadonlyMap<number, readonly number[]> {
    const { locations, columns } = this.#open;
    const closure = this.meta.nodeTypes.indexOf('closure');
    return locations.nodesByScript((node) => ((columns.kind[node] as number) & typeMask) === closure);
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

  edgeKey(edge: number): number {
    const { edgeNames } = this.#open;
    return edgeNames.name(edge) * 16 + edgeNames.type(edge);
  }

  forEachEdge(node: number, visit: (edge: number, to: number) => void): void {
    const end = this.lastEdge(node);
    for (let e = this.firstEdge(node); e < end; e++) visit(e, this.edgeTo(e));
  }

  retainers(node: number): readonly Retainer[] {
    this.#retainers ??= new Retainers(this.#open, this.#dominators());
    return this.#retainers.of(node);
  }

  retainersOfFew(nodes: Iterable<number>): readonly (Retainer & { to: number })[] {
    return retainersOfFew(this.#open, this.#dominators(), nodes);
  }

  pinnedTexts(): PinnedTexts {
    return pinnedTexts(this.#open, this.#dominators());
  }

  survey(): Survey {
    if (this.#survey === undefined) {
      const tree = this.#dominators();
      const least = Math.max(leastKept, (tree.retained[0] as number) * leastKeptRatio);
      this.#survey = survey(this.#open, tree, least);
    }
    return this.#survey;
  }

  texts(): Texts {
    this.#texts ??= surveyTexts(this.#open, this.#dominators());
    return this.#texts;
  }

  isVisible(node: number): boolean {
    const { roles } = this.survey();
    return ((roles[this.#dominators().order[node] as number] as number) & visibleBit) !== 0;
  }

  classKey(node: number): number | undefined {
    const { kind } = this.#open.columns;
    this.#acts ??= actsOf(this.#open);
    return classKey(this.#acts[(kind[node] as number) & typeMask] as number, this.nodeNameIndex(node));
  }

  groupsBelow(node: number): readonly Group[] {
    return new Grouping(this.#open, this.#dominators()).targets(node);
  }

  groupsDominated(node: number): readonly Group[] {
    return new Grouping(this.#open, this.#dominators()).dominated(node, this.survey().roles);
  }

  heavyNodes(leastBytes: number): Uint32Array {
    const { retained, vertex } = this.#dominators();
    let found = new Uint32Array(64);
    let count = 0;
    for (let i = 0; i < retained.length; i++) {
      if ((retained[i] as number) < leastBytes) continue;
      if (count === found.length) {
        const grown = new Uint32Array(count * 2);
        grown.set(found);
        found = grown;
      }
      found[count++] = vertex[i] as number;
    }
    return found.subarray(0, count).sort();
  }

  paths(targets: Iterable<number>, without: Iterable<number> = []): Map<number, Hop[]> {
    const wanted = new Set(targets);
    const paths = new Map<number, Hop[]>();
    if (wanted.size === 0) return paths;
    const search = new PathSearch(this.#open, this.#dominators(), this.survey().roles);
    search.run(wanted, [...this.#passing(), ...without]);
    for (const target of wanted) {
      const path = search.pathTo(target);
      if (path !== undefined) paths.set(target, path);
    }
    return paths;
  }

  groupPaths(naming: PathNaming, known: Uint32Array): PathGroups {
    const scan = this.#open;
    const tree = this.#dominators();
    const { roles } = this.survey();
    return closing(scan, this.#passing(), () => groupPaths(scan, tree, roles, naming, known));
  }

  groupedPaths(): PathForest {
    return forestOf(this.#open, this.#dominators());
  }

  #passing(): ReadonlySet<number> {
    this.#blocked ??= passingEdges(this);
    return this.#blocked;
  }

  isEssentialEdge(_from: number, edge: number): boolean {
    this.#dominators();
    return (this.#open.columns.to[edge] as number) < weakBit;
  }

  string(index: number): string {
    return this.#open.strings.get(index);
  }

  eachString(bits: Uint8Array, visit: (text: string) => void): void {
    this.#open.strings.each(setBits(bits), (_index, text) => visit(text));
  }

  dominators(): Dominators {
    return this.#dominators();
  }

  #dominators(): DominatorTree {
    this.#tree ??= dominatorTree(this.#open);
    return this.#tree;
  }

  constructors(nameOf?: (name: string) => string): readonly ConstructorRow[] {
    return constructorTable(this.#open, this.#dominators(), nameOf);
  }

  close(): void {
    this.#scan = undefined;
    this.#tree = undefined;
    this.#retainers = undefined;
    this.#survey = undefined;
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
