import { nameBits, nameMask, typeMask, weakBit } from '../columns.ts';
import { beginPaths, buckets, pop, push, stepCost, type PathJob } from './paths.ts';
import { hasBit, setBit } from './rows.ts';
import { act, costMask, visibleBit, type SurveyNodes } from './survey.ts';

type Words = Uint32Array;

/** What a name is asked for; the key of an answer is 16 times the name, plus one of these. */
export const ask = {
  /** The class of an object, of a function, of any other node that can be seen. */
  object: 1,
  closure: 2,
  other: 3,
  /** The label of a property; where properties may be content; of a variable; of what V8 keeps for an object of this name. */
  property: 4,
  content: 5,
  variable: 6,
  inside: 7,
} as const;

/**
 * The record of a vertex has three words, so that most lie in one line of the cache. The first has these marks; below them what it costs a
 * path to enter the vertex; lowest its class and, once a path has reached it, its group. The second is 1 more than the label that waits for
 * the next visible vertex, or 0. The third is the edge by which the vertex is reached.
 */
export const recordWords = 3;
export const mark = {
  plain: 0x0400_0000,
  known: 0x0800_0000,
  scope: 0x1000_0000,
  visible: 0x2000_0000,
} as const;
const costShift = 20;
/** Classes and groups stay below this. */
export const groupMask = 0x000f_ffff;
/** Objects deeper than this many groups reach count for the group above them. */
export const mostGroups = 400_000;
const longestPeriod = 3;
/** How a repeated reference is found: in a hash table with at least twice as many slots as there may be groups. */
export const slotsFor = (groups: number): number => 2 ** Math.ceil(Math.log2(2 * groups + 2));

/** Words that the groups of a snapshot need at most. */
export function groupWords(nodeCount: number): number {
  const most = Math.min(mostGroups, nodeCount + 1);
  return 11 * most + slotsFor(most) + 16;
}

/** Answers by key: pairs of 1 more than the key, 0 where free, and the answer. It is never more than half full. */
export interface Answers {
  readonly pairs: Words;
  used: number;
}

export function answer({ pairs }: Answers, key: number): number {
  const slots = pairs.length / 2;
  for (let at = (Math.imul(key, 0x9e37_79b1) >>> 8) & (slots - 1); ; at = (at + 1) & (slots - 1)) {
    const found = pairs[2 * at] as number;
    if (found === key + 1) return pairs[2 * at + 1] as number;
    if (found === 0) return unknown;
  }
}

/** Stands for an answer that is not known yet. */
const unknown = 0xffff_ffff;

/** Enters an answer. A table that is half full begins anew, and is asked again for what is still needed. */
export function teach(answers: Answers, key: number, value: number): void {
  const { pairs } = answers;
  const slots = pairs.length / 2;
  if (answers.used >= slots / 2) {
    pairs.fill(0);
    answers.used = 0;
  }
  let at = (Math.imul(key, 0x9e37_79b1) >>> 8) & (slots - 1);
  while (pairs[2 * at] !== 0) at = (at + 1) & (slots - 1);
  pairs[2 * at] = key + 1;
  pairs[2 * at + 1] = value;
  answers.used++;
}

/** What the search with groups works on. */
export interface GroupJob {
  readonly nodes: SurveyNodes;
  readonly search: PathJob;
  readonly order: Words;
  readonly objectName: number;
  readonly emptyName: number;
  /** The name of hidden nodes that are scopes. */
  readonly scopeName: number;
  readonly ids: Words;
  /** One bit per id of an object that an earlier snapshot has. */
  readonly known: Words;
  readonly edgeWords: Words;
  readonly answers: Answers;
  /** The class of all text, and the labels of an array's slot and of a reference without a name. */
  readonly text: number;
  readonly element: number;
  readonly internal: number;
  /** Types of edges. */
  readonly property: number;
  readonly variable: number;
  readonly slot: number;
  /** A node with more references than this has properties that may be content. */
  readonly dictionaryEdges: number;
  /** `recordWords` for each vertex. */
  readonly records: Words;
  readonly groups: GroupColumns;
}

