// entry @plimsoll/core
// dist/index.d.ts
export { PlimsollError, isPlimsollError } from './errors.ts';
export { formatByteSize, formatUsedOfLimit, parseByteSize } from './units/byte-size.ts';
export { formatDuration, parseDuration } from './units/duration.ts';
export { currentScope, open, processScope, roster } from './scope/index.ts';
export type { CloseReport, OpenOptions, Roster, Scope, ScopeFault } from './scope/index.ts';

// dist/errors.d.ts
import type { ErrorEntry } from './errors/entry.ts';
/** Every error and warning code of Plimsoll, one area per file under `errors/`. */
export declare const catalogue: {
    PLM_CLI_NO_COMMAND: ErrorEntry<{
        verb: string;
    }>;
    PLM_CLI_CANNOT_START: ErrorEntry<{
        command: string;
        reason: string;
    }>;
    PLM_CLI_NO_PROCESS: ErrorEntry<{
        dir: string;
        pid: number | null;
    }>;
    PLM_CLI_PORT_TAKEN: ErrorEntry<{
        port: number;
        reason: string;
    }>;
    PLM_CLI_BAD_OPTION: ErrorEntry<{
        option: string;
        value: string;
        accepted: string;
    }>;
    PLM_CLI_CANNOT_WRITE: ErrorEntry<{
        file: string;
        reason: string;
    }>;
    PLM_ATTACH_NO_PROCESS: ErrorEntry<{
        pid: number;
    }>;
    PLM_ATTACH_NOT_NODE: ErrorEntry<{
        pid: number;
        program: string;
    }>;
    PLM_ATTACH_OTHER_USER: ErrorEntry<{
        pid: number;
        owner: number;
        uid: number;
    }>;
    PLM_ATTACH_NOT_LOCAL: ErrorEntry<{
        address: string;
    }>;
    PLM_ATTACH_SIGNAL_OFF: ErrorEntry<{
        pid: number;
    }>;
    PLM_ATTACH_PORT_TAKEN: ErrorEntry<{
        pid: number;
        port: number;
    }>;
    PLM_ATTACH_NO_INSPECTOR: ErrorEntry<{
        pid: number;
    }>;
    PLM_ATTACH_LOST: ErrorEntry<{
        address: string;
    }>;
    PLM_ATTACH_PLATFORM: ErrorEntry<{
        platform: string;
    }>;
    PLM_ATTACH_REFUSED: ErrorEntry<{
        pid: number;
        reason: string;
    }>;
    PLM_GOVERN_LISTENER: ErrorEntry<{
        reason: string;
    }>;
    PLM_GOVERN_ACTION: ErrorEntry<{
        action: string;
        scope: string;
        reason: string;
    }>;
    PLM_GOVERN_STALE: ErrorEntry<{
        ms: number;
    }>;
    PLM_GOVERN_CROWDED: ErrorEntry<{
        max: number;
    }>;
    PLM_GOVERN_SCOPE_BYTES: ErrorEntry<{
        scope: string;
        reason: string;
    }>;
    PLM_KEEP_UNBOUNDED: ErrorEntry<{
        keeper: string;
        options: readonly string[];
    }>;
    PLM_KEEP_BAD_OPTION: ErrorEntry<{
        keeper: string;
        option: string;
        value: string;
        accepted: string;
    }>;
    PLM_KEEP_BAD_KEY: ErrorEntry<{
        keeper: string;
        value: string;
    }>;
    PLM_KEEP_CLOSED: ErrorEntry<{
        keeper: string;
        verb: string;
    }>;
    PLM_KEEP_NOT_FOUND: ErrorEntry<{
        keeper: string;
        id: string;
    }>;
    PLM_KEEP_OPEN_CANCELLED: ErrorEntry<{
        keeper: string;
        id: string;
        reason: string;
    }>;
    PLM_KEEP_LEASE_ENDED: ErrorEntry<{
        id: string;
        ended: 'released' | 'revoked';
    }>;
    PLM_KEEP_DISPOSE_FAILED: ErrorEntry<{
        keeper: string;
        id: string;
        attempts: number;
        last: string;
    }>;
    PLM_KEEP_HOOK_TIMEOUT: ErrorEntry<{
        keeper: string;
        hook: string;
        id: string;
        ms: number;
    }>;
    PLM_KEEP_PARK_FAILED: ErrorEntry<{
        id: string;
        lot: string;
        why: string;
    }>;
    PLM_KEEP_PARK_TOO_LARGE: ErrorEntry<{
        id: string;
        bytes: number;
        maxBytes: number;
        lot: string;
    }>;
    PLM_KEEP_PARKED_CORRUPT: ErrorEntry<{
        id: string;
        lot: string;
        why: string;
    }>;
    PLM_REPLAY_LAGGED: ErrorEntry<{
        buffer: string;
        reader: string;
        why: string;
    }>;
    PLM_REPLAY_BLOCKED: ErrorEntry<{
        buffer: string;
        bytes: number;
        maxBytes: number;
        readers: readonly string[];
    }>;
    PLM_REPLAY_SPILL_FAILED: ErrorEntry<{
        keeper: string;
        chunks: number;
        why: string;
    }>;
    PLM_REPLAY_UNREADABLE: ErrorEntry<{
        keeper: string;
        why: string;
    }>;
    PLM_REPLAY_CANCELLED: ErrorEntry<{
        buffer: string;
        reason: string;
    }>;
    PLM_REPLAY_RELEASED: ErrorEntry<{
        buffer: string;
        chunks: number;
        afterMs: number;
    }>;
    PLM_REPLAY_ENDED: ErrorEntry<{
        buffer: string;
        state: string;
    }>;
    PLM_DELEGATION_DENIED: ErrorEntry<{
        breaker: string;
        path: readonly string[];
        limit: string;
        why: string;
    }>;
    PLM_DELEGATION_CANCELLED: ErrorEntry<{
        breaker: string;
        path: readonly string[];
        reason: string;
    }>;
    PLM_POOL_EXHAUSTED: ErrorEntry<{
        pool: string;
        max: number;
    }>;
    PLM_POOL_STALE: ErrorEntry<{
        pool: string;
    }>;
    PLM_BAG_FULL: ErrorEntry<{
        bag: string;
        key: string;
        bytes: number;
        held: number;
        maxBytes: number;
        why: string;
    }>;
    PLM_BAG_BAD_READ: ErrorEntry<{
        bag: string;
        key: string;
        why: string;
    }>;
    PLM_METER_RULES_DIFFER: ErrorEntry<{
        node: string;
        lo: number;
        hi: number;
    }>;
    PLM_POLICY_UNREADABLE: ErrorEntry<{
        file: string;
        reason: string;
    }>;
    PLM_POLICY_TOO_BIG: ErrorEntry<{
        file: string;
        bytes: number;
        maxBytes: number;
    }>;
    PLM_POLICY_SYNTAX: ErrorEntry<{
        place: string;
        what: string;
        fix: string;
    }>;
    PLM_POLICY_ALIAS: ErrorEntry<{
        place: string;
        alias: string;
        fault: 'nested' | 'many' | 'unknown';
        maxAliases: number;
    }>;
    PLM_POLICY_BAD_KEY: ErrorEntry<{
        place: string;
    }>;
    PLM_POLICY_DUPLICATE_KEY: ErrorEntry<{
        place: string;
        key: string;
        line: number;
    }>;
    PLM_POLICY_UNKNOWN_KEY: ErrorEntry<import("./errors/policy.ts").At & {
        key: string;
        noun: string;
        keys: readonly string[];
        suggestion?: string;
    }>;
    PLM_POLICY_MISSING_KEY: ErrorEntry<import("./errors/policy.ts").At & {
        key: string;
        noun: string;
        example: string;
    }>;
    PLM_POLICY_WRONG_KIND: ErrorEntry<import("./errors/policy.ts").At & {
        found: string;
        accepted: string;
        fix: string;
    }>;
    PLM_POLICY_NO_UNIT: ErrorEntry<import("./errors/policy.ts").At & {
        value: string;
        unit: 'size' | 'duration' | 'percent';
    }>;
    PLM_POLICY_BAD_VALUE: ErrorEntry<import("./errors/policy.ts").At & {
        value: string;
        accepted: string;
        example: string;
        suggestion?: string;
    }>;
    PLM_POLICY_UNKNOWN_ACTION: ErrorEntry<import("./errors/policy.ts").At & {
        action: string;
        actions: readonly string[];
        suggestion?: string;
    }>;
    PLM_POLICY_LEVEL_GAP: ErrorEntry<import("./errors/policy.ts").At & {
        level: string;
        enter: string;
        exit: string;
    }>;
    PLM_POLICY_LEVEL_ORDER: ErrorEntry<import("./errors/policy.ts").At & {
        key: string;
        lower: string;
        lowerAt: string;
        upper: string;
        upperAt: string;
    }>;
    PLM_POLICY_ORDER: ErrorEntry<import("./errors/policy.ts").At & {
        message: string;
        fix: string;
    }>;
    PLM_POLICY_ABOVE_PARENT: ErrorEntry<import("./errors/policy.ts").At & {
        child: string;
        max: string;
        parent: string;
        parentMax: string;
    }>;
    PLM_POLICY_TIE: ErrorEntry<import("./errors/policy.ts").At & {
        section: string;
        first: string;
        second: string;
        line: number;
    }>;
    PLM_POLICY_SEVERAL: ErrorEntry<{
        file: string;
        count: number;
        list: string;
    }>;
    PLM_POLICY_KEPT_LAST_GOOD: ErrorEntry<{
        file: string;
        revision: number;
        first: string;
    }>;
    PLM_POLICY_BAD_SCOPE_PATH: ErrorEntry<{
        path: string;
        part: string;
    }>;
    PLM_POLICY_EXISTS: ErrorEntry<{
        file: string;
    }>;
    PLM_LEDGER_UNWRITABLE: ErrorEntry<{
        dir: string;
        reason: string;
    }>;
    PLM_LEDGER_CORRUPT: ErrorEntry<{
        file: string;
        movedTo: string;
    }>;
    PLM_LEDGER_WRITER_DIED: ErrorEntry<{
        dir: string;
        reason: string;
    }>;
    PLM_LEDGER_AUDIT_LATE: ErrorEntry<{
        kind: string;
        dir: string;
        afterMs: number;
        reason: string;
    }>;
    PLM_LEDGER_AUDIT_REFUSED: ErrorEntry<{
        kind: string;
        dir: string;
        reason: string;
    }>;
    PLM_LEDGER_NOT_FOUND: ErrorEntry<{
        dir: string;
    }>;
    PLM_LEDGER_UNREADABLE: ErrorEntry<{
        file: string;
        reason: string;
    }>;
    PLM_LEDGER_CHAIN_BROKEN: ErrorEntry<{
        file: string;
        seq: number;
        why: 'edited' | 'missing';
        rows: number;
    }>;
    PLM_SCOPE_BAD_NAME: ErrorEntry<{
        part: 'kind' | 'name';
        value: string;
        used: string;
    }>;
    PLM_SCOPE_BAD_OPTION: ErrorEntry<{
        option: string;
        value: string;
        accepted: string;
        kind: string;
    }>;
    PLM_SCOPE_PARENT_CLOSED: ErrorEntry<{
        kind: string;
        attachedTo: string;
    }>;
    PLM_SCOPE_TOO_DEEP: ErrorEntry<{
        kind: string;
        depth: number;
    }>;
    PLM_SCOPE_BAD_BYTES: ErrorEntry<{
        verb: string;
        value: string;
        scope: string;
    }>;
    PLM_SCOPE_OVERCREDIT: ErrorEntry<{
        bytes: number;
        own: number;
        scope: string;
    }>;
    PLM_SCOPE_CHARGED_LATE: ErrorEntry<{
        scope: string;
    }>;
    PLM_SCOPE_METER_FAILED: ErrorEntry<{
        path: string;
        error: string;
    }>;
    PLM_SCOPE_DISPOSE_FAILED: ErrorEntry<{
        path: string;
        label: string;
        error: string;
    }>;
    PLM_SCOPE_DISPOSE_TIMEOUT: ErrorEntry<{
        path: string;
        label: string;
        ms: number;
    }>;
    PLM_SCOPE_NOT_DISPOSABLE: ErrorEntry<{
        value: string;
        scope: string;
    }>;
    PLM_SCOPE_OWNED_LATE: ErrorEntry<{
        path: string;
        label: string;
    }>;
    PLM_SCOPE_NOT_AN_OBJECT: ErrorEntry<{
        verb: string;
        value: string;
        scope: string;
    }>;
    PLM_SCOPE_ABANDONED: ErrorEntry<{
        path: string;
        closed: boolean;
        owned: number;
    }>;
    PLM_SCOPE_CLOSED: ErrorEntry<{
        path: string;
        reason: string;
    }>;
    PLM_SENSE_SENSOR_FAILED: ErrorEntry<{
        cause: string;
    }>;
    PLM_SENSE_BAD_OPTION: ErrorEntry<{
        option: string;
        value: string;
        accepted: string;
    }>;
    PLM_SENSE_SAMPLING_BUSY: ErrorEntry<{
        runningMs: number;
    }>;
};
export type ErrorCode = keyof typeof catalogue;
type Details<Code extends ErrorCode> = (typeof catalogue)[Code] extends ErrorEntry<infer D> ? D : never;
/** An error with a code, a place and a way out; `String(error)` is the three-line form. */
export declare class PlimsollError extends Error {
    readonly code: string;
    readonly where: string;
    readonly fix: string;
    readonly docs: string;
    constructor(code: string, text: {
        message: string;
        where: string;
        fix: string;
    }, options?: {
        cause?: unknown;
    });
    toString(): string;
}
/** Builds the catalogued error; the caller throws or reports it. */
export declare function failure<Code extends ErrorCode>(code: Code, details: Details<Code>, options?: {
    cause?: unknown;
}): PlimsollError;
/** True for our errors, also from another copy of the package. */
export declare function isPlimsollError(value: unknown): value is PlimsollError;
/** Emits a coded process warning once per code and place; the set is bounded because places are. */
export declare function warnOnce<Code extends ErrorCode>(code: Code, details: Details<Code>): void;
export {};

// dist/errors/entry.d.ts
/** The three lines a user reads: what happened, where, and what to do. */
export interface ErrorText {
    readonly message: string;
    readonly where: string;
    readonly fix: string;
}
/** One code of the catalogue: its text as a function of the details, its page section and the example that documents it. */
export interface ErrorEntry<Details> {
    /** One paragraph for docs/errors.md: when this happens and what it means for the process. */
    readonly help: string;
    readonly text: (details: Details) => ErrorText;
    /** Details of a typical case; rendered into docs/errors.md and frozen by a test. */
    readonly example: NoInfer<Details>;
}
/** Infers `Details` from `text` so that a catalogue can be written as one literal. */
export declare function entry<Details>(definition: ErrorEntry<Details>): ErrorEntry<Details>;

// dist/units/byte-size.d.ts
/** Bytes of a size with a unit such as "64MiB"; undefined when the text is no such size. A bare number is no size: its unit would be a guess. */
export declare function parseByteSize(text: string): number | undefined;
/** Bytes as people read them: "512 B", "1.4 KiB", "71.4 MiB". */
export declare function formatByteSize(bytes: number): string;
/** "71.4 MiB of 64.0 MiB (112 %)". */
export declare function formatUsedOfLimit(used: number, limit: number): string;

// dist/units/duration.d.ts
/** Milliseconds of a duration with a unit such as "30s"; undefined when the text is no such duration. */
export declare function parseDuration(text: string): number | undefined;
/** Milliseconds as people read them: "240 ms", "14 s", "2 m 5 s", "3 h 10 m", "2 d 4 h". */
export declare function formatDuration(ms: number): string;

// dist/scope/index.d.ts
export type { AccountLine, Metered } from './account.ts';
export type { CloseReport } from './close-tree.ts';
export type { ScopeFault } from './fault-log.ts';
export type { OpenOptions } from './open.ts';
export type { LingeringScope, Roster } from './roster.ts';
export type { AccountView, Lease, Scope } from './scope.ts';
export type { ScopeState } from './scope-record.ts';
export type { ScopeTotal } from './scope-totals.ts';
export type { Watched } from './watch-list.ts';
/** Opens a scope of a kind (`session`, `agent`, `tool`) under a name, in the current scope unless told otherwise. */
export declare const open: typeof import("./open.ts").open;
/** The scope that the running code belongs to; the process scope when it belongs to none. */
export declare const currentScope: typeof import("./open.ts").currentScope;
/** The root of all scopes of this thread. */
export declare const processScope: () => import("./scope.ts").Scope;
/** Every open scope of the thread and what remains of the closed ones. */
export declare const roster: import("./roster.ts").Roster;

