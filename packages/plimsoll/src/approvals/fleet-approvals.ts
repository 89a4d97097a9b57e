import { failure } from '@plimsoll/core/internal/errors';
import { askersOf, fold, isAllowed } from '@plimsoll/govern/internal/approvals/approver';
import type { ApprovalRow } from '@plimsoll/host/protocol/frame';
import { databaseUser, decideApproval } from '@plimsoll/ledger/internal/postgres/approvals';
import type {
  AskedApproval,
  FleetDecided,
  FleetDecision,
} from '@plimsoll/ledger/internal/postgres/approvals';
import type { PgClient } from '@plimsoll/ledger/internal/postgres/client';
import type { FleetApproval } from '@plimsoll/ledger/internal/postgres/fleet-rows';
import { FleetQueries } from '@plimsoll/ledger/internal/postgres/queries';

/** Approvals of all processes of the fleet, open ones first, in the form of local ones. */
export async function fleetApprovals(client: PgClient, isAll: boolean): Promise<readonly ApprovalRow[]> {
  const rows = await new FleetQueries(client).approvals(isAll ? {} : { state: 'open' });
  return rows.map(rowOf);
}

/** Decides an approval as the login of the database, which has authenticated the user. */
export async function decideForFleet(
  client: PgClient,
  input: Pick<FleetDecision, 'id' | 'digest' | 'decision' | 'comment' | 'key'>,
): Promise<FleetDecided> {
  const who = await databaseUser(client);
  return decideApproval(client, { ...input, ...who, channel: 'cli' }, (asked) => mayDecide(asked, who));
}

/** Throws when the policy of the process does not allow this person to decide. The desk of the process checks it again. */
export function mayDecide(asked: AskedApproval, who: Pick<FleetDecision, 'by' | 'groups' | 'isOwner'>): void {
  const { id, approvers, requestedBy, scope } = asked as unknown as ApprovalRow;
  if (!isAllowed(who, approvers)) throw failure('PLM_APPROVAL_NOT_ALLOWED', { id, by: who.by, approvers });
  if (askersOf(requestedBy, scope).has(fold(who.by))) throw failure('PLM_APPROVAL_SELF', { id, by: who.by });
}

function rowOf(found: FleetApproval): ApprovalRow {
  const body = found.body as unknown as ApprovalRow;
  const { id, host, asked, deadline, state, applied, decidedAt } = found;
  return {
    ...body,
    id,
    scope: `${host}: ${body.scope}`,
    at: asked,
    deadlineAt: deadline,
    state: applied ?? state,
    decidedAt,
  };
}
