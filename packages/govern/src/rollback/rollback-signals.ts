import type { Level } from '@plimsoll/core/internal/level';

/** Input of the governor's watch on itself, once per reading. */
export interface RollbackSignals {
  /** Monotonic ms. */
  readonly nowMs: number;
  readonly heapUsed: number;
  /** Live bytes after the last major GC. */
  readonly floor?: number | undefined;
  /** Ordinal of the last major GC. */
  readonly majors: number;
  /** Longest event-loop delay since the previous reading. */
  readonly loopDelayMs: number;
  /** Highest used / limit. */
  readonly pressureRatio: number;
  /** Level of the process. */
  readonly level: Level;
  /** True when that level comes from a number of the policy and not from a limit of V8 or of the control group. */
  readonly isOwnLimit: boolean;
  /** Work begun since the start, as a measure of the load: opened scopes. */
  readonly operations: number;
  /** Requests that the shed points admitted since the start. */
  readonly admitted: number;
  /** Requests that they refused or held. */
  readonly blocked: number;
  /** Memory of Plimsoll itself. */
  readonly selfBytes: number;
  readonly selfCpuRatio: number;
}

/** A trigger that fired: the reason for giving up the policy in force. */
export interface Trip {
  readonly trigger: 'growth' | 'gc-effectiveness' | 'unresponsive' | 'blocked';
  /** One sentence with the numbers. */
  readonly text: string;
  readonly evidence: Readonly<Record<string, number>>;
}
