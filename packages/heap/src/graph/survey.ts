import { setBit, setBits } from '../kernel/typescript/rows.ts';
import {
  act,
  costMask,
  list,
  prototypeBit,
  trait,
  visibleBit,
  type SurveyNodes,
} from '../kernel/typescript/survey.ts';
import type { DominatorTree } from './dominator-tree.ts';
import type { Scan } from './scan.ts';
import { textOf } from './string-table.ts';
import { sizeOf, typeMask } from '../kernel/columns.ts';
import { rootPenalty } from './roots.ts';

/** One string that many nodes repeat. */
export interface Repeated {
  /** The first node with this text. */
  readonly node: number;
  readonly count: number;
  /** Own bytes of all nodes but the first. */
  readonly bytes: number;
}

/** What one pass over all nodes finds out for suspects, observations, names and paths. */
export interface Survey {
  /**
   * By preorder number: what it costs a path to enter the node (low 6 bits), whether a reader can see it (`visibleBit`),
   * whether it is a prototype (`prototypeBit`).
   */
  readonly roles: Uint8Array;
  /** Nodes that refer to many others, which together keep at least the bytes asked for. */
  readonly wide: readonly number[];
  /** Arrays with more than ten functions. */
  readonly functionLists: readonly number[];
  /** Nodes of 64 KiB or more that are no text. */
  readonly big: readonly number[];
  /** Instances and the prototype of the class that marks the roots of scopes. */
  readonly scopeMarkers: readonly number[];
  /** One bit per string: set for names that compiled code refers to. */
  readonly inCode: Uint8Array;
}

/** What a pass over all text finds out for observations. */
export interface Texts {
  /** Strings with at least 50 nodes of the same text. */
  readonly repeated: readonly Repeated[];
  readonly ropes: { readonly count: number; readonly bytes: number };
}

/** The class of the object by which a scope with roots can be recognised in a snapshot. */
const scopeMarker = 'PlimsollScopeRoot';
const fewestRepeats = 50;
/** Plimsoll's own objects, all of classes of this name, hold what the program registered with it; they are never the reason. */
const ownClass = /^Plimsoll[A-Z]/;

/** Nodes of V8 that list the names a function or literal was written with. */
export const codeOwners: readonly string[] = [
  '(constant pool)',
  '(context local names)',
  'system / ScopeInfo',
  'system / ObjectBoilerplateDescription',
];

/** The cost of a path through a node of this type. Nodes that a person can act on are cheap. */
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

const alwaysVisible = new Set([
  'object',
  'native',
  'closure',
  'string',
  'concatenated string',
  'sliced string',
  'regexp',
]);

const actByType: Readonly<Record<string, number>> = {
  object: act.object,
  native: act.native,
  code: act.code,
  closure: act.closure,
  string: act.string,
  'concatenated string': act.rope,
  'sliced string': act.slice,
  synthetic: act.synthetic,
  'object shape': act.shape,
};

/** The first bytes of all names that have traits, and that of an escape. Names that begin otherwise need not be decoded. */
const startsOfTraits: readonly number[] = [...Buffer.from('sNPA(\\')];

