import type { ApprovalState } from '@plimsoll/core/internal/gate/approval';
import type { Level } from '@plimsoll/core/internal/level';
import type { KnownNumbers } from '@plimsoll/core/internal/sense/reading-fields';

/** `silent`: no sign of life for too long, and no end was recorded. */
type FleetState = 'live' | 'silent' | 'ended';

/** Forecast of the host of a process: when its limit is reached. */
interface FleetForecast {
  readonly ms: number;
  readonly low: number;
  readonly high: number;
  readonly bytesPerHour: number;
  readonly source: string;
  readonly at: number;
}

/** One process of the fleet. Times are milliseconds since the epoch by the clock of the database. */
export interface FleetProcess {
  readonly id: string;
  readonly service: string;
  readonly release: string;
  readonly host: string;
  readonly pid: number;
  readonly started: number;
  readonly lastSeen: number;
  /** Milliseconds since its last sign of life. */
  readonly quietMs: number;
  readonly state: FleetState;
  readonly level: Level;
  /** Used / limit; null before the first reading. */
  readonly pressure: number | null;
  readonly usedBytes: number | null;
  readonly limitBytes: number | null;
  readonly forecast: FleetForecast | null;
  readonly mode: string | null;
  readonly policyVersion: number | null;
  /** Its clock minus that of the database. Milliseconds. */
  readonly skewMs: number;
  readonly samples: number;
  /** Samples that its spool had to drop. */
  readonly lost: number;
  readonly ended: number | null;
  readonly outcome: string | null;
  /** Address of its live view; null when none is set. */
  readonly live: string | null;
}

export interface FleetSummary {
  readonly at: number;
  readonly processes: number;
  readonly live: number;
  readonly silent: number;
  readonly ended: number;
  /** Live processes by level. */
  readonly levels: Readonly<Record<Level, number>>;
  readonly releases: readonly { service: string; release: string; processes: number; since: number }[];
}

/** One point of a process's curve: a reading, or the summary of a bucket of readings. */
export interface FleetPoint extends Partial<KnownNumbers> {
  readonly at: number;
  /** Readings behind the point. */
  readonly n: number;
  readonly low: number;
  readonly high: number;
  readonly mean: number;
  readonly level: Level;
  readonly pressure: number | null;
}

export interface FleetScopeRow {
  readonly path: string;
  readonly bytes: number;
  readonly peakBytes: number;
  readonly at: number;
}

/** One row of the heat map: the highest pressure in each column, null without samples. */
interface HeatRow {
  readonly id: string;
  readonly host: string;
  readonly release: string;
  readonly cells: readonly (number | null)[];
  readonly levels: readonly (number | null)[];
}

export interface HeatMap {
  readonly from: number;
  readonly stepMs: number;
  readonly rows: readonly HeatRow[];
}

/** A finding in one release. */
export interface FindingRelease {
  readonly release: string;
  /** Processes of the release that have the finding, of all that ran in it. */
  readonly processes: number;
  readonly of: number;
  readonly firstSeen: number | null;
  /** When the first process of the release began. */
  readonly rolledOut: number;
  readonly bytes: number;
  /** Median bytes per hour over the processes that have it; null when none has a rate. */
  readonly rate: number | null;
}

/** One fingerprint over all processes, hosts and releases of a service. */
export interface FleetFinding {
  readonly service: string;
  readonly fingerprint: string;
  readonly kind: string;
  readonly severity: string;
  readonly headline: string;
  readonly fix: string;
  readonly scope: string;
  readonly site: string | null;
  readonly firstSeen: number;
  readonly lastSeen: number;
  readonly processes: number;
  /** Processes of the service that ran since the finding was first seen. */
  readonly of: number;
  readonly hosts: number;
  readonly count: number;
  readonly bytes: number;
  readonly releases: readonly FindingRelease[];
  /** "in 37 of 40 processes, first seen 12 minutes after 1.4.2 was rolled out, not in 1.4.1". */
  readonly sentence: string;
  /** The process that sent the alert, and when; null while none has. */
  readonly told: { readonly at: number; readonly by: string } | null;
}

/** One answer of an operator. */
export interface FleetVoteRow {
  readonly by: string;
  readonly decision: 'approve' | 'deny';
  readonly at: number;
  /** Machine or address of the operator. */
  readonly origin: string;
  readonly comment: string;
}

export interface FleetApproval {
  readonly id: string;
  readonly digest: string;
  readonly quorum: number;
  readonly votes: readonly FleetVoteRow[];
  readonly processId: string;
  readonly service: string;
  readonly host: string;
  readonly release: string;
  readonly asked: number;
  readonly deadline: number;
  /** The decision without an answer. */
  readonly defaultAnswer: 'approve' | 'deny';
  readonly state: ApprovalState;
  readonly decidedBy: string | null;
  readonly decidedAt: number | null;
  readonly decidedFrom: string | null;
  readonly comment: string | null;
  /** State at the process, which may be `expired` when an answer came too late. Null while it waits. */
  readonly applied: ApprovalState | null;
  readonly body: Readonly<Record<string, unknown>>;
}

export interface FleetEntry {
  readonly chain: string;
  readonly seq: number;
  readonly processId: string;
  /** By the clock of the process that wrote it. */
  readonly at: number;
  readonly kind: string;
  readonly scope: string;
  readonly body: Readonly<Record<string, unknown>>;
}
