import { levels } from '@plimsoll/core/internal/level';

/** Names of the levels by their stored number. */
export const levelNames = levels;
export type LevelName = (typeof levelNames)[number];

/** One stored reading of the process: what counts against the limit, and its parts. Bytes unless the name says otherwise. */
export interface ProcessSample {
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** Scope path, usually `process`. */
  readonly scope: string;
  readonly usedBytes: number;
  readonly limit: number;
  readonly floor?: number | undefined;
  readonly heapUsed: number;
  readonly external: number;
  readonly arrayBuffers: number;
  readonly rss: number;
  readonly loopDelayMs: number;
  readonly level?: LevelName | undefined;
}

/** What one scope held at one moment. */
export interface ScopeSample {
  readonly at: number;
  readonly scope: string;
  readonly bytes: number;
}

export type Sample = ProcessSample | ScopeSample;
