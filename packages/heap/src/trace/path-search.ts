import type { HeapGraph } from '../snapshot.ts';
import { blockedEdges, rootPenalty } from './roots.ts';

/** One reference of a path: the edge, where it leaves from and where it arrives. */
export interface Hop {
  readonly from: number;
  readonly edge: number;
  readonly to: number;
}

/** What it costs to pass through a node of this type: the cheaper, the more a person can do about it. */
const costByType: Readonly<Record<string, number>> = {
  synthetic: 1,
  object: 2,
  closure: 2,
  native: 3,
  array: 1,
  hidden: 4,
  code: 12,
  'object shape': 16,
};
const defaultCost = 2;
/** A prototype is reached from every instance; a path through it explains nothing. */
const prototypeCost = 10;
/** Plimsoll's own objects, all of classes of this name, hold what the program registered with it; they are never the reason. */
const ownClass = /^Plimsoll[A-Z]/;
const ownCost = 50;
const buckets = 64;

export interface PathSearchOptions {
  /** Edges that must not be used, to find another path than those already known. */
  readonly without?: ReadonlySet<number>;
}

/**
 * The cheapest retaining path from the root to each target, by Dial's algorithm over the edges that retain. Plain shortest
 * paths run through V8's own structures where a longer one through named properties exists; the costs prefer the latter.
 * Stops as soon as all targets are settled. A target that cannot be reached is missing in the result.
 */
export function findPaths(
  graph: HeapGraph,
  targets: Iterable<number>,
  options: PathSearchOptions = {},
): Map<number, Hop[]> {
  const wanted = new Set(targets);
  const search = new Search(graph, options.without);
  search.run(wanted);
  const paths = new Map<number, Hop[]>();
  for (const target of wanted) {
    const path = search.pathTo(target);
    if (path !== undefined) paths.set(target, path);
  }
  return paths;
}

/** The cheapest path to every node that can be reached, and the nodes in the order of their cost. */
export interface PathForest {
  /** Reached nodes, cheapest first; the root is the first. */
  readonly order: Uint32Array;
  parentOf(node: number): number;
  edgeTo(node: number): number;
  pathTo(node: number): Hop[];
}

/** Finds the cheapest path to every node. */
export function allPaths(graph: HeapGraph): PathForest {
  const search = new Search(graph, undefined);
  const order = search.run(new Set());
  return {
    order,
    parentOf: (node) => search.parentOf(node),
    edgeTo: (node) => search.edgeTo(node),
    pathTo: (node) => search.pathTo(node) ?? [],
  };
}

const unreached = 0xff_ff_ff_ff;

class Search {
  readonly #graph: HeapGraph;
  readonly #cost: Uint32Array;
  readonly #parent: Uint32Array;
  readonly #edge: Uint32Array;
  readonly #enter: Uint8Array;
  readonly #isSettled: Uint8Array;
  readonly #blocked: ReadonlySet<number>;
  readonly #without: ReadonlySet<number> | undefined;

  constructor(graph: HeapGraph, without: ReadonlySet<number> | undefined) {
    this.#graph = graph;
    this.#cost = new Uint32Array(graph.nodeCount).fill(unreached);
    this.#parent = new Uint32Array(graph.nodeCount);
    this.#edge = new Uint32Array(graph.nodeCount);
    this.#enter = enteringCosts(graph);
    this.#isSettled = new Uint8Array(graph.nodeCount);
    this.#blocked = blockedEdges(graph);
    this.#without = without !== undefined && without.size > 0 ? without : undefined;
  }

  parentOf(node: number): number {
    return this.#parent[node] as number;
  }

  edgeTo(node: number): number {
    return this.#edge[node] as number;
  }

  /** Settles all wanted nodes, or every node when none is wanted; returns the nodes settled, in order. */
  run(wanted: ReadonlySet<number>): Uint32Array {
    const order = wanted.size === 0 ? new Uint32Array(this.#graph.nodeCount) : new Uint32Array(0);
    let settled = 0;
    const graph = this.#graph;
    const root = graph.meta.rootNode;
    const queue: number[][] = Array.from({ length: buckets }, () => []);
    this.#cost[root] = 0;
    queue[0]?.push(root);
    let waiting = 1;
    let left = wanted.size;
    for (let now = 0; waiting > 0; now++) {
      const bucket = queue[now % buckets] as number[];
      while (bucket.length > 0) {
        const node = bucket.pop() as number;
        waiting--;
        if (this.#cost[node] !== now || this.#isSettled[node] === 1) continue;
        this.#isSettled[node] = 1;
        if (order.length > 0) order[settled++] = node;
        else if (wanted.has(node) && --left === 0) return order;
        waiting += this.#relax(node, now, queue);
      }
    }
    return order.subarray(0, settled);
  }

  #relax(node: number, now: number, queue: number[][]): number {
    const graph = this.#graph;
    const cost = this.#cost;
    const end = graph.lastEdge(node);
    let added = 0;
    for (let edge = graph.firstEdge(node); edge < end; edge++) {
      if (!graph.isEssentialEdge(node, edge)) continue;
      const to = graph.edgeTo(edge);
      const next = now + (this.#enter[to] as number);
      if (next >= (cost[to] as number)) continue;
      if (this.#blocked.has(edge) || this.#without?.has(edge) === true) continue;
      cost[to] = next;
      this.#parent[to] = node;
      this.#edge[to] = edge;
      (queue[next % buckets] as number[]).push(to);
      added++;
    }
    return added;
  }

  pathTo(target: number): Hop[] | undefined {
    if (this.#cost[target] === unreached) return undefined;
    const hops: Hop[] = [];
    for (let node = target; node !== this.#graph.meta.rootNode;) {
      const from = this.#parent[node] as number;
      hops.push({ from, edge: this.#edge[node] as number, to: node });
      node = from;
    }
    return hops.toReversed();
  }
}

/** Cost of entering each node. Costs stay below the number of buckets. */
function enteringCosts(graph: HeapGraph): Uint8Array {
  const byType = new Map(graph.meta.nodeTypes.map((type) => [type, costByType[type] ?? defaultCost]));
  const enter = new Uint8Array(graph.nodeCount);
  const shapes: number[] = [];
  const owns = new Map<number, boolean>();
  for (let node = 0; node < graph.nodeCount; node++) {
    const type = graph.nodeType(node);
    enter[node] = byType.get(type) ?? defaultCost;
    if (type === 'object') {
      const name = graph.nodeNameIndex(node);
      let isOwn = owns.get(name);
      if (isOwn === undefined) {
        isOwn = ownClass.test(graph.nodeName(node));
        owns.set(name, isOwn);
      }
      if (isOwn) enter[node] = ownCost;
    } else if (type === 'object shape') shapes.push(node);
    else if (type === 'synthetic') enter[node] = rootPenalty(graph.nodeName(node));
  }
  // The objects that a shape refers to are prototypes; its constructor is a function. Names of edges stay in the file.
  for (const shape of shapes) {
    const end = graph.lastEdge(shape);
    for (let edge = graph.firstEdge(shape); edge < end; edge++) {
      const to = graph.edgeTo(edge);
      if (graph.nodeType(to) === 'object') enter[to] = prototypeCost;
    }
  }
  return enter;
}
