// entry plimsoll
// dist/index.d.ts
export { Host } from './host/host.ts';
export { settingsOf } from './host/settings.ts';
export type { HostSettings } from './host/settings.ts';
export type { Frame, LevelName, LevelRow, ScopeRow } from './feed/frame.ts';
export type { Report, Verdict } from './run/report.ts';

// dist/host/host.d.ts
import type { Frame } from '../feed/frame.ts';
import type { HostSettings } from './settings.ts';
/**
 * Plimsoll inside one process: sampler, census, governor, ledger and feed, tied together.
 * Every part may fail without the others: what is missing is said in the frame, and the program goes on.
 */
export declare class Host implements Disposable {
    #private;
    constructor(settings: HostSettings);
    start(): void;
    /** Ends governing; the program goes on. Resolves when the ledger is on disk. */
    stop(): Promise<void>;
    [Symbol.dispose](): void;
    get frame(): Frame | undefined;
}

// dist/feed/frame.d.ts
import type { Reading } from '@plimsoll/core/sense';
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

// dist/host/settings.d.ts
/** What a governed process is told by its environment. */
export interface HostSettings {
    /** Folder of the run: descriptor, socket, ledger. */
    readonly dir: string;
    readonly ledgerDir: string;
    readonly policyFile: string | undefined;
    /** The program in words, without its arguments: they may hold secrets. */
    readonly target: string;
}
type Environment = Readonly<Record<string, string | undefined>>;
/** The settings of this process, or undefined when it is not to be governed. */
export declare function settingsOf(env: Environment, argv: readonly string[], cwd: string, pid: number): HostSettings | undefined;
export {};

// dist/run/report.d.ts
import type { Finding } from '@plimsoll/core/detect';
import type { Frame, LevelName } from '../feed/frame.ts';
/** How the target ended. */
export interface ExitFact {
    readonly code: number | null;
    readonly signal: string | null;
}
export type Verdict = 'clean' | 'leak' | 'undecided';
/** What one governed run was: the shape every reporter writes (`run --report`, later attach, the test kit and the harness). */
export interface Report {
    readonly plimsoll: string;
    readonly target: string;
    readonly started: string;
    readonly ended: string;
    readonly verdict: Verdict;
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
}
/** V8 aborts when it cannot free enough; the kernel kills with SIGKILL. Both are suspected only when the last reading was near the limit. */
export declare function suspectOutOfMemory(exit: ExitFact, frame: Frame | undefined): boolean;
/** The report of a run from what was seen of it; without a frame nothing is claimed. */
export declare function composeReport(facts: RunFacts): Report;
/** One finding per scope that rose above its budget or limit, at the highest level it reached. */
export declare function budgetFindings(frame: Frame | undefined): readonly Finding[];

// entry plimsoll/register
// dist/register.d.ts
export {};
