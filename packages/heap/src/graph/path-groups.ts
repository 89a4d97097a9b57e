import { act, visibleBit } from '../kernel/typescript/survey.ts';
import { hasBit } from '../kernel/typescript/rows.ts';
import { sizeOf, typeMask } from '../kernel/columns.ts';
import type { DominatorTree } from './dominator-tree.ts';
import { noEdge, type PathForest } from './path-search.ts';
import type { Scan } from './scan.ts';
import { actsOf } from './survey.ts';

/** How references and classes are told apart. Every method is asked once per name, not once per object. */
export interface PathNaming {
  /** A number for the name of a reference by property or variable. */
  readonly reference: (from: number, edge: number) => number;
  /** A number for what V8 keeps for an object with the name of this one. */
  readonly inside: (owner: number) => number;
  /** A number below 2 ** 26 for the class of a node. */
  readonly classOf: (node: number) => number;
  /** True when names of this node's properties may be content, by its name. */
  readonly isPlain: (node: number) => boolean;
  /** The numbers of an array's slot, and of a reference that has no name. */
  readonly element: number;
  readonly internal: number;
  /** A node with more references than this has properties that may be content. */
  readonly dictionaryEdges: number;
}

/** Objects by the path to them: one entry per group in every list, and the root's is the first. A group comes after its parent. */
export interface PathGroups {
  readonly parents: readonly number[];
  readonly labels: readonly number[];
  readonly classes: readonly number[];
  readonly counts: Uint32Array;
  /** Objects that are not among the ids given. */
  readonly fresh: Uint32Array;
  /** Own bytes of the objects and of what V8 keeps for them. */
  readonly bytes: Float64Array;
  /** The part of the bytes whose ids are among those given. */
  readonly knownBytes: Float64Array;
  /** The last object in the order of cost, of the fresh ones where there are any. */
  readonly samples: Uint32Array;
  /** The group below `parent` with this label and class, or -1. */
  child(parent: number, label: number, cls: number): number;
}

const mostGroups = 400_000;
const longestPeriod = 3;

/**
 * The words of a vertex: the vertex before it on its path, the label of the reference (once the vertex has its group: 1 more than the label
 * that waits for the next visible one, or 0), its class with the marks below, and its group. One record lies in one line of the cache.
 */
const recordWords = 4;
const classMask = 0x03ff_ffff;
// All words stay below 2 ** 31, so that V8 keeps them as integers and makes no objects of them.
const knownMark = 0x0800_0000;
const scopeMark = 0x1000_0000;
const visibleMark = 0x2000_0000;
const noGroup = 0x7fff_ffff;
const groupMask = 0x000f_ffff;

/**
 * Groups all objects by the references and classes on the path to them. A reference that repeats the ones above it stays in their group, so
 * that a list is one group. `known` has one bit per object id. Overwrites the region `sources` of the workspace.
 */
export function groupPaths(
  scan: Scan,
  tree: DominatorTree,
  roles: Uint8Array,
  forest: PathForest,
  naming: PathNaming,
  known: Uint32Array,
): PathGroups {
  scan.space.users.sources = null;
  scan.space.users.path = null;
  const records = scan.space.sources.subarray(0, recordWords * scan.columns.nodeCount);
  const job = { scan, tree, roles, naming, records };
  enterClasses(job, known);
  enterReferences(job, forest);
  const groups = new Groups();
  enterGroups(job, forest, groups);
  return sumUp(job, forest, groups);
}

interface Job {
  readonly scan: Scan;
  readonly tree: DominatorTree;
  readonly roles: Uint8Array;
  readonly naming: PathNaming;
  readonly records: Uint32Array;
}

/** Writes the class and the marks of every vertex, in the order of the file. */
function enterClasses({ scan, tree, roles, naming, records }: Job, known: Uint32Array): void {
  const { columns, names, ids, strings } = scan;
  const { kind, name, plain, nodeCount } = columns;
  const { order } = tree;
  const acts = actsOf(scan);
  // By name, 1 more than the class: first of objects, then of functions.
  const byName = new Uint32Array(2 * strings.count);
  const others = new Map<number, number>();
  const scopes = new Uint8Array(strings.count);
  let text = 0;
  for (let node = 0; node < nodeCount; node++) {
    const i = order[node] as number;
    const type = (kind[node] as number) & typeMask;
    const index = hasBit(plain, node) ? names.object : (name[node] as number);
    let word = 0;
    if (((roles[i] as number) & visibleBit) === 0) {
      if (scopes[index] === 0) scopes[index] = strings.get(index) === 'system / Context' ? 2 : 1;
      if (scopes[index] === 2) word = scopeMark;
    } else {
      const does = acts[type] as number;
      if (does >= act.string && does <= act.slice) {
        if (text === 0) text = naming.classOf(node) + 1;
        word = text - 1;
      } else if (does === act.object || does === act.native || does === act.closure) {
        const key = does === act.closure ? strings.count + index : index;
        if (byName[key] === 0) byName[key] = naming.classOf(node) + 1;
        word = (byName[key] as number) - 1;
      } else {
        const key = index * 64 + type;
        let found = others.get(key);
        if (found === undefined) others.set(key, (found = naming.classOf(node)));
        word = found;
      }
      word |= visibleMark;
    }
    const id = ids.of(node);
    if ((((known[id >>> 5] ?? 0) >>> (id & 31)) & 1) === 1) word |= knownMark;
    records[recordWords * i + 2] = word;
    records[recordWords * i + 3] = noGroup;
  }
}

