import type { Mode } from '@plimsoll/core/internal/level';

/** Reasons for which the governor gives its policy up. */
export type RollbackTrigger = 'growth' | 'gc-effectiveness' | 'unresponsive' | 'blocked';

/** The channel on which every rollback is published, once, when the other policy is in force. */
export const rollbackChannelName = 'plimsoll:rollback';

/** A policy in a record: its text hash and its mode. */
export interface PolicyMark {
  readonly file: string;
  readonly revision: number;
  readonly sha256: string;
  readonly mode: Mode;
}

/** One rollback as published on the channel `plimsoll:rollback` and into the ledger. It always alerts as an emergency. */
export interface RollbackRecord {
  readonly at: number;
  /** `mode` when a person put the file's policy in force again or in another mode. It is written into the ledger without an alert. */
  readonly event: 'rollback' | 'mode';
  /** `manual` when a person asked for it. */
  readonly trigger: RollbackTrigger | 'manual';
  readonly level: 'emergency';
  /** One sentence with the numbers. */
  readonly text: string;
  /** The numbers behind it. */
  readonly evidence: Readonly<Record<string, number>>;
  readonly from: PolicyMark;
  readonly to: PolicyMark;
  /** The person who asked; null when the governor did it. */
  readonly by: string | null;
  readonly reason: string;
}
