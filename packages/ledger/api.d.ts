// entry @plimsoll/ledger
// dist/index.d.ts
export { openLedger, Ledger } from './ledger.ts';
export type { LedgerHealth } from './ledger.ts';
export type { LedgerOptions } from './options.ts';
export type { ProcessSample, Sample, ScopeSample } from './sample.ts';
export type { AuditEntry } from './audit-entry.ts';
export { LedgerReader } from './read/ledger-reader.ts';
export type { StoredSample, WindowOptions } from './read/ledger-reader.ts';
export type { AuditFilter, AuditRecord } from './read/audit-list.ts';
export type { Growth, GrowthRow } from './read/growth.ts';
export type { Range, RangePoint, RangeQuery } from './read/range.ts';
export type { Moment, RunRow, Story } from './read/story.ts';
export type { Summary, SummaryBy, SummaryRow } from './read/summary.ts';
export type { ChainCheck, ChainHead } from './sqlite/audit-store.ts';

// dist/ledger.d.ts
import type { AuditEntry } from './audit-entry.ts';
import type { AuditCounts } from './audit-queue.ts';
import type { LedgerOptions } from './options.ts';
import type { SampleCounts } from './sample-queue.ts';
import type { Sample } from './sample.ts';
import type { ChainHead } from './sqlite/audit-store.ts';
import type { LinkState } from './worker/worker-link.ts';
/** How the ledger is doing. */
export interface LedgerHealth {
    readonly state: LinkState;
    readonly samples: SampleCounts;
    readonly audit: AuditCounts;
    /** Times the writer thread was started again. */
    readonly restarts: number;
    /** The newest problem in words, or undefined. */
    readonly lastError: string | undefined;
    /** The newest entry of the audit chain, to be carried away with an alert. */
    readonly head: ChainHead | undefined;
}
/** Opens a ledger for writing. Returns at once and never throws: trouble is a coded warning and shows in `health`. */
export declare function openLedger(options: LedgerOptions): Ledger;
/**
 * The write side of a ledger. Everything slow happens in a worker thread: `sample` and `audit` only queue, nothing keeps
 * the process alive except an audit entry that is on its way to the disk, flush and close, each with a deadline.
 */
export declare class Ledger {
    #private;
    readonly dir: string;
    /** Random number that marks every row of this process's run. */
    readonly run: number;
    /** `workerEntry` replaces the file of the writer thread; for tests that need one that dies. */
    constructor(options: LedgerOptions, workerEntry?: URL);
    /** Queues samples; returns how many were taken. A full queue drops the newest and counts them. */
    sample(rows: Sample | readonly Sample[]): number;
    /** Records a fact. Resolves when it is on disk, in the chain or in the pending journal; rejects with a coded error. */
    audit(entry: AuditEntry): Promise<void>;
    /** Writes everything queued so far. Resolves to false when the deadline passes first. */
    flush(deadlineMs?: number): Promise<boolean>;
    /** Flushes and ends the writer. Resolves to false when something could not be written in time; closing twice is one close. */
    close(deadlineMs?: number): Promise<boolean>;
    get health(): LedgerHealth;
    [Symbol.asyncDispose](): Promise<void>;
}

// dist/audit-entry.d.ts
/** What an audit entry is about. Other words are accepted, so that a rule can record its own kind. */
export type AuditKind = 'start' | 'exit' | 'level' | 'finding' | 'action' | 'approval' | 'policy' | 'fault' | 'ledger';
/** Anything JSON can say. */
export type Json = string | number | boolean | null | readonly Json[] | {
    readonly [key: string]: Json | undefined;
};
export type AuditBody = {
    readonly [key: string]: Json | undefined;
};
/**
 * One fact for the audit. The fields of `body` that `plimsoll ledger summary` reads:
 * start `{ pid, node, command, limit, limitSource, mode, policy }`, exit `{ code, signal, reason }`,
 * level `{ from, to, usedBytes, limit }`, finding `{ id, kind, severity, bytes, message, fix }`,
 * action `{ action, outcome, freedBytes }`, approval `{ id, action, state, by }`, policy `{ file, revision, event }`.
 */
