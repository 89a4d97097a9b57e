// entry plimsoll
// dist/index.d.ts
export { Host } from './host/host.ts';
export { settingsOf } from './host/settings.ts';
export type { HostSettings } from './host/settings.ts';
export type { Frame, LevelName, LevelRow, ScopeRow } from './feed/frame.ts';
export type { Report, Verdict } from './run/report.ts';

// dist/host/host.d.ts
import type { Frame } from '../feed/frame.ts';
import type { HostParts } from './parts.ts';
import type { HostSettings } from './settings.ts';
/**
 * Plimsoll inside one process: sampler, census, governor, ledger and feed, tied together.
 * Every part may fail without the others: what is missing is said in the frame, and the program goes on.
 */
export declare class Host implements Disposable {
    #private;
    constructor(settings: HostSettings, parts: HostParts);
    /** A host with what its settings need; it governs from `start` on. */
    static load(settings: HostSettings, before?: Pick<HostParts, 'witness' | 'audit'>): Promise<Host>;
    start(): void;
    /** Ends governing; the program goes on. Resolves when the ledger is on disk. */
    stop(): Promise<void>;
    [Symbol.dispose](): void;
    get frame(): Frame | undefined;
}

// dist/feed/frame.d.ts
import type { Finding } from '@plimsoll/core/detect';
import type { AdmissionRow, ApprovalRow } from '@plimsoll/core/govern';
import type { Reading } from '@plimsoll/core/sense';
import type { Testimony } from '../proof/testimony.ts';
/** An approval as the desk shows it, and what the shed points did. */
export type { AdmissionRow, ApprovalRow };
/** The level words, in rising order. */
export type LevelName = 'normal' | 'warning' | 'critical' | 'emergency';
/** One open scope as the live views show it. */
export interface ScopeRow {
    readonly path: string;
    readonly kind: string;
    readonly bytes: number;
    /** How the bytes are known: walked by the census, or charged by keepers. */
    readonly by: 'census' | 'account';
    readonly peakBytes: number;
    readonly budgetBytes: number | null;
    readonly level: LevelName;
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
    readonly from: LevelName;
    readonly level: LevelName;
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
    readonly level: LevelName;
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
        readonly actions: number;
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
/** The heap as V8 keeps it, in bytes. */
export interface HeapUse {
    /** Resident pages of all spaces. */
    readonly physicalBytes: number;
    readonly usedBytes: number;
    readonly codeBytes: number;
    /** V8's hard limit for this heap. */
    readonly limitBytes: number;
    readonly detachedContexts: number;
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
    readonly level: LevelName;
    readonly limits: {
        readonly bytes: number;
        readonly source: string;
        readonly text: string;
    };
    readonly unattributedBytes: number | null;
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
    /** What the floors say about growth; null when nobody watches them. */
    readonly growth: Testimony | null;
    readonly governance: GovernanceRow;
    /** How the life before this one ended; absent when it ended as it was told to. */
    readonly resume?: ResumeRow;
    /** Share of what major GCs could have freed that they freed, lately: garbage / (garbage + growth of the floor); null before two. */
    readonly gcEffectiveness: number | null;
    readonly policy: {
        readonly file: string | null;
        readonly mode: string;
        readonly revision: number | null;
        readonly fault: string | null;
    };
    readonly ledger: {
        readonly dir: string | null;
        readonly droppedSamples: number;
        readonly fault: string | null;
    };
    readonly watermark: {
        readonly usedBytes: number;
        readonly rss: number;
        readonly level: LevelName;
    };
    /** True on the frame written while the process exits. */
    readonly last: boolean;
}

// dist/proof/testimony.d.ts
import type { Refusal } from './admission.ts';
import type { Judgement } from './growth-judge.ts';
/** A heap snapshot that was taken, and what it cost. */
export interface Capture {
    readonly file: string;
    /** Wall time, ms since the epoch. */
    readonly at: number;
    /** How long the process stood still. */
    readonly stopMs: number;
    /** What was alive right after it; V8 drops its caches of compiled code before it writes. */
    readonly heapBytes: number;
}
export type Channel = 'heap' | 'external' | 'native';
/** What a process saw of its own growth; written while it exits, for the analysis outside of it. */
export interface Testimony {
    readonly v: 1;
    readonly pid: number;
    readonly node: string;
    readonly startedAt: number;
    readonly at: number;
    readonly channels: Readonly<Record<Channel, Judgement>>;
    /** When growth was first suspected; null when never. */
    readonly suspectedAt: number | null;
    /** The snapshot at the first suspicion and the one at its confirmation or at the end. */
    readonly first: Capture | null;
    readonly last: Capture | null;
    readonly refused: Refusal | null;
    /** Heap floors, one per moment, oldest first. */
    readonly floors: readonly number[];
}
export declare function writeTestimony(dir: string, testimony: Testimony): void;
/** The testimonies of processes that began since then, taken away; the target's first. */
export declare function takeTestimonies(dir: string, since: number, pid: number): readonly Testimony[];

// dist/proof/admission.d.ts
import type { SnapshotCost } from '@plimsoll/heap/capture-cost';
export interface CaptureRoom {
    readonly freeBytes: number;
    readonly maxStopMs: number;
}
/** A snapshot that was not taken, with the numbers. */
export interface Refusal extends SnapshotCost, CaptureRoom {
    readonly for: 'memory' | 'pause';
}
/** Why the snapshot is not taken; undefined when it may be. */
export declare function refusalOf(cost: SnapshotCost, room: CaptureRoom): Refusal | undefined;

// dist/proof/growth-judge.d.ts
/**
 * Judges a short series of floors: does it grow, and does it go on growing?
 *
 * A trend test alone alarms on every healthy program, because all of them grow a little at first (compiled code, feedback, caches). So
 * four things are asked of what comes after the first quarter: is the growth large enough to matter, does it hold what it gained, is it
 * spread over the window and not a few steps, and is the newest part as steep as the rest. What fails any of them is not a leak yet.
 */
/** What the series says. `few` means too few floors to say anything. */
export type Shape = 'few' | 'flat' | 'settling' | 'growing';
export interface Judgement {
    readonly shape: Shape;
    /** Bytes gained over the judged window. */
    readonly growthBytes: number;
    readonly floors: number;
}
export interface JudgeOptions {
    /** Growth below this is not worth a word. */
    readonly leastBytes: number;
    /** Growth below this part of the newest value is not worth a word. */
    readonly leastRatio: number;
}
export declare const heapChannel: JudgeOptions;
export declare const externalChannel: JudgeOptions;
/** Resident memory outside the heap is a high-water mark of malloc: only much of it, for long, says anything. */
export declare const nativeChannel: JudgeOptions;
/** Judges values in order; `work` is the bytes allocated up to each, without it every value stands for equal work. */
export declare function judge(all: readonly number[], options: JudgeOptions, work?: readonly number[]): Judgement;

// dist/host/parts.d.ts
import type { Audit } from '@plimsoll/core/detect';
import type { Witness } from '../proof/witness.ts';
import type * as Acting from './acting.ts';
import type * as Pursuing from './pursuing.ts';
import type { HostSettings } from './settings.ts';
/** What a host is made with: what ran before it, and the parts that not every process needs. A module costs it 20 KB for life. */
export interface HostParts {
    readonly witness?: Witness | undefined;
    readonly audit?: Audit | undefined;
    /** With a policy file. */
    readonly acting?: typeof Acting | undefined;
    /** Where the program may be stopped for a snapshot. */
    readonly pursuing?: typeof Pursuing | undefined;
}
/** Loads what these settings need. */
export declare function loadParts({ policyFile, maxPauseMs }: HostSettings, before?: Pick<HostParts, 'witness' | 'audit'>): Promise<HostParts>;

// dist/proof/witness.d.ts
import type { Capture, Testimony } from './testimony.ts';
export interface WitnessSettings {
    readonly dir: string;
    /** Longest stop of the event loop for a snapshot while the program serves; 0 takes none before the end. */
    readonly maxPauseMs: number;
    /** Someone reads the testimony once the process has ended; without, nothing is left behind. */
    readonly isSupervised: boolean;
}
/**
 * The witness inside a governed process: it watches the floors from the first moment on, takes a first snapshot when they begin to look
 * like a leak, a second one when they still do a minute later or at the end, and leaves its testimony for the analysis elsewhere.
 * A healthy process pays for reading its collections and for the probes that make up for rare ones, and is stopped for no snapshot.
 */
export declare class Witness {
    #private;
    constructor(settings: WitnessSettings);
    start(): void;
    stop(): void;
    /** Our own host has been loaded: floors from before and those that only show it arriving say nothing about the program. */
    hostIsLoaded(): void;
    /** The program opens scopes of its own. */
    scopesAreInUse(): void;
    /** Called when the process ends, right after a last collection and before a last snapshot. */
    onEnd(listener: () => void): void;
    /** Called once when both snapshots are there while the program still runs. */
    onPair(listener: (testimony: Testimony) => void): void;
    get testimony(): Testimony;
    /**
     * A snapshot for a finding made elsewhere, not older than `since`: the newest there is, or one taken now. Undefined when it is refused;
     * then one is taken at the end.
     */
    evidence(since?: number): Capture | undefined;
    /** Asks for a snapshot at the end that is not older than this. */
    want(since: number): void;
    /** Takes the next snapshot of the pair for a suspicion raised elsewhere; false when it is refused or both are there. */
    capture(): boolean;
}

// dist/host/acting.d.ts
/** The parts of a host that only a policy needs. Loaded with it: under pressure nothing has to be read from disk any more. */
export { Ladder } from '@plimsoll/core/acting';
export { PolicyFile } from '@plimsoll/core/policy';
export { approvalsOf } from './approvals.ts';
export { leversOf } from './levers.ts';
export { PolicyGuard } from './rollback.ts';

// dist/host/approvals.d.ts
import { ApprovalDesk, HeldRequests } from '@plimsoll/core/acting';
import type { ApprovalRow, Governor, Level, LevelChange, Policy } from '@plimsoll/core/govern';
import type { AuditEntry, Ledger } from '@plimsoll/ledger';
import type { GovernanceParts } from './governance.ts';
export interface HostApprovalsParts {
    readonly policy: () => Policy;
    readonly levelOf: (scope: string) => Level;
    /** Writes into the ledger; never throws. */
    readonly write: (entry: AuditEntry) => void;
    readonly ledger: {
        readonly dir: string;
        readonly run: number;
    };
}
/** Makes the approvals of a host and puts them where the ladder and the frame look for them. */
export declare function approvalsOf(governor: Governor, ledger: Ledger, parts: GovernanceParts): HostApprovals;
/** The approvals of a governed process: the desk, what waits on it, and the ledger entry of every change. */
export declare class HostApprovals implements Disposable {
    #private;
    readonly desk: ApprovalDesk;
    readonly held: HeldRequests;
    constructor(parts: HostApprovalsParts);
    /** Begins to hold what has to wait, and closes the tickets that an earlier process of this ledger left open. */
    start(): void;
    tick(): void;
    levelChanged({ scope, level }: Pick<LevelChange, 'scope' | 'level'>): void;
    setPolicy(policy: Policy): void;
    /** For the frame: open ones first. */
    rows(): readonly ApprovalRow[];
    get count(): number;
    /** Everything open is lost and denied. Called also while the process exits. */
    close(): void;
    [Symbol.dispose](): void;
}

// dist/host/governance.d.ts
import { GcEffectiveness } from '@plimsoll/core/govern';
import type { ApprovalGate, Governor, Restart } from '@plimsoll/core/govern';
import type { ApprovalRow, GovernanceRow } from '../feed/frame.ts';
/** What others put in once they are there; an action without its lever is skipped and says so. */
export interface GovernanceParts {
    restart?: Restart;
    approvals?: ApprovalGate;
    /** Rows of the approvals for the frame, open ones first, and how many there were. */
    approvalRows?: () => readonly ApprovalRow[];
    approvalCount?: () => number;
}
/** What governing did as the live views show it. */
export declare class Governance {
    readonly parts: GovernanceParts;
    /** Garbage that the last major GCs freed over that and the growth of the floor. */
    readonly gc: GcEffectiveness;
    row({ ladder }: Pick<Governor, 'ladder'>): GovernanceRow;
}

// dist/host/levers.d.ts
import type { Levers } from '@plimsoll/core/govern';
import type { Frame } from '../feed/frame.ts';
import type { Witness } from '../proof/witness.ts';
import type { GovernanceParts } from './governance.ts';
import type { ScopeBytes } from './scope-bytes.ts';
export interface LeverOptions {
    /** Where evidence is kept. */
    readonly dir: string;
    readonly bytes: ScopeBytes;
    readonly hurry: (forMs: number) => void;
    readonly frame: () => Frame | undefined;
    readonly witness: Witness | undefined;
    /** What is put in later: restart and approvals. */
    readonly parts: GovernanceParts;
}
/** The levers of a governed process. */
export declare function leversOf({ bytes, dir, frame, witness, hurry, parts }: LeverOptions): Levers;

// dist/host/scope-bytes.d.ts
import type { Roster, Scope } from '@plimsoll/core';
import type { Census, Reading } from '@plimsoll/core/sense';
/**
 * The bytes of every open scope at the last reading, rolled up to the parents.
 * A scope's own part is the larger of what the census walked and what was charged: keepers charge what their owners also
 * register as roots, so adding both would count it twice. Charges are re-based at each major GC, because scopes together cannot hold more
 * than is alive.
 */
export declare class ScopeBytes {
    #private;
    constructor(roster: Roster, census: Pick<Census, 'bytesOf'>);
    /** Open scopes at the last refresh, parents before children; the process scope is not among them. */
    get open(): readonly Scope[];
    /** Live bytes in no scope; undefined before the first major GC. */
    get unattributedBytes(): number | undefined;
    /** By what charges were multiplied at the last major GC; 1 when they fit into what is alive. */
    get chargeFactor(): number;
    refresh(): void;
    /** Re-bases what scopes declare when there was a major GC since the last time; call it after `refresh`. */
    reconcile(reading: Pick<Reading, 'floor' | 'external' | 'majors'>): void;
    of(scope: {
        readonly id: number;
    }): number;
    peakOf(scope: {
        readonly id: number;
    }): number;
    /** Leases of a scope and of everything inside it, at the last refresh. */
    leasesOf(scope: {
        readonly id: number;
    }): number;
    /** How the larger part is known: walked by the census, or charged by code and keepers. */
    knownBy(scope: {
        readonly id: number;
    }): 'census' | 'account';
}

// dist/host/rollback.d.ts
import type { Roster } from '@plimsoll/core';
import type { Mode, Policy, RollbackRecord, RollbackState } from '@plimsoll/core/govern';
import type { Reading } from '@plimsoll/core/sense';
import type { Ledger } from '@plimsoll/ledger';
export interface PolicyGuardOptions {
    readonly policy: Policy;
    /** Where the last good policies are kept. */
    readonly ledgerDir: string;
    readonly roster: Pick<Roster, 'totals'>;
    readonly ledger: Pick<Ledger, 'audit'>;
    /** Puts a policy in force everywhere in this process. */
    readonly apply: (policy: Policy) => void;
}
/** Beside the ledger: what has to survive the process that gave a policy up. */
export declare const shelfFile: (ledgerDir: string) => string;
/** Rolling back in a governed process: feeds the watch with readings, puts what it decides in force and writes it into the ledger. */
export declare class PolicyGuard {
    #private;
    constructor(options: PolicyGuardOptions);
    get state(): RollbackState;
    /** The policy that is in force, which is not the file's after a rollback. */
    get policy(): Policy;
    /** The policy file has another text: it is put in force. */
    swapped(policy: Policy): void;
    take(reading: Reading): void;
    rollBack(to: 'last-good' | 'shadow' | number, by: string, reason: string): RollbackRecord;
    /** Puts the file's policy in force again, in a mode of the caller's choice or as the file says. */
    setMode(mode: Mode | undefined, by: string, reason: string): RollbackRecord;
}

// dist/host/pursuing.d.ts
import type { Finding } from '@plimsoll/core/detect';
import type { Reading } from '@plimsoll/core/sense';
import type { Evidence } from '../proof/evidence.ts';
import type { Lead, PursuitOptions } from '../proof/pursuit.ts';
import type { Capture, Testimony } from '../proof/testimony.ts';
export { Tracing } from './tracing.ts';
export interface PursuingOptions {
    readonly dir: string;
    readonly maxPauseMs: number;
    /** What the detector suspects of growing. */
    readonly leads: () => readonly (Lead & {
        readonly growthBytes: number;
    })[];
    /** What the witness saw, on which a proof builds. */
    readonly testimony: () => Testimony;
    readonly onFinding: (finding: Finding) => void;
    /** Reads two snapshots elsewhere; default another process. */
    readonly analyze?: (last: Capture, first: Capture) => Promise<Evidence | undefined>;
    /** Monotonic ms since the process began. */
    readonly now?: () => number;
    readonly limits?: Pick<PursuitOptions, 'fromMs' | 'pairMs' | 'patienceMs' | 'cooldownMs'>;
}
/** Has the growth that the detector suspects proved by two snapshots while the program runs; nobody is paged before. */
export declare class Pursuing {
    #private;
    constructor(options: PursuingOptions);
    /** Once a minute, from a reading; resolves when a pair, if there was one, has been read. */
    take(reading: Reading): Promise<void>;
    stop(): void;
}

// dist/proof/evidence.d.ts
import type { Growth, ScopeRow, Suspect } from '@plimsoll/heap';
import { type WatchedTrace } from './watched-trace.ts';
/** What the snapshots of a process say about its growth. */
export interface Evidence {
    /** Paths that gained objects between the two snapshots, most bytes first; empty when there was only one. */
    readonly growth: readonly Growth[];
    /** What a single snapshot makes suspicious; empty when there were two. */
    readonly suspects: readonly Suspect[];
    /** Classes of objects with native memory behind them that became more, most first; only where that was asked. */
    readonly wrappers: readonly Growth[];
    /** Exact bytes per scope with roots, heaviest first. */
    readonly scopes: readonly ScopeRow[];
    /** Who holds the watched objects of the scopes that were asked for. */
    readonly watched: readonly WatchedTrace[];
    readonly heapBytes: number;
    readonly ms: number;
}
/**
 * Reads one or two snapshots, and in them who holds what survived the named scopes; `earlyScopes` are those that had closed by the first.
 * `isNative` asks for what native memory may hang on. Heavy, so it belongs into a process of its own.
 */
export declare function evidenceOf(last: string, first?: string, scopes?: readonly string[], earlyScopes?: readonly string[], isNative?: boolean): Promise<Evidence>;

// dist/proof/watched-trace.d.ts
import type { Snapshot, TraceStep } from '@plimsoll/heap';
/** The retaining path of an object that a closed scope was to leave behind. */
export interface WatchedTrace {
    readonly scope: string;
    /** Kind of the scope. */
    readonly kind: string;
    readonly label: string;
    /** What one object of this kind and label retains, the mean of those in the snapshot. */
    readonly retainedBytes: number;
    readonly fingerprint: string;
    readonly trace: readonly TraceStep[];
    /** Other watched objects on the path, nearest to the root first: what holds them holds this one, too. */
    readonly through: readonly {
        readonly kind: string;
        readonly label: string;
    }[];
}
/**
 * Finds the objects that scopes watch, by the token that hangs on each of them, the scopes themselves by their records, and what holds
 * those of the named scopes. A token is the value of a WeakMap whose key is the object, so that the object is the token's retainer.
 */
export declare function watchedTraces(snapshot: Snapshot, scopes: readonly string[]): readonly WatchedTrace[];

// dist/proof/pursuit.d.ts
import type { Taken } from './snapshot-file.ts';
import type { Capture } from './testimony.ts';
/** A channel of the detector that looks like a leak, or is confirmed as one. */
export interface Lead {
    readonly fingerprint: string;
    readonly channel: string;
}
/** Two snapshots of one suspicion. */
export interface Pair {
    readonly lead: Lead;
    readonly suspectedAt: number;
    readonly first: Capture;
    readonly last: Capture;
}
export interface PursuitOptions {
    /** Takes a snapshot now, or says why not. */
    readonly take: (name: 'pursuit-first' | 'pursuit-last', heapBytes: number) => Taken;
    readonly remove: (capture: Capture) => void;
    /** Age of the process from which on the detector's suspicions count; default 30 min: until then the witness has its own. */
    readonly fromMs?: number;
    /** Least distance of the two snapshots; default 10 min. */
    readonly pairMs?: number;
    /** Longest wait for the growth that a second snapshot is to show; default 12 h. */
    readonly patienceMs?: number;
    /** Time between the end of one pursuit and the beginning of the next; default 1 h. */
    readonly cooldownMs?: number;
}
/**
 * The pursuit of growth that begins late in the life of a process: a snapshot when the detector first suspects it, a second when the
 * floor has gained enough to show what grew. Never twice for one fingerprint, never two at a time, and a suspicion that is dropped
 * meanwhile takes its snapshot with it.
 */
export declare class Pursuit {
    #private;
    constructor(options: PursuitOptions);
    /** Takes what the detector suspects now, by a clock that starts with the process; the pair when it is complete. */
    pursue(leads: readonly Lead[], nowMs: number, at: number, floorBytes: number): Pair | undefined;
    /** Leaves no file behind. */
    stop(): void;
}

// dist/proof/snapshot-file.d.ts
import type { Refusal } from './admission.ts';
import type { Capture } from './testimony.ts';
/** A snapshot that was taken, or the numbers by which it was not. */
export type Taken = {
    readonly capture: Capture;
    readonly refusal: null;
} | {
    readonly capture: null;
    readonly refusal: Refusal;
};
/**
 * Takes a snapshot of this process into `<pid>.<name>.heapsnapshot`, if its memory is free and its stop is allowed. `heapBytes` is the last
 * floor: V8 collects before it writes, so that garbage stops nobody. `onAdmitted` is told right before.
 */
export declare function takeSnapshot(dir: string, name: string, maxStopMs: number, heapBytes: number, onAdmitted?: () => void): Taken;

// dist/host/tracing.d.ts
import type { Finding } from '@plimsoll/core/detect';
import type { AnalyzeOptions } from '../proof/analyze.ts';
import type { Evidence } from '../proof/evidence.ts';
import type { Capture } from '../proof/testimony.ts';
export interface TracingOptions {
    /** A snapshot not older than this, ms since the epoch: the newest there is, or one taken now. */
    readonly evidence: (since: number) => Capture | undefined;
    /** A finding with the bytes that one of its survivors retains. */
    readonly weigh: (finding: Finding, bytesEach: number) => Finding;
    readonly onFinding: (finding: Finding) => void;
    /** Reads a snapshot elsewhere; default another process. */
    readonly analyze?: (capture: Capture, options: AnalyzeOptions) => Promise<Evidence | undefined>;
}
/**
 * Names who holds what survived its scope. It is confirmed already; one snapshot gives the paths of all that one look found, and they are
 * read by one other process at a time. A fingerprint is traced once; later news of it keep its path.
 */
export declare class Tracing {
    #private;
    constructor(options: TracingOptions);
    /** Takes a survivor: it is told at once, and again when its path is known. */
    take(finding: Finding): void;
    stop(): void;
}

// dist/proof/analyze.d.ts
import type { Capture } from './testimony.ts';
import type { Evidence } from './evidence.ts';
/** What the analyst is asked: the snapshots, and for each the scopes whose survivors are to be found in it. */
export interface Question {
    readonly last: string;
    readonly first: string | null;
    readonly scopes: readonly string[];
    readonly earlyScopes: readonly string[];
    readonly isNative: boolean;
}
/** What survived: its scope, and when that closed. In a snapshot from before it is held by right. */
export interface Survived {
    readonly scope: string;
    readonly firstSeen: number;
}
export interface AnalyzeOptions {
    readonly survived?: readonly Survived[];
    /** Native memory grew: what it may hang on is asked for, too. */
    readonly isNative?: boolean;
    /** Whoever asks has other work to do: the analyst takes what is left of the processor and ends with its process. */
    readonly isGuest?: boolean;
    /** The module that the analyst runs. */
    readonly entry?: string;
}
/** Has the snapshots read by an analyst process; undefined when it fails, whatever the reason. */
export declare function analyzeElsewhere(last: Capture, first: Capture | null, options?: AnalyzeOptions): Promise<Evidence | undefined>;

// dist/host/settings.d.ts
/** What a governed process is told by its environment. */
export interface HostSettings {
    /** Folder of the run: descriptor, socket, ledger. */
    readonly dir: string;
    readonly ledgerDir: string;
    readonly policyFile: string | undefined;
    /** The program in words, without its arguments: they may hold secrets. */
    readonly target: string;
    /** Longest stop for a snapshot while the program serves; undefined when growth is not to be proved at all. */
    readonly maxPauseMs: number | undefined;
    /** `plimsoll run` waits outside: it reads the testimony and the snapshots when the process has ended. */
    readonly isSupervised: boolean;
    /** Follow every listener, timer and handle to the place that made it. */
    readonly isAudited?: boolean;
}
type Environment = Readonly<Record<string, string | undefined>>;
/** The settings of this process, or undefined when it is not to be governed. */
export declare function settingsOf(env: Environment, argv: readonly string[], cwd: string, pid: number): HostSettings | undefined;
export {};

// dist/run/report.d.ts
import type { Finding } from '@plimsoll/core/detect';
import type { Frame, LevelName } from '../feed/frame.ts';
import type { Verdict } from '../proof/prove.ts';
import type { Conclusion } from './conclude.ts';
import type { LifeRow } from './lives.ts';
export type { Verdict } from '../proof/prove.ts';
/** How the target ended. */
export interface ExitFact {
    readonly code: number | null;
    readonly signal: string | null;
}
/** What one run was: the shape every reporter writes (`run --report`, `attach --report`, the test kit and the harness). */
export interface Report {
    readonly plimsoll: string;
    readonly target: string;
    readonly started: string;
    readonly ended: string;
    readonly verdict: Verdict;
    /** The reason for the verdict in one sentence. */
    readonly why: string;
    readonly findings: readonly Finding[];
    readonly readings: {
        readonly last: Frame['reading'] | null;
        readonly peakUsedBytes: number | null;
        readonly peakRssBytes: number | null;
        readonly peakLevel: LevelName | null;
        readonly levels: Frame['levels'];
        readonly scopes: Frame['scopes'];
        readonly peaks: Frame['peaks'];
        readonly kinds: Frame['kinds'];
        readonly unattributedBytes: number | null;
    };
    readonly limits: Frame['limits'] | null;
    /** What finding out took: snapshots with their pauses, the analysis outside. */
    readonly proof: Pick<Conclusion, 'snapshots' | 'analysisMs' | 'suspectedAt' | 'scopes' | 'floors'> | null;
    /** What the ladder did, newest last; the ledger has all of it. */
    readonly actions: Frame['governance']['actions'];
    /** How often it acted and what that freed, and what the shed points did; null when nothing was seen. */
    readonly governance: {
        readonly counts: Frame['governance']['counts'];
        readonly admission: Frame['governance']['admission'];
    } | null;
    readonly self: Frame['reading']['self'] | null;
    readonly exit: ExitFact & {
        readonly suspectedOutOfMemory: boolean;
    };
    /** Every life of the program, oldest first: more than one when it was restarted. */
    readonly lives: readonly LifeRow[];
}
export interface RunFacts {
    readonly version: string;
    readonly target: string;
    readonly startedAt: number;
    readonly endedAt: number;
    readonly exit: ExitFact;
    /** The newest frame of the process, or undefined when it never reported. */
    readonly frame: Frame | undefined;
    readonly conclusion?: Conclusion | undefined;
    readonly lives?: readonly LifeRow[];
}
/** V8 aborts when it cannot free enough; the kernel kills with SIGKILL. Both are suspected only when the last reading was near the limit. */
export declare function suspectOutOfMemory(exit: ExitFact, frame: Frame | undefined): boolean;
/** The report of a run from what was seen of it; without a frame nothing is claimed. */
export declare function composeReport(facts: RunFacts): Report;
/** One finding per scope that rose above its budget or limit, at the highest level it reached. */
export declare function budgetFindings(frame: Frame | undefined): readonly Finding[];

// dist/proof/prove.d.ts
import type { Finding } from '@plimsoll/core/detect';
import type { Evidence } from './evidence.ts';
import type { Refusal } from './admission.ts';
import type { Testimony } from './testimony.ts';
export type Verdict = 'clean' | 'leak' | 'undecided';
/** A verdict with its reason in one sentence, and the findings behind it. */
export interface Proof {
    readonly verdict: Verdict;
    readonly why: string;
    readonly findings: readonly Finding[];
}
/** The verdict from what the process saw and what its snapshots say: growth without a path that explains it pages nobody. */
export declare function prove(testimony: Testimony, evidence: Evidence | undefined): Proof;
export declare function refusalText(refusal: Refusal): string;

// dist/run/conclude.d.ts
import type { Frame } from '../feed/frame.ts';
import type { Evidence } from '../proof/evidence.ts';
import { type Proof } from '../proof/prove.ts';
/** What the run comes to, and what finding it out took. */
export interface Conclusion extends Proof {
    /** Snapshots taken, in order; `kept` are their files when they were to be kept. */
    readonly snapshots: readonly {
        readonly at: number;
        readonly stopMs: number;
        readonly kept: string | null;
    }[];
    readonly analysisMs: number;
    /** When growth was first suspected. */
    readonly suspectedAt: number | null;
    /** Heap floors, oldest first. */
    readonly floors: readonly number[];
    /** Exact bytes of scopes with roots, from the last snapshot. */
    readonly scopes: Evidence['scopes'];
}
export interface ConcludeOptions {
    readonly dir: string;
    readonly pid: number;
    readonly since: number;
    readonly frame: Frame | undefined;
    readonly keepSnapshots: boolean;
    /** Told before the snapshots are read, which may take seconds. */
    readonly onAnalysis?: (files: number) => void;
}
/** The verdict over a run that has ended, from what its processes left behind. */
export declare function conclude(options: ConcludeOptions): Promise<Conclusion>;

// dist/run/lives.d.ts
import type { RestartLog } from '@plimsoll/core/govern';
import type { Frame, LevelName } from '../feed/frame.ts';
import type { Conclusion } from './conclude.ts';
import type { Life } from './life.ts';
import type { ExitFact } from './report.ts';
/** One life in the report of a run. */
export interface LifeRow {
    readonly pid: number;
    readonly started: string;
    readonly ended: string;
    readonly exit: ExitFact;
    /** Why it ended to be started again; null when it did not. */
    readonly restart: {
        readonly reason: string;
        readonly parked: number;
        readonly lost: number;
        readonly interrupted: number;
    } | null;
    readonly peakUsedBytes: number | null;
    readonly peakLevel: LevelName | null;
}
/** A life with what it came to. */
export type EndedLife = Omit<Life, 'conclusion'> & {
    readonly conclusion: Conclusion;
};
/** The rows of the report, with what the log says about each restart. */
export declare function lifeRows(lives: readonly Omit<Life, 'conclusion'>[], log: RestartLog): readonly LifeRow[];
/** One conclusion over all lives: the worst verdict with its reason, every finding once. */
export declare function concludeAll(lives: readonly EndedLife[]): Conclusion;
/** The last frame, with the peaks and level changes of the lives before it. */
export declare function frameOverLives(lives: readonly Pick<Life, 'frame'>[]): Frame | undefined;

// dist/run/life.d.ts
import type { Frame } from '../feed/frame.ts';
import type { Conclusion } from './conclude.ts';
import type { Launch } from './launch.ts';
import type { ExitFact } from './report.ts';
import type { Target } from './target.ts';
/** One life of the program that `plimsoll run` starts, from its first frame to its last. */
export interface Life {
    /** Of the process that was governed, or of the target when none was. */
    readonly pid: number;
    readonly startedAt: number;
    readonly endedAt: number;
    readonly exit: ExitFact;
    readonly frame: Frame | undefined;
    /** Read from what the life left behind, while the next one may already run. */
    readonly conclusion: Promise<Conclusion>;
}
export interface LifeOptions {
    readonly launch: Launch;
    readonly cwd: string;
    readonly dir: string;
    readonly keepSnapshots: boolean;
    readonly onFrame: (frame: Frame) => void;
    /** Told before the snapshots are read, which may take seconds. */
    readonly onAnalysis: (files: number) => void;
    /** Told when the target runs, with its newest frame at hand. */
    readonly onStart: (target: Target, newest: () => Frame | undefined) => void;
}
/** Starts the target and follows it to its end. */
export declare function live(options: LifeOptions): Promise<Life>;

// dist/run/launch.d.ts
/** How the target is started: its command line and environment with the preload in place. */
export interface Launch {
    readonly command: string;
    readonly args: readonly string[];
    readonly env: Readonly<Record<string, string | undefined>>;
}
export interface LaunchOptions {
    readonly dir: string;
    readonly policyFile?: string | undefined;
    /** Longest stop for a snapshot while the program serves; `off` proves nothing. */
    readonly maxPauseMs?: number | 'off' | undefined;
    /** Follow every listener, timer and handle to the place that made it. */
    readonly isAudited?: boolean | undefined;
    /** Address of the preload module; the built one beside this file by default. */
    readonly registerUrl?: string;
}
/**
 * The launch of a command under Plimsoll. `node` itself gets the preload as arguments, so that only this process (and what it
 * forks) is governed; any other launcher (npm, tsx, a shell script) hands it down through NODE_OPTIONS.
 */
export declare function launchOf(command: readonly [string, ...string[]], env: Readonly<Record<string, string | undefined>>, options: LaunchOptions): Launch;

// dist/run/target.d.ts
import type { Launch } from './launch.ts';
import type { ExitFact } from './report.ts';
/** A running target: its process, and the promise of how it ended. */
export interface Target {
    readonly pid: number;
    readonly ended: Promise<ExitFact>;
    signal(name: NodeJS.Signals): void;
}
/** Starts the target on our own terminal; rejects with a coded error when it cannot be started. */
export declare function startTarget(launch: Launch, cwd: string): Promise<Target>;
/** The shell's exit code for how the target ended: its own, or 128 + the signal's number. */
export declare function exitCodeOf(exit: ExitFact): number;
/**
 * Hands our signals to the target while it runs. A terminal sends SIGINT to the whole group, so the target has it already;
 * we only must not die of it before the summary.
 */
export declare function passSignals(target: Pick<Target, 'signal'>, source?: NodeJS.EventEmitter, heard?: (name: NodeJS.Signals) => void): () => void;

// entry plimsoll/register
// dist/register.d.ts
export {};
