import { GcEffectiveness, admission } from '@plimsoll/core/govern';
import type { ActionRecord, ApprovalGate, Governor, Levers, Restart } from '@plimsoll/core/govern';
import { keepers } from '@plimsoll/core/keeper';
import type { ActionRow, ApprovalRow, Frame, GovernanceRow } from '../feed/frame.ts';
import { probeGc } from '../proof/probe-gc.ts';
import type { Witness } from '../proof/witness.ts';
import { EvidenceKeeper } from './evidence-keeper.ts';
import { leverScopes } from './lever-scope.ts';
import type { ScopeBytes } from './scope-bytes.ts';

export interface GovernanceOptions {
  /** Where evidence is kept. */
  readonly dir: string;
  readonly bytes: ScopeBytes;
  readonly hurry: (forMs: number) => void;
  readonly frame: () => Frame | undefined;
  readonly witness: Witness | undefined;
}

/** What others put in once they are there; an action without its lever is skipped and says so. */
export interface GovernanceParts {
  restart?: Restart;
  approvals?: ApprovalGate;
  /** Rows of the approvals for the frame, open ones first, and how many there were. */
  approvalRows?: () => readonly ApprovalRow[];
  approvalCount?: () => number;
}

/** The levers of a governed process, and what governing did as the live views show it. */
export class Governance {
  readonly parts: GovernanceParts = {};
  readonly levers: Levers;
  /** Garbage that the last major GCs freed over that and the growth of the floor. */
  readonly gc = new GcEffectiveness();

  constructor(options: GovernanceOptions) {
    const { bytes, dir, frame, witness } = options;
    const { parts } = this;
    const evidence = new EvidenceKeeper({ dir, frame, witness });
    this.levers = {
      keepers,
      scopes: () => leverScopes(bytes),
      unattributedBytes: () => bytes.unattributedBytes,
      admission: admission(),
      gc: probeGc,
      hurry: options.hurry,
      evidence: (request) => evidence.keep(request),
      get restart() {
        return parts.restart;
      },
      get approvals() {
        return parts.approvals;
      },
    };
  }

  row(governor: Governor): GovernanceRow {
    const { counts, rows } = governor.ladder;
    return {
      actions: rows.map(actionRow),
      approvals: this.parts.approvalRows?.() ?? [],
      admission: admission().row(),
      counts: {
        actions: counts.actions,
        wouldHave: counts.wouldHave,
        freedBytes: counts.freedBytes,
        approvals: this.parts.approvalCount?.() ?? 0,
      },
    };
  }
}

function actionRow(record: ActionRecord): ActionRow {
  const { id, at, action, scope, level, mode, outcome, text, rule, freedBytes } = record;
  return { id, at, action, scope, level, mode, outcome, text, rule, freedBytes };
}
