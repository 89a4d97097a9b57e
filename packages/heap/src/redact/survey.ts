import { hasBit } from '../kernel/typescript/rows.ts';
import { typeMask, weakBit } from '../kernel/columns.ts';
import { isNumbered } from '../graph/edges.ts';
import { nameBits, nameMask, type EdgeNameColumn } from '../graph/row-file.ts';
import type { Scan } from '../graph/scan.ts';
import { codeOwners } from '../graph/survey.ts';
import {
  dictionaryEdges,
  isStructuralEdge,
  isStructuralNode,
  knownTexts,
  quotesNames,
  traitsOf,
  traitValues,
} from './name-policy.ts';
import { redactedMark } from './placeholder.ts';
import { decodeString } from './decode-string.ts';

/** What a string is needed as. */
export const use = {
  /** Some node or edge shows it as it is. */
  kept: 1,
  /** Some node or edge shows its placeholder. */
  replaced: 2,
  /** Some edge is named by it. */
  namesEdge: 4,
  /** More than a node with text is named by it, so that its traits count. */
  isName: 8,
} as const;

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
const bitOf = { plainOwner: 2, inCode: 1 } as const;
const both = use.kept | use.replaced;

/** Looks at all names of a scanned snapshot, whose rows were kept. */
export function surveyNames(scan: Scan, keep: ReadonlySet<string>): RedactionSurvey {
  return new NameSurvey(scan, keep).run();
}

class NameSurvey {
  readonly #scan: Scan;
  readonly #keep: ReadonlySet<string>;
  /** Type and name of each edge. */
  readonly #edges: Uint32Array;
  /** Name of each node. In the columns, a plain object has its shape in its place. */
  readonly #names: Uint32Array;
  readonly #uses: Uint8Array;
  readonly #traits: Uint16Array;
  readonly #inCode: Uint8Array;
  readonly #known = new Map<string, number>();
  /** Nodes that carry the path or state of a scope; those labels are the operator's own and stay. */
  readonly #labels = new Set<number>();
  readonly #isNumbered: readonly boolean[];
  readonly #nodeUse: Rule;
  readonly #edgeUse: Rule;
  #isRedacted = false;

