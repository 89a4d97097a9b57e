import { createHash } from 'node:crypto';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { formatByteSize, formatDuration } from '@plimsoll/core/units';
import { findingOf } from '../findings/finding-book.ts';
import { worseSeverity, type Finding } from '../findings/finding.ts';
import type { Growth, Suspect } from '@plimsoll/heap';
import type { SnapshotAnalysis } from './snapshot-analysis.ts';
import { cureOf } from './cure.ts';
import { growthFingerprint } from '../judge/verdict.ts';
import type { Judgement } from '../judge/growth-shape.ts';
import { ShortRun } from '../judge/short-run.ts';
import type { Verdict } from '../judge/verdict.ts';
import type { Refusal } from './capture.ts';
import type { AddingSite, Capture, GrowthRecord, RecordedChannel } from './growth-record.ts';

/** A verdict with its reason in one sentence, and the findings behind it. */
export interface Proof {
  readonly verdict: Verdict;
  readonly why: string;
  readonly findings: readonly Finding[];
}

/** A path explains growth when it gained this part of it. */
const explainedRatio = 0.2;
/** And not less than this, however little was gained between the snapshots. */
const leastExplainedBytes = 16 * 1024;
/** One snapshot explains growth when what it suspects is about as large as the growth. */
const likenessRatio = 0.5;
/** It shows what is there, not that it became more: the floors must have said so for a while. */
const fewestFloorsForOne = 8;
const leastNativeObjects = 50;
/** Growth below this, or below this part of the heap, that its snapshots do not explain is not worth a suspicion. */
const smallGrowthBytes = 512 * 1024;
const smallGrowthRatio = 0.1;
/** A container lets go of its entries when no more than this part of the first snapshot's is still there. A leak keeps all of them. */
const mostKeptRatio = 0.1;
/** Fewer entries than this may all be gone by chance. */
const fewestEntries = 20;
/** With one snapshot only: this part of the growth must fall into its last quarter, or what grew has come to rest. */
const leastLateRatio = 0.12;
/** A run below this age is a script or a test, not a server that fills its caches. */
const shortRunMs = 30_000;
/** Below this part of its earlier pace a container counts as come to rest. */
const restRatio = 0.33;
const hourMs = 3_600_000;

const words: Readonly<Record<RecordedChannel, string>> = {
  heap: 'live heap',
  external: 'external memory (Buffers, ArrayBuffers)',
  native: 'native memory outside of V8',
};

/** What the judge of the run says of one channel. */
type Grown = ShortRun<RecordedChannel>['verdicts'][number];

/**
 * The verdict from what the process saw and what its snapshots say. Growth without anybody who explains it accuses nobody, and `clean` is
 * only said when no channel grows.
 */
export function proofOf(record: GrowthRecord, analysis: SnapshotAnalysis | undefined): Proof {
  const run = new ShortRun(record.channels);
  const growing = run.with('leak');
  const asked = [...growing, ...run.with('undecided').filter((each) => mayExplain(each, record))];
  for (const grown of asked) {
    const found = analysis === undefined ? [] : apart(explanations(grown, record, analysis));
    if (found.length > 0) return accused(record, grown, found);
  }
  const [worst] = growing;
  if (worst === undefined) return quiet(record, run);
  const bounded = analysis === undefined ? undefined : boundedIn(worst.judgement, analysis);
  const [site] = record.sites ?? [];
  if (analysis === undefined && worst.channel === 'heap' && site !== undefined)
    return accusedSite(record, worst, site);
  // Compiled code and feedback of a program that warms up creep like this, and no path of the program shows them.
  if (analysis !== undefined && worst.growthBytes < smallGrowthBytes)
    return {
      verdict: 'clean',
      why: `${grewText(worst)}, and no path in its snapshots gained what matters.`,
      findings: [],
    };
  const why = bounded === undefined ? unexplained(record, analysis) : boundText(bounded);
  return {
    verdict: 'undecided',
    why: `${grewText(worst)}; ${why}.`,
    findings: bounded === undefined ? [suspicion(record, worst.channel, worst.judgement)] : [],
  };
}

/**
 * Whether snapshots may decide what the floors alone leave open: three in which a container rises steadily, or those of a run of seconds,
 * which has no time for caches to fill.
 */
function mayExplain({ judgement }: Grown, { middle, at, startedAt }: GrowthRecord): boolean {
  const isShort = at - startedAt < shortRunMs && judgement.shape === 'unclear' && judgement.odds > 0;
  return middle != null || isShort;
}

function accused(record: GrowthRecord, grown: Grown, found: readonly Explanation[]): Proof {
  const { channel, judgement } = grown;
  return {
    verdict: 'leak',
    why: `${grewText(grown)}; ${(found[0] as Explanation).summary}.`,
    findings: found.map((each, i) =>
      confirmed(record, judgement, each, i, channel === 'native' ? judgement.growthBytes : bytesOf(each)),
    ),
  };
}

