import { bytesText, countText } from '../byte-text.ts';
import type { Hop } from '../graph/path-search.ts';
import { rootPenalty } from '../graph/roots.ts';
import type { KnownLeak } from '../known-leaks/known-leak.ts';
import { matchKnownLeak } from '../known-leaks/match.ts';
import type { HeapGraph } from '../snapshot.ts';
import { connect, descend } from '../trace/descend.ts';
import { buildTrace, type Accumulation, type LeakTrace, type TraceContext } from '../trace/leak-trace.ts';
import { boundOn, boundText, isHealthy, type CacheBound } from './bound.ts';
import { type Candidate, isDominatedBy, middleMember } from './candidate.ts';
import { findChains } from './chains.ts';
import { findCollections, entryCount } from './collections.ts';
import { endedEntries, type Ended } from './ended.ts';
import { keyPattern } from './key-pattern.ts';
import { findLarge } from './large.ts';
import { scoreOf } from './rank.ts';
import { tableOf } from '../trace/node-kind.ts';

export type Severity = 'info' | 'low' | 'medium' | 'high' | 'critical';

/** What one snapshot alone makes suspicious: much of one kind, and the path that keeps it alive. */
export interface Suspect {
  readonly fingerprint: string;
  /** The class of what accumulates. */
  readonly name: string;
  readonly kind: Candidate['kind'];
  readonly count: number;
  readonly retainedBytes: number;
  /** Part of the heap, 0 to 1. */
  readonly ratio: number;
  readonly severity: Severity;
  /** One sentence: who holds how much of what. */
  readonly summary: string;
  /** How many holders have this fingerprint. */
  readonly holders: number;
  readonly code: string;
  readonly trace: LeakTrace['steps'];
  /** Other paths to the same object, when the first is weak evidence: through compiled code or from a running stack. */
  readonly otherTraces?: readonly LeakTrace['steps'][];
  /** Part of the entries looked at that are over: closed, destroyed, or of a closed scope. */
  readonly endedRatio?: number;
  /** What the keys look like, when the holder is keyed: `serial`, `timestamp`, … */
  readonly keys?: string;
  readonly knownLeak?: KnownLeak;
  /** The bound of the cache that holds them, when it is a cache that is known to have one. */
  readonly bound?: CacheBound;
}

export interface SuspectOptions {
  /** How many at most; default 10. */
  readonly limit?: number;
}

/** Smallest part of the heap worth a suspicion. */
const leastRatio = 0.01;
const leastBytes = 48 * 1024;
const examined = 30;

/** Finds who accumulates what in a single snapshot, most suspicious first. */
export function findSuspects(context: TraceContext, options: SuspectOptions = {}): Suspect[] {
  const { graph } = context;
  const heapBytes = graph.dominators().retainedBytes(graph.meta.rootNode);
  const least = Math.max(leastBytes, heapBytes * leastRatio);
  const heavy = graph.heavyNodes(least);
  const candidates = [
    ...findCollections(graph, least),
    ...findFans(graph, heavy, least),
    ...findChains(graph, heavy, least),
  ]
    .sort((a, b) => scoreOf(context, b, []) - scoreOf(context, a, []))
    .slice(0, examined);
  candidates.push(...findLarge(graph, candidates, heapBytes));
  const ended = new Map<Candidate, Ended>();
  candidates.forEach((candidate, i) => {
    const found = endedEntries(context, candidate);
    if (found === undefined) return;
    // One that should be gone says more than one of middle size.
    const telling = { ...candidate, entry: found.example };
    candidates[i] = telling;
    ended.set(telling, found);
  });
  const paths = graph.paths(candidates.flatMap((candidate) => [candidate.holder, candidate.entry]));
  const ranked = candidates
    .map((candidate) => ({ candidate, hops: hopsTo(context, candidate, paths) }))
    .filter((found) => found.hops.length > 0)
    .map((found) => ({ ...found, score: scoreOf(context, found.candidate, found.hops) }))
    .filter((found) => found.score >= least * 0.3)
    .sort((a, b) => b.score - a.score);
  const distinct: typeof ranked = [];
  for (const found of ranked) {
    if (!distinct.some((other) => explains(context, other.candidate, found.candidate))) distinct.push(found);
  }
  const suspects = distinct.map(({ candidate, hops, score }) => ({
    ...suspectOf(context, candidate, hops, heapBytes, ended.get(candidate)),
    score,
    joined: 1,
    isAlone: isDominatedBy(graph, candidate.entry, candidate.holder),
  }));
  return grouped(suspects, heapBytes)
    .slice(0, options.limit ?? 10)
    .map((found) => {
      const others = found.others();
      return {
        ...found.suspect,
        summary: summaryOf(found),
        ...(others.length > 0 && { otherTraces: others }),
      };
    });
}

