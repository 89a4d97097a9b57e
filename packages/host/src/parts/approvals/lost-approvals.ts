import type { ApprovalRow } from '@plimsoll/govern/internal/approvals/approval-row';
import { LedgerReader } from '@plimsoll/ledger';
import type { AuditRecord } from '@plimsoll/ledger';
import { isAlive } from '@plimsoll/core/internal/is-alive';
import { approvalRows } from '../../protocol/approval-entry.ts';

/** Tickets live for a day at most; older ones were settled by an earlier start. */
const backMs = 2 * 86_400_000;
const mostEntries = 20_000;

/**
 * Approvals that were open, or approved and not yet run, when a process of this ledger ended. Nobody can decide them any more. Approvals of
 * a process that still runs are not touched.
 */
export function lostApprovals(ledgerDir: string, ownRun: number, now: number): readonly ApprovalRow[] {
  let reader: LedgerReader;
  try {
    reader = new LedgerReader(ledgerDir, { asWritten: true });
  } catch {
    // There is no ledger yet, or it cannot be read. So no approval is known to be lost.
    return [];
  }
  try {
    const entries = reader.audit({ kinds: ['approval'], since: now - backMs, limit: mostEntries });
    const rows = approvalRows(entries.filter(({ run }) => run !== ownRun));
    const written = rows.filter(isUndecided);
    if (written.length === 0) return [];
    const starts = reader.audit({ kinds: ['start'], limit: mostEntries });
    const settled = new Set(rows.filter(({ state }) => state === 'lost').map(({ id }) => id));
    return written
      .filter(({ run, id }) => !settled.has(id) && isOver(run, starts))
      .map(({ run: _run, ...row }) => ({ ...row, state: 'lost', decidedAt: now }));
  } finally {
    reader.close();
  }
}

/** True for an approval that is open, or that was approved and never run. */
function isUndecided({ state, ranAt, onExpiry, kind }: ApprovalRow): boolean {
  if (state === 'open') return true;
  if (ranAt !== null || kind === 'review') return false;
  return state === 'approved' || state === 'overridden' || (state === 'expired' && onExpiry === 'proceed');
}

/** A run is over when its process is gone. A run with our own process id belongs to an earlier process that had the same id. */
function isOver(run: number, starts: readonly AuditRecord[]): boolean {
  const pid = starts.findLast((start) => start.run === run)?.body['pid'];
  return typeof pid !== 'number' || pid === process.pid || !isAlive(pid);
}
