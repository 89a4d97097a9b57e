import type { Level } from '@plimsoll/core/internal/level';
import type { StoredNumbers } from '@plimsoll/core/internal/sense/reading-fields';

/** One stored reading of the process: the bytes that count against the limit, and their parts. Bytes unless the name says otherwise. */
export interface ProcessSample extends Partial<StoredNumbers> {
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** Scope path, usually `process`. */
  readonly scope: string;
  readonly usedBytes: number;
  readonly limit: number;
  readonly level?: Level | undefined;
}

/** The bytes of one scope at one moment. */
export interface ScopeSample {
  readonly at: number;
  readonly scope: string;
  readonly bytes: number;
}

export type Sample = ProcessSample | ScopeSample;
