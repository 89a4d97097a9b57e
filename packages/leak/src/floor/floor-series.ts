/**
 * The floors of a process since its start, with the bytes it had allocated by then.
 *
 * It runs from the preload on, before the host is loaded, so it imports the reader of the collector and nothing else. Collections that the
 * program forces count as much as V8's own. Its clock is work and not time, because bytes allocated between two collections are exact, and
 * a program that waits allocates none.
 */
import v8 from 'node:v8';
import { collections } from './collections.ts';
import type { Collection, CollectionReader } from './collections.ts';

/** Live bytes right after one major GC. */
export interface FloorPoint {
  readonly heapBytes: number;
  /**
   * The part of them in compiled code, which V8 makes while a program warms up and drops for unused functions, independent of the program's
   * data.
   */
  readonly codeBytes: number;
  readonly externalBytes: number;
  /** Resident bytes outside of V8's heap when the collection was read, up to one beat later. */
  readonly nativeBytes: number;
  /**
   * Bytes that went with compiled code by then, at snapshots of ours and after start-up: the program did not let go of them. Less what work
   * of ours left behind.
   */
  readonly flushedBytes: number;
  /** Bytes the heap had allocated since the log began. */
  readonly allocatedBytes: number;
  /** Wall time, ms since the epoch, of the read that found it. */
  readonly at: number;
  /** True when we forced it. */
  readonly isProbe: boolean;
  /** True when we forced it twice, so that buffers that were dead at the first one are gone. */
  readonly isSettled?: boolean;
}

/** V8's spaces for machine code and, from Node 22 on, for bytecode. Sources, feedback and scopes of functions are not in them. */
const codeSpaces = /^(?:code|trusted)_/;
/** When compiled code falls to this share, V8 has dropped the code of start-up together with objects that only that code refers to. */
const droppedRatio = 0.9;
/** Latest age of the process for this fall, which happens once. */
const startUpMs = 60_000;
const mostPoints = 512;
const unsureMs = 4000;
/** Collections that other parts read between two reads of ours; more are only seen when nobody reads this series. */
const mostPending = 4096;
/** Collections belong to one moment when the work between them is below this and below this share of the usual distance. */
const momentBytes = 512 * 1024;
const momentRatio = 0.25;
/** Smaller gaps never count as the usual distance, because a loop that logs each collection allocates as much. */
const leastGapBytes = 64 * 1024;
/** Least gap when almost none is wider. Then the program works outside of the heap, and its gaps are small. */
const smallestGapBytes = 8 * 1024;
const fewGapsRatio = 0.2;
/** Buffers churn when the external bytes of neighbouring floors differ by this much, in the median of this many floors. */
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
  /** Bytes in use from which the program's allocations are counted: after the last collection, or after our own work. */
  #countedFrom: number;
  #isDiscounting = false;
  #hasDropped = false;
  #unsureUntil = 0;
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

  /** Takes the collections since the last read, with the resident bytes outside of the heap. True when one of them was major. */
  read(outsideBytes: number, at: number, isProbe = false, isSettled = false): boolean {
    let major = false;
    const found = this.#collected();
    // Collections of the program may have come before the forced one.
    const probe = isProbe ? found.findLast(({ collection }) => isMajor(collection)) : undefined;
    const isUnsure = this.#uptimeMs() < this.#unsureUntil;
    for (const each of found) {
      if (!isMajor(each.collection) || (each !== probe && isUnsure)) continue;
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
   * Counts bytes that are dropped with the compiled code of start-up as flushed, e.g. long literals: 3.8 MB in a process whose sources are
   * TypeScript. The program did not release this memory.
   */
  #dropStartUp(dataBytes: number, codeBytes: number): void {
    const before = this.#points.at(-1);
    if (before === undefined || this.#hasDropped || codeBytes > droppedRatio * before.codeBytes) return;
    if (this.#uptimeMs() > startUpMs) return;
    this.#hasDropped = true;
    this.#flushedBytes += Math.max(0, dataBytesOf(before) - dataBytes);
  }

  /**
   * Runs our own work without counting its allocations as the program's; otherwise collections of one moment would look separate. Work that
   * allocates a megabyte is collected during the work, so collections are read right before and after it.
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
   * Work of ours left so many bytes in the heap: they are not what the program holds. For a while a collection that we did not ask for makes
   * no floor: what we allocate while V8 marks stays until the next one.
   */
  keep(bytes: number): void {
    this.#flushedBytes -= bytes;
    this.#unsureUntil = this.#uptimeMs() + unsureMs;
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
   * Live bytes at the last read, without compiled code. A single collection may leave garbage for the next one, so it is compared with
   * earlier ones.
   */
  #liveBytes(): number {
    const last = this.#points.at(-1);
    const heapBytes = last === undefined ? 0 : dataBytesOf(last);
    const floors = moments(this.#points.slice(0, -1)).map(dataBytesOf);
    const newest = floors.at(-1) ?? heapBytes;
    const older = floors.at(-2) ?? newest;
    return Math.min(heapBytes, newest + Math.max(0, newest - older));
  }

  /** The collections since the last call, including those that other parts of the process read. */
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

/** Bytes of the program's data in a floor. Sources and functions of a program that compiles without end are included. */
export function dataBytesOf({ heapBytes, codeBytes }: FloorPoint): number {
  return heapBytes - codeBytes;
}

/**
 * Whether buffers die faster than natural collections free them. Buffers made while V8 marks stay until the next collection, so those
 * floors include many dead buffers. Then only a forced floor shows the live bytes outside of the heap.
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

/** The floors with collections of one moment merged, because a program that calls gc() three times in a row gives one floor. */
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
