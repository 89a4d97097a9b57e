import type { Growth } from '@plimsoll/heap';

/** One path at which objects accumulate. */
export interface LeakRow {
  readonly fingerprint: string;
  /** Class of the accumulating objects. */
  readonly name: string;
  /** Objects at the path in each snapshot. */
  readonly counts: readonly number[];
  readonly objectsPerCall: number;
  /** Bytes that the calls between the snapshots added at the path and below it. */
  readonly bytes: number;
  readonly trace: Growth['trace'];
  /** The path as code would write it. */
  readonly code: string;
  /** The function that allocates the surviving objects, e.g. `RunRegistry.add (src/registry.ts:41)`. */
  readonly site?: string;
  readonly knownLeak?: { readonly title: string; readonly cure: string; readonly link: string };
  readonly fix: string;
}

/** Result of a check of growth. `failureText` prints it. */
export interface GrowthReport {
  readonly verdict: 'leak' | 'clean';
  /** The deciding evidence: live bytes alone, objects per path, or bytes that no path explains. */
  readonly by: 'bytes' | 'objects' | 'unexplained bytes';
  /** The function, as its source text or the given name. */
  readonly name: string;
  /** Name of one call in the text: `call`, `session`, `request`. */
  readonly per: string;
  readonly calls: number;
  /** Calls that counted as warm-up. */
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