export interface AuditEntry {
    readonly kind: AuditKind | (string & {});
    /** Milliseconds since the epoch; now when left out. */
    readonly at?: number;
    /** Scope path; `process` when left out. */
    readonly scope?: string;
    readonly body?: AuditBody;
}
/** An entry on its way to the file. `run` and `n` name it for ever, so that writing it twice stores it once. */
export interface PendingEntry {
    readonly run: number;
    readonly n: number;
    readonly at: number;
    readonly kind: string;
    readonly scope: string;
    /** Canonical JSON. */
    readonly body: string;
}
/** A stored entry with its place in the chain. */
export interface AuditRow extends PendingEntry {
    readonly seq: number;
    /** sha256 of the row before it and this row, lower-case hex. */
    readonly hash: string;
}
/** What the first row of a chain follows. */
export declare const genesis: string;
/** JSON with sorted keys and without undefined fields: the same value gives the same text in every process. */
export declare function canonicalJson(value: unknown): string;
/** sha256 over the previous hash and every stored field of the row. */
export declare function chainHash(previous: string, row: Omit<AuditRow, 'hash'>): string;

// dist/audit-queue.d.ts
import type { AuditEntry } from './audit-entry.ts';
import type { Settings } from './options.ts';
import type { ChainHead } from './sqlite/audit-store.ts';
import type { RunInfo } from './sqlite/samples-store.ts';
import type { Request } from './worker/protocol.ts';
/** Counters of audit entries since the ledger was opened. */
export interface AuditCounts {
    readonly taken: number;
    /** In the chain. */
    readonly written: number;
    /** In the pending journal: durable, in the chain later. */
    readonly spilled: number;
    /** In memory, not durable yet. */
    readonly queued: number;
    /** Refused with a rejected promise. */
    readonly refused: number;
}
interface AuditQueueOptions {
    readonly settings: Settings;
    readonly run: RunInfo;
    /** Returns false when there is no writer to post to. */
    readonly post: (request: Request) => boolean;
    /** Told after anything became durable or was refused. */
    readonly changed: () => void;
}
/**
 * Audit entries on their way to the chain. One delivery is under way at a time and the next takes everything that
 * gathered meanwhile, so that a burst shares one disk flush. What cannot be delivered goes to the pending journal; what
 * cannot go there either stays in memory up to a bound, and beyond it is refused aloud.
 */
export declare class AuditQueue {
    #private;
    head: ChainHead | undefined;
    constructor(options: AuditQueueOptions);
    add(entry: AuditEntry, writerIsDown: boolean): Promise<void>;
    refuseClosed(kind: string): Promise<void>;
    /** Delivers what is waiting, unless a delivery is under way. */
    send(): void;
    /** The writer has stored a delivery. */
    confirm(delivery: number, head: ChainHead): void;
    /** The writer is gone or refused the delivery: what it has not confirmed goes to the journal. */
    undelivered(reason: string): void;
    /** Asks the writer to take the journal into the chain. */
    bringHome(): void;
    /** Number of the newest entry; `durable(n)` tells when it and all before it are on disk. */
    get target(): number;
    durable(n: number): boolean;
    /** True while a caller may be waiting for its promise. */
    get promised(): boolean;
    /** What a process that exits now leaves behind: posts it if it can and returns the delivery to wait for. */
    lastCall(): number;
    /** Writes what no one has confirmed to the journal on this thread. */
    saveNow(confirmedDelivery: number): void;
    counts(): AuditCounts;
    close(): void;
}
export {};

// dist/options.d.ts
/** How long each resolution is kept. Milliseconds. */
export interface Retention {
    /** Every sample. Default 7 days. */
    readonly rawMs: number;
    /** One row per scope and minute. Default 90 days. */
    readonly minuteMs: number;
    /** One row per scope and hour. Default 2 years. */
    readonly hourMs: number;
    /** Audit entries. Default 2 years. */
    readonly auditMs: number;
}
export interface LedgerOptions {
    /** Folder of the ledger; created 0700 when missing. */
    readonly dir: string;
    /** How often queued samples are written. Milliseconds, default 1000, at least 10. */
    readonly batchMs?: number;
    /** Samples that may wait for the writer; later ones are dropped and counted. Default 20,000, 1 to 1,000,000. */
    readonly queueRows?: number;
    /** Audit entries that may wait in memory; later ones go to the pending journal on disk. Default 1,000, 1 to 100,000. */
    readonly queueAudits?: number;
    /** Longest body of one audit entry in characters of JSON. Default 65,536. */
    readonly maxBodyChars?: number;
    /** An audit entry not confirmed by the writer in this time goes to the pending journal. Milliseconds, default 5000. */
    readonly auditDeadlineMs?: number;
    readonly retention?: Partial<Retention>;
    /** Cap of the whole ledger on disk. Bytes, default 1 GiB, at least 1 MiB. */
    readonly maxBytes?: number;
    /** Roll-up, retention and size cap run this often. Milliseconds, default 15,000. */
    readonly upkeepMs?: number;
    /** How long process.exit may be held for the last rows. Milliseconds, default 250, at most 2000. */
    readonly exitWaitMs?: number;
}
/** The options with every default filled in; plain data, sent to the worker as it is. */
export interface Settings {
    readonly dir: string;
    readonly batchMs: number;
    readonly queueRows: number;
    readonly queueAudits: number;
    readonly maxBodyChars: number;
    readonly auditDeadlineMs: number;
    readonly retention: Retention;
    readonly maxBytes: number;
    readonly upkeepMs: number;
    readonly exitWaitMs: number;
}
export declare const defaultRetention: Retention;
/** Fills in defaults and pulls every number into its bounds, so that no option can make the ledger unbounded. */
export declare function settle(options: LedgerOptions): Settings;

