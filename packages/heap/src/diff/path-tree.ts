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
  /** The part of them that an earlier snapshot has. */
  knownBytes: number;
  /** One of the objects, of the fresh ones where there are any. */
  sample: number;
}

/** The cheapest paths of a snapshot merged by reference and class, as LeakCanary and BLeak do to see growth. */
export interface PathTree {
  readonly groups: readonly PathGroup[];
  /** The group below `parent` with this reference and class, or -1. */
  child(parent: number, via: string, name: string): number;
  /** The group in which the object with this id is alone, or -1. */
  groupOf(id: number): number;
}

const mostGroups = 400_000;
const longestPeriod = 3;

/** Builds the path tree; `isKnown` says of an object id whether an earlier snapshot has it. A reference that repeats the ones above it stays in their group, so that a list is one group. */
export function buildPathTree(
  graph: HeapGraph,
  names: Names,
  forest: PathForest,
  isKnown: (id: number) => boolean = () => false,
): PathTree {
  const builder = new Builder(graph, references(graph, names, forest), names, isKnown);
  for (const node of forest.order) builder.add(node);
  return builder.tree();
}

/** The last reference of the path to each node. */
interface References {
  /** Where it leaves from, by node. */
  readonly from: Uint32Array;
  /** How it is named, by node: an index into `texts`. */
  readonly label: Uint32Array;
  readonly texts: readonly string[];
}

/** Names the edges that a path ends with, in the order of the file: only one edge in three is one, and near edges lie near in memory. */
function references(graph: HeapGraph, names: Names, forest: PathForest): References {
  const from = new Uint32Array(graph.nodeCount);
  const label = new Uint32Array(graph.nodeCount);
  const labels = new Labels(graph, names);
  const ends = new Uint32Array((graph.edgeCount >>> 5) + 1);
  for (const node of forest.order) {
    if (node === graph.meta.rootNode) continue;
    const edge = forest.edgeTo(node);
    ends[edge >>> 5] = (ends[edge >>> 5] as number) | (1 << (edge & 31));
  }
  let node = 0;
  for (let word = 0; word < ends.length; word++) {
    for (let bits = ends[word] as number; bits !== 0; bits &= bits - 1) {
      const edge = word * 32 + 31 - Math.clz32(bits & -bits);
      while (graph.lastEdge(node) <= edge) node++;
      const to = graph.edgeTo(edge);
      from[to] = node;
      label[to] = labels.of(node, edge, to);
    }
  }
  return { from, label, texts: labels.texts };
}

/** Numbers for the names of references. A name is decided once: a heap has millions of edges and some ten thousand names. */
class Labels {
  readonly texts: string[] = [];
  readonly #graph: HeapGraph;
  readonly #names: Names;
  readonly #numbers = new Map<string, number>();
  readonly #decided = new Map<number, number>();
  readonly #owners = new Map<number, number>();
  readonly #element: number;
  readonly #internal: number;

  constructor(graph: HeapGraph, names: Names) {
    this.#graph = graph;
    this.#names = names;
    this.#element = this.#number('[x]');
    this.#internal = this.#number('internal');
  }

  of(from: number, edge: number, to: number): number {
    const graph = this.#graph;
    const key = graph.edgeKey(edge);
    const type = graph.meta.edgeTypes[key % 16] ?? '';
    if (type === 'element') return this.#element;
    if (type !== 'context' && type !== 'property') {
      return graph.isVisible(to) ? this.#internal : this.#insideOf(from);
    }
    const asked = key * 2 + (this.#names.isPlain(from) ? 1 : 0);
    let found = this.#decided.get(asked);
    if (found === undefined) {
      const name = String(graph.edgeName(edge));
      found = this.#number(
        type === 'context' ? `variable ${name}` : this.#names.isStructural(from, edge, name) ? name : '[key]',
      );
      this.#decided.set(asked, found);
    }
    return found;
  }

  /** What V8 keeps for an object is named by what the object is. */
  #insideOf(owner: number): number {
    const index = this.#graph.nodeNameIndex(owner);
    let found = this.#owners.get(index);
    if (found === undefined) {
      const name = this.#graph.nodeName(owner);
      found = this.#number(name === 'Array' ? '[x]' : /(?:Map|Set)$/.test(name) ? 'entry' : 'internal');
      this.#owners.set(index, found);
    }
    return found;
  }

  #number(text: string): number {
    let found = this.#numbers.get(text);
    if (found === undefined) {
      found = this.texts.length;
      this.#numbers.set(text, found);
      this.texts.push(text);
    }
    return found;
  }
}

