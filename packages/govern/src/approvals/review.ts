import type { ApprovalRule } from '../policy/sections/approvals.ts';
import type { Ticket, TicketRequest } from './ticket.ts';

/** Name under which reviews are counted. */
export const reviewName = 'review of what the policy let happen';

/** A ticket that asks people afterwards whether the policy was right to let something run without them. */
export function reviewOf(ticket: Ticket): { readonly rule: ApprovalRule; readonly request: TicketRequest } {
  const { action, evidence } = ticket.request;
  return {
    rule: { ...ticket.rule, name: reviewName, quorum: 1, onExpiry: 'skip' },
    request: {
      ...ticket.request,
      kind: 'review',
      args: { reviews: ticket.id },
      level: undefined,
      why: `the policy let "${action}" run at emergency level without a person; was that right?`,
      evidence: { reviews: ticket.id, ...evidence },
      isStillValid: () => false,
      run: () => undefined,
      onRefused: undefined,
    },
  };
}
