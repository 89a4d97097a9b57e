import type { Level, Mode } from '@plimsoll/core/internal/level';

/**
 * The source of a level change: a limit of the process, or the account of a scope. `closed` ends the level of a closed scope. `no-budget`
 * ends it for a scope without a budget in a new policy.
 */
export type LevelSource =
  | 'heap'
  | 'cgroup'
  | 'rss'
  | 'native'
  | 'policy'
  | 'account'
  | 'closed'
  | 'no-budget';

/** One change of a level, as published on the channel `plimsoll:level` and into the ledger. */
export interface LevelChange {
  /** Scope path; "process" for the process itself. */
  readonly scope: string;
  readonly level: Level;
  readonly from: Level;
  readonly ratio: number;
  readonly usedBytes: number;
  readonly limitBytes: number;
  readonly source: LevelSource;
  /** The rule behind the limit: `sessions "*" (plimsoll.yaml:21)`, "limits.heap", "open(..., { budget })". */
  readonly rule: string;
  /** Set when a forecast raised the level, and not the ratio alone. */
  readonly timeToLimitMs?: number;
  /** Wall time in ms. */
  readonly at: number;
  readonly mode: Mode;
  readonly policy: { readonly revision: number; readonly sha256: string };
}
