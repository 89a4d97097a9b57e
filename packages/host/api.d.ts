// entry @plimsoll/host
// dist/register.d.ts
export {};

// entry @plimsoll/host/protocol
// dist/protocol/index.d.ts
export type * from './api.ts';
export { ask } from './control.ts';
export { isAlive, liveDescriptors, socketPath } from './descriptor.ts';
export { parseFrame, watchFeed } from './feed-client.ts';
export { takeLastFrame } from './last-frame.ts';

// dist/protocol/api.d.ts
import type { Explanation } from '@plimsoll/govern/internal/policy/explain';
import type { ActionRow, ApprovalRow, Frame, LevelName, ScopeRow } from './frame.ts';
/**
 * The shapes of everything the server answers, as the page and other clients read them.
 * Every route takes `?pid=ID` with the `id` of a row of `/api/processes`; without it the newest running process answers, else the
 * newest one the ledger knows. Times are milliseconds since the epoch, sizes are bytes. An error is an `ErrorAnswer` with a status of 400 or more.
 */
export type { ActionRow, ApprovalRow, Explanation, Frame, LevelName, ScopeRow };
/** Every answer with a status of 400 or more. */
export interface ErrorAnswer {
    readonly error: {
        readonly code: string;
        readonly message: string;
        readonly fix: string;
    };
}
/** `GET /api/session`: who is asking and what they may do. Send the token here first: where reading needs one too, the answer sets a cookie that lets EventSource in. */
export interface SessionAnswer {
    /** False when only a ledger is shown. */
    readonly live: boolean;
    /** True when the bearer token of this request may decide approvals. */
    readonly canDecide: boolean;
    /** The name the token belongs to: `admin` or an approver's; null without a token or with an unknown one. */
    readonly as: string | null;
    readonly version: string;
    /** The process the answer is about; null when there is none yet. */
    readonly process: ProcessRow | null;
}
/** One process: running, or known from a ledger only. */
export interface ProcessRow {
    /** What `?pid=` takes: the process id of a running one, `run-N` for one that is gone. */
    readonly id: string;
    readonly pid: number | null;
    readonly target: string;
    readonly startedAt: number;
    /** Last sign of life of a process that is gone; null while it runs. */
    readonly endedAt: number | null;
    /** `died`: it wrote no exit and does not run. */
    readonly state: 'running' | 'ended' | 'died';
}
/** `GET /api/processes`, running ones first, then newest first. */
export interface ProcessesAnswer {
    readonly processes: readonly ProcessRow[];
}
/** `GET /api/frame`: the newest frame. From a ledger it is put together: `last` is true and `heap` is all zero, because the ledger does not keep it. */
export type FrameAnswer = Frame;
/** `GET /api/scopes`: all open scopes; from a ledger, those of the last sample. */
export interface ScopesAnswer {
    readonly at: number;
    readonly rows: readonly ScopeRow[];
}
/** `GET /api/scopes/history?path&from&to&points`. */
export interface ScopeHistoryAnswer {
    readonly path: string;
    readonly from: number;
    readonly to: number;
    readonly resolution: 'raw' | 'minute' | 'hour';
    readonly stepMs: number;
    readonly rows: readonly {
        readonly at: number;
        readonly bytes: number;
        readonly minBytes: number;
        readonly maxBytes: number;
    }[];
}
/** One point of the process's history; null where that resolution does not keep the value. */
export interface HistoryRow {
    readonly at: number;
    readonly used: number;
    readonly usedMax: number;
    readonly limit: number | null;
    readonly floor: number | null;
    readonly rss: number | null;
    readonly heapUsed: number | null;
    readonly external: number | null;
    readonly loopDelayMs: number | null;
    readonly level: LevelName | null;
}
/** `GET /api/history?from&to&points`; without `from` and `to` everything its ledger has, across restarts; of a process that is gone its own run. */
export interface HistoryAnswer {
    readonly from: number;
    readonly to: number;
    readonly resolution: 'raw' | 'minute' | 'hour';
    readonly stepMs: number;
    readonly rows: readonly HistoryRow[];
}
/** One entry of the audit. */
export interface AuditRow {
    readonly seq: number;
    readonly at: number;
    /** `start`, `exit`, `level`, `finding`, `action`, `approval`, `policy`, `fault`, `ledger`, or a rule's own word. */
    readonly kind: string;
    readonly scope: string;
    readonly body: Readonly<Record<string, unknown>>;
}
/** `GET /api/audit?from&to&kind&scope&limit`: oldest first, the newest `limit` (500, at most 5000); `kind` may be a list with commas. */
export interface AuditAnswer {
    readonly entries: readonly AuditRow[];
    /** True when older ones were left out. */
    readonly more: boolean;
}
/** `GET /api/approvals`: open ones first. */
export interface ApprovalsAnswer {
    readonly rows: readonly ApprovalRow[];
}
/** Body of `POST /api/approvals/:id`. `key` makes a repeat harmless: the same key gives the same answer. */
export interface DecisionBody {
    readonly decision: 'approve' | 'deny';
    readonly digest: string;
    readonly comment?: string;
    readonly key?: string;
}
/** Answer of `POST /api/approvals/:id`. */
export interface DecisionAnswer {
    readonly row: ApprovalRow;
}
/** One budget rule of the policy. */
export interface BudgetRow {
    /** `global`, `services`, `agents`, `sessions`, `runs`, `stages` or `tools`. */
    readonly section: string;
    readonly glob: string;
    /** As the policy says it, e.g. "25 % of the true limit"; null when the rule sets no maximum. */
    readonly max: string | null;
    readonly maxBytes: number | null;
    readonly priority: string | null;
    readonly idleMs: number | null;
    /** `plimsoll.yaml:21`, or "built-in". */
    readonly place: string;
}
/** What would have been done in shadow mode, one row per action, level and rule. */
export interface WouldHaveRow {
    readonly action: string;
    readonly level: string;
    readonly rule: string;
    readonly count: number;
    readonly lastAt: number;
    readonly lastScope: string;
    readonly lastText: string;
}
/** `GET /api/policy`. */
export interface PolicyAnswer {
    /** Null for the built-in policy. */
    readonly file: string | null;
    readonly mode: string;
    readonly revision: number | null;
    readonly sha256: string | null;
    /** The file as it is on disk; null without a token, because a policy may hold addresses that are secrets. */
    readonly text: string | null;
    /** Why the newest text was refused, when it was. */
    readonly fault: string | null;
    readonly budgets: readonly BudgetRow[];
    readonly wouldHave: readonly WouldHaveRow[];
}
/** `GET /api/policy/explain?scope=PATH`. */
export type ExplainAnswer = Explanation;
/**
 * Events of `GET /api/stream` (Server-Sent Events). Nothing is queued for a client that does not read: it misses frames and is told how
 * many, and then gets the newest state. `process` is repeated every 15 s as a sign of life; a client that reads nothing for a minute is
 * given up.
 */
