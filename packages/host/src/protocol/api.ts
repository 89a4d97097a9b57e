import type { KnownNumbers } from '@plimsoll/core/internal/sense/reading-fields';
import type { Explanation } from '@plimsoll/govern/internal/policy/explain';
import type { ApprovalRow, Frame, Level, ScopeRow } from './frame.ts';
import type { LastContainer, LastSite } from './last-words.ts';

/**
 * The types of all answers of the server. Every route takes `?pid=ID` with the `id` of a row of `/api/processes`; without it the server
 * answers for the newest running process, else for the newest one in the ledger. Times are milliseconds since the epoch, sizes are bytes.
 * An error is an `ErrorAnswer` with a status of 400 or more.
 */
export type { Explanation };

/** Every answer with a status of 400 or more. */
export interface ErrorAnswer {
  readonly error: { readonly code: string; readonly message: string; readonly fix: string };
}

/**
 * `GET /api/session`: the caller and the rights of the caller. Send the token here first. Where reading needs a token too, the answer sets
 * a cookie that EventSource then sends.
 */
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
  /** The rights of the caller in the fleet: `viewer` looks, `approver` also decides approvals, `admin` also rolls out policies. */
  readonly fleetRole?: 'viewer' | 'approver' | 'admin';
}

/** One process, running or from a ledger. */
export interface ProcessRow {
  /** Value for `?pid=`: the process id of a running process, `run-N` for one that has ended. */
  readonly id: string;
  readonly pid: number | null;
  readonly target: string;
  readonly startedAt: number;
  /** Last sign of life of a process that has ended; null while it runs. */
  readonly endedAt: number | null;
  /** `died`: it does not run and wrote no exit. */
  readonly state: 'running' | 'ended' | 'died';
}

/** `GET /api/processes`, running ones first, then newest first. */
export interface ProcessesAnswer {
  readonly processes: readonly ProcessRow[];
}

/**
 * `GET /api/frame`: the newest frame. For a process that has ended it is made from the ledger: `last` is true, and `heap` is all zero
 * because the ledger does not keep it.
 */
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

/** One point of the process's history; a value is null where its resolution does not keep it. */
export interface HistoryRow extends KnownNumbers {
  readonly at: number;
  readonly used: number;
  readonly usedMax: number;
  readonly level: Level | null;
}

/**
 * `GET /api/history?from&to&points`; without `from` and `to` it covers the whole ledger across restarts. For a process that has ended it
 * covers the run of that process.
 */
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
  /** True when older entries were left out. */
  readonly more: boolean;
}

/** `GET /api/approvals`: open ones first. */
export interface ApprovalsAnswer {
  readonly rows: readonly ApprovalRow[];
}

/** Body of `POST /api/approvals/:id`. `key` makes a repeated request harmless, because the same key gets the same answer. */
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

/** The fields of an autopsy that the page shows. */
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
  /** The scopes and keepers that grew most. */
  readonly grew: readonly { readonly name: string; readonly bytes: number; readonly grewBytes: number }[];
  /** Number of scopes that were open at the end, by kind. */
  readonly open: Readonly<Record<string, number>>;
  readonly refused: number;
  /** Actions that were running. */
  readonly running: readonly string[];
  /** The incident that was open, in one sentence. */
  readonly incident: string | null;
  readonly fingerprint: string | null;
  readonly stack: readonly string[];
  /** Its last words; null when it left none. */
  readonly lastWords: {
    readonly sites: readonly LastSite[];
    readonly containers?: readonly LastContainer[];
  } | null;
  readonly fix: string;
}

/** `GET /api/autopsy`. */
export interface AutopsyAnswer {
  /** Null while the process runs, when it ended in order, and when its end is unknown. */
  readonly autopsy: AutopsyRow | null;
  /** One sentence about all deaths in its folder; null for fewer than two. */
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

/** Progress of a requested heap snapshot. */
export interface SnapshotJob {
  readonly id: number;
  readonly at: number;
  /** `waiting`: needs an approval. `taking`: the process is stopped. */
  readonly state: 'waiting' | 'taking' | 'done' | 'failed';
  readonly file: string | null;
  readonly fileBytes: number | null;
  /** How long the process was stopped. */
  readonly stopMs: number | null;
  readonly error: ErrorAnswer['error'] | null;
}

/** `GET /api/snapshot` and `POST /api/snapshot/take`, for the owner of the process only. `GET /api/snapshot/file` sends the newest file. */
export interface SnapshotAnswer {
  /** Cost of a snapshot now. */
  readonly prediction: {
    readonly objects: number;
    /** Most bytes that it needs in addition to those of the process. */
    readonly neededBytes: number;
    /** How long the event loop would be stopped. */
    readonly stopMs: number;
    readonly freeBytes: number;
    /** False when the capture guard would refuse it. */
    readonly fits: boolean;
  };
  /** The newest snapshot; null when none was requested. */
  readonly job: SnapshotJob | null;
}

/** One budget rule of the policy. */
export interface BudgetRow {
  /** `global`, `services`, `agents`, `sessions`, `runs`, `stages` or `tools`. */
  readonly section: string;
  readonly glob: string;
  /** In the words of the policy, e.g. "25 % of the true limit"; null when the rule sets no maximum. */
  readonly max: string | null;
  readonly maxBytes: number | null;
  readonly priority: string | null;
  readonly idleMs: number | null;
  /** `plimsoll.yaml:21`, or "built-in". */
  readonly place: string;
}

/** Actions that shadow mode held back, one row per action, level and rule. */
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
  /** Why the newest text was refused; null when it is in force. */
  readonly fault: string | null;
  readonly budgets: readonly BudgetRow[];
  readonly wouldHave: readonly WouldHaveRow[];
}

/** `GET /api/policy/explain?scope=PATH`. */
export type ExplainAnswer = Explanation;

/**
 * Events of `GET /api/stream` (Server-Sent Events). Nothing is queued for a client that does not read. Such a client misses frames, learns
 * how many, and then gets the newest state. `process` is repeated every 15 s as a sign of life. A client that reads nothing for a minute is
 * disconnected.
 */
export interface StreamEvents {
  /** Once per reading. */
  readonly frame: Frame;
  /**
   * At most 1000 rows per event. The first event is `full`, which means: forget all earlier rows. Later events add or replace rows and name
   * paths that closed. A row that is not repeated has only aged. Add the time passed to `ageMs` and `idleMs`.
   */
  readonly scopes: {
    readonly at: number;
    readonly full: boolean;
    readonly rows: readonly ScopeRow[];
    readonly gone: readonly string[];
  };
  /** Frames that this client missed since the last such event, and in all. */
  readonly skipped: { readonly events: number; readonly total: number };
  /** Sent at first, when the process started, ended or was replaced, and every 15 s. Null when there is none. */
  readonly process: ProcessRow | null;
}
