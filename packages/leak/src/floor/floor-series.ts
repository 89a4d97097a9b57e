/**
 * The floors of a process since its start, with the bytes it had allocated by then.
 *
 * It runs from the preload on, before the host is loaded, so it imports the reader of the collector and nothing else. Collections that the program forces count as
 * much as V8's own. The clock is work, not time: bytes allocated between two collections are exact, and a program that waits does none.
 */
import v8 from 'node:v8';
import { collections } from './collections.ts';
import type { Collection, CollectionReader } from './collections.ts';

/** Live bytes right after one major GC. */
export interface FloorPoint {
  readonly heapBytes: number;
  /** Of these, compiled code: V8 makes it while a program warms up and drops it when functions rest, whatever the program holds. */
  readonly codeBytes: number;
  readonly externalBytes: number;
  /** Resident bytes outside of V8's heap when the collection was read, up to one beat later. */
  readonly nativeBytes: number;
  /** Bytes that went with compiled code by then, at snapshots of ours and after start-up: the program did not let go of them. */
  readonly flushedBytes: number;
  /** Bytes the heap had allocated since the log began. */
  readonly allocatedBytes: number;
  /** Wall time, ms since the epoch, of the read that found it. */
  readonly at: number;
  /** We asked for it; the program would not have had it. */
  readonly isProbe: boolean;
  /** We asked for it twice, so that buffers which the first found dead are gone. */
  readonly isSettled?: boolean;
}

/** V8's spaces for machine code and, from Node 22 on, for bytecode. Sources, feedback and scopes of functions are not in them. */
const codeSpaces = /^(?:code|trusted)_/;
/** A fall of compiled code to this part of it: V8 drops the code of start-up, and what only that code refers to goes with it. */
const droppedRatio = 0.9;
/** It comes by this age of the process, and once. */
const startUpMs = 60_000;
const mostPoints = 512;
/** Collections that other parts read between two reads of ours; more are only seen when nobody reads this series. */
const mostPending = 4096;
/** Collections with less work between them than this, and than this part of the usual distance, belong to one moment. */
const momentBytes = 512 * 1024;
const momentRatio = 0.25;
/** Gaps below this are never the usual distance: a loop of collections with a word about each allocates as much. */
const leastGapBytes = 64 * 1024;
/** Unless next to none is wider: then the program works outside of the heap, and its gaps are small. */
const smallestGapBytes = 8 * 1024;
const fewGapsRatio = 0.2;
/** Buffers churn when external bytes of neighbouring floors are apart by this much, by the median of so many. */
const churnBytes = 1024 * 1024;
const churnFloors = 16;

/** A collection with the bytes that the program had allocated by then. */
interface CountedCollection {
  readonly collection: Collection;
  readonly allocatedBytes: number;
}

export class FloorSeries {
  readonly #reader: CollectionReader;
  readonly #unsubscribe: () => void;
  readonly #usedBytes: () => number;
  #pending: CountedCollection[] = [];
  #points: FloorPoint[] = [];
  #allocatedBytes = 0;
  #flushedBytes = 0;
  /** Bytes in use from which the program's allocations count: after the last collection, or after work of ours. */
  #countedFrom: number;
  #isDiscounting = false;
  #hasDropped = false;
  readonly #uptimeMs: () => number;

