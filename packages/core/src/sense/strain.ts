import type { Vitals } from './sensor.ts';

/** Which limits the process is already straining against. */
export interface StrainReading {
  /** The collector takes much of the time although the heap is nearly full: V8 may give up before old space is. */
  readonly heap: boolean;
  /** The kernel reclaims pages that are read back at once. The group is full, and the kernel will soon end the process. */
  readonly cgroup: boolean;
}

interface Moment {
  readonly at: number;
  readonly pauseMs: number;
  readonly majors: number;
  readonly failures: number | undefined;
  readonly majorFaults: number | undefined;
}

/** Time looked back on. V8 gives up after four mark-compacts in a row, which takes seconds on a full heap. */
const windowMs = 10_000;
const leastMs = 3000;
const mostMoments = 64;
/** V8 counts a collection as ineffective when the program got less than 0.4 of the time. This is the sign before that. */
const gcShare = 0.4;
const leastMajors = 3;
/** Measured in a thrashing control group of 256 MiB: 71,000 failed charges and 74 major faults a second; without thrashing 0. */
const failuresPerSecond = 100;
const faultsPerSecond = 20;

/** Tells thrashing, of the collector or of the kernel, from the figures of the last ten seconds. It comes before the abort or the kill. */
export class Strain {
  readonly #moments: Moment[] = [];
  #majors = 0;

  /** `nowMs` is monotonic. */
  take(vitals: Pick<Vitals, 'gc' | 'cgroup'>, nowMs: number): StrainReading {
    this.#majors += vitals.gc.major;
    this.#moments.push({
      at: nowMs,
      pauseMs: vitals.gc.pauseMs,
      majors: this.#majors,
      failures: vitals.cgroup?.failures,
      majorFaults: vitals.cgroup?.majorFaults,
    });
    while (
      this.#moments.length > mostMoments ||
      (this.#moments.length > 1 && nowMs - (this.#moments[0] as Moment).at > windowMs)
    )
      this.#moments.shift();
    const first = this.#moments[0] as Moment;
    const last = this.#moments.at(-1) as Moment;
    const ms = last.at - first.at;
    if (ms < leastMs) return { heap: false, cgroup: false };
    // The pauses of the first moment belong to the time before it.
    let pauseMs = -first.pauseMs;
    for (const moment of this.#moments) pauseMs += moment.pauseMs;
    const perSecond = (from: number | undefined, to: number | undefined): number =>
      from === undefined || to === undefined ? 0 : ((to - from) * 1000) / ms;
    return {
      heap: pauseMs >= gcShare * ms && last.majors - first.majors >= leastMajors,
      cgroup:
        perSecond(first.failures, last.failures) >= failuresPerSecond &&
        perSecond(first.majorFaults, last.majorFaults) >= faultsPerSecond,
    };
  }
}
