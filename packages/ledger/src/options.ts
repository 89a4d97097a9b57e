import type { AnchorOptions } from './anchors.ts';
import { settleFleet } from './postgres/fleet-options.ts';
import type { FleetFirst, FleetOptions, FleetSettings, FleetVote } from './postgres/fleet-options.ts';

/** How long each resolution is kept. Milliseconds. */
export interface Retention {
  /** Every sample. Default 7 days. */
  readonly rawMs: number;
  /** One row per scope and minute. Default 90 days. */
  readonly minuteMs: number;
  /** One row per scope and hour. Default 2 years. */
  readonly hourMs: number;
  /** Audit entries. Default 2 years. */
  readonly auditMs: number;
}

export interface LedgerOptions {
  /** Folder of the ledger; created 0700 when missing. */
  readonly dir: string;
  /**
   * How often queued samples are written. Samples above level normal are written within a second. Milliseconds, default 1000, at least 10.
   */
  readonly batchMs?: number;
  /** Samples that may wait for the writer; later ones are dropped and counted. Default 20,000, 1 to 1,000,000. */
  readonly queueRows?: number;
  /** Audit entries that may wait in memory; later ones go to the pending journal on disk. Default 1,000, 1 to 100,000. */
  readonly queueAudits?: number;
  /** Longest body of one audit entry in characters of JSON. Default 65,536. */
  readonly maxBodyChars?: number;
  /** An audit entry not confirmed by the writer in this time goes to the pending journal. Milliseconds, default 5000. */
  readonly auditDeadlineMs?: number;
  readonly retention?: Partial<Retention>;
  /** Cap of the whole ledger on disk. Bytes, default 1 GiB, at least 1 MiB. */
  readonly maxBytes?: number;
  /** Roll-up, retention and size cap run this often. Milliseconds, default 15,000. */
  readonly upkeepMs?: number;
  /**
   * The writer thread starts on demand and ends after this time without work. Samples then wait in a journal. With anchors or a fleet it
   * always runs. Milliseconds, 10 to 3,600,000. Default: it always runs.
   */
  readonly restMs?: number;
  /** Longest delay of process.exit for the last rows. Milliseconds, default 250, at most 2000. */
  readonly exitWaitMs?: number;
  /** Where heads of the audit chain are kept outside the ledger. Default: nowhere. */
  readonly anchors?: AnchorOptions | undefined;
  /** A PostgreSQL database that gets a copy of everything. Default: none. */
  readonly fleet?: (FleetOptions & FleetEvents) | undefined;
}

/** Callbacks for answers of the fleet's database. */
interface FleetEvents {
  /** Called with findings of this process that the database has stored. */
  readonly onFindings?: (findings: readonly FleetFirst[]) => void;
  /** Called with votes of operators elsewhere on approvals of this process. A vote may come more than once, with the same key. */
  readonly onVotes?: (votes: readonly FleetVote[]) => void;
}

/** The options with every default filled in; plain data, sent to the worker as it is. */
export interface LedgerSettings {
  readonly dir: string;
  readonly batchMs: number;
  readonly queueRows: number;
  readonly queueAudits: number;
  readonly maxBodyChars: number;
  readonly auditDeadlineMs: number;
  readonly retention: Retention;
  readonly maxBytes: number;
  readonly upkeepMs: number;
  readonly restMs: number | undefined;
  readonly exitWaitMs: number;
  readonly fleet: FleetSettings | undefined;
}

const day = 86_400_000;

export const defaultRetention: Retention = {
  rawMs: 7 * day,
  minuteMs: 90 * day,
  hourMs: 730 * day,
  auditMs: 730 * day,
};

/** Fills in defaults and clamps every number to its bounds, so that no option can make the ledger unbounded. */
export function settle(options: LedgerOptions): LedgerSettings {
  return {
    dir: options.dir,
    batchMs: within(options.batchMs, 1000, 10, 60_000),
    queueRows: within(options.queueRows, 20_000, 1, 1_000_000),
    queueAudits: within(options.queueAudits, 1000, 1, 100_000),
    maxBodyChars: within(options.maxBodyChars, 65_536, 256, 1_048_576),
    auditDeadlineMs: within(options.auditDeadlineMs, 5000, 10, 600_000),
    retention: { ...defaultRetention, ...options.retention },
    maxBytes: within(options.maxBytes, 1024 ** 3, 1024 ** 2, 2 ** 44),
    upkeepMs: within(options.upkeepMs, 15_000, 10, 3_600_000),
    restMs:
      (options.anchors ?? options.fleet)
        ? undefined
        : options.restMs && within(options.restMs, 20_000, 10, 3_600_000),
    exitWaitMs: within(options.exitWaitMs, 250, 0, 2000),
    fleet: options.fleet === undefined ? undefined : settleFleet(options.fleet),
  };
}

function within(value: number | undefined, fallback: number, least: number, most: number): number {
  if (value === undefined || !Number.isFinite(value)) return fallback;
  return Math.min(most, Math.max(least, Math.round(value)));
}