// dist/scope/account.d.ts
import type { Scope } from './scope.ts';
/** A live number of bytes: a Meter, a keeper, or any object with such a property. */
export interface Metered {
    readonly bytes: number;
}
/** Where an account reports what it had to refuse; the scope behind it names itself only when something went wrong. */
export interface AccountOwner {
    readonly kind: string;
    meterFailed(cause: unknown): void;
}
/** Re-reads every charged meter of the process; a sampler calls it before it reads accounts. */
export declare function settleMeters(): void;
/** What one line or meter adds to an account. */
interface Entry {
    readonly label: string;
    bytes: number;
    line: WeakRef<AccountLine> | undefined;
}
/** One entry of an account whose holder says what it holds now: `line.set(bytes)` costs one delta up the tree. */
export declare class AccountLine {
    #private;
    readonly label: string;
    constructor(entry: Entry, account: Account, scope: Scope);
    /** The scope that is charged; whoever holds a line keeps its scope from counting as abandoned. */
    get scope(): Scope | undefined;
    get bytes(): number;
    /** Says what the holder holds now; the difference is charged or credited. Does nothing once the scope has closed. */
    set(bytes: number): void;
    /** Credits what is left and ends the line. */
    close(): void;
    [Symbol.dispose](): void;
    /** Lets go of the account and the scope; the account calls it when the scope closes. */
    ended(): void;
}
/** What a scope holds now, its peak and what it ever was charged, rolled up to its ancestors at each change. */
export declare class Account {
    #private;
    constructor(up: Account | undefined, owner: AccountOwner);
    /** Bytes of this scope alone. */
    get own(): number;
    /** Bytes of this scope and its descendants; meters of descendants count as last read. */
    get held(): number;
    /** Highest `held` so far. */
    get peak(): number;
    /** Bytes ever charged here and below; credits do not lower it. */
    get charged(): number;
    get closed(): boolean;
    charge(bytes: number): void;
    credit(bytes: number): void;
    /** Charges a live number; charging it again re-reads it. */
    meter(meter: Metered): void;
    /** Takes a charged meter off the account; unknown meters are ignored. */
    unmeter(meter: Metered): void;
    line(label: string, scope: Scope): AccountLine;
    /** What the lines of this scope say now; meters appear as `meter`. */
    lines(): {
        readonly label: string;
        readonly bytes: number;
    }[];
    /** Re-reads the meters charged here. */
    settle(): void;
    set(entry: Entry, bytes: number, verb: string): void;
    drop(entry: Entry): void;
    /** Adds a checked difference here and to every ancestor. */
    move(difference: number): void;
    /** Whole bytes of a valid count, or -1 after saying why it is none. */
    wholeBytes(bytes: number, verb: string): number;
    /** Takes what is left off the ancestors and lets go of everything but the final figures. */
    close(): number;
}
export {};

// dist/scope/scope.d.ts
import type { AccountLine, Metered } from './account.ts';
import type { CloseReport } from './close-tree.ts';
import type { Ownable } from './disposal.ts';
import { Handle } from './handle.ts';
import type { ScopeRecord, ScopeState } from './scope-record.ts';
/** What a scope holds, in bytes. */
export interface AccountView {
    /** Own bytes and those of all descendants. */
    readonly held: number;
    readonly own: number;
    /** Highest `held` so far. */
    readonly peak: number;
    /** Bytes ever charged here and below. */
    readonly charged: number;
    /** Re-reads the meters charged here. */
    settle(): void;
    /** What the lines of this scope say; meters appear as `meter`. */
    lines(): readonly {
        readonly label: string;
        readonly bytes: number;
    }[];
}
/** A claim that a scope is in use; eviction leaves it alone until the lease is released. */
export interface Lease extends Disposable {
    release(): void;
}
/** The tree node of a scope; undefined for anything that is no scope. */
export declare let recordOf: (scope: unknown) => ScopeRecord | undefined;
/** The handle of a scope. */
export declare let handleOf: (scope: Scope) => Handle;
/** Named owner of memory: session, agent, run, stage or tool; opened, charged, closed. */
export declare class Scope implements Disposable, AsyncDisposable {
    #private;
    /** Scopes are made by `open`. */
    constructor(record: ScopeRecord, handle: Handle);
    get id(): number;
    get kind(): string;
    get name(): string;
    /** Such as `process/agent:planner/session:42`; characters that would break a path are escaped. */
    get path(): string;
    /** Steps below the process scope. */
    get depth(): number;
    /** Unix time in ms. */
    get openedAt(): number;
    get state(): ScopeState;
    /** The scope this one was opened in; undefined for the process scope and once closed. */
    get parent(): Scope | undefined;
    get account(): AccountView;
    /** Bytes this scope may hold; what happens above it is the policy's business. */
    get budget(): number | undefined;
    set budget(bytes: number | undefined);
    /** Milliseconds since the scope was last opened, run, leased or touched, by a clock that does not jump. */
    get idleMs(): number;
    /** Leases held now; a scope with any is in use. */
    get leases(): number;
    /** True when nothing in the program refers to the scope any more and it stayed open for what it owns. */
    get abandoned(): boolean;
    /**
     * Aborted when the scope closes or when the longer-lived signal given to it or to an ancestor is.
     * Made on first use; hand it to fetch, tools and frameworks instead of a process-lifetime signal.
     */
    get signal(): AbortSignal;
    /** Runs a function, and the async work it starts, inside this scope. */
    run<T>(work: () => T): T;
    /** Says that the scope is in use now. */
    touch(): void;
    /** Claims the scope until the lease is released. */
    lease(): Lease;
    /** Adds bytes, or a meter whose bytes are read now and again whenever accounts are settled. */
    charge(bytes: number | Metered): void;
    /** Takes bytes, or a charged meter, off again. */
    credit(bytes: number | Metered): void;
    /** An entry whose holder says "my bytes are now N"; ended by `line.close()` or with the scope. */
    line(label: string): AccountLine;
    /** Makes the scope let go of a resource when it closes; returns the resource. A closing scope lets go at once. */
    own<T extends Ownable>(resource: T, label?: string): T;
    /** Takes a resource back that was let go of elsewhere; true when it was owned. */
    disown(resource: Ownable): boolean;
    /** Names an object that must be gone after the scope closed; returns it. The object is not kept alive by this. */
    watch<T extends object>(object: T, label: string): T;
    /** Registers an object whose memory is this scope's, for the census and for heap snapshots; kept until the scope closes. */
    root<T extends object>(object: T): T;
    /** Takes a registered root back; true when it was one. */
    unroot(object: object): boolean;
    /** Scopes opened in this one that have not closed. */
    children(): Scope[];
    /**
     * Closes the scope and everything below it: aborts signals, lets go of owned resources in reverse order and takes its
     * bytes off the ancestors. Never throws or rejects; what went wrong is in the report. Closing twice gives the same promise.
     */
    close(reason?: string): Promise<CloseReport>;
    [Symbol.dispose](): void;
    [Symbol.asyncDispose](): Promise<void>;
}
/** The scope object of a record; a new one when nobody holds the old one any more. */
export declare function scopeOf(record: ScopeRecord): Scope;
/** The open scope that async work belongs to. */
export declare function recordBehind(handle: Handle | undefined): ScopeRecord;
/** Bytes as given when they can be a budget; otherwise a coded warning and no budget. */
export declare function validBudget(bytes: number | undefined, kind: string): number | undefined;

// dist/scope/close-tree.d.ts
import type { ScopeFault } from './fault-log.ts';
import type { Handle } from './handle.ts';
import type { Closing, ScopeRecord } from './scope-record.ts';
/** What closing a scope did. */
export interface CloseReport {
    readonly path: string;
    readonly kind: string;
    readonly name: string;
    readonly reason: string;
    /** How long the scope was open, in ms. */
    readonly openMs: number;
    /** Own bytes that were still charged when it closed; they were taken off the ancestors. */
    readonly leftBytes: number;
    readonly peakBytes: number;
    readonly chargedBytes: number;
    /** Resources disposed, failed ones included. */
    readonly disposed: number;
    /** Descendants that were still open and were closed with it. */
    readonly descendants: number;
    readonly faults: readonly ScopeFault[];
}
/** What the tree does when a scope is gone. */
export interface CloseWatcher {
    closed(record: ScopeRecord, handle: Handle | undefined): void;
    /** The last child of an open scope that user code cannot reach has closed. */
    childless(parent: ScopeRecord): void;
}
/**
 * Closes a scope and everything below it: signals are aborted from the top, then resources are let go from the leaves
 * up, each scope after its last child. Loops, not recursion: a chain of a hundred thousand scopes must close as well.
 */
export declare function closeTree(root: ScopeRecord, reason: string, watcher: CloseWatcher): void;
/** A scope and its descendants, each before its children, siblings in the order they were opened. */
export declare function subtree(root: ScopeRecord): ScopeRecord[];
export declare function closingOf(record: ScopeRecord): Closing;
export declare function closeReport(record: ScopeRecord): CloseReport;
/** The abort reason of a closed scope; its name makes fetch and frameworks treat it as a cancellation. */
export declare function closedReason(record: ScopeRecord): Error;

// dist/scope/fault-log.d.ts
import type { PlimsollError } from '../errors.ts';
/** Something that went wrong in or around a scope and was not thrown into user code. */
export interface ScopeFault {
    readonly at: number;
    readonly code: string;
    readonly path: string;
    /** Label of the resource or object concerned. */
    readonly label: string | undefined;
    readonly message: string;
    /** Where it was thrown, cut at 2,000 characters. */
    readonly stack: string | undefined;
}
/** What `plimsoll:scope.fault` carries: the fault with the thrown value itself, which nothing else keeps. */
export interface FaultMessage extends ScopeFault {
    readonly cause: unknown;
}
/** Faults of scopes: how many of each code, and the last hundred as text; a thrown value could hold user data. */
export declare class FaultLog {
    #private;
    get count(): number;
    get byCode(): ReadonlyMap<string, number>;
    get recent(): readonly ScopeFault[];
    report(error: PlimsollError, label: string | undefined, cause?: unknown): ScopeFault;
}
/** The faults of this process. */
export declare const faults: FaultLog;
/** A thrown value in one line; reading it must not throw either. */
export declare function describe(thrown: unknown): string;

// dist/scope/handle.d.ts
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Scope } from './scope.ts';
/**
 * What AsyncLocalStorage carries: a few words, never the payload.
 *
 * Timers and kept promises pin the store for as long as they live, so a closed scope empties its handle: what stays is
 * the handle and a list of ancestor ids that all children of one parent share. The handle is also the token by which
 * the garbage collector tells us that neither the scope object nor any of its async work is reachable any more.
 */
export declare class Handle {
    scope: Scope | undefined;
    /** Ids of the nearest ancestors, nearest first; set when the scope closes. */
    lineage: readonly number[] | undefined;
}
/** The async context of the process. */
export declare const context: AsyncLocalStorage<Handle>;

// dist/scope/scope-record.d.ts
import type { PlimsollError } from '../errors.ts';
import { Account } from './account.ts';
import type { AccountOwner } from './account.ts';
import type { ScopeFault } from './fault-log.ts';
import type { Handle } from './handle.ts';
import type { PlimsollScopeRoot } from './scope-root.ts';
import type { ScopeSignal } from './scope-signal.ts';
import type { ScopeTotal } from './scope-totals.ts';
import type { Watch } from './watch-list.ts';
export type ScopeState = 'open' | 'closing' | 'closed';
/** A resource a scope has to let go of. */
export interface Owned {
    readonly label: string;
    readonly dispose: () => unknown;
}
/** The parts few scopes have; one object so that the others pay one word for them. */
export interface ScopeExtras {
    resources?: Map<unknown, Owned>;
    watches?: Set<Watch>;
    marker?: PlimsollScopeRoot;
    /** Longer-lived signal to forward. */
    source?: AbortSignal;
    signal?: ScopeSignal;
    disposeTimeoutMs?: number;
    leases?: number;
}
/** What a running close has done so far. */
export interface Closing {
    readonly faults: ScopeFault[];
    disposed: number;
    descendants: number;
    disposing: boolean;
    onClosed: (() => void) | undefined;
}
/**
 * The node of a scope in the tree; the tree holds records, user code holds `Scope` objects.
 *
 * A record reaches its scope object only weakly. So a scope that nobody can reach any more is noticed although the
 * tree still counts it, and the tree never keeps what user code captured together with the scope object.
 */
export declare class ScopeRecord implements AccountOwner {
    #private;
    readonly id: number;
    readonly kind: string;
    readonly name: string;
    /** By the clock that does not jump, as all times of a record. */
    readonly openedMs: number;
    readonly account: Account;
    readonly total: ScopeTotal;
    readonly depth: number;
    activeMs: number;
    state: ScopeState;
    budget: number | undefined;
    /** Why it closed. */
    reason: string;
    closedMs: number;
    /** Major GCs seen when it closed. */
    closedEpoch: number;
    /** Own bytes left when it closed. */
    leftBytes: number;
    /** The garbage collector found its scope object out of reach. */
    unreachable: boolean;
    /** Reported as abandoned and kept for what it owns. */
    abandoned: boolean;
    parent: ScopeRecord | undefined;
    firstChild: ScopeRecord | undefined;
    lastChild: ScopeRecord | undefined;
    previous: ScopeRecord | undefined;
    next: ScopeRecord | undefined;
    handle: WeakRef<Handle> | Handle | undefined;
    extras: ScopeExtras | undefined;
    closing: Closing | undefined;
    constructor(id: number, kind: string, name: string, parent: ScopeRecord | undefined, total: ScopeTotal, nowMs: number);
    get path(): string;
    get openedAt(): number;
    get closedAt(): number;
    /** Takes the record out of the tree; returns the parent it had. */
    unlink(): ScopeRecord | undefined;
    /** Ids of this scope and its ancestors, nearest first; shared by every child that closes. */
    lineage(): readonly number[];
    liveHandle(): Handle | undefined;
    meterFailed(cause: unknown): void;
    fault(error: PlimsollError, label: string, cause?: unknown): void;
}
/** The nearest open scope among ids, nearest first. */
export declare function nearestOpen(lineage: readonly number[] | undefined): ScopeRecord | undefined;

// dist/scope/scope-root.d.ts
/**
 * Marks in a heap snapshot what a scope holds: the analysis finds it by the name of this class.
 * The marker outlives its scope only while someone keeps it; its roots are emptied when the scope closes.
 */
export declare class PlimsollScopeRoot {
    readonly path: string;
    state: 'open' | 'closed';
    readonly roots: object[];
    constructor(path: string);
}

// dist/scope/scope-signal.d.ts
/** The AbortSignal a scope owns: it follows a longer-lived one until the scope closes, and is aborted then. */
export declare class ScopeSignal {
    #private;
    constructor(source: AbortSignal | undefined);
    get signal(): AbortSignal;
    /** Drops the listener on the longer-lived signal, then aborts. */
    abort(reason: unknown): void;
}

// dist/scope/scope-totals.d.ts
/** What remains of closed scopes: one row per kind and name. */
export interface ScopeTotal {
    readonly kind: string;
    readonly name: string;
    opened: number;
    closed: number;
    /** Bytes ever charged to scopes of this name that have closed, and to those open now when read through the roster. */
    chargedBytes: number;
    /** Highest bytes one scope of this name held. */
    peakBytes: number;
}
/** Totals by kind and name with a cap on both, so that a million session ids cost a thousand rows. */
export declare class ScopeTotals {
    #private;
    /** The row for a scope that opens now; beyond the caps the `(other)` row. */
    row(kind: string, name: string): ScopeTotal;
    [Symbol.iterator](): Iterator<Readonly<ScopeTotal>>;
}

