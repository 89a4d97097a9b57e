/** What the page of a fleet is told; the rows are those of the database. */
import type {
  FleetApproval,
  FleetEntry,
  FleetFinding,
  FleetPoint,
  FleetProcess,
  FleetScopeRow,
  FleetSummary,
} from '@plimsoll/ledger/internal/postgres/fleet-rows';
import type { AutopsyAnswer } from './api.ts';
import type { FleetDecided } from '@plimsoll/ledger/internal/postgres/approvals';
import type { PolicyStep, RolloutMode, RolloutState } from '@plimsoll/ledger/internal/postgres/policies';

export type { HeatMap } from '@plimsoll/ledger/internal/postgres/fleet-rows';
export type { FleetApproval, FleetEntry, FleetFinding, FleetProcess, FleetSummary, RolloutState };

export interface FleetAnswer {
  readonly summary: FleetSummary;
}

export interface FleetProcessesAnswer {
  readonly rows: readonly FleetProcess[];
}

export interface FleetFindingsAnswer {
  readonly rows: readonly FleetFinding[];
}

/** One process: where it stands, its curve, its heaviest scopes and its newest entries. */
export interface FleetProcessAnswer {
  readonly process: FleetProcess;
  readonly points: readonly FleetPoint[];
  readonly scopes: readonly FleetScopeRow[];
  readonly entries: readonly FleetEntry[];
  /** Where it is shown live: `?pid=` of this server, or an address of its own; null when neither is known. */
  readonly live: { readonly pid: string } | { readonly address: string } | null;
}

export interface FleetApprovalsAnswer {
  readonly rows: readonly FleetApproval[];
}

export interface FleetPoliciesAnswer {
  readonly services: readonly RolloutState[];
}

/** Why a process that ended or fell silent died, from the database; null when that is not known or it ended in order. */
export interface FleetAutopsyAnswer extends AutopsyAnswer {
  /** What it is made from: the autopsy of `plimsoll run`, the black box, or what was shipped while the process lived. */
  readonly from: 'supervisor' | 'black-box' | 'samples';
}

/** What became of an approval by a decision. */
export type FleetDecisionAnswer = FleetDecided;

/** The next step of a roll-out. */
export interface RolloutBody {
  readonly service: string;
  readonly version: number;
  readonly mode: RolloutMode;
  /** Of the service's processes, 0 to 1. */
  readonly share: number;
  /** Enforce a version that never ran in shadow. */
  readonly force?: boolean;
}

export interface RolloutAnswer {
  readonly step: PolicyStep;
  readonly state: RolloutState;
}
