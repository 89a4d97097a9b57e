import { failure } from '../errors.ts';
import type { Columns } from '../graph/columns.ts';
import { EdgeNameColumn, type EdgeNames } from '../graph/edge-names.ts';
import { EdgeReader } from './edges.ts';
import { parseHeader, type Layout } from './header.ts';
import { describe, type Input } from './input.ts';
import { LocationReader, Locations } from './locations.ts';
import { NodeReader } from './nodes.ts';
import { skipSpace } from './row.ts';
import { ValueSkipper } from './skip.ts';
import { FileSource } from './source.ts';
import { StringScan } from './string-scan.ts';
import { fileStrings, KeptBytes, StringTable } from './string-table.ts';

/** Everything that one pass over a snapshot yields. */
export interface Scan {
  readonly layout: Layout;
  readonly columns: Columns;
  readonly edgeNames: EdgeNames;
  readonly strings: StringTable;
  /** Strings that may be the name of a WeakMap pair. */
  readonly numberedNames: readonly number[];
  readonly locations: Locations;
  readonly bytes: number;
}

const maxHeaderBytes = 1 << 20;

/** Reads a whole snapshot in file order. */
export async function scan(input: Input): Promise<Scan> {
  return new Scanner(input).run();
}

/** One section reader: takes what the window has, true when its section is finished. */
interface SectionReader {
  take(input: Input): boolean;
}

class Scanner {
  readonly #input: Input;
  #layout: Layout | undefined;
  #columns: Columns | undefined;
  #edgeNames: EdgeNames | undefined;
  #strings: StringTable | undefined;
  #numberedNames: readonly number[] = [];
  readonly #locations = new Locations();
  #nodes: NodeReader | undefined;
  #edges: EdgeReader | undefined;

  constructor(input: Input) {
    this.#input = input;
  }

  async run(): Promise<Scan> {
    const input = this.#input;
    await this.#begin();
    const layout = await this.#header();
    this.#layout = layout;
    this.#columns = allocate(layout);
    for (;;) {
      const next = await this.#token('"," or "}" after a section');
      if (next === 125) break;
      if (next !== 44) throw input.unexpected(input.start - 1, '"," or "}" after a section');
      await this.#section(await this.#key());
    }
    await this.#nothingMore();
    return this.#finish(layout, this.#columns);
  }

  #finish(layout: Layout, columns: Columns): Scan {
    const [strings, edgeNames] = [this.#strings, this.#edgeNames];
    for (const [section, found] of [
      ['nodes', this.#nodes],
      ['edges', this.#edges],
      ['strings', strings],
    ] as const) {
      if (found === undefined) throw this.#misplaced(section, 'is missing');
    }
    if (strings === undefined || edgeNames === undefined) throw this.#misplaced('strings', 'is missing');
    this.#checkNames('name of a node', this.#nodes?.maxName ?? 0, strings.count);
    this.#checkNames('name of an edge', this.#edges?.maxName ?? 0, strings.count);
    const bytes = this.#input.offset();
    return {
      layout,
      columns,
      edgeNames,
      strings,
      numberedNames: this.#numberedNames,
      locations: this.#locations,
      bytes,
    };
  }

  #checkNames(what: string, value: number, limit: number): void {
    if (value < limit) return;
    throw failure('PLM_HEAP_INDEX', { ...this.#input.place(), what, value, limit });
  }

  async #begin(): Promise<void> {
    const input = this.#input;
    if (!(await input.more())) throw failure('PLM_HEAP_EMPTY', input.place());
    while (input.end < 64 && (await input.more()));
    const text = Buffer.from(input.bytes.subarray(0, Math.min(64, input.end))).toString('latin1');
    if (!/^\s*\{\s*"snapshot"\s*:/u.test(text)) {
      const partial = '{"snapshot":'.startsWith(text);
      throw partial
        ? input.ended('the header')
        : failure('PLM_HEAP_NOT_A_SNAPSHOT', {
            ...input.place(),
            found: describe(input.bytes, 0, input.end),
          });
    }
    input.start = text.indexOf(':') + 1;
  }

  async #header(): Promise<Layout> {
    const input = this.#input;
    const place = input.place();
    for (;;) {
      const skipper = new ValueSkipper();
      const from = input.start;
      if (skipper.take(input)) {
        const json = Buffer.from(input.bytes.subarray(from, input.start)).toString('utf8');
        return parseHeader(json, place, input.source.bytes);
      }
      input.start = from;
      if (input.end - from > maxHeaderBytes || !(await input.more())) throw input.ended('the header');
    }
  }

  /** The next byte that is not white space, taken. */
  async #token(expected: string): Promise<number> {
    const input = this.#input;
    for (;;) {
      input.start = skipSpace(input.bytes, input.start, input.end);
      if (input.start < input.end) return input.bytes[input.start++] as number;
      if (!(await input.more())) throw input.ended(`the place of ${expected}`);
    }
  }

  async #key(): Promise<string> {
    const input = this.#input;
    const open = await this.#token('a section name');
    if (open !== 34) throw input.unexpected(input.start - 1, 'the name of a section');
    for (;;) {
      const close = input.bytes.indexOf(34, input.start);
      if (close >= 0 && close < input.end) {
        const key = Buffer.from(input.bytes.subarray(input.start, close)).toString('latin1');
        input.start = close + 1;
        const colon = await this.#token('a colon');
        if (colon !== 58) throw input.unexpected(input.start - 1, `a colon after "${key.slice(0, 40)}"`);
        return key;
      }
      if (input.end - input.start > 1024) throw input.unexpected(input.start, 'the name of a section');
      if (!(await input.more())) throw input.ended('the name of a section');
    }
  }

