// @plimsoll/host: no names

// @plimsoll/host/protocol: Descriptor KnownApprover addApprover approvalRows approverFile ask findApprover liveDescriptors ownerName parseFrame policyInForce readHandover readRestartLog removeDescriptor restartFile socketPath takeLastFrame watchFeed writeDescriptor writeHandover writeRestartLog
export interface Descriptor {
  readonly pid: number; readonly target: string; readonly startedAt: number; readonly socket: string;
}
export interface KnownApprover {
  readonly name: string; readonly by: string; readonly groups: readonly string[]; readonly isOwner: false;
  readonly token: string;
}
export declare function addApprover(file: string, name: string, groups: readonly string[]): string;
export declare function approvalRows(entries: readonly AuditRecord[]): readonly (ApprovalRow & {
  readonly run: number;
})[];
export declare function approverFile(dir: string, env?: Environment): string;
type Environment = Readonly<Record<string, string | undefined>>;
export declare function ask<Value = unknown>(socketPath: string, op: string, args?: ControlArgs, options?: AskOptions): Promise<Value>;
export type ControlArgs = Readonly<Record<string, unknown>>;
interface AskOptions { readonly timeoutMs?: number; readonly signal?: AbortSignal; }
export declare function findApprover(file: string, token: string): KnownApprover | undefined;
export declare function liveDescriptors(dir: string): readonly Descriptor[];
export declare function ownerName(): string;
export declare function parseFrame(text: string): Frame | undefined;
export interface Frame {
  readonly v: 1; readonly pid: number; readonly target: string; readonly node: string; readonly startedAt: number;
  readonly at: number; readonly reading: Reading; readonly level: Level;
  readonly limits: { readonly bytes: number; readonly source: string; readonly text: string; };
  readonly unattributedBytes: number | null; readonly keepers: readonly KeeperRow[]; readonly keeperCount: number;
  readonly workers?: readonly WorkerRow[]; readonly stageRuns?: readonly StageRunRow[];
  readonly delegation: DelegationRow | null; readonly scopes: readonly ScopeRow[]; readonly scopeCount: number;
  readonly peaks: readonly PeakRow[];
  readonly kinds: readonly {
    readonly kind: string; readonly open: number; readonly opened: number; readonly bytes: number;
  }[];
  readonly levels: readonly LevelRow[]; readonly heap: HeapUse; readonly findings: readonly Finding[];
  readonly traces?: Readonly<Record<string, TraceRef>>;
  readonly incident: Incident | null; readonly growth: GrowthRecord | null; readonly forecast: Forecast | null;
  readonly governance: GovernanceRow; readonly resume?: ResumeRow; readonly gcEffectiveness: number | null;
  readonly policy: {
    readonly file: string | null; readonly mode: string; readonly revision: number | null;
    readonly fault: string | null; readonly faultSince: number | null; readonly givenUp: string | null;
  };
  readonly ledger: { readonly dir: string | null; readonly droppedSamples: number; readonly fault: string | null; };
  readonly watermark: { readonly usedBytes: number; readonly rss: number; readonly level: Level; };
  readonly last: boolean;
}
export declare function policyInForce(policy: Policy, limitBytes: number | undefined): PolicyInForce;
export interface PolicyInForce {
  readonly file: string; readonly mode: string; readonly revision: number; readonly sha256: string;
  readonly budgets: readonly BudgetRow[];
}
export declare function readHandover(dir: string): Handover | undefined;
export interface Handover {
  readonly v: 1;
  readonly phase: (typeof handoverPhases)[number];
  readonly from: number; readonly mostBytes: number | null; readonly to?: number; readonly why?: string;
  readonly held?: readonly string[];
}
export declare function readRestartLog(dir: string): RestartLog;
export declare function removeDescriptor(dir: string, pid: number): void;
export declare function restartFile(dir: string): string;
export declare function socketPath(dir: string, pid: number): string;
export declare function takeLastFrame(dir: string, pid: number): Frame | undefined;
export declare function watchFeed(socketPath: string, events: FeedEvents): { close(): void; };
interface FeedEvents {
  readonly onFrame: (frame: Frame) => void;
  readonly onClose?: () => void;
  readonly onFault?: (error: Error) => void;
  readonly isBrief?: boolean;
}
export declare function writeDescriptor(dir: string, descriptor: Descriptor): void;
export declare function writeHandover(dir: string, handover: Omit<Handover, 'v'>): void;
export declare function writeRestartLog(dir: string, log: RestartLog): void;

