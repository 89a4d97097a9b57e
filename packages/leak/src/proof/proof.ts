import { createHash } from 'node:crypto';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { formatByteSize, formatDuration } from '@plimsoll/core/units';
import { findingOf } from '../findings/finding-book.ts';
import { worseSeverity, type Finding } from '../findings/finding.ts';
import type { Growth, KnownLeak } from '@plimsoll/heap';
import type { ScriptLookup } from '@plimsoll/heap/internal/trace/script-place';
import type { SnapshotAnalysis } from './snapshot-analysis.ts';
import { cureOf, holderOf, isOfTimers, leadsThrough } from './cure.ts';
import { withLocalName } from './local-name.ts';
import { growthFingerprint } from '../judge/verdict.ts';
import type { Judgement } from '../judge/growth-shape.ts';
import { nearestOwn } from '../audit/installed-file.ts';
import { ShortRun, smallGrowthBytes } from '../judge/short-run.ts';
import type { Verdict } from '../judge/verdict.ts';
import type { Refusal } from './capture.ts';
import { boundedIn, bytesOf, explanations, type GrowthExplanation, windowedIn } from './explanation.ts';
import { eachText } from './windows.ts';
import {
  cacheIn,
  cacheNameOf,
  cacheText,
  containerFingerprint,
  containerText,
  fillingIn,
  isInnocent,
  fillingText,
  fixOf,
  hiddenHolder,
  knownLeakIn,
  likelyHolder,
  risingHolder,
  restedIn,
  restedText,
  traceOf,
  windowsIn,
  windowsText,
} from './container-evidence.ts';
import type { GrownContainer } from '../containers/container-counts.ts';
import { nameOf } from '../containers/container-name.ts';
import { gainedBytesOf } from '../containers/sure-rise.ts';
import type { AddingSite, FunctionPlace, GrowthRecord, RecordedChannel } from './growth-record.ts';

/** A verdict with its reason in one sentence, and the findings behind it. */
export interface Proof {
  readonly verdict: Verdict;
  readonly why: string;
  readonly findings: readonly Finding[];
}

/** A shorter run is a script or a test and not a server that fills its caches. */
const shortRunMs = 30_000;
const hourMs = 3_600_000;
/**
 * A function without a known holder is accused when at most this share of its objects is replaced. Values that grow up to a bound are
 * replaced by larger ones (0.45 to 0.51 in three runs). In a leak only objects of requests in flight die (0 to 0.02 in six runs).
 */
const mostReplaced = 0.25;

const words: Readonly<Record<RecordedChannel, string>> = {
  heap: 'live heap',
  external: 'external memory (Buffers, ArrayBuffers)',
  native: 'native memory outside of V8',
};

/** The judgement of the run on one channel. */
type Grown = ShortRun<RecordedChannel>['verdicts'][number];

/**
 * The verdict from the record of the process and its snapshots. Growth without an explanation names no holder, and the verdict is `clean`
 * only when no channel grows. `scripts` reads files to name functions by their sources; without it, bundled functions have their short
 * names.
 */
export function proofOf(
  record: GrowthRecord,
  analysis: SnapshotAnalysis | undefined,
  scripts?: ScriptLookup,
): Proof {
  const run = new ShortRun(record.channels);
  const growing = run.with('leak');
  const open = run.with('undecided');
  const containers = record.containers ?? [];
  const asked = [...growing, ...open.filter((each) => mayExplain(each, record))];
  for (const grown of asked) {
    const found =
      analysis === undefined ? [] : explanations(grown.channel, grown.judgement, record, analysis);
    const told = found.filter((each) => !isOfFilling(each, containers));
    const sure = growing.includes(grown) ? told : told.filter((each) => !isSeenSlowing(each, containers));
    const named = sure.map((each) => withLocalName(each, containers));
    if (named.length > 0) return accused(record, grown, named);
  }
  for (const grown of [...growing, ...open]) {
    const holder = risingHolder(containers, grown.judgement);
    if (holder !== undefined) return accusedContainer(record, grown, holder);
  }
  const [worst] = growing;
  return worst === undefined ? quiet(record, run, analysis) : unproved(record, worst, analysis, scripts);
}

