import type { ApprovalState } from '@plimsoll/core/internal/gate/approval';
import type { OnExpiry } from '../policy/sections/approvals.ts';

export type ApprovalDecision = 'approve' | 'deny';

export interface ApprovalVote {
  readonly by: string;
  readonly decision: ApprovalDecision;
  readonly at: number;
  readonly channel: string;
  readonly comment: string;
}

/** One approval as every channel shows it: dashboard, command line, A2A, ledger. Times are wall time in ms. */
export interface ApprovalRow {
  readonly id: string;
  /** Hash over action, arguments, scope and policy. A decision must quote it. */
  readonly digest: string;
  /** `action` of the ladder, held `delegation` or `operation`, or `review` of an action that the policy allowed. */
  readonly kind: string;
  readonly action: string;
  readonly scope: string;
  readonly why: string;
  /** Numbers behind it: level, used and limit bytes, projected bytes freed, victims. */
  readonly evidence: Readonly<Record<string, string | number | null>>;
  readonly requestedBy: string;
  readonly at: number;
  readonly deadlineAt: number;
  /** The decision when nobody answers. */
  readonly onExpiry: OnExpiry;
  readonly quorum: number;
  readonly approvers: readonly string[];
  readonly votes: readonly ApprovalVote[];
  readonly state: ApprovalState;
  /** Null while open. */
  readonly decidedAt: number | null;
  /** Null until the approved action has run. */
  readonly ranAt: number | null;
}
