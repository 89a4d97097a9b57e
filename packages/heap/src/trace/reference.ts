import type { HeapGraph } from '../snapshot.ts';
import type { Names } from './names.ts';
import { isPlaceholder } from '../redact/placeholder.ts';
import { edgeNamed, mostSearchedEdges, targetNamed } from './node-kind.ts';
import type { Hop } from '../graph/path-search.ts';

/** How one visible object holds the next, in the words of its code. */
export interface Reference {
  /** For people: `embeddingCache`, `get(<serial:8>)`, `variable gcPersistentSignals`. */
  readonly via: string;
  /** For fingerprints: the same without indices and keys. */
  readonly pattern: string;
  /** For expressions: `.embeddingCache`, `.get(…)`; a variable starts a new expression; undefined where no code can say it. */
  readonly code: { readonly text: string; readonly starts: boolean } | undefined;
}

/** The reference from a module to the frame of its own code, where its variables live. */
export const moduleBody = 'module body';

const same = (via: string, code?: Reference['code']): Reference => ({ via, pattern: via, code });

/** Describes the hops from one visible object to the next as one reference. */
export function describeReference(names: Names, hops: readonly Hop[]): Reference {
  const { graph } = names;
  const first = hops[0] as Hop;
  const last = hops.at(-1) as Hop;
  const firstName = graph.edgeName(first.edge);
  if (firstName === 'table' && hops.length > 1) return tableEntry(names, first, last);
  const variable = hops.find((hop) => graph.edgeType(hop.edge) === 'context');
  if (variable !== undefined && hops.indexOf(variable) === hops.length - 1) {
    const name = names.edge(variable.from, variable.edge);
    return same(`variable ${name}`, { text: name, starts: true });
  }
  if (hops.length === 1) return single(names, first);
  if (firstName === 'elements') return element(graph.edgeName(last.edge));
  const block = blockVariable(graph, last);
  if (block !== undefined) return block;
  const known = folded(graph, hops);
  return same(known);
}

/** More names than this for one value say nothing. */
const mostCandidates = 3;

/**
 * A variable of a block, such as `else { const sessions = … }`. V8 names the variables of functions and modules on their edges, but those
 * of a block only in its ScopeInfo, in the same order. A number and an undefined have no edge, so with them one of several names is meant.
 */
function blockVariable(graph: HeapGraph, { from, edge }: Hop): Reference | undefined {
  if (graph.nodeName(from) !== 'system / Context') return undefined;
  const info = targetNamed(graph, from, 'scope_info');
  const at = hiddenEdges(graph, from).indexOf(edge);
  if (info < 0 || at < 0) return undefined;
  const declared = hiddenEdges(graph, info).map((each) => graph.edgeTo(each));
  const end = declared.findIndex((node) => graph.nodeType(node) !== 'string');
  const names = declared.slice(0, end < 0 ? declared.length : end).map((node) => graph.nodeName(node));
  const missing = names.length - hiddenEdges(graph, from).length;
  const candidates = names.slice(at, at + missing + 1);
  const isKnown = missing >= 0 && candidates.length <= mostCandidates && !candidates.some(isPlaceholder);
  if (!isKnown) return undefined;
  const [name = ''] = candidates;
  const code = missing === 0 ? { text: name, starts: true } : undefined;
  return same(`variable ${candidates.join(' or ')}`, code);
}

function hiddenEdges(graph: HeapGraph, node: number): readonly number[] {
  const found: number[] = [];
  for (let edge = graph.firstEdge(node); edge < graph.lastEdge(node); edge++)
    if (graph.edgeType(edge) === 'hidden') found.push(edge);
  return found;
}

function single(names: Names, hop: Hop): Reference {
  const { graph } = names;
  const raw = graph.edgeName(hop.edge);
  switch (graph.edgeType(hop.edge)) {
    case 'element':
      return element(raw);
    case 'property':
    case 'shortcut':
      return property(names, hop, raw as string);
    default:
      // V8 writes the property with the empty name as an internal edge.
      if (raw === '') return { via: '[""]', pattern: '[key]', code: { text: '[""]', starts: false } };
      return same(typeof raw === 'number' || /^\d+$/.test(raw) ? 'internal field' : internalName(raw));
  }
}