// @plimsoll/host/protocol/frame: ActionRow AdmissionRow ApprovalRow DelegationRow Finding FindingStep Forecast Frame GovernanceRow HeapSpaceRow HeapUse Incident IncidentEvent KeeperRow Level LevelRow PeakRow ResumeRow ScopeRow Severity StageCallRow StageRunRow
export interface ActionRow {
  readonly id: string; readonly at: number; readonly action: string; readonly scope: string; readonly level: Level;
  readonly mode: string;
  readonly outcome: 'waiting' | 'running' | 'settling' | 'done' | 'would-have' | 'skipped' | 'failed';
  readonly text: string; readonly rule: string; readonly freedBytes: number | null;
}
export interface GovernanceRow {
  readonly actions: readonly ActionRow[]; readonly approvals: readonly ApprovalRow[];
  readonly admission: AdmissionRow | null;
  readonly counts: {
    readonly actions: number; readonly cleanups: number; readonly wouldHave: number; readonly freedBytes: number;
    readonly approvals: number;
  };
}
export interface HeapSpaceRow {
  readonly name: string; readonly usedBytes: number; readonly sizeBytes: number; readonly availableBytes: number;
  readonly physicalBytes: number;
}
export interface HeapUse {
  readonly physicalBytes: number; readonly usedBytes: number; readonly codeBytes: number; readonly limitBytes: number;
  readonly detachedContexts: number; readonly spaces?: readonly HeapSpaceRow[];
  readonly generations?: GenerationUse & { readonly semiSpaceBytes: number; readonly oldSpaceBytes: number; };
}
export interface LevelRow {
  readonly at: number; readonly scope: string; readonly from: Level; readonly level: Level; readonly usedBytes: number;
  readonly limitBytes: number; readonly source: string;
}
export interface PeakRow { readonly path: string; readonly peakBytes: number; readonly at: number; }
export interface ResumeRow {
  readonly at: number; readonly phase: 'begun' | 'parked' | 'died'; readonly reason: string; readonly parked: number;
  readonly lost: number; readonly interrupted: number; readonly text: string;
}
export interface ScopeRow {
  readonly path: string; readonly kind: string; readonly bytes: number; readonly by: 'census' | 'account';
  readonly measuredAt: number | null;
  readonly spread: { readonly low: number; readonly high: number; } | null;
  readonly peakBytes: number; readonly budgetBytes: number | null; readonly level: Level; readonly ageMs: number;
  readonly idleMs: number; readonly leases: number;
}
export interface StageCallRow {
  readonly stage: string; readonly startMs: number; readonly durationMs: number; readonly ok: boolean;
  readonly kept: number; readonly peak: number;
}
export interface StageRunRow {
  readonly path: string; readonly at: number; readonly durationMs: number; readonly kept: number;
  readonly isHeaviest: boolean; readonly more: number; readonly calls: readonly StageCallRow[];
}

