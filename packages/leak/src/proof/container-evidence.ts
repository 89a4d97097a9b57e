import { createHash } from 'node:crypto';
import { formatByteSize, formatDuration } from '@plimsoll/core/units';
import type { KnownLeak } from '@plimsoll/heap';
import { matchKnownLeak } from '@plimsoll/heap/internal/known-leaks/match';
import { shortPath } from '@plimsoll/heap/internal/trace/script-place';
import type { GrownContainer } from '../containers/container-counts.ts';
import { anyEntry, listenerList, nameOf } from '../containers/container-name.ts';
import type { PathStep } from '../containers/found-container.ts';
import { gainedBytesOf, mostFormerPace, risesSurely, sureOdds } from '../containers/sure-rise.ts';
import { chainCure, cureOf } from './cure.ts';
import { eachText, mayBeWindows } from './windows.ts';
import type { Finding } from '../findings/finding.ts';
import type { Judgement } from '../judge/growth-shape.ts';

/** Least share of the growth that a container must have gained to explain it. Sizes of entries are estimates and floors have noise. */
const explainedRatio = 0.1;
/**
 * The same share for entries with texts, because texts hold more than they seem: joined strings up to 13 times as much, slices of long
 * texts even more.
 */
const textRatio = 0.02;
/** A container that gained this share of the growth accounts for most of it. */
const mostlyRatio = 0.5;
/** Least gained entries of a container whose entry size is unknown. */
const leastLight = 100;
const leastTimers = 500;
const hourMs = 3_600_000;

/**
 * The container that rose steadily and accounts for the growth. Containers with known entry sizes come first. When the floors leave the
 * growth open, only a certain one decides.
 */
export function risingHolder(
  containers: readonly GrownContainer[],
  { shape, growthBytes }: Judgement,
): GrownContainer | undefined {
  const rising = containers.filter((each) => each.shape === 'growing' && !areWindows(each));
  // With too few floors to show any growth there is nothing to account for: a cache that fills for the first time looks the same.
  if (shape !== 'growing' && growthBytes <= 0) return undefined;
  if (shape !== 'growing')
    return rising.find(
      (each) =>
        each.odds >= sureOdds &&
        gainedBytesOf(each) >= explainedRatio * growthBytes &&
        (shape !== 'slowing' || each.formerPace <= mostFormerPace),
    );
  return (
    rising.find((each) => gainedBytesOf(each) >= explainedRatio * growthBytes) ??
    rising.find((each) => each.hasTexts && gainedBytesOf(each) >= textRatio * growthBytes) ??
    containers.find((each) => mayRise(each) && gainedBytesOf(each) >= explainedRatio * growthBytes) ??
    // Timers and the like become more with the sessions of a container that accounts for the growth and accuses nobody.
    (!containers.some((each) => isInnocent(each) && gainedBytesOf(each) >= mostlyRatio * growthBytes)
      ? rising.find((each) => each.isLight && each.gained >= leastOf(each))
      : undefined)
  );
}

/**
 * The container that certainly rises, but too slowly for the floors to show it or rule it out: a busy framework has floors with a wide
 * band. Its gained bytes have to matter by themselves.
 */
export function hiddenHolder(
  containers: readonly GrownContainer[],
  { rate }: Judgement,
  lifeMs: number,
): GrownContainer | undefined {
  return containers.find((each) => {
    const perHour = (gainedBytesOf(each) * hourMs) / lifeMs;
    return risesSurely(each) && !areWindows(each) && perHour >= rate.low && perHour <= rate.high;
  });
}

/** The container that gained enough to account for growth that is already a leak, even when it was found too late to be judged itself. */
export function likelyHolder(
  containers: readonly GrownContainer[],
  { growthBytes }: Judgement,
): GrownContainer | undefined {
  const open = containers.filter(({ shape }) => shape === 'few' || shape === 'unclear');
  return (
    open.find((each) => gainedBytesOf(each) >= ratioOf(each) * growthBytes) ??
    open.find((each) => each.isLight && each.gained >= leastOf(each))
  );
}

function ratioOf({ hasTexts }: GrownContainer): number {
  return hasTexts ? textRatio : explainedRatio;
}

