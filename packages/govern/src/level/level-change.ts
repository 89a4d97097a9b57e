import type { Level, Mode } from '@plimsoll/core/internal/level';

/**
 * What a level change is about: a limit of the process, or the account of a scope. `closed` and `no-budget` end the level of a scope
 * that is gone, or that a new policy gives no budget.
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

/** One change of a level, as it goes out on the channel `plimsoll:level` and into the ledger. */
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
  /** Set when a forecast and not the ratio alone raised the level. */
  readonly timeToLimitMs?: number;
  /** Wall time in ms. */
  readonly at: number;
  readonly mode: Mode;
  readonly policy: { readonly revision: number; readonly sha256: string };
}
