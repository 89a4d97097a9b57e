import { failure, isHeapError } from '../errors.ts';
import type { SharedMemory } from '../kernel/arena.ts';
import type { Columns } from '../kernel/columns.ts';
import { SoftEdges } from './soft-edges.ts';
import type { Workspace } from './workspace.ts';
import type { Kernel } from '../kernel/kernel.ts';
import type { EdgeNames, Ids, RowBlocks } from './row-file.ts';
import { EdgeReader } from './edges.ts';
import { findStrings } from './find-strings.ts';
import { parseHeader, type Layout } from './header.ts';
import { Input, type Breath, type ByteSource } from './input.ts';
import { LocationReader, Locations } from './locations.ts';
import type { KnownNames } from './known-names.ts';
import { NodeReader } from './nodes.ts';
import { Sections } from './sections.ts';
import { collectProperties, shapeLists, type ShapeLists } from './shape-lists.ts';
import { FileSource } from './file-source.ts';
import { makeStore, type Store } from './store.ts';
import { KeptBytes, type StringTable } from './string-table.ts';
import { StringReader } from './strings.ts';

/** Everything that one pass over a snapshot yields. */
export interface Scan {
  readonly kernel: Kernel;
  readonly layout: Layout;
  readonly columns: Columns;
  readonly space: Workspace;
  readonly ids: Ids;
  readonly edgeNames: EdgeNames;
  readonly rowBlocks: RowBlocks;
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

interface ScanOptions {
  readonly kernel: 'auto' | 'wasm' | 'typescript';
  readonly breath: Breath;
  /** Keeps ids of nodes and names of edges in memory, 4 bytes each, for questions to all of them. */
  readonly keepRows?: boolean | undefined;
  readonly memory?: SharedMemory | undefined;
  /** Leaves plain objects their name and finds no shapes: for who looks at names alone. Default false. */
  readonly withoutShapes?: boolean;
}

const headerBytes = 1 << 14;

/**
 * Reads a snapshot once. The strings of a plain file are looked at first, because names decide what is worth keeping of
 * nodes and edges; types and names of edges then stay in the file. A stream is read in order and keeps them in memory.
 */
export async function scan(source: ByteSource, options: ScanOptions): Promise<Scan> {
  if (source instanceof FileSource) {
    const stringsAt = findStrings(source);
    if (stringsAt !== null) {
      const found = await new Scanner(source, options, stringsAt).run().catch((error: unknown) => {
        if (error === misjudged) return null;
        throw error;
      });
      if (found !== null) return found;
      source.seek(0);
    }
  }
  return new Scanner(source, options, null).run();
}

/** Thrown when the strings are not where they seemed to be; the file is then read in order. */
const misjudged = new Error('the strings are elsewhere');

/** Strings as found before anything else, or after. */
interface FoundStrings {
  readonly table: StringTable;
  readonly names: KnownNames;
  /** Where the section ends. */
  readonly end: number;
}

class Scanner {
  readonly #source: ByteSource;
  readonly #options: ScanOptions;
  /** Where the strings begin, when they are read first. */
  readonly #stringsAt: number | null;
  readonly #sections: Sections;
  readonly #soft = new SoftEdges();
  #locations = Locations.none;
  #strings: FoundStrings | undefined;
  #nodes: NodeReader | undefined;
  #edges: EdgeReader | undefined;
  #shapes: ShapeLists | undefined;
  /** True once the strings that were read first have been met where they belong. */
  #passedStrings = false;

  constructor(source: ByteSource, options: ScanOptions, stringsAt: number | null) {
    this.#source = source;
    this.#options = options;
    this.#stringsAt = stringsAt;
    this.#sections = new Sections(new Input(source, new Uint8Array(headerBytes), options.breath));
  }

