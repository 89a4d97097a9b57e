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
import type { RolloutState } from '@plimsoll/ledger/internal/postgres/policies';

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
}

export interface FleetApprovalsAnswer {
  readonly rows: readonly FleetApproval[];
}

export interface FleetPoliciesAnswer {
  readonly services: readonly RolloutState[];
}
