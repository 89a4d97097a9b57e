import type { ApprovalRow } from '@plimsoll/govern/internal/approvals/approval-row';
import type { AuditEntry, AuditRecord } from '@plimsoll/ledger';

/** One change of an approval for the audit: the whole row, and the vote that made the change when one did. */
export function approvalEntry(row: ApprovalRow, isNewVote: boolean, at: number): AuditEntry {
  const { scope, votes, evidence, approvers, at: openedAt, ...rest } = row;
  const vote = isNewVote ? votes.at(-1) : undefined;
  return {
    kind: 'approval',
    at,
    scope,
    body: {
      ...rest,
      openedAt,
      evidence: { ...evidence },
      approvers: [...approvers],
      votes: votes.map((each) => ({ ...each })),
      ...(vote === undefined
        ? {}
        : { by: vote.by, decision: vote.decision, channel: vote.channel, comment: vote.comment }),
    },
  };
}

/** The newest row of every approval in entries that are oldest first. Anything that is no row of ours is passed over. */
export function approvalRows(
  entries: readonly AuditRecord[],
): readonly (ApprovalRow & { readonly run: number })[] {
  const newest = new Map<string, ApprovalRow & { readonly run: number }>();
  for (const { run, scope, body } of entries) {
    // The vote that made the change is among all votes already.
    const { openedAt, by: _by, decision: _decision, channel: _channel, comment: _comment, ...rest } = body;
    const row = { ...rest, scope, at: openedAt } as Partial<ApprovalRow>;
    if (typeof row.id !== 'string' || typeof row.state !== 'string' || !Array.isArray(row.votes)) continue;
    const key = `${run}/${row.id}`;
    // Taken out first, so that what changed last comes last.
    newest.delete(key);
    newest.set(key, { ...(row as ApprovalRow), run });
  }
  return [...newest.values()];
}
