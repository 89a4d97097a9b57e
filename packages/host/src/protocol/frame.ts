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

/** What a frame is made of and other rooms define. */
export type { Finding, FindingStep, Severity } from '@plimsoll/leak/internal/findings/finding';
export type { AdmissionRow, ApprovalRow, DelegationRow, Forecast, Incident, IncidentEvent, KeeperRow, Level };

/** One open scope as the live views show it. */
export interface ScopeRow {
  readonly path: string;
  readonly kind: string;
  readonly bytes: number;
  /** How the bytes are known: walked by the census, or charged by keepers. */
  readonly by: 'census' | 'account';
  /**
   * Wall time at which the scope's own bytes were measured: the time of the reading for what is charged, of the last walk else. Null
   * while it has no figure of its own. What is inside it has times of its own.
   */
  readonly measuredAt: number | null;
  /** Between what the bytes lie, as far as a walk can know the layout of its objects; null when they were charged or not measured yet. */
  readonly spread: { readonly low: number; readonly high: number } | null;
  readonly peakBytes: number;
  readonly budgetBytes: number | null;
  readonly level: Level;
  readonly ageMs: number;
  /** Since it was last opened, run, leased or touched. */
  readonly idleMs: number;
  /** Claims that it is in use. */
  readonly leases: number;
}

/** The most one scope ever held. */
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

/** What governing does: the newest rows, and how many there were since the start. */
export interface GovernanceRow {
  /** Newest last. */
  readonly actions: readonly ActionRow[];
  /** Open ones first. */
  readonly approvals: readonly ApprovalRow[];
  readonly admission: AdmissionRow | null;
  readonly counts: {
    /** All rungs that ran, notices among them. */
    readonly actions: number;
    /** Those carried out that free memory or end work. */
    readonly cleanups: number;
    readonly wouldHave: number;
    readonly freedBytes: number;
    readonly approvals: number;
  };
}

/** What a process tells about the end of the life before it. */
export interface ResumeRow {
  readonly at: number;
  /** `parked`: ended in order. `begun`: cut short while it drained. `died`: found dead. */
  readonly phase: 'begun' | 'parked' | 'died';
  readonly reason: string;
  readonly parked: number;
  readonly lost: number;
  /** Of the parked and lost, those in the middle of a turn. */
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
  /** Its beginning, after the beginning of the run. */
  readonly startMs: number;
  readonly durationMs: number;
  readonly ok: boolean;
  /** Bytes that it kept; below 0 when its root shrank. */
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
  /** Whether no run kept more since the process began. */
  readonly isHeaviest: boolean;
  /** Calls that are in `kept` and not in `calls`. */
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
  /** Each space as V8 tells it. Absent where no host watched. */
  readonly spaces?: readonly HeapSpaceRow[];
  /** The two generations: their largest sizes, and what the collector did with them lately. Absent where no host watched. */
  readonly generations?: GenerationUse & {
    readonly semiSpaceBytes: number;
    readonly oldSpaceBytes: number;
  };
}

/** What a governed process tells its watchers once per reading: one line of JSON on the feed. */
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
  /** The heaps of worker threads, largest first; absent when there are none. They are in no other figure but the resident set. */
  readonly workers?: readonly WorkerRow[];
  /** The stages of the newest tracked runs and of the heaviest one; absent when there was none. */
  readonly stageRuns?: readonly StageRunRow[];
  /** What the delegation breakers did; null when there is none. */
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
  /** V8's heap by what it has taken, not only by what is used. */
  readonly heap: HeapUse;
  /** What was found so far, gravest first. */
  readonly findings: readonly Finding[];
  /** Spans of the requests that findings, actions and level changes are about, by scope path. Absent without OpenTelemetry. */
  readonly traces?: Readonly<Record<string, TraceRef>>;
  /** The one story of what goes wrong now, or the newest one that is over; null when there was none. */
  readonly incident: Incident | null;
  /** What the floors say about growth; null when nobody watches them. */
  readonly growth: GrowthRecord | null;
  /** When the limit is reached, if memory goes on growing as it does; null when no growth is certain. */
  readonly forecast: Forecast | null;
  readonly governance: GovernanceRow;
  /** How the life before this one ended; absent when it ended as it was told to. */
  readonly resume?: ResumeRow;
  /** Share of what major GCs could have freed that they freed, lately: garbage / (garbage + growth of the floor); null before two. */
  readonly gcEffectiveness: number | null;
  readonly policy: {
    readonly file: string | null;
    readonly mode: string;
    readonly revision: number | null;
    /** Why the file as it is now is not in force; null when it is. */
    readonly fault: string | null;
    /** Wall time in ms since when that is so. */
    readonly faultSince: number | null;
    /** Which policy was given up, when, why, and how to take it back; null when none is. */
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