  async run(): Promise<Scan> {
    const sections = this.#sections;
    await sections.begin();
    const place = sections.input.place();
    const layout = parseHeader(await sections.headerText(), place, this.#source.bytes);
    const store = makeStore(
      layout,
      this.#options.kernel,
      this.#source,
      this.#stringsAt,
      this.#options.keepRows,
      this.#options.memory,
    );
    if (this.#stringsAt !== null) this.#strings = await this.#stringsFirst(store, this.#stringsAt);
    sections.input.moveTo(store.window);
    for (let key = await sections.next(); key !== null; key = await sections.next()) {
      await this.#section(key, layout, store);
    }
    return this.#finish(layout, store);
  }

  async #stringsFirst(store: Store, at: number): Promise<FoundStrings> {
    const source = (this.#source as FileSource).from(at);
    const input = new Input(source, store.window, this.#options.breath, at);
    const sections = new Sections(input);
    const reader = new StringReader(store.kernel, store.stringBuffers);
    let end = at;
    try {
      await sections.content('strings', reader);
      end = input.offset();
      // V8 writes the strings last; a list that is followed by anything else may be another one.
      if ((await sections.next()) !== null) throw misjudged;
    } catch (error) {
      if (isHeapError(error) && (error.code === 'PLM_HEAP_SYNTAX' || error.code === 'PLM_HEAP_TRUNCATED')) {
        throw misjudged;
      }
      throw error;
    }
    const table = reader.table(this.#source as FileSource);
    const names = reader.names(table);
    store.useNames(names, reader.count);
    return { table, names, end };
  }

  async #section(key: string, layout: Layout, store: Store): Promise<void> {
    const sections = this.#sections;
    switch (key) {
      case 'snapshot':
        throw this.#misplaced(key, 'appears twice');
      case 'nodes': {
        if (this.#nodes !== undefined) throw this.#misplaced(key, 'appears twice');
        const reader = (this.#nodes = new NodeReader(store.kernel, layout, store.nodeTarget()));
        return sections.array(key, reader, () => `after ${reader.taken} of ${layout.nodeCount} nodes`);
      }
      case 'edges':
        return this.#edgeSection(layout, store);
      case 'locations': {
        if (layout.location === null || this.#locations !== Locations.none) return sections.skip(key);
        const reader = new LocationReader(store.kernel, layout, layout.location, store.space);
        await sections.array(key, reader);
        this.#locations = reader.finish();
        return;
      }
      case 'strings':
        return this.#stringSection(store);
      default:
        return sections.skip(key);
    }
  }

  async #edgeSection(layout: Layout, store: Store): Promise<void> {
    if (this.#nodes === undefined) throw this.#misplaced('edges', 'stands before section "nodes"');
    if (this.#edges !== undefined) throw this.#misplaced('edges', 'appears twice');
    const target = store.edgeTarget(this.#soft, this.#options.withoutShapes !== true);
    const reader = (this.#edges = new EdgeReader(store.kernel, layout, target));
    await this.#sections.array('edges', reader, () => `after ${reader.taken} of ${layout.edgeCount} edges`);
    if (target.properties === null) return;
    this.#shapes = shapeLists(store.kernel, store.space, store.columns, reader.propertyWords);
  }

  async #stringSection(store: Store): Promise<void> {
    const { input } = this.#sections;
    if (this.#stringsAt !== null) return this.#pastStrings(this.#stringsAt);
    if (this.#strings !== undefined) throw this.#misplaced('strings', 'appears twice');
    const reader = new StringReader(store.kernel, store.stringBuffers);
    const kept = new KeptBytes();
    const keeping = {
      take(from: Input): boolean {
        const [start, offset] = [from.start, from.offset()];
        const finished = reader.take(from);
        if (!(input.source instanceof FileSource)) kept.add(from.bytes.subarray(start, from.start), offset);
        return finished;
      },
    };
    await this.#sections.array('strings', keeping, () => `after ${reader.count} strings`);
    const table = reader.table(input.source instanceof FileSource ? input.source : kept);
    this.#strings = { table, names: reader.names(table), end: input.offset() };
  }

  /** Goes on after the strings, which were read first; when they stand elsewhere, they were not the strings. */
  async #pastStrings(at: number): Promise<void> {
    const { input } = this.#sections;
    if (input.offset() !== at - 1) throw misjudged;
    this.#passedStrings = true;
    (this.#source as FileSource).seek(this.#strings?.end ?? at);
    input.jump(this.#strings?.end ?? at);
  }

  #finish(layout: Layout, store: Store): Scan {
    if (this.#nodes === undefined) throw this.#misplaced('nodes', 'is missing');
    if (this.#stringsAt !== null && !this.#passedStrings) throw misjudged;
    if (this.#edges === undefined) throw this.#misplaced('edges', 'is missing');
    if (this.#strings === undefined) throw this.#misplaced('strings', 'is missing');
    const { table, names } = this.#strings;
    const place = this.#sections.input.place();
    store.checkNames(table.count, layout, place);
    return {
      kernel: store.kernel,
      layout,
      columns: store.columns,
      space: store.space,
      ids: store.ids,
      edgeNames: store.edgeNames,
      rowBlocks: store.rowBlocks,
      strings: table,
      names,
      tables: this.#nodes.watched,
      soft: this.#soft,
      locations: this.#locations,
      shapes: this.#shapes ?? this.#lateShapes(layout, store, names),
      stringsFirst: this.#stringsAt !== null,
      heapBytes: this.#nodes.bytes,
      knowsDetached: this.#nodes.knowsDetached,
      bytes: place.offset,
    };
  }

  /** Shapes of plain objects from the kept names, when strings came last. */
  #lateShapes(layout: Layout, store: Store, names: KnownNames): ShapeLists {
    if (this.#options.withoutShapes === true) return { lists: [], counts: new Uint32Array() };
    const words = collectProperties(
      layout,
      store.columns,
      store.edgeNames,
      names.object,
      store.space.sources,
    );
    return shapeLists(store.kernel, store.space, store.columns, words);
  }

  #misplaced(section: string, problem: string): Error {
    return failure('PLM_HEAP_SECTION', { ...this.#sections.input.place(), section, problem });
  }
}