/** The floors have the shape of a leak, and neither a path nor a container explains it. */
function unproved(
  record: GrowthRecord,
  worst: Grown,
  analysis: SnapshotAnalysis | undefined,
  scripts: ScriptLookup | undefined,
): Proof {
  const calm = calmText(record, worst, analysis);
  if (calm !== undefined) return { verdict: 'undecided', why: `${grewText(worst)}; ${calm}.`, findings: [] };
  // V8's feedback and maps grow slowly like this while a program warms up, without a path of the program.
  if (analysis !== undefined && worst.growthBytes < smallGrowthBytes)
    return {
      verdict: 'clean',
      why: `${grewText(worst)}, and no path in its snapshots gained what matters.`,
      findings: [],
    };
  const [site] = record.sites ?? [];
  const isReplacing = site !== undefined && (site.replaced ?? 0) > mostReplaced;
  if (worst.channel === 'heap' && site !== undefined && !isReplacing) {
    const holder = likelyHolder(record.containers ?? [], worst.judgement);
    return holder === undefined
      ? accusedSite(record, worst, site, analysis, scripts)
      : accusedContainer(record, worst, holder);
  }
  return {
    verdict: 'undecided',
    why: `${grewText(worst)}; ${isReplacing ? replacingText(site, scripts) : unexplained(record, analysis)}.`,
    findings: [suspicion(record, worst.channel, worst.judgement)],
  };
}

/** What accounts for the growth of a channel and is no leak as far as is known, in words. */
function calmText(
  { containers = [] }: GrowthRecord,
  { judgement }: Grown,
  analysis: SnapshotAnalysis | undefined,
): string | undefined {
  const rested = restedIn(containers, judgement);
  const bounded = analysis === undefined ? undefined : boundedIn(judgement, analysis);
  const filling = fillingIn(containers, judgement);
  const windows = windowsIn(containers, judgement);
  const windowed = analysis === undefined ? undefined : windowedIn(judgement, analysis);
  // What is at rest says less than what may still fill: the sessions stay, and the list of each grows.
  return (
    (filling && fillingText(filling)) ??
    (bounded && boundText(bounded)) ??
    (windows && windowsText(windows)) ??
    (windowed && windowedText(windowed)) ??
    (rested && restedText(rested))
  );
}

/**
 * Whether snapshots may decide a case that the floors leave open: three with a container that rises steadily, or those of a run of seconds,
 * in which caches have no time to fill.
 */
function mayExplain({ judgement }: Grown, { middle, at, startedAt }: GrowthRecord): boolean {
  const isShort = at - startedAt < shortRunMs && judgement.shape === 'unclear' && judgement.odds > 0;
  return middle != null || isShort;
}

/** Whether the holder of a path was watched at every floor and slows down, which is better evidence than three snapshots. */
function isSeenSlowing({ trace }: GrowthExplanation, containers: readonly GrownContainer[]): boolean {
  const { holder } = holderOf(trace);
  return containers.some(
    (each) => ['slowing', 'ended', 'flat'].includes(each.shape) && nameOf(each) === holder,
  );
}

/** Whether a path leads through a container that accuses nobody: what its entries consist of becomes more with them. */
function isOfFilling({ trace }: GrowthExplanation, containers: readonly GrownContainer[]): boolean {
  return containers.some(
    (each) =>
      isInnocent(each) &&
      (each.kind === 'resources' ? isOfTimers(trace) : leadsThrough(trace, cacheNameOf(each))),
  );
}

function accused(record: GrowthRecord, grown: Grown, found: readonly GrowthExplanation[]): Proof {
  const { channel, judgement } = grown;
  return {
    verdict: 'leak',
    why: `${accusedText(grown)}; ${foundText(found[0] as GrowthExplanation)}.`,
    findings: found.map((each, i) =>
      confirmed(record, judgement, each, i, channel === 'native' ? judgement.growthBytes : bytesOf(each)),
    ),
  };
}

/** Text with the holder of the growth. A suspect of one snapshot already names its holder, but for timers, which Node.js keeps. */
export function foundText(found: GrowthExplanation): string {
  const { holder } = holderOf(found.trace);
  if (holder === undefined) return found.summary;
  return 'newBytes' in found
    ? `${holder} holds ${found.summary}`
    : found.summary.replace(/^global(?= holds)/, () => holder);
}

/** The proof when one container gained entries from floor to floor that account for the growth. */
function accusedContainer(record: GrowthRecord, grown: Grown, container: GrownContainer): Proof {
  const known = knownLeakIn(container);
  const finding = findingOf(
    {
      kind: 'growth',
      severity: 'medium',
      scope: 'process',
      fingerprint: containerFingerprint(container),
      firstSeen: record.suspectedAt ?? record.at,
      bytes: Math.round(container.isLight ? grown.judgement.growthBytes : gainedBytesOf(container)),
      ...rateOf(record, grown.judgement),
      subject: `entries of ${nameOf(container)}`,
      holder: nameOf(container),
      trace: traceOf(container),
      ...knownText(known),
      fix: known?.cure ?? fixOf(container),
    },
    record.at,
  );
  return {
    verdict: 'leak',
    why: `${accusedText(grown)}; ${containerText(container)}.`,
    findings: [finding],
  };
}

