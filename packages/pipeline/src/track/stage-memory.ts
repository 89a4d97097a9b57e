import type { Allocated } from './allocated.ts';
import type { StageCollections } from './collection-tally.ts';

/** Memory of one call of a stage. */
export interface StageMemory {
  readonly stage: string;
  /** Path of the scope that the call ran in. */
  readonly path: string;
  /** Id of the scope that this scope was opened in: calls with the same one belong to one run. 0 is the process. */
  readonly run: number;
  /** Wall time in ms at which it began. */
  readonly startedAt: number;
  readonly durationMs: number;
  /** False when the call threw. */
  readonly ok: boolean;
  /** Bytes of the root before the call, after it, and at most in between. */
  readonly before: number;
  readonly after: number;
  readonly peak: number;
  /** Bytes of the returned value that the root does not reach. */
  readonly returned: number;
  /** Bytes that the call keeps: `after - before + returned`. Negative when the root shrank. */
  readonly kept: number;
  /** False when the walks were cut short at 1 % of the call's time and the rest is extrapolated. */
  readonly isExact: boolean;
  /** The part of `after + returned` in Buffers and ArrayBuffers. */
  readonly external: number;
  /** The highest charge of keepers and meters to the call's scope. */
  readonly charged: number;
  /** Listeners and timers that the call left attached; null unless `attachments` is on. */
  readonly listeners: number | null;
  readonly timers: number | null;
  /** Collections of the thread while the call ran. */
  readonly collections: StageCollections;
  /** Change of the whole process, garbage included. It is the call's own only when `isAlone`. */
  readonly process: {
    readonly heapUsed: number;
    readonly external: number;
    readonly arrayBuffers: number;
    /** True when no other tracked call overlapped. */
    readonly isAlone: boolean;
  };
  /** The allocations; null unless `allocated` is on and the sampler was free. */
  readonly allocated: Allocated | null;
}
