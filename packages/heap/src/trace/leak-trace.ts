import type { HeapGraph } from '../snapshot.ts';
import { foldRepeats } from './fold-repeats.ts';
import { inspect, type Leaking } from './inspectors.ts';
import type { Names } from './names.ts';
import { isSlab, isText } from './node-kind.ts';
import { sha1 } from './sha1.ts';
import type { Hop } from '../graph/path-search.ts';
import { describeReference, moduleBody, type Reference } from './reference.ts';
import { rootLabel } from '../graph/roots.ts';
import type { ScriptPlaces } from './script-place.ts';

/** One object of a retaining path and how the one before it holds it. */
export interface TraceStep {
  readonly type: 'root' | 'object' | 'function' | 'string' | 'native';
  readonly name: string;
  /** The reference that leads here; empty for the root. */
  readonly via: string;
  /** V8's id of the object, for `--node` and DevTools; 0 for a root without an object. */
  readonly id: number;
  readonly retainedBytes: number;
  readonly leaking: Leaking;
  readonly why: string;
  /** The reference that leads here may be the one that should not exist. */
  readonly suspect: boolean;
  /** How many equal steps in a row this one stands for. */
  readonly times?: number;
  /** Entries of the collection that this object is. */
  readonly entries?: number;
  /** Where its code stands, e.g. `lib/harness.mjs:61`, by its source map if it has one, with the version of its package. */
  readonly at?: string;
  /** The scope that the object is a root of. */
  readonly scope?: string;
}

/** A retaining path from the root to an object, with what is suspicious about it. */
export interface LeakTrace {
  readonly steps: readonly TraceStep[];
  /** Twelve hex digits over the suspect references: the same leak has the same fingerprint in every snapshot. */
  readonly fingerprint: string;
  /** The path as an expression where code could write it, e.g. `registry.sessions.get(<serial:8>)`. */
  readonly code: string;
  /** The names without indices and keys, root first, for matchers. */
  readonly pattern: readonly PatternStep[];
}

export interface PatternStep {
  readonly via: string;
  readonly name: string;
  /** The script that a function or the body of a module comes from, e.g. `ai/dist/index.js`. */
  readonly script?: string;
  /** How many equal steps in a row this one stands for. */
  readonly times?: number;
}

/** What a trace is told about the accumulation that it leads to. */
export interface Accumulation {
  /** The node that holds the many: its reference and those below it, down to `entry`, are suspect. */
  readonly holder: number;
  readonly entry: number;
  readonly holderWhy: string;
  readonly entryWhy: string;
  readonly entries: number;
  /** The many are links of a chain: the folded step then counts all of them. */
  readonly chain?: boolean;
}

export interface TraceContext {
  readonly graph: HeapGraph;
  readonly names: Names;
  readonly places: ScriptPlaces;
  readonly scopeOf: (node: number) => { readonly path: string; readonly state: string } | undefined;
}

interface Draft {
  readonly node: number;
  readonly reference: Reference;
  leaking: Leaking;
  why: string;
  suspect: boolean;
  times: number;
  entries: number | undefined;
}

const rootReference: Reference = { via: '', pattern: '', code: undefined };

/** Turns the hops of a path into a trace. */
export function buildTrace(context: TraceContext, hops: readonly Hop[], about?: Accumulation): LeakTrace {
  const drafts = fromLastRoot(context, visibleSteps(context, hops));
  judge(context, drafts, about);
  const folded = foldRepeats(
    drafts,
    (draft) => `${draft.reference.pattern} ${className(context, draft.node)}`,
    (draft, times) => ({ ...draft, times }),
    (draft) => draft.node === about?.holder || (draft.node === about?.entry && about.chain !== true),
    about?.chain === true ? 2 : undefined,
  );
  if (about?.chain === true) countLinks(folded, about);
  const steps = folded.map((draft, index) => stepOf(context, draft, index, hops));
  const pattern = folded.map((draft, index) => patternOf(context, draft, steps[index] as TraceStep));
  return { steps, fingerprint: fingerprintOf(folded, pattern), code: codeOf(context, folded), pattern };
}

