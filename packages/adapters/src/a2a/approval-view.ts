import type { ApprovalRow } from '@plimsoll/govern/internal/approvals/approval-row';

/** Who decides, after the token was checked. */
export interface A2aApprover {
  /** `agent:NAME` or `user:NAME`. */
  readonly by: string;
  readonly groups: readonly string[];
}

/** A decision as it comes in over A2A. */
export interface A2aDecision extends A2aApprover {
  readonly id: string;
  readonly digest: string;
  readonly decision: 'approve' | 'deny';
  readonly channel: 'a2a';
  readonly comment: string;
  readonly key: string;
}

/** The approvals of the process, as the A2A server needs them. The desk of a governed process is one. */
export interface ApprovalsView {
  rows(): readonly ApprovalRow[];
  row(id: string): ApprovalRow | undefined;
  /** Throws when the decision does not count. */
  decide(decision: A2aDecision): { readonly row: ApprovalRow };
}