// dist/scope/watch-list.d.ts
/** An object that must be gone after its scope closed, as long as it has not been collected. */
export interface Watched {
    readonly label: string;
    readonly scopePath: string;
    readonly kind: string;
    readonly closedAt: number;
    /** Major GCs the process had seen when the scope closed. */
    readonly majorGcEpoch: number;
    /** Holds while the watched object lives; it refers to a token, so that asking never revives the object's memory. */
    readonly ref: WeakRef<PlimsollWatched>;
}
/**
 * The token of a watched object, found in a heap snapshot by the name of this class.
 *
 * It hangs on the object through a WeakMap. A WeakRef on the object itself would keep its whole payload until the next
 * major GC on Node 22 and 24; a WeakMap does not, and the token is all that waits.
 */
export declare class PlimsollWatched {
    readonly label: string;
    readonly path: string;
    /** Token of an earlier watch on the same object. */
    readonly next: PlimsollWatched | undefined;
    constructor(label: string, path: string, next: PlimsollWatched | undefined);
}
/** A watch of an open scope; it becomes a `Watched` when the scope closes. */
export interface Watch {
    readonly label: string;
    readonly ref: WeakRef<PlimsollWatched>;
    /** Watches of the open scope, which a collected object leaves. */
    readonly siblings: Set<Watch>;
    closed: Watched | undefined;
}
/** Everything watched in the process, bounded; what does not fit is counted. */
export declare class WatchList {
    #private;
    /** Watches refused because the list was full. */
    get overflow(): number;
    /** Objects watched now, of open and closed scopes. */
    get size(): number;
    add(object: object, label: string, path: string, siblings: Set<Watch>): void;
    /** Moves the watches of a scope that closes into the list. */
    close(watches: Set<Watch>, scope: Omit<Watched, 'label' | 'ref'>): void;
    /** Watched objects of closed scopes that have not been collected. */
    [Symbol.iterator](): Iterator<Watched>;
}
/** The watch list of this process. */
export declare const watchList: WatchList;

// dist/scope/disposal.d.ts
import type { Owned, ScopeRecord } from './scope-record.ts';
/** How long one resource may take to be disposed, unless the scope says otherwise. */
export declare const defaultDisposeTimeoutMs = 5000;
/** Something a scope can own: disposable, async disposable, or the function that lets go. */
export type Ownable = Disposable | AsyncDisposable | (() => unknown);
/** How to let go of a value, or undefined when it offers no way. Reading the value must not throw into user code. */
export declare function owned(value: unknown, label: string | undefined): Owned | undefined;
/** Disposes in reverse order, one at a time. Returns true when `done` will be called later, false when all is done now. */
export declare function disposeAll(record: ScopeRecord, resources: Owned[], done: () => void): boolean;
/** Disposes one resource in the async context of its scope; a promise when it needs time. It never rejects. */
export declare function disposeOne(record: ScopeRecord, resource: Owned): Promise<void> | undefined;
/** Lets go at once of what was given to a scope that is closing or closed. */
export declare function disposeLate(record: ScopeRecord, resource: Owned): void;
export declare function warnNotDisposable(kind: string, value: unknown): void;
/** What a value is, without its content: "a string", "null", "a Socket". */
export declare function nounOf(value: unknown): string;

// dist/scope/open.d.ts
import { Scope } from './scope.ts';
/** How a scope is opened; every part has a default. */
export interface OpenOptions {
    /** Scope to open in; the current one when left out. */
    readonly parent?: Scope;
    /** Bytes the scope may hold; none when left out. */
    readonly budget?: number;
    /** Longer-lived signal that `scope.signal` follows until the scope closes. */
    readonly signal?: AbortSignal;
    /** Object whose memory is the scope's, for the census and for heap snapshots. */
    readonly root?: object;
    /** How long one owned resource may take to be disposed; 5,000 ms when left out, at most 2^31 - 1. */
    readonly disposeTimeoutMs?: number;
}
/** Opens a scope of a kind (`session`, `agent`, `tool`) under a name (an id), in the current scope unless told otherwise. */
export declare function open(kind: string, name: string, options?: OpenOptions): Scope;
/** The scope that the running code belongs to: the one it runs in, else its nearest open ancestor, else the process scope. */
export declare function currentScope(): Scope;

// dist/scope/roster.d.ts
import type { FaultLog } from './fault-log.ts';
import type { Scope } from './scope.ts';
import type { PlimsollScopeRoot } from './scope-root.ts';
import type { ScopeTotal } from './scope-totals.ts';
import type { Watched } from './watch-list.ts';
/** A closed scope whose object or async context is still reachable from somewhere. */
export interface LingeringScope {
    readonly id: number;
    readonly path: string;
    readonly kind: string;
    readonly name: string;
    readonly closedAt: number;
    readonly majorGcEpoch: number;
}
/** Every open scope of the thread and what remains of the closed ones. */
export interface Roster {
    /** Open and closing scopes, parents before children, the process scope first; a copy taken at the time of the call. */
    readonly open: Iterable<Scope>;
    readonly count: number;
    /** Scopes with registered roots, for the census. */
    roots(): Iterable<{
        readonly scope: Scope;
        readonly roots: readonly object[];
        readonly marker: PlimsollScopeRoot;
    }>;
    /** Per kind and name, at most 1,000 names of at most 100 kinds; the rest is in the rows named `(other)`. */
    totals(): readonly Readonly<ScopeTotal>[];
    readonly faults: Pick<FaultLog, 'count' | 'byCode' | 'recent'>;
    /** Watched objects of closed scopes that have not been collected. */
    watched(): Iterable<Watched>;
    /** Watches refused because 50,000 were live. */
    readonly watchOverflow: number;
    /** Closed scopes that something still refers to; after two major GCs that is a leak. */
    lingering(): Iterable<LingeringScope>;
    /** Closed scopes that were not followed to their end because 10,000 closed ones still waited for a major GC. */
    readonly untracked: number;
    /** Re-reads all charged meters; call it before reading many accounts. */
    settle(): void;
    /** Major GCs told by `noteMajorGc`. */
    readonly majorGcEpoch: number;
    /** Told by the sensor after each major GC. */
    noteMajorGc(): void;
}
export declare const roster: Roster;

// entry @plimsoll/core/errors
// entry @plimsoll/core/meter
// dist/meter/index.d.ts
export { expand, shallowBytes, step, Walk } from './layout.ts';
export type { UnknownKind, WalkOptions } from './walk.ts';
export { measure } from './measure.ts';
export type { Measurement, MeasureOptions, Unknown } from './measure.ts';
export { Meter } from './meter.ts';
export type { MeterOptions } from './meter.ts';
export { selfCheck } from './self-check.ts';
export type { SelfCheck } from './self-check.ts';
export { flatten, stringBytes, unslice } from './string-bytes.ts';

// dist/meter/layout.d.ts
import { Walk } from './walk.ts';
export { Walk } from './walk.ts';
export type { UnknownKind } from './walk.ts';
/** Goes on with an open container or takes the next pending object that `enter` admits; false when nothing is left. */
export declare function step(walk: Walk, enter: (node: object) => boolean): boolean;
/** Charges one object and its leaves to the walk and pushes the objects it reaches; a large container leaves a cursor behind. */
export declare function expand(node: object, walk: Walk): void;
/** Bytes of one value by itself: a string with its characters, an object without the values it refers to. */
export declare function shallowBytes(value: unknown): number;

// dist/meter/walk.d.ts
import type { Cursor } from './cursor.ts';
/** What a walk met and could not look into. */
export type UnknownKind = 'accessor' | 'closure' | 'native' | 'promise' | 'proxy' | 'weak';
export interface WalkOptions {
    readonly chunk?: number;
    readonly onLongString?: (text: string) => boolean;
    readonly flatten?: boolean;
}
/** Strings from this length on are offered to `onLongString`. */
export declare const longStringLength = 256;
/** The sums of one walk over a value and the objects it still has to visit. */
export declare class Walk {
    /** Point estimate so far. */
    bytes: number;
    /** How far the truth may lie below `bytes`. */
    below: number;
    /** How far the truth may lie above `bytes`. */
    above: number;
    /** The part of `bytes` that is strings, boxed numbers and bigints held by the objects visited. */
    leafBytes: number;
    /** Objects reached and not yet expanded, with duplicates. */
    readonly pending: object[];
    /** Containers charged in part. */
    readonly cursors: Cursor[];
    /** Most elements or properties that one `expand` looks at before it leaves the rest to a cursor. */
    readonly chunk: number;
    /** Called with each string of 256 characters or more; true leaves the string out because something else owns it. */
    readonly onLongString: ((text: string) => boolean) | undefined;
    /** Flattens strings built by concatenation, which hold up to thirteen times their length until something reads them. */
    readonly flatten: boolean;
    private unknownCounts;
    private names;
    constructor(options?: WalkOptions);
    get lo(): number;
    get hi(): number;
    get unknown(): ReadonlyMap<UnknownKind, number>;
    /** Notes something whose size cannot be known from JavaScript. */
    missed(kind: UnknownKind): void;
    /** True the first time this walk meets the name of a property or shape; past a bound every name counts as known. */
    firstSight(name: string): boolean;
    /** Charges what one slot refers to: a leaf at once, an object by putting it on the stack. */
    value(value: unknown): void;
    string(text: string): void;
    leaf(bytes: number): void;
}
/** Bytes of a bigint; the magnitude takes one word per 64 bits. */
export declare function bigintBytes(value: bigint): number;

// dist/meter/cursor.d.ts
import type { Walk } from './walk.ts';
/** The rest of a container too large for one step of a walk. */
export declare abstract class Cursor {
    abstract resume(walk: Walk): void;
}

// dist/meter/measure.d.ts
import type { UnknownKind } from './walk.ts';
/** What `measure` found. */
export interface Measurement {
    /** Best estimate of the bytes that would be freed if nothing else referred to the value. */
    readonly bytes: number;
    /** The truth lies between `lo` and `hi`, apart from what `unknown` names. */
    readonly lo: number;
    readonly hi: number;
    /** What the value holds whose size cannot be known from JavaScript, with how often it was met. */
    readonly unknown: readonly Unknown[];
}
export interface Unknown {
    readonly kind: UnknownKind | 'unvisited';
    readonly count: number;
}
export interface MeasureOptions {
    /** Objects that belong to somebody else; they and what only they reach are left out. */
    readonly shared?: {
        has(object: object): boolean;
    };
    /** Most objects to visit, default 10 million. Past it `hi` is infinite and `unknown` says how many are left. */
    readonly maxNodes?: number;
    /** Whether strings built by concatenation are flattened on the way, default true; unflattened ones hold up to 13 times what is reported. */
    readonly flatten?: boolean;
}
/** Measures a value and everything it reaches, without recursion, without running getters or proxy traps, and without ever throwing. */
export declare function measure(value: unknown, options?: MeasureOptions): Measurement;

// dist/meter/meter.d.ts
export interface MeterOptions {
    /**
     * Measures every value through its property descriptors, so that no getter and no proxy trap can run; several times slower. Without it
     * the first value and every 512th are inspected, and the meter turns strict by itself when it meets an accessor or a proxy. Default false.
     */
    readonly strict?: boolean;
    /** Replaces the strings of plain objects and arrays by copies, so that slices do not keep their parents alive. Default false. */
    readonly unslice?: boolean;
}
/**
 * The incremental size of a list of values that grows: a conversation, a log, the state of a session.
 *
 * `append` costs tens of nanoseconds because it looks only at the new value, and flattens its strings. Within one value an object
 * reachable on two ways counts twice, and between values nothing is shared: a meter is for data, `measure` for graphs.
 */
export declare class Meter {
    private held;
    private size;
    private capacity;
    /** Values that may still take the quick path before the next inspection; never positive in a strict meter. */
    private quickLeft;
    private careful;
    private readonly copies;
    private readonly pending;
    constructor(options?: MeterOptions);
    /** Bytes held now: the values and the list around them. */
    get bytes(): number;
    /** Values appended and not removed. */
    get count(): number;
    /** True when every value is measured through its descriptors. */
    get strict(): boolean;
    /** Charges one more value and returns its bytes, which `credit` takes back without measuring again. */
    append(value: unknown): number;
    /** Exchanges a value for another; returns the change in bytes. */
    replace(old: unknown, next: unknown): number;
    /** Takes back a value, measured as it is now; returns its bytes. A value that changed since `append` is better credited. */
    remove(value: unknown): number;
    /** Takes back the bytes that `append` returned. */
    credit(bytes: number): void;
    /** Forgets everything appended. */
    clear(): void;
    /** Measures a leaf, a value whose turn it is to be inspected, or any value in a strict meter. */
    private slow;
    /** Measures a value by reading it as JSON.stringify would; what needs a closer look is left to `measure`. */
    private quick;
    private flat;
    private descend;
    private restart;
}

// dist/meter/self-check.d.ts
import type { FixedSizes } from './rules.ts';
/** What the self-check found. */
export interface SelfCheck {
    readonly node: string;
    /** True when every structural rule that could be tried agrees with this Node. */
    readonly agrees: boolean;
    /** Fixed sizes that were corrected for this Node. */
    readonly corrected: readonly string[];
    /** Factors by which the bracket of every measurement is widened; 1 and 1 when the rules agree. */
    readonly widen: {
        readonly lo: number;
        readonly hi: number;
    };
}
/** Makes one value; the argument differs from call to call. */
type Make = (i: number) => unknown;
/** Runs the comparison at the first call and returns its result from then on. */
export declare function selfCheck(): SelfCheck;
/** Corrects the fixed sizes of `target` and judges its structural rules by what `measure` finds. */
export declare function compare(target: FixedSizes, measure: (make: Make, expected: number) => number | undefined): SelfCheck;
/** A measure of one value of a kind; it answers undefined when collections kept spoiling the tries. */
export declare function measureByGrowth(): (make: Make, expected: number) => number | undefined;
export {};

// dist/meter/rules.d.ts
/**
 * Bytes V8 uses for the parts of a value, without pointer compression (64-bit builds of Node for Linux, macOS and Windows), as read from
 * heap snapshots of Node 22, 24 and 26.
 */
/** Map, properties and elements pointers of every object. */
export declare const objectHeader = 24;
/** In-object slots that `{}` is born with. */
export declare const emptyLiteralSlots = 4;
export declare const arrayHeader = 32;
/** Map and length of a backing store of elements or properties. */
export declare const storeHeader = 16;
export declare const stringHeader = 16;
export declare const boxedNumber = 16;
export declare const bigintHeader = 16;
export declare const collectionHeader = 32;
/** Store header and bookkeeping of a dictionary; each of its slots takes three words. */
export declare const dictionaryHeader = 64;
/** Hidden class, descriptor and transition of one property of a shape that no other object uses. */
export declare const shapeProperty = 104;
/** Frames that an error keeps beside its properties: from about 290 for three frames to 660 for ten, and more once the stack was read. */
export declare const errorStack = 480;
/** A function object without what it captured. */
export declare const closure = 64;
/** Sizes of whole objects, which V8 versions change; the self-check corrects them for the running Node. */
export interface FixedSizes {
    arrayBuffer: number;
    boxedPrimitive: number;
    dataView: number;
    date: number;
    promise: number;
    proxy: number;
    regexp: number;
    symbol: number;
    typedArray: number;
    weak: number;
}
export declare const fixedSizes: FixedSizes;

// dist/meter/string-bytes.d.ts
/** True when V8 stores the string with one byte per character; exact from Node 22.15 on, before that by looking at the characters. */
export declare const isOneByte: (text: string) => boolean;
/** Longest string that JSON.parse internalises, so that equal ones share one copy. */
export declare const internedLength = 10;
/** Length below which a string is judged by its first character. */
export declare const judgedByFirst = 32;
/**
 * Bytes of a flat string of its own; V8 keeps the empty string and single characters in a table. Short strings are judged by their first
 * character, which is faster than asking and wrong by a few bytes at most.
 */
export declare function stringBytes(text: string): number;
/**
 * True for short words such as "user" or "text": field values of this kind are literals or were internalised by JSON.parse, so that many
 * objects share one copy. A digit at the end marks an id, which is unique and counted.
 */
export declare function isSharedWord(text: string): boolean;
/** Makes V8 store the string in one piece: text built with `+=` is a tree of its pieces until something looks at its characters. */
export declare function flatten(text: string): string;
/** A copy of the string that does not keep a longer one alive: a slice of 13 characters or more points into its parent. */
export declare function unslice(text: string): string;

