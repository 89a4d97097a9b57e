import { collections } from './collections.ts';
import type { Collection, CollectionReader } from './collections.ts';
import { systemClock } from '@plimsoll/core/internal/sense/clock';
import type { Clock } from '@plimsoll/core/internal/sense/clock';

/** Collections of one kind. */
interface PauseSum {
  readonly count: number;
  readonly pauseMs: number;
  readonly longestMs: number;
}

/** Work of the collector on young and old objects over the last minutes. */
export interface GenerationUse {
  /** Time that the sums cover. */
  readonly ms: number;
  readonly minor: PauseSum;
  readonly major: PauseSum;
  /** Bytes allocated in the semi-space, measured at minor GCs. */
  readonly youngBytes: number;
  /** Bytes that minor GCs moved from the semi-space into old space after surviving two of them. */
  readonly promotedBytes: number;
  /** Bytes promoted before the last major GC, and how many of them were dead at the following major GC. */
  readonly judgedBytes: number;
  readonly deadBytes: number;
  /** Growth of the heap between two major GCs, summed over all of them. It shows the room in old space. */
  readonly filledBytes: number;
}

interface Sums {
  ms: number;
  minor: { count: number; pauseMs: number; longestMs: number };
  major: { count: number; pauseMs: number; longestMs: number };
  youngBytes: number;
  promotedBytes: number;
  judgedBytes: number;
  deadBytes: number;
  filledBytes: number;
}

/** The sums cover one to two windows. */
const windowMs = 5 * 60_000;

/**
 * Sums up promoted bytes and the pauses of the collector, from the profile that `collections` already reads.
 *
 * A minor GC moves objects that survived two of them into old space. If the semi-space is small compared to the allocations of a request,
 * objects of running requests are promoted, die there, and wait for a major GC. The bytes promoted in vain are known at the next major GC:
 * promoted bytes since the previous one, minus the growth of the live heap.
 */
export class GenerationWatch {
  readonly #clock: Clock;
  readonly #unsubscribe: () => void;
  #startedAt: number;
  #current = emptySums();
  #previous = emptySums();
  /** Young bytes after the last collection. */
  #youngLeft = 0;
  #promotedSinceMajor = 0;
  #floorBytes: number | undefined;

  constructor(clock: Clock = systemClock, reader: CollectionReader = collections) {
    this.#clock = clock;
    this.#startedAt = clock.monotonic();
    this.#unsubscribe = reader.subscribe((found) => {
      for (const entry of found) this.#take(entry);
      this.#turn();
    });
  }

  read(): GenerationUse {
    const ms = this.#clock.monotonic() - this.#startedAt;
    return added(this.#previous, { ...this.#current, ms });
  }

  stop(): void {
    this.#unsubscribe();
  }

  /** Starts a new window when this one is over. */
  #turn(): void {
    const now = this.#clock.monotonic();
    const ms = now - this.#startedAt;
    if (ms < windowMs) return;
    this.#previous = { ...this.#current, ms };
    this.#current = emptySums();
    this.#startedAt = now;
  }

  #take(entry: Collection): void {
    const sums = this.#current;
    const isMinor = entry.gcType === 'Scavenge' || entry.gcType === 'MinorMarkSweep';
    const isMajor = entry.gcType === 'MarkSweepCompact';
    const pause = isMinor ? sums.minor : sums.major;
    const pauseMs = entry.cost / 1000;
    // Steps of incremental marking are part of a major GC, not one of their own.
    if (isMinor || isMajor) pause.count++;
    pause.pauseMs += pauseMs;
    pause.longestMs = Math.max(pause.longestMs, pauseMs);
    const before = spaces(entry.beforeGC.heapSpaceStatistics);
    const after = spaces(entry.afterGC.heapSpaceStatistics);
    if (isMinor) {
      const promotedBytes = Math.max(0, after.old - before.old);
      sums.youngBytes += Math.max(0, before.young - this.#youngLeft);
      sums.promotedBytes += promotedBytes;
      this.#promotedSinceMajor += promotedBytes;
    }
    if (isMajor) this.#major(entry);
    if (isMinor || isMajor) this.#youngLeft = after.young;
  }

  #major(entry: Collection): void {
    const sums = this.#current;
    const floorBytes = entry.afterGC.heapStatistics.usedHeapSize;
    const before = this.#floorBytes;
    this.#floorBytes = floorBytes;
    const promotedBytes = this.#promotedSinceMajor;
    this.#promotedSinceMajor = 0;
    // Bytes promoted before the first observed major GC cannot be compared.
    if (before === undefined) return;
    sums.filledBytes += Math.max(0, entry.beforeGC.heapStatistics.usedHeapSize - before);
    sums.judgedBytes += promotedBytes;
    sums.deadBytes += Math.max(0, promotedBytes - Math.max(0, floorBytes - before));
  }
}

function emptySums(): Sums {
  const none = { count: 0, pauseMs: 0, longestMs: 0 };
  return {
    ms: 0,
    minor: { ...none },
    major: { ...none },
    youngBytes: 0,
    promotedBytes: 0,
    judgedBytes: 0,
    deadBytes: 0,
    filledBytes: 0,
  };
}

function added(a: Sums, b: Sums): GenerationUse {
  const pauses = (one: PauseSum, other: PauseSum): PauseSum => ({
    count: one.count + other.count,
    pauseMs: one.pauseMs + other.pauseMs,
    longestMs: Math.max(one.longestMs, other.longestMs),
  });
  return {
    ms: a.ms + b.ms,
    minor: pauses(a.minor, b.minor),
    major: pauses(a.major, b.major),
    youngBytes: a.youngBytes + b.youngBytes,
    promotedBytes: a.promotedBytes + b.promotedBytes,
    judgedBytes: a.judgedBytes + b.judgedBytes,
    deadBytes: a.deadBytes + b.deadBytes,
    filledBytes: a.filledBytes + b.filledBytes,
  };
}

/** Used bytes of the young and of all other spaces. */
function spaces(list: Collection['afterGC']['heapSpaceStatistics'] = []): { young: number; old: number } {
  let young = 0;
  let old = 0;
  for (const { spaceName, spaceUsedSize } of list)
    if (spaceName.startsWith('new_')) young += spaceUsedSize;
    else old += spaceUsedSize;
  return { young, old };
}
