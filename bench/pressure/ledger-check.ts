import { LedgerReader } from '@plimsoll/ledger';
import type { AuditRecord } from '@plimsoll/ledger';

/** The exit code by which a governed process says that it drained and wants to be started again. */
const restartExitCode = 75;

/** What the ledger of a governed run says about it. */
export interface LedgerReport {
  /** Lives that ended by a drain, to be started anew. */
  readonly restarts: number;
  /** Of those, the ones in which the next life took over the sockets before this one ended. */
  readonly handovers: number;
  /** Actions that did something, in order, each in its last state. */
  readonly actions: readonly {
    readonly at: number;
    readonly action: string;
    readonly outcome: string;
    readonly scope: string;
    readonly freedBytes: number | null;
    readonly text: string;
  }[];
  /** Rises of a level above normal. */
  readonly alarms: number;
  /** Findings at high or critical severity. */
  readonly findings: number;
  readonly rollbacks: number;
  readonly isChainWhole: boolean;
}

/** Actions that only watch or tell: they change nothing in the process. */
const watching = new Set(['notify', 'signal.fast', 'hint', 'ladder.release']);

/** Throws when there is no ledger: a governed run without one proves nothing. */
export function readLedger(dir: string): LedgerReport {
  const reader = new LedgerReader(dir);
  try {
    const entries = reader.audit({ limit: 100_000 });
    return {
      restarts: entries.filter(({ kind, body }) => kind === 'exit' && body['code'] === restartExitCode)
        .length,
      handovers: entries.filter(({ kind, body }) => kind === 'restart' && body['event'] === 'handover')
        .length,
      actions: actionsOf(entries),
      alarms: entries.filter(({ kind, body }) => kind === 'level' && body['from'] === 'normal').length,
      findings: entries.filter(
        ({ kind, body }) => kind === 'finding' && ['high', 'critical'].includes(text(body['severity'])),
      ).length,
      rollbacks: entries.filter(({ kind, body }) => kind === 'policy' && body['event'] === 'rollback').length,
      isChainWhole: reader.verifyChain()?.broken === undefined,
    };
  } finally {
    reader.close();
  }
}

function actionsOf(entries: readonly AuditRecord[]): LedgerReport['actions'] {
  const last = new Map<string, LedgerReport['actions'][number]>();
  for (const { kind, at, scope, body, run } of entries) {
    const action = text(body['action']);
    if (kind !== 'action' || watching.has(action)) continue;
    last.set(`${run} ${text(body['id'])}`, {
      at,
      scope,
      action,
      outcome: text(body['outcome']),
      freedBytes: typeof body['freedBytes'] === 'number' ? body['freedBytes'] : null,
      text: text(body['text']),
    });
  }
  // Nothing to do, or no lever to do it with: nothing happened.
  return [...last.values()].filter(({ outcome }) => outcome !== 'skipped');
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
