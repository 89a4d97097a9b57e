import type { HeapGraph } from '../snapshot.ts';
import { dictionaryEdges } from '../redact/name-policy.ts';
import type { Names } from '../trace/names.ts';
import type { PathNaming } from '../graph/path-groups.ts';

/** All objects that are held in the same way: by the same references from the root, indices and keys left out. */
export interface PathGroup {
  readonly parent: number;
  readonly via: string;
  readonly name: string;
  readonly count: number;
  /** Those of them that an earlier snapshot does not have. */
  readonly fresh: number;
  /** Own bytes of the objects and of what V8 keeps for them. */
  readonly bytes: number;
  /** The part of them that an earlier snapshot has. */
  readonly knownBytes: number;
  /** One of the objects, of the fresh ones where there are any. */
  readonly sample: number;
}

/** The cheapest paths of a snapshot merged by reference and class, as LeakCanary and BLeak do to see growth. */
export interface PathTree {
  readonly groups: readonly PathGroup[];
  /** The group below `parent` with this reference and class, or -1. */
  child(parent: number, via: string, name: string): number;
  /** The group in which the object with this id is alone, or -1. */
  groupOf(id: number): number;
}

/** Builds the path tree, which keeps nothing that is as large as the snapshot. `known` has one bit per id of an object that an earlier snapshot has. */
export function buildPathTree(
  graph: HeapGraph,
  names: Names,
  known: Uint32Array = new Uint32Array(),
): PathTree {
  const labels = new Numbers();
  const classes = new Numbers();
  const found = graph.groupPaths(namingOf(graph, names, labels, classes), known);
  const alone = new Map<number, number>();
  const children = new Map<string, number>();
  const groups = found.parents.map((parent, group): PathGroup => {
    const count = found.counts[group] as number;
    const sample = found.samples[group] as number;
    const label = found.labels[group] as number;
    const cls = found.classes[group] as number;
    if (count === 1) alone.set(graph.nodeId(sample), group);
    children.set(`${parent} ${label} ${cls}`, group);
    return {
      parent,
      via: labels.texts[label] ?? '',
      name: classes.texts[cls] ?? 'root',
      count,
      fresh: found.fresh[group] as number,
      bytes: found.bytes[group] as number,
      knownBytes: found.knownBytes[group] as number,
      sample,
    };
  });
  return {
    groups,
    groupOf: (id) => alone.get(id) ?? -1,
    child: (parent, via, name) => children.get(`${parent} ${labels.find(via)} ${classes.find(name)}`) ?? -1,
  };
}

/** Texts and their numbers. */
class Numbers {
  readonly texts: string[] = [];
  readonly #numbers = new Map<string, number>();

  of(text: string): number {
    let found = this.#numbers.get(text);
    if (found === undefined) {
      found = this.texts.length;
      this.#numbers.set(text, found);
      this.texts.push(text);
    }
    return found;
  }

  /** The number of a text that has one, or -1. */
  find(text: string): number {
    return this.#numbers.get(text) ?? -1;
  }
}

function namingOf(graph: HeapGraph, names: Names, labels: Numbers, classes: Numbers): PathNaming {
  return {
    text: classes.of('(string)'),
    element: labels.of('[x]'),
    internal: labels.of('internal'),
    dictionaryEdges,
    reference(from, edge) {
      const name = String(graph.edgeName(edge));
      if (graph.edgeType(edge) === 'context') return labels.of(`variable ${name}`);
      return labels.of(names.isStructural(from, edge, name) ? name : '[key]');
    },
    // What V8 keeps for an object is named by what the object is.
    inside(owner) {
      const name = graph.nodeName(owner);
      return labels.of(name === 'Array' ? '[x]' : /(?:Map|Set)$/.test(name) ? 'entry' : 'internal');
    },
    classOf(node) {
      const type = graph.nodeType(node);
      const name = names.className(type, graph.nodeName(node));
      return classes.of(type === 'closure' ? `${name}()` : name === '' ? 'Object' : name);
    },
  };
}
