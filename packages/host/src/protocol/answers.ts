import type { Alert } from '@plimsoll/govern/internal/alert/alert';
import type { AlertCounts } from '@plimsoll/govern/internal/alert/alert-router';
import type { Silence } from '@plimsoll/govern/internal/alert/silence';
import type { Mode } from '@plimsoll/core/internal/level';
import type { ApprovalRow } from '@plimsoll/govern/internal/approvals/approval-row';
import type { RollbackState } from '@plimsoll/govern/internal/rollback/rollback';
import type { RollbackRecord } from '@plimsoll/govern/internal/rollback/rollback-record';
import type { BudgetRow } from './api.ts';
import type { ScopeRow } from './frame.ts';

export type { ControlArgs, ControlHandler, ControlOps } from './control.ts';

/** One answer of the operation `scopes`: what changed since the same watch asked last, a page at a time. */
export interface ScopePage {
  readonly at: number;
  /** True for the first page of a watch: forget all earlier rows. */
  readonly full: boolean;
  readonly rows: readonly ScopeRow[];
  readonly gone: readonly string[];
  /** False while the round goes on. Then ask again at once. */
  readonly done: boolean;
}

/** A row as the operations return it. `replayed` is true when the decision had been taken before. */
export type DecidedRow = ApprovalRow & { readonly replayed: boolean };

/** Answer of the operations on the policy: the policy in force, and the record when something changed. */
export interface RollbackAnswer {
  readonly record: RollbackRecord | null;
  readonly state: RollbackState;
  readonly inForce: {
    readonly file: string;
    readonly revision: number;
    readonly sha256: string;
    readonly mode: Mode;
  };
}

/** Answer of every form of the operation `silences`. */
export interface SilencesAnswer {
  readonly silences: readonly Silence[];
  /** Alerts that fire now, gravest first. */
  readonly alerts: readonly Alert[];
  readonly counts: AlertCounts;
  /** The silence that was added or removed. */
  readonly id: string | null;
}

/** The result of an action by hand. */
export interface ActAnswer {
  readonly id: string;
  readonly action: string;
  readonly scope: string;
  readonly outcome: 'waiting' | 'running' | 'settling' | 'done' | 'would-have' | 'skipped' | 'failed';
  readonly text: string;
  /** Bytes that it freed, by its own count. */
  readonly releasedBytes: number;
}

/** Answer of the operation `policy`: the policy in force. */
export interface PolicyInForce {
  readonly file: string;
  readonly mode: string;
  readonly revision: number;
  readonly sha256: string;
  readonly budgets: readonly BudgetRow[];
}
