import type { GcCount } from './floor-watch.ts';
import type { Pressure } from './limits.ts';

/** One measurement of the process. All sizes in bytes. */
export interface Reading {
  /** Wall time, ms since the epoch. */
  readonly at: number;
  readonly heapUsed: number;
  /** Live heap right after the last major GC; undefined before the first one. */
  readonly floor?: number;
  /** How old the floor is. */
  readonly floorAgeMs?: number;
  /** Ordinal of the last major GC since sensing began; differences tell how many lie between two readings. */
  readonly majors: number;
  readonly external: number;
  readonly arrayBuffers: number;
  readonly rss: number;
  /** The limit that is nearest to being reached, and what counts against it. */
  readonly limit: number;
  readonly used: number;
  /** Every limit with what counts against it, nearest first. */
  readonly pressures: readonly Pressure[];
  /** Longest event-loop delay since the previous reading. */
  readonly loopDelayMs: number;
  /** Share of the time since the previous reading that the loop was busy, 0 to 1. */
  readonly loopUtilization: number;
  /** Collections since the previous reading. */
  readonly gc: GcCount;
  /** Open scopes. */
  readonly scopes: number;
  /** Live heap that the census found in no scope; undefined until it went round once. */
  readonly unattributed?: number;
  /** Ms by which this reading came late; a late reading stands for one sample, however many it replaced. */
  readonly lateMs: number;
  /** What Plimsoll itself takes. */
  readonly self: SelfCostReading;
}

export interface SelfCostReading {
  readonly bytes: number;
  /** Our share of one core, 0 to 1. */
  readonly cpuRatio: number;
  /** What all our parts together may take of one core. Absent where no host measures. */
  readonly allowanceRatio?: number;
  /** The same per part, with how many times longer than usual it waits because it took more than its share. */
  readonly parts?: readonly {
    readonly part: string;
    readonly cpuRatio: number;
    readonly slowdown: number;
  }[];
}
