import { existsSync } from 'node:fs';
import { LedgerReader } from '@plimsoll/ledger';

/** What the ledger of a governed run says about it. */
export interface LedgerReport {
  /** Actions that did something, in order. */
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
const watching = new Set(['observe', 'notify', 'observe.faster']);

export function readLedger(dir: string): LedgerReport {
  if (!existsSync(dir)) return { actions: [], alarms: 0, findings: 0, rollbacks: 0, isChainWhole: false };
  const reader = new LedgerReader(dir);
  try {
    const entries = reader.audit({ limit: 100_000 });
    const text = (value: unknown): string => (typeof value === 'string' ? value : '');
    return {
      actions: entries
        .filter(({ kind, body }) => kind === 'action' && !watching.has(text(body['action'])))
        .map(({ at, scope, body }) => ({
          at,
          scope,
          action: text(body['action']),
          outcome: text(body['outcome']),
          freedBytes: typeof body['freedBytes'] === 'number' ? body['freedBytes'] : null,
          text: text(body['text']),
        })),
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
