import type { KnownNumbers } from '@plimsoll/core/internal/sense/reading-fields';
import type { Explanation } from '@plimsoll/govern/internal/policy/explain';
import type { ApprovalRow, Frame, Level, ScopeRow } from './frame.ts';
import type { LastContainer, LastSite } from './last-words.ts';

/**
 * The shapes of everything the server answers, as the page and other clients read them.
 * Every route takes `?pid=ID` with the `id` of a row of `/api/processes`; without it the newest running process answers, else the
 * newest one the ledger knows. Times are milliseconds since the epoch, sizes are bytes. An error is an `ErrorAnswer` with a status of 400 or more.
 */
export type { Explanation };

/** Every answer with a status of 400 or more. */
export interface ErrorAnswer {
  readonly error: { readonly code: string; readonly message: string; readonly fix: string };
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
  /** True when the server shows a fleet, too. */
  readonly fleet?: boolean;
  /** What the caller may do there: look; also decide approvals; also roll out policies. */
  readonly fleetRole?: 'viewer' | 'approver' | 'admin';
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

/** `GET /api/scopes?offset&limit`: open scopes, heaviest first, a page at a time; from a ledger, those of the last sample. */
export interface ScopesAnswer {
  readonly at: number;
  /** Open scopes in all. */
  readonly total: number;
  /** The `offset` of the next page; null on the last one. */
  readonly next: number | null;
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
export interface HistoryRow extends KnownNumbers {
  readonly at: number;
  readonly used: number;
  readonly usedMax: number;
  readonly level: Level | null;
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

/** Why a process died and what it was holding, as far as the page shows it. */
export interface AutopsyRow {
  readonly pid: number;
  /** Version of the program; null when it is not known. */
  readonly release: string | null;
  readonly startedAt: number | null;
  readonly endedAt: number | null;
  readonly cause: {
    readonly name: string;
    readonly sure: 'sure' | 'likely' | 'unknown';
    /** One sentence. */
    readonly text: string;
    readonly evidence: readonly string[];
  };
  /** The last reading; null when there was none. */
  readonly memory: {
    readonly used: number;
    readonly limit: number;
    readonly source: string;
    readonly heapUsed: number;
    readonly floor: number | null;
    readonly external: number;
    readonly arrayBuffers: number;
    readonly rss: number;
    readonly level: Level;
  } | null;
  /** Scopes and keepers that grew most. */
  readonly grew: readonly { readonly name: string; readonly bytes: number; readonly grewBytes: number }[];
  /** Scopes that were open at the end, by kind. */
  readonly open: Readonly<Record<string, number>>;
  readonly refused: number;
  /** Actions that were running. */
  readonly running: readonly string[];
  /** The incident that was open, in one sentence. */
  readonly incident: string | null;
  readonly fingerprint: string | null;
  readonly stack: readonly string[];
  /** What it left when its end was near; null when it left nothing. */
  readonly lastWords: {
    readonly sites: readonly LastSite[];
    readonly containers?: readonly LastContainer[];
  } | null;
  readonly fix: string;
}

/** `GET /api/autopsy`. */
export interface AutopsyAnswer {
  /** Null while the process runs, when it ended in order, and when nothing is known of its end. */
  readonly autopsy: AutopsyRow | null;
  /** All deaths that its folder knows of in one sentence; null for fewer than two. */
  readonly story: string | null;
  readonly deaths: number;
}

/** Body of `POST /api/act`, for the owner of the process only. `options` are those of the action as in a policy. */
export interface ActBody {
  readonly action: string;
  readonly scope?: string;
  readonly options?: Readonly<Record<string, string>>;
  /** Ends a quarantine. */
  readonly off?: boolean;
}

/** How a heap snapshot that somebody asked for is doing. */
export interface SnapshotJob {
  readonly id: number;
  readonly at: number;
  /** `waiting`: for an approval. `taking`: the process stands still. */
  readonly state: 'waiting' | 'taking' | 'done' | 'failed';
  readonly file: string | null;
  readonly fileBytes: number | null;
  /** How long the process stood still. */
  readonly stopMs: number | null;
  readonly error: ErrorAnswer['error'] | null;
}

/** `GET /api/snapshot` and `POST /api/snapshot/take`, for the owner of the process only. `GET /api/snapshot/file` sends the newest file. */
export interface SnapshotAnswer {
  /** What one would cost now. */
  readonly prediction: {
    readonly objects: number;
    /** On top of what the process has, at the worst moment. */
    readonly neededBytes: number;
    /** How long the event loop would stand still. */
    readonly stopMs: number;
    readonly freeBytes: number;
    /** False when the guard would refuse it. */
    readonly fits: boolean;
  };
  /** The newest one; null when none was asked for. */
  readonly job: SnapshotJob | null;
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
 * Events of `GET /api/stream` (Server-Sent Events). Nothing is queued for a client that does not read. It misses frames, is told how many,
 * and then gets the newest state. `process` is repeated every 15 s as a sign of life; a client that reads nothing for a minute is given up.
 */
export interface StreamEvents {
  /** Once per reading. */
  readonly frame: Frame;
  /**
   * At most 1000 rows at once: the first event is `full` (forget what you have), the ones after it add or replace rows and name paths that
   * closed. A row that is not repeated has only aged. Add the time passed to `ageMs` and `idleMs`.
   */
  readonly scopes: {
    readonly at: number;
    readonly full: boolean;
    readonly rows: readonly ScopeRow[];
    readonly gone: readonly string[];
  };
  /** Frames this client missed since it was told last, and in all. */
  readonly skipped: { readonly events: number; readonly total: number };
  /** At first, when the process came, went or was replaced by another, and every 15 s; null when there is none. */
  readonly process: ProcessRow | null;
}
