import { formatDuration } from '@plimsoll/core/units';
import { listenersText, prefix } from '../containers/container-name.ts';

/** One step of a path, for finding the fix of a leak without a matcher. */
interface Hop {
  readonly type: string;
  readonly name: string;
  readonly via: string;
  readonly suspect?: boolean;
  /** The place of the code, e.g. of a function. */
  readonly at?: string;
}

interface Rule {
  readonly test: RegExp;
  readonly fix: string;
}

const listenerRules: readonly Rule[] = [
  {
    test: /AbortSignal|kEvents|gcPersistentSignals|\bListener\b/,
    fix: 'remove the abort listener when the work ends, or give the work a signal of its own (scope.signal forwards a long-lived one and drops it on close).',
  },
  {
    test: /_events|EventEmitter/,
    fix: 'remove the listener when the work that added it ends: emitter.off, { once: true } or { signal: scope.signal }.',
  },
];

/** Steps by which a server reaches everything, used when no container of the program is in between. */
const carrierRules: readonly Rule[] = [
  {
    test: /TimersList|timerListMap|\bTimeout\b|\bImmediate\b/,
    fix: 'clear the timer when the work ends (clearTimeout in finally, or scope.own(() => clearTimeout(timer))).',
  },
  // What waits for a promise keeps its context, so that this comes first.
  {
    test: /PromiseReaction|\breaction\b|\bPromise\b/,
    fix: 'let the promise settle or drop its holder; race against a signal that is aborted when the work ends.',
  },
  {
    test: /AsyncLocalStorage|AsyncContextFrame/,
    fix: 'make one AsyncLocalStorage per process, not per run, and keep only a small handle in it.',
  },
];

const container = /^(?:Map|Set|Array)$/;
const listenerTable = /^_events$/;
const property = /^#?[\w$]+$/;

export function cureOf(trace: readonly Hop[]): string {
  const isAnySuspect = trace.some(({ suspect }) => suspect === true);
  const suspects = trace.filter(({ suspect }) => !isAnySuspect || suspect === true);
  const kept = containerIn(trace);
  const listener = listenerIn(trace);
  // Steps before the holder that is nearest to the leak only show how a server is held.
  if (listener !== undefined && listener.at > kept) return listener.fix;
  const text = suspects.map(textOf).join(' ');
  const carrier =
    kept < 0 || isOfTimers(trace) ? carrierRules.find(({ test }) => test.test(text)) : undefined;
  if (carrier !== undefined) return carrier.fix;
  const links = kept < 0 ? chainIn(trace) : undefined;
  if (links !== undefined) return chainCure(nameAt(trace, links.head), links.via);
  const at = kept < 0 ? trace.findIndex(({ suspect }) => suspect === true) : kept;
  const name = nameAt(trace, at);
  return `remove entries from ${name === '' ? 'the holder' : name} when their work ends, or give it a bound (a keeper of @plimsoll/keep).`;
}

/** The fix for a chain in which each link keeps the one before it. */
export function chainCure(name: string, via: string): string {
  return `drop old links of ${name}: each one keeps the one before it by "${via.replace(prefix, '')}".`;
}

/** The chain whose links accumulate: the step to its first link, and the reference from link to link. */
function chainIn(trace: readonly Hop[]): { readonly head: number; readonly via: string } | undefined {
  const at = trace.findIndex(({ suspect }) => suspect === true);
  const { via, name } = trace[at] ?? { via: '', name: '' };
  const isLink = (hop: Hop | undefined): boolean => hop?.via === via && hop.name === name;
  if (at < 2 || !isLink(trace[at - 1])) return undefined;
  return { via, head: trace.findLastIndex((hop, i) => i < at && !isLink(hop)) };
}

/** The holder of a leak in the form of code: the container of the program that is nearest to it, or the listeners. */
export function holderOf(trace: readonly Hop[]): { readonly holder?: string } {
  const kept = containerIn(trace);
  const listener = listenerIn(trace);
  const timers = timersIn(trace);
  if (timers !== undefined && timers.at > kept) return { holder: timers.text };
  const at = Math.max(kept, listener?.at ?? -1);
  const event = at > kept && listenerTable.test(trace[at]?.via ?? '') ? trace[at + 1] : undefined;
  if (event?.suspect === true && !event.via.startsWith('['))
    return { holder: listenersText(nameAt(trace, at - 1), event.via) };
  const head = at < 0 ? chainIn(trace)?.head : undefined;
  if (head !== undefined) return { holder: nameAt(trace, head) };
  const name = nameAt(trace, at < 0 ? trace.findIndex(({ suspect }) => suspect === true) : at);
  if (name === '') return {};
  return { holder: at > kept ? `listeners of ${name}` : name };
}

