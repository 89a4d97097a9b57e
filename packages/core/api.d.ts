// entry @plimsoll/core
// dist/index.d.ts
export { PlimsollError, isPlimsollError } from './errors.ts';
export { currentScope, open, processScope } from './scope/index.ts';
export type { CloseReport, OpenOptions, Scope } from './scope/index.ts';
export { admit, admitOrWait, isReady, isUnderPressure, management } from './gate/admit.ts';
export { isAdmitError } from './gate/admit-error.ts';
export type { AdmitError } from './gate/admit-error.ts';
export { approval } from './gate/approval.ts';
export { onDrain } from './gate/drain-hooks.ts';

// dist/errors.d.ts
import type { ErrorEntry } from './errors/entry.ts';
/** Every error and warning code of Plimsoll, one area per file under `errors/`. */
export declare const catalogue: {
    PLM_ADMIT_REFUSED: ErrorEntry<import("./errors/admit.ts").Refused>;
    PLM_ADMIT_THROTTLED: ErrorEntry<import("./errors/admit.ts").Refused & {
        readonly share: number;
    }>;
    PLM_ADMIT_CLAMPED: ErrorEntry<import("./errors/admit.ts").Refused & {
        readonly what: string;
        readonly value: number;
        readonly most: number;
    }>;
    PLM_ADMIT_NO_ROOM: ErrorEntry<import("./errors/admit.ts").Refused & {
        readonly bytes: number;
        readonly freeBytes: number;
    }>;
    PLM_ADMIT_TOO_LARGE: ErrorEntry<import("./errors/admit.ts").Refused & {
        readonly bytes: number;
    }>;
    PLM_ADMIT_DRAINING: ErrorEntry<import("./errors/admit.ts").Refused & {
        readonly reason: string;
    }>;
    PLM_ADMIT_BAD_POINT: ErrorEntry<{
        readonly point: string;
        readonly points: readonly string[];
    }>;
    PLM_ADMIT_LAPSED: ErrorEntry<{
        readonly ms: number;
    }>;
    PLM_POLICY_UNKNOWN_RECIPIENT: ErrorEntry<{
        place: string;
        path: string;
        name: string;
        names: readonly string[];
        suggestion?: string;
    }>;
    PLM_POLICY_RECIPIENT: ErrorEntry<{
        place: string;
        path: string;
        recipient: string;
        message: string;
        fix: string;
    }>;
    PLM_ALERT_NO_SECRET: ErrorEntry<{
        recipient: string;
        from: string;
        reason: string;
    }>;
    PLM_ALERT_FAILED: ErrorEntry<{
        recipient: string;
        attempts: number;
        reason: string;
    }>;
    PLM_ALERT_GONE: ErrorEntry<{
        recipient: string;
    }>;
    PLM_ALERT_ADDRESS: ErrorEntry<{
        host: string;
        address: string;
    }>;
    PLM_ALERT_TIMEOUT: ErrorEntry<{
        host: string;
        ms: number;
    }>;
    PLM_ALERT_ANSWER: ErrorEntry<{
        host: string;
        status: number;
    }>;
    PLM_ALERT_ANSWER_TOO_LONG: ErrorEntry<{
        host: string;
        mostBytes: number;
    }>;
    PLM_ALERT_BAD_SILENCE: ErrorEntry<{
        message: string;
        fix: string;
    }>;
    PLM_ALERT_LISTENER: ErrorEntry<{
        reason: string;
    }>;
    PLM_A2A_SDK_MISSING: ErrorEntry<{
        reason: string;
    }>;
    PLM_A2A_REFUSED: ErrorEntry<{
        recipient: string;
        state: string;
    }>;
    PLM_A2A_LISTEN: ErrorEntry<{
        host: string;
        port: number;
        reason: string;
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
    PLM_POLICY_LADDER: ErrorEntry<import("./errors/policy.ts").At & {
        message: string;
        fix: string;
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
    PLM_POLICY_APPROVAL_UNKNOWN: ErrorEntry<import("./errors/policy.ts").At & {
        action: string;
        approval: string;
        known: readonly string[];
    }>;
    PLM_POLICY_APPROVAL_SILENCE: ErrorEntry<import("./errors/policy.ts").At & {
        name: string;
        what: string;
    }>;
    PLM_POLICY_APPROVAL_QUORUM: ErrorEntry<import("./errors/policy.ts").At & {
        name: string;
        quorum: number;
        people: number;
    }>;
    PLM_POLICY_APPROVAL_TIE: ErrorEntry<import("./errors/policy.ts").At & {
        subject: string;
        first: string;
        second: string;
    }>;
    PLM_APPROVAL_DENIED: ErrorEntry<{
        what: string;
        scope: string;
        id: string;
        by: string;
    }>;
    PLM_APPROVAL_EXPIRED: ErrorEntry<{
        what: string;
        scope: string;
        id: string;
        ms: number;
    }>;
    PLM_APPROVAL_PENDING: ErrorEntry<{
        what: string;
        scope: string;
        id: string;
        ms: number;
    }>;
    PLM_APPROVAL_FULL: ErrorEntry<{
        what: string;
        scope: string;
        bound: string;
    }>;
    PLM_APPROVAL_LEVEL: ErrorEntry<{
        what: string;
        scope: string;
    }>;
    PLM_APPROVAL_STALE: ErrorEntry<{
        what: string;
        scope: string;
        id: string;
    }>;
    PLM_APPROVAL_LOST: ErrorEntry<{
        what: string;
        scope: string;
        id: string;
    }>;
    PLM_APPROVAL_ABORTED: ErrorEntry<{
        what: string;
        scope: string;
        id: string;
        reason: string;
    }>;
    PLM_APPROVAL_REQUEST: ErrorEntry<{
        option: string;
        accepted: string;
    }>;
    PLM_APPROVAL_UNKNOWN: ErrorEntry<{
        id: string;
    }>;
    PLM_APPROVAL_DECIDED: ErrorEntry<{
        id: string;
        state: string;
    }>;
    PLM_APPROVAL_DIGEST: ErrorEntry<{
        id: string;
    }>;
    PLM_APPROVAL_NOT_ALLOWED: ErrorEntry<{
        id: string;
        by: string;
        approvers: readonly string[];
    }>;
    PLM_APPROVAL_SELF: ErrorEntry<{
        id: string;
        by: string;
    }>;
    PLM_APPROVAL_KEY: ErrorEntry<{
        id: string;
    }>;
    PLM_APPROVAL_COMMENT: ErrorEntry<{
        id: string;
    }>;
    PLM_APPROVAL_TOKEN: ErrorEntry<{
        file: string;
    }>;
    PLM_APPROVAL_FILE: ErrorEntry<{
        file: string;
        reason: string;
    }>;
    PLM_APPROVAL_RUN: ErrorEntry<{
        id: string;
        action: string;
        reason: string;
    }>;
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
        host?: string;
        option?: string;
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
    PLM_CONTROL_UNREACHABLE: ErrorEntry<{
        socket: string;
        reason: string;
    }>;
    PLM_CONTROL_TIMEOUT: ErrorEntry<{
        op: string;
        ms: number;
        where: string;
    }>;
    PLM_CONTROL_BAD_REQUEST: ErrorEntry<{
        reason: string;
        accepted: string;
    }>;
    PLM_CONTROL_UNKNOWN_OP: ErrorEntry<{
        op: string;
        known: readonly string[];
    }>;
    PLM_CONTROL_BUSY: ErrorEntry<{
        most: number;
    }>;
    PLM_CONTROL_TOO_LARGE: ErrorEntry<{
        op: string;
        bytes: number;
        most: number;
    }>;
    PLM_CONTROL_FAILED: ErrorEntry<{
        op: string;
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
    PLM_RESTART_HOOK: ErrorEntry<{
        readonly reason: string;
    }>;
    PLM_RESTART_TOO_MANY_HOOKS: ErrorEntry<{
        readonly most: number;
    }>;
    PLM_RESTART_LOG: ErrorEntry<{
        readonly file: string;
        readonly reason: string;
    }>;
    PLM_RESTART_TOO_OFTEN: ErrorEntry<{
        readonly command: string;
        readonly count: number;
        readonly perMs: number;
    }>;
    PLM_ROLLBACK_UNKNOWN: ErrorEntry<{
        revision: number;
        known: readonly number[];
    }>;
    PLM_ROLLBACK_SHELF: ErrorEntry<{
        file: string;
        reason: string;
    }>;
    PLM_ROLLBACK_APPLY: ErrorEntry<{
        revision: number;
        reason: string;
    }>;
    PLM_ROLLBACK_NOT_GOVERNED: ErrorEntry<{
        pid: number;
    }>;
    PLM_REPLAY_NO_HISTORY: ErrorEntry<{
        dir: string;
        since: string;
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
    PLM_SERVER_WRONG_HOST: ErrorEntry<{
        host: string;
    }>;
    PLM_SERVER_CROSS_ORIGIN: ErrorEntry<{
        origin: string;
    }>;
    PLM_SERVER_NO_TOKEN: ErrorEntry<{
        path: string;
    }>;
    PLM_SERVER_NOT_FOUND: ErrorEntry<{
        path: string;
    }>;
    PLM_SERVER_WRONG_METHOD: ErrorEntry<{
        path: string;
        allowed: string;
    }>;
    PLM_SERVER_BAD_QUERY: ErrorEntry<{
        name: string;
        value: string;
        accepted: string;
    }>;
    PLM_SERVER_BODY_TOO_LARGE: ErrorEntry<{
        mostBytes: number;
    }>;
    PLM_SERVER_BUSY: ErrorEntry<{
        what: string;
        most: number;
    }>;
    PLM_SERVER_NO_PROCESS: ErrorEntry<{
        dir: string;
        id: string | null;
    }>;
    PLM_SERVER_NO_READING: ErrorEntry<{
        pid: number;
    }>;
    PLM_SERVER_NO_LEDGER: ErrorEntry<{
        dir: string;
        reason: string;
    }>;
    PLM_SERVER_NOT_LIVE: ErrorEntry<{
        what: string;
    }>;
    PLM_SERVER_REMOTE_NEEDS_CONSENT: ErrorEntry<{
        host: string;
    }>;
    PLM_SERVER_TOKEN_FILE: ErrorEntry<{
        file: string;
        reason: string;
    }>;
};
export type ErrorCode = keyof typeof catalogue;
type Details<Code extends ErrorCode> = (typeof catalogue)[Code] extends ErrorEntry<infer D> ? D : never;
declare const brand: unique symbol;
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
    get [brand](): true;
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
    /** One paragraph for docs/reference/errors.md: when this happens and what it means for the process. */
    readonly help: string;
    readonly text: (details: Details) => ErrorText;
    /** Details of a typical case; rendered into docs/reference/errors.md and frozen by a test. */
    readonly example: NoInfer<Details>;
}
/** Infers `Details` from `text` so that a catalogue can be written as one literal. */
export declare function entry<Details>(definition: ErrorEntry<Details>): ErrorEntry<Details>;

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
    /** Watches refused because too many came at once or the list was full. */
    get overflow(): number;
    /** Objects watched now, of open and closed scopes. */
    get size(): number;
    /** `scope` is asked for its path only when the watch is taken: making the text is most of the cost. */
    add(object: object, label: string, scope: {
        readonly path: string;
    }, siblings: Set<Watch>): void;
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

// dist/gate/admit.d.ts
import type { Slots } from '../slots.ts';
import type { Pressure } from './pressure.ts';
import type { AdmitOptions, Admitted, ShedPoint, WaitOptions } from './shed-point.ts';
export type AdmissionSlot = NonNullable<Slots['admission']>;
/** The shed points of this thread; the first copy of the package that is asked provides them. */
export declare function admissionSlot(): AdmissionSlot;
/**
 * Asks to take on work at a shed point: goes on, or throws an `AdmitError` with numbers that answers HTTP by itself. Lets everything in
 * while nothing governs this process.
 *
 * `admit('buffer', bytes)` also reserves the bytes until readings show them. `using leave = admit('run')` tells when the work is over, which
 * only a bound on concurrency needs.
 */
export declare function admit(point: ShedPoint, want?: number | AdmitOptions): Admitted;
/** As `admit`, but waits up to `waitMs` in a line of at most 64 requests and 1 MiB before it throws. */
export declare function admitOrWait(point: ShedPoint, options: AdmitOptions & WaitOptions): Promise<Admitted>;
/** Runs health, metrics, approval and administration routes: nothing inside is ever refused. */
export declare function management<R>(work: () => R): R;
/** True at level critical or above, and while something is refused; takes the place of `fastify.isUnderPressure()`. */
export declare function isUnderPressure(): boolean;
/** What `isUnderPressure` says, with the reason and the numbers. */
export declare function pressure(): Pressure;
/** False from the moment on that the process drains for a restart: what a readiness route answers. */
export declare function isReady(): boolean;
/** Headers that mark a request as sent by this process to itself, so that it is not held up behind its own sender. */
export declare function selfCallHeaders(): Readonly<Record<string, string>>;
/** True for a request with the headers of `selfCallHeaders`: pass it on as `continues`. */
export declare function isSelfCall(headers: Readonly<Record<string, string | readonly string[] | undefined>>): boolean;

// dist/slots.d.ts
import type { SelfCall } from './gate/self-call.ts';
import type { Lanes } from './gate/lane.ts';
import type { AdmissionGate } from './gate/shed-point.ts';
import type { ApprovalSlot } from './gate/approval.ts';
import type { PlimsollDrain } from './gate/drain-hooks.ts';
import type { KeeperSlot } from './keeper.ts';
import type { ProcessSlot } from './scope/process-slot.ts';
/** The shape that console, pino, winston and bunyan share. */
export interface Logger {
    info(message: string): void;
    warn(message: string): void;
    error(message: string): void;
}
/** All state that the copies of Plimsoll's packages in one thread share, one field per owner. */
export interface Slots {
    scopes?: ProcessSlot;
    keepers?: KeeperSlot;
    admission?: {
        gate: AdmissionGate | undefined;
        readonly lanes: Lanes;
        readonly selfCall: SelfCall;
    };
    approvals?: ApprovalSlot;
    drain?: PlimsollDrain;
    /** Where alerts of this process are written. */
    logger?: Logger | undefined;
    /** Set while allocation sites are sampled; V8 has one sampler per isolate. */
    sampling?: {
        readonly since: number;
    } | undefined;
}
/**
 * The slots of this thread. An application may load two copies of a package (its own and the one that the preload brings, or ESM and
 * CommonJS); both find the same object here.
 */
export declare function slots(): Slots;

// dist/gate/self-call.d.ts
/** The header by which a server knows a request that it sent to itself. */
export declare const selfCallHeader = "plimsoll-self-call";
/**
 * Calls of a process to its own address. One that waits in the line behind the very run that made it would wait for ever, so a server marks
 * them and lets them in as part of that run. The mark is a secret of the process: nobody else can claim it.
 */
export declare class SelfCall {
    private secret;
    /** Headers for a request to an address of this very process, and to no other. */
    headers(): Readonly<Record<string, string>>;
    /** True when a request with this header came from this process. */
    isFrom(header: unknown): boolean;
}

// dist/gate/lane.d.ts
/** The lane that is never refused: health, metrics, approvals, administration. */
export declare const managementLane = "management";
/** Which lane the running code is in, found again in everything it calls. */
export declare class Lanes {
    private readonly current;
    get name(): string | undefined;
    run<R>(lane: string, work: () => R): R;
}

// dist/gate/shed-point.d.ts
import type { Priority } from '../level.ts';
import type { Pressure } from './pressure.ts';
/** The places where a server takes on work, and where it can decline it. */
export declare const shedPoints: readonly ['session', 'run', 'delegation', 'tool', 'buffer'];
export type ShedPoint = (typeof shedPoints)[number];
/** What asks to be let in. */
export interface AdmitOptions {
    /** Bytes it is going to hold, when known; what does not fit what is left of the limit is refused. */
    readonly bytes?: number;
    /** Who gives way first; default: that of the policy for the current scope, else `normal`. */
    readonly priority?: Priority;
    /** `management` is never refused; any other name may be spared by the `except` list of a refusal. */
    readonly lane?: string;
    /** True for a step of a turn that is in flight: never refused. `session` for the next turn of an open session: refused by a drain alone. */
    readonly continues?: boolean | 'session';
    /** Delegation only: how deep it would be, the first one being 1. */
    readonly depth?: number;
    /** Delegation only: how many its delegator already has running. */
    readonly fanOut?: number;
}
/** Leave to go on. Releasing it (also by `using`) says that the work is over; one that is forgotten harms nothing. */
export interface Admitted extends Disposable {
    readonly point: ShedPoint;
    release(): void;
}
/** Why a shed point said no: the catalogue code without its `PLM_ADMIT_`. */
export type ShedReason = 'REFUSED' | 'THROTTLED' | 'CLAMPED' | 'NO_ROOM' | 'TOO_LARGE' | 'DRAINING';
/** Tighter bounds on delegation while memory is short; what is left out is unbounded. */
export interface Clamp {
    readonly depth?: number;
    /** Most delegations that one delegator has running. */
    readonly fanOut?: number;
    /** Most runs at once and, in a tree of delegations, most of those. */
    readonly concurrency?: number;
    readonly reason: string;
}
/** How long and with what a request waits at a shed point. */
export interface WaitOptions {
    /** Longest wait; shorter than the client's own patience. */
    readonly waitMs: number;
    /** Bytes that the waiting request itself holds, 4 KiB by default. */
    readonly heldBytes?: number;
    /** Aborted when the client has left. */
    readonly signal?: AbortSignal;
}
/** What decides at the shed points. `@plimsoll/govern` installs it; until then everything is let in. */
export interface AdmissionGate {
    admit(point: ShedPoint, want?: number | AdmitOptions): Admitted;
    admitOrWait(point: ShedPoint, options: AdmitOptions & WaitOptions): Promise<Admitted>;
    readonly isUnderPressure: boolean;
    readonly pressure: Pressure;
    readonly isDraining: boolean;
    /** The clamp in force, for whoever keeps its own count of delegations. */
    readonly clamped: Clamp | undefined;
}

// dist/level.d.ts
/** The four levels in rising order; a level's number is its index. */
export declare const levels: readonly ['normal', 'warning', 'critical', 'emergency'];
export type Level = (typeof levels)[number];
/** The levels that have enter and exit lines. */
export declare const raisedLevels: readonly ['warning', 'critical', 'emergency'];
export type RaisedLevel = (typeof raisedLevels)[number];
/** What the governor may do: only watch, watch and report what it would have done, or act. */
export declare const modes: readonly ['observe', 'shadow', 'enforce'];
export type Mode = (typeof modes)[number];
/** Who gives way first when memory is short. */
export declare const priorities: readonly ['critical', 'normal', 'sheddable'];
export type Priority = (typeof priorities)[number];

// dist/gate/pressure.d.ts
import type { Level } from '../level.ts';
/** What `pressure()` says. */
export interface Pressure {
    /** Null when there is none. */
    readonly reason: string | null;
    readonly level: Level;
    readonly usedBytes: number;
    readonly limitBytes: number;
    /** Used / limit. */
    readonly ratio: number;
    readonly source: string;
}

// dist/gate/approval.d.ts
/** What can wait for an approval. `delegation`: an agent hands work to another. `operation`: anything the program does with much memory. */
export type ApprovalPoint = 'delegation' | 'operation';
/** What decides whether an approval is needed. */
export interface ApprovalFacts {
    /** Delegation: how deep it would be, the first one being 1. */
    readonly depth?: number | undefined;
    /** Operation: true when it needs an approval at every level. */
    readonly critical?: boolean | undefined;
}
/** What is asked for. */
export interface ApprovalRequest extends ApprovalFacts {
    /** The agent that is to do it, or the name of the operation. */
    readonly name: string;
    /** Part of the digest: a decision is bound to exactly these. JSON; never shown. */
    readonly args?: Readonly<Record<string, unknown>>;
    /** One sentence for whoever decides. */
    readonly why?: string;
    /** Numbers for whoever decides. */
    readonly evidence?: Readonly<Record<string, string | number | null>>;
    /** Who asks, such as `agent:planner`; the innermost agent of the current scope by default. It may not approve. */
    readonly by?: string;
    /** Scope path; that of the current scope by default. */
    readonly scope?: string;
    /** Bytes that are held while it waits, such as the request's body. 0 by default. */
    readonly bytes?: number;
    /** Ends the waiting, such as when the client goes away. */
    readonly signal?: AbortSignal | undefined;
    /** Longest wait of this caller, shorter than the timeout of its client. 25 s by default; the ticket stays open after it. */
    readonly waitMs?: number | undefined;
}
/** Leave to go on. */
export interface Approved {
    /** `ungoverned`: nobody governs. `not-needed`: the policy asks for none. `would-have`: it would, were it enforced. */
    readonly state: 'approved' | 'not-needed' | 'would-have' | 'ungoverned';
    readonly id: string | null;
    /** Who approved. */
    readonly by: string | null;
}
/** Whoever governs the process holds what has to wait. */
export interface HeldGate {
    /** Cheap and never throws. */
    needs(point: ApprovalPoint, facts: ApprovalFacts): boolean;
    hold(point: ApprovalPoint, request: ApprovalRequest): Promise<Approved>;
}
/** Where the program and whoever governs it find each other. */
export interface ApprovalSlot {
    gate: HeldGate | undefined;
    /** Set by the preload while the host is being loaded; resolves when it is there, or is not going to be. */
    loading?: Promise<void> | undefined;
}
/** The slot of `approval()`: the preload sets `loading` in it, the host its gate. */
export declare function approvalSlot(): ApprovalSlot;
/**
 * Waits until an operation may go on. Resolves at once when nobody governs or the policy asks for no approval; rejects with an
 * `ApprovalRefusal` that says whether to come back. For new work at async points only: never while holding a lock or a place of a pool.
 *
 * ```ts
 * await approval('delegation', { name: 'researcher', depth: 5, signal: request.signal });
 * await approval('operation', { name: 'export all sessions', critical: true, bytes: body.length });
 * ```
 */
export declare function approval(point: ApprovalPoint, request: ApprovalRequest): Promise<Approved>;
/** Whether `approval` may have to wait now, without asking: for callers that have a path without a promise. */
export declare function needsApproval(point: ApprovalPoint, facts: ApprovalFacts): boolean;
/** Puts a gate in force; returns what takes it away again. */
export declare function installHeldGate(gate: HeldGate): () => void;

// dist/gate/drain-hooks.d.ts
import type { Level } from '../level.ts';
/** What a hook is told when the process drains. */
export interface DrainInfo {
    readonly reason: string;
    /** Wall time by which the hook should be done. */
    readonly deadlineAt: number;
    /** Aborted at the deadline. */
    readonly signal: AbortSignal;
}
/** What a hook may say about sessions that it kept by itself. */
export interface DrainOutcome {
    /** Sessions it saved where the next life finds them. */
    readonly parked?: number;
    readonly lost?: number;
}
/** Ends part of a program before a restart: closes the listening socket, waits for runs, saves what no keeper parks. */
export type DrainHook = (info: DrainInfo) => DrainOutcome | void | Promise<DrainOutcome | void>;
/** What a drain and restart is asked for. The lever decides about readiness, deadlines, jitter and how many per hour. */
export interface RestartRequest {
    readonly drainMs: number;
    readonly jitterMs: number;
    readonly atMost: {
        readonly count: number;
        readonly perMs: number;
    };
    /** One sentence with the numbers; goes into the exit entry and the resume report. */
    readonly reason: string;
    readonly scope: string;
    readonly level: Level;
    /** A younger process is not restarted; 60 s when left out. */
    readonly minUptimeMs?: number;
}
export type RestartAnswer = 
/** Begun, or already under way. */
{
    readonly state: 'draining';
    readonly exitAtMs?: number;
}
/** Too many lately, or this process may not end itself. */
 | {
    readonly state: 'refused';
    readonly why: string;
};
/** The lever that the ladder pulls: begins a drain and restart in the background, or says why not. Never waits, never throws. */
export type Restart = (request: RestartRequest) => RestartAnswer;
/** What the process keeps for its drain. The name tells whoever reads a heap snapshot that a path through it is ours and explains nothing. */
export declare class PlimsollDrain {
    readonly hooks: Set<DrainHook>;
    /** Set by the host that governs this process. */
    restart: Restart | undefined;
}
/** Runs a function when the process is drained before a restart; returns its removal. Hooks run at the same time, each guarded. */
export declare function onDrain(hook: DrainHook): () => void;
/** The hooks that are registered now. */
export declare function drainHooks(): readonly DrainHook[];
/** Gives this process the lever that restarts it; undefined takes it away. */
export declare function setRestart(restart: Restart | undefined): void;
/**
 * Asks for a drain and restart from the program itself, such as an admin route: within the bounds that hold for every restart (at most 3 per
 * hour, not in the first minute). Refused when nobody governs this process.
 */
export declare function requestRestart(reason: string, options?: {
    readonly drainMs?: number;
    readonly jitterMs?: number;
    readonly minUptimeMs?: number;
}): RestartAnswer;

// dist/keeper.d.ts
/** What a shed asks for. */
export interface ShedRequest {
    /** Bytes to give up, or more. */
    readonly bytes: number;
    /** Why, as it appears in events; default "pressure". */
    readonly reason?: string;
    /** Most entries to let go of; for keepers that have any. */
    readonly atMost?: number;
    /** Whether the coldest go first, which is the default, or the largest of the coldest; for keepers that have an order. */
    readonly order?: 'idle' | 'idle-x-size';
    /** Newest turns that stay, whatever their bytes; for conversations, which otherwise keep their low water. */
    readonly keepLast?: number;
}
/** A container that cannot leak, as the governor sees it: named, counted and able to give memory back. */
export interface Keeper {
    readonly name: string;
    /** Such as "session-cache". */
    readonly kind: string;
    /** Bytes held now. */
    readonly bytes: number;
    /** Figures for the ledger. */
    stats(): object;
    /** Gives memory back, coldest first, without touching what is in use; resolves with the bytes freed. */
    shed(request: ShedRequest): Promise<number>;
    /** Sets idle timeouts to a share, 0 to 1, of what was configured; for keepers that have any. */
    scaleIdle?(ratio: number): void;
}
/** The roster of keepers of this thread. */
export interface KeeperSlot {
    readonly refs: Set<WeakRef<Keeper>>;
    /** Size at which dead references are swept out. */
    sweepAt: number;
    /** Path of the scope that each keeper charges; another copy of the package may not know it. */
    homes?: WeakMap<Keeper, string>;
}
/**
 * Adds a keeper to the roster of this thread, weakly: a keeper nobody holds any more leaves by itself. Returns its removal.
 * With the path of the scope that it charges, it is also asked to shed when that scope or one around it is over its budget.
 */
export declare function registerKeeper(keeper: Keeper, scopePath?: string): () => void;
/** Every keeper of this thread that is still held, also those made by another copy of the package. */
export declare function keepers(): Keeper[];
/** Path of the scope that a keeper charges; undefined when it never said. */
export declare function homeOf(keeper: Keeper): string | undefined;

// dist/scope/process-slot.d.ts
import { currentScope, open } from './open.ts';
import type { Roster } from './roster.ts';
import type { Scope } from './scope.ts';
/** What all copies of the package in one thread share; the first copy loaded provides it. */
export interface ProcessSlot {
    readonly open: typeof open;
    readonly currentScope: typeof currentScope;
    readonly processScope: () => Scope;
    readonly roster: Roster;
}
/** The slot of this thread. A second copy of the package, CommonJS bundle or other version, finds the scopes of the first. */
export declare function processSlot(): ProcessSlot;

// dist/gate/admit-error.d.ts
import { PlimsollError } from '../errors.ts';
import type { Level } from '../level.ts';
import type { ShedPoint, ShedReason } from './shed-point.ts';
/** The numbers of a refusal. */
export interface RefusalFacts {
    readonly reason: ShedReason;
    readonly point: ShedPoint;
    readonly level: Level;
    readonly usedBytes: number;
    readonly limitBytes: number;
    readonly rule: string;
    readonly retryable: boolean;
    readonly retryAfterMs: number;
    /** What the text of this reason needs beside the numbers. */
    readonly details?: Readonly<Record<string, unknown>>;
}
/**
 * The error of a shed point that said no. It carries the numbers for logs, says whether a later try can help, and is its own HTTP answer:
 * Fastify, Express and Koa read `statusCode` and `headers`, anything on web standards sends `toResponse()`.
 */
export declare class AdmitError extends PlimsollError {
    readonly point: ShedPoint;
    readonly level: Level;
    readonly usedBytes: number;
    readonly limitBytes: number;
    /** Used / limit; 0 when no reading has come yet. */
    readonly ratio: number;
    readonly rule: string;
    /** False when the same request can never be let in: it is larger than the limit, or deeper than the clamp. */
    readonly retryable: boolean;
    /** Each refusal gets its own, so that clients do not come back together; 0 when it is not retryable. */
    readonly retryAfterMs: number;
    readonly statusCode: 503 | 413;
    constructor(facts: RefusalFacts);
    get status(): number;
    /** Headers of the HTTP answer. */
    get headers(): Readonly<Record<string, string>>;
    /** Body of the HTTP answer (RFC 9457). It tells a client when to come back, and nothing about the process. */
    get problem(): Readonly<Record<string, unknown>>;
    toResponse(): Response;
}
/** True for a refusal of a shed point, also from another copy of the package. */
export declare function isAdmitError(value: unknown): value is AdmitError;

// entry @plimsoll/core/meter
// dist/meter/index.d.ts
export { expand, shallowBytes, step } from './layout.ts';
export { Walk } from './walk.ts';
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

// entry @plimsoll/core/keeper
// entry @plimsoll/core/units
// dist/units/index.d.ts
export { formatByteSize, formatUsedOfLimit, parseByteSize } from './byte-size.ts';
export { formatDuration, parseDuration } from './duration.ts';

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
