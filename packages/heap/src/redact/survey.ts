import { nameBits, nameMask, typeMask, weakBit } from '../kernel/columns.ts';
import { isNumbered } from '../graph/edges.ts';
import type { EdgeNameColumn } from '../graph/row-file.ts';
import type { Scan } from '../graph/scan.ts';
import { codeOwners } from '../graph/survey.ts';
import {
  dictionaryEdges,
  isStructuralEdge,
  isStructuralNode,
  knownTexts,
  quotesNames,
  traitsOf,
} from './name-policy.ts';
import { kindsOf, use, type Kinds } from './name-kinds.ts';
import { redactedMark } from './placeholder.ts';
import { decodeString } from './decode-string.ts';

/** What has to be known before the first byte of the redacted snapshot can be written. */
export interface RedactionSurvey {
  /** Per string: the bits of `use`. */
  readonly uses: Uint8Array;
  /** Per string: its traits. */
  readonly traits: Uint16Array;
  /** A string that is both kept and replaced stays at its index. This is the index of its placeholder, after all strings. */
  readonly second: ReadonlyMap<number, number>;
  /** Rows that show the placeholder of such a string, ascending. */
  readonly nodes: Uint32Array;
  readonly edges: Uint32Array;
  readonly nodeName: (node: number) => number;
  readonly edgeName: (edge: number) => number;
}

const wanted = new Set(['Object', '', 'PlimsollScopeRoot', 'path', 'state', ...codeOwners]);
const both = use.kept | use.replaced;

/** Looks at all names of a snapshot that was scanned with its rows kept and without shapes. */
export function surveyNames(scan: Scan, keep: ReadonlySet<string>): RedactionSurvey {
  return new NameSurvey(scan, keep).run();
}

class NameSurvey {
  readonly #scan: Scan;
  readonly #keep: ReadonlySet<string>;
  /** Type and name of each edge. */
  readonly #edges: Uint32Array;
  /** Name of each node. */
  readonly #names: Uint32Array;
  readonly #uses: Uint8Array;
  readonly #traits: Uint16Array;
  readonly #inCode: Uint8Array;
  readonly #known = new Map<string, number>();
  /** Nodes that carry the path or state of a scope; those labels are the operator's own and stay. */
  readonly #labels = new Set<number>();
  /** Per string: the bits of the kinds of nodes and edges that it names. */
  readonly #seen: Uint32Array;
  readonly #nodeKinds: Kinds;
  readonly #edgeKinds: Kinds;
  readonly #edgeBits: Uint32Array;
  #isRedacted = false;

