import type { HeapGraph } from '../snapshot.ts';
import type { Names } from '../trace/names.ts';
import { isText } from '../trace/node-kind.ts';
import type { PathForest } from '../graph/path-search.ts';

/** All objects that are held in the same way: by the same references from the root, indices and keys left out. */
export interface PathGroup {
  readonly parent: number;
  readonly via: string;
  readonly name: string;
  count: number;
  /** Those of them that an earlier snapshot does not have. */
  fresh: number;
  /** Own bytes of the objects and of what V8 keeps for them. */
  bytes: number;
  /** One of the objects, of the fresh ones where there are any. */
  sample: number;
}

/** The cheapest paths of a snapshot merged by reference and class, as LeakCanary and BLeak do to see growth. */
export interface PathTree {
  readonly groups: readonly PathGroup[];
  readonly forest: PathForest;
  /** The group below `parent` with this reference and class, or -1. */
  child(parent: number, via: string, name: string): number;
}

const mostGroups = 400_000;
const longestPeriod = 3;

/** Builds the path tree; `isKnown` says of an object id whether an earlier snapshot has it. A reference that repeats the ones above it stays in their group, so that a list is one group. */
export function buildPathTree(
  graph: HeapGraph,
  names: Names,
  isKnown: (id: number) => boolean = () => false,
): PathTree {
  const forest = graph.allPaths();
  const builder = new Builder(graph, forest, referenceLabels(graph, names, forest), names, isKnown);
  for (const node of forest.order) builder.add(node);
  return builder.tree();
}

/** By node, how the path to it names its last reference. Read in the order of the file, where edge names are. */
function referenceLabels(
  graph: HeapGraph,
  names: Names,
  forest: PathForest,
): { of: Uint32Array; texts: string[] } {
  const of = new Uint32Array(graph.nodeCount);
  const texts: string[] = [];
  const known = new Map<string, number>();
  const labelled = (text: string): number => {
    let label = known.get(text);
    if (label === undefined) {
      label = texts.length;
      known.set(text, label);
      texts.push(text);
    }
    return label;
  };
  for (let node = 0; node < graph.nodeCount; node++) {
    const end = graph.lastEdge(node);
    for (let edge = graph.firstEdge(node); edge < end; edge++) {
      const to = graph.edgeTo(edge);
      if (forest.edgeTo(to) === edge && forest.parentOf(to) === node)
        of[to] = labelled(labelOf(graph, names, node, edge, to));
    }
  }
  return { of, texts };
}

function labelOf(graph: HeapGraph, names: Names, from: number, edge: number, to: number): string {
  const type = graph.edgeType(edge);
  if (type === 'element') return '[x]';
  if (type === 'context') return `variable ${graph.edgeName(edge)}`;
  if (type === 'property') {
    const name = graph.edgeName(edge) as string;
    return names.isStructural(from, edge, name) ? name : '[key]';
  }
  if (graph.isVisible(to)) return 'internal';
  const owner = graph.nodeName(from);
  return owner === 'Array' ? '[x]' : /(?:Map|Set)$/.test(owner) ? 'entry' : 'internal';
}

class Builder {
  readonly #graph: HeapGraph;
  readonly #names: Names;
  readonly #forest: PathForest;
  readonly #isKnown: (id: number) => boolean;
  readonly #groups: PathGroup[] = [
    { parent: -1, via: '', name: 'root', count: 1, fresh: 0, bytes: 0, sample: 0 },
  ];
  readonly #children = new Map<string, number>();
  readonly #groupOf: Uint32Array;
  readonly #labels: { readonly of: Uint32Array; readonly texts: readonly string[] };
  /** For nodes that are not visible: the label by which their owner holds what lies behind them; -1 where the next decides. */
  readonly #pending: Int32Array;
  readonly #classNames = new Map<string, string>();

  constructor(
    graph: HeapGraph,
    forest: PathForest,
    labels: { readonly of: Uint32Array; readonly texts: readonly string[] },
    names: Names,
    isKnown: (id: number) => boolean,
  ) {
    this.#isKnown = isKnown;
    this.#graph = graph;
    this.#forest = forest;
    this.#labels = labels;
    this.#names = names;
    this.#groupOf = new Uint32Array(graph.nodeCount);
    this.#pending = new Int32Array(graph.nodeCount).fill(-1);
  }

  add(node: number): void {
    const graph = this.#graph;
    if (node === graph.meta.rootNode) return;
    const parent = this.#forest.parentOf(node);
    const owner = this.#groupOf[parent] as number;
    const waiting = this.#pending[parent] as number;
    const label = waiting >= 0 ? waiting : (this.#labels.of[node] as number);
    if (!graph.isVisible(node)) {
      this.#groupOf[node] = owner;
      // Which variable of a scope it is, the reference out of the scope says.
      this.#pending[node] = graph.nodeName(node) === 'system / Context' ? -1 : label;
      (this.#groups[owner] as PathGroup).bytes += graph.selfBytes(node);
      return;
    }
    const via = this.#labels.texts[label] as string;
    const group = this.#groupFor(owner, via, this.#className(node));
    this.#groupOf[node] = group;
    const found = this.#groups[group] as PathGroup;
    found.count++;
    found.bytes += graph.selfBytes(node);
    if (this.#isKnown(graph.nodeId(node))) {
      if (found.fresh === 0) found.sample = node;
      return;
    }
    found.fresh++;
    found.sample = node;
  }

  #className(node: number): string {
    const type = this.#graph.nodeType(node);
    if (isText(type)) return '(string)';
    const key = `${type} ${this.#graph.nodeNameIndex(node)}`;
    let found = this.#classNames.get(key);
    if (found === undefined) {
      const name = this.#names.className(type, this.#graph.nodeName(node));
      found = type === 'closure' ? `${name}()` : name === '' ? 'Object' : name;
      this.#classNames.set(key, found);
    }
    return found;
  }

  #groupFor(owner: number, via: string, name: string): number {
    let above = owner;
    for (let period = 1; period <= longestPeriod && above > 0; period++) {
      const group = this.#groups[above] as PathGroup;
      if (group.via === via && group.name === name) return above;
      above = group.parent;
    }
    const key = `${owner}|${via}|${name}`;
    let found = this.#children.get(key);
    if (found === undefined) {
      // Beyond the bound a path is as long as the tree is: deeper objects count for the group above them.
      if (this.#groups.length >= mostGroups) return owner;
      found = this.#groups.length;
      this.#groups.push({ parent: owner, via, name, count: 0, fresh: 0, bytes: 0, sample: 0 });
      this.#children.set(key, found);
    }
    return found;
  }

  tree(): PathTree {
    return {
      groups: this.#groups,
      forest: this.#forest,
      child: (parent, via, name) => this.#children.get(`${parent}|${via}|${name}`) ?? -1,
    };
  }
}