/** The lists that account for the growth and are as short as windows that are still filling up. */
export function windowsIn(
  containers: readonly GrownContainer[],
  { growthBytes }: Judgement,
): GrownContainer | undefined {
  return containers.find(
    (each) => areWindows(each) && !isAtRest(each) && gainedBytesOf(each) >= explainedRatio * growthBytes,
  );
}

export function windowsText(container: GrownContainer): string {
  return `${containerText(container)}, ${eachText(container.count, container.lists ?? 1)}`;
}

function areWindows({ kind, count, lists }: GrownContainer): boolean {
  return kind === 'lists' && lists !== undefined && mayBeWindows(count, lists);
}

/** True for a container that neither slows down nor has stopped. It is used when the floors are certain. */
function mayRise(container: GrownContainer): boolean {
  const { shape, odds } = container;
  return shape === 'unclear' && odds > 0 && !areWindows(container);
}

/**
 * Least number of gained entries. More for timers, because timers of requests in flight increase when the machine is too busy to answer.
 */
function leastOf({ kind }: GrownContainer): number {
  return kind === 'resources' ? leastTimers : leastLight;
}

/** The container that accounts for much of the growth and has stopped growing, like a cache that filled up. */
export function restedIn(
  containers: readonly GrownContainer[],
  { growthBytes }: Judgement,
): GrownContainer | undefined {
  return containers.find((each) => isAtRest(each) && gainedBytesOf(each) >= explainedRatio * growthBytes);
}

function isAtRest({ shape }: GrownContainer): boolean {
  return shape === 'ended' || shape === 'flat';
}

/** Whether its growth is explained without a leak. */
export function isInnocent({ shape }: GrownContainer): boolean {
  return shape === 'filling' || shape === 'leaving';
}

/** The container that accounts for the growth and is still below the bound that it knows, or lets go of its oldest entries. */
export function fillingIn(
  containers: readonly GrownContainer[],
  { growthBytes }: Judgement,
): GrownContainer | undefined {
  return containers.find(
    (each) =>
      isInnocent(each) &&
      (each.isLight ? each.gained >= leastOf(each) : gainedBytesOf(each) >= ratioOf(each) * growthBytes),
  );
}

/** A cache that knows its bound and gained entries of which little is known: it keeps their values in other lists, for instance. */
export function cacheIn(containers: readonly GrownContainer[]): GrownContainer | undefined {
  return containers.find((each) => each.shape === 'filling' && each.gained >= leastOf(each));
}

/** The cache that a container is a part of where the bound is its owner's: keys and values of one may be in several containers. */
export function cacheNameOf(container: GrownContainer): string {
  const { path, isOfOwner } = container;
  return nameOf(
    isOfOwner === true && path.length > 1 ? { ...container, path: path.slice(0, -1) } : container,
  );
}

export function fillingText(container: GrownContainer): string {
  return `${cacheNameOf(container)} accounts for it and ${stateText(container)}`;
}

export function cacheText(container: GrownContainer): string {
  return `${cacheNameOf(container)} ${stateText(container)}; run it longer to see whether anything else grows`;
}

function stateText({ count, bound, keepsMs = 0, shape }: GrownContainer): string {
  const text = (value: number): string => value.toLocaleString('en-US');
  if (shape === 'leaving')
    return `lets go of old entries: its ${text(count)} are as many as the load or a slow consumer makes them`;
  if (bound === undefined || count > bound)
    return `is a cache that fills: it keeps each entry for ${formatDuration(keepsMs)}, longer than it was watched`;
  const state = count === bound ? 'is full' : 'fills';
  return `is a cache that ${state}: ${text(count)} of at most ${text(bound)} entries`;
}

export function restedText(container: GrownContainer): string {
  const count = container.count.toLocaleString('en-US');
  return `${nameOf(container)} accounts for it and has come to rest at ${count} entries`;
}