/** The proof when no path explains the growth, but heap samples show which function allocates the surviving objects. */
function accusedSite(
  record: GrowthRecord,
  grown: Grown,
  site: AddingSite,
  analysis: SnapshotAnalysis | undefined,
  scripts: ScriptLookup | undefined,
): Proof {
  const own = nearestOwn([site, ...(site.callers ?? [])]);
  const place = allocationText(site, own, scripts);
  const rate = Math.min(site.perHour, Math.max(grown.judgement.rate.perHour, 0) || site.perHour);
  const finding = findingOf(
    {
      kind: 'growth',
      severity: 'medium',
      scope: 'process',
      fingerprint: siteFingerprint(own ?? site),
      firstSeen: record.suspectedAt ?? record.at,
      bytes: Math.round(grown.judgement.growthBytes),
      rate: Math.round(rate),
      subject: `objects allocated by ${place}`,
      site: placeText(own ?? site, scripts),
      fix: `find who keeps what ${(own ?? site).function} allocates: its objects are added and not replaced. A snapshot names the holder (plimsoll run --max-pause 30s).`,
    },
    record.at,
  );
  return {
    verdict: 'leak',
    why: `${grewText(grown)}; what stays is allocated by ${place}, and ${unexplained(record, analysis)}.`,
    findings: [finding],
  };
}

/**
 * A dependency that allocates holds nothing by that: the nearest caller of the program's own is what to look at. Nor does a helper of the
 * program: its caller is told, too.
 */
function allocationText(site: AddingSite, own: FunctionPlace | undefined, scripts?: ScriptLookup): string {
  const place = placeText(site, scripts);
  if (own === undefined) return `${place}, which is no code of the program`;
  const caller = own === site ? nearestOwn(site.callers ?? []) : own;
  return caller === undefined ? place : `${place}, called from ${placeText(caller, scripts)}`;
}

function replacingText(site: AddingSite, scripts: ScriptLookup | undefined): string {
  const share = Math.round(100 * (site.replaced ?? 0));
  return `of what ${placeText(site, scripts)} allocates ${share} % takes the place of older objects: values that grow up to a bound look like this, so run it longer`;
}

/** A function by its source where it was bundled, e.g. `record (src/server.ts:41)`, with the version of its package. */
function placeText(
  { function: name, file, line, column = 0 }: FunctionPlace,
  scripts?: ScriptLookup,
): string {
  const facts = scripts?.of(file, line - 1, column) ?? {};
  const path = facts.source?.file ?? (file.startsWith('file:') ? fileURLToPath(file) : file);
  const near = relative(process.cwd(), path);
  const place = `${near.startsWith('..') ? path : near}:${facts.source?.line ?? line}`;
  const of = facts.package === undefined ? '' : ` of ${facts.package}`;
  return `${facts.source?.name ?? name} (${place}${of})`;
}

function siteFingerprint({ function: name, file }: FunctionPlace): string {
  return createHash('sha256').update(`site\0${name}\0${file}`).digest('hex').slice(0, 16);
}

function grewText({ channel, reason }: Grown): string {
  return `the ${words[channel]} ${reason}`;
}

/** Of growth that is a leak. Where the floors leave it open, a path or a container shows that it goes on. */
function accusedText(grown: Grown): string {
  const { channel, judgement } = grown;
  if (judgement.shape === 'growing') return grewText(grown);
  const grew = formatByteSize(Math.max(0, judgement.growthBytes));
  return `the ${words[channel]} grew by ${grew} over ${judgement.floors} floors, which alone do not show that it goes on`;
}

function boundText({ name, counts, bound, summary }: Growth): string {
  if (bound !== undefined) return summary;
  const count = (counts.at(-1) ?? 0).toLocaleString('en-US');
  return `the ${count} × ${name} that it consists of were replaced between the snapshots: their container lets go of old ones`;
}

function windowedText(windowed: Growth): string {
  const { counts, holders } = windowed;
  return `${foundText(windowed)}, at ${holders.toLocaleString('en-US')} places, ${eachText(counts.at(-1) ?? 0, holders)}`;
}

