import { textLengthOf } from '../redact/placeholder.ts';
import { bytesText, countText } from '../report/byte-text.ts';
import type { HeapGraph } from '../snapshot.ts';
import type { Names } from '../trace/names.ts';
import { isText } from '../trace/node-kind.ts';

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
const fewestDuplicates = 50;
const leastBuffer = 64 * 1024;
const mostListeners = 10;

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
  const byName = new Map<number, { count: number; bytes: number; node: number }>();
  for (let node = 0; node < graph.nodeCount; node++) {
    if (graph.nodeType(node) !== 'string') continue;
    const key = graph.nodeNameIndex(node);
    const known = byName.get(key);
    if (known === undefined) byName.set(key, { count: 1, bytes: 0, node });
    else {
      known.count++;
      known.bytes += graph.selfBytes(node);
    }
  }
  const repeated = [...byName.values()]
    .filter((entry) => entry.count >= fewestDuplicates && textLengthOf(graph.nodeName(entry.node)) < cutAt)
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
    ids: repeated.slice(0, 5).map((e) => graph.nodeId(e.node)),
  };
}

/** Parents that only slices keep alive: the slice is short, its parent is not. */
function slices(graph: HeapGraph): Observation | undefined {
  const parents = new Map<number, number>();
  for (let node = 0; node < graph.nodeCount; node++) {
    if (graph.nodeType(node) !== 'sliced string') continue;
    const parent = parentOf(graph, node);
    if (parent >= 0) parents.set(parent, (parents.get(parent) ?? 0) + 1);
  }
  const pinned = [...parents.keys()]
    .filter((parent) => onlyHeldBy(graph, parent, 'sliced string'))
    .sort((a, b) => graph.selfBytes(b) - graph.selfBytes(a));
  if (pinned.length === 0) return undefined;
  const bytes = pinned.reduce((sum, parent) => sum + graph.selfBytes(parent), 0);
  const count = pinned.reduce((sum, parent) => sum + (parents.get(parent) ?? 0), 0);
  const text = `${countText(count)} slices pin ${countText(pinned.length)} longer strings, ${bytesText(bytes)}`;
  return { kind: 'slices', bytes, count, text, ids: pinned.slice(0, 5).map((node) => graph.nodeId(node)) };
}

function parentOf(graph: HeapGraph, slice: number): number {
  const end = graph.lastEdge(slice);
  for (let edge = graph.firstEdge(slice); edge < end; edge++) {
    const to = graph.edgeTo(edge);
    if (isText(graph.nodeType(to))) return to;
  }
  return -1;
}

function onlyHeldBy(graph: HeapGraph, node: number, type: string): boolean {
  let held = false;
  for (const { from } of graph.retainers(node)) {
    if (graph.nodeType(from) !== type) return false;
    held = true;
  }
  return held;
}

function ropes(graph: HeapGraph): Observation | undefined {
  let bytes = 0;
  let count = 0;
  for (let node = 0; node < graph.nodeCount; node++) {
    if (graph.nodeType(node) !== 'concatenated string') continue;
    count++;
    bytes += graph.selfBytes(node);
  }
  if (count === 0) return undefined;
  const text = `${countText(count)} ropes (strings built by +) were never flattened, ${bytesText(bytes)} beside their parts`;
  return { kind: 'ropes', bytes, count, text, ids: [] };
}

function buffers(graph: HeapGraph): Observation | undefined {
  const large: number[] = [];
  for (let node = 0; node < graph.nodeCount; node++) {
    if (graph.selfBytes(node) < leastBuffer || isText(graph.nodeType(node))) continue;
    if (/^(?:Shared)?ArrayBuffer$|ArrayBufferData$/.test(graph.nodeName(node))) large.push(node);
  }
  if (large.length === 0) return undefined;
  large.sort((a, b) => graph.selfBytes(b) - graph.selfBytes(a));
  const bytes = large.reduce((sum, node) => sum + graph.selfBytes(node), 0);
  const text = `${countText(large.length)} ArrayBuffers of 64 KiB or more, ${bytesText(bytes)}, outside of the heap V8 limits`;
  return {
    kind: 'buffers',
    bytes,
    count: large.length,
    text,
    ids: large.slice(0, 5).map((node) => graph.nodeId(node)),
  };
}

/** Emitters with more listeners for one event than Node's own warning allows. */
function listeners(graph: HeapGraph, names: Names): Observation | undefined {
  const long: { node: number; count: number; event: string }[] = [];
  for (let node = 0; node < graph.nodeCount; node++) {
    if (graph.lastEdge(node) - graph.firstEdge(node) <= mostListeners || graph.nodeType(node) !== 'object')
      continue;
    const count = functionsIn(graph, node);
    const owner = count > mostListeners ? emitterOf(graph, names, node) : undefined;
    if (owner !== undefined) long.push({ ...owner, count });
  }
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
    ids: long.slice(0, 5).map((entry) => graph.nodeId(entry.node)),
  };
}

/** How many functions an array refers to; 0 for other objects. */
function functionsIn(graph: HeapGraph, node: number): number {
  if (graph.nodeName(node) !== 'Array') return 0;
  let count = 0;
  graph.forEachEdge(node, (_edge, to) => (count += graph.nodeType(to) === 'closure' ? 1 : 0));
  return count;
}

/** The emitter whose `_events` holds the array, and for which event. */
function emitterOf(
  graph: HeapGraph,
  names: Names,
  list: number,
): { node: number; event: string } | undefined {
  for (const { from: events, edge } of graph.retainers(list)) {
    if (graph.nodeType(events) !== 'object' || graph.edgeType(edge) !== 'property') continue;
    for (const retainer of graph.retainers(events)) {
      if (graph.edgeName(retainer.edge) === '_events')
        return { node: retainer.from, event: names.edge(events, edge) };
    }
  }
  return undefined;
}
