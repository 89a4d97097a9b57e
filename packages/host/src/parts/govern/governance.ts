import { GcEffectiveness } from '@plimsoll/govern/internal/rollback/gc-effectiveness';
import { admission } from '@plimsoll/govern/internal/admission/admission-control';
import type { ActionRecord } from '@plimsoll/govern/internal/actions/action';
import type { ApprovalGate, RestartState } from '@plimsoll/govern/internal/actions/levers';
import type { ActionLog } from '@plimsoll/govern/internal/ladder/action-log';
import type { Governor } from '@plimsoll/govern/internal/level/governor';
import type { Restart } from '@plimsoll/core/internal/gate/drain-hooks';
import type { ActionRow, ApprovalRow, GovernanceRow } from '../../protocol/frame.ts';

/** Levers that other parts add when they start. An action whose lever is missing is skipped and says so. */
export interface GovernanceParts {
  restart?: Restart;
  restartState?: RestartState;
  approvals?: ApprovalGate;
  /** Rows of the approvals for the frame, open ones first, and how many there were. */
  approvalRows?: () => readonly ApprovalRow[];
  approvalCount?: () => number;
  /** Actions that a person asked for. */
  handLog?: Pick<ActionLog, 'rows' | 'counts'>;
}

/** The actions and approvals that the live views show. */
export class Governance {
  readonly parts: GovernanceParts = {};
  /** Freed garbage divided by freed garbage plus growth of the floor, over the last major GCs. */
  readonly gc = new GcEffectiveness();

  /** Approvals for the live views, open ones first. */
  get approvals(): readonly ApprovalRow[] {
    return this.parts.approvalRows?.() ?? [];
  }

  /** What the ladder and people did lately, oldest first. */
  actions({ ladder }: Pick<Governor, 'ladder'>): readonly ActionRecord[] {
    return [...(ladder?.rows ?? []), ...(this.parts.handLog?.rows ?? [])].sort((a, b) => a.at - b.at);
  }

  row(governor: Pick<Governor, 'ladder'>): GovernanceRow {
    const { actions = 0, cleanups = 0, wouldHave = 0, freedBytes = 0 } = governor.ladder?.counts ?? {};
    const hand = this.parts.handLog;
    return {
      actions: this.actions(governor).map(actionRow),
      approvals: this.approvals,
      admission: admission().row(),
      counts: {
        actions: actions + (hand?.counts.actions ?? 0),
        cleanups: cleanups + (hand?.counts.cleanups ?? 0),
        wouldHave,
        freedBytes,
        approvals: this.parts.approvalCount?.() ?? 0,
      },
    };
  }
}

function actionRow(record: ActionRecord): ActionRow {
  const { id, at, action, scope, level, mode, outcome, text, rule, freedBytes } = record;
  return { id, at, action, scope, level, mode, outcome, text, rule, freedBytes };
}