// @plimsoll/host/protocol/api: ActBody ApprovalsAnswer AuditAnswer AuditRow AutopsyAnswer AutopsyRow BudgetRow DecisionAnswer DecisionBody ErrorAnswer ExplainAnswer Explanation FrameAnswer HistoryAnswer HistoryRow PolicyAnswer ProcessRow ProcessesAnswer ScopeHistoryAnswer ScopesAnswer SessionAnswer SnapshotAnswer SnapshotJob StreamEvents WouldHaveRow
export interface ActBody {
  readonly action: string; readonly scope?: string;
  readonly options?: Readonly<Record<string, string>>;
  readonly off?: boolean;
}
export interface ApprovalsAnswer { readonly rows: readonly ApprovalRow[]; }
export interface AuditAnswer { readonly entries: readonly AuditRow[]; readonly more: boolean; }
export interface AuditRow {
  readonly seq: number; readonly at: number; readonly kind: string; readonly scope: string;
  readonly body: Readonly<Record<string, unknown>>;
}
export interface AutopsyAnswer {
  readonly autopsy: AutopsyRow | null; readonly story: string | null; readonly deaths: number;
}
export interface AutopsyRow {
  readonly pid: number; readonly release: string | null; readonly startedAt: number | null;
  readonly endedAt: number | null;
  readonly cause: {
    readonly name: string; readonly sure: 'sure' | 'likely' | 'unknown'; readonly text: string;
    readonly evidence: readonly string[];
  };
  readonly memory: {
    readonly used: number; readonly limit: number; readonly source: string; readonly heapUsed: number;
    readonly floor: number | null; readonly external: number; readonly arrayBuffers: number; readonly rss: number;
    readonly level: Level;
  } | null;
  readonly grew: readonly { readonly name: string; readonly bytes: number; readonly grewBytes: number; }[];
  readonly open: Readonly<Record<string, number>>;
  readonly refused: number; readonly running: readonly string[]; readonly incident: string | null;
  readonly fingerprint: string | null; readonly stack: readonly string[];
  readonly lastWords: { readonly sites: readonly LastSite[]; readonly containers?: readonly LastContainer[]; } | null;
  readonly fix: string;
}
export interface BudgetRow {
  readonly section: string; readonly glob: string; readonly max: string | null; readonly maxBytes: number | null;
  readonly priority: string | null; readonly idleMs: number | null; readonly place: string;
}
export interface DecisionAnswer { readonly row: ApprovalRow; }
export interface DecisionBody {
  readonly decision: 'approve' | 'deny'; readonly digest: string; readonly comment?: string; readonly key?: string;
}
export interface ErrorAnswer {
  readonly error: { readonly code: string; readonly message: string; readonly fix: string; };
}
export type ExplainAnswer = Explanation;
export type FrameAnswer = Frame;
export interface HistoryAnswer {
  readonly from: number; readonly to: number; readonly resolution: 'raw' | 'minute' | 'hour'; readonly stepMs: number;
  readonly rows: readonly HistoryRow[];
}
export interface HistoryRow extends KnownNumbers {
  readonly at: number; readonly used: number; readonly usedMax: number; readonly level: Level | null;
}
export interface PolicyAnswer {
  readonly file: string | null; readonly mode: string; readonly revision: number | null; readonly sha256: string | null;
  readonly text: string | null; readonly fault: string | null; readonly budgets: readonly BudgetRow[];
  readonly wouldHave: readonly WouldHaveRow[];
}
export interface WouldHaveRow {
  readonly action: string; readonly level: string; readonly rule: string; readonly count: number;
  readonly lastAt: number; readonly lastScope: string; readonly lastText: string;
}
export interface ProcessRow {
  readonly id: string; readonly pid: number | null; readonly target: string; readonly startedAt: number;
  readonly endedAt: number | null; readonly state: 'running' | 'ended' | 'died';
}
export interface ProcessesAnswer { readonly processes: readonly ProcessRow[]; }
export interface ScopeHistoryAnswer {
  readonly path: string; readonly from: number; readonly to: number; readonly resolution: 'raw' | 'minute' | 'hour';
  readonly stepMs: number;
  readonly rows: readonly {
    readonly at: number; readonly bytes: number; readonly minBytes: number; readonly maxBytes: number;
  }[];
}
export interface ScopesAnswer {
  readonly at: number; readonly total: number; readonly next: number | null; readonly rows: readonly ScopeRow[];
}
export interface SessionAnswer {
  readonly live: boolean; readonly canDecide: boolean; readonly as: string | null; readonly version: string;
  readonly process: ProcessRow | null; readonly fleet?: boolean; readonly fleetRole?: 'viewer' | 'approver' | 'admin';
}
export interface SnapshotAnswer {
  readonly prediction: {
    readonly objects: number; readonly neededBytes: number; readonly stopMs: number; readonly freeBytes: number;
    readonly fits: boolean;
  };
  readonly job: SnapshotJob | null;
}
export interface SnapshotJob {
  readonly id: number; readonly at: number; readonly state: 'waiting' | 'taking' | 'done' | 'failed';
  readonly file: string | null; readonly fileBytes: number | null; readonly stopMs: number | null;
  readonly error: ErrorAnswer['error'] | null;
}
export interface StreamEvents {
  readonly frame: Frame;
  readonly scopes: {
    readonly at: number; readonly full: boolean; readonly rows: readonly ScopeRow[]; readonly gone: readonly string[];
  };
  readonly skipped: { readonly events: number; readonly total: number; };
  readonly process: ProcessRow | null;
}