export interface StreamEvents {
    /** Once per reading. */
    readonly frame: Frame;
    /**
     * At most 1000 rows at once: the first event is `full` (forget what you have), the ones after it add or replace rows and name paths that
     * closed. A row that is not repeated has only aged: add the time passed to `ageMs` and `idleMs`.
     */
    readonly scopes: {
        readonly at: number;
        readonly full: boolean;
        readonly rows: readonly ScopeRow[];
        readonly gone: readonly string[];
    };
    /** Frames this client missed since it was told last, and in all. */
    readonly skipped: {
        readonly events: number;
        readonly total: number;
    };
    /** At first, when the process came, went or was replaced by another, and every 15 s; null when there is none. */
    readonly process: ProcessRow | null;
}

// dist/protocol/frame.d.ts
import type { Finding } from '@plimsoll/leak/internal/findings/finding';
import type { AdmissionRow } from '@plimsoll/govern/internal/admission/admission-control';
import type { ApprovalRow } from '@plimsoll/govern/internal/approvals/approval-row';
import type { Reading } from '@plimsoll/core/internal/sense/reading';
import type { Testimony } from '@plimsoll/leak/internal/proof/testimony';
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

// dist/protocol/control.d.ts
/** Longest request in bytes; a longer line ends the connection. */
export declare const longestAsk: number;
/** Longest answer in characters; a longer one is refused by name. */
export declare const longestAnswer: number;
/** The arguments of an operation as they came in: nothing in them is checked yet. */
export type ControlArgs = Readonly<Record<string, unknown>>;
/** Answers one operation. What it returns goes out as JSON; what it throws goes out as a code and a sentence. */
export type ControlHandler = (args: ControlArgs) => unknown;
/** Operations by name. */
export type ControlOps = Readonly<Record<string, ControlHandler>>;
/** One request: a line of JSON on the feed socket. */
export interface Ask {
    readonly ask: string | number;
    readonly op: string;
    readonly args?: ControlArgs;
}
/** What comes back, with the id of the request. */
export type Answer = {
    readonly answer: string | number | null;
    readonly ok: true;
    readonly value: unknown;
} | {
    readonly answer: string | number | null;
    readonly ok: false;
    readonly code: string;
    readonly message: string;
    readonly where: string;
    readonly fix: string;
};
export interface AskOptions {
    /** 5 s by default. */
    readonly timeoutMs?: number;
    readonly signal?: AbortSignal;
}
/**
 * Asks a governed process one thing through its feed socket and resolves to the value.
 * Rejects with the code the process answered, or with PLM_CONTROL_UNREACHABLE or PLM_CONTROL_TIMEOUT.
 */