function traitsOf(name: string): number {
  return (
    (name.startsWith('system /') ? trait.hiddenObject : 0) |
    (/^(?:Node|system) \//.test(name) ? trait.hiddenNative : 0) |
    (ownClass.test(name) ? trait.own : 0) |
    (name === 'Array' ? trait.array : 0) |
    (codeOwners.includes(name) ? trait.codeOwner : 0) |
    (name === scopeMarker ? trait.marker : 0) |
    (name === 'system / Context' ? trait.context : 0)
  );
}

/** Looks at every node once. `leastBytes` is what a collection has to keep alive to be listed. */
export function survey(scan: Scan, tree: DominatorTree, leastBytes: number): Survey {
  const { kernel, strings, names, space } = scan;
  space.users.sources = null;
  const nodes = surveyNodesOf(scan, tree);
  const room = roomFor(scan);
  const used = room.bytes((strings.count >>> 3) + 1);
  kernel.usedNames(nodes, used);
  if (names.object < strings.count) setBit(used, names.object);
  const traits = room.bytes(strings.count + 1);
  strings.eachRawOf(setBits(used), (index, bytes, start, end) => {
    if (startsOfTraits.includes(bytes[start] as number)) traits[index] = traitsOf(textOf(bytes, start, end));
  });
  const inCode = room.bytes((strings.count >>> 3) + 1);
  const defaults = room.bytes(typeMask + 1);
  defaults.set(
    byType(scan, (type) => (costByType[type] ?? defaultCost) | (alwaysVisible.has(type) ? visibleBit : 0)),
  );
  const roles = space.roles.fill(0);
  const notes = room.rest();
  const words = kernel.surveyNodes({
    ...nodes,
    objectName: names.object < strings.count ? names.object : strings.count,
    order: tree.order,
    retained: tree.retained,
    least: leastBytes,
    defaults,
    traits,
    inCode,
    roles,
    notes,
  });
  const lists = listsOf(notes.subarray(0, words));
  for (const node of lists.synthetic) {
    const i = tree.order[node] as number;
    roles[i] =
      ((roles[i] as number) & ~costMask) | rootPenalty(strings.get(scan.columns.name[node] as number));
  }
  return {
    roles,
    wide: lists.wide,
    // Array.prototype is an array with functions, too; every array of the heap refers to it.
    functionLists: lists.functions.filter(
      (node) => (roles[tree.order[node] as number] as number) < prototypeBit,
    ),
    big: lists.big,
    scopeMarkers: lists.marker,
    inCode: inCode.slice(),
  };
}

type Lists = Record<keyof typeof list, number[]>;

function listsOf(notes: Uint32Array): Lists {
  const lists: Lists = { wide: [], functions: [], big: [], marker: [], synthetic: [] };
  const byNumber = new Map(
    Object.entries(list).map(([name, number]) => [number, lists[name as keyof Lists]]),
  );
  for (let at = 0; at < notes.length; at += 2) {
    byNumber.get(notes[at + 1] as (typeof list)[keyof typeof list])?.push(notes[at] as number);
  }
  return lists;
}

/** What the passes of a survey look at. The table by type stands at the end of the region `sources`. */
export function surveyNodesOf(scan: Scan, tree: DominatorTree): SurveyNodes {
  const { columns, space } = scan;
  const { kind, name, plain, size, firstEdge, to, nodeCount: count } = columns;
  const { buffer, byteOffset, byteLength } = space.sources;
  const acts = new Uint8Array(buffer, byteOffset + byteLength - tableBytes, typeMask + 1);
  acts.set(actsOf(scan));
  return { count, kind, name, plain, size, firstEdge, to, vertex: tree.vertex, acts };
}

/** One of `act` by node type. */
export function actsOf(scan: Scan): Uint8Array {
  return byType(scan, (type) => actByType[type] ?? act.nothing);
}

const tableBytes = 64;

/** Gives out parts of the region `sources` as zeros, or arrays of their own where it is too small for all of them. */
function roomFor({ space, strings, columns }: Scan): {
  bytes(length: number): Uint8Array;
  rest(): Uint32Array;
} {
  const { sources } = space;
  const end = sources.byteLength - tableBytes;
  const isLarge = end < strings.count * 1.5 + 4 * columns.nodeCount + 4096;
  let at = 0;
  return {
    bytes(length) {
      if (isLarge) return new Uint8Array(length);
      const part = new Uint8Array(sources.buffer, sources.byteOffset + at, length).fill(0);
      at += Math.ceil(length / 8) * 8;
      return part;
    },
    rest: () => (isLarge ? new Uint32Array(columns.nodeCount + 64) : sources.subarray(at / 4, end / 4)),
  };
}

/** Finds strings that repeat, and ropes. */
export function surveyTexts(scan: Scan, tree: DominatorTree): Texts {
  const { kernel, columns, strings, space, layout } = scan;
  space.users.sources = null;
  const nodes = surveyNodesOf(scan, tree);
  const { kind, name, nodeCount } = columns;
  const isLarge = space.sources.length - tableBytes < strings.count;
  const counts = isLarge ? new Uint32Array(strings.count) : space.sources.subarray(0, strings.count).fill(0);
  const string = layout.nodeTypes.indexOf('string');
  const ropes = kernel.countTexts(nodes, string, layout.nodeTypes.indexOf('concatenated string'), counts);
  const found = new Map<number, { node: number; count: number; bytes: number }>();
  for (let s = 0; s < counts.length; s++) {
    const count = counts[s] as number;
    if (count >= fewestRepeats) found.set(s, { node: -1, count, bytes: 0 });
    else counts[s] = 0;
  }
  if (found.size === 0) return { repeated: [], ropes };
  for (let n = 0; n < nodeCount; n++) {
    if (((kind[n] as number) & typeMask) !== string || counts[name[n] as number] === 0) continue;
    const entry = found.get(name[n] as number) as { node: number; count: number; bytes: number };
    if (entry.node < 0) entry.node = n;
    else entry.bytes += sizeOf(columns, n);
  }
  return { repeated: [...found.values()].sort((a, b) => a.node - b.node), ropes };
}

function byType(scan: Scan, value: (type: string) => number): Uint8Array {
  const table = new Uint8Array(typeMask + 1);
  scan.layout.nodeTypes.forEach((type, index) => (table[index] = value(type)));
  return table;
}