/** Folds what V8 keeps between two visible objects into the reference from one to the other. */
function visibleSteps({ graph, names }: TraceContext, hops: readonly Hop[]): Draft[] {
  const drafts: Draft[] = [];
  let pending: Hop[] = [];
  const add = (node: number, reference: Reference): void => {
    drafts.push({ node, reference, leaking: 'maybe', why: '', suspect: false, times: 1, entries: undefined });
  };
  for (const hop of hops) {
    if (graph.nodeType(hop.to) === 'synthetic') continue;
    pending.push(hop);
    const isLast = hop === hops.at(-1);
    if (!graph.isVisible(hop.to) && !isLast) continue;
    if (drafts.length === 0 && graph.nodeType((pending[0] as Hop).from) === 'synthetic') {
      const root = (pending[0] as Hop).from;
      if (isGlobal(graph, hop.to)) add(hop.to, rootReference);
      else {
        add(root, rootReference);
        add(hop.to, { via: 'root', pattern: 'root', code: undefined });
      }
    } else add(hop.to, describeReference(names, pending));
    pending = [];
  }
  return drafts;
}

/** A path that comes by the process object or a module's body starts there, because how these are reached explains nothing. */
function fromLastRoot({ graph }: TraceContext, drafts: Draft[]): Draft[] {
  const start = drafts.findLastIndex(({ node, reference }) => {
    if (graph.nodeType(node) !== 'object') return false;
    return graph.nodeName(node) === 'process' || reference.via === moduleBody;
  });
  if (start <= 0) return drafts;
  return [{ ...(drafts[start] as Draft), reference: rootReference }, ...drafts.slice(start + 1)];
}

/** The path shows the first links of a chain only; its step says how many there are. */
function countLinks(drafts: Draft[], about: Accumulation): void {
  const link = drafts.find((draft) => draft.times > 1) ?? drafts.find((draft) => draft.node === about.entry);
  if (link === undefined) return;
  link.times = about.entries;
  if (link.leaking === 'maybe') link.why = about.entryWhy;
}

function patternOf(context: TraceContext, draft: Draft, step: TraceStep): PatternStep {
  const hasScript = step.type === 'function' || step.name.startsWith('module ');
  const script = hasScript ? context.places.of(draft.node)?.replace(/:\d+$/, '') : undefined;
  return {
    via: draft.reference.pattern,
    name: className(context, draft.node),
    ...(script !== undefined && { script }),
    ...(draft.times > 1 && { times: draft.times }),
  };
}

function isGlobal(graph: HeapGraph, node: number): boolean {
  return graph.nodeType(node) === 'object' && /^global\b|^Window\b/.test(graph.nodeName(node));
}

function judge(context: TraceContext, drafts: Draft[], about: Accumulation | undefined): void {
  for (const draft of drafts) {
    const verdict = inspect(context, draft.node);
    draft.leaking = verdict.leaking;
    draft.why = verdict.why;
  }
  const first = drafts[0];
  if (first !== undefined && first.leaking === 'maybe')
    Object.assign(first, { leaking: 'no', why: 'a root' });
  const holder = drafts.findIndex((draft) => draft.node === about?.holder);
  const entry = drafts.findIndex((draft) => draft.node === about?.entry);
  if (about !== undefined && holder >= 0) {
    Object.assign(drafts[holder] as Draft, { leaking: 'no', why: about.holderWhy, entries: about.entries });
  }
  if (about !== undefined && entry >= 0 && (drafts[entry] as Draft).leaking === 'maybe') {
    (drafts[entry] as Draft).why = about.entryWhy;
  }
  spread(drafts);
  if (holder >= 0 && about !== undefined) {
    for (let i = holder; i <= Math.max(holder, entry); i++) (drafts[i] as Draft).suspect = i > 0;
  } else markStretch(drafts);
}

/** What keeps a living object alive lives; what only a dead object keeps is dead. */
function spread(drafts: Draft[]): void {
  const lastNo = drafts.findLastIndex((draft) => draft.leaking === 'no');
  drafts.forEach((draft, i) => {
    if (i < lastNo && draft.leaking !== 'no') {
      draft.why =
        draft.leaking === 'yes' ? `${draft.why}, but it leads to what lives on` : 'leads to what lives on';
      draft.leaking = 'no';
    }
  });
  const firstYes = drafts.findIndex((draft) => draft.leaking === 'yes');
  if (firstYes < 0) return;
  for (const draft of drafts.slice(firstYes + 1)) {
    if (draft.leaking === 'maybe')
      Object.assign(draft, { leaking: 'yes', why: draft.why || 'only held by what should be gone' });
  }
}