/** The path to one of the many, through the holder where the holder is known to lead there. */
function hopsTo({ graph }: TraceContext, candidate: Candidate, paths: ReadonlyMap<number, Hop[]>): Hop[] {
  const toEntry = paths.get(candidate.entry) ?? [];
  if (candidate.between === undefined || toEntry.some((hop) => hop.to === candidate.holder)) return toEntry;
  const toHolder = candidate.kind === 'handles' ? undefined : paths.get(candidate.holder);
  if (toHolder === undefined) return toEntry;
  const inside = connect(graph, candidate.holder, candidate.entry);
  return inside.length === 0 ? toEntry : [...toHolder, ...inside];
}

/** True when the second says nothing new: the same holder and kind, or a detail inside of what the first accumulates. */
function explains({ graph }: TraceContext, first: Candidate, second: Candidate): boolean {
  if (first.holder === second.holder && graph.classKey(first.entry) === graph.classKey(second.entry))
    return true;
  if (first.kind === 'large') return false;
  const inside = isDominatedBy(graph, second.holder, first.holder);
  const sameClass = graph.classKey(first.entry) === graph.classKey(second.entry);
  return inside && (second.bytes <= first.bytes * 0.5 || sameClass || second.kind === 'large');
}

function suspectOf(
  context: TraceContext,
  candidate: Candidate,
  path: readonly Hop[],
  heapBytes: number,
  ended: Ended | undefined,
): Pick<Scored, 'suspect' | 'holder' | 'ended' | 'others'> {
  const { graph, names } = context;
  const holder = holderOnPath(context, candidate, path);
  const name = names.node(candidate.entry);
  const chainKeys = new Set(path.map((hop) => graph.classKey(hop.to)));
  const below =
    candidate.kind === 'chain'
      ? descend(graph, candidate.entry, {
          ownBytes: candidate.bytes / candidate.count,
          skip: (node) => chainKeys.has(graph.classKey(node)) && graph.isVisible(node),
        })
      : descend(graph, candidate.entry);
  const about: Accumulation = {
    holder,
    entry: candidate.entry,
    entries: candidate.count,
    chain: candidate.kind === 'chain',
    holderWhy: holderText(candidate, name) + endedText(ended),
    entryWhy: candidate.kind === 'large' ? '' : `one of ${countText(candidate.count)} alike`,
  };
  const trace = buildTrace(context, [...path, ...below], about);
  const bound = boundOn(graph, holdersOn(path, candidate.entry));
  const matched = matchKnownLeak(trace.pattern);
  const knownLeak = isHealthy(bound, matched?.framework) ? undefined : matched;
  const ratio = candidate.bytes / heapBytes;
  const keys = candidate.kind === 'collection' ? keyPattern(graph, holder) : undefined;
  const suspect: Suspect = {
    fingerprint: trace.fingerprint,
    name,
    kind: candidate.kind,
    count: candidate.count,
    retainedBytes: candidate.bytes,
    ratio,
    severity: severityOf(ratio, candidate.kind, knownLeak, ended?.ratio, bound),
    summary: '',
    holders: 1,
    code: trace.code,
    trace: trace.steps,
    ...(ended !== undefined && { endedRatio: ended.ratio }),
    ...(keys !== undefined && { keys }),
    ...(knownLeak !== undefined && { knownLeak }),
    ...(bound !== undefined && { bound }),
  };
  const others = (): LeakTrace['steps'][] =>
    strongerPaths(graph, candidate.entry, path).map((other) => buildTrace(context, other, about).steps);
  return {
    suspect,
    holder: holderLabel(trace.steps, graph.nodeId(holder), names.node(holder)),
    ended,
    others,
  };
}