export declare function ask<Value = unknown>(socketPath: string, op: string, args?: ControlArgs, options?: AskOptions): Promise<Value>;
/** Cuts a stream of text into lines; what has no end yet is kept up to a bound. */
export declare class LineReader {
    #private;
    constructor(most: number);
    /** The lines that ended with this chunk; undefined when one is too long, and then for good. */
    take(chunk: string): readonly string[] | undefined;
}
/** An answer from a line; undefined for frames and anything else. */
export declare function parseAnswer(line: string): Answer | undefined;

// dist/protocol/descriptor.d.ts
/** The file that says where a governed process can be watched: `.plimsoll/<pid>.json`. */
export interface Descriptor {
    readonly pid: number;
    readonly target: string;
    readonly startedAt: number;
    readonly socket: string;
}
/** Where the process's socket goes: beside the descriptor, or in the temporary folder when that path is too long. */
export declare function socketPath(dir: string, pid: number): string;
export declare function writeDescriptor(dir: string, descriptor: Descriptor): void;
export declare function removeDescriptor(dir: string, pid: number): void;
/** The governed processes of a folder that are alive, newest first; those of dead ones are removed. */
export declare function liveDescriptors(dir: string): readonly Descriptor[];
/** True when a process of this id exists, also one of another user. */
export declare function isAlive(pid: number): boolean;

// dist/protocol/feed-client.d.ts
import type { Frame } from './frame.ts';
export interface FeedEvents {
    readonly onFrame: (frame: Frame) => void;
    readonly onClose?: () => void;
}
/** Watches a governed process through its feed; `close()` ends it. */
export declare function watchFeed(socketPath: string, events: FeedEvents): {
    close(): void;
};
/** A frame from a line or a file; undefined for anything else. */
export declare function parseFrame(text: string): Frame | undefined;

// dist/protocol/last-frame.d.ts
import type { Frame } from './frame.ts';
/** Where a process leaves its last frame while it exits; a watcher's newest one is up to a second older. */
export declare function lastFrameFile(dir: string, pid: number): string;
/** The last frame of a process that ended by itself, taken away; undefined when it was killed. */
export declare function takeLastFrame(dir: string, pid: number): Frame | undefined;