/** The fix for a container. */
export function fixOf(container: GrownContainer): string {
  const { kind, path, slicedBytes } = container;
  if (slicedBytes !== undefined)
    return `copy what ${nameOf(container)} keeps (Buffer.from(view)): each small view keeps its whole buffer of about ${formatByteSize(slicedBytes)}.`;
  if (kind === 'lists')
    return `give each list ${nameOf(container)} a bound, or remove entries from it when their work ends.`;
  if (kind === 'text') return `write ${nameOf(container)} out and start again, or keep only its end.`;
  if (kind !== 'chain' && kind !== 'closures') return cureOf(traceOf(container));
  return chainCure(nameOf(container), path.at(-1)?.via ?? '');
}

export function containerText(container: GrownContainer): string {
  const { kind, count, gained, entryBytes, isLight, entryClass, listener } = container;
  const name = listener?.name ?? entryClass;
  const what = name === undefined ? whatOf[kind] : `${whatOf[kind]} (${name})`;
  const each = isLight || entryBytes === 0 ? '' : ` of about ${formatByteSize(entryBytes)} each`;
  const type = kind === 'Map' || kind === 'Set' || kind === 'Array' ? ` (${kind})` : '';
  const text = (value: number): string => value.toLocaleString('en-US');
  if (kind === 'closures') return `${nameOf(container)} leads to a chain of ${text(count)} closures or more`;
  if (kind === 'lists')
    return `the lists ${nameOf(container)} gained ${text(gained)} ${what}${each} while they were watched and hold ${text(count)} together`;
  if (kind === 'resources')
    return `${text(count)} timers wait, ${text(gained)} more than when they were first counted`;
  return `${nameOf(container)}${type} gained ${text(gained)} ${what}${each} while it was watched and holds ${text(count)}`;
}

/** The known leak that keeps its objects in such a container. No snapshot is needed to tell it. */
export function knownLeakIn(container: GrownContainer): KnownLeak | undefined {
  const { path, kind, listener } = container;
  const links = kind === 'listeners' ? [{ via: 'next', name: 'Listener' }] : [];
  const script = listener?.file === undefined ? {} : { script: shortPath(listener.file) };
  return matchKnownLeak([...path, ...links, ...entryOf(container).map((step) => ({ ...step, ...script }))]);
}

/** Fingerprint of a container, the same in every run. */
export function containerFingerprint({ path }: GrownContainer): string {
  const text = path.map(({ via, name }) => `${via} ${name}`).join('\0');
  return createHash('sha256').update(`container\0${text}`).digest('hex').slice(0, 16);
}

const whatOf: Readonly<Record<GrownContainer['kind'], string>> = {
  Map: 'entries',
  Set: 'entries',
  Array: 'entries',
  object: 'keys',
  listeners: 'listeners',
  lists: 'entries',
  chain: 'links',
  closures: 'closures',
  text: 'KiB',
  resources: 'timers',
};
/** The path as a leak trace, root first. The container is the suspect. */
export function traceOf(container: GrownContainer): NonNullable<Finding['trace']> {
  const { path, count } = container;
  const list = path.findIndex(({ via }) => listenerList.test(via));
  const from = list < 0 ? path.length - 1 : list;
  const steps = path.map(({ via, name }, i) => {
    const isSuspect = i >= from;
    return {
      type: name.endsWith('()') ? 'function' : 'object',
      name: name.replace(/\(\)$/, ''),
      via,
      leaking: isSuspect ? ('yes' as const) : ('no' as const),
      why: i === path.length - 1 ? `it has ${count.toLocaleString('en-US')} entries and only gains` : '',
      suspect: isSuspect,
    };
  });
  const isServed = path[0]?.via.endsWith(' listener') === true;
  const root = isServed
    ? { name: 'a server of the program', why: 'it serves' }
    : { name: 'the program', why: 'it runs' };
  const entry = entryOf(container).map(({ via, name }) => ({
    type: name.endsWith('()') ? 'function' : 'object',
    name: name.replace(/\(\)$/, ''),
    via,
    leaking: 'yes' as const,
    why: 'an entry',
  }));
  return [{ type: 'root', via: '', leaking: 'no', ...root }, ...steps, ...entry];
}

/** The step from a container to one of its entries, where the class or function of all of them is known. */
function entryOf({ entryClass, listener }: GrownContainer): readonly PathStep[] {
  if (listener !== undefined) return [{ via: 'listener', name: listener.name }];
  return entryClass === undefined ? [] : [{ via: anyEntry, name: entryClass }];
}
