import { nameBits, nameMask, typeMask, weakBit } from '../columns.ts';
import { clearBit, hasBit, setBit } from './rows.ts';

type Words = Uint32Array;

/** What a survey does with a node, by type. */
export const act = {
  nothing: 0,
  object: 1,
  native: 2,
  code: 3,
  closure: 4,
  string: 5,
  rope: 6,
  slice: 7,
  synthetic: 8,
  shape: 9,
} as const;

/** What a name says about the nodes that bear it; one bit each. */
export const trait = {
  hiddenObject: 1,
  hiddenNative: 2,
  own: 4,
  array: 8,
  codeOwner: 16,
  marker: 32,
  context: 64,
} as const;

/** The lists of a survey. */
export const list = { wide: 1, functions: 2, big: 3, marker: 4, synthetic: 5 } as const;

export const visibleBit = 0x40;
export const prototypeBit = 0x80;
export const costMask = 0x3f;
/** What it costs a path to enter an object of Plimsoll. */
const ownCost = 50;
/** Fewest references of a node that may be a collection. */
export const fewestEntries = 20;
/** Most functions of an array that is no suspiciously long list of listeners. */
export const mostListeners = 10;
const leastBig = 64 * 1024;
const targetMask = 0x7fff_ffff;

/** What the passes over all nodes look at. */
export interface SurveyNodes {
  readonly count: number;
  readonly kind: Uint8Array;
  readonly name: Words;
  readonly plain: Uint8Array;
  readonly size: Words;
  readonly firstEdge: Words;
  readonly to: Words;
  readonly vertex: Words;
  /** One of `act` by node type. */
  readonly acts: Uint8Array;
}

/** Marks the names that objects (but plain ones), native nodes and code bear. */
export function usedNames(job: SurveyNodes, used: Uint8Array): void {
  const { count, kind, name, plain, acts } = job;
  for (let n = 0; n < count; n++) {
    const does = acts[(kind[n] as number) & typeMask] as number;
    if (does < act.object || does > act.code || (does === act.object && hasBit(plain, n))) continue;
    setBit(used, name[n] as number);
  }
}

export interface RoleJob extends SurveyNodes {
  /** String index of "Object", the name of plain objects. */
  readonly objectName: number;
  readonly order: Words;
  readonly retained: Uint32Array | Float64Array;
  /** Bytes that the targets of a collection keep alive at least. */
  readonly least: number;
  /** Role by node type. */
  readonly defaults: Uint8Array;
  /** Bits of `trait` by string index. */
  readonly traits: Uint8Array;
  /** One bit per string. */
  readonly inCode: Uint8Array;
  /** Role by preorder number, zeroed. */
  readonly roles: Uint8Array;
  /** Pairs of node and list. */
  readonly notes: Words;
}

/** Gives every node its role and notes those that belong on a list; returns the words of `notes` in use. */
export function surveyNodes(job: RoleJob): number {
  const { count, kind, name, plain, size, firstEdge, order, acts, defaults, traits, roles, notes } = job;
  let at = 0;
  const note = (node: number, which: number): void => {
    notes[at++] = node;
    notes[at++] = which;
  };
  for (let n = 0; n < count; n++) {
    const type = (kind[n] as number) & typeMask;
    const does = acts[type] as number;
    let role = defaults[type] as number;
    let said = 0;
    const edges = (firstEdge[n + 1] as number) - (firstEdge[n] as number);
    if (at + 8 > notes.length) break;
    if (does <= act.code) {
      if ((size[n] as number) >= leastBig) note(n, list.big);
      if (does !== act.nothing) {
        said = traits[
          does === act.object && hasBit(plain, n) ? job.objectName : (name[n] as number)
        ] as number;
      }
      if (said !== 0) role = named(job, n, does, said, role, edges, note);
    } else if (does === act.shape) markPrototypes(job, n);
    else if (does === act.synthetic) note(n, list.synthetic);
    if (
      edges >= fewestEntries &&
      does !== act.code &&
      does !== act.shape &&
      (said & trait.context) === 0 &&
      keptBy(job, n) >= job.least
    ) {
      note(n, list.wide);
    }
    const i = order[n] as number;
    roles[i] = (roles[i] as number) | role;
  }
  return at;
}

/** What the name of a node adds to its role, and which lists it belongs to. */
function named(
  job: RoleJob,
  n: number,
  does: number,
  said: number,
  role: number,
  edges: number,
  note: (node: number, which: number) => void,
): number {
  if (does === act.code) {
    if ((said & trait.codeOwner) !== 0) namesIn(job, n);
    return role;
  }
  if (does === act.native) return (said & trait.hiddenNative) === 0 ? role : role & costMask;
  if ((said & trait.marker) !== 0) note(n, list.marker);
  if ((said & trait.array) !== 0 && edges > mostListeners && functionsIn(job, n) > mostListeners) {
    note(n, list.functions);
  }
  if ((said & trait.own) !== 0) return ownCost | visibleBit;
  return (said & trait.hiddenObject) === 0 ? role : role & costMask;
}

/** Bytes that the targets of a node keep alive, each as often as it is referred to. */
function keptBy({ firstEdge, to, retained }: RoleJob, n: number): number {
  let sum = 0;
  for (let e = firstEdge[n] as number, end = firstEdge[n + 1] as number; e < end; e++) {
    const j = to[e] as number;
    if (j < weakBit) sum += retained[j] as number;
  }
  return sum;
}