/** Writes the last reference of the path to each vertex, in the order of the file: near edges lie near in memory. */
function enterReferences({ scan, tree, roles, naming, records }: Job, forest: PathForest): void {
  const { columns, names, strings, edgeNames, layout } = scan;
  const { firstEdge, to, name, plain, edgeCount } = columns;
  const { order } = tree;
  const { element, internal, dictionaryEdges } = naming;
  const ends = endsOf(forest, edgeCount);
  const [property, context, slot] = ['property', 'context', 'element'].map((type) =>
    layout.edgeTypes.indexOf(type),
  );
  // By name, 1 more than the label: of properties of plain objects, of others, of variables of either.
  const byName = new Uint32Array(4 * strings.count);
  const inside = new Uint32Array(strings.count);
  const plainNames = new Uint8Array(strings.count);
  let node = 0;
  for (let word = 0; word < ends.length; word++) {
    for (let bits = ends[word] as number; bits !== 0; bits &= bits - 1) {
      const edge = word * 16 + 31 - Math.clz32(bits & -bits);
      while ((firstEdge[node + 1] as number) <= edge) node++;
      const j = (to[edge] as number) & targetMask;
      const type = edgeNames.type(edge);
      let label = element;
      if (type === property || type === context) {
        const owner = hasBit(plain, node) ? names.object : (name[node] as number);
        if (plainNames[owner] === 0) plainNames[owner] = naming.isPlain(node) ? 2 : 1;
        const edges = (firstEdge[node + 1] as number) - (firstEdge[node] as number);
        const isPlain = plainNames[owner] === 2 || edges > dictionaryEdges;
        const key = 4 * edgeNames.name(edge) + (type === context ? 2 : 0) + (isPlain ? 1 : 0);
        if (byName[key] === 0) byName[key] = naming.reference(node, edge) + 1;
        label = (byName[key] as number) - 1;
      } else if (type !== slot) {
        label = internal;
        if (((roles[j] as number) & visibleBit) === 0) {
          const owner = hasBit(plain, node) ? names.object : (name[node] as number);
          if (inside[owner] === 0) inside[owner] = naming.inside(node) + 1;
          label = (inside[owner] as number) - 1;
        }
      }
      records[recordWords * j] = order[node] as number;
      records[recordWords * j + 1] = label;
    }
  }
}

const targetMask = 0x7fff_ffff;

/** One bit per edge: set for those that a path ends with. */
function endsOf({ edges }: PathForest, edgeCount: number): Uint16Array {
  const ends = new Uint16Array((edgeCount >>> 4) + 1);
  for (let i = 1; i < edges.length; i++) {
    const edge = edges[i] as number;
    if (edge === noEdge) continue;
    ends[edge >>> 4] = (ends[edge >>> 4] as number) | (1 << (edge & 15));
  }
  return ends;
}

/** The groups that were met so far, in any order but that a group comes after its parent. */
class Groups {
  readonly parents = [-1];
  readonly labels = [-1];
  readonly classes = [-1];
  /** Hash table: 1 more than the group, 0 where free. It has twice as many slots as there may be groups. */
  readonly #slots = new Uint32Array(1 << 20);

  /** The group of what hangs below a group by this label and class. */
  of(owner: number, label: number, cls: number): number {
    let above = owner;
    for (let period = 1; period <= longestPeriod && above > 0; period++) {
      if (this.labels[above] === label && this.classes[above] === cls) return above;
      above = this.parents[above] as number;
    }
    const slot = this.#slotFor(owner, label, cls);
    const found = this.#slots[slot] as number;
    if (found > 0) return found - 1;
    // Beyond the bound a path is as long as the tree is: deeper objects count for the group above them.
    if (this.parents.length >= mostGroups) return owner;
    this.parents.push(owner);
    this.labels.push(label);
    this.classes.push(cls);
    this.#slots[slot] = this.parents.length;
    return this.parents.length - 1;
  }

