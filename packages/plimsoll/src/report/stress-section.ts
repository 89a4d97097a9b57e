/** The verdict of a stress run. */
export type StressVerdict = 'PASS' | 'PASS WITH CONCERNS' | 'FAIL';

/** One plan: the load on one child process. */
export interface PlanRow {
  readonly plan: string;
  /** Ms since the epoch. */
  readonly startedAt: number;
  readonly ms: number;
  readonly sessions: number;
  readonly calls: number;
  /** Calls that failed without an injected fault. */
  readonly errors: number;
  readonly p50Ms: number | null;
  readonly p99Ms: number | null;
  /** Live bytes after a full GC, heap and external together: after the warm-up and after the load. */
  readonly startBytes: number | null;
  readonly endBytes: number | null;
  /** Highest resident memory. */
  readonly peakBytes: number | null;
  /** Live bytes gained per call after the warm-up. */
  readonly bytesPerCall: number | null;
  readonly bytesPerSession: number | null;
  /** Share of the memory that the load added and that was free again at the end. */
  readonly reclaimedRatio: number | null;
  readonly verdict: 'clean' | 'leak' | 'undecided';
  readonly why: string;
  readonly exit: string;
}

/** One fault that was injected into the program or its environment. */
export interface InjectionRow {
  readonly plan: string;
  readonly name: string;
  readonly what: string;
  /** How often it happened, counted where it took effect. */
  readonly happened: number;
  /** The evidence that it happened. */
  readonly proof: string;
  readonly outcome: 'held' | 'hurt' | 'not reached';
  readonly note: string;
}

/** One check for a failure that no status code shows. */
export interface CheckRow {
  readonly kind: 'golden' | 'state' | 'metric' | 'effect';
  readonly name: string;
  readonly outcome: 'ok' | 'failed' | 'undecided';
  readonly text: string;
}

export interface HypothesisRow {
  readonly id: string;
  readonly text: string;
  readonly outcome: 'confirmed' | 'rejected' | 'undecided';
  /** The figure that was measured, in words. */
  readonly measured: string;
}

/** One kind of call, over all plans. */
export interface CallRow {
  readonly call: string;
  readonly count: number;
  readonly errors: number;
  readonly p50Ms: number | null;
  readonly p99Ms: number | null;
}

/** The part of a report that only `plimsoll stress` writes. */
export interface StressSection {
  readonly verdict: StressVerdict;
  /** The reasons for the verdict, gravest first. */
  readonly reasons: readonly string[];
  readonly seed: number;
  /** Heap limit of the child processes in bytes; null when none was set. */
  readonly limitBytes: number | null;
  readonly plans: readonly PlanRow[];
  readonly injections: readonly InjectionRow[];
  readonly checks: readonly CheckRow[];
  readonly hypotheses: readonly HypothesisRow[];
  readonly calls: readonly CallRow[];
  /** Untested parts, and how to test them. */
  readonly notTried: readonly string[];
  /** True when it was stopped by a signal before its end. */
  readonly isInterrupted: boolean;
}
