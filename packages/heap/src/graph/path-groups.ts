import {
  ask,
  beginGroups,
  classKeyOf,
  groupMask,
  mark,
  mostGroups,
  noEdge,
  recordWords,
  slotsFor,
  teach,
  type GroupColumns,
  type GroupJob,
} from '../kernel/typescript/path-groups.ts';
import { firstStep } from '../kernel/wasm-call.ts';
import { hasBit } from '../kernel/typescript/rows.ts';
import { sourceOf } from '../kernel/columns.ts';
import type { Hop } from './path-search.ts';
import type { DominatorTree } from './dominator-tree.ts';
import type { EdgeNameColumn, IdColumn } from './row-file.ts';
import type { Scan } from './scan.ts';
import { surveyNodesOf } from './survey.ts';

/** How references and classes are told apart. Every method is asked once per name, not once per object. */
export interface PathNaming {
  /** A number for the name of a reference by property or variable. */
  readonly reference: (from: number, edge: number) => number;
  /** A number for what V8 keeps for an object with the name of this one. */
  readonly inside: (owner: number) => number;
  /** A number for the class of a node. */
  readonly classOf: (node: number) => number;
  /** The class of all text. */
  readonly text: number;
  /** The numbers of an array's slot, and of a reference that has no name. */
  readonly element: number;
  readonly internal: number;
  /** A node with more references than this has properties that may be content. */
  readonly dictionaryEdges: number;
}

/** The cheapest path to every node; that to what nothing holds has no references, as that to the root. */
export interface PathForest {
  pathTo(node: number): Hop[];
}

/** Objects by the path to them: one entry per group in every list, in the order of cost; the root's is the first. */
export interface PathGroups {
  readonly parents: readonly number[];
  readonly labels: readonly number[];
  readonly classes: readonly number[];
  readonly counts: readonly number[];
  /** Objects that are not among the ids given. */
  readonly fresh: readonly number[];
  /** Own bytes of the objects and of what V8 keeps for them. */
  readonly bytes: readonly number[];
  /** The part of the bytes whose ids are among those given. */
  readonly knownBytes: readonly number[];
  /** The last object in the order of cost, of the fresh ones where there are any. */
  readonly samples: readonly number[];
}

const mostAnswers = 2 ** 18;

/**
 * Finds the cheapest path to every object and groups the objects by the references and classes on it. A reference that repeats the ones above it stays in their group, so that a list is one group. `known` has one bit per
 * object id. The rows of the snapshot have to be kept. Overwrites the regions `sources`, `path`,
 * `seen` and `groups`; the paths can be kept until then.
 */
export function groupPaths(
  scan: Scan,
  tree: DominatorTree,
  roles: Uint8Array,
  naming: PathNaming,
  known: Uint32Array,
): PathGroups {
  const job = jobOf(scan, tree, roles, naming, known);
  const { kernel } = scan;
  for (let node = 0; (node = kernel.classWords(job, node)) < scan.columns.nodeCount;) {
    teach(job.answers, classKeyOf(job, node), Math.min(naming.classOf(node), groupMask));
  }
  beginGroups(job);
  const state = { now: 0, waiting: 1, step: firstStep, vertex: 0, edge: noEdge, key: 0 };
  do {
    kernel.groupedPaths(job, state);
    if (state.edge !== noEdge) {
      const from = tree.vertex[state.vertex] as number;
      teach(job.answers, state.key, answerOf(naming, state.key % 16, from, state.edge));
    }
  } while (state.edge !== noEdge || state.waiting > 0);
  addLargeSizes(job, scan);
  return inOrderOfCost(job);
}

function answerOf(naming: PathNaming, asked: number, from: number, edge: number): number {
  return asked === ask.inside ? naming.inside(from) : naming.reference(from, edge);
}

