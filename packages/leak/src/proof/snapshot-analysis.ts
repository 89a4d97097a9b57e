import type * as HeapModule from '@plimsoll/heap';
import type { Growth, RetainedScope, Snapshot, Suspect } from '@plimsoll/heap';
import { watchedTraces, type WatchedTrace } from './watched-trace.ts';
import { isOwnTrace } from './own-trace.ts';
import { wrapperGrowth, wrappersIn, type WrapperCounts } from './wrappers.ts';

/** The analysis of the snapshots of a process. */
export interface SnapshotAnalysis {
  /** Paths that gained objects between the two snapshots, most bytes first; empty when there was only one. */
  readonly growth: readonly Growth[];
  /** Single objects that became larger between them, most bytes first. */
  readonly swollen: readonly Growth[];
  /** Suspects of a single snapshot; empty when there were two. */
  readonly suspects: readonly Suspect[];
  /** Classes of objects with native memory that increased, most first; only on request. */
  readonly wrappers: readonly Growth[];
  /** Exact bytes per scope with roots, heaviest first. */
  readonly scopes: readonly RetainedScope[];
  /** Open scopes with roots, picked evenly from all sizes, for calibrating the census. */
  readonly sample: readonly RetainedScope[];
  /** The holders of the watched objects of the requested scopes. */
  readonly watched: readonly WatchedTrace[];
  readonly heapBytes: number;
  readonly ms: number;
}

const mostRows = 8;
const mostScopes = 50;
const mostSampled = 400;
/** Limits for tests. A test knows its number of calls and filters paths with less than one object per call itself. */
const testLimits = { leastBytes: 512, leastObjects: 8, limit: 40 };

export interface SnapshotQuestion {
  /** A snapshot between the two: only paths that grow in both steps are growth. */
  readonly middle?: string | undefined;
  /** Scopes whose survivors are searched in the last snapshot, and those that had closed before the first one. */
  readonly scopes?: readonly string[];
  readonly earlyScopes?: readonly string[];
  /** Native memory grew: what it may hang on is asked for, too. */
  readonly isNative?: boolean;
  /** True for tests, whose subject may be Plimsoll itself: paths through our files count, and small growth counts. */
  readonly isTest?: boolean;
}

/** Reads one to three snapshots of a process. It takes much memory and time, so it runs in a separate process. */
export async function analyzeSnapshots(
  last: string,
  first?: string,
  question: SnapshotQuestion = {},
): Promise<SnapshotAnalysis> {
  const { middle, scopes = [], earlyScopes = [], isNative = false, isTest = false } = question;
  const started = performance.now();
  const heap = await import('@plimsoll/heap');
  const found =
    first === undefined
      ? await one(heap, last, scopes, isNative)
      : middle === undefined
        ? await several(heap, [first, last], [earlyScopes, scopes], isNative, isTest)
        : await several(heap, [first, middle, last], [earlyScopes, [], scopes], isNative, isTest);
  return { ...found, ms: Math.round(performance.now() - started) };
}

type Heap = typeof HeapModule;
type Found = Omit<SnapshotAnalysis, 'ms'>;

async function one(heap: Heap, file: string, scopes: readonly string[], isNative: boolean): Promise<Found> {
  const { ScriptFactsReader } = await import('@plimsoll/heap/internal/trace/script-facts');
  const snapshot = await heap.open(file, { scripts: new ScriptFactsReader() });
  try {
    const suspects = snapshot.suspects({ limit: mostRows }).filter(({ trace }) => !isOwnTrace(trace));
    const wrappers = isNative ? wrapperGrowth(snapshot, wrappersIn(snapshot), undefined) : [];
    return {
      growth: [],
      swollen: [],
      suspects,
      wrappers,
      ...factsOf(snapshot),
      watched: watchedTraces(snapshot, scopes),
    };
  } finally {
    snapshot.close();
  }
}

/** Holders come from the first snapshot when possible, because a server at its end releases itself before its leak. */
async function several(
  heap: Heap,
  files: readonly string[],
  scopes: readonly (readonly string[])[],
  isNative: boolean,
  isTest: boolean,
): Promise<Found> {
  let wrappers: readonly Growth[] = [];
  let counted: WrapperCounts | undefined;
  let watched: readonly WatchedTrace[] = [];
  let facts: ReturnType<typeof factsOf> = { scopes: [], sample: [], heapBytes: 0 };
  const onOpen = (snapshot: Snapshot, index: number): void => {
    const known = new Set(watched.map(({ scope }) => scope));
    const asked = scopes[index]?.filter((scope) => !known.has(scope)) ?? [];
    watched = [...watched, ...watchedTraces(snapshot, asked)];
    facts = factsOf(snapshot);
    if (!isNative) return;
    const counts = wrappersIn(snapshot);
    if (counted !== undefined) wrappers = wrapperGrowth(snapshot, counts, counted);
    counted = counts;
  };
  const found = await heap.diff(files, { limit: mostRows, onOpen, ...(isTest && testLimits) });
  const ofProgram = ({ trace }: Growth): boolean => isTest || !isOwnTrace(trace);
  return {
    growth: found.growth.filter(ofProgram),
    swollen: found.swollen.filter(ofProgram),
    suspects: [],
    wrappers,
    ...facts,
    watched,
  };
}

function factsOf(snapshot: Snapshot): Pick<SnapshotAnalysis, 'scopes' | 'sample' | 'heapBytes'> {
  const scopes = snapshot.scopes();
  const open = scopes.filter(({ state, roots }) => state === 'open' && roots > 0);
  // The heaviest scopes alone would not be representative.
  const stride = Math.max(1, Math.ceil(open.length / mostSampled));
  return {
    scopes: scopes.slice(0, mostScopes),
    sample: open.filter((_, i) => i % stride === 0),
    heapBytes: snapshot.heapBytes,
  };
}