/** Without an accumulation, the suspect references lie between the last that lives and the first that should not. */
function markStretch(drafts: Draft[]): void {
  const lastNo = drafts.findLastIndex((draft) => draft.leaking === 'no');
  const firstYes = drafts.findIndex((draft) => draft.leaking === 'yes');
  const end = firstYes < 0 ? drafts.length - 1 : firstYes;
  for (let i = lastNo + 1; i <= end; i++) (drafts[i] as Draft).suspect = i > 0;
}

function stepOf(context: TraceContext, draft: Draft, index: number, hops: readonly Hop[]): TraceStep {
  const { graph, names, places } = context;
  const type = graph.nodeType(draft.node);
  const isRoot = index === 0 && hops.length > 0;
  const at = places.shown(draft.node);
  const scope = context.scopeOf(draft.node)?.path;
  return {
    type: isRoot ? 'root' : stepType(type),
    name: isRoot ? rootName(context, draft.node) : names.node(draft.node),
    via: draft.reference.via,
    id: graph.nodeId(draft.node),
    retainedBytes: graph.dominators().retainedBytes(draft.node),
    leaking: draft.leaking,
    why: draft.why,
    suspect: draft.suspect,
    ...(draft.times > 1 && { times: draft.times }),
    ...(draft.entries !== undefined && { entries: draft.entries }),
    ...(at !== undefined && { at }),
    ...(scope !== undefined && { scope }),
  };
}

function rootName({ graph, names, places }: TraceContext, node: number): string {
  if (graph.nodeType(node) === 'synthetic') return rootLabel(graph.nodeName(node));
  if (isGlobal(graph, node)) return 'global';
  const place = graph.nodeName(node) === 'Generator' ? places.of(node) : undefined;
  return place === undefined ? names.node(node) : `module ${place.replace(/:\d+$/, '')}`;
}

function stepType(type: string): TraceStep['type'] {
  if (type === 'closure') return 'function';
  if (isText(type)) return 'string';
  return type === 'native' ? 'native' : 'object';
}

/** For matchers: the slab that Node.js cuts small buffers out of. */
const slabName = 'ArrayBuffer of many Buffers';

function className({ graph, names }: TraceContext, node: number): string {
  const type = graph.nodeType(node);
  if (isText(type)) return '(string)';
  const name = names.className(type, graph.nodeName(node));
  if (name === 'ArrayBuffer' && isSlab(graph, node)) return slabName;
  return type === 'closure' ? `${name}()` : name === '' ? 'Object' : name;
}

/**
 * Only what is suspect enters, so that the same leak reached from elsewhere stays the same leak, and the first function
 * below it, so that two leaks through one long-lived AbortSignal are two.
 */
function fingerprintOf(drafts: readonly Draft[], pattern: readonly PatternStep[]): string {
  const parts: string[] = [];
  drafts.forEach((draft, i) => {
    if (draft.suspect)
      parts.push(`${pattern[i - 1]?.name ?? ''} ${pattern[i]?.via ?? ''} ${pattern[i]?.name ?? ''}`);
  });
  const last = drafts.findLastIndex((draft) => draft.suspect);
  const user = pattern.slice(last).find((step) => step.name.endsWith('()'));
  if (user !== undefined) parts.push(`${user.name} ${user.script ?? ''}`);
  return sha1(parts.join('\n')).slice(0, 12);
}

/**
 * The path down to the last suspect object as an expression. Where no code can say a step, the class in brackets starts it
 * anew; among the suspects, the reference is written out instead.
 */
function codeOf(context: TraceContext, drafts: readonly Draft[]): string {
  const end = drafts.findLastIndex((draft) => draft.suspect);
  let text = '';
  drafts.slice(0, end < 0 ? drafts.length : end + 1).forEach(({ node, reference, times, suspect }, index) => {
    const more = times > 1 ? '…' : '';
    if (index > 0 && reference.code?.starts === true) text = reference.code.text + more;
    else if (index > 0 && reference.code !== undefined) text += reference.code.text + more;
    else if (index > 1 && suspect) text += ` → ${reference.via}${more}`;
    else text = isGlobal(context.graph, node) ? 'globalThis' : `(${context.names.node(node)})`;
  });
  return text.replace(/^globalThis\./, '');
}