function jobOf(
  scan: Scan,
  tree: DominatorTree,
  roles: Uint8Array,
  naming: PathNaming,
  known: Uint32Array,
): GroupJob {
  const { columns, space, names, layout } = scan;
  const { nodeCount, firstEdge, to } = columns;
  space.users.sources = null;
  space.users.path = null;
  const nodes = surveyNodesOf(scan, tree);
  const records = space.sources.subarray(0, recordWords * nodeCount);
  const rest = space.sources.subarray(records.length, space.sources.length - tableWords);
  const slots = Math.min(mostAnswers, 2 ** Math.floor(Math.log2(rest.length / 4)));
  const types = ['property', 'context', 'element'].map((type) => layout.edgeTypes.indexOf(type));
  return {
    nodes,
    search: {
      firstEdge,
      to,
      vertex: tree.vertex,
      roles,
      reached: space.seen.fill(0),
      pool: space.path,
    },
    order: tree.order,
    objectName: names.object,
    emptyName: names.empty,
    scopeName: names.context,
    ids: (scan.ids as IdColumn).words,
    known: within(rest.subarray(2 * slots), known),
    edgeWords: (scan.edgeNames as EdgeNameColumn).words,
    answers: { pairs: rest.subarray(0, 2 * slots).fill(0), used: 0 },
    text: naming.text,
    element: naming.element,
    internal: naming.internal,
    property: types[0] as number,
    variable: types[1] as number,
    slot: types[2] as number,
    dictionaryEdges: naming.dictionaryEdges,
    records,
    groups: columnsIn(space.groups, nodeCount),
  };
}

/** Words at the end of the region `sources` that hold the table by type. */
const tableWords = 16;

/** The words in the memory of the kernel, where there is room for them. */
function within(room: Uint32Array, words: Uint32Array): Uint32Array {
  if (words.length > room.length) return words;
  room.set(words);
  return room.subarray(0, words.length);
}

function columnsIn(region: Uint32Array, nodeCount: number): GroupColumns {
  const most = Math.min(mostGroups, nodeCount + 1);
  const slots = slotsFor(most);
  let at = 0;
  const words = (length: number): Uint32Array => region.subarray(at, (at += length));
  const floats = (): Float64Array => {
    const part = words(2 * most);
    return new Float64Array(part.buffer, part.byteOffset, most);
  };
  return {
    bytes: floats(),
    knownBytes: floats(),
    parents: words(most),
    labels: words(most),
    classes: words(most),
    counts: words(most),
    fresh: words(most),
    samples: words(most),
    places: words(most),
    slots: words(slots),
    count: 0,
    most,
    placed: 0,
  };
}

function addLargeSizes({ order, records, groups, search }: GroupJob, { columns }: Scan): void {
  for (const [node, bytes] of columns.largeSizes) {
    const i = order[node] as number;
    if (!hasBit(search.reached, i)) continue;
    const word = records[recordWords * i] as number;
    const group = word & groupMask;
    groups.bytes[group] = (groups.bytes[group] as number) + bytes;
    if ((word & mark.known) !== 0) groups.knownBytes[group] = (groups.knownBytes[group] as number) + bytes;
  }
}

/** The groups in the order of cost, without the memory that they were found in. */
function inOrderOfCost({ groups, search }: GroupJob): PathGroups {
  const found = new Uint32Array(groups.placed);
  for (let group = 0; group < groups.count; group++) {
    const place = groups.places[group] as number;
    if (place > 0) found[place - 1] = group;
  }
  const inOrder = (of: Uint32Array | Float64Array): number[] =>
    Array.from(found, (group) => of[group] as number);
  return {
    parents: inOrder(groups.parents).map((parent, k) =>
      k === 0 ? -1 : (groups.places[parent] as number) - 1,
    ),
    labels: inOrder(groups.labels),
    classes: inOrder(groups.classes),
    counts: inOrder(groups.counts),
    fresh: inOrder(groups.fresh),
    bytes: inOrder(groups.bytes),
    knownBytes: inOrder(groups.knownBytes),
    samples: inOrder(groups.samples).map((i) => search.vertex[i] as number),
  };
}

/** The paths that the last `groupPaths` found, as long as nothing else has used its regions. */
export function forestOf({ columns, space }: Scan, { order }: DominatorTree): PathForest {
  const edgeTo = (i: number): number =>
    hasBit(space.seen, i) ? (space.sources[recordWords * i + 2] as number) : noEdge;
  return {
    pathTo(node) {
      const hops: Hop[] = [];
      let i = order[node] as number;
      for (let to = node, edge = edgeTo(i); edge !== noEdge; edge = edgeTo(i)) {
        const from = sourceOf(columns, edge);
        hops.push({ from, edge, to });
        to = from;
        i = order[from] as number;
      }
      return hops.toReversed();
    },
  };
}
