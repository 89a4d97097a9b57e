import { textLengthOf } from '../redact/placeholder.ts';
import { bytesText, countText } from '../byte-text.ts';
import type { HeapGraph } from '../snapshot.ts';
import type { Names } from '../trace/names.ts';

/** Something about the heap as a whole that costs memory without being a leak by itself. */
export interface Observation {
  readonly kind: 'duplicate-strings' | 'slices' | 'ropes' | 'buffers' | 'listeners';
  readonly bytes: number;
  readonly count: number;
  readonly text: string;
  /** Ids of the objects it is about, largest first, at most five. */
  readonly ids: readonly number[];
}

/** Longest text that V8 writes into a snapshot; two longer strings may differ behind it. */
const cutAt = 1024;
const mostListeners = 10;
const mostIds = 5;

/** Looks for duplicated strings, slices that pin their parent, ropes, large buffers and long listener lists. */
export function observe(graph: HeapGraph, names: Names): Observation[] {
  const heapBytes = graph.dominators().retainedBytes(graph.meta.rootNode);
  const found = [
    duplicates(graph, names),
    slices(graph),
    ropes(graph),
    buffers(graph),
    listeners(graph, names),
  ];
  return found
    .filter((entry): entry is Observation => entry !== undefined)
    .filter((entry) => entry.kind === 'listeners' || entry.bytes >= heapBytes * 0.005)
    .sort((a, b) => b.bytes - a.bytes);
}

function duplicates(graph: HeapGraph, names: Names): Observation | undefined {
  const repeated = graph
    .texts()
    .repeated.filter((entry) => textLengthOf(graph.nodeName(entry.node)) < cutAt)
    .sort((a, b) => b.bytes - a.bytes);
  if (repeated.length === 0) return undefined;
  const bytes = repeated.reduce((sum, entry) => sum + entry.bytes, 0);
  const count = repeated.reduce((sum, entry) => sum + entry.count - 1, 0);
  const [first] = repeated;
  const example =
    first === undefined ? '' : `; most: ${names.text(first.node)} ${countText(first.count)} times`;
  const text = `${countText(count)} strings repeat ${countText(repeated.length)} others, ${bytesText(bytes)}${example}`;
  return {
    kind: 'duplicate-strings',
    bytes,
    count,
    text,
    ids: repeated.slice(0, mostIds).map((e) => graph.nodeId(e.node)),
  };
}

/** Long strings that only short slices of them keep alive. */
function slices(graph: HeapGraph): Observation | undefined {
  const { slices: count, parents } = graph.pinnedTexts();
  if (count === 0) return undefined;
  let bytes = 0;
  const largest: number[] = [];
  for (const parent of parents) {
    const own = graph.selfBytes(parent);
    bytes += own;
    const at = largest.findIndex((other) => graph.selfBytes(other) < own);
    if (at >= 0) largest.splice(at, 0, parent);
    else if (largest.length < mostIds) largest.push(parent);
    if (largest.length > mostIds) largest.pop();
  }
  const text = `${countText(count)} slices pin ${countText(parents.length)} longer strings, ${bytesText(bytes)}`;
  return { kind: 'slices', bytes, count, text, ids: largest.map((node) => graph.nodeId(node)) };
}

function ropes(graph: HeapGraph): Observation | undefined {
  const { count, bytes } = graph.texts().ropes;
  if (count === 0) return undefined;
  const text = `${countText(count)} ropes (strings built by +) were never flattened, ${bytesText(bytes)} beside their parts`;
  return { kind: 'ropes', bytes, count, text, ids: [] };
}

function buffers(graph: HeapGraph): Observation | undefined {
  const large = graph
    .survey()
    .big.filter((node) => /^(?:Shared)?ArrayBuffer$|ArrayBufferData$/.test(graph.nodeName(node)));
  if (large.length === 0) return undefined;
  large.sort((a, b) => graph.selfBytes(b) - graph.selfBytes(a));
  const bytes = large.reduce((sum, node) => sum + graph.selfBytes(node), 0);
  const text = `${countText(large.length)} ArrayBuffers of 64 KiB or more, ${bytesText(bytes)}, outside of the heap V8 limits`;
  return {
    kind: 'buffers',
    bytes,
    count: large.length,
    text,
    ids: large.slice(0, mostIds).map((node) => graph.nodeId(node)),
  };
}

/** Emitters with more listeners for one event than Node's own warning allows. */
function listeners(graph: HeapGraph, names: Names): Observation | undefined {
  const long = listenerLists(graph, names);
  const [first] = long.sort((a, b) => b.count - a.count);
  if (first === undefined) return undefined;
  const owner = names.node(first.node);
  const text = `listener lists longer than ${mostListeners}: ${countText(long.length)}; longest: ${countText(first.count)} for "${first.event}" on ${owner}`;
  const count = long.reduce((sum, entry) => sum + entry.count, 0);
  return {
    kind: 'listeners',
    bytes: 0,
    count,
    text,
    ids: long.slice(0, mostIds).map((entry) => graph.nodeId(entry.node)),
  };
}

/** Arrays of functions that an `_events` object holds, with the emitter and the event. */
function listenerLists(graph: HeapGraph, names: Names): { node: number; count: number; event: string }[] {
  const lists = graph.survey().functionLists;
  if (lists.length === 0) return [];
  const held = graph
    .retainersOfFew(lists)
    .filter(({ from, edge }) => graph.nodeType(from) === 'object' && graph.edgeType(edge) === 'property');
  const emitters = new Map<number, number>();
  for (const { from, edge, to } of graph.retainersOfFew(held.map(({ from: events }) => events))) {
    if (!emitters.has(to) && graph.edgeName(edge) === '_events') emitters.set(to, from);
  }
  const found = new Map<number, { node: number; count: number; event: string }>();
  for (const { from: events, edge, to: list } of held) {
    const node = emitters.get(events);
    if (node === undefined || found.has(list)) continue;
    found.set(list, { node, count: functionsIn(graph, list), event: names.edge(events, edge) });
  }
  return [...found.values()];
}

function functionsIn(graph: HeapGraph, list: number): number {
  let count = 0;
  graph.forEachEdge(list, (_edge, to) => (count += graph.nodeType(to) === 'closure' ? 1 : 0));
  return count;
}
