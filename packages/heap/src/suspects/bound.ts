import { countText } from '../byte-text.ts';
import type { HeapGraph } from '../snapshot.ts';
import { tableOf, targetNamed } from '../trace/node-kind.ts';

/** What a cache of a known library says about its own bound. */
export interface CacheBound {
  /** The class and the library, e.g. `LRUCache of lru-cache`. */
  readonly cache: string;
  readonly entries: number;
  /** Most entries that it keeps; null when it has a bound that the snapshot does not show, because numbers are not in it. */
  readonly max: number | null;
}

/** Bytes of one slot by the class of a list of indexes. */
const widths: Readonly<Record<string, number>> = { Uint8Array: 1, Uint16Array: 2, Uint32Array: 4 };

/** The bound of the cache nearest to the end of a path; undefined when no cache that is known to have one lies on it. */
export function boundOn(graph: HeapGraph, path: readonly number[]): CacheBound | undefined {
  for (const node of path.toReversed()) {
    if (graph.nodeType(node) !== 'object') continue;
    const found = boundOf(graph, node);
    if (found !== undefined) return found;
  }
  return undefined;
}

function boundOf(graph: HeapGraph, node: number): CacheBound | undefined {
  const { arrays, indexes, maps } = fieldsOf(graph, node);
  if (indexes.length >= 2 && arrays.length >= 2 && maps.length >= 1)
    return lruCache(graph, { arrays, indexes, maps });
  return graph.nodeName(node) === 'QuickLRU' ? quickLru(graph, node) : undefined;
}

interface Fields {
  readonly arrays: readonly number[];
  /** Typed arrays of whole numbers. */
  readonly indexes: readonly number[];
  readonly maps: readonly number[];
}

const mostFields = 200;

/** The containers in the fields of an object, whatever a minifier made of their names. */
function fieldsOf(graph: HeapGraph, node: number): Fields {
  const arrays: number[] = [];
  const indexes: number[] = [];
  const maps: number[] = [];
  if (graph.lastEdge(node) - graph.firstEdge(node) > mostFields) return { arrays, indexes, maps };
  graph.forEachEdge(node, (edge, to) => {
    if (graph.edgeType(edge) !== 'property' || graph.nodeType(to) !== 'object') return;
    const name = graph.nodeName(to);
    if (name === 'Array') arrays.push(to);
    else if (name === 'Map') maps.push(to);
    else if (name in widths) indexes.push(to);
  });
  return { arrays, indexes, maps };
}

/**
 * lru-cache from version 7 on makes room for `max` entries at once: keys and values in two lists of one length, and two lists of as many
 * indexes, which link them. It is told by these, because it ships minified: its class has another name in each release.
 */
function lruCache(graph: HeapGraph, { arrays, indexes, maps }: Fields): CacheBound | undefined {
  const [next, previous] = indexes as [number, number];
  const width = widths[graph.nodeName(next)] as number;
  const max = Math.floor(dataBytes(graph, next) / width);
  if (
    dataBytes(graph, previous) !== dataBytes(graph, next) ||
    graph.nodeName(previous) !== graph.nodeName(next)
  )
    return undefined;
  const [first, second] = arrays as [number, number];
  if (graph.selfBytes(first) !== graph.selfBytes(second)) return undefined;
  const entries = Math.max(
    ...maps.map((map) => entriesOf(graph, map)),
    ...arrays.map((list) => elementsOf(graph, list)),
  );
  const cache = 'LRUCache of lru-cache';
  // Without `max` the lists grow with the entries, and the sum of their sizes is the bound.
  if (max === 0 || entries > 2 * max) return { cache, entries, max: null };
  // A map that entries were taken out of has more slots in use than entries.
  return { cache, entries: Math.min(entries, max), max };
}

/** A field that is private in newer versions of a library. */
function field(graph: HeapGraph, node: number, name: string): number {
  const hidden = targetNamed(graph, node, `#${name}`);
  return hidden >= 0 ? hidden : targetNamed(graph, node, name);
}

/** quick-lru fills one map and then begins another, so that the former one has as many entries as its bound. */
function quickLru(graph: HeapGraph, node: number): CacheBound | undefined {
  const young = field(graph, node, 'cache');
  const old = field(graph, node, 'oldCache');
  if (young < 0 || old < 0) return undefined;
  const full = entriesOf(graph, old);
  return {
    cache: 'QuickLRU of quick-lru',
    entries: entriesOf(graph, young) + full,
    max: full > 0 ? 2 * full : null,
  };
}

/** True when a known leak of a cache's library is not what is seen: the cache has the bound that the leak lacks. */
export function isHealthy(bound: CacheBound | undefined, framework: string | undefined): boolean {
  return (
    bound !== undefined && (framework === undefined || (bound.max !== null && framework === 'lru-cache'))
  );
}

/** What a suspect's sentence says about the bound of its cache. */
export function boundText({ cache, entries, max }: CacheBound): string {
  const many = countText(entries);
  if (max === null) return `${cache} with a bound, ${many} entries`;
  return entries < max
    ? `a cache that fills: ${many} of ${countText(max)} (${cache})`
    : `a cache at its bound of ${countText(max)} (${cache})`;
}

/** Bytes of the elements of a typed array: in its buffer, or beside it when they are few. */
function dataBytes(graph: HeapGraph, array: number): number {
  const buffer = targetNamed(graph, array, 'buffer');
  const store = buffer < 0 ? -1 : targetNamed(graph, buffer, 'backing_store');
  if (store >= 0) return graph.selfBytes(store);
  const elements = targetNamed(graph, array, 'elements');
  return elements < 0 ? 0 : Math.max(0, graph.selfBytes(elements) - 16);
}

function elementsOf(graph: HeapGraph, list: number): number {
  let count = 0;
  graph.forEachEdge(list, (edge, to) => {
    // Slots that are still free refer to `undefined`.
    if (graph.edgeType(edge) === 'element' && graph.nodeType(to) !== 'hidden') count++;
  });
  return count;
}

/** Entries of a Map: slots of keys and values take turns with links, and numbers have no edge. */
function entriesOf(graph: HeapGraph, map: number): number {
  const table = map < 0 ? -1 : tableOf(graph, map);
  if (table < 0) return 0;
  const slots: number[] = [];
  graph.forEachEdge(table, (edge) => {
    const slot = Number(graph.edgeName(edge));
    if (Number.isInteger(slot)) slots.push(slot);
  });
  const first = slots.reduce((least, slot) => Math.min(least, slot), Number.POSITIVE_INFINITY);
  return new Set(slots.map((slot) => Math.floor((slot - first) / 3))).size;
}