// dist/sqlite/audit-store.d.ts
import type { PendingEntry } from '../audit-entry.ts';
import type { Database } from './database.ts';
export declare const auditVersion = 1;
/** The newest entry: what an alert carries away so that a cut-off tail can be noticed. */
export interface ChainHead {
    readonly seq: number;
    readonly hash: string;
}
/** The write side of audit.db: appends entries to the hash chain. */
export declare class AuditStore {
    #private;
    constructor(db: Database);
    /**
     * Appends the entries in one transaction and returns the new head. The head is read inside the transaction, so that
     * several processes extend one chain; an entry that is already stored (a replay) is left as it is.
     */
    append(entries: readonly PendingEntry[]): ChainHead;
    /**
     * Removes the oldest entries up to and including `seq`, and says so in the chain itself: the new first row follows
     * the anchor, and a `ledger` entry records what went.
     */
    prune(seq: number, entry: Omit<PendingEntry, 'body'>): number;
}
/** The newest row, or the anchor of an empty chain. */
export declare function chainHead(db: Database): ChainHead;
/** Whether the chain is whole, and where it breaks when it is not. */
export interface ChainCheck {
    readonly ok: boolean;
    readonly rows: number;
    readonly head: ChainHead;
    /** Entries up to this one were removed by retention; 0 when none were. */
    readonly prunedUpTo: number;
    /** The first row that does not fit, and why. */
    readonly broken?: {
        readonly seq: number;
        readonly why: 'edited' | 'missing';
    };
}
/** Walks the chain from its anchor and recomputes every hash. */
export declare function checkChain(db: Database): ChainCheck;

// dist/sqlite/database.d.ts
import type { SQLInputValue, SQLOutputValue, StatementSync } from 'node:sqlite';
export type Row = Record<string, SQLOutputValue>;
export type { SQLInputValue, StatementSync };
export interface DatabaseOptions {
    readonly readOnly?: boolean;
    /** FULL waits for the disk at each commit; NORMAL may lose the newest commits when the power fails. */
    readonly synchronous?: 'NORMAL' | 'FULL';
    /** Hard cap of the file. Pages of 4 KiB. */
    readonly maxPages?: number;
    /** Pages after which the write-ahead log is checkpointed. Default 1000. */
    readonly walPages?: number;
    /** How long a statement waits for another process's transaction. Milliseconds. */
    readonly busyMs?: number;
}
/** Why SQLite refused, as far as it changes what to do next. */
export type Refusal = 'busy' | 'full' | 'corrupt' | 'unwritable' | 'other';
/** One SQLite file, and the only place that knows node:sqlite: its class is announced to be renamed (DEP0210). */
export declare class Database {
    #private;
    readonly path: string;
    constructor(path: string, options?: DatabaseOptions);
    exec(sql: string): void;
    /** The statement of a constant text, prepared once. */
    prepare(sql: string): StatementSync;
    run(sql: string, ...values: SQLInputValue[]): number;
    all<T = Row>(sql: string, ...values: SQLInputValue[]): T[];
    get(sql: string, ...values: SQLInputValue[]): Row | undefined;
    /** A number, for statements that give one row of one column. */
    number(sql: string, ...values: SQLInputValue[]): number;
    /** Runs the body in one write transaction; everything or nothing. */
    transaction<T>(body: () => T): T;
    /** Bytes of the pages in use, without those that wait for reuse. */
    liveBytes(): number;
    /** Gives up to so many free pages back to the file system. */
    shrink(pages: number): void;
    close(): void;
}
/** Sorts an error of node:sqlite or of the file system by what it asks for. */
export declare function refusal(error: unknown): Refusal;