/** One entry per group, in the order in which they are found. */
export interface GroupColumns {
  readonly parents: Words;
  readonly labels: Words;
  readonly classes: Words;
  readonly counts: Words;
  readonly fresh: Words;
  /** The vertex that stands for the group. */
  readonly samples: Words;
  /** 1 more than the place of the group in the order of cost; 0 until the first of its objects is settled. */
  readonly places: Words;
  readonly bytes: Float64Array;
  readonly knownBytes: Float64Array;
  /** Hash table: 1 more than the group, 0 where free. */
  readonly slots: Words;
  count: number;
  most: number;
  /** How many groups have a place. */
  placed: number;
}

/** Begins with the group of the root, vertex 0. */
export function beginGroups({ groups, records, search }: GroupJob): void {
  groups.slots.fill(0);
  groups.count = 0;
  addGroup(groups, 0, unknown, unknown);
  groups.counts[0] = 1;
  groups.samples[0] = 0;
  groups.places[0] = 1;
  groups.placed = 1;
  records[0] = (records[0] as number) & mark.plain;
  records[1] = 0;
  records[2] = noEdge;
  beginPaths(search);
}

function addGroup(groups: GroupColumns, parent: number, label: number, cls: number): number {
  const group = groups.count++;
  groups.parents[group] = parent;
  groups.labels[group] = label;
  groups.classes[group] = cls;
  groups.counts[group] = 0;
  groups.fresh[group] = 0;
  groups.places[group] = 0;
  groups.bytes[group] = 0;
  groups.knownBytes[group] = 0;
  return group;
}

/** Writes class and marks of every vertex, from node `first` on; stops at a node of which an answer is missing, and returns it. */
export function classWords(job: GroupJob, first: number): number {
  const { nodes, order, ids, known, answers, text, records, search } = job;
  const { count, kind, acts } = nodes;
  for (let n = first; n < count; n++) {
    const i = order[n] as number;
    const does = acts[(kind[n] as number) & typeMask] as number;
    const role = search.roles[i] as number;
    let word: number = mark.visible;
    const name = nameOf(job, n);
    if ((role & visibleBit) === 0) word = name === job.scopeName ? mark.scope : 0;
    else if (does >= act.string && does <= act.slice) word |= text;
    else {
      const found = answer(answers, classKeyOf(job, n));
      if (found === unknown) return n;
      word |= found;
    }
    // Properties of what has no class of its own may be content.
    if (name === job.objectName || name === job.emptyName) word |= mark.plain;
    const id = ids[n] as number;
    if ((((known[id >>> 5] ?? 0) >>> (id & 31)) & 1) === 1) word |= mark.known;
    records[recordWords * i] = word | (stepCost(role) << costShift);
  }
  return count;
}

/** The name that a node bears. */
function nameOf({ nodes: { name, plain }, objectName }: GroupJob, n: number): number {
  return hasBit(plain, n) ? objectName : (name[n] as number);
}

/** The key of what has to be known of a visible node to tell its class. */
export function classKeyOf(job: GroupJob, n: number): number {
  const { kind, acts } = job.nodes;
  const index = nameOf(job, n);
  const does = acts[(kind[n] as number) & typeMask] as number;
  if (does === act.closure) return 16 * index + ask.closure;
  return 16 * index + (does === act.object || does === act.native ? ask.object : ask.other);
}

/** Where a search with groups goes on. */
export interface GroupState {
  now: number;
  waiting: number;
  /** How many vertices are settled in one go where that matters. */
  step: number;
  /** The vertex whose edges are looked at, and the edge for which an answer is missing; `noEdge` when there is none. */
  vertex: number;
  edge: number;
  /** The key of that answer. */
  key: number;
}

/**
 * Finds the cheapest paths from the root to all vertices, as `cheapestPaths` does, and the group of each vertex on the way. Returns when an
 * answer is missing, and goes on from there when it is called again; over when nothing waits and `edge` is `noEdge`.
 */
