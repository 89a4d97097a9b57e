import type { AuditRow } from '@plimsoll/host/protocol/api';

/** A policy that was given up for another, and is not back yet. */
export interface RollbackNote {
  readonly at: number;
  /** Revisions: given up, and in force since. */
  readonly from: number | null;
  readonly to: number | null;
  readonly mode: string;
  readonly text: string;
  /** Who asked; null when the governor did it by itself. */
  readonly by: string | null;
}

/** What the newest word of the ledger on the policy says; undefined when it was no rollback. */
export function rollbackState(entries: readonly AuditRow[]): RollbackNote | undefined {
  const newest = entries.findLast((entry) => entry.kind === 'policy');
  if (newest?.body['event'] !== 'rollback') return undefined;
  const { text, by, from, to } = newest.body;
  return {
    at: newest.at,
    from: revisionOf(from),
    to: revisionOf(to),
    mode: modeOf(to),
    text: typeof text === 'string' ? text : '',
    by: typeof by === 'string' ? by : null,
  };
}

function revisionOf(mark: unknown): number | null {
  const revision = (mark as { revision?: unknown } | null | undefined)?.revision;
  return typeof revision === 'number' ? revision : null;
}

function modeOf(mark: unknown): string {
  const mode = (mark as { mode?: unknown } | null | undefined)?.mode;
  return typeof mode === 'string' ? mode : '';
}
