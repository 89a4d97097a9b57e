import type { ApprovalRow } from '@plimsoll/host/protocol/frame';
import type { SessionAnswer } from '@plimsoll/host/protocol/api';

/** Why this reader cannot decide; undefined when they can. */
export function whyNot(
  row: ApprovalRow,
  session: SessionAnswer | null,
  hasToken: boolean,
): string | undefined {
  if (row.state !== 'open') return `It is ${row.state}.`;
  if (session === null) return 'The server has not said who you are yet.';
  if (!session.live) return 'The process is gone; this is history.';
  if (!session.canDecide) {
    return hasToken
      ? 'The token of this tab may not decide. Paste another one above.'
      : 'Deciding needs a token. Open the address that the server printed, with #token= at its end, or paste the token above.';
  }
  const { as } = session;
  if (as !== null && row.votes.some((vote) => vote.by === as))
    return `You (${as}) have decided; ${quorumText(row)}.`;
  return undefined;
}

/** How many more approvers have to agree. */
export function quorumText(row: ApprovalRow): string {
  const yes = row.votes.filter((vote) => vote.decision === 'approve').length;
  return row.quorum <= 1 ? 'one answer decides' : `${yes} of ${row.quorum} needed have approved`;
}

const expiry: Readonly<Record<ApprovalRow['onExpiry'], string>> = {
  skip: 'it is skipped and the next rung is tried',
  deny: 'it is denied',
  proceed: 'it goes ahead',
};

/** The decision when nobody answers. */
export function expiryText(row: ApprovalRow): string {
  return `Without an answer ${expiry[row.onExpiry] ?? row.onExpiry}.`;
}

/** The name of a piece of evidence in words: "projectedBytes" becomes "projected". */
export function evidenceName(key: string): string {
  return key
    .replace(/(?:Bytes|Ms|Ratio)$/, '')
    .replaceAll(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase();
}

/** A unique key. randomUUID is missing where the connection is not secure. */
export function decisionKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('');
}
