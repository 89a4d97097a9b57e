import type { AuditRow } from '../../../../packages/plimsoll/src/server/api.ts';
import { bytesText, usedOfText } from '../text/units.ts';

const text = (value: unknown): string => (typeof value === 'string' ? value : '');

/** An entry of the ledger in a sentence. */
export function entryText({ kind, body }: AuditRow): string {
  if (kind === 'level' && typeof body['usedBytes'] === 'number' && typeof body['limitBytes'] === 'number')
    return `${text(body['from'])} to ${text(body['level'])} at ${usedOfText(body['usedBytes'], body['limitBytes'])}`;
  if (kind === 'level') return `${text(body['from'])} to ${text(body['level'])}`;
  if (kind === 'finding') {
    const bytes = typeof body['bytes'] === 'number' ? `, ${bytesText(body['bytes'])}` : '';
    return `${text(body['severity'])} ${text(body['kind'])}${bytes}`.trim() || 'finding';
  }
  if (kind === 'action') return `${text(body['action'])} ${text(body['outcome'])} ${text(body['text'])}`.trim();
  const said = text(body['text']) || text(body['message']) || text(body['reason']);
  return said === '' ? pairs(body) : said;
}

function pairs(body: AuditRow['body']): string {
  return Object.entries(body)
    .filter(([, value]) => ['string', 'number', 'boolean'].includes(typeof value))
    .slice(0, 4)
    .map(([key, value]) => `${key} ${String(value)}`)
    .join(', ');
}
