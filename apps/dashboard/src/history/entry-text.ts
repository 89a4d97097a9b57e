import type { AuditRow } from '@plimsoll/host/protocol/api';
import { bytesText, usedOfText } from '../text/units.ts';

type Body = AuditRow['body'];

const text = (value: unknown): string => (typeof value === 'string' ? value : '');

/** An entry of the ledger in a sentence. */
export function entryText({ kind, body }: AuditRow): string {
  if (kind === 'level') return levelText(body);
  if (kind === 'finding') {
    const bytes =
      typeof body['bytes'] === 'number' && body['bytes'] > 0 ? `, ${bytesText(body['bytes'])}` : '';
    return `${text(body['severity'])} ${text(body['kind'])}${bytes}`.trim() || kind;
  }
  if (kind === 'action')
    return (
      [body['action'], body['outcome']].map(text).join(' ') +
      (text(body['text']) && `: ${text(body['text'])}`)
    );
  if (kind === 'approval') return `${text(body['action'])} ${text(body['state'])}`;
  if (kind === 'incident') {
    const outcome = text(body['outcome']);
    return `${text(body['event'])}${outcome === '' ? '' : ` (${outcome})`}: ${text(body['headline'])}`;
  }
  if (kind === 'stage') return stageText(body);
  if (kind === 'start') return startText(body);
  if (kind === 'exit') return exitText(body);
  const said = text(body['text']) || text(body['message']) || text(body['reason']);
  return said === '' ? pairs(body) : said;
}

function levelText(body: Body): string {
  const { usedBytes } = body;
  const limit = body['limitBytes'] ?? body['limit'];
  const change = `${text(body['from'])} to ${text(body['level']) || text(body['to'])}`;
  if (typeof usedBytes !== 'number' || typeof limit !== 'number') return change;
  return `${change} at ${usedOfText(usedBytes, limit)}`;
}

function stageText(body: Body): string {
  const { calls, keptBytes, peakBytes, failed } = body;
  const bytes = (value: unknown): string => bytesText(typeof value === 'number' ? value : 0);
  return `${text(body['stage'])}: ${Number(calls)} calls kept ${bytes(keptBytes)}, peak ${bytes(peakBytes)}${
    typeof failed === 'number' && failed > 0 ? `, ${failed} failed` : ''
  }`;
}

function startText(body: Body): string {
  const { limit } = body;
  const parts = [
    text(body['command']) || 'the program',
    ...(typeof limit === 'number' ? [`limit ${bytesText(limit)}`] : []),
    ...(text(body['mode']) === '' ? [] : [`mode ${text(body['mode'])}`]),
  ];
  return `started: ${parts.join(', ')}`;
}

function exitText(body: Body): string {
  const { code } = body;
  const reason = text(body['reason']) || text(body['text']);
  const how = text(body['signal']) || (typeof code === 'number' ? `exit code ${code}` : '');
  return ['ended', ...(how === '' ? [] : [`with ${how}`]), ...(reason === '' ? [] : [`(${reason})`])].join(
    ' ',
  );
}

function pairs(body: Body): string {
  return Object.entries(body)
    .filter(([, value]) => ['string', 'number', 'boolean'].includes(typeof value))
    .slice(0, 4)
    .map(
      ([key, value]) =>
        `${key} ${typeof value === 'number' && /bytes$|^limit$/i.test(key) ? bytesText(value) : String(value)}`,
    )
    .join(', ');
}
