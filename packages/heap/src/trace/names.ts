import { dictionaryEdges, isStructuralEdge, isStructuralNode, traitsOf } from '../redact/name-policy.ts';
import { isPlaceholder, placeholderOf, redactedMark, textLengthOf } from '../redact/placeholder.ts';
import type { HeapGraph } from '../snapshot.ts';
import { isText, targetNamed, textParts } from './node-kind.ts';

export interface NamesOptions {
  /** Show string values and keys as they are; default false, then a placeholder with class and length stands for them. */
  readonly showStrings?: boolean;
  /** Property names to show beside those that code refers to. */
  readonly keepNames?: Iterable<string>;
}

const shownCharacters = 60;
const shownProperties = 3;
/** A name of a shape is cut behind this many characters, where redaction cannot have changed it. */
const shownShape = 80;
const mostDecisions = 200_000;

/** The names of a snapshot as a report may show them: structure as it is, content as placeholders unless asked for. */
export class Names {
  readonly graph: HeapGraph;
  readonly showsStrings: boolean;
  readonly #keep: ReadonlySet<string>;
  /** A redacted file has no content left to hide. */
  readonly #open: boolean;
  #inCode: Set<string> | undefined;
  /** Decisions are kept by owner, edge type and name, because a heap has millions of edges and some ten thousand names. */
  readonly #decided = new Map<string, boolean>();
  readonly #plainNames = new Map<number, boolean>();

  constructor(graph: HeapGraph, options: NamesOptions = {}) {
    this.graph = graph;
    this.showsStrings = options.showStrings ?? false;
    this.#keep = new Set(options.keepNames);
    this.#open = graph.meta.stringCount > 0 && graph.string(0) === redactedMark;
  }

  /** The node as a noun: a class, a function with "()", a text. */
  node(node: number): string {
    const type = this.graph.nodeType(node);
    const name = this.graph.nodeName(node);
    if (isText(type)) return this.text(node);
    if (type === 'closure') return this.#functionName(node, name);
    if (type === 'regexp') return this.showsStrings ? `/${name}/` : placeholderOf(name);
    const shown = this.className(type, name);
    if (shown === 'Object' || shown === '') return this.#shape(node);
    return shown === 'Generator' || shown === 'AsyncGenerator' ? this.#generatorName(node, shown) : shown;
  }

  /** The name of a class or of one of V8's own kinds, without content. */
  className(type: string, name: string): string {
    if (this.showsStrings || isStructuralNode(type, traitsOf(name, this.#keep))) return name;
    return placeholderOf(name);
  }

  /** The name of a row of the constructor table: a shape shows only when all of its properties are structure. */
  tableName(name: string): string {
    if (this.showsStrings) return name;
    if (!name.startsWith('{')) return this.className('object', name);
    const shown: string[] = [];
    let start = 1;
    for (const property of name.slice(1, -1).split(', ')) {
      if (start > shownShape) return `{${shown.join(', ')}, …}`;
      if (!this.#isPlainProperty(property.replaceAll('"', ''))) return 'Object';
      shown.push(property);
      start += property.length + 2;
    }
    return name.length > shownShape ? `{${shown.join(', ')}, …}` : name;
  }

  #isPlainProperty(name: string): boolean {
    return !isPlaceholder(name) && this.#mentioned(name, traitsOf(name, this.#keep));
  }

  /** The value of a text node. A slice has no text of its own in a snapshot. */
  text(node: number): string {
    const parts = textParts(this.graph, node);
    if (parts === undefined)
      return this.graph.nodeType(node) === 'sliced string' ? '(sliced string)' : '(long rope)';
    // The pieces of a redacted rope are placeholders, of which only the length of the whole is known.
    if (parts.length > 1 && (!this.showsStrings || parts.some(isPlaceholder)))
      return `<text:${parts.reduce((sum, part) => sum + textLengthOf(part), 0)}>`;
    const value = parts.join('');
    if (isPlaceholder(value) || !(this.showsStrings || isStructuralNode('string', traitsOf(value))))
      return placeholderOf(value);
    return JSON.stringify(value.length > shownCharacters ? `${value.slice(0, shownCharacters)}…` : value);
  }

  /** The name of a property, variable or internal edge; the placeholder when it is content. */
  edge(from: number, edge: number): string {
    const name = this.graph.edgeName(edge);
    if (typeof name === 'number') return `[${name}]`;
    return this.isStructural(from, edge, name) || this.showsStrings ? name : placeholderOf(name);
  }

  /** True when the name of the edge is structure; a placeholder stands for content. */
  isStructural(from: number, edge: number, name: string): boolean {
    const plain = this.isPlain(from);
    const type = this.graph.edgeType(edge);
    const key = `${plain ? '1' : '0'}${type} ${name}`;
    let found = this.#decided.get(key);
    if (found === undefined) {
      found = this.#decide(type, name, plain);
      if (this.#decided.size < mostDecisions) this.#decided.set(key, found);
    }
    return found;
  }

  #decide(type: string, name: string, plain: boolean): boolean {
    if (isPlaceholder(name)) return false;
    const traits = traitsOf(name, this.#keep);
    const inCode = type === 'property' && (this.#open || this.isNamedInCode(name));
    return isStructuralEdge(type, traits, plain, inCode);
  }

  /** True for an object whose property names may be content: a plain object, or one with very many. */
  isPlain(node: number): boolean {
    const { graph } = this;
    if (graph.lastEdge(node) - graph.firstEdge(node) > dictionaryEdges) return true;
    const index = graph.nodeNameIndex(node);
    let plain = this.#plainNames.get(index);
    if (plain === undefined) {
      const name = graph.nodeName(node);
      plain = name === 'Object' || name === '';
      this.#plainNames.set(index, plain);
    }
    return plain;
  }

  #mentioned(name: string, traits: number): boolean {
    return isStructuralEdge('property', traits, true, this.#open || this.isNamedInCode(name));
  }

  /** True for a name that some compiled function of the process refers to. */
  isNamedInCode(name: string): boolean {
    this.#inCode ??= namesInCode(this.graph);
    return this.#inCode.has(name);
  }

  #functionName(node: number, name: string): string {
    if (name === 'native_bind') {
      const bound = targetNamed(this.graph, node, 'bound_function');
      return bound < 0 ? 'bound function()' : `bound ${this.node(bound)}`;
    }
    const shown = this.className('closure', name);
    return shown === '' ? '(anonymous)()' : `${shown}()`;
  }

  #generatorName(node: number, kind: string): string {
    const owner = targetNamed(this.graph, node, 'function');
    return owner < 0 ? kind : `${kind} of ${this.node(owner)}`;
  }

  /** A plain object by its first properties, e.g. `{role, content, …}`. */
  #shape(node: number): string {
    const { graph } = this;
    const end = graph.lastEdge(node);
    const found: string[] = [];
    for (let edge = graph.firstEdge(node); edge < end && found.length <= shownProperties; edge++) {
      if (graph.edgeType(edge) !== 'property') continue;
      const name = graph.edgeName(edge) as string;
      if (name !== '__proto__' && this.isStructural(node, edge, name)) found.push(name);
    }
    if (found.length === 0) return 'Object';
    return `{${found.slice(0, shownProperties).join(', ')}${found.length > shownProperties ? ', …' : ''}}`;
  }
}

function namesInCode(graph: HeapGraph): Set<string> {
  const { inCode } = graph.survey();
  const names = new Set<string>();
  graph.eachString(inCode, (name) => {
    if (name.length <= 200) names.add(name);
  });
  return names;
}