// entry @plimsoll/core/sense
// dist/sense/index.d.ts
export { sampleAllocationSites } from './allocation-sites.ts';
export type { AllocationSites } from './allocation-sites.ts';
export { Census } from './census/census.ts';
export type { CensusOptions, CensusTotal } from './census/census.ts';
export type { CensusResult } from './census/scope-walk.ts';
export { systemClock } from './clock.ts';
export type { Clock } from './clock.ts';
export { FakeClock } from './fake-clock.ts';
export { FakeSensor } from './fake-sensor.ts';
export type { Floor } from './floor-watch.ts';
export { describeLimits, limits } from './limits.ts';
export type { Limit, LimitPolicy, Limits, LimitSource, Pressure } from './limits.ts';
export { ProcessSensor } from './process-sensor.ts';
export type { Reading } from './reading.ts';
export { Sampler } from './sampler.ts';
export type { SamplerOptions } from './sampler.ts';
export type { SelfCost } from './self-cost.ts';
export type { Sensor, Vitals } from './sensor.ts';

// dist/sense/allocation-sites.d.ts
/** One place in the code with the bytes allocated there that were still on the heap when the run ended. */
export interface AllocationSite {
    readonly name: string;
    /** "file:line:column", or "(native)". */
    readonly where: string;
    /** Estimate from samples; the error is about bytes / sqrt(samples). */
    readonly bytes: number;
}
export interface AllocationSites {
    /** Largest first. */
    readonly sites: readonly AllocationSite[];
    readonly totalBytes: number;
    readonly durationMs: number;
    readonly intervalBytes: number;
    /** True when reading collected the heap first: every byte listed was alive. */
    readonly forcedGc: boolean;
    /** How long reading blocked the event loop. */
    readonly pauseMs: number;
}
export interface AllocationSamplingOptions {
    /** How long to sample, 10 to 600,000 ms; default 10,000. */
    readonly durationMs?: number;
    /** One sample per this many bytes on average, 1 KiB to 64 MiB; default 512 KiB. */
    readonly intervalBytes?: number;
    /** Most sites returned, 1 to 1,000; default 50. */
    readonly top?: number;
    /** Ends the run early with what there is. */
    readonly signal?: AbortSignal;
}
interface Frame {
    readonly functionName: string;
    readonly url: string;
    readonly lineNumber: number;
    readonly columnNumber: number;
}
/** A node of the profile, as the inspector and `v8.startHeapProfile` both write it. */
export interface ProfileNode {
    readonly callFrame: Frame;
    readonly selfSize: number;
    readonly children: readonly ProfileNode[];
}
interface Sampling {
    readonly forcesGc: boolean;
    read(): Promise<ProfileNode>;
}
/** Samples allocations for a while and says which sites they came from. Rejects with PLM_SENSE_SAMPLING_BUSY while another run is on. */
export declare function sampleAllocationSites(options?: AllocationSamplingOptions): Promise<AllocationSites>;
/** Bytes per site over all stacks that end there, largest first. */
export declare function sum(head: ProfileNode): AllocationSite[];
export type StartHeapProfile = (options: {
    sampleInterval: number;
}) => {
    stop(): string;
};
/** Node 26: no GC, and no inspector session in the process. */
export declare function throughV8(startHeapProfile: StartHeapProfile, intervalBytes: number): Sampling;
export {};

// dist/sense/census/census.d.ts
import type { Clock } from '../clock.ts';
import type { SelfCost } from '../self-cost.ts';
import type { CensusRoster } from './rotation.ts';
import type { CensusResult } from './scope-walk.ts';
export interface CensusOptions {
    readonly roster: CensusRoster;
    readonly clock?: Clock;
    /** Share of one core, 0.0001 to 0.5; default 0.006, which with timers and the collector's share stays below 1 %. */
    readonly cpuRatio?: number;
    /** Longest slice in ms, 0.05 to 10; default 0.2. */
    readonly sliceMs?: number;
    /** Least ms between the beginnings of two rotations, 0 to an hour; default 2,000. */
    readonly rotationMs?: number;
    /** Age in ms from which an idle scope is measured again, 0 to an hour; default 60,000. */
    readonly idleAfterMs?: number;
    /** Objects visited per scope before its size is extrapolated, 1,000 to 1,000,000; default 100,000. */
    readonly maxObjects?: number;
    /** Whether long strings in pieces are flattened when met, default true: it saves the owner memory and makes the size known. */
    readonly flatten?: boolean;
    /** Where the census reports its own time and bytes. */
    readonly self?: SelfCost;
}
export interface CensusTotal {
    /** Scopes measured. */
    readonly scopes: number;
    readonly bytes: number;
    readonly external: number;
    /** Rotations completed. */
    readonly rotations: number;
    /** How long the last one took, ms. */
    readonly rotationMs: number;
    /** Measurements that failed; the scope keeps its last result. */
    readonly faults: number;
    /** Share of one core since the start, as measured around slices. */
    readonly cpuRatio: number;
}
/** The rotating walker over registered scope roots. */
export declare class Census {
    private readonly roster;
    private readonly clock;
    private readonly sliceMs;
    private readonly rotationMs;
    private readonly idleAfterMs;
    private readonly self;
    private readonly walkOptions;
    private readonly fence;
    private readonly book;
    private readonly budget;
    private rotation;
    private cancel;
    private startedAt;
    private rotationStart;
    private discoveredAt;
    private lastRotationMs;
    private rotations;
    private faults;
    private spentMs;
    constructor(options: CensusOptions);
    get retainedBytes(): number;
    start(): void;
    /** Ends the rotation and lets go of everything but the results. */
    stop(): void;
    [Symbol.dispose](): void;
    /** What one scope holds by itself, without its children; undefined before its first measurement and once it has closed. */
    bytesOf(scope: {
        readonly id: number;
    }): CensusResult | undefined;
    /** All measured scopes together. */
    total(): CensusTotal;
    /** Live heap that no scope accounts for; below zero while scopes shrink faster than they are measured. */
    unattributed(floorBytes: number): number | undefined;
    /** Multiplies every result of a kind, to make up for what its walk cannot see; a heap snapshot tells by how much. 0.1 to 10. */
    calibrate(kind: string, factor: number): void;
    /** Walks without regard to the budget until every scope has been measured once more; for a report, an incident or a test. */
    completeRotation(): void;
    private arm;
    private slice;
    /** Slices come in groups, one per turn of the loop: waking an idle process costs half as much as a slice. */
    private waitMs;
    private work;
    private beginRotation;
    private endRotation;
}

// dist/sense/clock.d.ts
/** Where sense gets its time and its turns from, so that a test can own both. */
export interface Clock {
    /** Wall time in ms since the epoch; may jump. Only ever shown, never subtracted. */
    now(): number;
    /** Monotonic time in ms with an arbitrary zero; for every difference. */
    monotonic(): number;
    /** CPU time of the process in ms; a clock without it lets wall time stand in. */
    cpu?(): number;
    /** Runs the callback once after `ms`, or in the next turn of the loop for 0, without keeping the process alive. Returns its cancellation. */
    after(ms: number, callback: () => void): () => void;
}
/** The clock of the process. */
export declare const systemClock: Clock;
/**
 * Begins to time our own work; the returned function says what it took, in ms.
 *
 * Wall time alone would charge us for waiting on a busy machine, CPU time alone for what other threads did meanwhile, so it is the lesser
 * of the two. The CPU time of the thread alone would be the right measure, but the kernel brings it up to date only at scheduler ticks
 * (steps of 0.1 to 2 ms seen), and slices that follow a timer begin right after one.
 */
export declare function startWork(clock: Clock): () => number;

// dist/sense/self-cost.d.ts
import type { Clock } from './clock.ts';
import type { SelfCostReading } from './reading.ts';
/**
 * What Plimsoll costs the host: parts report the time they spend and the bytes they retain.
 *
 * Time is the CPU time our own callbacks took on their thread, over the last one to two minutes. It leaves out the collector's work on our
 * garbage and whatever runs in other threads. Bytes are a fixed part for code and what the parts count of their own structures; nothing
 * is inferred from the heap, where our objects cannot be told from the user's.
 */
export declare class SelfCost {
    private readonly clock;
    private readonly parts;
    private windowStart;
    private spentMs;
    private previous;
    constructor(clock: Clock);
    /** Runs our own work on the account; errors pass through. */
    measure<T>(work: () => T): T;
    spend(ms: number): void;
    /** Adds a part's retained bytes to the sum; the same name again replaces it. */
    retains(part: string, bytes: () => number): void;
    release(part: string): void;
    read(): SelfCostReading;
}

// dist/sense/reading.d.ts
import type { GcCount } from './floor-watch.ts';
import type { Pressure } from './limits.ts';
/** One measurement of the process. All sizes in bytes. */
export interface Reading {
    /** Wall time, ms since the epoch. */
    readonly at: number;
    readonly heapUsed: number;
    /** Live heap right after the last major GC; undefined before the first one. */
    readonly floor?: number;
    /** How old the floor is. */
    readonly floorAgeMs?: number;
    /** Ordinal of the last major GC since sensing began; differences tell how many lie between two readings. */
    readonly majors: number;
    readonly external: number;
    readonly arrayBuffers: number;
    readonly rss: number;
    /** The limit that is nearest to being reached, and what counts against it. */
    readonly limit: number;
    readonly used: number;
    /** Every limit with what counts against it, nearest first. */
    readonly pressures: readonly Pressure[];
    /** Longest event-loop delay since the previous reading. */
    readonly loopDelayMs: number;
    /** Share of the time since the previous reading that the loop was busy, 0 to 1. */
    readonly loopUtilization: number;
    /** Collections since the previous reading. */
    readonly gc: GcCount;
    /** Open scopes. */
    readonly scopes: number;
    /** Live heap that the census found in no scope; undefined until it went round once. */
    readonly unattributed?: number;
    /** Ms by which this reading came late; a late reading stands for one sample, however many it replaced. */
    readonly lateMs: number;
    /** What Plimsoll itself takes. */
    readonly self: SelfCostReading;
}
export interface SelfCostReading {
    readonly bytes: number;
    /** Our share of one core, 0 to 1. */
    readonly cpuRatio: number;
}

// dist/sense/floor-watch.d.ts
import type { Clock } from './clock.ts';
/** Live bytes right after the last major GC. */
export interface Floor {
    readonly bytes: number;
    /** External memory at the same moment. */
    readonly external: number;
    /** Monotonic ms, within one interval between reads. */
    readonly at: number;
    /** Ordinal of the major GC since the watch began, from 1. */
    readonly major: number;
}
/** Collections since the previous read. */
export interface GcCount {
    readonly major: number;
    readonly minor: number;
    readonly pauseMs: number;
}
/** What `GCProfiler.stop()` gives, as far as it is used. */
export interface GcProfile {
    readonly statistics: readonly {
        readonly gcType: string;
        /** Microseconds. */
        readonly cost: number;
        readonly afterGC: {
            readonly heapStatistics: {
                readonly usedHeapSize: number;
                readonly externalMemory: number;
            };
        };
    }[];
}
export interface GcSource {
    start(): void;
    stop(): GcProfile | undefined;
}
/** Follows the collections of this thread; `read()` belongs into every tick, because unread collections pile up inside V8. */
export declare class FloorWatch {
    private readonly clock;
    private readonly create;
    private profiler;
    private windowStart;
    private latest;
    private majorCount;
    constructor(clock: Clock, create?: () => GcSource);
    get floor(): Floor | undefined;
    /** Major GCs since the watch began, as of the last read. */
    get majors(): number;
    /** Major GCs after the one with this ordinal: how often something had the chance to vanish. */
    majorsSince(major: number): number;
    /** Takes in what happened since the last read. */
    read(): GcCount;
    stop(): void;
    private restart;
    private take;
}

// dist/sense/limits.d.ts
import type { OldSpace } from './old-space.ts';
import type { CgroupReading } from './cgroup.ts';
import type { Vitals } from './sensor.ts';
/** What a limit is measured against. */
export type LimitSource = 'heap' | 'cgroup' | 'native' | 'policy';
/** One number that must not be passed. */
export interface Limit {
    readonly source: LimitSource;
    readonly bytes: number;
    /** What counts against it and where it comes from, in words. */
    readonly why: string;
}
/** What counts against one limit now. */
export interface Pressure {
    readonly source: LimitSource;
    readonly used: number;
    readonly limit: number;
}
/** Limits an operator adds; each is optional. */
export interface LimitPolicy {
    /** Share of old space that may hold live objects, default 0.80: from there on V8 counts towards giving up. */
    readonly heapRatio?: number;
    /** Bytes of live heap and external memory together for the whole process. */
    readonly processBytes?: number;
    /** Bytes of external memory, ArrayBuffers included. */
    readonly nativeBytes?: number;
}
/** Every limit in force; `binding` is the lowest, the one that is reached first when everything grows. */
export interface Limits {
    readonly all: readonly Limit[];
    readonly binding: Limit;
}
/** Default share of old space: V8 aborts from there when collections no longer help (`IsIneffectiveMarkCompact`). */
export declare const usableHeapRatio = 0.8;
/** The true limit: 80 % of old space, the control group's, the policy's, whichever binds first. */
export declare function limits(options?: {
    policy?: LimitPolicy;
    cgroup?: CgroupReading | undefined;
    oldSpace?: OldSpace;
}): Limits;
/** The text printed at boot: every limit, lowest marked, and what the operator should know about them. */
export declare function describeLimits(found: Limits): string;
/** Live heap as far as it is known: the floor, or less when more than that has been freed since; raw use before the first major GC. */
export declare function liveHeap(vitals: Pick<Vitals, 'floor' | 'heapUsed'>): number;
/** What counts against each limit; the first has the highest ratio. */
export declare function pressures(found: Limits, vitals: Vitals): readonly Pressure[];

// dist/sense/old-space.d.ts
export interface OldSpaceFacts {
    readonly heapSizeLimit: number;
    readonly execArgv: readonly string[];
    readonly nodeOptions: string;
    /** `process.versions.v8`. */
    readonly v8Version: string;
    /** `resourceLimits` of a worker; the main thread has none. */
    readonly youngReserveMib: number | undefined;
}
export interface OldSpace {
    readonly bytes: number;
    /** How the figure was found, as it reads after "from". */
    readonly from: string;
}
/** Old space of this thread. */
export declare function oldSpace(facts?: OldSpaceFacts): OldSpace;
/** What this thread was started with. */
export declare function threadFacts(): OldSpaceFacts;

// dist/sense/cgroup.d.ts
/** The tightest memory limit of the control groups above this process, and what counts against it. */
export interface CgroupReading {
    readonly version: 1 | 2;
    /** The group that carries the limit, as a path inside the cgroup file system. */
    readonly group: string;
    /** Usage without the page cache that the kernel drops first: what the OOM killer and kubelet look at. */
    readonly workingSet: number;
    /** Undefined when no group has one. */
    readonly limit: number | undefined;
    /** The file the limit came from. */
    readonly limitFile: string | undefined;
}
/**
 * Working set and limit of the process's control group. The limit may sit on any ancestor (a pod around its containers); usage is read
 * at the group that carries the tightest one, because that is the sum that must stay below it. Limits are read again every 10 s: pods are
 * resized in place.
 */
export declare class Cgroup {
    /** How often limits are looked up again, in ms. */
    static readonly refreshMs = 10000;
    private readonly root;
    private readonly physicalBytes;
    private bound;
    private usage;
    private stat;
    private refreshedAt;
    constructor(options?: {
        root?: string;
        physicalBytes?: number;
    });
    get retainedBytes(): number;
    /** The current state, or undefined where there is no memory controller or its files cannot be understood. */
    read(monotonicMs: number): CgroupReading | undefined;
    close(): void;
    private refresh;
    private findBound;
    private tightest;
}

