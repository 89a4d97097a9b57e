import type { AuditRecord } from '@plimsoll/ledger';
import type { WouldHaveRow } from '../api.ts';
import type { ActionTally } from './question.ts';

/** The last entry of each action: one that is measured later is written twice under one id. */
function lastOfEach(entries: readonly AuditRecord[]): readonly AuditRecord[] {
  const last = new Map<string | number, AuditRecord>();
  for (const entry of entries) {
    const { id } = entry.body;
    last.set(typeof id === 'string' ? id : entry.seq, entry);
  }
  return [...last.values()];
}

const text = (value: unknown, fallback = ''): string => (typeof value === 'string' ? value : fallback);

/** How often each action was taken, by outcome and mode. */
export function tallyActions(entries: readonly AuditRecord[]): readonly ActionTally[] {
  const tallies = new Map<string, { -readonly [K in keyof ActionTally]: ActionTally[K] }>();
  for (const { body } of lastOfEach(entries)) {
    const [action, outcome, mode] = [
      text(body['action'], 'unknown'),
      text(body['outcome']),
      text(body['mode']),
    ];
    const key = `${action} ${outcome} ${mode}`;
    const tally = tallies.get(key) ?? { action, outcome, mode, count: 0, freedBytes: 0 };
    tally.count++;
    const freed = body['freedBytes'];
    if (typeof freed === 'number' && outcome === 'done') tally.freedBytes += Math.max(0, freed);
    tallies.set(key, tally);
  }
  return [...tallies.values()];
}

/** What shadow mode left undone, one row per action, level and rule, most frequent first. */
export function tallyWouldHave(entries: readonly AuditRecord[]): readonly WouldHaveRow[] {
  const rows = new Map<string, { -readonly [K in keyof WouldHaveRow]: WouldHaveRow[K] }>();
  for (const { at, scope, body } of lastOfEach(entries)) {
    if (body['outcome'] !== 'would-have') continue;
    const [action, level, rule] = [text(body['action'], 'unknown'), text(body['level']), text(body['rule'])];
    const key = `${action} ${level} ${rule}`;
    const row = rows.get(key) ?? { action, level, rule, count: 0, lastAt: 0, lastScope: '', lastText: '' };
    row.count++;
    if (at >= row.lastAt) Object.assign(row, { lastAt: at, lastScope: scope, lastText: text(body['text']) });
    rows.set(key, row);
  }
  return [...rows.values()].sort((a, b) => b.count - a.count);
}
