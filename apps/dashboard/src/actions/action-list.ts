import type { ActionRow, AuditRow } from '../../../../packages/host/src/protocol/api.ts';

const outcomes: readonly string[] = [
  'waiting',
  'running',
  'settling',
  'done',
  'would-have',
  'skipped',
  'failed',
];

const text = (value: unknown, otherwise: string): string => (typeof value === 'string' ? value : otherwise);

/** An entry of the ledger as an action; undefined when it is none. */
export function actionOf({ seq, at, scope, body }: AuditRow): ActionRow | undefined {
  const { action, outcome, freedBytes } = body;
  if (typeof action !== 'string') return undefined;
  return {
    id: text(body['id'], `seq-${seq}`),
    at: typeof body['at'] === 'number' ? body['at'] : at,
    action,
    scope: text(body['scope'], scope),
    level: text(body['level'], 'normal') as ActionRow['level'],
    mode: text(body['mode'], ''),
    outcome: (outcomes.includes(outcome as string) ? outcome : 'done') as ActionRow['outcome'],
    text: text(body['text'], ''),
    rule: text(body['rule'], ''),
    freedBytes: typeof freedBytes === 'number' ? freedBytes : null,
  };
}

/** Actions of the ledger and of the live view, each once, the newer word wins; newest first. */
export function mergedActions(past: readonly AuditRow[], live: readonly ActionRow[]): readonly ActionRow[] {
  const byId = new Map<string, ActionRow>();
  for (const entry of past) {
    const action = actionOf(entry);
    if (action !== undefined) byId.set(action.id, action);
  }
  for (const action of live) byId.set(action.id, action);
  return [...byId.values()].sort((a, b) => b.at - a.at);
}

/** How wide a bar is drawn for what an action freed, 0 to 1, against the largest of the list. */
export function freedShare(action: ActionRow, all: readonly ActionRow[]): number {
  const most = all.reduce((top, each) => Math.max(top, each.freedBytes ?? 0), 0);
  return most === 0 ? 0 : Math.max(0, action.freedBytes ?? 0) / most;
}
