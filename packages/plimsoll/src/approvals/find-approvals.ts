import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { isPlimsollError } from '@plimsoll/core';
import type { ApprovalRow } from '@plimsoll/host/protocol/frame';
import { isLedger } from '@plimsoll/ledger/internal/read/is-ledger';
import type { Descriptor } from '@plimsoll/host/protocol';
import { ask, liveDescriptors } from '@plimsoll/host/protocol';

/** An approval and its place: a process that can still decide it, or only the ledger. */
export interface FoundApproval {
  readonly row: ApprovalRow;
  readonly process: Descriptor | undefined;
}

/** A governed process that runs but does not answer, because it is suspended or its event loop is blocked. */
export interface SilentProcess {
  readonly pid: number;
  readonly target: string;
  readonly why: string;
}

/**
 * The approvals of every governed process of a folder that answers, open ones first. `onSilent` is called with processes that do not
 * answer.
 */
export async function liveApprovals(
  dir: string,
  onSilent: (process: SilentProcess) => void = () => undefined,
): Promise<readonly FoundApproval[]> {
  const asked = liveDescriptors(dir).map(async (process): Promise<readonly FoundApproval[]> => {
    try {
      const rows = await ask<readonly ApprovalRow[]>(process.socket, 'approvals.list');
      return rows.map((row) => ({ row, process }));
    } catch (error) {
      // A process that ended meanwhile, or an older version without approvals, does not hide the others.
      if (!isPlimsollError(error)) throw error;
      if (error.code === 'PLM_CONTROL_TIMEOUT')
        onSilent({ pid: process.pid, target: process.target, why: error.message });
      return [];
    }
  });
  const found = (await Promise.all(asked)).flat();
  return [
    ...found.filter(({ row }) => row.state === 'open'),
    ...found.filter(({ row }) => row.state !== 'open'),
  ];
}

/** The approvals in the ledgers of a folder, newest first. One that is still open there belongs to a process or is lost. */
async function storedApprovals(dir: string, since: number | undefined): Promise<readonly FoundApproval[]> {
  const { LedgerReader } = await import('@plimsoll/ledger');
  const { approvalRows } = await import('@plimsoll/host/protocol');
  const found: ApprovalRow[] = [];
  for (const ledger of ledgersOf(dir)) {
    const reader = new LedgerReader(ledger);
    try {
      for (const { run: _run, ...row } of approvalRows(reader.audit({ kinds: ['approval'], since })))
        found.push(row);
    } finally {
      reader.close();
    }
  }
  return found.sort((a, b) => b.at - a.at).map((row) => ({ row, process: undefined }));
}

/** Live rows first. When a ticket is in both, the live row counts. */
export async function allApprovals(
  dir: string,
  since: number | undefined,
  onSilent?: (process: SilentProcess) => void,
): Promise<readonly FoundApproval[]> {
  const live = await liveApprovals(dir, onSilent);
  const known = new Set(live.map(({ row }) => `${row.id} ${row.digest}`));
  const stored = await storedApprovals(dir, since);
  return [
    ...live,
    ...stored
      .filter(({ row }) => !known.has(`${row.id} ${row.digest}`))
      .map((each) =>
        each.row.state === 'open' ? { ...each, row: { ...each.row, state: 'lost' as const } } : each,
      ),
  ];
}

/** The ledger of the program and the ledgers of processes that it forked. */
function ledgersOf(dir: string): readonly string[] {
  if (!existsSync(dir)) return [];
  return readdirSync(dir)
    .filter((name) => /^ledger(?:-\d+)?$/.test(name))
    .map((name) => join(dir, name))
    .filter(isLedger);
}
