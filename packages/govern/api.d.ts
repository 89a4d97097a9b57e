// @plimsoll/govern: Policy PolicyCheck PolicyError builtInPolicy checkPolicy parsePolicy policyJsonSchema requestRestart useAlertLogger
export interface Policy {
  readonly file: string; readonly revision: number; readonly sha256: string; readonly mode: Mode;
  readonly release?: string | undefined;
  readonly limits: {
    readonly heapUsableRatio: number; readonly rssMaxBytes?: number; readonly nativeMaxBytes?: number;
  };
  readonly levels: LevelRules;
  readonly signal: {
    readonly sampleMs: number; readonly fastMs: number; readonly staleMs: number; readonly graceMs: number;
  };
  readonly global: { readonly max: Amount; readonly reserveBytes: number; readonly place: Place; };
  readonly budgets: Readonly<Record<BudgetSection, readonly BudgetRule[]>>;
  readonly admission: SteadyLimits;
  readonly ladder: Readonly<Record<RaisedLevel, readonly Rung[]>>;
  readonly approvals: ApprovalPolicy; readonly settle: SettleRules; readonly guards: GuardRules;
  readonly retention: Retention; readonly rollback: RollbackRules; readonly alerts: AlertRules;
  readonly sessions: SessionPolicy; readonly adapters: AdapterSwitches; readonly exempt: readonly ExemptRule[];
  readonly notes: readonly PolicyNote[];
}
export type LevelRules = Readonly<Record<RaisedLevel, LevelRule>>;
export type Amount = { readonly bytes: number; } | { readonly ratio: number; };
export interface Place { readonly file: string; readonly line: number; readonly column: number; }
export type BudgetSection = keyof typeof budgetSections;
export interface BudgetRule {
  readonly section: BudgetSection | 'global'; readonly glob: Glob; readonly max?: Amount | undefined;
  readonly priority?: Priority | undefined; readonly idleMs?: number | undefined; readonly place: Place;
}
export interface SteadyLimits {
  readonly runs?: number; readonly agents?: number; readonly delegations?: number; readonly freeMemory?: Amount;
  readonly cpuRatio?: number;
}
export interface Rung {
  readonly action: string;
  readonly options: Readonly<Record<string, unknown>>;
  readonly mode?: Mode; readonly approval?: string; readonly cooldownMs?: number; readonly timeoutMs?: number;
  readonly place: Place;
}
export interface ApprovalPolicy {
  readonly rules: Readonly<Record<string, ApprovalRule>>;
  readonly delegation?: { readonly approval: string; readonly deeperThan: number; } | undefined;
  readonly operations?: { readonly approval: string; readonly from: 'warning' | 'critical' | 'emergency'; } | undefined;
}
export interface SettleRules {
  readonly wait: 'next-major-gc' | 'time';
  readonly atMostMs: number; readonly minFreedRatio: number; readonly againMs: number;
}
export interface GuardRules {
  readonly destructive: { readonly rate: Rate; readonly shareOfWorkRatio: number; };
  readonly selfDisable: { readonly shedShareRatio: number; readonly forMs: number; };
}
interface Retention {
  readonly rawMs: number; readonly minuteMs: number; readonly hourMs: number; readonly maxBytes: number;
  readonly url?: string | undefined; readonly spoolBytes?: number | undefined; readonly anchorFile?: string | undefined;
  readonly anchorTo?: string | undefined;
}
export interface RollbackRules {
  readonly to: 'last-good' | 'shadow' | 'never';
  readonly growthBytes: number; readonly gcEffectivenessRatio: number; readonly loopDelayMs: number;
  readonly loopForMs: number; readonly blockedRatio: number; readonly blockedForMs: number;
  readonly goodAfterMs: number; readonly cooldownMs: number;
}
export interface AlertRules {
  readonly declared: boolean; readonly service?: string; readonly groupBy: readonly AlertLabel[];
  readonly groupWaitMs: number; readonly urgentWaitMs: number; readonly groupIntervalMs: number;
  readonly repeatMs: number; readonly inhibit: readonly InhibitRule[]; readonly recipients: readonly RecipientRule[];
  readonly routes: Readonly<Record<AlertLevel, readonly string[]>>;
  readonly a2aServer?: A2aServerRule;
}
export interface SessionPolicy {
  readonly from: readonly SessionSource[]; readonly idleMs: number; readonly most: number;
  readonly isIdleGiven: boolean; readonly sendQueueBytes: number | undefined; readonly mostEvents: number | undefined;
  readonly exportsIds: boolean; readonly checkpoints: CheckpointPolicy | undefined;
}
export type AdapterSwitches = Readonly<Partial<Record<AdapterName, boolean>>>;
export interface ExemptRule { readonly kind: string; readonly glob: Glob; readonly place: Place; }
export interface PolicyNote { readonly text: string; readonly place: Place; }
export type PolicyCheck = { readonly policy: Policy; readonly problems: readonly []; } | {
  readonly policy?: never; readonly problems: readonly PlimsollError[];
};
export declare class PolicyError extends PlimsollError {
  readonly problems: readonly PlimsollError[];
  constructor(file: string, problems: readonly PlimsollError[]);
}
export declare const builtInPolicy: Policy;
export declare function checkPolicy(text: string, file: string): PolicyCheck;
export declare function parsePolicy(text: string, file: string): Policy;
export declare function policyJsonSchema(): JsonSchema;
export type JsonSchema = { readonly [key: string]: unknown; };
export declare function useAlertLogger(logger?: Logger): void;