// dist/sqlite/samples-store.d.ts
import type { PackedBatch } from '../sample-batch.ts';
import type { Database } from './database.ts';
export declare const samplesVersion = 1;
export interface RunInfo {
    readonly id: number;
    readonly pid: number;
    readonly host: string;
    readonly started: number;
}
/** The write side of samples.db for one run. */
export declare class SamplesStore {
    #private;
    constructor(db: Database, run: RunInfo);
    /** Stores a batch in one transaction, or nothing when this batch is already in the file. Returns the rows written. */
    write(batch: PackedBatch): number;
    /** Forgets remembered series ids after retention has removed series. */
    forget(): void;
}
/** Kind and name of the last step of a scope path: `process/agent:planner` is kind `agent`, name `planner`. */
export declare function kindAndName(path: string): {
    kind: string;
    name: string;
};

// dist/sample-batch.d.ts
import type { Sample } from './sample.ts';
/** Numbers per packed row: scope index and time and bytes, then the parts of a process sample. */
export declare const scopeWidth = 3;
export declare const processWidth = 11;
/** Packed samples as they cross to the worker: two flat arrays and the scope paths they point into. */
export interface PackedBatch {
    /** Number of the batch within its run; a batch sent again after a crash is stored once. */
    readonly number: number;
    readonly paths: readonly string[];
    readonly scopes: Float64Array;
    readonly processes: Float64Array;
}
/**
 * A bounded buffer of samples, packed as they arrive: a waiting sample costs 24 or 88 bytes and no object, so that a
 * full queue is small and handing it to the worker is one memory copy. NaN stands for "not measured".
 */
export declare class SampleBatch {
    #private;
    constructor(capacity: number);
    get rows(): number;
    /** False when the buffer is full. */
    add(sample: Sample): boolean;
    pack(number: number): PackedBatch;
}
/** True when the sample can be stored: a time, a path and a number of bytes. */
export declare function storable(sample: Sample): boolean;

// dist/sample.d.ts
/** Names of the levels by their stored number. */
export declare const levelNames: readonly ['normal', 'warning', 'critical', 'emergency'];
export type LevelName = (typeof levelNames)[number];
/** One stored reading of the process: what counts against the limit, and its parts. Bytes unless the name says otherwise. */
export interface ProcessSample {
    /** Milliseconds since the epoch. */
    readonly at: number;
    /** Scope path, usually `process`. */
    readonly scope: string;
    readonly usedBytes: number;
    readonly limit: number;
    readonly floor?: number | undefined;
    readonly heapUsed: number;
    readonly external: number;
    readonly arrayBuffers: number;
    readonly rss: number;
    readonly loopDelayMs: number;
    readonly level?: LevelName | undefined;
}
/** What one scope held at one moment. */
export interface ScopeSample {
    readonly at: number;
    readonly scope: string;
    readonly bytes: number;
}
export type Sample = ProcessSample | ScopeSample;

// dist/worker/protocol.d.ts
import type { PendingEntry } from '../audit-entry.ts';
import type { Settings } from '../options.ts';
import type { PackedBatch } from '../sample-batch.ts';
import type { ChainHead } from '../sqlite/audit-store.ts';
import type { Refusal } from '../sqlite/database.ts';
import type { RunInfo } from '../sqlite/samples-store.ts';
/** What the worker is started with. `confirmed` is shared memory: [last sample batch, last audit delivery] on disk. */
export interface WriterStart {
    readonly settings: Settings;
    readonly run: RunInfo;
    /** Runs of this process that were open when the worker started. */
    readonly openRuns: readonly number[];
    readonly confirmed: Int32Array<SharedArrayBuffer>;
}
export type Request = {
    readonly type: 'samples';
    readonly batch: PackedBatch;
} | {
    readonly type: 'audit';
    readonly delivery: number;
    readonly entries: readonly PendingEntry[];
} | {
    readonly type: 'replay';
} | {
    readonly type: 'close';
};
/** A file of the ledger that was damaged and has been moved. */
export interface SetAside {
    readonly file: string;
    readonly movedTo: string;
}
export type Reply = {
    readonly type: 'ready';
    readonly head: ChainHead;
    readonly setAside: readonly SetAside[];
    readonly replayed: number;
} | {
    readonly type: 'samples';
    readonly number: number;
    readonly rows: number;
    readonly setAside: readonly SetAside[];
} | {
    readonly type: 'audit';
    readonly delivery: number;
    readonly head: ChainHead;
    readonly setAside: readonly SetAside[];
} | {
    readonly type: 'replayed';
    readonly replayed: number;
} | {
    readonly type: 'closed';
} | {
    readonly type: 'failed';
    readonly what: 'open' | 'samples' | 'audit' | 'replay' | 'upkeep';
    readonly refusal: Refusal;
    readonly message: string;
};

