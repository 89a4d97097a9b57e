import type { ApprovalRow } from '@plimsoll/govern/internal/approvals/approval-row';
import type { AuditEntry, AuditRecord } from '@plimsoll/ledger';

/** The audit entry of one change of an approval: the whole row, and the vote if a vote made the change. */
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

/** The newest row of every approval in entries that are oldest first. Entries that are not rows of approvals are skipped. */
export function approvalRows(
  entries: readonly AuditRecord[],
): readonly (ApprovalRow & { readonly run: number })[] {
  const newest = new Map<string, ApprovalRow & { readonly run: number }>();
  for (const { run, scope, body } of entries) {
    // `votes` already contains the vote that made the change.
    const { openedAt, by: _by, decision: _decision, channel: _channel, comment: _comment, ...rest } = body;
    const row = { ...rest, scope, at: openedAt } as Partial<ApprovalRow>;
    if (typeof row.id !== 'string' || typeof row.state !== 'string' || !Array.isArray(row.votes)) continue;
    const key = `${run}/${row.id}`;
    // Removed first, so that the newest change comes last.
    newest.delete(key);
    newest.set(key, { ...(row as ApprovalRow), run });
  }
  return [...newest.values()];
}
