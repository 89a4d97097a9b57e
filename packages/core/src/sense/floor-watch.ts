/**
 * The floor: live heap bytes right after each major GC, read from `v8.GCProfiler`.
 *
 * Why not `heapUsed` in a gc PerformanceObserver: its callback runs when the loop is free again, and by then the mutator has allocated.
 * Measured by `npm run bench -- sense` (Node 24.21, old space 512 MiB, live set known, garbage made as fast as it goes), median above the
 * live set: turns of 5 ms, profiler +18 %, observer +35 %; turns of 300 ms, profiler +17 %, observer +159 % (it hears of a collection
 * 0.44 s late). What remains is garbage that incremental marking leaves at such a rate. A changing live set on Node 22.23 / 24.21 / 26.10,
 * observer over profiler for the same collection: +15 / +45 / +47 % with turns of 300 ms, +1.5 / +31 / +26 % with turns of 5 ms. The
 * profiler saw every collection the observer saw. Its price is 11 to 20 µs per collection when it is read, which is 0.3 to 4 ms per second
 * in these extremes and microseconds in a usual server.
 *
 * The profiler does not date its entries. A collection is dated by its place among the entries of its window, so the age of a floor is
 * off by at most one interval between reads.
 */
import v8 from 'node:v8';
import type { Clock } from './clock.ts';
import { TableWatch } from './table-watch.ts';

/** Live bytes right after the last major GC. */
export interface Floor {
  readonly bytes: number;
  /** External memory at the same moment. */
  readonly external: number;
  /** Monotonic ms, within one interval between reads. */
  readonly at: number;
  /** Ordinal of the major GC since the watch began, from 1. */
  readonly major: number;
  /** Bytes that a growing Map, Set or array will need in one piece; absent when there is none. */
  readonly nextTableBytes?: number;
}

/** Collections since the previous read. */
export interface GcCount {
  readonly major: number;
  readonly minor: number;
  readonly pauseMs: number;
}

/** What `GCProfiler.stop()` gives, as far as it is used. */
export interface GcProfile {
  readonly statistics: readonly {
    readonly gcType: string;
    /** Microseconds. */
    readonly cost: number;
    readonly afterGC: {
      readonly heapStatistics: { readonly usedHeapSize: number; readonly externalMemory: number };
      readonly heapSpaceStatistics?: readonly {
        readonly spaceName: string;
        readonly spaceUsedSize: number;
      }[];
    };
  }[];
}

export interface GcSource {
  start(): void;
  stop(): GcProfile | undefined;
}

const none: GcCount = { major: 0, minor: 0, pauseMs: 0 };

/** Follows the collections of this thread; `read()` belongs into every tick, because unread collections pile up inside V8. */
export class FloorWatch {
  readonly #clock: Clock;
  readonly #create: () => GcSource;
  readonly #tables = new TableWatch();
  #profiler: GcSource | undefined;
  #windowStart: number;
  #latest: Floor | undefined;
  #majorCount = 0;

  constructor(clock: Clock, create: () => GcSource = () => new v8.GCProfiler() as unknown as GcSource) {
    this.#clock = clock;
    this.#create = create;
    this.#windowStart = clock.monotonic();
    this.#restart();
  }

  get floor(): Floor | undefined {
    return this.#latest;
  }

  /** Major GCs since the watch began, as of the last read. */
  get majors(): number {
    return this.#majorCount;
  }

  /** Major GCs after the one with this ordinal: how often something had the chance to vanish. */
  majorsSince(major: number): number {
    return Math.max(0, this.#majorCount - major);
  }

  /** Takes in what happened since the last read. */
  read(): GcCount {
    const profile = this.#profiler?.stop();
    const start = this.#windowStart;
    this.#windowStart = this.#clock.monotonic();
    this.#restart();
    if (profile === undefined) return none;
    return this.#take(profile, start, this.#windowStart);
  }

  stop(): void {
    this.#profiler?.stop();
    this.#profiler = undefined;
  }

  #restart(): void {
    this.#profiler = this.#create();
    this.#profiler.start();
  }

  #take(profile: GcProfile, start: number, end: number): GcCount {
    let major = 0;
    let minor = 0;
    let pauseMs = 0;
    const entries = profile.statistics;
    entries.forEach((entry, i) => {
      pauseMs += entry.cost / 1000;
      if (entry.gcType === 'MarkSweepCompact') {
        major++;
        this.#majorCount++;
        const after = entry.afterGC.heapStatistics;
        const large = entry.afterGC.heapSpaceStatistics?.find(
          ({ spaceName }) => spaceName === 'large_object_space',
        );
        if (large !== undefined) this.#tables.take(large.spaceUsedSize);
        const { nextBytes } = this.#tables;
        const at = start + ((i + 1) / (entries.length + 1)) * (end - start);
        this.#latest = {
          bytes: after.usedHeapSize,
          external: after.externalMemory,
          at,
          major: this.#majorCount,
          ...(nextBytes > 0 && { nextTableBytes: nextBytes }),
        };
      } else if (entry.gcType === 'Scavenge' || entry.gcType === 'MinorMarkSweep') minor++;
    });
    return { major, minor, pauseMs };
  }
}
