import type { Mode } from '@plimsoll/core/internal/level';

/** What can make the governor doubt its own policy. */
export type RollbackTrigger = 'growth' | 'gc-effectiveness' | 'unresponsive' | 'blocked';

/** The channel on which every rollback goes out, once, when the other policy is in force. */
export const rollbackChannelName = 'plimsoll:rollback';

/** A policy in a record: which text, and how it was in force. */
export interface PolicyMark {
  readonly file: string;
  readonly revision: number;
  readonly sha256: string;
  readonly mode: Mode;
}

/** One rollback as it goes out on the channel `plimsoll:rollback` and into the ledger. It always alerts as an emergency. */
export interface RollbackRecord {
  readonly at: number;
  /** `mode` when a human put the file's own policy in force again or in another mode: that goes into the ledger and alerts nobody. */
  readonly event: 'rollback' | 'mode';
  /** `manual` when a human asked for it. */
  readonly trigger: RollbackTrigger | 'manual';
  readonly level: 'emergency';
  /** One sentence with the numbers. */
  readonly text: string;
  /** The numbers behind it. */
  readonly evidence: Readonly<Record<string, number>>;
  readonly from: PolicyMark;
  readonly to: PolicyMark;
  /** Who asked; null when the governor did it by itself. */
  readonly by: string | null;
  readonly reason: string;
}