/** No snapshot fitted, and the samples of the heap say which function adds what stays. */
function accusedSite(record: GrowthRecord, grown: Grown, site: AddingSite): Proof {
  const place = `${site.function} (${placeOf(site)})`;
  const rate = Math.min(site.perHour, Math.max(grown.judgement.rate.perHour, 0) || site.perHour);
  const finding = findingOf(
    {
      kind: 'growth',
      severity: 'medium',
      scope: 'process',
      fingerprint: siteFingerprint(site),
      firstSeen: record.suspectedAt ?? record.at,
      bytes: Math.round(grown.judgement.growthBytes),
      rate: Math.round(rate),
      subject: `objects allocated in ${place}`,
      site: place,
      fix: `find who keeps what ${site.function} allocates: its objects are added and not replaced. A snapshot names the holder (plimsoll run --max-pause 30s).`,
    },
    record.at,
  );
  return {
    verdict: 'leak',
    why: `${grewText(grown)}; ${place} allocates what stays, and ${unexplained(record, undefined)}.`,
    findings: [finding],
  };
}

function placeOf({ file, line }: AddingSite): string {
  const path = file.startsWith('file:') ? fileURLToPath(file) : file;
  return `${relative(process.cwd(), path).startsWith('..') ? path : relative(process.cwd(), path)}:${line}`;
}

function siteFingerprint({ function: name, file }: AddingSite): string {
  return createHash('sha256').update(`site\0${name}\0${file}`).digest('hex').slice(0, 16);
}

function grewText({ channel, reason }: Grown): string {
  return `the ${words[channel]} ${reason}`;
}

function isSmall({ growthBytes }: Judgement, { floors }: GrowthRecord): boolean {
  return growthBytes < Math.max(smallGrowthBytes, smallGrowthRatio * (floors.at(-1) ?? 0));
}

type Explanation = Growth | Suspect;

function explanations(
  { channel, judgement }: Grown,
  record: GrowthRecord,
  analysis: SnapshotAnalysis,
): readonly Explanation[] {
  const { growthBytes } = judgement;
  if (channel === 'native') {
    return nativeExplanations(analysis);
  }
  if (record.first === null) {
    // One object is no growth over many floors, and something as large as a small growth is in every heap.
    if (isSmall(judgement, record) || judgement.floors < fewestFloorsForOne || isAtRest(record)) return [];
    // What leaks has leaked from the start on, before the window that was judged.
    const { floors } = record;
    const mostBytes = Math.max(growthBytes, (floors.at(-1) ?? 0) - Math.min(...floors)) / likenessRatio;
    return analysis.suspects
      .filter(
        (each) =>
          each.kind !== 'large' &&
          each.retainedBytes >= likenessRatio * growthBytes &&
          each.retainedBytes <= mostBytes,
      )
      .slice(0, 1);
  }
  const last = record.floors.at(-1) ?? 0;
  const between = channel === 'heap' ? Math.max(0, last - record.first.heapBytes) : growthBytes;
  const bar = Math.max(leastExplainedBytes, explainedRatio * Math.min(between, growthBytes));
  const ranked = analysis.growth
    .filter(
      (each) =>
        explainedBytes(each) > 0 && each.trace.length > 1 && !isReplaced(each) && !hasCome(each, record),
    )
    .sort((a, b) => explainedBytes(b) - explainedBytes(a));
  const large = ranked.filter((each) => explainedBytes(each) >= bar);
  // Many small paths may share one leak; the largest of them names it when together they explain it.
  const sum = ranked.reduce((bytes, each) => bytes + explainedBytes(each), 0);
  return large.length > 0 ? large.slice(0, 3) : sum >= 2 * bar ? ranked.slice(0, 1) : [];
}

/**
 * Whether a container replaces its entries: hardly any object that the first snapshot has at the path is still there. A Map that fills
 * up to its bound gains entries between two snapshots, too, but it lets go of the old ones.
 */
function isReplaced({ counts, fresh }: Growth): boolean {
  const before = counts[0] ?? 0;
  const kept = Math.max(0, (counts.at(-1) ?? 0) - fresh);
  return before >= fewestEntries && kept <= mostKeptRatio * before;
}

/**
 * Whether the count at a path came to rest between the second and the third snapshot: its pace per work is below a third of what it was
 * between the first two. A cache that fills up does this, a leak does not.
 */
function hasCome({ counts }: Growth, { first, middle, last }: GrowthRecord): boolean {
  if (first === null || middle == null || last === null || counts.length < 3) return false;
  const [a, b, c] = counts as [number, number, number];
  const before = workOf(middle) - workOf(first);
  const after = workOf(last) - workOf(middle);
  return before > 0 && after > 0 && (c - b) / after < restRatio * ((b - a) / before);
}

function workOf({ work, at }: Capture): number {
  return work ?? at;
}

/** The container at its bound that accounts for the growth. */
function boundedIn({ growthBytes }: Judgement, { growth }: SnapshotAnalysis): Growth | undefined {
  return growth.find((each) => isReplaced(each) && (each.bytes.at(-1) ?? 0) >= likenessRatio * growthBytes);
}