function property(names: Names, hop: Hop, raw: string): Reference {
  const shown = names.edge(hop.from, hop.edge);
  const structural = names.isStructural(hop.from, hop.edge, raw);
  const text = /^[#$_\p{L}][$\p{L}\d_]*$/u.test(shown) ? `.${shown}` : `[${quoted(shown)}]`;
  // A key is content, so two leaks that differ in the key only are one leak.
  return { via: shown, pattern: structural ? raw : '[key]', code: { text, starts: false } };
}

const quoted = (text: string): string => (text.startsWith('<') ? text : JSON.stringify(text));

function element(index: string | number): Reference {
  return { via: `[${index}]`, pattern: '[x]', code: { text: `[${index}]`, starts: false } };
}

/** An entry of a Map or Set: V8 keeps key and value in neighbouring slots of a hidden table. */
function tableEntry(names: Names, table: Hop, entry: Hop): Reference {
  const { graph } = names;
  const owner = graph.nodeName(table.from);
  const slot = Number(graph.edgeName(entry.edge));
  if (owner.endsWith('Set'))
    return { via: 'member', pattern: 'member', code: { text: '.values()', starts: false } };
  const key = neighbour(graph, entry, slot - 1);
  if (key >= 0) {
    const shown = graph.isVisible(key) ? names.node(key) : '<number>';
    const via = `get(${shown})`;
    return { via, pattern: 'get(key)', code: { text: `.${via}`, starts: false } };
  }
  if (neighbour(graph, entry, slot + 1) >= 0) return { via: 'key', pattern: 'key', code: undefined };
  return { via: 'get(<number>)', pattern: 'get(key)', code: { text: '.get(<number>)', starts: false } };
}

function neighbour(graph: HeapGraph, entry: Hop, slot: number): number {
  if (!Number.isInteger(slot)) return -1;
  const end = graph.lastEdge(entry.from);
  for (const step of [-2, -1, 1, 2]) {
    const edge = entry.edge + step;
    if (edge < graph.firstEdge(entry.from) || edge >= end) continue;
    if (Number(graph.edgeName(edge)) === slot) return graph.edgeTo(edge);
  }
  if (end - graph.firstEdge(entry.from) > mostSearchedEdges) return -1;
  const edge = edgeNamed(graph, entry.from, String(slot));
  return edge < 0 ? -1 : graph.edgeTo(edge);
}

/** Names of V8's own edges that a reader can make sense of. */
const internalNames: Readonly<Record<string, string>> = {
  bound_this: 'bound this',
  bound_function: 'bound function',
  reactions_or_result: 'result',
  promise_or_capability: 'reaction',
  prototype: 'prototype',
  context: 'captured variable',
  extension: 'captured value',
  backing_store: 'backing store',
  buffer: 'buffer',
  first: 'first half of a rope',
  second: 'second half of a rope',
  parent: 'parent of a slice',
  function: 'function',
};

function internalName(name: string): string {
  if (name.includes('part of key')) return 'value in a WeakMap';
  if (name.startsWith('bound_argument_')) return 'bound argument';
  return internalNames[name] ?? `internal ${name}`;
}

/** Several hops through V8's own structures as one phrase; the first structure met says what it is. */
function folded(graph: HeapGraph, hops: readonly Hop[]): string {
  for (const hop of hops) {
    const name = String(graph.edgeName(hop.edge));
    const to = graph.nodeName(hop.to);
    if (name === 'parameters_and_registers') return 'local variable';
    if (name === 'reactions_or_result' || to === 'system / PromiseReaction') return 'reaction';
    if (to === 'system / SourceTextModule') return moduleBody;
    if (to === 'system / PropertyCell') return 'global variable';
    if (to === 'system / NativeContext') return 'built-in';
    if (to.startsWith('system / Feedback') || name === 'feedback_cell')
      return 'inline cache of compiled code';
    if (name === 'code' || name === 'shared') return 'compiled code';
    if (to === 'system / AccessorPair') return 'accessor';
    if (to === 'system / WeakCell') return 'FinalizationRegistry cell';
    if (name.includes('part of key')) return 'value in a WeakMap';
  }
  const named = hops.map((hop) => String(graph.edgeName(hop.edge))).filter((name) => !/^\d+$/.test(name));
  return named.length > 0 ? internalName(named.at(-1) as string) : 'internal field';
}