// @plimsoll/host/protocol/answers: ActAnswer ControlArgs ControlHandler ControlOps DecidedRow PolicyInForce RollbackAnswer ScopePage SilencesAnswer
export interface ActAnswer {
  readonly id: string; readonly action: string; readonly scope: string;
  readonly outcome: 'waiting' | 'running' | 'settling' | 'done' | 'would-have' | 'skipped' | 'failed';
  readonly text: string; readonly releasedBytes: number;
}
export type ControlHandler = (args: ControlArgs) => unknown;
export type ControlOps = Readonly<Record<string, ControlHandler>>;
export type DecidedRow = ApprovalRow & { readonly replayed: boolean; };
export interface RollbackAnswer {
  readonly record: RollbackRecord | null; readonly state: RollbackState;
  readonly inForce: { readonly file: string; readonly revision: number; readonly sha256: string; readonly mode: Mode; };
}
export interface ScopePage {
  readonly at: number; readonly full: boolean; readonly rows: readonly ScopeRow[]; readonly gone: readonly string[];
  readonly done: boolean;
}
export interface SilencesAnswer {
  readonly silences: readonly Silence[]; readonly alerts: readonly Alert[]; readonly counts: AlertCounts;
  readonly id: string | null;
}

// @plimsoll/host/protocol/death: BlackBox BoxError BoxExit BoxReading DeathRecord FatalReport LastWords Remains fatalReportsIn isSetAside leftBeside readBlackBoxes takeRemains
export interface BlackBox {
  readonly file: string; readonly start: BoxStart;
  readonly records: readonly Exclude<BoxRecord, BoxStart>[];
  readonly torn: number;
}
export interface BoxStart {
  readonly kind: 'start'; readonly at: number; readonly pid: number; readonly node: string; readonly target: string;
  readonly heapLimit: number; readonly release?: string | null;
}
export type BoxRecord = BoxStart | BoxReading | BoxError | BoxExit;
export interface BoxError {
  readonly kind: 'error'; readonly at: number; readonly origin: 'uncaughtException' | 'unhandledRejection';
  readonly name: string; readonly code: string | null; readonly phrase: string | null;
  readonly frames: readonly string[];
}
export interface BoxExit {
  readonly kind: 'exit'; readonly at: number; readonly code: number; readonly reason: string | null;
  readonly frames: readonly string[];
}
export interface BoxReading {
  readonly kind: 'reading'; readonly at: number; readonly used: number; readonly limit: number;
  readonly heapUsed: number; readonly floor: number | null; readonly external: number; readonly arrayBuffers: number;
  readonly rss: number; readonly loopDelayMs: number; readonly level: Level; readonly source: string;
  readonly scopes: readonly (readonly [path: string, bytes: number])[];
  readonly keepers: readonly (readonly [name: string, bytes: number])[];
  readonly open: Readonly<Record<string, number>>;
  readonly workers: number; readonly refused: number; readonly actions: readonly string[];
  readonly incident: string | null; readonly fingerprint?: string | null;
}
export interface DeathRecord {
  readonly pid: number; readonly at: number;
  readonly box: Pick<BlackBox, 'start' | 'records' | 'torn'>;
  readonly fatal: FatalReport | null; readonly lastWords: LastWords | null;
}
export interface FatalReport {
  readonly event: string; readonly trigger: string; readonly heapUsedBytes: number | null;
  readonly heapLimitBytes: number | null; readonly frames: readonly string[]; readonly at: number | null;
}
export interface LastWords {
  readonly v: 1; readonly at: number; readonly sites: readonly LastSite[];
  readonly containers?: readonly LastContainer[];
  readonly scopes: readonly (readonly [path: string, bytes: number])[];
  readonly keepers: readonly (readonly [name: string, bytes: number])[];
  readonly snapshot: {
    readonly state: 'armed' | 'refused'; readonly neededBytes: number; readonly freeBytes: number;
  } | null;
}
export interface Remains {
  readonly box: BlackBox | undefined; readonly fatal: FatalReport | undefined;
  readonly lastWords: LastWords | undefined;
}
export declare function fatalReportsIn(dir: string): readonly { readonly pid: number; readonly fatal: FatalReport; }[];
export declare function isSetAside({ file }: Pick<BlackBox, 'file'>): boolean;
export declare function leftBeside(dir: string, { start, records }: BlackBox): Omit<Remains, 'box'>;
export declare function readBlackBoxes(dir: string): readonly BlackBox[];
export declare function takeRemains(dir: string, pid: number): Remains;

