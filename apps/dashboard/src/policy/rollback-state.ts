import type { AuditRow } from '@plimsoll/host/protocol/api';

/** A policy that was given up and is not in force again. */
export interface RollbackNote {
  readonly at: number;
  /** Revisions: the one given up, and the one in force since then. */
  readonly from: number | null;
  readonly to: number | null;
  readonly mode: string;
  readonly text: string;
  /** The person who asked; null when the governor did it. */
  readonly by: string | null;
}

/** The newest entry about the policy, if it is a rollback. */
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