export function groupedPaths(job: GroupJob, state: GroupState): void {
  const { nodes, search, records, groups } = job;
  const { firstEdge, to, vertex, reached, pool } = search;
  while (state.waiting > 0 || state.edge !== noEdge) {
    let i = state.vertex;
    let e = state.edge;
    if (e === noEdge) {
      while (pool[state.now % buckets] === 0) state.now++;
      i = pop(pool, state.now % buckets);
      state.waiting--;
      const v = vertex[i] as number;
      if (i !== 0) settle(groups, records[recordWords * i] as number, i, nodes.size[v] as number);
      e = firstEdge[v] as number;
    }
    const v = vertex[i] as number;
    const owner = (records[recordWords * i] as number) & groupMask;
    const open = records[recordWords * i + 1] as number;
    state.edge = noEdge;
    for (const end = firstEdge[v + 1] as number; e < end; e++) {
      const j = to[e] as number;
      if (j >= weakBit || hasBit(reached, j)) continue;
      const at = recordWords * j;
      const word = records[at] as number;
      const label = open > 0 ? open - 1 : labelOf(job, state, i, e, word);
      if (label === unknown) {
        state.vertex = i;
        state.edge = e;
        return;
      }
      setBit(reached, j);
      push(pool, (state.now + ((word >>> costShift) & costMask)) % buckets, j);
      state.waiting++;
      if (word < mark.visible) {
        records[at] = owner | (word & (mark.known | mark.plain));
        // Which variable of a scope it is, the reference out of the scope says.
        records[at + 1] = (word & mark.scope) === 0 ? label + 1 : 0;
      } else {
        records[at] =
          groupOf(groups, owner, label, word & groupMask) | (word & (mark.visible | mark.known | mark.plain));
        records[at + 1] = 0;
      }
      records[at + 2] = e;
    }
  }
}

/** Stands for no edge. Edges are fewer: V8 keeps both as integers. */
export const noEdge = 0x7fff_ffff;

/** The label of an edge of vertex `i` to one with this word; `unknown` when it has to be asked for. */
function labelOf(job: GroupJob, state: GroupState, i: number, e: number, word: number): number {
  const { edgeWords, answers, search, records } = job;
  const type = (edgeWords[e] as number) >>> nameBits;
  if (type === job.slot) return job.element;
  const v = search.vertex[i] as number;
  if (type === job.property || type === job.variable) {
    let kind: number = ask.variable;
    if (type === job.property) {
      kind = ask.property;
      const edges = (search.firstEdge[v + 1] as number) - (search.firstEdge[v] as number);
      const own = records[recordWords * i] as number;
      if (edges > job.dictionaryEdges || (own & mark.plain) !== 0) kind = ask.content;
    }
    state.key = ((edgeWords[e] as number) & nameMask) * 16 + kind;
  } else if (word >= mark.visible) return job.internal;
  else state.key = 16 * nameOf(job, v) + ask.inside;
  return answer(answers, state.key);
}

/**
 * The group of what hangs below a group by this label and class. A reference that repeats the ones above it stays in their group, when what
 * leads to it repeats, too: the steps of the entries of a list are no entries.
 */
function groupOf(groups: GroupColumns, owner: number, label: number, cls: number): number {
  const { parents, labels, classes, slots } = groups;
  let above = owner;
  for (let period = 1; period <= longestPeriod && above > 0; period++) {
    const before = parents[above] as number;
    const isAgain = period === 1 || (labels[before] === labels[owner] && classes[before] === classes[owner]);
    if (isAgain && labels[above] === label && classes[above] === cls) return above;
    above = before;
  }
  const mixed = Math.imul(Math.imul(owner, 0x9e37_79b1) ^ label, 0x85eb_ca6b) ^ cls;
  const hash = Math.imul(mixed ^ (mixed >>> 15), 0xc2b2_ae35) >>> 8;
  for (let slot = hash & (slots.length - 1); ; slot = (slot + 1) & (slots.length - 1)) {
    const group = (slots[slot] as number) - 1;
    if (group < 0) {
      if (groups.count >= groups.most) return owner;
      slots[slot] = groups.count + 1;
      return addGroup(groups, owner, label, cls);
    }
    if (parents[group] === owner && labels[group] === label && classes[group] === cls) return group;
  }
}

/**
 * Counts a vertex whose turn has come. The last fresh one stands for its group, or the last where none is fresh. Its own bytes are added,
 * but not those of the largest sizes, which are kept apart.
 */
function settle(groups: GroupColumns, word: number, i: number, own: number): void {
  const { bytes, knownBytes, counts, fresh, samples, places } = groups;
  const group = word & groupMask;
  const isKnown = (word & mark.known) !== 0;
  if (own !== 0xffff_ffff) {
    bytes[group] = (bytes[group] as number) + own;
    if (isKnown) knownBytes[group] = (knownBytes[group] as number) + own;
  }
  if (word < mark.visible) return;
  if (places[group] === 0) places[group] = ++groups.placed;
  counts[group] = (counts[group] as number) + 1;
  if (!isKnown) fresh[group] = (fresh[group] as number) + 1;
  else if (fresh[group] !== 0) return;
  samples[group] = i;
}