// dist/sense/sensor.d.ts
import type { CgroupReading } from './cgroup.ts';
import type { Floor, GcCount } from './floor-watch.ts';
/** What the runtime and the kernel say at one moment, before anything is concluded. */
export interface Vitals {
    readonly heapUsed: number;
    /** `heap_size_limit` of V8: old generation plus a young reserve. */
    readonly heapSizeLimit: number;
    readonly external: number;
    readonly arrayBuffers: number;
    readonly rss: number;
    readonly cgroup: CgroupReading | undefined;
    readonly floor: Floor | undefined;
    /** Collections since the previous read. */
    readonly gc: GcCount;
    /** Longest event-loop delay since the previous read. */
    readonly loopDelayMs: number;
    /** Share of the time since the previous read that the loop was busy, 0 to 1. */
    readonly loopUtilization: number;
}
/** Where the sampler gets its vitals from; a test injects its own. */
export interface Sensor {
    read(): Vitals;
    /** Bytes the sensor itself retains. */
    readonly retainedBytes: number;
    /** Gives back descriptors and handles. */
    stop(): void;
}

// dist/sense/census/rotation.d.ts
import type { Clock } from '../clock.ts';
import type { CensusBook } from './census-book.ts';
import type { Fence } from './fence.ts';
import type { WalkOptions } from './scope-walk.ts';
/** What the census needs of the roster of scopes. */
export interface CensusRoster {
    roots(): Iterable<{
        readonly scope: {
            readonly id: number;
            readonly kind: string;
            readonly idleMs: number;
        };
        readonly roots: readonly object[];
        readonly marker: {
            readonly state: 'open' | 'closed';
        };
    }>;
}
interface Parts {
    readonly roster: CensusRoster;
    readonly clock: Clock;
    readonly fence: Fence;
    readonly book: CensusBook;
}
interface RotationOptions extends WalkOptions {
    /** Looks for what scopes share before it measures. */
    readonly discover: boolean;
    /** Age from which the measurement of an idle scope is renewed; 0 renews all. */
    readonly idleAfterMs: number;
}
/** One time round all scopes: take stock, find what is shared, measure each. Every step of it can be interrupted. */
export declare class Rotation {
    private readonly parts;
    private readonly options;
    private readonly ranking;
    private readonly samples;
    private stock;
    private stage;
    private finder;
    private walk;
    constructor(parts: Parts, options: RotationOptions);
    get retainedBytes(): number;
    /** Goes on until the deadline; true when the rotation is over. */
    run(deadlineMs: number): boolean;
    /** Gives up what is being worked on: the scope, the discovery or the stock. */
    skip(): void;
    private takeStock;
    private note;
    private discover;
    private measureAll;
    /** A scope closed in the middle of its walk is dropped with everything the walk held. */
    private measure;
}
export {};

// dist/sense/census/census-book.d.ts
import type { CensusResult, Target } from './scope-walk.ts';
/** The results of the census by scope, with running sums per kind, so that a total costs nothing per scope. */
export declare class CensusBook {
    private readonly entries;
    private readonly kinds;
    private inspection;
    /** Numbers and one shared string per scope; measured at about 200 bytes. */
    get retainedBytes(): number;
    /** The measurement as it was taken, before calibration. */
    raw(id: number): CensusResult | undefined;
    get(id: number): CensusResult | undefined;
    set({ id, kind, marker }: Target, result: CensusResult): void;
    remove(id: number): void;
    /** Looks at the next scopes in turn and drops those that closed, so that sums follow within a moment and no call takes long. */
    prune(count: number): void;
    calibrate(kind: string, factor: number): void;
    total(): {
        scopes: number;
        bytes: number;
        external: number;
    };
    private sumOf;
}

// dist/sense/census/scope-walk.d.ts
import type { Clock } from '../clock.ts';
import type { Fence, Owner } from './fence.ts';
/** What the census knows of one scope. */
export interface CensusResult {
    /** Heap and external bytes of what only this scope reaches. */
    readonly bytes: number;
    /** The part of `bytes` outside the V8 heap: backing stores of buffers. */
    readonly external: number;
    /** Wall time of the measurement. */
    readonly at: number;
    /** The same moment on the monotonic clock. */
    readonly measuredAt: number;
    /** Objects visited. */
    readonly objects: number;
    /** True when the scope has more objects than are visited; `bytes` is then extrapolated from the part that was. */
    readonly truncated: boolean;
    /** Long strings found in pieces, which take several times their length until they are flattened. */
    readonly ropes: number;
}
/** A scope to measure. Holds its marker's list of roots, which empties itself when the scope closes, and nothing else of the user's. */
export interface Target {
    readonly id: number;
    readonly kind: string;
    readonly roots: readonly object[];
    readonly marker: Owner;
}
export interface WalkOptions {
    readonly maxObjects: number;
    readonly flatten: boolean;
}
/** The walk over what one scope holds, in as many slices as it takes. Dropping it drops every reference it has. */
export declare class ScopeWalk {
    readonly target: Target;
    private readonly fence;
    private readonly options;
    private readonly walk;
    private readonly seen;
    private readonly texts;
    private readonly containers;
    private external;
    private objects;
    private ropes;
    private truncated;
    constructor(target: Target, fence: Fence, options: WalkOptions);
    /** Goes on until the deadline; true when the walk is over. */
    run(clock: Clock, deadlineMs: number): boolean;
    result(clock: Clock): CensusResult;
    /** One object, or the next elements of the innermost open container; objects first, so that little is pending at any time. */
    private step;
    private resume;
    private noteExternal;
    /** A text that several scopes share is nobody's, and one that the scope refers to twice (content and parts) is charged once. */
    private ownsText;
    /** Containers cut short are taken to go on as they began, the innermost first; elements still pending have not been counted yet. */
    private extrapolated;
}

// dist/sense/census/fence.d.ts
/** The marker of a scope, which tells a closed one; it holds nothing of the user's then. */
export interface Owner {
    readonly state: 'open' | 'closed';
}
/**
 * Where a walk stops: at roots of other scopes, and at what several scopes share, which belongs to none of them.
 *
 * Objects are held weakly. Strings cannot be; the few that are known to be shared (a system prompt) are held until the next generation,
 * bounded by number and by length. An object that nobody found shared again for eight generations counts as unshared.
 */
export declare class Fence {
    /** The owner of a root, or the generation in which an object was last found shared. */
    private marks;
    private texts;
    private lengths;
    private nextTexts;
    private textChars;
    private generation;
    private objectCount;
    /** Shared objects found since the marks were last thrown away. */
    get objects(): number;
    get textCount(): number;
    /** Bytes the fence keeps alive: its table and the shared strings. */
    get retainedBytes(): number;
    /** True when the object is not the scope's own: shared, or the root of another open scope. */
    bars(node: object, owner: Owner): boolean;
    /** Says that this object is a root of the scope; of several open scopes the first to claim it has it. */
    claim(node: object, owner: Owner): void;
    share(node: object): void;
    shareText(text: string): void;
    /** True for a string that several scopes share. The length is looked at first: hashing a long string is not free. */
    barsText(text: string): boolean;
    /** Ends a round of discovery: strings found in it replace the former ones. */
    turn(): void;
    private forget;
}

// dist/sense/fake-clock.d.ts
import type { Clock } from './clock.ts';
/** A clock that moves only when a test says so. */
export declare class FakeClock implements Clock {
    /** Ms by which every look at `monotonic()` moves the clock; gives work a cost. */
    costMs: number;
    private wall;
    private elapsed;
    private order;
    private readonly due;
    constructor(startMs?: number);
    /** Timers that wait. */
    get waiting(): number;
    now(): number;
    monotonic(): number;
    after(ms: number, callback: () => void): () => void;
    /** Lets time pass and fires every timer at its moment. */
    advance(ms: number): void;
    /** A blocked event loop: time passes, no timer fires until the end, then those overdue fire once each. */
    stall(ms: number): void;
    /** Moves the wall clock only, as NTP or an operator does. */
    jump(ms: number): void;
    private move;
    private next;
}

// dist/sense/fake-sensor.d.ts
import type { Sensor, Vitals } from './sensor.ts';
/** A sensor whose next readings a test writes: set `vitals`, or `fail` to make it throw. */
export declare class FakeSensor implements Sensor {
    readonly retainedBytes = 0;
    /** What the next read returns. */
    vitals: Vitals;
    /** Thrown by the next reads when set. */
    fail: Error | undefined;
    reads: number;
    stopped: boolean;
    constructor(vitals?: Partial<Vitals>);
    /** Changes part of what the next reads return. */
    set(change: Partial<Vitals>): void;
    read(): Vitals;
    stop(): void;
}

// dist/sense/process-sensor.d.ts
import type { Clock } from './clock.ts';
import { FloorWatch } from './floor-watch.ts';
import type { Sensor, Vitals } from './sensor.ts';
/** The sensor of this thread: V8 and the event loop for the thread, resident set and control group for the process. */
export declare class ProcessSensor implements Sensor {
    readonly floors: FloorWatch;
    private readonly clock;
    private readonly resident;
    private readonly cgroup;
    private readonly delay;
    private utilization;
    private arrayBuffers;
    private arrayBuffersAt;
    /** `root` is where /proc and /sys are looked for, default "/". */
    constructor(options?: {
        clock?: Clock;
        root?: string;
    });
    get retainedBytes(): number;
    read(): Vitals;
    stop(): void;
    /** Only `process.memoryUsage()` tells this one, at 9 µs for its own look at the resident set: at most once a second. */
    private readArrayBuffers;
}

// dist/sense/sampler.d.ts
import type { Clock } from './clock.ts';
import type { LimitPolicy, Limits } from './limits.ts';
import type { Reading } from './reading.ts';
import { SelfCost } from './self-cost.ts';
import type { Sensor } from './sensor.ts';
export interface SamplerOptions {
    readonly clock?: Clock;
    readonly sensor?: Sensor;
    readonly policy?: LimitPolicy;
    /** Ms between readings, 100 to 60,000; default 1,000. */
    readonly intervalMs?: number;
    /** Ms between readings while `hurry` asks for more, 50 to `intervalMs`; default 250. */
    readonly fastIntervalMs?: number;
    /** Age in ms from which the last reading counts as stale; default 15,000. */
    readonly staleAfterMs?: number;
    /** Counts open scopes; default 0. */
    readonly scopes?: () => number;
    /** Live heap outside every scope, given the floor. */
    readonly unattributed?: (floorBytes: number) => number | undefined;
}
/**
 * Takes a reading every second, four times a second when asked, and publishes it on the channel `plimsoll:reading`.
 *
 * It never throws and never keeps the process alive. When the event loop is blocked the missed readings are not made up for: the next one
 * comes late, says so, and counts once. Intervals are monotonic, so a jump of the wall clock shows in `at` and nowhere else.
 */
export declare class Sampler {
    readonly self: SelfCost;
    private readonly clock;
    private readonly sensor;
    private intervalMs;
    private fastIntervalMs;
    private staleAfterMs;
    private readonly countScopes;
    private readonly outside;
    private readonly listeners;
    private policy;
    private current;
    private limitKey;
    private cancel;
    private dueAt;
    private readAt;
    private hurryUntil;
    private last;
    private majorCount;
    private faultCount;
    private lateCount;
    constructor(options?: SamplerOptions);
    /** The last good reading. */
    get latest(): Reading | undefined;
    /** The limits in force as of the last reading. */
    get limits(): Limits;
    /** Readings that failed: the sensor or a listener threw. */
    get faults(): number;
    /** Readings that came more than five intervals late. */
    get lateTicks(): number;
    /** True when the last good reading is older than `staleAfterMs`: do not act on it. */
    get stale(): boolean;
    /** Begins; the first reading is taken at once. */
    start(): void;
    /** Ends for good and gives the sensor's descriptors back. */
    stop(): void;
    [Symbol.dispose](): void;
    /** Takes readings at the fast interval for the next `forMs`. Calling it again prolongs it. */
    hurry(forMs?: number): void;
    /** Replaces the operator's limits, from the next reading on. */
    setPolicy(policy: LimitPolicy): void;
    /** Changes how often readings are taken, from the next one on; what is left out gets its default. */
    setRhythm(rhythm: Pick<SamplerOptions, 'intervalMs' | 'fastIntervalMs' | 'staleAfterMs'>): void;
    /** Calls the listener with every reading until the returned function is called. */
    onReading(listener: (reading: Reading) => void): () => void;
    /** Takes one reading now, besides the rhythm; undefined when the sensor fails. */
    sample(): Reading | undefined;
    private tick;
    private arm;
    private take;
    private conclude;
    /** A pod may be resized and a policy reloaded while we run; V8's limit never moves. */
    private refreshLimits;
    private guard;
}

// entry @plimsoll/core/policy
// dist/policy/index.d.ts
export type { Budget } from './budget.ts';
export { budgetFor } from './budget.ts';
export { builtInPolicy } from './built-in.ts';
export type { Explanation } from './explain.ts';
export { explain, formatAmount } from './explain.ts';
export { policyJsonSchema } from './json-schema.ts';
export type { PolicyCheck } from './parse.ts';
export { PolicyError, checkPolicy, parsePolicy, positionOf } from './parse.ts';
export { formatLine } from './place.ts';
export type { BudgetRule, Level, LevelRules, Mode, Policy, Rung } from './policy.ts';
export { levels } from './policy.ts';
export { PolicyFile, readPolicyFile } from './policy-file.ts';
export { formatPercent } from './quantity.ts';

// dist/policy/budget.d.ts
import type { Amount, BudgetRule, BudgetSection, ExemptRule, Policy, Priority } from './policy.ts';
import type { ScopeStep } from './scope-path.ts';
/** One number that applies to a scope: its own rule's, or that of something around it. */
export interface BudgetShare {
    /** "process" or "agent:planner": whom the rule is about. */
    readonly of: string;
    readonly max: Amount;
    /** Absent when `max` is a percentage and no limit was given. */
    readonly maxBytes?: number;
    readonly rule: BudgetRule | 'global';
}
/** What a policy gives a scope. */
export interface Budget {
    readonly path: string;
    /** The tightest of the scope's own number and those around it; absent when it depends on a limit that was not given. */
    readonly maxBytes?: number;
    /** The share that gives `maxBytes`. */
    readonly binding?: BudgetShare;
    /** The scope's own share; a scope without one is held by what is around it. */
    readonly own?: BudgetShare;
    /** Every share from the process to the scope. */
    readonly shares: readonly BudgetShare[];
    readonly priority: Priority;
    readonly idleMs?: number;
    readonly priorityRule?: BudgetRule;
    readonly idleRule?: BudgetRule;
    /** Set when the scope or something around it is exempt. */
    readonly exempt?: ExemptRule;
}
/** The section of `budgets` that a scope kind belongs to. */
export declare function sectionOf(kind: string): BudgetSection | undefined;
/** The most specific rule for a kind and name that sets a key. */
export declare function ruleFor(policy: Policy, step: ScopeStep, key: 'max' | 'priority' | 'idleMs'): BudgetRule | undefined;
/** The rule that exempts a kind and name, if one does. */
export declare function exemptionFor(policy: Policy, step: ScopeStep): ExemptRule | undefined;
/** Bytes of an amount; undefined for a percentage of an unknown limit. */
export declare function bytesOfAmount(amount: Amount, limitBytes: number | undefined): number | undefined;
/** Most bytes of the whole process: the global budget, never above the true limit, less the reserve. */
export declare function globalMaxBytes(policy: Policy, limitBytes: number | undefined): number | undefined;
/** What a policy gives the scope at a path such as "process/agent:planner/session:42", against a true limit when it is known. */
export declare function budgetFor(policy: Policy, scopePath: string, limitBytes?: number): Budget;

