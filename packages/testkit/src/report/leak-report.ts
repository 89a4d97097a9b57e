import type { Growth } from '@plimsoll/heap';

/** One path at which objects accumulate. */
export interface LeakRow {
  readonly fingerprint: string;
  /** The class of what accumulates. */
  readonly name: string;
  /** Objects at the path in each snapshot. */
  readonly counts: readonly number[];
  readonly objectsPerCall: number;
  /** Bytes at the path and below it that the calls between the snapshots added. */
  readonly bytes: number;
  readonly trace: Growth['trace'];
  /** The path as code would write it. */
  readonly code: string;
  /** The function that allocates what stays, e.g. `RunRegistry.add (src/registry.ts:41)`. */
  readonly site?: string;
  readonly knownLeak?: { readonly title: string; readonly cure: string; readonly link: string };
  readonly fix: string;
}

/** What a check of growth found. Printing is separate, see `failureText`. */
export interface GrowthReport {
  readonly verdict: 'leak' | 'clean';
  /** What decided: live bytes alone, objects per path, or bytes that no path explains. */
  readonly by: 'bytes' | 'objects' | 'unexplained bytes';
  /** What was called, as its source text or the given name. */
  readonly name: string;
  /** What one call is, for the text: `call`, `session`, `request`. */
  readonly per: string;
  readonly calls: number;
  /** Calls that were taken as warm-up. */
  readonly warmup: number;
  /** Live bytes gained by each of the last rounds, and the calls in one. */
  readonly rounds: readonly number[];
  readonly callsPerRound: number;
  /** Bytes per call over the last rounds. */
  readonly bytesPerCall: number;
  readonly externalBytesPerCall: number;
  /** Calls between the snapshots. */
  readonly steps: readonly number[];
  readonly leaks: readonly LeakRow[];
  /** Growing paths that `ignore` names, with its reason. */
  readonly ignored: readonly { readonly code: string; readonly why: string }[];
  readonly snapshots: readonly string[];
  readonly ms: number;
}