  constructor(scan: Scan, keep: ReadonlySet<string>) {
    const { count } = scan.strings;
    this.#scan = scan;
    this.#keep = keep;
    this.#edges = (scan.edgeNames as EdgeNameColumn).words;
    this.#names = namesOf(scan);
    this.#uses = new Uint8Array(count);
    this.#traits = new Uint16Array(count);
    this.#inCode = new Uint8Array(count);
    this.#isNumbered = scan.layout.edgeTypes.map(isNumbered);
    this.#nodeUse = ruleOf(scan.layout.nodeTypes, isStructuralNode);
    this.#edgeUse = ruleOf(
      scan.layout.edgeTypes,
      (type, seen, bits) =>
        quotesNames(seen) ||
        isStructuralEdge(type, seen, (bits & bitOf.plainOwner) !== 0, (bits & bitOf.inCode) !== 0),
    );
  }

  run(): RedactionSurvey {
    this.#markNames();
    this.#readStrings();
    this.#readCode();
    this.#decide();
    const { count } = this.#scan.strings;
    const second = new Map<number, number>();
    for (let index = 0; index < count; index++)
      if (((this.#uses[index] as number) & both) === both) second.set(index, count + second.size);
    const changed: Rows = { nodes: [], edges: [] };
    if (second.size > 0) this.#decide(changed);
    return {
      uses: this.#uses,
      traits: this.#traits,
      second,
      nodes: Uint32Array.from(changed.nodes),
      edges: Uint32Array.from(changed.edges),
      nodeName: (node) => this.#names[node] as number,
      edgeName: (edge) => (this.#edges[edge] as number) & nameMask,
    };
  }

  /** Marks the strings that are names. The others are only text, of which nothing has to be known but its class. */
  #markNames(): void {
    const { columns, layout } = this.#scan;
    const { nodeCount, edgeCount, kind } = columns;
    const uses = this.#uses;
    const names = this.#names;
    const isText = layout.nodeTypes.map((type) => type === 'string' || type === 'regexp');
    for (let n = 0; n < nodeCount; n++) {
      if (isText[(kind[n] as number) & typeMask] === true) continue;
      const name = names[n] as number;
      uses[name] = (uses[name] as number) | use.isName;
    }
    const edges = this.#edges;
    const numbered = this.#isNumbered;
    for (let e = 0; e < edgeCount; e++) {
      const word = edges[e] as number;
      if (numbered[word >>> nameBits] === true) continue;
      const name = word & nameMask;
      uses[name] = (uses[name] as number) | use.isName | use.namesEdge;
    }
  }

  #readStrings(): void {
    const uses = this.#uses;
    this.#scan.strings.eachRaw((index, bytes, start, end) => {
      const isName = ((uses[index] as number) & use.isName) !== 0;
      if (!isName && index > 0 && !maybeKnown(bytes[start] as number, end - start)) return;
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
   * Decides of every node and every edge whether its name is kept or replaced, and notes it for the string. With `changed`, the rows are
   * listed instead that show the placeholder of a string which is needed both ways.
   */
  #decide(changed?: Rows): void {
    const { nodeCount, firstEdge, kind } = this.#scan.columns;
    const uses = this.#uses;
    const traits = this.#traits;
    const names = this.#names;
    for (let n = 0; n < nodeCount; n++) {
      const name = names[n] as number;
      const used = uses[name] as number;
      if (changed !== undefined && (used & both) !== both) continue;
      const bits = this.#labels.has(n)
        ? use.kept
        : this.#nodeUse((kind[n] as number) & typeMask, traits[name] as number, 0);
      if (changed === undefined) uses[name] = used | bits;
      else if (bits === use.replaced) changed.nodes.push(n);
    }
    const edges = this.#edges;
    const numbered = this.#isNumbered;
    const object = this.#known.get('Object');
    const empty = this.#known.get('');
    for (let n = 0; n < nodeCount; n++) {
      const end = firstEdge[n + 1] as number;
      const first = firstEdge[n] as number;
      const owner = names[n] as number;
      const isPlain = owner === object || owner === empty || end - first > dictionaryEdges;
      const plain = isPlain ? bitOf.plainOwner : 0;
      for (let e = first; e < end; e++) {
        const word = edges[e] as number;
        const type = word >>> nameBits;
        if (numbered[type] === true) continue;
        const name = word & nameMask;
        const used = uses[name] as number;
        if (changed !== undefined && (used & both) !== both) continue;
        const bits = this.#edgeUse(type, traits[name] as number, plain + (this.#inCode[name] as number));
        if (changed === undefined) uses[name] = used | bits;
        else if (bits === use.replaced) changed.edges.push(e);
      }
    }
  }
}

/** Rows by section. */
interface Rows {
  readonly nodes: number[];
  readonly edges: number[];
}

function namesOf({ columns, names }: Scan): Uint32Array {
  const found = columns.name.slice(0, columns.nodeCount);
  for (let n = 0; n < found.length; n++) if (hasBit(columns.plain, n)) found[n] = names.object;
  return found;
}

/** What is done with a name, by type, traits and two more bits. */
type Rule = (type: number, traits: number, bits: number) => number;

/** A rule that is asked once per case and not once per row. */
function ruleOf(
  types: readonly string[],
  isKept: (type: string, traits: number, bits: number) => boolean,
): Rule {
  const table = new Uint8Array(types.length * traitValues * 4);
  return (type, traits, bits) => {
    const at = (type * traitValues + traits) * 4 + bits;
    const known = table[at] as number;
    if (known !== 0) return known;
    return (table[at] = isKept(types[type] as string, traits, bits) ? use.kept : use.replaced);
  };
}

const starts = new Set<number>();
for (const text of [...wanted, ...knownTexts]) starts.add(text.charCodeAt(0) * 256 + text.length);

/** True when a text may be a placeholder, or one of those that the rules know by heart: by its first byte and its length. */
function maybeKnown(first: number, length: number): boolean {
  return length === 0 || first === 60 || first === 92 || starts.has(first * 256 + length);
}
