import type { ActionRow } from '@plimsoll/host/protocol/frame';
import type { AuditRow } from '@plimsoll/host/protocol/api';

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

/** An entry of the ledger as an action; undefined for other entries. */
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

/** Actions of the ledger and of the live view, each once with its newer state, newest first. */
export function mergedActions(past: readonly AuditRow[], live: readonly ActionRow[]): readonly ActionRow[] {
  const byId = new Map<string, ActionRow>();
  for (const entry of past) {
    const action = actionOf(entry);
    if (action !== undefined) byId.set(action.id, action);
  }
  for (const action of live) byId.set(action.id, action);
  return [...byId.values()].sort((a, b) => b.at - a.at);
}

/** Width of the bar for the bytes that a group freed, 0 to 1, relative to the largest of the list. */
export function freedShare(
  { freedBytes }: Pick<ActionGroup, 'freedBytes'>,
  all: readonly Pick<ActionGroup, 'freedBytes'>[],
): number {
  const most = all.reduce((top, each) => Math.max(top, each.freedBytes ?? 0), 0);
  return most === 0 ? 0 : Math.max(0, freedBytes ?? 0) / most;
}

/** Actions of one kind within a short time, as one row. */
export interface ActionGroup {
  readonly newest: ActionRow;
  /** Newest first. */
  readonly rows: readonly ActionRow[];
  readonly scopes: readonly string[];
  /** The sum of the measured gains, as in the totals. A single action may also have a loss. null when none was measured. */
  readonly freedBytes: number | null;
}

/** Rows of a group are within this time of its newest one. */
const groupMs = 10 * 60_000;

/**
 * Groups repeated actions: the same action with the same outcome at the same level within ten minutes. Otherwise a policy that notifies of
 * every session would fill the page with one line per session. Actions and groups are sorted newest first.
 */
export function grouped(actions: readonly ActionRow[]): readonly ActionGroup[] {
  const groups: ActionRow[][] = [];
  const open = new Map<string, ActionRow[]>();
  for (const action of actions) {
    const key = `${action.action} ${action.outcome} ${action.level}`;
    const group = open.get(key);
    if (group !== undefined && (group[0] as ActionRow).at - action.at <= groupMs) group.push(action);
    else {
      const made = [action];
      groups.push(made);
      open.set(key, made);
    }
  }
  return groups.map((rows) => {
    const measured = rows.filter((row) => row.freedBytes !== null);
    return {
      newest: rows[0] as ActionRow,
      rows,
      scopes: [...new Set(rows.map((row) => row.scope))],
      freedBytes:
        rows.length === 1
          ? (rows[0] as ActionRow).freedBytes
          : measured.length === 0
            ? null
            : measured.reduce((sum, row) => sum + Math.max(0, row.freedBytes ?? 0), 0),
    };
  });
}