class Builder {
  readonly #graph: HeapGraph;
  readonly #names: Names;
  readonly #references: References;
  readonly #isKnown: (id: number) => boolean;
  readonly #groups: PathGroup[] = [
    { parent: -1, via: '', name: 'root', count: 1, fresh: 0, bytes: 0, knownBytes: 0, sample: 0 },
  ];
  /** By group, its label and class as one number. */
  readonly #keys: number[] = [-1];
  /** By group, its children by that number. */
  readonly #children: (Map<number, number> | undefined)[] = [];
  readonly #groupOf: Uint32Array;
  /** For nodes that are not visible: the label by which their owner holds what lies behind them; -1 where the next decides. */
  readonly #pending: Int32Array;
  /** Names of classes and their numbers, and the number of the class by type and name of a node. */
  readonly #classes: string[] = [];
  readonly #classNumbers = new Map<string, number>();
  readonly #classOf = new Map<number, number>();
  readonly #contexts = new Map<number, boolean>();
  #lastOwner = -1;
  #lastKey = -1;
  #lastGroup = -1;
  #lastClassKey: number | undefined = undefined;
  #lastClass = -1;

  constructor(graph: HeapGraph, references: References, names: Names, isKnown: (id: number) => boolean) {
    this.#isKnown = isKnown;
    this.#graph = graph;
    this.#references = references;
    this.#names = names;
    this.#groupOf = new Uint32Array(graph.nodeCount);
    this.#pending = new Int32Array(graph.nodeCount).fill(-1);
  }

  add(node: number): void {
    const graph = this.#graph;
    if (node === graph.meta.rootNode) return;
    const { from, label: labels } = this.#references;
    const parent = from[node] as number;
    const owner = this.#groupOf[parent] as number;
    const waiting = this.#pending[parent] as number;
    const label = waiting >= 0 ? waiting : (labels[node] as number);
    if (!graph.isVisible(node)) {
      this.#groupOf[node] = owner;
      // Which variable of a scope it is, the reference out of the scope says.
      this.#pending[node] = this.#isContext(node) ? -1 : label;
      this.#addBytes(this.#groups[owner] as PathGroup, node);
      return;
    }
    const group = this.#groupFor(owner, label, this.#class(node));
    this.#groupOf[node] = group;
    const found = this.#groups[group] as PathGroup;
    found.count++;
    if (this.#addBytes(found, node)) {
      if (found.fresh === 0) found.sample = node;
      return;
    }
    found.fresh++;
    found.sample = node;
  }

  /** Adds the node's bytes to a group; true when an earlier snapshot has the node. */
  #addBytes(group: PathGroup, node: number): boolean {
    const bytes = this.#graph.selfBytes(node);
    const isKnown = this.#isKnown(this.#graph.nodeId(node));
    group.bytes += bytes;
    if (isKnown) group.knownBytes += bytes;
    return isKnown;
  }

  #isContext(node: number): boolean {
    const index = this.#graph.nodeNameIndex(node);
    let found = this.#contexts.get(index);
    if (found === undefined) {
      found = this.#graph.nodeName(node) === 'system / Context';
      this.#contexts.set(index, found);
    }
    return found;
  }

  /** The number of a node's class; all text is one. */
  #class(node: number): number {
    const graph = this.#graph;
    const key = graph.classKey(node) ?? -2 - graph.nodeNameIndex(node);
    if (key === this.#lastClassKey) return this.#lastClass;
    let found = this.#classOf.get(key);
    if (found === undefined) {
      const type = graph.nodeType(node);
      const name = isText(type) ? '(string)' : this.#names.className(type, graph.nodeName(node));
      const shown = type === 'closure' ? `${name}()` : name === '' ? 'Object' : name;
      found = this.#classNumbers.get(shown) ?? this.#classes.length;
      if (found === this.#classes.length) {
        this.#classes.push(shown);
        this.#classNumbers.set(shown, found);
      }
      this.#classOf.set(key, found);
    }
    this.#lastClassKey = key;
    this.#lastClass = found;
    return found;
  }

  #groupFor(owner: number, label: number, cls: number): number {
    const key = label * 2 ** 26 + cls;
    // Neighbours in the order of cost are mostly of one group.
    if (owner === this.#lastOwner && key === this.#lastKey) return this.#lastGroup;
    this.#lastOwner = owner;
    this.#lastKey = key;
    return (this.#lastGroup = this.#lookUp(owner, key, label, cls));
  }

  #lookUp(owner: number, key: number, label: number, cls: number): number {
    let above = owner;
    for (let period = 1; period <= longestPeriod && above > 0; period++) {
      if (this.#keys[above] === key) return above;
      above = (this.#groups[above] as PathGroup).parent;
    }
    const children = (this.#children[owner] ??= new Map<number, number>());
    let found = children.get(key);
    if (found === undefined) {
      // Beyond the bound a path is as long as the tree is: deeper objects count for the group above them.
      if (this.#groups.length >= mostGroups) return owner;
      found = this.#groups.length;
      const via = this.#references.texts[label] as string;
      const name = this.#classes[cls] as string;
      this.#groups.push({ parent: owner, via, name, count: 0, fresh: 0, bytes: 0, knownBytes: 0, sample: 0 });
      this.#keys.push(key);
      children.set(key, found);
    }
    return found;
  }

  /** The tree; it keeps nothing that is as large as the snapshot. */
  tree(): PathTree {
    const labels = new Map(this.#references.texts.map((text, label) => [text, label]));
    const children = this.#children;
    const classes = this.#classNumbers;
    const alone = new Map<number, number>();
    this.#groups.forEach(({ count, sample }, group) => {
      if (count === 1) alone.set(this.#graph.nodeId(sample), group);
    });
    return {
      groupOf: (id) => alone.get(id) ?? -1,
      groups: this.#groups,
      child: (parent, via, name) => {
        const label = labels.get(via);
        const cls = classes.get(name);
        if (label === undefined || cls === undefined) return -1;
        return children[parent]?.get(label * 2 ** 26 + cls) ?? -1;
      },
    };
  }
}
