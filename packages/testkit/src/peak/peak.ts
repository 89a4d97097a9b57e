import { setImmediate as turn } from 'node:timers/promises';
import { GCProfiler } from 'node:v8';
import { failure } from '@plimsoll/core/internal/errors';
import { formatByteSize } from '@plimsoll/core/units';
import { collector, settle } from '../engine/settle.ts';
import { oneAtATime } from '../engine/turnstile.ts';
import { bytesOf, checkWork, nameOf } from '../options.ts';
import { callerPlace, LeakError } from '../report/leak-error.ts';

export interface PeakOptions {
  /** Ms between two readings while the function waits; default 5. */
  readonly every?: number;
}

interface PeakReport {
  readonly name: string;
  readonly limitBytes: number;
  /** Most live bytes above those before the call. */
  readonly peakBytes: number;
  /** Readings of live bytes that were taken. */
  readonly readings: number;
}

const collections = 3;

/** Measures the highest live bytes while a function runs. The function is called once before, so that lazy parts do not count. */
export async function peakOf(
  work: () => unknown,
  limit: number | string,
  options: PeakOptions = {},
): Promise<PeakReport> {
  checkWork(work);
  const limitBytes = bytesOf(limit, 'the budget');
  const name = nameOf(work);
  return oneAtATime(name, async () => {
    await work();
    await settle();
    const looks = new Looks(limitBytes);
    const timer = setInterval(() => void looks.look(), options.every ?? 5);
    const profiler = new GCProfiler();
    profiler.start();
    try {
      await work();
    } finally {
      clearInterval(timer);
      looks.take(profiler.stop());
    }
    return { name, limitBytes, peakBytes: looks.peakBytes, readings: looks.readings };
  });
}

/** Throws a LeakError when the live memory of a function goes above a budget while it runs. */
export async function staysUnder(
  work: () => unknown,
  limit: number | string,
  options: PeakOptions = {},
): Promise<void> {
  const where = callerPlace();
  const report = await peakOf(work, limit, options);
  if (report.peakBytes > report.limitBytes) throw peakError(report, where);
}

function peakError(report: PeakReport, where: string): LeakError<PeakReport> {
  const { name, peakBytes, limitBytes, readings } = report;
  return new LeakError(
    failure('PLM_LEAK_PEAK', {
      what: name,
      peak: formatByteSize(peakBytes),
      limit: formatByteSize(limitBytes),
      evidence: `${readings} readings`,
      where,
    }),
    [],
    report,
  );
}

/** Heap and external memory, garbage included. */
function usedBytes(): number {
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/**
 * The highest live bytes. Used bytes with garbage are an upper bound of live bytes, so a collection is forced only when that bound is above
 * the budget. While a function computes without a pause, V8's own collections are the readings.
 */
class Looks {
  readonly #base = usedBytes();
  readonly #baseHeap = process.memoryUsage().heapUsed;
  readonly #limit: number;
  #peak = 0;
  #isLooking = false;
  #readings = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  get peakBytes(): number {
    return this.#peak;
  }

  get readings(): number {
    return this.#readings;
  }

  /** The memory of dead ArrayBuffers is given back after a collection, in a later turn of the loop. */
  async look(): Promise<void> {
    if (this.#isLooking) return;
    this.#isLooking = true;
    for (let i = 0; i < collections && usedBytes() - this.#base > this.#limit; i++) {
      collector()();
      await turn();
    }
    this.#see(usedBytes() - this.#base);
    this.#isLooking = false;
  }

  /**
   * Takes the heap after V8's own collections. After a minor one the heap contains garbage, and after a major one external memory still
   * does.
   */
  take({ statistics }: GcProfile): void {
    for (const { gcType, afterGC } of statistics)
      if (gcType === 'MarkSweepCompact') this.#see(afterGC.heapStatistics.usedHeapSize - this.#baseHeap);
  }

  #see(bytes: number): void {
    this.#readings++;
    this.#peak = Math.max(this.#peak, bytes);
  }
}

/** The part of a GC profile that is read. */
interface GcProfile {
  readonly statistics: readonly {
    readonly gcType: string;
    readonly afterGC: {
      readonly heapStatistics: { readonly usedHeapSize: number };
    };
  }[];
}