// dist/policy/policy.d.ts
import type { Glob } from './glob.ts';
import type { Place } from './place.ts';
/** What the governor may do: only watch, watch and report what it would have done, or act. */
export type Mode = 'observe' | 'shadow' | 'enforce';
export declare const modes: readonly ['observe', 'shadow', 'enforce'];
/** The four levels in rising order; a level's number is its index. */
export declare const levels: readonly ['normal', 'warning', 'critical', 'emergency'];
export type Level = (typeof levels)[number];
/** The levels that have enter and exit lines. */
export declare const raisedLevels: readonly ['warning', 'critical', 'emergency'];
export type RaisedLevel = (typeof raisedLevels)[number];
/** When a level begins and ends. Ratios are used / limit. */
export interface LevelRule {
    readonly enterRatio: number;
    readonly exitRatio: number;
    /** How long the ratio has to stay at or above `enterRatio`. */
    readonly forMs: number;
    /** How long the ratio has to stay below `exitRatio` before the level falls. */
    readonly keepMs: number;
}
export type LevelRules = Readonly<Record<RaisedLevel, LevelRule>>;
/** A size, or a share of the true limit. */
export type Amount = {
    readonly bytes: number;
} | {
    readonly ratio: number;
};
/** Who gives way first when memory is short. */
export type Priority = 'critical' | 'normal' | 'sheddable';
export declare const priorities: readonly ['critical', 'normal', 'sheddable'];
/** The scope kinds that have a section of their own in `budgets`, from the outside in. */
export declare const budgetSections: {
    readonly services: 'service';
    readonly agents: 'agent';
    readonly sessions: 'session';
    readonly runs: 'run';
    readonly stages: 'stage';
    readonly tools: 'tool';
};
export type BudgetSection = keyof typeof budgetSections;
/** One entry of `budgets`: what scopes of a kind, with a matching name, may hold. */
export interface BudgetRule {
    readonly section: BudgetSection | 'global';
    readonly glob: Glob;
    readonly max?: Amount | undefined;
    readonly priority?: Priority | undefined;
    readonly idleMs?: number | undefined;
    readonly place: Place;
}
/** One step of the ladder: a known action with its options, and its own mode when the policy gives one. */
export interface Rung {
    readonly action: string;
    readonly options: Readonly<Record<string, unknown>>;
    readonly mode?: Mode;
    readonly place: Place;
}
/** How long the ledger keeps what. */
export interface Retention {
    readonly rawMs: number;
    readonly minuteMs: number;
    readonly hourMs: number;
    readonly maxBytes: number;
}
/** A loaded, checked policy. Frozen: a reload makes a new one. */
export interface Policy {
    readonly file: string;
    /** Number the author gives; 0 when the file has none. */
    readonly revision: number;
    /** Hash of the file's bytes; with `revision` it goes into every ledger row. */
    readonly sha256: string;
    readonly mode: Mode;
    readonly limits: {
        /** Share of V8's old space that counts as usable, because V8 may abort from 80 % of it on. */
        readonly heapUsableRatio: number;
        /** Cap on the working set, beside the cgroup's. */
        readonly rssMaxBytes?: number;
        /** Cap on external memory and array buffers; without it this source is not watched. */
        readonly nativeMaxBytes?: number;
    };
    readonly levels: LevelRules;
    readonly signal: {
        readonly sampleMs: number;
        readonly fastMs: number;
        readonly staleMs: number;
        /** After start only an emergency may rise for this long. */
        readonly graceMs: number;
    };
    readonly global: {
        readonly max: Amount;
        readonly reserveBytes: number;
        readonly place: Place;
    };
    /** Rules of every section but `global`, most specific first within a section. */
    readonly budgets: Readonly<Record<BudgetSection, readonly BudgetRule[]>>;
    readonly ladder: Readonly<Record<RaisedLevel, readonly Rung[]>>;
    readonly retention: Retention;
    /** Scopes, with everything inside them, that get no level and no action. */
    readonly exempt: readonly ExemptRule[];
    /** Things that are allowed but probably not meant. */
    readonly notes: readonly PolicyNote[];
}
export interface ExemptRule {
    readonly kind: string;
    readonly glob: Glob;
    readonly place: Place;
}
export interface PolicyNote {
    readonly text: string;
    readonly place: Place;
}

// dist/policy/glob.d.ts
/** A name pattern: `*` stands for any characters, `?` for exactly one, everything else for itself. */
export interface Glob {
    readonly text: string;
    /** Literal and `?` characters; of two globs that match, the one with more of them wins. */
    readonly specificity: number;
    /** True when the glob has no wildcard, so that it beats every glob that has one. */
    readonly exact: boolean;
    readonly matches: (name: string) => boolean;
}
export declare function compileGlob(text: string): Glob;
/** Orders globs from the most to the least specific. */
export declare function bySpecificity(a: Glob, b: Glob): number;
/** True when neither of two globs is more specific and some name matches both: which one wins would be a guess. */
export declare function isTie(a: Glob, b: Glob): boolean;
/** Whether some name matches both patterns, by walking both at once. */
export declare function overlap(a: string, b: string): boolean;

// dist/policy/place.d.ts
/** A position in a policy file, both counted from 1 as editors do. */
export interface Place {
    readonly file: string;
    readonly line: number;
    readonly column: number;
}
/** "plimsoll.yaml:7:5". */
export declare function formatPlace(place: Place): string;
/** "plimsoll.yaml:7": enough to find a rule, short enough for a ledger row. */
export declare function formatLine(place: Place): string;
/** A path of keys as people write it: `budgets.agents."research-*".max`, `ladder.warning[0]`. */
export declare function formatKeyPath(path: readonly (string | number)[]): string;

// dist/policy/scope-path.d.ts
/** One step of a scope path: `session:42` is the kind "session" with the name "42". */
export interface ScopeStep {
    readonly kind: string;
    readonly name: string;
}
/** The steps of "process/agent:planner/session:42" from the outside in, without the process itself. "agent:planner/session:42" means the same. */
export declare function parseScopePath(path: string): readonly ScopeStep[];
/** "session:42", escaped as in a scope path. */
export declare function formatStep(step: ScopeStep): string;

// dist/policy/built-in.d.ts
import type { LevelRules, Policy } from './policy.ts';
/** The named sets of levels a policy can choose; `strict` is what a policy without `levels` gets. */
export declare const levelPresets: Readonly<Record<'strict' | 'relaxed', LevelRules>>;
/** The policy of a process that was given none: it watches and never acts. Every value a policy file leaves out comes from here. */
export declare const builtInPolicy: Policy;

// dist/policy/explain.d.ts
import type { Amount, BudgetRule, Policy } from './policy.ts';
/** Why a scope gets the numbers it gets, rule by rule. */
export interface Explanation {
    readonly path: string;
    readonly policy: {
        readonly file: string;
        readonly revision: number;
        readonly sha256: string;
    };
    readonly mode: string;
    readonly values: readonly ExplainedValue[];
    /** Rules of the kinds on the path that gave nothing, with the reason. */
    readonly unused: readonly {
        readonly rule: string;
        readonly place: string;
        readonly why: string;
    }[];
}
export interface ExplainedValue {
    readonly key: 'max' | 'priority' | 'idle' | 'exempt';
    readonly value: string;
    readonly bytes?: number;
    /** The rule and its place, or "built-in". */
    readonly from: string;
    readonly why?: string;
}
/** Says which rule (file:line) gave which number to a scope and why others did not match. */
export declare function explain(policy: Policy, scopePath: string, limitBytes?: number): Explanation;
/** "8.0 MiB" or "25 % of the true limit". */
export declare function formatAmount(amount: Amount): string;
/** `agents "research-*" (plimsoll.yaml:21)`. */
export declare function describeRule(rule: BudgetRule): string;

// dist/policy/json-schema.d.ts
import type { JsonSchema } from './shape.ts';
/** The JSON Schema (2020-12) of a policy file, for completion and checks in editors. */
export declare function policyJsonSchema(): JsonSchema;

// dist/policy/shape.d.ts
/**
 * The shape of a policy document as data: one definition gives the loader its checks, every error its words
 * and editors their JSON Schema, so the three cannot drift apart.
 */
export type Shape<T = unknown> = Leaf<T> | Table<T> | Named<T> | List<T> | Choice<T>;
/** A scalar with one accepted form. */
export interface Leaf<T> {
    readonly kind: 'leaf';
    /** Reads after "it has to be": "a size with a unit such as 64MiB". */
    readonly accepted: string;
    /** A value to show in a fix. */
    readonly example: string;
    /** Set when a bare number is refused because its unit would be a guess. */
    readonly unit?: 'size' | 'duration' | 'percent';
    /** The accepted words, when the form is a list of words. */
    readonly words?: readonly string[];
    /** The words are names of actions, which have their own error. */
    readonly actions?: boolean;
    readonly read: (value: string | number | boolean) => T | undefined;
    readonly json: JsonSchema;
}
/** A map with fixed keys; any other key is refused. */
export interface Table<T> {
    readonly kind: 'table';
    /** "a budget": used in "is not a key of a budget". */
    readonly noun: string;
    readonly keys: Readonly<Record<string, Key>>;
    /** Exactly one key has to be present: the map names one thing and gives its options. */
    readonly single?: boolean;
    /** The keys are names of actions, which have their own error. */
    readonly actions?: boolean;
    readonly value?: T;
}
export interface Key<T = unknown, R extends boolean = boolean> {
    readonly shape: Shape<T>;
    readonly about: string;
    readonly required: R;
}
/** A map from names (or globs) the author chooses to values of one shape. */
export interface Named<T> {
    readonly kind: 'named';
    readonly noun: string;
    readonly item: Shape;
    readonly value?: T;
}
export interface List<T> {
    readonly kind: 'list';
    readonly noun: string;
    readonly item: Shape;
    readonly value?: T;
}
/** Either a word or a map, told apart by what is written. */
export interface Choice<T> {
    readonly kind: 'choice';
    readonly word: Leaf<unknown>;
    readonly table: Shape;
    readonly value?: T;
}
export type JsonSchema = {
    readonly [key: string]: unknown;
};
export type ValueOf<S> = S extends Shape<infer T> ? T : never;
type Keys = Record<string, Key>;
type KeysWith<K extends Keys, R extends boolean> = {
    [P in keyof K]: K[P] extends Key<unknown, R> ? P : never;
}[keyof K];
export type TableValue<K extends Keys> = {
    readonly [P in KeysWith<K, true>]: ValueOf<K[P]['shape']>;
} & {
    readonly [P in KeysWith<K, false>]?: ValueOf<K[P]['shape']>;
};
export declare function required<T>(shape: Shape<T>, about: string): Key<T, true>;
export declare function optional<T>(shape: Shape<T>, about: string): Key<T, false>;
export declare function table<K extends Keys>(noun: string, keys: K): Table<TableValue<K>>;
export declare function named<T>(noun: string, item: Shape<T>): Named<Readonly<Record<string, T>>>;
export declare function list<T>(noun: string, item: Shape<T>): List<readonly T[]>;
export {};

// dist/policy/parse.d.ts
import { PlimsollError } from '../errors.ts';
import type { Policy } from './policy.ts';
/** What reading a policy text gave: the policy, or every problem in it. */
export type PolicyCheck = {
    readonly policy: Policy;
    readonly problems: readonly [];
} | {
    readonly policy?: never;
    readonly problems: readonly PlimsollError[];
};
/** A policy that was refused, with each problem apart. One problem is thrown as itself, several as PLM_POLICY_SEVERAL. */
export declare class PolicyError extends PlimsollError {
    readonly problems: readonly PlimsollError[];
    constructor(file: string, problems: readonly PlimsollError[]);
}
/** Checks a policy text without throwing. `file` is the name used in positions. */
export declare function checkPolicy(text: string, file: string): PolicyCheck;
/** Where a problem is, read back from its text; line 0 when it is about the file as a whole. */
export declare function positionOf(problem: PlimsollError): {
    readonly line: number;
    readonly column: number;
};
/** The policy of a YAML text; throws a `PolicyError` with `file:line:column` for each fault. */
export declare function parsePolicy(text: string, file: string): Policy;

// dist/policy/policy-file.d.ts
import type { PlimsollError } from '../errors.ts';
import type { Policy } from './policy.ts';
/** Told after each successful reload. */
export type PolicySwapListener = (policy: Policy, before: Policy) => void;
export interface PolicyFileOptions {
    /** Time between looks at the file in ms; 2000 by default, at least 10. */
    readonly pollMs?: number;
    /** How long the file has to stay unchanged before it is read, in ms; 200 by default. Editors write in several steps. */
    readonly settleMs?: number;
    /** Told when a changed file is refused; the policy in force stays. Without it a process warning is emitted. */
    readonly onRefused?: (error: PlimsollError, kept: Policy) => void;
}
/**
 * A policy file that is watched while the process runs. A change is read, checked as a whole and swapped in at once; a faulty
 * one is reported and the last good policy stays in force. It polls the file's stamp, because `fs.watch` does not see the
 * symbolic-link swap of a Kubernetes ConfigMap nor changes on network file systems; one `stat` every 2 s costs nothing.
 */
export declare class PolicyFile implements Disposable {
    #private;
    readonly path: string;
    /** Reads the file; throws when it cannot be read or is faulty, because at start there is no last good one. */
    constructor(path: string, options?: PolicyFileOptions);
    /** The policy in force. */
    get current(): Policy;
    /** Why the file as it is now was refused; undefined when the policy in force is the file's. */
    get problem(): PlimsollError | undefined;
    /** Adds a listener for swaps and returns its removal. A listener that throws harms nobody. */
    onSwap(listener: PolicySwapListener): () => void;
    /** Reads the file now. True when a new policy is in force. */
    reload(): boolean;
    close(): void;
    [Symbol.dispose](): void;
}
/** Reads and checks a policy file. `shown` is the name used in positions, when the path is longer than what the user wrote. */
export declare function readPolicyFile(path: string, shown?: string): Policy;

// dist/policy/quantity.d.ts
import type { Amount } from './policy.ts';
import type { Leaf } from './shape.ts';
/** Ratio of "60%"; undefined when the text is no percentage. */
export declare function parsePercent(text: string): number | undefined;
/** "60 %", "62.5 %". */
export declare function formatPercent(ratio: number): string;
export declare function size(example: string, atLeastBytes?: number): Leaf<number>;
export declare function duration(example: string, atLeastMs: number, atMostMs: number): Leaf<number>;
export declare function percent(example: string): Leaf<number>;
/** A size, or a percentage of the true limit. */
export declare function amount(example: string): Leaf<Amount>;
export declare function word<W extends string>(noun: string, words: readonly W[]): Leaf<W>;
/** A whole number that counts something, so it has no unit. */
export declare function count(noun: string, example: string): Leaf<number>;
/** "service:billing": a scope kind and a glob for its name. */
export declare function selector(example: string): Leaf<{
    readonly kind: string;
    readonly name: string;
}>;

// entry @plimsoll/core/govern
// dist/govern/index.d.ts
export type { ActionRecord } from './action.ts';
export type { GovernorOptions, RaisedLevelRow } from './governor.ts';
export { Governor } from './governor.ts';
export type { LevelChange, LevelSource } from './level-change.ts';
export { LevelMachine } from './level-machine.ts';
export { limitPolicyOf } from './limit-policy.ts';
export type { GovernedReading } from './process-levels.ts';
export type { GovernedScope } from './scope-table.ts';
export { TimeToLimit } from './time-to-limit.ts';
export { builtInPolicy } from '../policy/built-in.ts';
export type { Level, Mode, Policy } from '../policy/policy.ts';
export { levels } from '../policy/policy.ts';

// dist/govern/action.d.ts
import type { LevelChange } from './level-change.ts';
import type { Level, Mode } from '../policy/policy.ts';
/** What an action gets to know. */
export interface ActionContext {
    readonly change: LevelChange;
    readonly options: Readonly<Record<string, unknown>>;
}
/** What an action did. */
export interface ActionEffect {
    /** One sentence with the numbers. */
    readonly text: string;
    readonly freedBytes: number;
}
/** Carries an action out. Throws when it could not. */
export type ActionRunner = (context: ActionContext) => ActionEffect;
/** One action as it goes out on the channel `plimsoll:action` and into the ledger. */
export interface ActionRecord {
    readonly action: string;
    readonly scope: string;
    readonly level: Level;
    /** `would-have` in shadow mode: nothing was done. */
    readonly outcome: 'done' | 'would-have' | 'failed';
    readonly mode: Mode;
    readonly text: string;
    readonly freedBytes: number;
    /** The rung: `ladder.warning (plimsoll.yaml:30)`. */
    readonly rule: string;
    readonly change: LevelChange;
    readonly at: number;
    readonly policy: {
        readonly revision: number;
        readonly sha256: string;
    };
}

// dist/govern/level-change.d.ts
import type { Level, Mode } from '../policy/policy.ts';
/**
 * What a level change is about: a limit of the process, or the account of a scope. `closed` and `no-budget` end the level of a scope
 * that is gone, or that a new policy gives no budget.
 */
