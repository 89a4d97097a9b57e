import type { Mode, Priority, RaisedLevel } from '@plimsoll/core/internal/level';
import type { Glob } from './glob.ts';
import type { Place } from './form/place.ts';
import type { Amount } from './form/amount.ts';
import type { SteadyLimits } from './sections/admission.ts';
import type { AdapterSwitches } from './sections/adapters.ts';
import type { AlertRules } from './sections/alert-rules.ts';
import type { ApprovalPolicy } from './sections/approvals.ts';
import type { GuardRules } from './sections/guards.ts';
import type { RollbackRules } from './sections/rollback.ts';
import type { SessionPolicy } from './sections/sessions.ts';
import type { SettleRules } from './sections/settle.ts';

/** When a level begins and ends. Ratios are used / limit. */
export interface LevelRule {
  readonly enterRatio: number;
  readonly exitRatio: number;
  /** How long the ratio has to stay at or above `enterRatio`. */
  readonly forMs: number;
  /** How long the ratio has to stay below `exitRatio` before the level falls. */
  readonly keepMs: number;
}
export type LevelRules = Readonly<Record<RaisedLevel, LevelRule>>;

export type { Amount } from './form/amount.ts';

/** The scope kinds that have a section of their own in `budgets`, from the outside in. */
export const budgetSections = {
  services: 'service',
  agents: 'agent',
  sessions: 'session',
  runs: 'run',
  stages: 'stage',
  tools: 'tool',
} as const;
export type BudgetSection = keyof typeof budgetSections;

/** One entry of `budgets`: the most that scopes of a kind with a matching name may hold. */
export interface BudgetRule {
  readonly section: BudgetSection | 'global';
  readonly glob: Glob;
  readonly max?: Amount | undefined;
  readonly priority?: Priority | undefined;
  readonly idleMs?: number | undefined;
  readonly place: Place;
}

/** One step of the ladder: a known action with its options, and its own mode when the policy gives one. */
export interface Rung {
  readonly action: string;
  readonly options: Readonly<Record<string, unknown>>;
  readonly mode?: Mode;
  /** Entry of `approvals` that has to agree first. */
  readonly approval?: string;
  /** Least time between two runs while the level stands; each action has its default. */
  readonly cooldownMs?: number;
  readonly timeoutMs?: number;
  readonly place: Place;
}

/** How long the ledger keeps its tables. */
interface Retention {
  readonly rawMs: number;
  readonly minuteMs: number;
  readonly hourMs: number;
  readonly maxBytes: number;
  /** Database of the fleet. */
  readonly url?: string | undefined;
  readonly spoolBytes?: number | undefined;
  /** File that gets heads of the audit chain. */
  readonly anchorFile?: string | undefined;
  /** Webhook recipient that also gets them. */
  readonly anchorTo?: string | undefined;
}

/** A loaded, checked policy. It is frozen; a reload makes a new one. */
export interface Policy {
  readonly file: string;
  /** The author's number; 0 when the file has none. */
  readonly revision: number;
  /** Hash of the file's bytes. It goes into every ledger row together with `revision`. */
  readonly sha256: string;
  readonly mode: Mode;
  /** Version of the user's program, if the file has it. */
  readonly release?: string | undefined;
  readonly limits: {
    /** Share of V8's old space that counts as usable. V8 may abort from 80 % on under collector load, and always aborts at 98 to 102 %. */
    readonly heapUsableRatio: number;
    /** Cap on the working set, beside the cgroup's. */
    readonly rssMaxBytes?: number;
    /** Cap on external memory and array buffers; without it this source is not watched. */
    readonly nativeMaxBytes?: number;
  };
  readonly levels: LevelRules;
  readonly signal: {
    readonly sampleMs: number;
    readonly fastMs: number;
    readonly staleMs: number;
    /** For this long after the start only an emergency may rise. */
    readonly graceMs: number;
  };
  readonly global: { readonly max: Amount; readonly reserveBytes: number; readonly place: Place };
  /** Rules of every section but `global`, most specific first within a section. */
  readonly budgets: Readonly<Record<BudgetSection, readonly BudgetRule[]>>;
  /** Limits of the shed points at any level. */
  readonly admission: SteadyLimits;
  readonly ladder: Readonly<Record<RaisedLevel, readonly Rung[]>>;
  readonly approvals: ApprovalPolicy;
  readonly settle: SettleRules;
  readonly guards: GuardRules;
  readonly retention: Retention;
  readonly rollback: RollbackRules;
  readonly alerts: AlertRules;
  readonly sessions: SessionPolicy;
  readonly adapters: AdapterSwitches;
  /** Scopes, with everything inside them, that get no level and no action. */
  readonly exempt: readonly ExemptRule[];
  /** Notes on values that are allowed but probably not meant. */
  readonly notes: readonly PolicyNote[];
}

export interface ExemptRule {
  readonly kind: string;
  readonly glob: Glob;
  readonly place: Place;
}

export interface PolicyNote {
  readonly text: string;
  readonly place: Place;
}