// dist/sample-queue.d.ts
import type { Settings } from './options.ts';
import type { Sample } from './sample.ts';
import type { Request } from './worker/protocol.ts';
/** Counters of samples since the ledger was opened; taken = written + queued + dropped, exactly. */
export interface SampleCounts {
    readonly taken: number;
    readonly written: number;
    readonly queued: number;
    /** Not stored because the queue was full, or the ledger was closed before they could be written. */
    readonly dropped: number;
    /** Not stored because a time, a path or a number was missing. */
    readonly malformed: number;
}
/** Samples on their way to the writer: one bounded batch that fills, and at most one that waits for its confirmation. */
export declare class SampleQueue {
    #private;
    /** `post` returns false when there is no writer to post to; `confirmed` is told after each stored batch. */
    constructor(settings: Settings, post: (request: Request) => boolean, confirmed: () => void);
    add(sample: Sample): boolean;
    /** Number of the batch that will hold everything added so far; `stored(number)` tells when it is on disk. */
    get target(): number;
    stored(number: number): boolean;
    /** Sends what is waiting now instead of at the next tick. */
    send(): void;
    /** The writer has stored a batch. */
    confirm(number: number): void;
    /** The writer could not store the batch: it is kept and sent again after a growing pause. */
    refused(): void;
    /** A new writer is ready: what the old one did not confirm is sent again; the file knows the batch by its number. */
    resume(): void;
    counts(): SampleCounts;
    /** Ends the queue; what is still waiting counts as dropped. */
    close(): void;
}

// dist/worker/worker-link.d.ts
import type { Reply, Request, WriterStart } from './protocol.ts';
export type LinkState = 'starting' | 'ready' | 'down' | 'closed';
export interface LinkEvents {
    /** Every reply of the worker. */
    reply(reply: Reply): void;
    /** The thread is gone, or could not open the files; it will be started again after a pause. */
    down(reason: string): void;
}
/**
 * The main thread's end of the writer thread: starts it, starts it again with growing pauses when it dies, and never
 * keeps the process alive unless asked to hold.
 */
export declare class WorkerLink {
    #private;
    state: LinkState;
    restarts: number;
    constructor(start: WriterStart, events: LinkEvents, entry?: URL);
    post(request: Request): void;
    /** While held, the thread counts as work of the process. */
    hold(on: boolean): void;
    /** Ends the thread for good; resolves when it is gone. */
    end(): Promise<void>;
    /** Resolves when the thread has ended by itself, as it does after a close request. */
    ended(): Promise<void>;
}

// dist/read/ledger-reader.d.ts
import type { ChainCheck } from '../sqlite/audit-store.ts';
import type { AuditFilter, AuditRecord } from './audit-list.ts';
import type { Growth } from './growth.ts';
import type { Range, RangeQuery } from './range.ts';
import type { RunRow, Story } from './story.ts';
import type { Summary, SummaryBy } from './summary.ts';
/** Which samples; everything left out means all. */
export interface WindowOptions {
    readonly since?: number | undefined;
    readonly until?: number | undefined;
    readonly run?: number | undefined;
    readonly scope?: string | undefined;
}
/** One sample as it was stored, for export. */
export interface StoredSample {
    readonly at: number;
    readonly run: number;
    readonly scope: string;
    readonly bytes: number;
    readonly limit: number | null;
    readonly floor: number | null;
    readonly heapUsed: number | null;
    readonly external: number | null;
    readonly arrayBuffers: number | null;
    readonly rss: number | null;
    readonly loopDelayMs: number | null;
    readonly level: number | null;
}
/**
 * The read side of a ledger: both files opened read-only, also while another process writes them and also when only one
 * of them exists. Queries run on the calling thread.
 */
