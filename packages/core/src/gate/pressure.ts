import type { Level } from '../level.ts';

/** What `pressure()` says. */
export interface Pressure {
  /** Null when there is none. */
  readonly reason: string | null;
  readonly level: Level;
  readonly usedBytes: number;
  readonly limitBytes: number;
  /** Used / limit. */
  readonly ratio: number;
  readonly source: string;
}