  constructor(scan: Scan, keep: ReadonlySet<string>) {
    const { count } = scan.strings;
    this.#scan = scan;
    this.#keep = keep;
    this.#edges = (scan.edgeNames as EdgeNameColumn).words;
    this.#names = scan.columns.name;
    this.#uses = new Uint8Array(count);
    this.#traits = new Uint16Array(count);
    this.#inCode = new Uint8Array(count);
    this.#nodeKinds = kindsOf(scan.layout.nodeTypes, 0, isStructuralNode);
    this.#edgeKinds = kindsOf(
      scan.layout.edgeTypes.flatMap((type) => [type, type]).map((type) => (isNumbered(type) ? null : type)),
      this.#nodeKinds.count,
      (type, traits, inCode, row) =>
        quotesNames(traits) || isStructuralEdge(type, traits, row % 2 === 1, inCode),
    );
    // Reading is over, and nobody asks for dominators: the workspace is free.
    const { triple } = scan.space;
    const { bits } = this.#edgeKinds;
    const isLarge = bits.length + count > triple.length;
    this.#edgeBits = isLarge ? bits : triple.subarray(0, bits.length);
    this.#edgeBits.set(bits);
    this.#seen = isLarge ? new Uint32Array(count) : triple.subarray(bits.length, bits.length + count).fill(0);
  }

  run(): RedactionSurvey {
    this.#markNodes();
    this.#edgeNames(null);
    this.#readStrings();
    this.#readCode();
    this.#decide();
    const { count } = this.#scan.strings;
    const second = new Map<number, number>();
    for (let index = 0; index < count; index++)
      if (((this.#uses[index] as number) & both) === both) second.set(index, count + second.size);
    const isShared = second.size > 0;
    return {
      uses: this.#uses,
      traits: this.#traits,
      second,
      nodes: Uint32Array.from(isShared ? this.#changedNodes() : []),
      edges: isShared ? this.#changedEdges() : new Uint32Array(),
      nodeName: (node) => this.#names[node] as number,
      edgeName: (edge) => (this.#edges[edge] as number) & nameMask,
    };
  }

  /** Notes for every string which kinds of nodes it names. */
  #markNodes(): void {
    const { nodeCount, kind } = this.#scan.columns;
    const names = this.#names;
    const seen = this.#seen;
    const { bits } = this.#nodeKinds;
    for (let n = 0; n < nodeCount; n++) {
      const name = names[n] as number;
      seen[name] = (seen[name] as number) | (bits[(kind[n] as number) & typeMask] as number);
    }
  }

  /** Notes for every string which kinds of edges it names. With a list it lists the edges that show the placeholder of a shared one. */
  #edgeNames(list: Uint32Array | null): number {
    const { kernel, columns, names } = this.#scan;
    return kernel.edgeNames(
      {
        count: columns.nodeCount,
        name: this.#names,
        firstEdge: columns.firstEdge,
        words: this.#edges,
        object: names.object,
        empty: names.empty,
        most: dictionaryEdges,
        bits: this.#edgeBits,
        seen: this.#seen,
      },
      list,
    );
  }

  #readStrings(): void {
    const uses = this.#uses;
    const seen = this.#seen;
    const { layout } = this.#scan;
    // Of a string that is only text nothing has to be known but its class.
    const plainText = ['string', 'regexp'].reduce(
      (bits, type) => bits | (this.#nodeKinds.bits[layout.nodeTypes.indexOf(type)] ?? 0),
      0,
    );
    const edge = this.#edgeKinds.all;
    const hasNumbers = [...this.#keep].some((name) => /^\d+$/.test(name));
    this.#scan.strings.eachRaw((index, bytes, start, end) => {
      const kinds = seen[index] as number;
      if ((kinds & edge) !== 0) uses[index] = use.namesEdge;
      const isName = (kinds & ~plainText) !== 0;
      if (!isName && index > 0 && !maybeKnown(bytes, start, end)) return;
      if (!hasNumbers && index > 0 && isNumber(bytes, start, end)) {
        this.#traits[index] = end - start < 4 ? traitsOfNumber : traitsOfLongNumber;
        return;
      }
      const text = decodeString(bytes, start, end);
      if (index === 0) this.#isRedacted = text === redactedMark;
      if (wanted.has(text)) this.#known.set(text, index);
      this.#traits[index] = traitsOf(text, this.#keep);
    });
  }

  /** Which names a compiled function refers to, and which nodes label a scope. */
  #readCode(): void {
    const { columns, layout } = this.#scan;
    const { firstEdge, to, nodeCount, kind } = columns;
    const string = layout.nodeTypes.indexOf('string');
    const property = layout.edgeTypes.indexOf('property');
    const owners = new Set(codeOwners.map((name) => this.#known.get(name) ?? -1));
    const marker = this.#known.get('PlimsollScopeRoot') ?? -1;
    const wordOf = (name: string): number =>
      ((property << nameBits) | (this.#known.get(name) ?? nameMask)) >>> 0;
    const label = { path: wordOf('path'), state: wordOf('state') };
    const edges = this.#edges;
    const names = this.#names;
    const special = new Set([...owners, marker]);
    for (let n = 0; n < nodeCount; n++) {
      const name = names[n] as number;
      if (!special.has(name)) continue;
      for (let e = firstEdge[n] as number, end = firstEdge[n + 1] as number; e < end; e++) {
        const target = ((to[e] as number) & ~weakBit) >>> 0;
        if (name !== marker) {
          if (((kind[target] as number) & typeMask) === string) this.#inCode[names[target] as number] = 1;
        } else if (edges[e] === label.path || edges[e] === label.state) this.#labels.add(target);
      }
    }
    if (this.#isRedacted) this.#inCode.fill(1);
  }

  /**
   * Decides of every string whether those that it names show it, its placeholder, or both. What is noted for a string afterwards are the
   * kinds that show the placeholder of one that is needed both ways.
   */
  #decide(): void {
    if (this.#labels.size > 0) this.#exceptLabels();
    const seen = this.#seen;
    const uses = this.#uses;
    for (let index = 0; index < seen.length; index++) {
      let decided = uses[index] as number;
      let replaced = 0;
      for (let kinds = seen[index] as number; kinds !== 0; kinds &= kinds - 1) {
        const bits = this.#useOf(31 - Math.clz32(kinds & -kinds), index);
        if (bits === use.replaced) replaced |= kinds & -kinds;
        decided |= bits;
      }
      uses[index] = decided;
      seen[index] = (decided & both) === both ? replaced : 0;
    }
  }

  /** What a kind of nodes or edges does with the string that names it. */
  #useOf(kind: number, index: number): number {
    const traits = this.#traits[index] as number;
    const inCode = this.#inCode[index] as number;
    const { count } = this.#nodeKinds;
    return kind < count
      ? this.#nodeKinds.useOf(kind, traits, inCode)
      : this.#edgeKinds.useOf(kind - count, traits, inCode);
  }

  /** Strings that name a label of a scope are kept for that one: what they are to other nodes is noted anew. */
  #exceptLabels(): void {
    const { nodeCount, kind } = this.#scan.columns;
    const names = this.#names;
    const labelled = new Set(Array.from(this.#labels, (node) => names[node] as number));
    const { bits, all } = this.#nodeKinds;
    for (const name of labelled) {
      this.#seen[name] = (this.#seen[name] as number) & ~all;
      this.#uses[name] = (this.#uses[name] as number) | use.kept;
    }
    for (let n = 0; n < nodeCount; n++) {
      const name = names[n] as number;
      if (labelled.has(name) && !this.#labels.has(n))
        this.#seen[name] = (this.#seen[name] as number) | (bits[(kind[n] as number) & typeMask] as number);
    }
  }

  /** Edges that show the placeholder of a string which is needed both ways. */
  #changedEdges(): Uint32Array {
    const list = this.#scan.space.sources;
    return list.subarray(0, this.#edgeNames(list));
  }

  /** Nodes that show the placeholder of a string which is needed both ways. */
  #changedNodes(): number[] {
    const { nodeCount, kind } = this.#scan.columns;
    const names = this.#names;
    const replaced = this.#seen;
    const { bits } = this.#nodeKinds;
    const changed: number[] = [];
    for (let n = 0; n < nodeCount; n++) {
      const kinds = replaced[names[n] as number] as number;
      if (kinds !== 0 && (kinds & (bits[(kind[n] as number) & typeMask] as number)) !== 0) changed.push(n);
    }
    return changed.filter((node) => !this.#labels.has(node));
  }
}

/** The traits of names that are numbers, such as those of V8's slots: most names of a heap are. */
const traitsOfNumber = traitsOf('1');
const traitsOfLongNumber = traitsOf('1234');

function isNumber(bytes: Uint8Array, start: number, end: number): boolean {
  // Longer ones are looked at as text.
  if (end === start || end - start > 12) return false;
  for (let at = start; at < end; at++)
    if ((bytes[at] as number) < 48 || (bytes[at] as number) > 57) return false;
  return true;
}

/** Length, first and last byte of a text that is not empty, as one number. */
const outlineOf = (length: number, first: number, last: number): number =>
  length * 65_536 + first * 256 + last;

const outlines = new Set<number>();
for (const text of [...wanted, ...knownTexts])
  if (text !== '') outlines.add(outlineOf(text.length, text.charCodeAt(0), text.charCodeAt(text.length - 1)));

/** True when a text may be a placeholder, or one of those that the rules know by heart. */
function maybeKnown(bytes: Uint8Array, start: number, end: number): boolean {
  if (end === start) return true;
  const first = bytes[start] as number;
  return (
    first === 60 || first === 92 || outlines.has(outlineOf(end - start, first, bytes[end - 1] as number))
  );
}