export declare class LedgerReader {
    #private;
    readonly dir: string;
    /** Throws PLM_LEDGER_NOT_FOUND or PLM_LEDGER_UNREADABLE. */
    constructor(dir: string);
    /** Processes that wrote this ledger, newest first. */
    runs(): RunRow[];
    /** One run from start to end; the newest when none is named. */
    story(run?: number): Story | undefined;
    /** Count, minimum, average, p95, maximum, last and first seen per kind, service or scope. `limit` rows, default 50. */
    summary(options?: WindowOptions & {
        by?: SummaryBy;
        limit?: number;
    }): Summary;
    /** Bytes per hour of every scope in the window. */
    growth(options?: WindowOptions): Growth;
    /** A chart of one scope: about `points` points, from raw samples, minutes or hours, whichever fits the span. */
    range(query: RangeQuery): Range;
    /** Every raw sample of the window in the order they were written. */
    samples(options?: WindowOptions): IterableIterator<StoredSample>;
    /** Audit entries, oldest first. */
    audit(filter?: AuditFilter): AuditRecord[];
    /** Recomputes the hash chain; undefined when there is no audit.db. */
    verifyChain(): ChainCheck | undefined;
    close(): void;
    [Symbol.dispose](): void;
}

// dist/read/audit-list.d.ts
import type { AuditRow } from '../audit-entry.ts';
import type { Database } from '../sqlite/database.ts';
/** Which entries of the audit to read; everything left out matches all. */
export interface AuditFilter {
    readonly kinds?: readonly string[] | undefined;
    /** This scope path and everything below it. */
    readonly scope?: string | undefined;
    readonly run?: number | undefined;
    readonly since?: number | undefined;
    readonly until?: number | undefined;
    /** Only entries after this number, and then the oldest of them first up to the limit. */
    readonly after?: number | undefined;
    /** At most so many; the newest without `after`. Default 10,000. */
    readonly limit?: number | undefined;
}
/** An entry with its body read back. */
export interface AuditRecord extends Omit<AuditRow, 'body'> {
    readonly body: Readonly<Record<string, unknown>>;
}
/** The entries that match, oldest first. */
export declare function listAudit(db: Database, filter: AuditFilter): AuditRecord[];

// dist/read/growth.d.ts
import type { Database } from '../sqlite/database.ts';
import type { Resolution, Window } from './window.ts';
/** How one scope of one run grew: the least-squares line through its samples in the window. */
export interface GrowthRow {
    readonly scope: string;
    readonly run: number;
    /** What the line was laid through: live bytes after a major GC where they were recorded, else what the scope held. */
    readonly of: 'floor' | 'bytes';
    readonly points: number;
    readonly from: number;
    readonly to: number;
    readonly bytesPerHour: number;
    /** Standard error of `bytesPerHour`; it assumes independent points, so it is too small for slow waves. */
    readonly errorPerHour: number;
    /** Share of the movement that the line explains, 0 to 1. */
    readonly r2: number;
    readonly startBytes: number;
    readonly endBytes: number;
}
export interface Growth {
    readonly since: number;
    readonly until: number;
    readonly resolution: Resolution;
    /** Fastest growth first. */
    readonly rows: readonly GrowthRow[];
    /** Scopes with too few samples for a line. */
    readonly tooShort: number;
}
/** Lays a line through every scope of the window, weighted by samples. Hours on x, bytes above the lowest on y: small numbers keep the sums exact. */
export declare function measureGrowth(db: Database, window: Window): Growth;

// dist/read/window.d.ts
import type { Database, SQLInputValue } from '../sqlite/database.ts';
/** Which rows answer a question: every sample, or one row per minute or hour. */
export type Resolution = 'raw' | 'minute' | 'hour';
/** Which samples a question is about. Times are milliseconds since the epoch; the end is not included. */
export interface Window {
    readonly since: number;
    readonly until: number;
    /** One run only. */
    readonly run?: number | undefined;
    /** One scope path only. */
    readonly scope?: string | undefined;
}
/** The values for `rowsAt`. */
export declare function windowValues(window: Window): SQLInputValue[];
/**
 * Rows `(series, at, n, low, high, total, floor, rss, loop_us, level, limit_bytes)` of one resolution as a FROM item. A
 * roll-up lags behind by the rows that were not merged yet; those are added from raw, so that every resolution sees
 * every sample. The text depends only on the kind of question, so that its statement is prepared once.
 */