function confirmed(
  record: GrowthRecord,
  judgement: Judgement,
  found: GrowthExplanation,
  place: number,
  bytes: number,
): Finding {
  const { knownLeak, trace, fingerprint } = found;
  return findingOf(
    {
      kind: 'growth',
      severity: place === 0 ? worseSeverity(found.severity, 'medium') : 'info',
      scope: trace.find((step) => step.scope !== undefined)?.scope ?? 'process',
      fingerprint,
      firstSeen: record.suspectedAt ?? record.at,
      bytes: Math.round(bytes),
      ...rateOf(record, judgement, 'newBytes' in found ? found.newBytes : undefined),
      trace,
      ...knownText(knownLeak),
      ...holderOf(trace),
      fix: knownLeak?.cure ?? cureOf(trace),
    },
    record.at,
  );
}

function knownText(known: KnownLeak | undefined): Pick<Finding, 'knownLeak'> {
  return known === undefined ? {} : { knownLeak: { name: known.title, cure: known.cure, link: known.link } };
}

function suspicion(record: GrowthRecord, channel: RecordedChannel, judgement: Judgement): Finding {
  return findingOf(
    {
      kind: 'growth',
      severity: 'low',
      scope: 'process',
      fingerprint: growthFingerprint(channel),
      firstSeen: record.suspectedAt ?? record.at,
      bytes: Math.round(judgement.growthBytes),
      ...rateOf(record, judgement),
      fix: 'run it longer, or take two snapshots at equal work and compare them (plimsoll diff A B).',
    },
    record.at,
  );
}

/** Bytes per hour, by the gain of the path between its snapshots, else by the floors at the end. */
function rateOf(
  { first, last }: GrowthRecord,
  { rate }: Judgement,
  gainedBytes?: number,
): { readonly rate?: number } {
  const ms = first === null || last === null ? 0 : last.at - last.stopMs - first.at;
  if (gainedBytes !== undefined && ms > 0) return { rate: Math.round((gainedBytes / ms) * hourMs) };
  return rate.perHour > 0 ? { rate: rate.perHour } : {};
}

/** The proof when no channel has the shape of a leak. Open cases come first. */
function quiet(
  record: GrowthRecord,
  run: ShortRun<RecordedChannel>,
  analysis: SnapshotAnalysis | undefined,
): Proof {
  const [open] = run.with('undecided');
  if (open !== undefined) {
    const lasted = formatDuration(record.at - record.startedAt);
    const why = `in ${lasted} ${grewText(open)}; ${calmText(record, open, analysis) ?? adviceFor(record)}.`;
    return { verdict: 'undecided', why, findings: [] };
  }
  const ended = run.verdicts.find(({ judgement }) => judgement.shape !== 'flat' && judgement.growthBytes > 0);
  const hidden =
    ended && hiddenHolder(record.containers ?? [], ended.judgement, record.at - record.startedAt);
  if (hidden !== undefined && ended !== undefined) return accusedContainer(record, ended, hidden);
  const rising = ended && risingHolder(record.containers ?? [], { ...ended.judgement, shape: 'growing' });
  if (rising !== undefined && ended !== undefined)
    return {
      verdict: 'undecided',
      why: `${grewText(ended)}, but ${containerText(rising)}.`,
      findings: [],
    };
  const floors = record.channels.heap.floors;
  const why =
    ended === undefined ? `over ${floors} floors nothing grew that matters.` : `${grewText(ended)}.`;
  return { verdict: 'clean', why, findings: [] };
}

/** What to do about growth that was not decided, with the container to look at. */
function adviceFor({ containers = [] }: GrowthRecord): string {
  const rising = containers.find(({ shape }) => shape === 'growing');
  const cache = cacheIn(containers);
  if (rising !== undefined) return `${containerText(rising)}: run it longer to see whether it goes on`;
  return cache === undefined ? 'run it longer or under more load' : cacheText(cache);
}

function unexplained(record: GrowthRecord, analysis: SnapshotAnalysis | undefined): string {
  if (record.last === null) {
    return record.refused === null ? 'no snapshot was taken' : refusalText(record.refused);
  }
  if (analysis === undefined) return 'the snapshots could not be read';
  const [largest] = analysis.suspects;
  return record.first === null && largest !== undefined
    ? `one snapshot does not show what grew in it; the largest holder there: ${largest.summary}`
    : 'no path in its snapshots explains it';
}

export function refusalText(refusal: Refusal): string {
  const objects = refusal.objects.toLocaleString('en-US');
  return refusal.for === 'memory'
    ? `a snapshot of up to ${objects} objects needs ${formatByteSize(refusal.neededBytes)} and ${formatByteSize(refusal.freeBytes)} is free`
    : `a snapshot would stop the process for about ${formatDuration(refusal.stopMs)} and ${formatDuration(refusal.maxStopMs)} is allowed`;
}
