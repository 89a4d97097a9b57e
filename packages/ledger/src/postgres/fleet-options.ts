/** Identity of a process in the fleet. */
export interface FleetIdentity {
  readonly service: string;
  /** Version of the user's program; `unknown` without one. */
  readonly release: string;
  readonly host: string;
  readonly pid: number;
  readonly node: string;
  /** Address of its live view, such as `http://10.0.0.7:4180/`, if operators can reach it. */
  readonly live?: string;
}

export interface FleetOptions {
  /** `postgres://USER:PASSWORD@HOST:5432/DATABASE`. */
  readonly url: string;
  readonly identity: FleetIdentity;
  /** Interval of samples and of the sign of life. Milliseconds, default 10,000, at least 50. Audit entries are sent at once. */
  readonly shipMs?: number;
  /** Most bytes of samples that wait on the local disk; the oldest are dropped first and counted. Default 64 MiB. */
  readonly spoolBytes?: number;
  /** Samples older than this are not shipped any more and are counted. Milliseconds, default 7 days. */
  readonly spoolMs?: number;
  /** How long one transaction may take before its connection is given up. Milliseconds, default 15,000. */
  readonly deadlineMs?: number;
}

/** The options with every default filled in; plain data, sent to the worker as it is. */
export interface FleetSettings {
  readonly url: string;
  readonly identity: FleetIdentity;
  readonly shipMs: number;
  readonly spoolBytes: number;
  readonly spoolMs: number;
  readonly deadlineMs: number;
}

export function settleFleet(options: FleetOptions): FleetSettings {
  return {
    url: options.url,
    identity: options.identity,
    shipMs: Math.max(50, options.shipMs ?? 10_000),
    spoolBytes: Math.max(65_536, options.spoolBytes ?? 64 * 1024 ** 2),
    spoolMs: Math.max(60_000, options.spoolMs ?? 7 * 86_400_000),
    deadlineMs: Math.max(100, options.deadlineMs ?? 15_000),
  };
}

/** Facts of the host about the process besides its samples. */
export interface FleetNews {
  readonly forecast: Readonly<Record<string, unknown>> | null;
  readonly mode: string | null;
  readonly policyVersion: number | null;
}

export type FleetLinkState = 'connecting' | 'up' | 'down';

/** State of shipping to the fleet's database. */
export interface FleetHealth {
  readonly state: FleetLinkState;
  /** Id of this process in the fleet; undefined until it was registered. */
  readonly processId: string | undefined;
  /** Batches of samples, and entries of the audit, that wait on the local disk. */
  readonly waitingBatches: number;
  readonly waitingEntries: number;
  /** Samples that were dropped for lack of space or because of their age. */
  readonly lostSamples: number;
  readonly lastError: string | undefined;
}

/** A finding that was shipped; `isFirst` when no process of its service had it before. */
export interface FleetFirst {
  readonly fingerprint: string;
  readonly isFirst: boolean;
}

/** A vote of an operator elsewhere on an approval of this process. */
export interface FleetVote {
  /** The id on the desk of this process. */
  readonly id: string;
  readonly digest: string;
  readonly decision: 'approve' | 'deny';
  readonly by: string;
  readonly groups: readonly string[];
  readonly isOwner: boolean;
  readonly channel: string;
  readonly comment: string;
  readonly key: string;
}