// @plimsoll/host/protocol/fleet: FleetAnswer FleetApproval FleetApprovalsAnswer FleetAutopsyAnswer FleetDecisionAnswer FleetEntry FleetFinding FleetFindingsAnswer FleetPoliciesAnswer FleetProcess FleetProcessAnswer FleetProcessesAnswer FleetSummary HeatMap RolloutAnswer RolloutBody RolloutState
export interface FleetAnswer { readonly summary: FleetSummary; }
export interface FleetApprovalsAnswer { readonly rows: readonly FleetApproval[]; }
export interface FleetAutopsyAnswer extends AutopsyAnswer { readonly from: 'supervisor' | 'black-box' | 'samples'; }
export type FleetDecisionAnswer = FleetDecided;
export interface FleetFindingsAnswer { readonly rows: readonly FleetFinding[]; }
export interface FleetPoliciesAnswer { readonly services: readonly RolloutState[]; }
export interface FleetProcessAnswer {
  readonly process: FleetProcess; readonly points: readonly FleetPoint[]; readonly scopes: readonly FleetScopeRow[];
  readonly entries: readonly FleetEntry[];
  readonly live: { readonly pid: string; } | { readonly address: string; } | null;
}
export interface FleetProcessesAnswer { readonly rows: readonly FleetProcess[]; }
export interface RolloutAnswer { readonly step: PolicyStep; readonly state: RolloutState; }
export interface RolloutBody {
  readonly service: string; readonly version: number; readonly mode: RolloutMode; readonly share: number;
  readonly force?: boolean;
}

// @plimsoll/host/protocol/text: HolderFacts Holders ReadingField Suspicion freedText holdersOf levels readingFields severities storedFields suspicionOf suspicionText
export interface HolderFacts extends Pick<Frame, 'keepers' | 'scopes' | 'unattributedBytes'> {
  readonly reading: Pick<Frame['reading'], 'floor' | 'external'> | null;
}
export interface Holders {
  readonly scopes: number; readonly keepers: number; readonly rest: number; readonly total: number;
}
export interface Suspicion { readonly perHour: number; readonly since: number | null; readonly who: string | null; }
export declare function freedText(bytes: number): string;
export declare function holdersOf({ keepers, scopes: all, unattributedBytes, reading }: HolderFacts): Holders | null;
export declare function suspicionOf(growth: Frame['growth']): Suspicion | null;
export declare function suspicionText({ perHour, who }: Suspicion): string;
