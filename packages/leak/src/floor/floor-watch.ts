/**
 * The floor: live heap bytes right after each major GC, read from `v8.GCProfiler`.
 *
 * Why not `heapUsed` in a gc PerformanceObserver: its callback runs when the loop is free again, and by then the mutator has allocated.
 * Measured by `npm run bench -- sense` (Node 24.21, old space 512 MiB, live set known, garbage made as fast as it goes), median above the
 * live set: turns of 5 ms, profiler +18 %, observer +35 %; turns of 300 ms, profiler +17 %, observer +159 % (it is notified 0.44 s late).
 * The rest is garbage that incremental marking leaves at such a rate. A changing live set on Node 22.23 / 24.21 / 26.10, observer over
 * profiler for the same collection: +15 / +45 / +47 % with turns of 300 ms, +1.5 / +31 / +26 % with turns of 5 ms. The profiler saw every
 * collection the observer saw. Reading costs 11 to 20 µs per collection, which is 0.3 to 4 ms per second in these extremes and microseconds
 * in a usual server.
 *
 * The profiler does not date its entries. A collection is dated by its place among the entries of its window, so the age of a floor is off
 * by at most one interval between reads.
 */
import { systemClock, type Clock } from '@plimsoll/core/internal/sense/clock';
import type { Floor, FloorSource, GcCount } from '@plimsoll/core/internal/sense/floor';
import { ProcessSensor } from '@plimsoll/core/internal/sense/process-sensor';
import { collections } from './collections.ts';
import type { Collection, CollectionReader } from './collections.ts';
import { TableWatch } from './table-watch.ts';

/** Follows the collections of this thread; call `read()` in every tick, because unread collections pile up inside V8. */
export class FloorWatch implements FloorSource {
  readonly #clock: Clock;
  readonly #reader: CollectionReader;
  readonly #unsubscribe: () => void;
  readonly #tables = new TableWatch();
  #windowStart: number;
  #latest: Floor | undefined;
  #majorCount = 0;
  /** Collections since the previous read. */
  #major = 0;
  #minor = 0;
  #pauseMs = 0;

  constructor(clock: Clock, reader: CollectionReader = collections) {
    this.#clock = clock;
    this.#reader = reader;
    this.#windowStart = clock.monotonic();
    this.#unsubscribe = reader.subscribe((found) => this.#take(found));
  }

  get floor(): Floor | undefined {
    return this.#latest;
  }

  /** Major GCs since the watch began, as of the last read by any part of the process. */
  get majors(): number {
    return this.#majorCount;
  }

  /** Number of major GCs after the one with this ordinal. */
  majorsSince(major: number): number {
    return Math.max(0, this.#majorCount - major);
  }

  /** Takes the collections since the last read. */
  read(): GcCount {
    this.#reader.read();
    const count = { major: this.#major, minor: this.#minor, pauseMs: this.#pauseMs };
    this.#major = 0;
    this.#minor = 0;
    this.#pauseMs = 0;
    return count;
  }

  stop(): void {
    this.#unsubscribe();
  }

  #take(found: readonly Collection[]): void {
    const start = this.#windowStart;
    const end = this.#clock.monotonic();
    this.#windowStart = end;
    found.forEach((entry, i) => {
      this.#pauseMs += entry.cost / 1000;
      if (entry.gcType === 'MarkSweepCompact') {
        this.#major++;
        this.#majorCount++;
        const after = entry.afterGC.heapStatistics;
        const large = entry.afterGC.heapSpaceStatistics?.find(
          ({ spaceName }) => spaceName === 'large_object_space',
        );
        if (large !== undefined) this.#tables.take(large.spaceUsedSize);
        const { nextBytes } = this.#tables;
        const at = start + ((i + 1) / (found.length + 1)) * (end - start);
        this.#latest = {
          bytes: after.usedHeapSize,
          external: after.externalMemory,
          at,
          major: this.#majorCount,
          ...(nextBytes > 0 && { nextTableBytes: nextBytes }),
        };
      } else if (entry.gcType === 'Scavenge' || entry.gcType === 'MinorMarkSweep') this.#minor++;
    });
  }
}

/** The sensor of this thread, with floors from the one reader of the collector. */
export function processSensor(clock: Clock = systemClock): ProcessSensor {
  return new ProcessSensor({ clock, floors: new FloorWatch(clock) });
}