export type LevelSource = 'heap' | 'cgroup' | 'rss' | 'native' | 'policy' | 'account' | 'closed' | 'no-budget';
/** One change of a level, as it goes out on the channel `plimsoll:level` and into the ledger. */
export interface LevelChange {
    /** Scope path; "process" for the process itself. */
    readonly scope: string;
    readonly level: Level;
    readonly from: Level;
    readonly ratio: number;
    readonly usedBytes: number;
    readonly limitBytes: number;
    readonly source: LevelSource;
    /** The rule behind the limit: `sessions "*" (plimsoll.yaml:21)`, "limits.heap", "open(..., { budget })". */
    readonly rule: string;
    /** Set when a forecast and not the ratio alone raised the level. */
    readonly timeToLimitMs?: number;
    /** Wall time in ms. */
    readonly at: number;
    readonly mode: Mode;
    readonly policy: {
        readonly revision: number;
        readonly sha256: string;
    };
}

// dist/govern/governor.d.ts
import type { Level, Mode, Policy } from '../policy/policy.ts';
import type { Clock } from '../sense/clock.ts';
import type { LevelChange, LevelSource } from './level-change.ts';
import type { GovernedReading } from './process-levels.ts';
import type { GovernedScope, ScopeRow } from './scope-table.ts';
export interface GovernorOptions {
    /** The policy; without one the built-in one, which observes. */
    readonly policy?: Policy;
    readonly clock?: Pick<Clock, 'now' | 'monotonic' | 'after'>;
    /** Open scopes, asked at start and after each policy swap; none by default. */
    readonly scopes?: () => Iterable<GovernedScope>;
    /** Bytes that count against the budget of a scope; what its account holds by default. */
    readonly bytesOf?: (scope: Pick<ScopeRow, 'id' | 'kind' | 'name' | 'account'>) => number;
    /** Most scopes looked at per tick, 20,000 by default; more take several ticks. */
    readonly maxScopesPerTick?: number;
    /** Most scopes that have a level at once, 1,024 by default; the fullest are kept. */
    readonly maxWatched?: number;
}
/** A subject that is not at normal level. */
export interface RaisedLevelRow {
    readonly scope: string;
    readonly level: Level;
    readonly ratio: number;
    readonly usedBytes: number;
    readonly limitBytes: number;
    readonly source: LevelSource;
    readonly rule: string;
}
/**
 * Turns readings into levels: one for the process, from each of its limits, and one for every scope that comes near its budget.
 * It never measures; it is told. Each change goes to the listeners and to the channel `plimsoll:level`, and a rise runs the ladder.
 */
export declare class Governor implements Disposable {
    #private;
    constructor(options?: GovernorOptions);
    get policy(): Policy;
    /** The level of the process. */
    get level(): Level;
    /** The mode in force: that of the policy, or observe while readings are missing. */
    get mode(): Mode;
    /** True when no reading came for the time of `signal.stale`: levels are held and nothing acts. */
    get stale(): boolean;
    /** How soon the next reading is wanted. */
    get intervalMs(): number;
    /** Forecast of the heap in ms; infinite when it does not grow. */
    get timeToLimitMs(): number;
    /** Scopes with a budget, scopes with a level machine, and scopes near their budget that got none because there were too many. */
    get counts(): {
        readonly budgeted: number;
        readonly watched: number;
        readonly unwatched: number;
    };
    /** Begins to follow scopes: those that are open now and those that open later. */
    start(): void;
    /** Ends for good. */
    stop(): void;
    [Symbol.dispose](): void;
    /** Takes a scope that has opened. `start` does this for every scope of the process. */
    opened(scope: GovernedScope): void;
    /** Adds a listener for level changes and returns its removal. */
    onLevel(listener: (change: LevelChange) => void): () => void;
    /** Puts another policy in force. Levels stay where they are and move by the new lines from the next tick on. */
    setPolicy(policy: Policy): void;
    /** Takes a reading: the one thing that moves levels. Never throws. */
    tick(reading: GovernedReading): void;
    /** Everything above normal: the process first, then scopes, highest level and fullest first. */
    raised(): readonly RaisedLevelRow[];
}

// dist/govern/process-levels.d.ts
import type { LevelRules, Policy } from '../policy/policy.ts';
import type { LevelSource } from './level-change.ts';
import { LevelMachine } from './level-machine.ts';
/** The part of a reading that governing needs. */
export interface GovernedReading {
    /** Wall time, ms since the epoch. */
    readonly at: number;
    readonly heapUsed: number;
    readonly floor?: number;
    readonly floorAgeMs?: number;
    /** Ordinal of the last major GC. */
    readonly majors: number;
    readonly rss: number;
    /** Every limit with what counts against it. */
    readonly pressures: readonly {
        readonly source: 'heap' | 'cgroup' | 'native' | 'policy';
        readonly used: number;
        readonly limit: number;
    }[];
    /** Ms by which the reading came late. */
    readonly lateMs: number;
}
/** One limit of the process with its own level, so that each recovers on its own. */
interface SourceLevel {
    readonly source: LevelSource;
    readonly machine: LevelMachine;
    usedBytes: number;
    limitBytes: number;
    seen: boolean;
}
/** The level of the process: the highest of its sources. */
export declare class ProcessLevels {
    #private;
    constructor(rules: LevelRules, startMs: number, graceMs: number);
    setRules(rules: LevelRules): void;
    /** Forecast of the heap, in ms; infinite when it does not grow. */
    get timeToLimitMs(): number;
    tick(nowMs: number, intervalMs: number, reading: GovernedReading, policy: Policy): void;
    /** The source with the highest level, of equals the one nearest to its limit. */
    highest(): SourceLevel | undefined;
}
/** The rule behind a limit of the process. */
export declare function ruleOfSource(source: LevelSource, policy: Policy): string;
export {};

// dist/govern/level-machine.d.ts
import type { Level, LevelRules } from '../policy/policy.ts';
/**
 * The level of one used/limit ratio over time. Pure: it has no clock, the same ticks give the same levels.
 *
 * - A level rises when the ratio stays at or above `enter` for `for`; rises may skip levels.
 * - A dip that stays above `exit` is noise as long as at most 2 of the last 10 samples are dips; it costs four samples of the time earned.
 * - A line crossed back and forth within a minute needs 20 samples in a row (an emergency does not wait for that).
 * - A level falls when the ratio stays below `exit` for `keep`, and stops at the highest level for which that is not so.
 * - A tick more than five intervals late counts as one sample, so a blocked loop neither raises nor lowers a level; so does a clock that jumps.
 * - A forecast of less than a minute to the limit lifts the level by one; it holds until the forecast has been better than 90 s for a minute.
 */
export declare class LevelMachine {
    #private;
    /** `graceUntilMs` is on the clock of `tick`; before it only an emergency rises. */
    constructor(rules: LevelRules, graceUntilMs?: number);
    get level(): Level;
    /** The level as a number, 0 for normal to 3 for emergency. */
    get index(): number;
    /** True while a forecast lifts the level. */
    get lifted(): boolean;
    /** Takes other lines from now on; the level and the time earned so far stay. */
    setRules(rules: LevelRules): void;
    /**
     * Takes one sample. `nowMs` is monotonic; `intervalMs` is when the sample was due after the previous one.
     * A ratio that is no number (a sensor that failed) changes nothing.
     */
    tick(nowMs: number, ratio: number, intervalMs: number, timeToLimitMs?: number): Level;
}

// dist/govern/scope-table.d.ts
import type { Policy } from '../policy/policy.ts';
import type { Amount, BudgetRule } from '../policy/policy.ts';
import type { LevelMachine } from './level-machine.ts';
/** The part of a scope that governing needs. */
export interface GovernedScope {
    readonly id: number;
    readonly kind: string;
    readonly name: string;
    readonly path: string;
    readonly parent?: GovernedScope | undefined;
    readonly budget?: number | undefined;
    readonly account: GovernedAccount;
}
export interface GovernedAccount {
    readonly held: number;
    /** True once the scope has closed. */
    readonly closed?: boolean;
}
/**
 * One open scope that has a budget. It holds the account and not the scope: a strong reference would keep an abandoned scope
 * from being noticed.
 */
export interface ScopeRow {
    readonly id: number;
    readonly kind: string;
    readonly name: string;
    readonly parentPath: string;
    readonly account: GovernedAccount;
    budgetBytes: number | undefined;
    /** Amounts around it that may be tighter than its own. */
    readonly around: readonly Amount[];
    readonly rule: BudgetRule | undefined;
    limitBytes: number;
    /** What gives `limitBytes`: its rule, the budget its code gave, or something around it. */
    boundBy: 'rule' | 'code' | 'around';
    /** From here on the scope gets a level machine: half of the warning line. */
    watchBytes: number;
    machine: LevelMachine | undefined;
    usedBytes: number;
}
export declare function pathOf(row: ScopeRow): string;
/** The open scopes that have a budget, in an array that is walked in turns and swept of closed ones, so that it is bounded by what is open. */
export declare class ScopeTable {
    #private;
    constructor(policy: Policy, left: (row: ScopeRow, why: 'closed' | 'no-budget') => void);
    get size(): number;
    /** Takes a scope that has opened. It is looked at when the rows are walked next: most scopes have closed by then and cost nothing. */
    add(scope: GovernedScope): void;
    /** Takes a scope whose own budget was set anew; its level goes on against the new number. */
    rebudget(scope: GovernedScope): void;
    /** Takes a policy and every open scope anew; machines of scopes that still have a budget stay. */
    replace(policy: Policy, scopes: Iterable<GovernedScope>): void;
    /** Takes a new true limit; only percentages depend on it. */
    setLimit(limitBytes: number): void;
    /** Walks at most `max` rows from where the last walk ended, dropping closed ones. */
    walk(max: number, visit: (row: ScopeRow) => void): void;
    /** Every row, for reports. */
    rows(): readonly ScopeRow[];
}
/** The rule behind the limit of a row. */
export declare function ruleOfRow(row: ScopeRow): string;

// dist/govern/limit-policy.d.ts
import type { Policy } from '../policy/policy.ts';
import type { LimitPolicy } from '../sense/limits.ts';
/** The part of a policy that the sampler needs to know: which limits the operator adds to those of V8 and the container. */
export declare function limitPolicyOf(policy: Policy): LimitPolicy;

// dist/govern/time-to-limit.d.ts
/** Forecasts when live memory reaches its limit, from the floors after the last major GCs. */
export declare class TimeToLimit {
    #private;
    /** Takes the live bytes after a major GC; `nowMs` is monotonic. */
    add(nowMs: number, floorBytes: number): void;
    /** Milliseconds until the limit is reached at the present growth; infinite when it does not grow or too little is known. */
    forecast(nowMs: number, limitBytes: number): number;
}

// entry @plimsoll/core/detect
// dist/detect/index.d.ts
export { severities, type Finding, type Severity, type TraceStep } from './finding.ts';
export { FindingBook, type Claim } from './finding-book.ts';
export { Detector } from './detector.ts';
export type { DetectorOptions, DetectorSample, Suspicion } from './detector.ts';
export { ReadingFeed, type ProcessFacts } from './reading-feed.ts';
export { ProbeGc, type LoopState, type ProbeGcOptions } from './survivors/probe-gc.ts';
export { Survivors, type SurvivorSource, type SurvivorsOptions } from './survivors/survivors.ts';
export type { SurvivorGroup } from './survivors/survivor-group.ts';
export type { Band, Forecast } from './waterline/forecast.ts';
export type { HistoryCurve } from './waterline/history-curve.ts';
export type { FloorEvent, VitalSample } from './waterline/waterline.ts';

// dist/detect/finding.d.ts
/** How grave a finding is, in rising order. */
export type Severity = 'info' | 'low' | 'medium' | 'high' | 'critical';
export declare const severities: readonly Severity[];
/** One step of a leak trace, root first. */
export interface TraceStep {
    readonly type: string;
    readonly name: string;
    readonly via: string;
    readonly retainedBytes?: number;
    readonly scope?: string;
    readonly leaking: 'no' | 'maybe' | 'yes';
    readonly why: string;
}
/** One claim with its evidence. The same fingerprint is one finding with a count, for ever. */
export interface Finding {
    readonly id: string;
    readonly kind: 'survivor' | 'growth' | 'listener' | 'budget' | 'delegation';
    readonly severity: Severity;
    readonly scope: string;
    readonly fingerprint: string;
    readonly firstSeen: number;
    readonly lastSeen: number;
    readonly count: number;
    readonly bytes: number;
    /** Bytes per hour. */
    readonly rate?: number;
    readonly exhaustsIn?: {
        readonly ms: number;
        readonly low: number;
        readonly high: number;
    };
    readonly trace?: readonly TraceStep[];
    readonly knownLeak?: {
        readonly name: string;
        readonly cure: string;
        readonly link: string;
    };
    readonly fix: string;
}

// dist/detect/finding-book.d.ts
import type { Finding, Severity } from './finding.ts';
/** What a claim says; the book adds its identity, its dates and its count. */
export type Claim = Omit<Finding, 'id' | 'firstSeen' | 'lastSeen' | 'count'> & {
    /** How many at once, e.g. survivors; default 1. */
    readonly times?: number;
};
/**
 * The findings of a process, one per fingerprint: the same claim again raises the count and the date.
 *
 * A finding is published on `plimsoll:finding` when it is new and whenever its severity changes; a repeated claim alone is silent, so
 * that a listener may page on every message. Bounded: beyond 256 fingerprints the one seen longest ago makes room.
 */
export declare class FindingBook {
    private readonly byFingerprint;
    /** Begins with what the ledger knows, so that a finding keeps its id, first date and count across restarts. */
    constructor(known?: Iterable<Finding>);
    get findings(): readonly Finding[];
    get(fingerprint: string): Finding | undefined;
    /**
     * Enters a claim made at a time in ms since the epoch and returns its finding. `isAgain` says that this is another occurrence; the
     * same one told again does not count, and its severity only rises, so that a forecast near a threshold does not flap.
     */
    enter(claim: Claim, at: number, isAgain?: boolean): Finding;
}
/** The graver of two. */
export declare function worseSeverity(a: Severity, b: Severity): Severity;

// dist/detect/detector.d.ts
import type { Finding } from './finding.ts';
import type { LoopState } from './survivors/probe-gc.ts';
import type { Survivors } from './survivors/survivors.ts';
import type { ChannelName, ChannelState } from './waterline/channel.ts';
import type { Band, Forecast } from './waterline/forecast.ts';
import type { HistoryCurve } from './waterline/history-curve.ts';
import { Waterline } from './waterline/waterline.ts';
import type { FloorEvent, VitalSample } from './waterline/waterline.ts';
export interface DetectorOptions {
    /** Bytes that live heap, external and native growth together may reach. */
    readonly budgetBytes: number;
    /** Floor by uptime in earlier runs, from the ledger. */
    readonly history?: HistoryCurve;
    /** The live scope watch; left out when only a number of survivors is fed. */
    readonly survivors?: Survivors;
    /** Findings of earlier runs: they keep their id, first date and count. */
    readonly known?: Iterable<Finding>;
    /** Factors of the forecast's band, when the ledger has better ones. */
    readonly band?: Band;
}
/** A sample with the wall time it was taken at, and what the scope watch needs to know of the loop. */
export interface DetectorSample extends VitalSample {
    /** Ms since the epoch. */
    readonly at: number;
    /** Closed scopes alive after three major GCs, where a number is all there is. */
    readonly survivors?: number;
    readonly loop?: LoopState;
}
/** What statistics or a first look suggest and nothing has confirmed. It pages nobody: it asks for denser floors and a probe. */
export interface Suspicion {
    readonly kind: 'growth' | 'survivor';
    /** Channel, or kind and label of the survivors. */
    readonly subject: string;
}
/**
 * Finds leaks from what it is fed; it has no clock, starts nothing and never throws on a bad sample.
 *
 * Two instruments: the scope watch confirms what a closed scope left behind, the Waterline finds growth that no scope covers. A
 * suspicion is not a finding. Feed it every floor and a sample about once a minute, in order.
 */