  constructor(
    reader: CollectionReader = collections,
    usedBytes: () => number = () => v8.getHeapStatistics().used_heap_size,
    uptimeMs: () => number = () => performance.now(),
  ) {
    this.#uptimeMs = uptimeMs;
    this.#reader = reader;
    this.#usedBytes = usedBytes;
    this.#countedFrom = usedBytes();
    this.#unsubscribe = reader.subscribe((found) => {
      for (const each of found) this.#count(each);
    });
  }

  #count(collection: Collection): void {
    const { beforeGC, afterGC } = collection;
    if (!this.#isDiscounting) this.#allocateUpTo(beforeGC.heapStatistics.usedHeapSize);
    this.#countedFrom = afterGC.heapStatistics.usedHeapSize;
    if (this.#pending.length < mostPending)
      this.#pending.push({ collection, allocatedBytes: this.#allocatedBytes });
  }

  #allocateUpTo(usedBytes: number): void {
    this.#allocatedBytes += Math.max(0, usedBytes - this.#countedFrom);
    this.#countedFrom = usedBytes;
  }

  get points(): readonly FloorPoint[] {
    return this.#points;
  }

  /** Bytes the heap had allocated at the last collection that was read, a minor one included. */
  get allocatedBytes(): number {
    return this.#allocatedBytes;
  }

  /** Takes in the collections since the last read, with the resident bytes outside of the heap; true when a major one was among them. */
  read(outsideBytes: number, at: number, isProbe = false, isSettled = false): boolean {
    let major = false;
    const found = this.#collected();
    // Collections of the program may have come before the one that we asked for.
    const probe = isProbe ? found.findLast(({ collection }) => isMajor(collection)) : undefined;
    for (const each of found) {
      if (!isMajor(each.collection)) continue;
      major = true;
      const { afterGC } = each.collection;
      const codeBytes = codeIn(afterGC);
      this.#dropStartUp(afterGC.heapStatistics.usedHeapSize - codeBytes, codeBytes);
      this.#points.push({
        heapBytes: afterGC.heapStatistics.usedHeapSize,
        codeBytes,
        externalBytes: afterGC.heapStatistics.externalMemory,
        nativeBytes: outsideBytes - afterGC.heapStatistics.externalMemory,
        flushedBytes: this.#flushedBytes,
        allocatedBytes: each.allocatedBytes,
        at,
        isProbe: each === probe,
        ...(isSettled && each === probe && { isSettled }),
      });
    }
    if (this.#points.length > mostPoints) this.#points = halved(this.#points);
    return major;
  }

  /**
   * Counts as flushed what falls with the compiled code of start-up, e.g. long literals: 3.8 MB in a process whose sources are TypeScript.
   * It is no memory that the program let go of.
   */
  #dropStartUp(dataBytes: number, codeBytes: number): void {
    const before = this.#points.at(-1);
    if (before === undefined || this.#hasDropped || codeBytes > droppedRatio * before.codeBytes) return;
    if (this.#uptimeMs() > startUpMs) return;
    this.#hasDropped = true;
    this.#flushedBytes += Math.max(0, dataBytesOf(before) - dataBytes);
  }

  /**
   * Does work of ours: what it allocates is not the program's, or collections of one moment would look apart. Work of a megabyte is
   * collected while it goes on, so that collections are read right before it and right after it.
   */
  discount<T>(work: () => T): T {
    if (this.#isDiscounting) return work();
    this.#reader.read();
    this.#allocateUpTo(this.#usedBytes());
    this.#isDiscounting = true;
    try {
      return work();
    } finally {
      this.#reader.read();
      this.#isDiscounting = false;
      this.#countedFrom = this.#usedBytes();
    }
  }

  /**
   * Takes in the collections of a snapshot of ours, right after a read. They make no floors: V8 drops its caches of compiled code before
   * it writes, and a fall that we caused must not look like one of the program's.
   */
  readSnapshot(): void {
    const last = this.#collected().at(-1)?.collection.afterGC;
    if (last === undefined) return;
    const dataBytes = last.heapStatistics.usedHeapSize - codeIn(last);
    this.#flushedBytes += Math.max(0, this.#liveBytes() - dataBytes);
  }

  /**
   * What was alive at the last read, without compiled code. One collection alone may leave what the next one takes, so that it is held
   * against those before.
   */
  #liveBytes(): number {
    const last = this.#points.at(-1);
    const heapBytes = last === undefined ? 0 : dataBytesOf(last);
    const floors = moments(this.#points.slice(0, -1)).map(dataBytesOf);
    const newest = floors.at(-1) ?? heapBytes;
    const older = floors.at(-2) ?? newest;
    return Math.min(heapBytes, newest + Math.max(0, newest - older));
  }

  /** The collections since the last call, whichever part of the process read them. */
  #collected(): readonly CountedCollection[] {
    this.#reader.read();
    const found = this.#pending;
    this.#pending = [];
    return found;
  }

  stop(): void {
    this.#unsubscribe();
  }
}

