import type { GcCount } from './floor.ts';
import type { LimitUse } from './limits.ts';
import { partlyKnown, type ReadingNumbers } from './reading-fields.ts';

/** One measurement of the process. Its numbers are in the table `readingFields`. */
export interface Reading extends ReadingNumbers {
  /** Wall time, ms since the epoch. */
  readonly at: number;
  /** Every limit with what counts against it, nearest first. */
  readonly pressures: readonly LimitUse[];
  /** Collections since the previous reading. */
  readonly gc: GcCount;
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

/** A reading of which only some was measured, such as one of another process or of the past. The rest is zero or left out. */
export function partialReading(known: Parameters<typeof partlyKnown>[0] & Pick<Reading, 'at'>): Reading {
  return {
    at: known.at,
    ...partlyKnown(known),
    pressures: [],
    gc: { major: 0, minor: 0, pauseMs: 0 },
    self: { bytes: 0, cpuRatio: 0 },
  };
}