  /** The group below `parent` with this label and class, or -1. */
  child(parent: number, label: number, cls: number): number {
    return (this.#slots[this.#slotFor(parent, label, cls)] as number) - 1;
  }

  /** The slot of a group, or the free one that it would take. */
  #slotFor(parent: number, label: number, cls: number): number {
    const mixed = Math.imul(Math.imul(parent, 0x9e37_79b1) ^ label, 0x85eb_ca6b) ^ cls;
    const hash = Math.imul(mixed ^ (mixed >>> 15), 0xc2b2_ae35);
    for (let slot = hash >>> 12; ; slot = (slot + 1) & 0xf_ffff) {
      const group = (this.#slots[slot] as number) - 1;
      if (group < 0) return slot;
      if (this.parents[group] === parent && this.labels[group] === label && this.classes[group] === cls)
        return slot;
    }
  }
}

/**
 * Gives each vertex its group, in the order of their numbers: a path leads mostly through near ones. A vertex whose path leads through one
 * that has no group yet waits for that.
 */
function enterGroups({ records }: Job, { edges }: PathForest, groups: Groups): void {
  const waiting: number[] = [];
  let lastOwner = -1;
  let lastLabel = -1;
  let lastClass = -1;
  let group = -1;
  records[1] = 0;
  records[3] = 0;
  for (let next = 1; next < edges.length; next++) {
    if (edges[next] === noEdge) continue;
    for (let i = next; records[recordWords * i + 3] === noGroup; i = records[recordWords * i] as number)
      waiting.push(i);
    while (waiting.length > 0) {
      const at = recordWords * (waiting.pop() as number);
      const above = recordWords * (records[at] as number);
      const owner = records[above + 3] as number;
      const open = records[above + 1] as number;
      const label = open > 0 ? open - 1 : (records[at + 1] as number);
      const word = records[at + 2] as number;
      if (word < visibleMark) {
        records[at + 3] = owner;
        // Which variable of a scope it is, the reference out of the scope says.
        records[at + 1] = (word & scopeMark) !== 0 ? 0 : label + 1;
        continue;
      }
      const cls = word & classMask;
      // Neighbours are mostly of one group.
      if (owner !== lastOwner || label !== lastLabel || cls !== lastClass) {
        group = groups.of(owner, label, cls);
        lastOwner = owner;
        lastLabel = label;
        lastClass = cls;
      }
      records[at + 3] = group;
      records[at + 1] = 0;
    }
  }
}

/** Counts objects and bytes, and numbers the groups in the order of cost. */
function sumUp({ scan, tree, records }: Job, { vertices }: PathForest, groups: Groups): PathGroups {
  const { vertex } = tree;
  const count = groups.parents.length;
  // By group as it was found: its number, 1 more.
  const numbers = new Uint32Array(count);
  const found = new Uint32Array(count);
  const counts = new Uint32Array(count);
  const fresh = new Uint32Array(count);
  const samples = new Uint32Array(count);
  const bytes = new Float64Array(count);
  const knownBytes = new Float64Array(count);
  let met = 1;
  numbers[0] = 1;
  counts[0] = 1;
  samples[0] = 0;
  const brief = scan.space.path;
  for (let i = 0; i < scan.columns.nodeCount; i++) {
    const at = recordWords * i;
    const word = records[at + 2] as number;
    brief[i] = ((records[at + 3] as number) & groupMask) | (word & (visibleMark | knownMark));
  }
  for (let k = 1; k < vertices.length; k++) {
    const i = vertices[k] as number;
    const word = brief[i] as number;
    if (word < visibleMark) continue;
    const group = word & groupMask;
    let number = (numbers[group] as number) - 1;
    if (number < 0) {
      number = met++;
      numbers[group] = met;
      found[number] = group;
    }
    counts[number] = (counts[number] as number) + 1;
    if ((word & knownMark) !== 0) {
      if (fresh[number] === 0) samples[number] = i;
    } else {
      fresh[number] = (fresh[number] as number) + 1;
      samples[number] = i;
    }
  }
  const { columns, layout } = scan;
  const { order } = tree;
  for (let node = 0; node < columns.nodeCount; node++) {
    const word = brief[order[node] as number] as number;
    const group = word & groupMask;
    if (group === groupMask || node === layout.rootNode) continue;
    const number = (numbers[group] as number) - 1;
    const own = sizeOf(columns, node);
    bytes[number] = (bytes[number] as number) + own;
    if ((word & knownMark) !== 0) knownBytes[number] = (knownBytes[number] as number) + own;
  }
  const inOrder = (of: readonly number[]): number[] => Array.from(found, (group) => of[group] as number);
  return {
    parents: inOrder(groups.parents).map((parent) => (parent < 0 ? -1 : (numbers[parent] as number) - 1)),
    labels: inOrder(groups.labels),
    classes: inOrder(groups.classes),
    counts,
    fresh,
    bytes,
    knownBytes,
    samples: samples.map((i) => vertex[i] as number),
    child: (parent, label, cls) => {
      const group = groups.child(found[parent] as number, label, cls);
      return group < 0 ? -1 : (numbers[group] as number) - 1;
    },
  };
}
