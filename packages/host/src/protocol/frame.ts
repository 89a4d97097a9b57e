import type { Finding } from '@plimsoll/leak/internal/findings/finding';
import type { AdmissionRow } from '@plimsoll/govern/internal/admission/admission-control';
import type { Incident, IncidentEvent } from '@plimsoll/govern/internal/incident/incident';
import type { ApprovalRow } from '@plimsoll/govern/internal/approvals/approval-row';
import type { DelegationRow, KeeperRow } from '@plimsoll/core/keeper';
import type { TraceRef } from '@plimsoll/core/adapter';
import type { Level } from '@plimsoll/core/internal/level';
import type { GenerationUse } from '@plimsoll/leak/internal/floor/generations';
import type { Reading } from '@plimsoll/core/internal/sense/reading';
import type { WorkerRow } from '@plimsoll/core/internal/sense/worker-heaps';
import type { Forecast } from '@plimsoll/leak/internal/judge/forecast';
import type { GrowthRecord } from '@plimsoll/leak/internal/proof/growth-record';

/** Types in a frame that other rooms define. */
export type { Finding, FindingStep, Severity } from '@plimsoll/leak/internal/findings/finding';
export type { AdmissionRow, ApprovalRow, DelegationRow, Forecast, Incident, IncidentEvent, KeeperRow, Level };

/** One open scope as the live views show it. */
export interface ScopeRow {
  readonly path: string;
  readonly kind: string;
  readonly bytes: number;
  /** Source of the bytes: walked by the census, or charged by keepers. */
  readonly by: 'census' | 'account';
  /**
   * Wall time at which the scope's own bytes were measured: the time of the reading for charged bytes, else the time of the last walk. Null
   * while it has no figure of its own. Inner scopes have their own times.
   */
  readonly measuredAt: number | null;
  /**
   * Lower and upper bound of the bytes, because a walk does not know every object's layout. Null when they were charged or not measured
   * yet.
   */
  readonly spread: { readonly low: number; readonly high: number } | null;
  readonly peakBytes: number;
  readonly budgetBytes: number | null;
  readonly level: Level;
  readonly ageMs: number;
  /** Ms since it was last opened, run, leased or touched. */
  readonly idleMs: number;
  /** Number of claims that it is in use. */
  readonly leases: number;
}

/** The most bytes that one scope ever held. */
export interface PeakRow {
  readonly path: string;
  readonly peakBytes: number;
  readonly at: number;
}

/** A change of level, newest last. */
export interface LevelRow {
  readonly at: number;
  readonly scope: string;
  readonly from: Level;
  readonly level: Level;
  readonly usedBytes: number;
  readonly limitBytes: number;
  readonly source: string;
}

/** One action of the ladder as the live views show it. */
export interface ActionRow {
  readonly id: string;
  readonly at: number;
  readonly action: string;
  readonly scope: string;
  readonly level: Level;
  readonly mode: string;
  /** `waiting` for an approval, `running`, `settling` until the next major GC shows its effect; the others are final. */
  readonly outcome: 'waiting' | 'running' | 'settling' | 'done' | 'would-have' | 'skipped' | 'failed';
  /** One sentence with the numbers. */
  readonly text: string;
  readonly rule: string;
  /** Measured at the next major GC; null until then. */
  readonly freedBytes: number | null;
}

/** Actions and approvals: the newest rows, and the number since the start. */
export interface GovernanceRow {
  /** Newest last. */
  readonly actions: readonly ActionRow[];
  /** Open ones first. */
  readonly approvals: readonly ApprovalRow[];
  readonly admission: AdmissionRow | null;
  readonly counts: {
    /** All rungs that ran, including notices. */
    readonly actions: number;
    /** Executed actions that free memory or end work. */
    readonly cleanups: number;
    readonly wouldHave: number;
    readonly freedBytes: number;
    readonly approvals: number;
  };
}

/** The end of the previous life. */
export interface ResumeRow {
  readonly at: number;
  /** `parked`: it ended in order. `begun`: it ended while it drained. `died`: it ended without a sign. */
  readonly phase: 'begun' | 'parked' | 'died';
  readonly reason: string;
  readonly parked: number;
  readonly lost: number;
  /** Parked and lost sessions that were in the middle of a turn. */
  readonly interrupted: number;
  /** The sentence a person reads. */
  readonly text: string;
}

/** One space of the heap, in bytes. */
export interface HeapSpaceRow {
  readonly name: string;
  readonly usedBytes: number;
  readonly sizeBytes: number;
  readonly availableBytes: number;
  readonly physicalBytes: number;
}

