/** The types of the answers about a fleet. The rows are those of the database. */
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

/** One process: its state, its curve, its heaviest scopes and its newest entries. */
export interface FleetProcessAnswer {
  readonly process: FleetProcess;
  readonly points: readonly FleetPoint[];
  readonly scopes: readonly FleetScopeRow[];
  readonly entries: readonly FleetEntry[];
  /** Where it can be seen live: `?pid=` of this server, or an address of its own; null when neither is known. */
  readonly live: { readonly pid: string } | { readonly address: string } | null;
}

export interface FleetApprovalsAnswer {
  readonly rows: readonly FleetApproval[];
}

export interface FleetPoliciesAnswer {
  readonly services: readonly RolloutState[];
}

/** Why a process died that ended or fell silent, from the database. Null when it ended in order or the reason is unknown. */
export interface FleetAutopsyAnswer extends AutopsyAnswer {
  /** Its source: the autopsy of `plimsoll run`, the black box, or the samples that the process shipped. */
  readonly from: 'supervisor' | 'black-box' | 'samples';
}

/** The state of an approval after a decision. */
export type FleetDecisionAnswer = FleetDecided;

/** The next step of a roll-out. */
export interface RolloutBody {
  readonly service: string;
  readonly version: number;
  readonly mode: RolloutMode;
  /** Of the service's processes, 0 to 1. */
  readonly share: number;
  /** Enforces a version that never ran in shadow. */
  readonly force?: boolean;
}

export interface RolloutAnswer {
  readonly step: PolicyStep;
  readonly state: RolloutState;
}