export declare class Detector {
    readonly waterline: Waterline;
    private readonly book;
    private readonly survivors;
    private readonly rule;
    private readonly band;
    private readonly budget;
    private isRetaining;
    private usedRatio;
    private lastFloor;
    private reported;
    private reportedTests;
    private reportedSurvivors;
    constructor(options: DetectorOptions);
    /** Everything found, one entry per fingerprint. */
    get findings(): readonly Finding[];
    /** Whether something confirmed is still going on. */
    get isLeaking(): boolean;
    get state(): ChannelState;
    get suspicions(): readonly Suspicion[];
    /** Time to exhaustion of the growth that gets there first. */
    get exhaustsIn(): Forecast | undefined;
    /** Takes the floor of a major GC. */
    floor(event: FloorEvent): void;
    /** Takes a sample and enters what is new into the findings. */
    sample(sample: DetectorSample): void;
    private tellGrowth;
    private foresee;
    /** Survivors known by number only: kind and label are not. */
    private countSurvivors;
    private tellSurvivors;
    private survivorClaim;
    private growthNow;
}
/** Group key of growth in a channel; the same across restarts. */
export declare function growthFingerprint(channel: ChannelName): string;

// dist/detect/survivors/probe-gc.d.ts
/** A full garbage collection on demand, or undefined where it cannot be had. */
export type CollectGarbage = () => void;
/** What the probe asks of the loop before it stops it. */
export interface LoopState {
    /** Share of the time since the previous reading that the loop was busy, 0 to 1. */
    readonly loopUtilization: number;
    /** Live heap bytes, from which the pause is estimated before the first probe. */
    readonly heapBytes: number;
}
export interface ProbeGcOptions {
    /** Collects; default V8's own, obtained without a command line flag. */
    readonly collect?: CollectGarbage | undefined;
    /** Ms between two probes, at least 1,000; default 300,000. */
    readonly intervalMs?: number;
    /** Longest pause in ms that a probe may be expected to take; default 200. */
    readonly pauseBudgetMs?: number;
    /** The loop counts as idle below this share of busy time; default 0.5. */
    readonly idleBelow?: number;
    /** Monotonic ms, to time the pause. */
    readonly now?: () => number;
}
/**
 * A major GC asked for when somebody waits for its answer: at most one per interval, only on an idle loop, and only when the pause that
 * the last one took says that the next will fit the budget.
 */
export declare class ProbeGc {
    private readonly collect;
    private readonly intervalMs;
    private readonly pauseBudgetMs;
    private readonly idleBelow;
    private readonly now;
    private msPerByte;
    private lastAt;
    private ran;
    private refused;
    private pauseMs;
    constructor(options?: ProbeGcOptions);
    /** Whether there is a collector to ask at all. */
    get available(): boolean;
    /** Probes run and refused so far, and the pause of the last one. */
    get tally(): {
        readonly ran: number;
        readonly refused: number;
        readonly lastPauseMs: number;
    };
    /** Collects if the policy allows it now; true when it did. */
    run(loop: LoopState): boolean;
}
/** V8's `gc` without `--expose-gc` on the command line: the flag is read when a context is made. */
export declare function exposedGc(): CollectGarbage | undefined;

// dist/detect/survivors/survivors.d.ts
import type { LingeringScope } from '../../scope/roster.ts';
import type { Watched } from '../../scope/watch-list.ts';
import type { LoopState, ProbeGc } from './probe-gc.ts';
import type { SurvivorGroup } from './survivor-group.ts';
/** What the watch reads: the roster, or anything shaped like it. */
export interface SurvivorSource {
    watched(): Iterable<Watched>;
    lingering(): Iterable<LingeringScope>;
    readonly majorGcEpoch: number;
}
export interface SurvivorsOptions {
    readonly source: SurvivorSource;
    /** Asked for a major GC before anything is confirmed; without one, twice as many natural GCs are waited for. */
    readonly probe?: ProbeGc | undefined;
    /** Major GCs something may survive after its scope closed; default 3. */
    readonly majors?: number;
    /** Largest share of one core that looking may take; default 0.001. */
    readonly cpuRatio?: number;
    /** Monotonic ms, to time the look. */
    readonly now?: () => number;
}
/**
 * The scope watch: what a closed scope left behind, alive after three major GCs.
 *
 * Objects are judged in groups of one kind and label. A group is a suspicion until a probe GC has run for it and its members were still
 * there a second later, asked by `deref`; where no probe may run, it is confirmed after twice as many natural GCs. A look is spaced so
 * that looking never takes more than its share of a core, however many objects are watched.
 */
export declare class Survivors {
    private readonly source;
    private readonly probe;
    private readonly majors;
    private readonly cpuRatio;
    private readonly now;
    private readonly groups;
    private looks;
    private notBefore;
    private lookedEpoch;
    private dropped;
    constructor(options: SurvivorsOptions);
    /** Groups that found no room among the 256 followed ones. */
    get overflow(): number;
    /** Members of confirmed groups at the last look. */
    get count(): number;
    /** Every group with a member that is due, as of the last look. */
    list(): readonly SurvivorGroup[];
    /** Looks again if it is time and a major GC has passed or a probe is open; true when the list may have changed. */
    inspect(loop: LoopState): boolean;
    private look;
    private meet;
    private judge;
}

// dist/detect/survivors/survivor-group.d.ts
/** Survivors that have the same kind of scope and the same label: one suspicion, and once confirmed one finding. */
export interface SurvivorGroup {
    readonly fingerprint: string;
    /** Kind of the scope that closed. */
    readonly kind: string;
    /** Label of the watch, or `scope` for the scope object itself. */
    readonly label: string;
    /** Path of the one that closed first among those still alive. */
    readonly example: string;
    /** Alive after three major GCs, at the last look. */
    readonly alive: number;
    /** When the oldest of them closed, ms since the epoch. */
    readonly closedAt: number;
    readonly state: 'suspect' | 'confirmed';
}
/** Group key that stays the same across restarts. */
export declare function survivorFingerprint(kind: string, label: string): string;

// dist/detect/waterline/channel.d.ts
import type { Verdict } from './shape-test.ts';
export type ChannelName = 'heap' | 'external' | 'native' | 'population';
/** How sure the statistics are. */
export type ChannelState = 'none' | 'suspect' | 'confirmed';
export interface ChannelOptions {
    readonly name: ChannelName;
    /** Growth below this is not told, in the channel's unit. */
    readonly minGrowth: number;
    readonly growRoom?: number;
    readonly growLevel?: number;
    readonly useLoad?: boolean;
    readonly useHistory?: boolean;
    /** Seconds of history before the first test. */
    readonly minSpan?: number;
    /** Whether a bucket is its lowest observation rather than the mean. */
    readonly lowest: boolean;
    readonly wander: number;
    readonly remaining?: number;
    /** Odds needed beyond those of the heap. */
    readonly extraOdds?: number;
}
/** One quantity of the process under the shape test: its timeline, when it is tested, and what has been concluded. */
export declare class Channel {
    readonly name: ChannelName;
    readonly verdict: Verdict;
    state: ChannelState;
    /** Value at which the channel hits its limit, kept current by the owner; infinite when nothing says. */
    limit: number;
    /** Bytes inside the limit that the channel's value leaves out. */
    aside: number;
    /** Seconds to exhaustion as of the last test. */
    tte: number;
    /** Last bucket's value, and what one unit of load takes. */
    level: number;
    loadSlope: number;
    /** Tests run, trends looked at. */
    tests: number;
    looks: number;
    /** How the last look ended. */
    outcome: string;
    private readonly options;
    private readonly timeline;
    private readonly hours;
    private readonly shapeTest;
    private readonly bucket;
    private readonly input;
    private despikedBy;
    private testedAt;
    private first;
    private now;
    private bucketEnd;
    private nextLook;
    private hits;
    private hitSince;
    private harmlessTests;
    constructor(options: ChannelOptions);
    /** Adds an observation at `t` seconds of uptime. What is not a number, or older than the last one, is left out. */
    add(t: number, y: number, load: number, requests: number, history?: number, attributed?: number): void;
    /**
     * Goes on with a test in progress, one kind of noise at a time, so that no single event takes long. Called with every sample; the
     * steps of a test are done well before the next bucket closes.
     */
    work(): void;
    private close;
    /** The cheap look: a trend of some size, or nothing more is done. */
    private look;
    /** Time to the next test: the likelier a leak, the sooner. */
    private pause;
    private beginTest;
    private step;
    private conclude;
    private judge;
    /** Start-up may fill something slowly and in a straight line; for a day it gets the benefit of the doubt. */
    private isFill;
    private miss;
    /** Growth that matters: of the room there was, of the level, and against the wander. */
    private need;
    /** Room for the forecast: the daily peaks, not the trough, meet the limit first. */
    private room;
}

// dist/detect/waterline/shape-test.d.ts
import type { NoiseMemory } from './noise-shapes.ts';
/** What a test is told besides the window. */
export interface TestInput {
    /** Seconds since the first observation. */
    age: number;
    useLoad: boolean;
    useHistory: boolean;
    /** Prior standard deviation of the wander as a share of the level. */
    wander: number;
    /** Value at which the channel hits its limit; infinite when it has none. */
    limit: number;
    /** Share of the remaining room that a harmless saturation may still gain. */
    remaining: number;
    /** Bytes left for the forecast. */
    room: number;
}
/** What a test found. */
export interface Verdict {
    /** Log odds of leak against harmless. */
    odds: number;
    /** Growth of the best leak model since its onset, its rate per second, and the onset in seconds of uptime. */
    growth: number;
    rate: number;
    onset: number;
    /** Seconds to exhaustion, averaged over the leak models. */
    tte: number;
    /** Scale of the noise under the best harmless model. */
    sigma: number;
    harmless: string;
    leak: string;
}
/** A test in progress: what both sides have gathered over the kinds of noise tried so far. */
export declare class ShapeTest {
    private readonly harmless;
    private readonly leaking;
    private readonly noise;
    private kind;
    constructor(noise: NoiseMemory);
    get isRunning(): boolean;
    begin(): void;
    /** Tries one kind of noise on the window, which must be the same at every step; true when it was the last. */
    step(input: TestInput, out: Verdict): boolean;
}

// dist/detect/waterline/noise-shapes.d.ts
import type { NoiseShape } from './noise.ts';
/** Kinds of noise a test averages over, since the data rarely tell which it is: from nearly white to an eight-hour wander. */
export declare const noiseShapes: readonly NoiseShape[];
/** The shape for the cheap look at the trend. */
export declare const middleNoise: NoiseShape;
/** Which kinds of noise a channel has lately shown, so that a test tries those and not all. */
export declare class NoiseMemory {
    private readonly evidence;
    private best;
    private tests;
    private isRenewal;
    begin(): void;
    isWorthTrying(kind: number): boolean;
    /** Takes the log evidence that all models together had under a kind. */
    learn(kind: number, evidence: number): void;
}

// dist/detect/waterline/noise.d.ts
/** Seconds over which the wander forgets, and the white variance as a share of the wander's. */
export interface NoiseShape {
    readonly tau: number;
    readonly white: number;
}
/** Squared length of a whitened unit step that begins at a row. */
export declare const stepLength: Float64Array<ArrayBuffer>;
/** Prepares the filter for these times; returns half the logarithm of the determinant. */
export declare function prepareNoise(shape: NoiseShape, t: Float64Array, level: Uint8Array, n: number, bucket: number): number;
/** Whitens a column in place. */
export declare function whiten(column: Float64Array, n: number): void;
/** Writes the suffix sums of the adjoint filter: row p is the product of `column` with a whitened unit step from p on. */
export declare function alongSteps(column: Float64Array, n: number, into: Float64Array): void;

// dist/detect/waterline/forecast.d.ts
/** When the limit is met if nothing changes: the estimate and the band that holds nine times in ten. All in ms. */
export interface Forecast {
    readonly ms: number;
    readonly low: number;
    readonly high: number;
}
/**
 * Factors of the band, conformal: the 5 and 95 % quantiles of truth over estimate at first alarm, rounded outwards. From generated leaks of seeds 1 to 16
 * with the limit set so that each exhausts; the ledger's own exhaustions may replace them.
 */
export declare const conformalBand: {
    readonly low: 0.25;
    readonly high: 2.95;
};
export interface Band {
    readonly low: number;
    readonly high: number;
}
export declare function forecast(seconds: number, band?: Band): Forecast;

// dist/detect/waterline/history-curve.d.ts
/** Floor by uptime in earlier runs of the same program, from the ledger: what growth belongs to starting up. */
export type HistoryCurve = readonly {
    readonly uptimeMs: number;
    readonly floorBytes: number;
}[];
/** Reads a curve at rising uptimes; beyond its end it stays at the last value. */
export declare class HistoryReader {
    private readonly curve;
    private at;
    constructor(curve: HistoryCurve);
    /** Whether there is a curve that says anything. */
    get isUseful(): boolean;
    read(uptimeMs: number): number;
}

// dist/detect/waterline/waterline.d.ts
import { Channel } from './channel.ts';
import type { ChannelState } from './channel.ts';
import type { HistoryCurve } from './history-curve.ts';
export interface WaterlineOptions {
    /** Bytes that live heap, external and native growth together may reach. */
    readonly budgetBytes: number;
    /** Floor by uptime in earlier runs, from the ledger. */
    readonly history?: HistoryCurve;
}
/** The floor after one major GC. */
export interface FloorEvent {
    /** Ms since the process began. */
    readonly uptimeMs: number;
    readonly floorBytes: number;
    /** Open scopes, or whatever stands for concurrent work. */
    readonly load: number;
    /** Requests ever begun. */
    readonly requests: number;
    /** Bytes that registered keepers account for. */
    readonly attributedBytes: number;
}
/** One sample of everything that is not the floor; about one per minute. */
export interface VitalSample {
    readonly uptimeMs: number;
    readonly heapTotalBytes: number;
    readonly externalBytes: number;
    readonly rssBytes: number;
    readonly load: number;
    readonly requests: number;
}
/** The channel that grows, for the reader of a finding. */
export interface Growth {
    readonly channel: Channel;
    readonly growthBytes: number;
    readonly bytesPerHour: number;
    /** Seconds to exhaustion; infinite when unknown. */
    readonly tte: number;
}
/**
 * The Waterline: four quantities of the process, each under the shape test.
 *
 * `heap` is the floor without what keepers account for; `external` is memory outside the heap that V8 knows of; `native` is the rest of
 * the resident set, believed only if the resident set itself rose too; `population` is open scopes per request rate, which grows when
 * scopes are never closed, so that the load would explain the heap away.
 */
export declare class Waterline {
    readonly heap: Channel;
    readonly external: Channel;
    readonly native: Channel;
    readonly population: Channel;
    private readonly budget;
    private readonly history;
    private readonly rssHours;
    private rssHour;
    private rate;
    private lastMs;
    private lastRequests;
    private lastFloor;
    private leastExternal;
    private leastNative;
    constructor(options: WaterlineOptions);
    /** Takes the floor of a major GC. */
    floor(event: FloorEvent): void;
    /** Takes a sample of the rest. */
    sample(sample: VitalSample): void;
    /** The confirmed growth that exhausts first, or undefined. */
    growth(): Growth | undefined;
    /** The state of the process: that of its worst channel. */
    get state(): ChannelState;
    /** A channel's state after the checks that need the others. */
    stateOf(channel: Channel): ChannelState;
    private followRate;
    private keepRss;
    /** The gap also grows when V8 gives heap back; then the resident set does not. */
    private rssAgrees;
    private populationMatters;
}

// dist/detect/reading-feed.d.ts
import type { Reading } from '../sense/reading.ts';
import type { Detector } from './detector.ts';
/** What a reading does not say and the detector wants to know; each is asked once a minute. */
export interface ProcessFacts {
    /** Requests ever begun, e.g. scopes ever opened. */
    readonly requests: () => number;
    /** Bytes that registered keepers account for; default 0. */
    readonly attributedBytes?: () => number;
    /** Bytes V8 has committed for the heap; default from `v8.getHeapStatistics()`. */
    readonly heapTotalBytes?: () => number;
    /** Ms since the process began; default `performance.now()`, which no clock change moves. */
    readonly uptimeMs?: () => number;
}
/** Feeds a detector from readings: every new floor at once, everything else once a minute. */
export declare class ReadingFeed {
    private readonly detector;
    private readonly facts;
    private majors;
    private dueMs;
    constructor(detector: Detector, facts: ProcessFacts);
    /** Takes a reading; meant as a listener of the sampler. */
    take(reading: Reading): void;
}
