// entry plimsoll
// dist/index.d.ts
export { version } from '@plimsoll/core/internal/version';
export type { Report, Verdict } from './run/report.ts';

// dist/run/report.d.ts
import type { Finding } from '@plimsoll/leak/internal/findings/finding';
import type { Frame, LevelName } from '@plimsoll/host/internal/protocol/frame';
import type { Verdict } from '@plimsoll/leak/internal/proof/prove';
import type { Conclusion } from './conclude.ts';
import type { LifeRow } from './lives.ts';
export type { Verdict } from '@plimsoll/leak/internal/proof/prove';
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

// dist/run/conclude.d.ts
import type { Frame } from '@plimsoll/host/internal/protocol/frame';
import type { Evidence } from '@plimsoll/leak/internal/proof/evidence';
import { type Proof } from '@plimsoll/leak/internal/proof/prove';
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
import type { RestartLog } from '@plimsoll/govern/internal/restart/restart-log';
import type { Frame, LevelName } from '@plimsoll/host/internal/protocol/frame';
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
import type { Frame } from '@plimsoll/host/internal/protocol/frame';
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
    /** Address of the preload module; that of @plimsoll/host by default. */
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