/** Bytes of a floor that are the program's data. A program that compiles without end keeps sources and functions, which are among them. */
export function dataBytesOf({ heapBytes, codeBytes }: FloorPoint): number {
  return heapBytes - codeBytes;
}

/**
 * Whether buffers die faster than natural collections let go of them: what was made while V8 marked stays until the next one, so that
 * those floors hold dead copies by the dozen. Then only a forced floor tells what is alive outside of the heap.
 */
export function buffersChurn(points: readonly FloorPoint[]): boolean {
  const bytes = points
    .filter(({ isProbe }) => !isProbe)
    .slice(-churnFloors)
    .map(({ externalBytes }) => externalBytes);
  const steps = bytes.slice(1).map((each, i) => Math.abs(each - (bytes[i] as number)));
  const middle = steps.toSorted((a, b) => a - b)[steps.length >> 1];
  return bytes.length >= churnFloors && (middle as number) >= churnBytes;
}

function isMajor({ gcType }: Collection): boolean {
  return gcType === 'MarkSweepCompact';
}

function codeIn({ heapSpaceStatistics: spaces = [] }: Collection['afterGC']): number {
  let bytes = 0;
  for (const { spaceName, spaceUsedSize } of spaces) if (codeSpaces.test(spaceName)) bytes += spaceUsedSize;
  return bytes;
}

/** The floors with collections of one moment taken together: a program that calls gc() three times in a row has said one thing. */
export function moments(points: readonly FloorPoint[]): readonly FloorPoint[] {
  const gaps = points.map((point, i) => point.allocatedBytes - (points[i - 1]?.allocatedBytes ?? 0));
  const near = Math.min(momentBytes, usualGap(gaps) * momentRatio);
  const found: FloorPoint[] = [];
  points.forEach((point, i) => {
    const last = found.at(-1);
    if (last !== undefined && (gaps[i] as number) < near) found[found.length - 1] = lower(last, point);
    else found.push(point);
  });
  return found;
}

function usualGap(gaps: readonly number[]): number {
  const sorted = gaps.toSorted((a, b) => a - b);
  const least = [leastGapBytes, smallestGapBytes].find(
    (bytes) => sorted.filter((gap) => gap >= bytes).length >= fewGapsRatio * gaps.length,
  );
  const wide = sorted.filter((gap) => gap >= (least ?? leastGapBytes));
  return wide[Math.floor(wide.length / 2)] ?? 0;
}

function halved(points: readonly FloorPoint[]): FloorPoint[] {
  const kept: FloorPoint[] = [];
  for (let i = 0; i + 1 < points.length; i += 2)
    kept.push(lower(points[i] as FloorPoint, points[i + 1] as FloorPoint));
  if (points.length % 2 === 1) kept.push(points.at(-1) as FloorPoint);
  return kept;
}

function lower(a: FloorPoint, b: FloorPoint): FloorPoint {
  return {
    heapBytes: Math.min(a.heapBytes, b.heapBytes),
    codeBytes: a.heapBytes < b.heapBytes ? a.codeBytes : b.codeBytes,
    externalBytes: Math.min(a.externalBytes, b.externalBytes),
    nativeBytes: Math.min(a.nativeBytes, b.nativeBytes),
    flushedBytes: b.flushedBytes,
    allocatedBytes: b.allocatedBytes,
    at: b.at,
    isProbe: a.isProbe && b.isProbe,
    ...((a.isSettled === true || b.isSettled === true) && { isSettled: true }),
  };
}