export declare function rowsAt(resolution: Resolution, window: Window, details?: boolean): string;
/** The wanted resolution, or the next coarser one that still reaches back to the start: raw rows live for days, minutes for months. */
export declare function reaching(db: Database, wanted: Resolution, window: Window): Resolution;

// dist/read/range.d.ts
import type { LevelName } from '../sample.ts';
import type { Database } from '../sqlite/database.ts';
import type { Resolution } from './window.ts';
/** A question about one scope over time. */
export interface RangeQuery {
    readonly scope: string;
    readonly since: number;
    readonly until: number;
    readonly run?: number | undefined;
    /** About how many points are wanted. Default 300, 1 to 10,000. */
    readonly points?: number;
}
/** One point of a chart: what the scope held in `[at, at + stepMs)`. The optional parts exist for process samples. */
export interface RangePoint {
    readonly at: number;
    readonly samples: number;
    readonly minBytes: number;
    readonly avgBytes: number;
    readonly maxBytes: number;
    readonly floor?: number;
    readonly rss?: number;
    readonly loopDelayMs?: number;
    readonly level?: LevelName;
    readonly limit?: number;
}
export interface Range {
    readonly resolution: Resolution;
    readonly stepMs: number;
    readonly points: readonly RangePoint[];
}
/** Reads a range from the coarsest table whose rows are no longer than one wanted point. */
export declare function readRange(db: Database, query: RangeQuery): Range;

// dist/read/story.d.ts
import type { LevelName } from '../sample.ts';
import type { Database } from '../sqlite/database.ts';
import type { AuditRecord } from './audit-list.ts';
/** One process that wrote this ledger. */
export interface RunRow {
    readonly run: number;
    readonly pid: number | undefined;
    readonly host: string | undefined;
    readonly started: number;
}
/** The state of the process at one sample. */
export interface Moment {
    readonly at: number;
    readonly usedBytes: number;
    readonly limit: number | undefined;
    readonly floor: number | undefined;
    readonly rss: number | undefined;
    readonly level: LevelName | undefined;
}
/** What happened in one run, from its start to its end, in the order it happened. */
export interface Story extends RunRow {
    /** `died` means it wrote no exit and is not running: killed, crashed or out of memory. */
    readonly state: 'running' | 'ended' | 'died';
    readonly lastSeen: number;
    readonly start: AuditRecord | undefined;
    readonly exit: AuditRecord | undefined;
    readonly first: Moment | undefined;
    readonly peak: Moment | undefined;
    readonly last: Moment | undefined;
    readonly levels: readonly AuditRecord[];
    readonly findings: readonly AuditRecord[];
    readonly actions: readonly AuditRecord[];
    /** Policies, approvals, faults and everything else. */
    readonly others: readonly AuditRecord[];
    readonly samples: number;
    readonly scopes: number;
}
/** Runs that left samples or a start entry, newest first. */
export declare function listRuns(samples: Database | undefined, audit: Database | undefined): RunRow[];
/** Tells one run. */
export declare function tellRun(row: RunRow, samples: Database | undefined, audit: Database | undefined): Story;

// dist/read/summary.d.ts
import type { Database } from '../sqlite/database.ts';
import type { Resolution, Window } from './window.ts';
/** What one row of a summary stands for: every scope of a kind, every scope of a kind and name (a kind with very many names is one row), or one path. */
export type SummaryBy = 'kind' | 'service' | 'scope';
export interface SummaryRow {
    /** `session`, `agent:planner` or a whole path. */
    readonly key: string;
    /** Scopes (paths in runs) behind the row. */
    readonly scopes: number;
    readonly samples: number;
    readonly minBytes: number;
    readonly avgBytes: number;
    readonly maxBytes: number;
    readonly p95Bytes: number;
    readonly lastBytes: number;
    readonly firstSeen: number;
    readonly lastSeen: number;
}
export interface Summary {
    readonly since: number;
    readonly until: number;
    /** Where p95 comes from: exact from raw; from roll-ups it is the p95 of the highest value of each minute or hour. */
    readonly resolution: Resolution;
    /** Highest maximum first. */
    readonly rows: readonly SummaryRow[];
    /** Rows beyond the limit. */
    readonly more: number;
}
/** Summarises the samples of a window, one row per kind, service or scope. */
export declare function summarize(db: Database, window: Window, by: SummaryBy, limit: number): Summary;

// entry @plimsoll/ledger/write