  async #section(key: string): Promise<void> {
    const layout = this.#layout as Layout;
    const columns = this.#columns as Columns;
    switch (key) {
      case 'snapshot':
        throw this.#misplaced(key, 'appears twice');
      case 'nodes': {
        if (this.#nodes !== undefined) throw this.#misplaced(key, 'appears twice');
        const reader = (this.#nodes = new NodeReader(layout, columns));
        return this.#array(key, reader, () => `after ${reader.taken} of ${layout.nodeCount} nodes`);
      }
      case 'edges': {
        if (this.#nodes === undefined) throw this.#misplaced(key, 'stands before section "nodes"');
        if (this.#edges !== undefined) throw this.#misplaced(key, 'appears twice');
        const names = (this.#edgeNames = new EdgeNameColumn(new Uint32Array(layout.edgeCount)));
        const reader = (this.#edges = new EdgeReader(layout, columns.to, names));
        return this.#array(key, reader, () => `after ${reader.taken} of ${layout.edgeCount} edges`);
      }
      case 'locations': {
        if (layout.location === null) return this.#skip(key);
        return this.#array(key, new LocationReader(layout, layout.location, this.#locations));
      }
      case 'strings':
        if (this.#strings !== undefined) throw this.#misplaced(key, 'appears twice');
        return this.#stringSection();
      default:
        return this.#skip(key);
    }
  }

  async #stringSection(): Promise<void> {
    const strings = new StringScan();
    const { source } = this.#input;
    this.#numberedNames = strings.numberedNames;
    if (source instanceof FileSource) {
      await this.#array('strings', strings, () => `after ${strings.count} strings`);
      this.#strings = new StringTable(fileStrings(source), strings.offsets, strings.count);
      return;
    }
    const kept = new KeptBytes();
    const keeping: SectionReader = {
      take(input) {
        const [from, offset] = [input.start, input.offset()];
        const finished = strings.take(input);
        kept.add(input.bytes.subarray(from, input.start), offset);
        return finished;
      },
    };
    await this.#array('strings', keeping, () => `after ${strings.count} strings`);
    this.#strings = new StringTable(kept, strings.offsets, strings.count);
  }

  async #array(key: string, reader: SectionReader, detail: () => string = () => ''): Promise<void> {
    const input = this.#input;
    const open = await this.#token('a section');
    if (open !== 91) throw input.unexpected(input.start - 1, `"[" of section "${key}"`);
    while (!reader.take(input)) {
      if (!(await input.more())) throw input.ended(`section "${key}"`, detail());
    }
  }

  async #skip(key: string): Promise<void> {
    const skipper = new ValueSkipper();
    while (!skipper.take(this.#input)) {
      if (!(await this.#input.more())) throw this.#input.ended(`section "${key.slice(0, 40)}"`);
    }
  }

  async #nothingMore(): Promise<void> {
    const input = this.#input;
    do {
      input.start = skipSpace(input.bytes, input.start, input.end);
      if (input.start < input.end) throw input.unexpected(input.start, 'the end of the snapshot');
    } while (await input.more());
  }

  #misplaced(section: string, problem: string): Error {
    return failure('PLM_HEAP_SECTION', { ...this.#input.place(), section, problem });
  }
}

function allocate(layout: Layout): Columns {
  const { nodeCount, edgeCount } = layout;
  return {
    nodeCount,
    edgeCount,
    kind: new Uint8Array(nodeCount),
    name: new Uint32Array(nodeCount),
    id: new Uint32Array(nodeCount),
    size: new Uint32Array(nodeCount),
    largeSizes: new Map(),
    firstEdge: new Uint32Array(nodeCount + 1),
    to: new Uint32Array(edgeCount),
  };
}
