// entry plimsoll
// dist/index.d.ts
export { Host } from './host/host.ts';
export { settingsOf } from './host/settings.ts';
export type { HostSettings } from './host/settings.ts';
export type { Frame, LevelName, LevelRow, ScopeRow } from './feed/frame.ts';
export type { Report, Verdict } from './run/report.ts';

// dist/host/host.d.ts
import type { Frame } from '../feed/frame.ts';
import type { Witness } from '../proof/witness.ts';
import type { HostSettings } from './settings.ts';
/**
 * Plimsoll inside one process: sampler, census, governor, ledger and feed, tied together.
 * Every part may fail without the others: what is missing is said in the frame, and the program goes on.
 */
export declare class Host implements Disposable {
    #private;
    constructor(settings: HostSettings, witness?: Witness);
    start(): void;
    /** Ends governing; the program goes on. Resolves when the ledger is on disk. */
    stop(): Promise<void>;
    [Symbol.dispose](): void;
    get frame(): Frame | undefined;
}

// dist/feed/frame.d.ts
import type { Finding } from '@plimsoll/core/detect';
import type { Reading } from '@plimsoll/core/sense';
import type { Testimony } from '../proof/testimony.ts';
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
    /** The floor before it. */
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
/**
 * Whether a snapshot may be taken now, and at what price, answered at once: at exit nothing asynchronous runs any more.
 *
 * The cost model is that of the capture guard of @plimsoll/heap, which counts objects when in doubt; here the doubt refuses.
 */
import v8 from 'node:v8';
export interface CaptureCost {
    readonly objects: number;
    readonly neededBytes: number;
    readonly stopMs: number;
}
export interface CaptureRoom {
    readonly freeBytes: number;
    readonly maxStopMs: number;
}
/** A space of V8's heap and the bytes in use in it. */
export type SpaceUse = Pick<v8.HeapSpaceInfo, 'space_name' | 'space_used_size'>;
/** What a snapshot of this heap would cost at most. */
export declare function captureCost(spaces?: readonly SpaceUse[]): CaptureCost;
/** A snapshot that was not taken, with the numbers. */
export interface Refusal extends CaptureCost, CaptureRoom {
    readonly for: 'memory' | 'pause';
}
/** Why the snapshot is not taken; undefined when it may be. */
export declare function refusalOf(cost: CaptureCost, room: CaptureRoom): Refusal | undefined;

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
 * A healthy process pays for reading its collections and for nothing else.
 */
export declare class Witness {
    #private;
    constructor(settings: WitnessSettings);
    start(): void;
    stop(): void;
    /** Our own host has been loaded: floors from before and those that only show it arriving say nothing about the program. */
    hostIsLoaded(): void;
    /** Called once when both snapshots are there while the program still runs. */
    onPair(listener: (testimony: Testimony) => void): void;
    get testimony(): Testimony;
    /** A snapshot for a finding made elsewhere: the newest there is, or one taken now; undefined when it is refused. */
    evidence(): Capture | undefined;
    /** Takes the next snapshot of the pair for a suspicion raised elsewhere; false when it is refused or both are there. */
    capture(): boolean;
}

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
    readonly actions: readonly [];
    readonly self: Frame['reading']['self'] | null;
    readonly exit: ExitFact & {
        readonly suspectedOutOfMemory: boolean;
    };
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

// dist/proof/evidence.d.ts
import type { Growth, ScopeRow, Suspect } from '@plimsoll/heap';
import { type WatchedTrace } from './watched-trace.ts';
/** What the snapshots of a process say about its growth. */
export interface Evidence {
    /** Paths that gained objects between the two snapshots, most bytes first; empty when there was only one. */
    readonly growth: readonly Growth[];
    /** What a single snapshot makes suspicious; empty when there were two. */
    readonly suspects: readonly Suspect[];
    /** Exact bytes per scope with roots, heaviest first. */
    readonly scopes: readonly ScopeRow[];
    /** Who holds the watched objects of the scopes that were asked for. */
    readonly watched: readonly WatchedTrace[];
    readonly heapBytes: number;
    readonly ms: number;
}
/** Reads one or two snapshots; heavy, so it belongs into a process of its own. */
export declare function evidenceOf(last: string, first?: string, watchedScopes?: readonly string[]): Promise<Evidence>;

// dist/proof/watched-trace.d.ts
import type { Snapshot, TraceStep } from '@plimsoll/heap';
/** The retaining path of an object that a closed scope was to leave behind. */
export interface WatchedTrace {
    readonly scope: string;
    readonly label: string;
    readonly retainedBytes: number;
    readonly fingerprint: string;
    readonly trace: readonly TraceStep[];
}
/**
 * Finds the objects that scopes watch, by the token that hangs on each of them, and what holds those of the named scopes. A token is
 * the value of a WeakMap whose key is the object, so that the object is the token's retainer.
 */
export declare function watchedTraces(snapshot: Snapshot, scopes: readonly string[]): readonly WatchedTrace[];

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

// entry plimsoll/register
// dist/register.d.ts
export {};
