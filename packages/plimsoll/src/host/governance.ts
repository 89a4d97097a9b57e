import { GcEffectiveness, admission } from '@plimsoll/core/govern';
import type { ActionRecord, ApprovalGate, Governor, Restart } from '@plimsoll/core/govern';
import type { ActionRow, ApprovalRow, GovernanceRow } from '../feed/frame.ts';

/** What others put in once they are there; an action without its lever is skipped and says so. */
export interface GovernanceParts {
  restart?: Restart;
  approvals?: ApprovalGate;
  /** Rows of the approvals for the frame, open ones first, and how many there were. */
  approvalRows?: () => readonly ApprovalRow[];
  approvalCount?: () => number;
}

/** What governing did as the live views show it. */
export class Governance {
  readonly parts: GovernanceParts = {};
  /** Garbage that the last major GCs freed over that and the growth of the floor. */
  readonly gc = new GcEffectiveness();

  row({ ladder }: Pick<Governor, 'ladder'>): GovernanceRow {
    const { actions = 0, wouldHave = 0, freedBytes = 0 } = ladder?.counts ?? {};
    return {
      actions: ladder?.rows.map(actionRow) ?? [],
      approvals: this.parts.approvalRows?.() ?? [],
      admission: admission().row(),
      counts: { actions, wouldHave, freedBytes, approvals: this.parts.approvalCount?.() ?? 0 },
    };
  }
}

function actionRow(record: ActionRecord): ActionRow {
  const { id, at, action, scope, level, mode, outcome, text, rule, freedBytes } = record;
  return { id, at, action, scope, level, mode, outcome, text, rule, freedBytes };
}