/** Whether a path goes through the container of this name. */
export function leadsThrough(trace: readonly Hop[], name: string): boolean {
  return trace.some((_, at) => nameAt(trace, at) === name);
}

/** The suspect steps of a path: one container of the program, or a list of listeners with all its parts. */
export function holderIn<Step extends Hop>(trace: readonly Step[]): readonly Step[] {
  const kept = containerIn(trace);
  const listener = listenerIn(trace);
  if (listener === undefined || listener.at < kept) return trace.slice(kept, kept < 0 ? 0 : kept + 1);
  return trace.slice(kept + 1).filter((hop) => hop.suspect === true && isOfListener(hop));
}

/** Index of the container nearest to the leak. A container that leaks itself, the last of several suspects, is not its holder. */
function containerIn(trace: readonly Hop[]): number {
  const last = trace.findLastIndex(({ suspect }) => suspect === true);
  const isHolder = (hop: Hop, i: number): boolean =>
    i > 0 && hop.suspect === true && container.test(hop.name) && !isOfListeners(trace, i);
  const before = trace.findLastIndex((hop, i) => i < last && isHolder(hop, i));
  return before >= 0 ? before : trace.findLastIndex(isHolder);
}

/** True for Maps and arrays in which Node.js keeps listeners, which are not the program's. */
function isOfListeners(trace: readonly Hop[], at: number): boolean {
  return [trace[at], trace[at - 1]].some((hop) => hop !== undefined && isOfListener(hop));
}

function isOfListener(hop: Hop): boolean {
  return listenerRules.some(({ test }) => test.test(textOf(hop)));
}

function listenerIn(trace: readonly Hop[]): { readonly at: number; readonly fix: string } | undefined {
  const isAnySuspect = trace.some(({ suspect }) => suspect === true);
  // A list of many listeners of one event is suspect alone; the table of the emitter that has it is the step before.
  const isIn = (hop: Hop, i: number): boolean =>
    !isAnySuspect || hop.suspect === true || (listenerTable.test(hop.via) && trace[i + 1]?.suspect === true);
  const found = listenerRules.map(({ test, fix }) => ({
    fix,
    at: trace.findLastIndex((hop, i) => isIn(hop, i) && test.test(textOf(hop))),
  }));
  return found.filter(({ at }) => at >= 0).sort((a, b) => b.at - a.at)[0];
}

/** Whether timers accumulate. */
export function isOfTimers(trace: readonly Hop[]): boolean {
  return (timersIn(trace)?.at ?? -1) > containerIn(trace);
}

/** Node.js keeps timers in lists of its own, one for each delay, so that only the delay and their function tell whose they are. */
function timersIn(trace: readonly Hop[]): { readonly at: number; readonly text: string } | undefined {
  const link = trace.findLastIndex(({ via, suspect }) => suspect === true && timerLink.test(via));
  if (link < 0) return undefined;
  const { at } = trace.slice(link).find(({ via }) => via === '_onTimeout') ?? {};
  const list = trace.slice(0, link).find(({ name }) => name === 'TimersList');
  const delay = Number(delayKey.exec(list?.via ?? '')?.groups?.['ms'] ?? 0);
  if (at === undefined && delay === 0) return undefined;
  const place = at === undefined ? '' : ` (function at ${at})`;
  return { at: link, text: `timers${delay === 0 ? '' : ` of ${formatDuration(delay)}`}${place}` };
}

const delayKey = /^\[(?<ms>\d+)\]$/;
const timerLink = /^_idle(?:Next|Prev)$/;

const textOf = ({ via, name }: Hop): string => `${via} ${name}`;

const variable = /^variable (?<name>.+)$/;

/** A place in a path in the form of code, e.g. `SessionStore.sessions`, or `auditQueue.#queue` where a variable is known. */
function nameAt(trace: readonly Hop[], at: number): string {
  const holder = trace[Math.max(0, at - 1)];
  const place = trace[at]?.via ?? '';
  const own = variable.exec(place)?.groups?.['name'];
  if (own !== undefined) return own;
  if (holder === undefined || holder.type === 'root') return place;
  const owner = variable.exec(holder.via)?.groups?.['name'] ?? holder.name;
  return property.test(place) ? `${owner}.${place}` : `${owner} ${place}`.trim();
}
