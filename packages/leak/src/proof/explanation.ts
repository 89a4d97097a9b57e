import type { Growth, Suspect } from '@plimsoll/heap';
import { isAtRest, type Judgement } from '../judge/growth-shape.ts';
import type { Capture, GrowthRecord, RecordedChannel } from './growth-record.ts';
import type { SnapshotAnalysis } from './snapshot-analysis.ts';
import { mayBeWindows } from './windows.ts';

/** Least share of the growth that a path must have gained to explain it. */
const explainedRatio = 0.2;
/** Least bytes that it must have gained, however little was gained between the snapshots. */
const leastExplainedBytes = 16 * 1024;
/** With one snapshot, a suspect explains growth when it is about as large as the growth. */
const likenessRatio = 0.5;
/** Least number of growing floors for using one snapshot, because it shows contents and not growth. */
const fewestFloorsForOne = 8;
const leastNativeObjects = 50;
/** Unexplained growth below this, or below this share of the heap, is not a suspicion. */
const smallSuspectBytes = 512 * 1024;
const smallGrowthRatio = 0.1;
/** A container replaces its entries when at most this share of the first snapshot's entries is still there. A leak keeps all of them. */
const mostKeptRatio = 0.1;
/** Most share of content that stays. Objects that entries share, such as the name of a model, stay when entries go. */
const mostContentKeptRatio = 0.5;
/** Fewer entries than this may all be gone by chance. */
const fewestEntries = 20;
/** Below this share of its earlier pace a container counts as stopped when the floors alone show that the growth continues. */
const restRatio = 0.33;
/**
 * Below this share it counts as stopped when they do not. A table that fills up with the keys of its load slows down for minutes before it
 * stops.
 */
const slowRatio = 0.67;

/** A holder of the growth in snapshots: a path that gained objects, or one suspect of a single snapshot. */
export type GrowthExplanation = Growth | Suspect;

/** The explanations for the growth of a channel, most bytes first. Paths below the holder of another one are part of the same leak. */
export function explanations(
  channel: RecordedChannel,
  judgement: Judgement,
  record: GrowthRecord,
  analysis: SnapshotAnalysis,
): readonly GrowthExplanation[] {
  if (channel === 'native') return apart(nativeExplanations(analysis));
  if (record.first === null) return lonely(judgement, record, analysis);
  return apart(between(channel, judgement, record, record.first, analysis));
}

/** The suspect of one snapshot that is about as large as the growth. */
function lonely(
  judgement: Judgement,
  record: GrowthRecord,
  { suspects }: SnapshotAnalysis,
): readonly Suspect[] {
  const { floors } = record;
  const { growthBytes } = judgement;
  // A single object cannot explain growth over many floors.
  if (judgement.floors < fewestFloorsForOne || isAtRest(floors)) return [];
  // A leak began at the start, before the judged window, so the suspect may be larger than the judged growth.
  const mostBytes = Math.max(growthBytes, (floors.at(-1) ?? 0) - Math.min(...floors)) / likenessRatio;
  const unbounded = suspects.filter(({ kind, bound }) => kind !== 'large' && bound === undefined);
  // Every heap has objects as large as a small growth, so these do not count.
  const alike = isSmall(judgement, record)
    ? undefined
    : unbounded.find(
        ({ retainedBytes }) => retainedBytes >= likenessRatio * growthBytes && retainedBytes <= mostBytes,
      );
  // A known leak counts even when it is smaller, because the objects of a run are held by several paths.
  const known = unbounded.find(
    ({ knownLeak, retainedBytes }) =>
      knownLeak !== undefined && retainedBytes >= explainedRatio * growthBytes,
  );
  const found = alike ?? known;
  return found === undefined ? [] : [found];
}

/** The paths that gained most of the growth between two or three snapshots. */
function between(
  channel: RecordedChannel,
  { shape, growthBytes }: Judgement,
  record: GrowthRecord,
  first: Capture,
  { growth, swollen }: SnapshotAnalysis,
): readonly Growth[] {
  const leastPace = shape === 'growing' ? restRatio : slowRatio;
  const last = record.floors.at(-1) ?? 0;
  const gainedBytes = channel === 'heap' ? Math.max(0, last - first.heapBytes) : growthBytes;
  const bar = Math.max(leastExplainedBytes, explainedRatio * Math.min(gainedBytes, growthBytes));
  const ranked = growth
    .filter(
      (each) =>
        explainedBytes(each) > 0 &&
        each.trace.length > 1 &&
        each.bound === undefined &&
        !isReplaced(each) &&
        !areWindows(each) &&
        !hasSlowed(each.counts, record, leastPace),
    )
    .sort((a, b) => explainedBytes(b) - explainedBytes(a));
  const large = ranked.filter((each) => explainedBytes(each) >= bar);
  // Many small paths may belong to one leak. When together they explain it, the largest one names it.
  const sum = ranked.reduce((bytes, each) => bytes + explainedBytes(each), 0);
  if (large.length > 0) return large.slice(0, 3);
  if (sum >= 2 * bar) return ranked.slice(0, 1);
  // A single text or buffer that is replaced by a longer one each time does not gain objects.
  const leastBytes = likenessRatio * Math.min(gainedBytes, growthBytes);
  return swollen
    .filter(
      ({ newBytes, bytes }) => newBytes >= Math.max(bar, leastBytes) && !hasSlowed(bytes, record, leastPace),
    )
    .slice(0, 1);
}