/** One tracked call of a stage. */
export interface StageCallRow {
  readonly stage: string;
  /** Ms from the start of the run to the start of the call. */
  readonly startMs: number;
  readonly durationMs: number;
  readonly ok: boolean;
  /** Bytes that it kept; negative when its root shrank. */
  readonly kept: number;
  /** The most bytes of its root. */
  readonly peak: number;
}

/** The stages that ran inside one scope, in the order in which they ended. */
export interface StageRunRow {
  readonly path: string;
  readonly at: number;
  readonly durationMs: number;
  readonly kept: number;
  /** True when no other run kept more since the process started. */
  readonly isHeaviest: boolean;
  /** Number of calls that are in `kept` and not in `calls`. */
  readonly more: number;
  readonly calls: readonly StageCallRow[];
}

/** The heap as V8 keeps it, in bytes. */
export interface HeapUse {
  /** Resident pages of all spaces. */
  readonly physicalBytes: number;
  readonly usedBytes: number;
  readonly codeBytes: number;
  /** V8's hard limit for this heap. */
  readonly limitBytes: number;
  readonly detachedContexts: number;
  /** The spaces of V8. Absent where no host watched. */
  readonly spaces?: readonly HeapSpaceRow[];
  /** The two generations: their largest sizes and the recent work of the collector. Absent where no host watched. */
  readonly generations?: GenerationUse & {
    readonly semiSpaceBytes: number;
    readonly oldSpaceBytes: number;
  };
}

/** The message of a governed process to its watchers, once per reading, as one line of JSON on the feed. */
export interface Frame {
  readonly v: 1;
  readonly pid: number;
  readonly target: string;
  readonly node: string;
  readonly startedAt: number;
  readonly at: number;
  readonly reading: Reading;
  readonly level: Level;
  readonly limits: { readonly bytes: number; readonly source: string; readonly text: string };
  /** Live bytes that neither scopes nor keepers hold; null before the first major GC. */
  readonly unattributedBytes: number | null;
  /** The largest keepers; `keeperCount` says how many there are in all. */
  readonly keepers: readonly KeeperRow[];
  readonly keeperCount: number;
  /** The heaps of worker threads, largest first; absent when there are none. Of the other figures only the resident set includes them. */
  readonly workers?: readonly WorkerRow[];
  /** The stages of the newest tracked runs and of the heaviest one; absent when there was none. */
  readonly stageRuns?: readonly StageRunRow[];
  /** Counts of the delegation breakers; null when there is none. */
  readonly delegation: DelegationRow | null;
  /** The heaviest open scopes; `scopeCount` says how many there are in all. */
  readonly scopes: readonly ScopeRow[];
  readonly scopeCount: number;
  /** The scopes with the highest peaks since the start, closed ones too. */
  readonly peaks: readonly PeakRow[];
  readonly kinds: readonly {
    readonly kind: string;
    readonly open: number;
    readonly opened: number;
    readonly bytes: number;
  }[];
  readonly levels: readonly LevelRow[];
  /** V8's heap: the memory that it has taken, not only the used part. */
  readonly heap: HeapUse;
  /** Findings so far, gravest first. */
  readonly findings: readonly Finding[];
  /** Spans of the requests that findings, actions and level changes are about, by scope path. Absent without OpenTelemetry. */
  readonly traces?: Readonly<Record<string, TraceRef>>;
  /** The incident that lasts, or the newest one that is over; null when there was none. */
  readonly incident: Incident | null;
  /** Growth by the floors; null when nobody watches them. */
  readonly growth: GrowthRecord | null;
  /** When the limit is reached if memory keeps growing like this; null when no growth is certain. */
  readonly forecast: Forecast | null;
  readonly governance: GovernanceRow;
  /** The end of the previous life; absent when it was planned. */
  readonly resume?: ResumeRow;
  /** Effectiveness of the last major GCs: freed garbage / (freed garbage + growth of the floor). Null before two major GCs. */
  readonly gcEffectiveness: number | null;
  readonly policy: {
    readonly file: string | null;
    readonly mode: string;
    readonly revision: number | null;
    /** Why the current file is not in force; null when it is. */
    readonly fault: string | null;
    /** Wall time in ms at which the fault began. */
    readonly faultSince: number | null;
    /** One sentence about the policy that was given up: which, when, why, and how to put it in force again. Null when none was given up. */
    readonly givenUp: string | null;
  };
  readonly ledger: {
    readonly dir: string | null;
    readonly droppedSamples: number;
    readonly fault: string | null;
  };
  readonly watermark: { readonly usedBytes: number; readonly rss: number; readonly level: Level };
  /** True on the frame written while the process exits. */
  readonly last: boolean;
}