function boundText({ name, counts }: Growth): string {
  const count = (counts.at(-1) ?? 0).toLocaleString('en-US');
  return `the ${count} × ${name} that it consists of were replaced between the snapshots: their container lets go of old ones`;
}

/** Whether the floors no longer rise at the end, by the share of all growth that fell into the last quarter. */
function isAtRest({ floors }: GrowthRecord): boolean {
  const last = floors.at(-1) ?? 0;
  const growth = last - Math.min(...floors);
  const late = last - (floors[Math.floor(0.75 * (floors.length - 1))] ?? last);
  return growth > 0 && late < leastLateRatio * growth;
}

/** A native leak shows in the heap as its wrappers only: few bytes, many objects. What is known to wrap something comes first. */
function nativeExplanations({ growth, wrappers }: SnapshotAnalysis): readonly Explanation[] {
  const many = wrappers.filter((each) => (each.counts.at(-1) ?? 0) >= leastNativeObjects);
  const found =
    many.length > 0
      ? // The same objects by the path at which they became more, where the snapshots show it: it names their holder.
        many.map((each) => growth.find(({ name }) => name === each.name) ?? each)
      : growth.filter((each) => gained(each) >= leastNativeObjects);
  return found.slice(0, 3);
}

/** What lies below the holder of a finding before it is part of the same leak. */
function apart(found: readonly Explanation[]): readonly Explanation[] {
  const kept: Explanation[] = [];
  for (const each of found) {
    const path = pathText(each.trace);
    if (!kept.some((other) => path.startsWith(pathText(holderOf(other.trace))))) kept.push(each);
  }
  return kept;
}

function holderOf(trace: Explanation['trace']): Explanation['trace'] {
  const at = trace.findIndex((step) => step.suspect);
  return at < 0 ? trace : trace.slice(0, at + 1);
}

function pathText(trace: Explanation['trace']): string {
  return trace.map((step) => `${step.via} ${step.name}`).join('\n');
}

/**
 * Bytes at a path that its new objects account for. Between two snapshots shared objects may change the path by which they are first
 * reached; that moves bytes to a path that gained hardly any object, and explains nothing.
 */
function explainedBytes(growth: Growth): number {
  const count = growth.counts.at(-1) ?? 0;
  const bytes = growth.bytes.at(-1) ?? 0;
  return count === 0 ? 0 : Math.min(growth.newBytes, (3 * bytes * gained(growth)) / count);
}

function gained({ counts, fresh }: Growth): number {
  return Math.min(fresh, (counts.at(-1) ?? 0) - (counts[0] ?? 0));
}

function bytesOf(found: Explanation): number {
  return 'newBytes' in found ? found.newBytes : found.retainedBytes;
}

function confirmed(
  record: GrowthRecord,
  judgement: Judgement,
  found: Explanation,
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
      ...(knownLeak && {
        knownLeak: { name: knownLeak.title, cure: knownLeak.cure, link: knownLeak.link },
      }),
      fix: knownLeak?.cure ?? cureOf(trace),
    },
    record.at,
  );
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

/** Bytes per hour: what the path itself gained between its snapshots, else the floors at the end. */
function rateOf(
  { first, last }: GrowthRecord,
  { rate }: Judgement,
  gainedBytes?: number,
): { readonly rate?: number } {
  const ms = first === null || last === null ? 0 : last.at - last.stopMs - first.at;
  if (gainedBytes !== undefined && ms > 0) return { rate: Math.round((gainedBytes / ms) * hourMs) };
  return rate.perHour > 0 ? { rate: rate.perHour } : {};
}

/** No channel has the shape of a leak. What is open is said first. */
function quiet(record: GrowthRecord, run: ShortRun<RecordedChannel>): Proof {
  const [open] = run.with('undecided');
  if (open !== undefined) {
    const lasted = formatDuration(record.at - record.startedAt);
    const why = `in ${lasted} ${grewText(open)}; run it longer or under more load.`;
    return { verdict: 'undecided', why, findings: [] };
  }
  const ended = run.verdicts.find(
    ({ judgement }) => judgement.shape === 'ended' && judgement.growthBytes > 0,
  );
  const floors = record.channels.heap.floors;
  const why =
    ended === undefined ? `over ${floors} floors nothing grew that matters.` : `${grewText(ended)}.`;
  return { verdict: 'clean', why, findings: [] };
}

function unexplained(record: GrowthRecord, analysis: SnapshotAnalysis | undefined): string {
  if (record.last === null) {
    return record.refused === null ? 'no snapshot was taken' : refusalText(record.refused);
  }
  return analysis === undefined ? 'the snapshots could not be read' : 'no path in its snapshots explains it';
}

export function refusalText(refusal: Refusal): string {
  const objects = refusal.objects.toLocaleString('en-US');
  return refusal.for === 'memory'
    ? `a snapshot of up to ${objects} objects needs ${formatByteSize(refusal.neededBytes)} and ${formatByteSize(refusal.freeBytes)} is free`
    : `a snapshot would stop the process for about ${formatDuration(refusal.stopMs)} and ${formatDuration(refusal.maxStopMs)} is allowed`;
}