/**
 * Whether a container replaces its entries: hardly any object of the first snapshot at the path is still there. A Map that fills up to its
 * bound also gains entries between two snapshots, but it drops old ones. A queue that makes its entries again at each attempt keeps their
 * contents.
 */
function isReplaced({ counts, fresh, bytes, keptBytes, newBytes }: Growth): boolean {
  const before = counts[0] ?? 0;
  const now = counts.at(-1) ?? 0;
  const held = bytes[0] ?? 0;
  const areEntries = before >= fewestEntries && now - fresh <= mostKeptRatio * before;
  // What entries share, such as the server behind a list of timers, may be most of the bytes. Those that went have to have taken theirs along.
  const takenEach = (held - keptBytes) / before;
  const tookTheirs = takenEach >= (1 - mostContentKeptRatio) * (newBytes / Math.max(1, now - before));
  return areEntries && (keptBytes <= mostContentKeptRatio * held || tookTheirs);
}

/**
 * Whether a path slowed down between the second and the third snapshot: its pace per work is below this share of the pace between the first
 * two. A cache that fills up slows down; a leak does not.
 */
function hasSlowed(
  amounts: readonly number[],
  { first, middle, last }: GrowthRecord,
  leastPace: number,
): boolean {
  if (first === null || middle == null || last === null || amounts.length < 3) return false;
  const [a, b, c] = amounts as [number, number, number];
  const before = workOf(middle) - workOf(first);
  const after = workOf(last) - workOf(middle);
  return before > 0 && after > 0 && (c - b) / after < leastPace * ((b - a) / before);
}

function workOf({ work, at }: Capture): number {
  return work ?? at;
}

function isSmall({ growthBytes }: Judgement, { floors }: GrowthRecord): boolean {
  return growthBytes < Math.max(smallSuspectBytes, smallGrowthRatio * (floors.at(-1) ?? 0));
}

/** The container at its bound that accounts for the growth. */
export function boundedIn({ growthBytes }: Judgement, { growth }: SnapshotAnalysis): Growth | undefined {
  return growth.find(
    (each) =>
      (isReplaced(each) || each.bound !== undefined) &&
      (each.bytes.at(-1) ?? 0) >= likenessRatio * growthBytes,
  );
}

/** The short lists of many holders that account for the growth. */
export function windowedIn({ growthBytes }: Judgement, { growth }: SnapshotAnalysis): Growth | undefined {
  return growth.find((each) => areWindows(each) && explainedBytes(each) >= explainedRatio * growthBytes);
}

/** Whether many holders have a few objects each. Those of one holder are no windows, however few they are. */
function areWindows({ counts, holders }: Growth): boolean {
  return holders > 1 && mayBeWindows(counts.at(-1) ?? 0, holders);
}

/** In the heap a native leak shows only its wrappers: few bytes, many objects. Known wrappers come first. */
function nativeExplanations({ growth, wrappers }: SnapshotAnalysis): readonly GrowthExplanation[] {
  const many = wrappers.filter((each) => (each.counts.at(-1) ?? 0) >= leastNativeObjects);
  const found =
    many.length > 0
      ? // The same objects by the path at which they became more, where the snapshots show it: it names their holder.
        many.map((each) => growth.find(({ name }) => name === each.name) ?? each)
      : growth.filter((each) => gained(each) >= leastNativeObjects);
  return found.slice(0, 3);
}

/** Drops explanations below the holder of an earlier one, which are part of the same leak. */
function apart(found: readonly GrowthExplanation[]): readonly GrowthExplanation[] {
  const kept: GrowthExplanation[] = [];
  for (const each of found) {
    const path = pathText(each.trace);
    if (!kept.some((other) => path.startsWith(pathText(pathToHolder(other.trace))))) kept.push(each);
  }
  return kept;
}

function pathToHolder(trace: GrowthExplanation['trace']): GrowthExplanation['trace'] {
  const at = trace.findIndex((step) => step.suspect);
  return at < 0 ? trace : trace.slice(0, at + 1);
}

function pathText(trace: GrowthExplanation['trace']): string {
  return trace.map((step) => `${step.via} ${step.name}`).join('\n');
}

/**
 * Bytes at a path that belong to its new objects. Between two snapshots shared objects may get another first path. That moves bytes to a
 * path without new objects and explains nothing.
 */
function explainedBytes(growth: Growth): number {
  const count = growth.counts.at(-1) ?? 0;
  const bytes = growth.bytes.at(-1) ?? 0;
  return count === 0 ? 0 : Math.min(growth.newBytes, (3 * bytes * gained(growth)) / count);
}

function gained({ counts, fresh }: Growth): number {
  return Math.min(fresh, (counts.at(-1) ?? 0) - (counts[0] ?? 0));
}

export function bytesOf(found: GrowthExplanation): number {
  return 'newBytes' in found ? found.newBytes : found.retainedBytes;
}
