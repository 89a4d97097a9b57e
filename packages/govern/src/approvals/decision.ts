import { failure } from '@plimsoll/core/internal/errors';
import type { ApprovalDecision, ApprovalRow } from './approval-row.ts';
import { fold, isAllowed } from './approver.ts';
import type { Ticket } from './ticket.ts';

/** A decision from a channel that has verified the approver. */
export interface DeskDecision {
  readonly id: string;
  /** The digest that the approver saw. */
  readonly digest: string;
  readonly decision: ApprovalDecision;
  readonly by: string;
  readonly groups: readonly string[];
  readonly isOwner?: boolean;
  /** Its channel: `cli`, `http`, `a2a`. */
  readonly channel: string;
  readonly comment?: string | undefined;
  /** Idempotency key: the same decision with the same key counts once. */
  readonly key?: string | undefined;
}

export interface DeskAnswer {
  readonly row: ApprovalRow;
  /** True when the same decision was taken before, so that nothing changed. */
  readonly replayed: boolean;
}

/** Throws PLM_APPROVAL_... when the approver may not decide, or has seen another request than the one on the desk. */
export function checkDecider(ticket: Ticket, input: DeskDecision, by: string): void {
  const { id, rule } = ticket;
  if (!isAllowed({ by, groups: input.groups, isOwner: input.isOwner === true }, rule.by))
    throw failure('PLM_APPROVAL_NOT_ALLOWED', { id, by, approvers: rule.by });
  if (ticket.askers.has(fold(by))) throw failure('PLM_APPROVAL_SELF', { id, by });
  if (input.digest !== ticket.digest) throw failure('PLM_APPROVAL_DIGEST', { id });
}
