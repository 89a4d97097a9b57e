import { formatByteSize, formatDuration } from '@plimsoll/core/units';
import type { ApprovalRow } from '@plimsoll/host/protocol/frame';
import { dateText } from '../ledger/time-option.ts';
import type { Column } from '../screen/table.ts';
import { formatTable, printable } from '../screen/table.ts';

/** The approvals as a table: open ones with the remaining time, the others with their outcome. */
export function listText(rows: readonly ApprovalRow[], now: number, width: number): string {
  if (rows.length === 0) return 'No approvals.\n';
  const columns: readonly Column<ApprovalRow>[] = [
    { title: 'id', cell: (row) => row.id },
    { title: 'state', cell: (row) => row.state },
    { title: 'asked', cell: (row) => dateText(row.at) },
    { title: 'what', cell: (row) => shorten(row.action, 40) },
    { title: 'scope', cell: (row) => shorten(row.scope, 48) },
    { title: 'asked by', cell: (row) => shorten(row.requestedBy, 36) },
    { title: 'then', cell: (row) => thenText(row, now) },
  ];
  const open = rows.filter((row) => row.state === 'open').length;
  const summary =
    open === 0
      ? 'nothing waits'
      : `${open} ${open === 1 ? 'waits' : 'wait'}: plimsoll approvals approve ID, or deny ID`;
  return `${formatTable(columns, rows, Math.max(width, 120)).join('\n')}\n\n${summary}\n`;
}

/** One approval with everything that a decision needs. */
export function showText(row: ApprovalRow, now: number): string {
  const votes = row.votes.map(
    (vote) =>
      `${vote.decision} by ${vote.by} at ${dateText(vote.at)} over ${vote.channel}${vote.comment === '' ? '' : `: ${vote.comment}`}`,
  );
  const lines: readonly (readonly [string, string])[] = [
    ['approval', `${row.id}, ${row.state}`],
    ['what', `${row.action} (${row.kind}) on ${row.scope}`],
    ['why', row.why],
    ...Object.entries(row.evidence).map(([key, value]) => [`  ${key}`, evidenceText(key, value)] as const),
    ['asked by', `${row.requestedBy} at ${dateText(row.at)}`],
    ...(row.state === 'open' ? ([['no answer', thenText(row, now)]] as const) : []),
    ['may decide', `${row.approvers.join(', ')}${row.quorum > 1 ? `, ${row.quorum} of them` : ''}`],
    ...votes.map((vote) => ['vote', vote] as const),
    ['ran', row.ranAt === null ? 'no' : dateText(row.ranAt)],
    ['digest', row.digest],
  ];
  const wide = Math.max(...lines.map(([key]) => key.length));
  return `${lines.map(([key, value]) => `${printable(key).padEnd(wide)}  ${printable(value)}`).join('\n')}\n`;
}

/** The default without an answer. For a decided approval: who decided and whether it ran. */
function thenText(row: ApprovalRow, now: number): string {
  if (row.state !== 'open') {
    const last = row.state === 'approved' || row.state === 'denied' ? row.votes.at(-1) : undefined;
    return [...(last === undefined ? [] : [`by ${last.by}`]), ...(row.ranAt === null ? [] : ['ran'])].join(
      ', ',
    );
  }
  const votes = row.votes.length === 0 ? '' : `${row.votes.length} of ${row.quorum} agree, `;
  return `${votes}${row.onExpiry} in ${formatDuration(Math.max(0, row.deadlineAt - now))}`;
}

function evidenceText(key: string, value: string | number | null): string {
  if (value === null) return '-';
  return typeof value === 'number' && /bytes$/i.test(key) ? formatByteSize(value) : String(value);
}

function shorten(text: string, most: number): string {
  return text.length <= most ? text : `…${text.slice(text.length - most + 1)}`;
}