function functionsIn({ firstEdge, to, kind, vertex, acts }: RoleJob, n: number): number {
  let count = 0;
  for (let e = firstEdge[n] as number, end = firstEdge[n + 1] as number; e < end; e++) {
    const target = vertex[(to[e] as number) & targetMask] as number;
    if (acts[(kind[target] as number) & typeMask] === act.closure) count++;
  }
  return count;
}

function namesIn({ firstEdge, to, kind, vertex, acts, name, inCode }: RoleJob, n: number): void {
  for (let e = firstEdge[n] as number, end = firstEdge[n + 1] as number; e < end; e++) {
    const target = vertex[(to[e] as number) & targetMask] as number;
    if (acts[(kind[target] as number) & typeMask] === act.string) setBit(inCode, name[target] as number);
  }
}

/** The objects that a shape refers to are prototypes; its constructor is a function. */
function markPrototypes({ firstEdge, to, kind, vertex, acts, roles }: RoleJob, n: number): void {
  for (let e = firstEdge[n] as number, end = firstEdge[n + 1] as number; e < end; e++) {
    const j = (to[e] as number) & targetMask;
    if (acts[(kind[vertex[j] as number] as number) & typeMask] === act.object)
      roles[j] = (roles[j] as number) | prototypeBit;
  }
}

/** Counts the nodes of each text by string index; returns how many ropes there are, and their bytes. */
export function countTexts(
  job: SurveyNodes,
  string: number,
  rope: number,
  counts: Words,
): { count: number; bytes: number } {
  const { count, kind, name, size } = job;
  const ropes = { count: 0, bytes: 0 };
  for (let n = 0; n < count; n++) {
    const type = (kind[n] as number) & typeMask;
    if (type === string) counts[name[n] as number] = (counts[name[n] as number] as number) + 1;
    else if (type === rope) {
      ropes.count++;
      ropes.bytes += size[n] as number;
    }
  }
  return ropes;
}

/** Lists the texts that slices are of, one entry per slice, as preorder numbers, and marks them; returns the length of the list. */
export function slicedTexts(job: SurveyNodes, pinned: Uint8Array, found: Words): number {
  const { count, kind, firstEdge, to, vertex, acts } = job;
  let at = 0;
  for (let n = 0; n < count; n++) {
    if (acts[(kind[n] as number) & typeMask] !== act.slice) continue;
    for (let e = firstEdge[n] as number, end = firstEdge[n + 1] as number; e < end; e++) {
      const j = (to[e] as number) & targetMask;
      const does = acts[(kind[vertex[j] as number] as number) & typeMask] as number;
      if (does < act.string || does > act.slice) continue;
      setBit(pinned, j);
      found[at++] = j;
      break;
    }
  }
  return at;
}

/** Takes the mark from every vertex that a node other than a slice retains. */
export function unpin(job: SurveyNodes, pinned: Uint8Array): void {
  const { count, kind, firstEdge, to, acts } = job;
  for (let n = 0; n < count; n++) {
    if (acts[(kind[n] as number) & typeMask] === act.slice) continue;
    for (let e = firstEdge[n] as number, end = firstEdge[n + 1] as number; e < end; e++) {
      const j = to[e] as number;
      if (j < weakBit) clearBit(pinned, j);
    }
  }
}

/** Lists the edges that retain a marked vertex, as many as the list takes; returns how many. */
export function edgesInto(edgeCount: number, to: Words, wanted: Uint8Array, found: Words): number {
  let at = 0;
  for (let e = 0; e < edgeCount && at < found.length; e++) {
    const j = to[e] as number;
    if (j < weakBit && hasBit(wanted, j)) found[at++] = e;
  }
  return at;
}

/** Names of edges by string. */
export interface EdgeNameJob {
  readonly count: number;
  readonly name: Words;
  readonly firstEdge: Words;
  /** Type and name of each edge, as in `EdgeNameColumn`. */
  readonly words: Words;
  /** Properties of nodes with one of these two names may be content, and those of a node with more edges than `most`. */
  readonly object: number;
  readonly empty: number;
  readonly most: number;
  /** By twice the type, and 1 more where a property may be content: one bit, or 0 where the name is no string. */
  readonly bits: Words;
  /** By string, the bits of the edges that it names. */
  readonly seen: Words;
}

/** Notes for every string what its edges say; with a list it lists the edges that have been noted instead, and returns how many. */
export function edgeNames(job: EdgeNameJob, list: Words | null): number {
  const { count, name, firstEdge, words, object, empty, most, bits, seen } = job;
  let at = 0;
  for (let n = 0, end = firstEdge[0] as number; n < count; n++) {
    const first = end;
    end = firstEdge[n + 1] as number;
    const plain = name[n] === object || name[n] === empty || end - first > most ? 1 : 0;
    for (let e = first; e < end; e++) {
      const word = words[e] as number;
      const bit = bits[(word >>> nameBits) * 2 + plain] as number;
      if (bit === 0) continue;
      const noted = seen[word & nameMask] as number;
      if (list === null) seen[word & nameMask] = noted | bit;
      else if ((noted & bit) !== 0) list[at++] = e;
    }
  }
  return at;
}