/** The last objects of a path before the entry: a cache is at most three references away from what it keeps. */
export function holdersOn(path: readonly Hop[], entry: number): number[] {
  return path.slice(-nearHops).flatMap(({ from, to }) => (to === entry ? [from] : [from, to]));
}

const nearHops = 5;

/** A fan's holder only dominates; the collection that really holds the many stands further down its path. */
function holderOnPath({ graph }: TraceContext, candidate: Candidate, path: readonly Hop[]): number {
  if (candidate.kind !== 'fan') return candidate.holder;
  const start = path.findIndex((hop) => hop.to === candidate.holder);
  let holder = candidate.holder;
  let widest = candidate.count / 2;
  let visible = candidate.holder;
  for (const hop of path.slice(start + 1)) {
    const type = graph.nodeType(hop.from);
    if (type === 'object' && !graph.nodeName(hop.from).startsWith('system / ')) visible = hop.from;
    const width = graph.lastEdge(hop.from) - graph.firstEdge(hop.from);
    if (width > widest && type !== 'code') {
      widest = width;
      holder = visible;
    }
  }
  return holder;
}

/** The holder as its owner knows it: `SessionRegistry.sessions (Map)`, `gcPersistentSignals (Set)`. */
function holderLabel(steps: LeakTrace['steps'], id: number, name: string): string {
  const at = steps.findIndex((step) => step.id === id);
  const via = steps[at]?.via ?? '';
  if (via.startsWith('variable ')) return `${via.slice('variable '.length)} (${name})`;
  const owner = steps[at - 1];
  if (owner?.via === '_events')
    return `${steps[at - 2]?.name ?? 'emitter'}, listeners of "${via}" (${name}),`;
  if (owner === undefined || owner.type === 'root' || !/^[#$_\p{L}][$\p{L}\d_]*$/u.test(via)) return name;
  const variable = /^variable (?<name>.+)$/.exec(owner.via)?.groups?.['name'];
  return `${variable ?? owner.name}.${via} (${name})`;
}

function holderText(candidate: Candidate, name: string): string {
  const bytes = bytesText(candidate.bytes);
  if (candidate.kind === 'large') return `keeps ${bytes} alive`;
  if (candidate.kind === 'chain') return `starts a chain of ${countText(candidate.count)} links, ${bytes}`;
  return `holds ${countText(candidate.count)} × ${name}, ${bytes}`;
}

/** The sentence about a suspect; its figures are those of the suspect, of all holders that were joined in it. */
function summaryOf({ suspect, holder, joined, ended }: Scored): string {
  const { kind, name, count, retainedBytes, ratio } = suspect;
  const bytes = `${bytesText(retainedBytes)} (${Math.round(ratio * 100)} % of the heap)`;
  const each = bytesText(retainedBytes / count);
  const many = `${countText(count)} × ${name}`;
  const who = joined === 1 ? holder : `${countText(joined)} holders like ${holder}`;
  return sentence() + endedText(ended) + (suspect.bound === undefined ? '' : `; ${boundText(suspect.bound)}`);

  function sentence(): string {
    switch (kind) {
      case 'large':
        return joined === 1 ? `one ${name} keeps ${bytes} alive` : `${many} keep ${bytes} alive`;
      case 'chain':
        return joined === 1
          ? `a chain of ${countText(count)} links behind ${who}, ${each} each, ${bytes}`
          : `chains of ${countText(count)} links together behind ${who}, ${each} each, ${bytes}`;
      case 'handles':
        return `native code holds ${many}, ${each} each on the heap, ${bytes}`;
      default:
        return `${who} ${joined === 1 ? 'holds' : 'hold'} ${many}, ${each} each, ${bytes}`;
    }
  }
}

function endedText(ended: Ended | undefined): string {
  return ended === undefined ? '' : `; ${Math.round(ended.ratio * 100)} % are over: ${ended.why}`;
}

/** By the part of the heap; one step graver when most of the many are over. */
function severityOf(
  ratio: number,
  kind: Candidate['kind'],
  knownLeak: KnownLeak | undefined,
  endedRatio = 0,
  bound?: CacheBound,
): Severity {
  if (knownLeak !== undefined) return 'high';
  // A cache that keeps its bound is no leak, however much it holds.
  if (bound !== undefined) return 'info';
  if (kind === 'large') return ratio >= 0.5 ? 'medium' : 'low';
  const part = endedRatio >= 0.5 ? ratio * 3 : ratio;
  if (part >= 0.3) return 'high';
  return part >= 0.1 ? 'medium' : 'low';
}

interface Scored {
  readonly suspect: Suspect;
  readonly score: number;
  readonly isAlone: boolean;
  /** The first holder as its owner knows it. */
  readonly holder: string;
  /** How many holders the figures of the suspect are of. */
  readonly joined: number;
  readonly ended: Ended | undefined;
  /** Looks for other paths when the first is weak evidence; each takes a search of its own. */
  readonly others: () => LeakTrace['steps'][];
}

/** One suspect per fingerprint; the largest stands for its group, with what all of its holders keep alive. */
function grouped(all: readonly Scored[], heapBytes: number): Scored[] {
  const groups = new Map<string, Scored>();
  for (const found of all) {
    const known = groups.get(found.suspect.fingerprint);
    groups.set(found.suspect.fingerprint, known === undefined ? found : joined(known, found, heapBytes));
  }
  return [...groups.values()].sort((a, b) => b.score - a.score);
}

function joined(known: Scored, other: Scored, heapBytes: number): Scored {
  // Entries that others hold too would count once for every holder.
  const add = known.isAlone && other.isAlone;
  const holders = known.suspect.holders + 1;
  if (!add) return { ...known, suspect: { ...known.suspect, holders } };
  const retainedBytes = known.suspect.retainedBytes + other.suspect.retainedBytes;
  const ratio = retainedBytes / heapBytes;
  const { kind, knownLeak, endedRatio, bound } = known.suspect;
  return {
    ...known,
    score: known.score + other.score,
    joined: known.joined + 1,
    suspect: {
      ...known.suspect,
      holders,
      count: known.suspect.count + other.suspect.count,
      retainedBytes,
      ratio,
      severity: severityOf(ratio, kind, knownLeak, endedRatio, bound),
    },
  };
}

/** A root category from this cost on may be gone a moment later: a stack, or V8's own tables. */
const passingRoot = 24;

/** The hop by which a path is weak evidence: through compiled code, or from a root that does not last; undefined when there is none. */
function weakHop(graph: HeapGraph, path: readonly Hop[]): Hop | undefined {
  return path.find((hop) => {
    if (graph.nodeType(hop.from) === 'code') return true;
    return graph.nodeType(hop.from) === 'synthetic' && rootPenalty(graph.nodeName(hop.from)) >= passingRoot;
  });
}

/** Other paths to a target that do without the weak hops of those before; ends with the first that is strong. */
function strongerPaths(graph: HeapGraph, target: number, first: readonly Hop[], limit = 2): Hop[][] {
  const found: Hop[][] = [];
  const without = new Set<number>();
  for (let weak = weakHop(graph, first); weak !== undefined && found.length < limit;) {
    without.add(weak.edge);
    const path = graph.paths([target], without).get(target);
    if (path === undefined) break;
    found.push(path);
    weak = weakHop(graph, path);
  }
  return found;
}

const fewestMembers = 50;

/**
 * Objects that alone keep many of one class alive although no collection of theirs shows it: lists linked both ways, things
 * that two collections share. Where everything hangs under one node, such as the global object, it says nothing but of timers: Node.js keeps
 * them in lists that several of its own objects lead to.
 */
function findFans(graph: HeapGraph, heavy: Uint32Array, leastBytes: number): Candidate[] {
  const dominators = graph.dominators();
  const found: Candidate[] = [];
  for (const node of heavy) {
    if (!graph.isVisible(node)) continue;
    const isWhole = holdsWhole.test(graph.nodeName(node));
    for (const group of graph.groupsDominated(node)) {
      if (group.members.length < fewestMembers || group.bytes < leastBytes) continue;
      if (isWhole && graph.nodeName(group.members[0] as number) !== 'Timeout') continue;
      const entry = middleMember(group.members, (member) => dominators.retainedBytes(member));
      const table = tableOf(graph, node);
      const count = table < 0 ? group.members.length : entryCount(graph, table, group.members.length);
      found.push({ kind: 'fan', holder: node, entry, count, bytes: group.bytes });
    }
  }
  return found;
}

const holdsWhole = /^(?:global|Window|ModuleWrap|ModuleLoader)\b/;
