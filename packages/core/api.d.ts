// entry @plimsoll/core
// dist/index.d.ts
export { PlimsollError, isPlimsollError } from './errors.ts';
export { formatByteSize, formatUsedOfLimit, parseByteSize } from './units/byte-size.ts';
export { formatDuration, parseDuration } from './units/duration.ts';
export { currentScope, open, processScope, roster } from './scope/index.ts';
export type { CloseReport, OpenOptions, Roster, Scope, ScopeFault } from './scope/index.ts';
export { admit, admitOrWait, isAdmitError, isReady, isUnderPressure, management, pressure, } from './govern/admission/index.ts';
export type { AdmitError } from './govern/admission/index.ts';
export { approval, needsApproval } from './govern/approvals/approval.ts';
export { ApprovalRefusal } from './govern/approvals/approval-refusal.ts';
export type { ApprovalRequest } from './govern/approvals/approval.ts';
export { onDrain } from './govern/restart/drain-hooks.ts';

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

// dist/govern/admission/index.d.ts
export { admission, admit, admitOrWait, isReady, isSelfCall, isUnderPressure, management, pressure, selfCallHeaders, } from './admit.ts';
export { Admission } from './admission.ts';
export type { AdmissionOptions } from './admission.ts';
export { AdmitError, isAdmitError } from './admit-error.ts';
export type { Pressure } from './pressure.ts';
export { shedPoints } from './shed-point.ts';
export type { AdmissionControl, AdmissionReading, AdmissionRow, AdmitOptions, Admitted, Clamp, GovernOptions, ShedPoint, ShedReason, } from './shed-point.ts';
export type { WaitOptions } from './waiting-line.ts';

// dist/govern/admission/admit.d.ts
import type { Pressure } from './pressure.ts';
import type { AdmissionControl, AdmitOptions, Admitted, ShedPoint } from './shed-point.ts';
import type { WaitOptions } from './waiting-line.ts';
/**
 * Asks to take on work at a shed point: goes on, or throws an `AdmitError` with numbers that answers HTTP by itself. A count and nothing
 * else while nobody governs this process.
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
/** The control side, for the ladder, the restart and the host. */
export declare function admission(): AdmissionControl;

// dist/govern/admission/pressure.d.ts
import type { Level } from '../../policy/policy.ts';
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

// dist/policy/policy.d.ts
import type { Glob } from './glob.ts';
import type { Place } from './place.ts';
import type { AlertRules } from './sections/alert-rules.ts';
import type { ApprovalPolicy } from './sections/approvals.ts';
import type { GuardRules } from './sections/guards.ts';
import type { RollbackRules } from './sections/rollback.ts';
import type { SettleRules } from './sections/settle.ts';
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
    /** Entry of `approvals` that has to agree first. */
    readonly approval?: string;
    /** Least time between two runs while the level stands; each action has its default. */
    readonly cooldownMs?: number;
    readonly timeoutMs?: number;
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
    readonly approvals: ApprovalPolicy;
    readonly settle: SettleRules;
    readonly guards: GuardRules;
    readonly retention: Retention;
    readonly rollback: RollbackRules;
    readonly alerts: AlertRules;
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
/**
 * Whether a pattern with `*` stands for a text; `one` stands for exactly one character. Greedy with one point of return, O(text x pattern) at
 * worst: a regular expression of many stars could take exponential time.
 */
export declare function matchesWildcards(pattern: string, text: string, one?: '?'): boolean;
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

// dist/policy/sections/alert-rules.d.ts
import type { Place } from '../place.ts';
import type { AlertsDocument } from './alerts.ts';
export declare const alertLevels: readonly ['warning', 'critical', 'emergency'];
export type AlertLevel = (typeof alertLevels)[number];
/** The labels every alert has; grouping and inhibition compare them. */
export declare const alertLabels: readonly ['alertname', 'level', 'service', 'pod', 'kind'];
export type AlertLabel = (typeof alertLabels)[number];
export declare const recipientKinds: readonly ['log', 'webhook', 'slack', 'alertmanager', 'a2a'];
export type RecipientKind = (typeof recipientKinds)[number];
/** Where a secret is: the policy never holds one. */
export type SecretRef = {
    readonly env: string;
} | {
    readonly file: string;
};
/** Who is told, and how. */
export interface RecipientRule {
    readonly name: string;
    readonly kind: RecipientKind;
    /** Absent for `log`. A reference when the address itself is a secret, as a Slack one is. */
    readonly url?: string | SecretRef;
    readonly secret?: SecretRef;
    readonly token?: SecretRef;
    readonly timeoutMs: number;
    readonly attempts: number;
    readonly resendMs: number;
    readonly allowPrivate: boolean;
    readonly place: Place;
}
/** While an alert of level `source` fires, those of `target` with equal labels are not sent. */
export interface InhibitRule {
    readonly source: AlertLevel;
    readonly target: readonly AlertLevel[];
    readonly equal: readonly AlertLabel[];
}
/** Where the server for approvals over A2A listens. */
export interface A2aServerRule {
    readonly host: string;
    readonly port: number;
    /** The address others reach it by, when that is not the one it listens on. */
    readonly url?: string;
    readonly place: Place;
}
/** The section `alerts`, with every default filled in. */
export interface AlertRules {
    /** False when the policy has no such section: alerts then go to the channel and the ledger only. */
    readonly declared: boolean;
    readonly service?: string;
    readonly groupBy: readonly AlertLabel[];
    readonly groupWaitMs: number;
    readonly urgentWaitMs: number;
    readonly groupIntervalMs: number;
    readonly repeatMs: number;
    readonly inhibit: readonly InhibitRule[];
    readonly recipients: readonly RecipientRule[];
    readonly routes: Readonly<Record<AlertLevel, readonly string[]>>;
    readonly a2aServer?: A2aServerRule;
}
/** What a policy without `alerts` gets. */
export declare const alertDefaults: AlertRules;
/** The rules of a policy, with every default filled in. */
export declare function alertRulesOf(given: AlertsDocument, placeOf: (path: readonly (string | number)[]) => Place): AlertRules;

// dist/policy/sections/alerts.d.ts
import type { ValueOf } from '../shape.ts';
declare const secretTable: import("../shape.ts").Table<import("../shape.ts").TableValue<{
    env: import("../shape.ts").Key<string, false>;
    file: import("../shape.ts").Key<string, false>;
}>>;
declare const recipient: import("../shape.ts").Table<import("../shape.ts").TableValue<{
    kind: import("../shape.ts").Key<"a2a" | "alertmanager" | "log" | "slack" | "webhook", true>;
    url: import("../shape.ts").Key<string | import("../shape.ts").TableValue<{
        env: import("../shape.ts").Key<string, false>;
        file: import("../shape.ts").Key<string, false>;
    }>, false>;
    secret: import("../shape.ts").Key<import("../shape.ts").TableValue<{
        env: import("../shape.ts").Key<string, false>;
        file: import("../shape.ts").Key<string, false>;
    }>, false>;
    token: import("../shape.ts").Key<import("../shape.ts").TableValue<{
        env: import("../shape.ts").Key<string, false>;
        file: import("../shape.ts").Key<string, false>;
    }>, false>;
    timeout: import("../shape.ts").Key<number, false>;
    attempts: import("../shape.ts").Key<number, false>;
    resend: import("../shape.ts").Key<number, false>;
    'allow-private': import("../shape.ts").Key<boolean, false>;
}>>;
/** The section `alerts` of a policy. */
export declare const alertsSection: import("../shape.ts").Table<import("../shape.ts").TableValue<{
    service: import("../shape.ts").Key<string, false>;
    'group-by': import("../shape.ts").Key<readonly ("alertname" | "kind" | "level" | "pod" | "service")[], false>;
    'group-wait': import("../shape.ts").Key<number, false>;
    'urgent-wait': import("../shape.ts").Key<number, false>;
    'group-interval': import("../shape.ts").Key<number, false>;
    repeat: import("../shape.ts").Key<number, false>;
    inhibit: import("../shape.ts").Key<readonly import("../shape.ts").TableValue<{
        source: import("../shape.ts").Key<"critical" | "emergency" | "warning", true>;
        target: import("../shape.ts").Key<readonly ("critical" | "emergency" | "warning")[], true>;
        equal: import("../shape.ts").Key<readonly ("alertname" | "kind" | "level" | "pod" | "service")[], true>;
    }>[], false>;
    recipients: import("../shape.ts").Key<Readonly<Record<string, import("../shape.ts").TableValue<{
        kind: import("../shape.ts").Key<"a2a" | "alertmanager" | "log" | "slack" | "webhook", true>;
        url: import("../shape.ts").Key<string | import("../shape.ts").TableValue<{
            env: import("../shape.ts").Key<string, false>;
            file: import("../shape.ts").Key<string, false>;
        }>, false>;
        secret: import("../shape.ts").Key<import("../shape.ts").TableValue<{
            env: import("../shape.ts").Key<string, false>;
            file: import("../shape.ts").Key<string, false>;
        }>, false>;
        token: import("../shape.ts").Key<import("../shape.ts").TableValue<{
            env: import("../shape.ts").Key<string, false>;
            file: import("../shape.ts").Key<string, false>;
        }>, false>;
        timeout: import("../shape.ts").Key<number, false>;
        attempts: import("../shape.ts").Key<number, false>;
        resend: import("../shape.ts").Key<number, false>;
        'allow-private': import("../shape.ts").Key<boolean, false>;
    }>>>, false>;
    routes: import("../shape.ts").Key<import("../shape.ts").TableValue<{
        warning: import("../shape.ts").Key<readonly string[], false>;
        critical: import("../shape.ts").Key<readonly string[], false>;
        emergency: import("../shape.ts").Key<readonly string[], false>;
    }>, false>;
    'a2a-server': import("../shape.ts").Key<import("../shape.ts").TableValue<{
        port: import("../shape.ts").Key<number, true>;
        host: import("../shape.ts").Key<string, false>;
        url: import("../shape.ts").Key<string, false>;
    }>, false>;
}>>;
export type AlertsDocument = ValueOf<typeof alertsSection> | undefined;
export type RecipientDocument = ValueOf<typeof recipient>;
export type SecretDocument = ValueOf<typeof secretTable>;
export {};

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
    /** What is written may be a secret, and is not shown when it is refused. */
    readonly hidden?: boolean;
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

// dist/policy/sections/approvals.d.ts
import type { DocumentReader } from '../document-reader.ts';
import type { Place } from '../place.ts';
import type { Mode } from '../policy.ts';
import type { ValueOf } from '../shape.ts';
/** What no answer means. `skip`: the action does not run. `deny`: what waits is refused. `proceed`: it runs. */
export type OnExpiry = 'skip' | 'deny' | 'proceed';
/** Who may let something happen, by when, and what no answer means. */
export interface ApprovalRule {
    readonly name: string;
    /** `owner`, `user:NAME`, `agent:NAME` or `group:NAME`. */
    readonly by: readonly string[];
    /** Different approvers that have to agree; one no is enough. */
    readonly quorum: number;
    readonly ttlMs: number;
    readonly onExpiry: OnExpiry;
    /** At this level the policy itself lets an action of the ladder run, and a review ticket is opened. */
    readonly breakGlass: 'emergency' | 'never';
    /** Most open tickets of this entry. */
    readonly pendingMax: number;
    readonly mode?: Mode | undefined;
    readonly place: Place;
}
/** The approvals of a policy, and what has to wait for one. */
export interface ApprovalPolicy {
    readonly rules: Readonly<Record<string, ApprovalRule>>;
    /** Delegations deeper than this need an approval of that entry. */
    readonly delegation?: {
        readonly approval: string;
        readonly deeperThan: number;
    } | undefined;
    /** Operations the program calls critical, and every one from this level of the process on. */
    readonly operations?: {
        readonly approval: string;
        readonly from: 'warning' | 'critical' | 'emergency';
    } | undefined;
}
/** What a policy without `approvals` gets: every delegation deeper than 4 and every critical memory operation waits for the owner. */
export declare const approvalDefaults: ApprovalPolicy;
/** The section `approvals` of a policy. */
export declare const approvalsSection: import("../shape.ts").Named<Readonly<Record<string, import("../shape.ts").TableValue<{
    by: import("../shape.ts").Key<readonly string[], true>;
    quorum: import("../shape.ts").Key<number, false>;
    self: import("../shape.ts").Key<"forbid", false>;
    ttl: import("../shape.ts").Key<number, true>;
    'on-expiry': import("../shape.ts").Key<"deny" | "proceed" | "skip", true>;
    'break-glass': import("../shape.ts").Key<"emergency" | "never", false>;
    'pending-max': import("../shape.ts").Key<number, false>;
    mode: import("../shape.ts").Key<"enforce" | "observe" | "shadow", false>;
    for: import("../shape.ts").Key<import("../shape.ts").TableValue<{
        delegation: import("../shape.ts").Key<import("../shape.ts").TableValue<{
            'deeper-than': import("../shape.ts").Key<number, true>;
        }>, false>;
        operations: import("../shape.ts").Key<import("../shape.ts").TableValue<{
            from: import("../shape.ts").Key<"critical" | "emergency" | "warning", true>;
        }>, false>;
    }>, false>;
}>>>>;
export type GivenApprovals = ValueOf<typeof approvalsSection>;
/**
 * The approvals of a document. The built-in entry `operator` stays unless the document has one of that name, and a document's own
 * entry for delegations or operations takes them over.
 */
export declare function approvalPolicyOf(given: GivenApprovals | undefined, reader: DocumentReader): ApprovalPolicy;

// dist/policy/document-reader.d.ts
import type { PlimsollError } from '../errors.ts';
import type { Place } from './place.ts';
import type { Shape } from './shape.ts';
import type { Tree } from './yaml-tree.ts';
type Path = readonly (string | number)[];
/** Reads a tree by a shape: the value where it fits, and a problem with its place for each part that does not. */
export declare class DocumentReader {
    #private;
    readonly problems: PlimsollError[];
    /** The value, or undefined when it could not be read; `problems` says why. */
    read<T>(shape: Shape<T>, tree: Tree): T | undefined;
    /** Where the value at a path stands; the nearest part around it when it is not in the file. */
    placeOf(path: Path): Place;
}
export {};

// dist/policy/yaml-tree.d.ts
import type { PlimsollError } from '../errors.ts';
import type { Place } from './place.ts';
/** A YAML document as the loader reads it: aliases resolved, keys unique, every part with its place. */
export type Tree = ScalarTree | MapTree | ListTree;
export interface ScalarTree {
    readonly kind: 'scalar';
    readonly value: string | number | boolean | null;
    /** The scalar as written. */
    readonly text: string;
    readonly place: Place;
}
export interface MapTree {
    readonly kind: 'map';
    readonly entries: readonly MapEntry[];
    readonly place: Place;
}
export interface MapEntry {
    readonly key: string;
    readonly keyPlace: Place;
    readonly value: Tree;
}
export interface ListTree {
    readonly kind: 'list';
    readonly items: readonly Tree[];
    readonly place: Place;
}
export declare const maxPolicyBytes: number;
/** Parses YAML text; without a tree there is at least one problem. */
export declare function parseYamlTree(text: string, file: string): {
    tree?: Tree;
    problems: PlimsollError[];
};

// dist/policy/sections/guards.d.ts
import type { ValueOf } from '../shape.ts';
import type { Rate } from '../span.ts';
/** What keeps the ladder from doing harm itself. */
export interface GuardRules {
    readonly destructive: {
        /** Scopes stopped, in any stretch of time. */
        readonly rate: Rate;
        /** Share of the open scopes of a kind that may be stopped in that time; one is always allowed. */
        readonly shareOfWorkRatio: number;
    };
    readonly selfDisable: {
        /** Share of the work that was refused, and for how long, without pressure falling. */
        readonly shedShareRatio: number;
        readonly forMs: number;
    };
}
export declare const guardDefaults: GuardRules;
/** The section `guards` of a policy. */
export declare const guardsSection: import("../shape.ts").Table<import("../shape.ts").TableValue<{
    destructive: import("../shape.ts").Key<import("../shape.ts").TableValue<{
        rate: import("../shape.ts").Key<Rate, false>;
        'share-of-work': import("../shape.ts").Key<number, false>;
    }>, false>;
    'self-disable': import("../shape.ts").Key<import("../shape.ts").TableValue<{
        'shed-share': import("../shape.ts").Key<number, false>;
        for: import("../shape.ts").Key<number, false>;
    }>, false>;
}>>;
export declare function guardRulesOf(given: ValueOf<typeof guardsSection> | undefined): GuardRules;

// dist/policy/span.d.ts
import type { Leaf } from './shape.ts';
/** From one value to another, both included. */
export interface Span {
    readonly min: number;
    readonly max: number;
}
/** At most so many in any stretch of time of this length. */
export interface Rate {
    readonly count: number;
    readonly perMs: number;
}
/** "80%..95%". */
export declare function percentSpan(example: string): Leaf<Span>;
/** "5s..20s". */
export declare function durationSpan(example: string, atMostMs: number): Leaf<Span>;
/** "10/m": so many per second, minute, hour or day. */
export declare function rate(example: string): Leaf<Rate>;
/** "10/m" of a rate, as people read it. */
export declare function formatRate({ count, perMs }: Rate): string;
/** A number from 1 up, with a bound, that counts something. */
export declare function countUpTo(noun: string, example: string, atMost: number): Leaf<number>;
/** A name that the author of a policy or a program chose. */
export declare function name(noun: string, example: string): Leaf<string>;

// dist/policy/sections/rollback.d.ts
import type { PlimsollError } from '../../errors.ts';
import type { ValueOf } from '../shape.ts';
/** When the governor gives a policy up by itself, and what it then does. */
export interface RollbackRules {
    /** `last-good` falls back to `shadow` when no policy was ever kept as good. */
    readonly to: 'last-good' | 'shadow' | 'never';
    /** Growth of the floor beyond what was usual before, at usual load. */
    readonly growthBytes: number;
    /** Least share of garbage that major GCs free. */
    readonly gcEffectivenessRatio: number;
    /** Loop delay from which the process counts as unresponsive, and how long it has to last. */
    readonly loopDelayMs: number;
    readonly loopForMs: number;
    /** Share of operations blocked, and how long it has to last without pressure falling. */
    readonly blockedRatio: number;
    readonly blockedForMs: number;
    /** A policy that was enforced for so long without a trigger is kept as good. */
    readonly goodAfterMs: number;
    /** At most one rollback in this time. */
    readonly cooldownMs: number;
}
/** What a policy without `rollback` gets: the thresholds of the field's own rule of thumb. */
export declare const rollbackDefaults: RollbackRules;
/** The section `rollback` of a policy. */
export declare const rollbackSection: import("../shape.ts").Table<import("../shape.ts").TableValue<{
    to: import("../shape.ts").Key<"last-good" | "never" | "shadow", false>;
    growth: import("../shape.ts").Key<number, false>;
    'gc-effectiveness': import("../shape.ts").Key<number, false>;
    unresponsive: import("../shape.ts").Key<import("../shape.ts").TableValue<{
        delay: import("../shape.ts").Key<number, false>;
        for: import("../shape.ts").Key<number, false>;
    }>, false>;
    blocked: import("../shape.ts").Key<import("../shape.ts").TableValue<{
        share: import("../shape.ts").Key<number, false>;
        for: import("../shape.ts").Key<number, false>;
    }>, false>;
    'good-after': import("../shape.ts").Key<number, false>;
    cooldown: import("../shape.ts").Key<number, false>;
}>>;
/** The rules of a document, every default filled in. */
export declare function rollbackRulesOf(given: ValueOf<typeof rollbackSection> | undefined): RollbackRules;
/** A second rollback could come before the first one's effect was seen. */
export declare function rollbackProblems(given: ValueOf<typeof rollbackSection> | undefined, at: (...path: readonly (string | number)[]) => {
    place: string;
    path: string;
}): PlimsollError[];

// dist/policy/sections/settle.d.ts
import type { ValueOf } from '../shape.ts';
/** When the effect of an action counts as measured, and what is enough. */
export interface SettleRules {
    readonly wait: 'next-major-gc' | 'time';
    readonly atMostMs: number;
    /** Share of the bytes in use that an action has to free; after less, the next rung runs. */
    readonly minFreedRatio: number;
    /** Rest after the last rung before the ladder begins again while the level stands. */
    readonly againMs: number;
}
export declare const settleDefaults: SettleRules;
/** The section `settle` of a policy. */
export declare const settleSection: import("../shape.ts").Table<import("../shape.ts").TableValue<{
    wait: import("../shape.ts").Key<"next-major-gc" | "time", false>;
    'at-most': import("../shape.ts").Key<number, false>;
    'min-freed': import("../shape.ts").Key<number, false>;
    again: import("../shape.ts").Key<number, false>;
}>>;
export declare function settleRulesOf(given: ValueOf<typeof settleSection> | undefined): SettleRules;

// dist/govern/admission/shed-point.d.ts
import type { Level, Mode, Priority } from '../../policy/policy.ts';
import type { AdmissionLever } from '../levers.ts';
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
/** The numbers behind what the shed points do, told by whoever governs once per reading. */
export interface AdmissionReading {
    readonly level: Level;
    /** Of the limit that binds. */
    readonly usedBytes: number;
    readonly limitBytes: number;
    /** Such as `heap` or `cgroup`. */
    readonly source: string;
    /** The rule behind the limit, as in a level change. */
    readonly rule: string;
    /** What is left below the nearest limit, the policy's reserve already taken off. */
    readonly freeBytes: number;
    /** Scopes in which work goes on now; asked only while something is refused. Unknown counts as idle. */
    readonly inFlight?: () => number;
}
export interface GovernOptions {
    /** `observe` and `shadow` only count what they would have refused. */
    readonly mode: Mode;
    /** The policy's priority for the work at hand; asked only while something is refused. */
    readonly priorityOf?: () => Priority | undefined;
}
/** Why a shed point said no: the catalogue code without its `PLM_ADMIT_`. */
export type ShedReason = 'REFUSED' | 'THROTTLED' | 'CLAMPED' | 'NO_ROOM' | 'TOO_LARGE' | 'DRAINING';
/** The side of admission that the ladder, the restart and the host hold. Every call is idempotent and none throws. */
export interface AdmissionControl extends AdmissionLever {
    /** Begins or goes on to govern. Until then everything is let in and only counted. */
    govern(options: GovernOptions): void;
    /** Lets everything in again and forgets orders and readings. */
    ungovern(): void;
    /** Takes the numbers of a reading. Orders lapse when none came for a minute. */
    observe(reading: AdmissionReading): void;
    /** Closes for good: everything new is refused and the process is not ready any more. */
    drain(reason: string): void;
    /** The clamp in force, for whoever keeps its own count of delegations. */
    readonly clamped: Clamp | undefined;
    readonly isDraining: boolean;
    row(): AdmissionRow;
    /** Refusals since the start by point and reason, for metrics. */
    sheds(): readonly {
        readonly point: ShedPoint;
        readonly reason: ShedReason;
        readonly count: number;
    }[];
}
/** Tighter bounds on delegation while memory is short; what is left out is unbounded. */
export interface Clamp {
    readonly depth?: number;
    /** Most delegations that one delegator has running. */
    readonly fanOut?: number;
    /** Most runs at once and, in a tree of delegations, most of those. */
    readonly concurrency?: number;
    readonly reason: string;
}
/** What the shed points do now, and did since the start; goes into the frame as it is. */
export interface AdmissionRow {
    /** What new work meets: let in, refused with a probability, refused. */
    readonly state: 'open' | 'throttling' | 'refusing' | 'draining';
    /** Share of sheddable work refused now, 0 to 1. */
    readonly ratio: number;
    readonly admitted: number;
    readonly refused: number;
    readonly points: readonly {
        readonly point: ShedPoint;
        readonly admitted: number;
        readonly refused: number;
        /** Waiting now. */
        readonly held: number;
        /** Refusals that a mode other than enforce left undone. */
        readonly wouldHave: number;
        /** Refusals by reason, such as `throttled` and `no_room`. */
        readonly reasons: Readonly<Record<string, number>>;
    }[];
}

// dist/govern/levers.d.ts
import type { Keeper } from '../keeper.ts';
import type { Level, Priority } from '../policy/policy.ts';
/**
 * What the ladder acts through. Every action reaches the process by one of these and by nothing else, so that a test hands in its own and a
 * host leaves out what it cannot do: an action whose lever is missing is skipped, and its record says so.
 */
export interface Levers {
    /** Keepers that are held now; those of the process by default. */
    readonly keepers?: () => readonly Keeper[];
    /** Open scopes with what they hold, parents before children. Asked only when an action needs them. */
    readonly scopes?: () => Iterable<LeverScope>;
    /** Live heap in no scope; undefined while nobody knows. */
    readonly unattributedBytes?: () => number | undefined;
    readonly admission?: AdmissionLever;
    /** One full collection, now. */
    readonly gc?: () => void;
    /** Takes readings at the fast interval for a while. */
    readonly hurry?: (forMs: number) => void;
    readonly restart?: ((request: RestartRequest) => RestartAnswer) | undefined;
    readonly evidence?: (request: EvidenceRequest) => Promise<EvidenceAnswer>;
    readonly approvals?: ApprovalGate | undefined;
}
/** An open scope as an action sees it. */
export interface LeverScope {
    readonly id: number;
    readonly kind: string;
    readonly name: string;
    readonly path: string;
    readonly parent?: LeverScope | undefined;
    /** What it and everything inside it holds, re-based to the measured heap where that is known. */
    readonly bytes: number;
    /** Budget its code gave it. */
    readonly budget?: number | undefined;
    /** Ms since it was last opened, run, leased or touched. */
    readonly idleMs: number;
    /** Ms since it was opened. */
    readonly ageMs: number;
    /** Claims that it, or something inside it, is in use. */
    readonly leases: number;
    /** Closes it, which aborts its signal; resolves when all it owned was let go of. */
    close(reason: string): Promise<unknown>;
}
/** The control side of admission. Each call replaces what the same call asked for before. */
export interface AdmissionLever {
    /** Refuses work with a probability, 0 to 1. */
    throttle(request: {
        readonly ratio: number;
        readonly only?: Priority;
        readonly retryAfterMs?: Span;
        readonly reason: string;
    }): void;
    /** Refuses all new work but what is excepted; the management lane is never refused. */
    refuse(request: {
        readonly only?: Priority;
        /** Shed points that go on, such as `tool`. */
        readonly except: readonly string[];
        readonly retryAfterMs: Span;
        readonly reason: string;
    }): void;
    /** Lowers what one tree of delegations may do. */
    clamp(request: {
        readonly depth?: number;
        readonly fanOut?: number;
        readonly concurrency?: number;
        readonly reason: string;
    }): void;
    /** Ends one of the three, or all of them. */
    release(what?: 'throttle' | 'refuse' | 'clamp'): void;
    /** Since the start; for the share of work that is refused. */
    counts(): {
        readonly admitted: number;
        readonly refused: number;
    };
}
export interface Span {
    readonly min: number;
    readonly max: number;
}
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
export interface EvidenceRequest {
    readonly scope: string;
    /** Time for all hooks together. */
    readonly timeoutMs: number;
    /** Ends the work when the time is over. */
    readonly signal: AbortSignal;
    /** Whether a heap snapshot may be taken when the capture guard says that it fits. */
    readonly snapshot: 'if-it-fits' | 'never';
}
export interface EvidenceAnswer {
    /** One sentence: what was kept and where. */
    readonly text: string;
    readonly files: readonly string[];
}
/** Files tickets that nobody awaits. */
export interface ApprovalGate {
    /** Never throws and never waits. The same digest joins the open ticket. */
    request(ticket: ApprovalTicket): {
        readonly id: string;
        readonly state: string;
    };
}
/** What an action of the ladder asks a human for. */
export interface ApprovalTicket {
    /** Entry of `approvals` in the policy. */
    readonly approval: string;
    /** What is asked: an action of the ladder. */
    readonly kind: 'action';
    readonly action: string;
    /** The subject of the ladder. */
    readonly scope: string;
    /** Options and victims; part of the digest. */
    readonly args: Readonly<Record<string, unknown>>;
    /** Level of the rung: below it the ticket is withdrawn. */
    readonly level: Level;
    readonly why: string;
    readonly evidence: Readonly<Record<string, string | number | null>>;
    /** The rule that asks. */
    readonly requestedBy: string;
    readonly policy: {
        readonly revision: number;
        readonly sha256: string;
    };
    /** Asked right before it runs: the level still holds, the victim still exists, the policy is the same. */
    readonly isStillValid: () => boolean;
    /** Carries the action out, once; never throws. `as` says who let it: an approver, or the policy at emergency. */
    readonly run: (as: string) => void;
    /** Called once when it will not run: denied, expired, withdrawn, stale or lost. */
    readonly onRefused?: (state: string) => void;
}

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
/**
 * Adds a keeper to the roster of this thread, weakly: a keeper nobody holds any more leaves by itself. Returns its removal.
 * With the path of the scope that it charges, it is also asked to shed when that scope or one around it is over its budget.
 */
export declare function registerKeeper(keeper: Keeper, scopePath?: string): () => void;
/** Every keeper of this thread that is still held, also those made by another copy of the package. */
export declare function keepers(): Keeper[];
/** Path of the scope that a keeper charges; undefined when it never said. */
export declare function homeOf(keeper: Keeper): string | undefined;

// dist/govern/admission/waiting-line.d.ts
import type { Clock } from '../../sense/clock.ts';
export interface WaitOptions {
    /** Longest wait; shorter than the client's own patience. */
    readonly waitMs: number;
    /** Bytes that the waiting request itself holds, 4 KiB by default. */
    readonly heldBytes?: number;
    /** Aborted when the client has left. */
    readonly signal?: AbortSignal;
}
/** Requests that wait to be let in, first come first served, bounded in number, bytes and time. */
export declare class WaitingLine {
    private readonly clock;
    private readonly waiters;
    private bytes;
    constructor(clock: Pick<Clock, 'after'>);
    hasRoom(options: WaitOptions): boolean;
    /** Resolves with true when `mayEnter` says so, with false at the deadline; rejects when the signal is aborted. */
    wait(options: WaitOptions, mayEnter: () => boolean): Promise<boolean>;
    /** Lets in who may enter, in the order they came, until one may not. */
    advance(): void;
    /** Sends everybody away who may not enter now. */
    dismiss(): void;
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
export declare function startWork(clock: Pick<Clock, 'monotonic' | 'cpu'>): () => number;

// dist/govern/admission/admission.d.ts
import type { Clock } from '../../sense/clock.ts';
import { Lanes } from './lane.ts';
import type { Refuse, Throttle } from './orders.ts';
import type { Pressure } from './pressure.ts';
import type { AdmissionControl, AdmissionReading, AdmissionRow, AdmitOptions, Admitted, Clamp, GovernOptions, ShedPoint } from './shed-point.ts';
import type { WaitOptions } from './waiting-line.ts';
export interface AdmissionOptions {
    readonly clock?: Pick<Clock, 'monotonic' | 'after'>;
    /** 0 to below 1; a seeded one makes throttling repeatable. */
    readonly random?: () => number;
    /** True when the running code is part of a run that was let in: its tools and buffers belong to a continuing turn. */
    readonly isWithinRun?: () => boolean;
}
/**
 * The shed points of a process and the orders in force at them.
 *
 * It never refuses the management lane or work that continues, never everything while nothing is in flight (refusing an idle process cannot
 * free memory, and it would stay closed for ever), and never longer than somebody reads the memory. Each refusal is counted by point and
 * reason and carries its numbers.
 */
export declare class Admission implements AdmissionControl {
    readonly lanes: Lanes;
    private readonly clock;
    private readonly random;
    private readonly isWithinRun;
    private readonly counters;
    private readonly orders;
    private readonly line;
    private readonly reserved;
    private mode;
    private priorityOf;
    private reading;
    private observedAt;
    /** Work in flight at the last reading, and let in since. */
    private workInFlight;
    private hasSeenWork;
    private probedAt;
    constructor(options?: AdmissionOptions);
    /** Lets work in or throws an `AdmitError`. */
    admit(point: ShedPoint, want?: number | AdmitOptions): Admitted;
    /** As `admit`, but waits in a bounded line for up to `waitMs` when a later try can help. */
    admitOrWait(point: ShedPoint, options: AdmitOptions & WaitOptions): Promise<Admitted>;
    govern(options: GovernOptions): void;
    ungovern(): void;
    observe(reading: AdmissionReading): void;
    throttle(order: Throttle): void;
    refuse(order: Refuse): void;
    clamp(order: Clamp): void;
    release(what?: 'throttle' | 'refuse' | 'clamp'): void;
    counts(): {
        readonly admitted: number;
        readonly refused: number;
    };
    drain(reason: string): void;
    get isDraining(): boolean;
    get clamped(): Clamp | undefined;
    /** True while the level is critical or higher, or something is refused: what `@fastify/under-pressure` users ask. */
    get isUnderPressure(): boolean;
    /** The same with the reason and the numbers. */
    get pressure(): Pressure;
    row(): AdmissionRow;
    sheds(): ReturnType<AdmissionControl['sheds']>;
    private enter;
    private turnAway;
    /** What speaks against letting it in; undefined when nothing does. */
    private objection;
    private ordersAgainst;
    /** Refusing cannot help a process in which nothing works, and would keep it closed for ever: one per second is let in to see. */
    private mayProbe;
    private refusalAgainst;
    private throttleAgainst;
    private clampedAgainst;
    private bytesAgainst;
    /** Tools and buffers of a run that was let in: refusing them would hurt a turn that continues. */
    private isPartOfTurn;
    private laneOf;
    /** The first order counts from now on, and needs to know what works. */
    private beforeOrder;
    private countWork;
    /** Ends what is overdue: a slow start that is over, orders that nobody stands behind any more. */
    private lapse;
    private lift;
    private unknown;
}

// dist/govern/admission/lane.d.ts
/** The lane that is never refused: health, metrics, approvals, administration. */
export declare const managementLane = "management";
/** Which lane the running code is in, found again in everything it calls. */
export declare class Lanes {
    private readonly current;
    get name(): string | undefined;
    run<R>(lane: string, work: () => R): R;
}

// dist/govern/admission/orders.d.ts
import type { AdmissionLever } from '../levers.ts';
import type { AdmissionRow, Clamp } from './shed-point.ts';
import { SlowStart } from './slow-start.ts';
export type Throttle = Parameters<AdmissionLever['throttle']>[0];
export type Refuse = Parameters<AdmissionLever['refuse']>[0];
/** The orders in force at the shed points: throttled, refused, clamped, drained; and the slow start after a refusal. */
export declare class Orders {
    throttling: Throttle | undefined;
    refusing: Refuse | undefined;
    clamping: Clamp | undefined;
    slowStart: SlowStart | undefined;
    /** Why everything new is refused for good. */
    draining: string | undefined;
    /** No order is in force: all but bytes are let in unseen. */
    isQuiet: boolean;
    throttle(order: Throttle): void;
    refuse(order: Refuse): void;
    clamp(order: Clamp): void;
    drain(reason: string): void;
    /** Ends an order, or all but a drain. A refusal ends slowly. */
    release(what: 'throttle' | 'refuse' | 'clamp' | undefined, nowMs: number): void;
    /** Ends all but a drain at once. */
    lift(): void;
    /** Ends a slow start that is over, and with it the refusal. */
    endSlowStart(nowMs: number): void;
    /** True while the ladder has given an order. */
    get isGiven(): boolean;
    get state(): AdmissionRow['state'];
    /** Share of sheddable work refused now, 0 to 1. */
    get ratio(): number;
    /** What refuses work, in words; null when nothing does. */
    get why(): string | null;
    private settle;
}

// dist/govern/admission/slow-start.d.ts
/**
 * The way out of a refusal: a few are let in first, in each second twice as many as in the one before, then all. What was refused for a while
 * comes back all at once, and would bring back the pressure it was refused for.
 */
export declare class SlowStart {
    private readonly startedMs;
    private step;
    private left;
    private asked;
    private refused;
    constructor(nowMs: number);
    isOver(nowMs: number): boolean;
    /** True when this one is let in. */
    take(nowMs: number): boolean;
    /** Share of what asked since the start that was not let in. */
    get refusedRatio(): number;
}

// dist/govern/admission/admit-error.d.ts
import { PlimsollError } from '../../errors.ts';
import type { Level } from '../../policy/policy.ts';
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

// dist/govern/approvals/approval.d.ts
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

// dist/govern/approvals/approval-refusal.d.ts
import { PlimsollError } from '../../errors.ts';
/** Why a held operation does not go on: the catalogue code without its `PLM_APPROVAL_`. */
export type RefusalReason = 'DENIED' | 'EXPIRED' | 'PENDING' | 'FULL' | 'LEVEL' | 'STALE' | 'LOST' | 'ABORTED';
export interface RefusalFacts {
    readonly reason: RefusalReason;
    /** The ticket; undefined when there was no room for one. */
    readonly id?: string | undefined;
    readonly retryAfterMs: number;
    /** What the text of this reason needs. */
    readonly details: Readonly<Record<string, unknown>>;
}
/**
 * The error of an operation that needed an approval and did not get one. It says whether the same request can be let in later, and when to
 * come back, and is its own HTTP answer: Fastify, Express and Koa read `statusCode` and `headers`.
 */
export declare class ApprovalRefusal extends PlimsollError {
    readonly reason: RefusalReason;
    /** The ticket; undefined when there was no room for one. */
    readonly id: string | undefined;
    /** False when a human said no. */
    readonly retryable: boolean;
    /** Each refusal gets its own, so that clients do not come back together; 0 when it is not retryable. */
    readonly retryAfterMs: number;
    readonly statusCode: 403 | 503;
    constructor(facts: RefusalFacts, options?: {
        cause?: unknown;
    });
    /** Headers of the HTTP answer. */
    get headers(): Readonly<Record<string, string>>;
}

// dist/govern/restart/drain-hooks.d.ts
import type { RestartAnswer } from '../levers.ts';
import type { Restart } from './restart-plan.ts';
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

// dist/govern/restart/restart-plan.d.ts
import type { RestartAnswer, RestartRequest } from '../levers.ts';
/** The exit code of a process that ended to be started again (EX_TEMPFAIL of sysexits: try again); `plimsoll run` starts it anew. */
export declare const restartExitCode = 75;
/** The lever that the ladder pulls: begins a drain and restart in the background, or says why not. Never waits, never throws. */
export type Restart = (request: RestartRequest) => RestartAnswer;
/** What the planner knows of this process and of the lives before it. */
export interface RestartFacts {
    /** Wall time. */
    readonly now: number;
    readonly uptimeMs: number;
    /** Wall times of restarts, also of earlier lives. */
    readonly restarts: readonly number[];
    /** 0 to below 1. */
    readonly random: number;
}
export type RestartPlan = {
    readonly verdict: 'go';
    /** The drain begins after this: a fleet does not go at once. */
    readonly drainInMs: number;
    /** Work has this long. */
    readonly drainMs: number;
    /** Then sessions are parked for at most this long. */
    readonly parkMs: number;
    /** By then the process has ended, whatever hangs. */
    readonly exitInMs: number;
} | {
    readonly verdict: 'refused';
    readonly why: string;
};
/**
 * Decides whether and when a process is drained and restarted. A restart that comes too soon after the last would only bring back what it
 * cured, so there are at most so many per period over all lives of the program, and none of a process that has hardly begun.
 */
export declare function planRestart(order: RestartRequest, facts: RestartFacts): RestartPlan;

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
    /** Least ms between the beginnings of two rotations, 0 to an hour; default 1,000. */
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
export { parseScopePath } from './scope-path.ts';

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
/** A whole number between bounds. */
export declare function whole(noun: string, example: string, least: number, most: number): Leaf<number>;
/** "service:billing": a scope kind and a glob for its name. */
export declare function selector(example: string): Leaf<{
    readonly kind: string;
    readonly name: string;
}>;

// entry @plimsoll/core/govern
// dist/govern/index.d.ts
export type { ActionOutcome, ActionRecord } from './action.ts';
export type { Hint } from './actions/hint.ts';
export type { Ladder } from './ladder/ladder.ts';
export { admission, isSelfCall, selfCallHeaders, shedPoints } from './admission/index.ts';
export type { AdmissionControl, AdmissionReading, AdmissionRow, AdmitOptions } from './admission/index.ts';
export { installHeldGate } from './approvals/approval.ts';
export type { ApprovalDesk, HeldGate } from './approvals/index.ts';
export type { ApprovalRow, DeskDecision, TicketRequest } from './approvals/index.ts';
export type { GovernorOptions, RaisedLevelRow } from './governor.ts';
export { Governor } from './governor.ts';
export type { LevelChange, LevelSource } from './level-change.ts';
export { LevelMachine } from './level-machine.ts';
export type { ApprovalGate, EvidenceAnswer, EvidenceRequest, LeverScope, Levers } from './levers.ts';
export { limitPolicyOf } from './limit-policy.ts';
export type { GovernedReading } from './process-levels.ts';
export { Reconciliation } from './reconciliation.ts';
export type { GovernedScope } from './scope-table.ts';
export { TimeToLimit } from './time-to-limit.ts';
export { budgetFor } from '../policy/budget.ts';
export { builtInPolicy } from '../policy/built-in.ts';
export type { Level, Mode, Policy } from '../policy/policy.ts';
export { levels } from '../policy/policy.ts';
export { drainHooks, emptyLog, parseRestartLog, planRestart, requestRestart, restartExitCode, restartTimes, resumeFrom, runDrain, setRestart, withEntry, } from './restart/index.ts';
export type { DrainResult, Restart, RestartEntry, RestartLog, Resume } from './restart/index.ts';
export { GcEffectiveness } from './rollback/gc-effectiveness.ts';
export type { RollbackRecord, RollbackSignals, RollbackState } from './rollback/index.ts';

// dist/govern/action.d.ts
import type { ActionName, OptionsOf } from '../policy/actions.ts';
import type { Level, Mode, Policy } from '../policy/policy.ts';
import type { StopGuard } from './ladder/stop-guard.ts';
import type { LevelChange } from './level-change.ts';
import type { Levers } from './levers.ts';
/** What an action gets to know. */
export interface ActionContext<Options = unknown> {
    /** Scope path of the subject; "process" for the process itself. */
    readonly scope: string;
    readonly level: Level;
    /** The change that brought the level. */
    readonly change: LevelChange;
    /** Of the limit that binds, now. */
    readonly usedBytes: number;
    readonly limitBytes: number;
    readonly options: Options;
    readonly policy: Policy;
    readonly levers: Levers;
    /** What may still be stopped. */
    readonly guard: StopGuard;
    /** Monotonic ms. */
    readonly nowMs: number;
    /** Whom an approver agreed to; nobody else may be hit. Absent when the action chooses. */
    readonly victims?: readonly string[] | undefined;
    /** How long it may take. */
    readonly timeoutMs: number;
    /** Aborted when that time is over. */
    readonly signal: AbortSignal;
}
/** What an action did. */
export interface ActionEffect {
    /** One sentence with the numbers. */
    readonly text: string;
    /** What it let go of by its own count; what that freed is measured later. */
    readonly releasedBytes: number;
    /** There was nothing to do, or no lever to do it with. */
    readonly isSkipped?: boolean;
}
/** What an action would do: shadow mode reports it, and an approver decides by it. */
export interface ActionPlan {
    readonly text: string;
    /** At most; what is leased, vetoed or shared stays. */
    readonly projectedBytes: number;
    /** Whom it would hit; part of what an approver agrees to. */
    readonly victims?: readonly string[];
}
/** One action that a ladder may name. */
export interface Action<Options = unknown> {
    /** Never changes anything. */
    plan(context: ActionContext<Options>): ActionPlan;
    /** Carries it out. Throws or rejects when it could not. */
    run(context: ActionContext<Options>): ActionEffect | Promise<ActionEffect>;
    /** For what stays in force: follows the pressure, once per tick. */
    follow?(context: ActionContext<Options>): void;
    /** For what stays in force: ends it. */
    release?(levers: Levers): void;
    /** Least time between two runs; without it the rest between two rounds of the ladder. */
    cooldownMs?(options: Options): number;
    /** Longest run when the rung says nothing, 10 s otherwise. */
    readonly timeoutMs?: number;
}
export type ActionOf<Name extends ActionName> = Action<OptionsOf<Name>>;
/** Nothing was done, and why. */
export declare function skipped(text: string): ActionEffect;
/** How far an action has come; the last four are final. */
export type ActionOutcome = 'waiting' | 'running' | 'settling' | 'done' | 'would-have' | 'skipped' | 'failed';
/** One action as it goes out on the channel `plimsoll:action` and into the ledger; a later record with the same id replaces an earlier one. */
export interface ActionRecord {
    readonly id: string;
    /** A name of the policy, or `stuck`, `self-disable` or `ladder.release` for what the ladder does by itself. */
    readonly action: string;
    readonly scope: string;
    readonly level: Level;
    /** `would-have` in shadow mode: nothing was done. */
    readonly outcome: ActionOutcome;
    readonly mode: Mode;
    readonly text: string;
    /** What the action let go of by its own count, or would have at most. */
    readonly releasedBytes: number;
    /** Fall of the live bytes by the next major GC; null until then, and when none came in time. Below zero when growth went on faster. */
    readonly freedBytes: number | null;
    /** The rung: `ladder.warning (plimsoll.yaml:30)`. */
    readonly rule: string;
    readonly victims?: readonly string[];
    readonly change: LevelChange;
    /** Wall time of the beginning. */
    readonly at: number;
    readonly policy: {
        readonly revision: number;
        readonly sha256: string;
    };
}

// dist/policy/actions.d.ts
import type { Table, ValueOf } from './shape.ts';
/**
 * What an action does to the ladder. `frees`: its effect is awaited before the next rung. `holds`: stays in force until the level falls.
 * `stops`: ends work, so it is guarded and comes after something that frees. `tells`: changes nothing.
 */
export type ActionNature = 'tells' | 'frees' | 'holds' | 'stops';
/** What a policy may say about one action: its sentence in the docs and its options. */
export interface ActionDeclaration {
    readonly about: string;
    readonly nature: ActionNature;
    /** Whom it can be run for: the process alone, or also one scope that is over its budget. */
    readonly reach: 'process' | 'any';
    readonly options: Table<unknown>;
}
/**
 * Every action a ladder may name. An entry here makes the loader, the JSON Schema and the docs know it; the compiler then
 * asks for its runner in `govern/action-runners.ts`, so that no action can be accepted and not act.
 */
export declare const actions: {
    readonly 'signal.fast': {
        readonly about: 'Takes readings at the fast interval for a while.';
        readonly nature: 'tells';
        readonly reach: 'any';
        readonly options: Table<import("./shape.ts").TableValue<{
            mode: import("./shape.ts").Key<"enforce" | "observe" | "shadow", false>;
            cooldown: import("./shape.ts").Key<number, false>;
            for: import("./shape.ts").Key<number, false>;
        }>>;
    };
    readonly notify: {
        readonly about: 'Publishes an alert with the numbers on the channel plimsoll:action, from where the ledger takes it.';
        readonly nature: 'tells';
        readonly reach: 'any';
        readonly options: Table<import("./shape.ts").TableValue<{
            mode: import("./shape.ts").Key<"enforce" | "observe" | "shadow", false>;
            cooldown: import("./shape.ts").Key<number, false>;
        }>>;
    };
    readonly hint: {
        readonly about: 'Publishes plimsoll:hint with the pressure, 0 to 1, for parts of the program that can give way by themselves.';
        readonly nature: 'tells';
        readonly reach: 'any';
        readonly options: Table<import("./shape.ts").TableValue<{
            mode: import("./shape.ts").Key<"enforce" | "observe" | "shadow", false>;
            cooldown: import("./shape.ts").Key<number, false>;
        }>>;
    };
    readonly 'timeouts.scale': {
        readonly about: 'Shortens the idle timeouts of keepers in proportion to the pressure, until the level falls.';
        readonly nature: 'holds';
        readonly reach: 'process';
        readonly options: Table<import("./shape.ts").TableValue<{
            mode: import("./shape.ts").Key<"enforce" | "observe" | "shadow", false>;
            cooldown: import("./shape.ts").Key<number, false>;
            approval: import("./shape.ts").Key<string, false>;
            timeout: import("./shape.ts").Key<number, false>;
            floor: import("./shape.ts").Key<number, false>;
        }>>;
    };
    readonly 'keepers.shrink': {
        readonly about: 'Makes keepers whose content can be rebuilt or spilled give up a share of what they hold.';
        readonly nature: 'frees';
        readonly reach: 'any';
        readonly options: Table<import("./shape.ts").TableValue<{
            mode: import("./shape.ts").Key<"enforce" | "observe" | "shadow", false>;
            cooldown: import("./shape.ts").Key<number, false>;
            approval: import("./shape.ts").Key<string, false>;
            timeout: import("./shape.ts").Key<number, false>;
            to: import("./shape.ts").Key<number, false>;
            kinds: import("./shape.ts").Key<readonly string[], false>;
        }>>;
    };
    readonly 'cache.drop': {
        readonly about: 'Empties keepers that can be rebuilt: pools, registries of gone values and caches the program registered.';
        readonly nature: 'frees';
        readonly reach: 'any';
        readonly options: Table<import("./shape.ts").TableValue<{
            mode: import("./shape.ts").Key<"enforce" | "observe" | "shadow", false>;
            cooldown: import("./shape.ts").Key<number, false>;
            approval: import("./shape.ts").Key<string, false>;
            timeout: import("./shape.ts").Key<number, false>;
            kinds: import("./shape.ts").Key<readonly string[], false>;
        }>>;
    };
    readonly 'replay.trim': {
        readonly about: 'Makes replay buffers spill to their file, or forget what every reader has read.';
        readonly nature: 'frees';
        readonly reach: 'any';
        readonly options: Table<import("./shape.ts").TableValue<{
            mode: import("./shape.ts").Key<"enforce" | "observe" | "shadow", false>;
            cooldown: import("./shape.ts").Key<number, false>;
            approval: import("./shape.ts").Key<string, false>;
            timeout: import("./shape.ts").Key<number, false>;
            to: import("./shape.ts").Key<number, false>;
        }>>;
    };
    readonly 'conversation.compact': {
        readonly about: 'Drops the oldest turns of conversations; the program may summarise them, which can cost tokens.';
        readonly nature: 'frees';
        readonly reach: 'any';
        readonly options: Table<import("./shape.ts").TableValue<{
            mode: import("./shape.ts").Key<"enforce" | "observe" | "shadow", false>;
            cooldown: import("./shape.ts").Key<number, false>;
            approval: import("./shape.ts").Key<string, false>;
            timeout: import("./shape.ts").Key<number, false>;
            'keep-last': import("./shape.ts").Key<number, false>;
        }>>;
    };
    readonly 'gc.request': {
        readonly about: 'Asks V8 for one full collection, which stops the process for about 1 ms per MiB that is alive.';
        readonly nature: 'frees';
        readonly reach: 'process';
        readonly options: Table<import("./shape.ts").TableValue<{
            mode: import("./shape.ts").Key<"enforce" | "observe" | "shadow", false>;
            every: import("./shape.ts").Key<number, false>;
        }>>;
    };
    readonly 'session.park': {
        readonly about: 'Parks idle sessions that nobody leases, coldest first, down to a target.';
        readonly nature: 'frees';
        readonly reach: 'any';
        readonly options: Table<import("./shape.ts").TableValue<{
            mode: import("./shape.ts").Key<"enforce" | "observe" | "shadow", false>;
            cooldown: import("./shape.ts").Key<number, false>;
            approval: import("./shape.ts").Key<string, false>;
            timeout: import("./shape.ts").Key<number, false>;
            order: import("./shape.ts").Key<"idle" | "idle-x-size", false>;
            until: import("./shape.ts").Key<number, false>;
            batch: import("./shape.ts").Key<number, false>;
        }>>;
    };
    readonly 'delegation.clamp': {
        readonly about: 'Lowers how deep, how wide and how parallel agents may delegate, until the level falls.';
        readonly nature: 'holds';
        readonly reach: 'process';
        readonly options: Table<import("./shape.ts").TableValue<{
            mode: import("./shape.ts").Key<"enforce" | "observe" | "shadow", false>;
            cooldown: import("./shape.ts").Key<number, false>;
            approval: import("./shape.ts").Key<string, false>;
            timeout: import("./shape.ts").Key<number, false>;
            depth: import("./shape.ts").Key<number, false>;
            'fan-out': import("./shape.ts").Key<number, false>;
            concurrency: import("./shape.ts").Key<number, false>;
        }>>;
    };
    readonly 'admit.throttle': {
        readonly about: 'Refuses new work with a probability that rises with the pressure, until the level falls.';
        readonly nature: 'holds';
        readonly reach: 'process';
        readonly options: Table<import("./shape.ts").TableValue<{
            mode: import("./shape.ts").Key<"enforce" | "observe" | "shadow", false>;
            cooldown: import("./shape.ts").Key<number, false>;
            approval: import("./shape.ts").Key<string, false>;
            timeout: import("./shape.ts").Key<number, false>;
            scaled: import("./shape.ts").Key<import("./span.ts").Span, false>;
            only: import("./shape.ts").Key<"critical" | "normal" | "sheddable", false>;
            'retry-after': import("./shape.ts").Key<import("./span.ts").Span, false>;
        }>>;
    };
    readonly 'admit.refuse': {
        readonly about: 'Refuses new work until the level falls. The management lane and steps of work already let in go on.';
        readonly nature: 'holds';
        readonly reach: 'process';
        readonly options: Table<import("./shape.ts").TableValue<{
            mode: import("./shape.ts").Key<"enforce" | "observe" | "shadow", false>;
            cooldown: import("./shape.ts").Key<number, false>;
            approval: import("./shape.ts").Key<string, false>;
            timeout: import("./shape.ts").Key<number, false>;
            only: import("./shape.ts").Key<"critical" | "normal" | "sheddable", false>;
            except: import("./shape.ts").Key<readonly string[], false>;
            'retry-after': import("./shape.ts").Key<import("./span.ts").Span, false>;
        }>>;
    };
    readonly evidence: {
        readonly about: 'Keeps counters, allocation sites and, when the capture guard says that it fits, a heap snapshot.';
        readonly nature: 'tells';
        readonly reach: 'process';
        readonly options: Table<import("./shape.ts").TableValue<{
            mode: import("./shape.ts").Key<"enforce" | "observe" | "shadow", false>;
            cooldown: import("./shape.ts").Key<number, false>;
            approval: import("./shape.ts").Key<string, false>;
            timeout: import("./shape.ts").Key<number, false>;
            snapshot: import("./shape.ts").Key<"if-it-fits" | "never", false>;
        }>>;
    };
    readonly 'scope.stop': {
        readonly about: 'Closes the scope that frees the most for the least work lost, which aborts its signal. Never one that is leased, exempt or in no class of its own.';
        readonly nature: 'stops';
        readonly reach: 'any';
        readonly options: Table<import("./shape.ts").TableValue<{
            mode: import("./shape.ts").Key<"enforce" | "observe" | "shadow", false>;
            cooldown: import("./shape.ts").Key<number, false>;
            approval: import("./shape.ts").Key<string, false>;
            timeout: import("./shape.ts").Key<number, false>;
            pick: import("./shape.ts").Key<"largest" | "least-waste", false>;
            max: import("./shape.ts").Key<number, false>;
            'at-least': import("./shape.ts").Key<number, false>;
            kinds: import("./shape.ts").Key<readonly string[], false>;
        }>>;
    };
    readonly 'process.restart': {
        readonly about: 'Drains and ends the process with exit code 75, to be started anew: the way out when nothing else helps.';
        readonly nature: 'stops';
        readonly reach: 'process';
        readonly options: Table<import("./shape.ts").TableValue<{
            mode: import("./shape.ts").Key<"enforce" | "observe" | "shadow", false>;
            approval: import("./shape.ts").Key<string, false>;
            after: import("./shape.ts").Key<number, false>;
            drain: import("./shape.ts").Key<number, false>;
            jitter: import("./shape.ts").Key<number, false>;
            'at-most': import("./shape.ts").Key<import("./span.ts").Rate, false>;
            'min-uptime': import("./shape.ts").Key<number, false>;
        }>>;
    };
};
export type ActionName = keyof typeof actions;
export declare const actionNames: readonly ActionName[];
/** The options of one action, as its runner reads them. */
export type OptionsOf<Name extends ActionName> = ValueOf<(typeof actions)[Name]['options']>;

// dist/govern/ladder/stop-guard.d.ts
import type { GuardRules } from '../../policy/sections/guards.ts';
/**
 * The bounds of destruction: so many stops in any stretch of time, so large a share of each kind, and one target until it is gone or
 * counts as leaked. A kill that shows no effect yet is the usual reason for the next one; waiting for it stops the cascade.
 */
export declare class StopGuard {
    #private;
    constructor(rules: GuardRules['destructive']);
    setRules(rules: GuardRules['destructive']): void;
    /** Targets that never closed, and stops that a bound held back, since the start. */
    get counts(): {
        readonly leaked: number;
        readonly held: number;
    };
    /** Why nothing may be stopped now; undefined when something may. */
    blockedBy(nowMs: number): string | undefined;
    /** Why one more scope of a kind may not be stopped; undefined when it may. `open` counts those of the kind that are open now. */
    refuses(nowMs: number, kind: string, open: number): string | undefined;
    /** Counts a stop. Returns what is to be called when the scope is gone. */
    take(nowMs: number, kind: string, path: string): () => void;
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

// dist/govern/actions/hint.d.ts
import type { Level } from '../../policy/policy.ts';
import type { ActionOf } from '../action.ts';
/** What parts of the program that can give way by themselves are told, on the channel `plimsoll:hint`. */
export interface Hint {
    readonly at: number;
    /** Whose memory is short: "process" or the path of a scope. */
    readonly scope: string;
    readonly level: Level;
    /** Used / limit, 0 to 1. */
    readonly ratio: number;
    readonly usedBytes: number;
    readonly limitBytes: number;
}
/** Asks the program to give way by itself. Whether it does shows in the next reading. */
export declare const hint: ActionOf<'hint'>;

// dist/govern/ladder/ladder.d.ts
import type { Policy } from '../../policy/policy.ts';
import type { Clock } from '../../sense/clock.ts';
import type { ActionRecord } from '../action.ts';
import type { LevelChange } from '../level-change.ts';
import type { Levers } from '../levers.ts';
import type { ActionCounts } from './action-log.ts';
import type { LadderReading } from './effects.ts';
import type { Standing } from './subject.ts';
export interface LadderOptions {
    readonly policy: Policy;
    readonly clock: Pick<Clock, 'now' | 'monotonic' | 'after'>;
    readonly levers?: Levers;
}
/**
 * Runs the rungs of the policy for the process and for every scope above normal level, each on its own.
 *
 * It is told of level changes and readings and never awaits. One action per subject is in flight; the next rung runs once a major GC has
 * shown what the last one freed, if that was too little and the level still stands. At the end of the list it rests and begins again, so a
 * refusal never stands without the rungs that free memory. An emergency that stands although every rung had its turn is stuck: the way out
 * is process.restart where the policy has it, and a record that says so where not. Nothing runs without readings, and at normal level there
 * is nothing to do.
 */
export declare class Ladder {
    #private;
    constructor(options: LadderOptions);
    /** The newest actions, newest last. */
    get rows(): readonly ActionRecord[];
    get counts(): ActionCounts & {
        readonly inFlight: number;
        readonly leaked: number;
        readonly held: number;
    };
    /** Rungs in force until their level falls. */
    get holding(): readonly string[];
    /** Takes a level change. `standing` is kept up to date by the caller. */
    change(change: LevelChange, standing: Standing): void;
    /** Takes another standing of a subject: the governor makes its rows anew with each policy. */
    rebind(standing: Standing): void;
    /** Puts another policy in force. What is in flight ends under its own; the next rung comes from the new one. */
    setPolicy(policy: Policy): void;
    /** Takes a reading: the one thing that makes rungs run. `stepMs` is the time it stands for. */
    tick(reading: LadderReading, nowMs: number, stepMs: number): void;
    /** Ends for good and lets go of everything that is held. */
    stop(): void;
}

// dist/govern/ladder/action-log.d.ts
import type { ActionRecord } from '../action.ts';
/** Actions since the start; what is still under way is in none of the others. */
export interface ActionCounts {
    readonly actions: number;
    readonly done: number;
    readonly wouldHave: number;
    readonly failed: number;
    readonly skipped: number;
    /** Measured, never below 0 per action. */
    readonly freedBytes: number;
}
/** The newest actions, one row each, and how many there were; every record goes out on the channel `plimsoll:action`. */
export declare class ActionLog {
    #private;
    /** Newest last. */
    get rows(): readonly ActionRecord[];
    get counts(): ActionCounts;
    publish(record: ActionRecord): void;
    /** Counts an action that had nothing to do, as it was told before. */
    countSkip(): void;
    /** Takes a state that is shown and not told. */
    note(record: ActionRecord): void;
}

// dist/govern/ladder/effects.d.ts
import type { ActionEffect } from '../action.ts';
import type { LevelChange } from '../level-change.ts';
import type { GovernedReading } from '../process-levels.ts';
import type { ActionLog } from './action-log.ts';
import type { Flight } from './flight.ts';
import type { Subject } from './subject.ts';
/** The part of a reading that the ladder measures effects by. */
export type LadderReading = Pick<GovernedReading, 'majors' | 'floor' | 'external'>;
/** What actions freed: measured once a major GC has shown it, and published with the action's own words. */
export declare class Effects {
    #private;
    constructor(log: ActionLog, nowMs: number);
    /** Major GCs so far. */
    get majors(): number;
    observe(reading: LadderReading, nowMs: number): void;
    /** What is alive: for the process the floor and external memory, for a scope what is charged to it; no number before the first floor. */
    liveBytes(subject: Subject): number;
    /** An action ended: its flight goes on until the effect is shown. `isFirst` when nothing was published of it yet. */
    await(subject: Subject, flight: Flight, effect: ActionEffect, isFirst: boolean): void;
    /** Measures what an action freed, if a major GC has shown it or its time is over. */
    settle(subject: Subject, flight: Flight): void;
    /** The level of the subject fell, or the scope is gone, while the effect was awaited. */
    cut(subject: Subject, flight: Flight, change: LevelChange): void;
    /** An action ended after its subject had left; there is nothing to wait for. */
    late(subject: Subject, flight: Flight, effect: ActionEffect): void;
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
    /** External memory; what an action freed is judged with it. */
    readonly external?: number;
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

// dist/govern/ladder/flight.d.ts
import type { Policy } from '../../policy/policy.ts';
import type { Clock } from '../../sense/clock.ts';
import type { ActionEffect, ActionRecord } from '../action.ts';
import type { Step } from './steps.ts';
/** One action under way: running, or done and waiting for a major GC to show its effect. It keeps the policy it began under. */
export declare class Flight {
    #private;
    readonly step: Step;
    readonly policy: Policy;
    /** As published first; later ones have the same id. */
    readonly record: ActionRecord;
    /** Live bytes of the subject when it began. */
    readonly beforeBytes: number;
    /** Used bytes of the subject when it began. */
    readonly usedBytes: number;
    readonly signal: AbortSignal;
    effect: ActionEffect | undefined;
    /** Monotonic ms; when the action itself was over. */
    endedMs: number;
    /** Majors at the first reading after its end. */
    sinceMajors: number | undefined;
    /** True once the ladder went on without it. */
    isGivenUp: boolean;
    constructor(step: Step, policy: Policy, record: ActionRecord, bytes: {
        readonly before: number;
        readonly used: number;
    });
    get isSettling(): boolean;
    /** Gives it a time: its signal is aborted then, and shortly after `late` is called unless it has ended. */
    arm(clock: Pick<Clock, 'after'>, timeoutMs: number, late: () => void): void;
    /** What a measurement showed, as the end of a sentence. */
    effectText(freedBytes: number | null, atMostMs: number): string;
    abort(): void;
    end(): void;
}

// dist/govern/ladder/steps.d.ts
import type { ActionNature } from '../../policy/actions.ts';
import type { Level, Mode, Policy, RaisedLevel, Rung } from '../../policy/policy.ts';
import type { Action } from '../action.ts';
/** One rung of a policy, ready to run. */
export interface Step {
    readonly rung: Rung;
    /** Level from which on it runs, and its number. */
    readonly level: RaisedLevel;
    readonly index: number;
    /** The same for the same rung of another policy, so that a reload does not run it again at once. */
    readonly key: string;
    readonly mode: Mode;
    readonly nature: ActionNature;
    readonly action: Action;
    /** `ladder.warning (plimsoll.yaml:30)`. */
    readonly rule: string;
}
/** The rungs of a policy in the order in which they run. The list of a level begins with that of the level below it. */
export declare class Steps {
    #private;
    readonly policy: Policy;
    /** The way out of stuck, apart: it is due by time and not by its turn. */
    readonly restart: Step | undefined;
    constructor(policy: Policy);
    /** For a level and everything below it. */
    of(isProcess: boolean, level: Level): readonly Step[];
}

// dist/govern/ladder/subject.d.ts
import type { Level, LevelRules } from '../../policy/policy.ts';
import type { LevelChange } from '../level-change.ts';
import type { Flight } from './flight.ts';
import type { Step } from './steps.ts';
import { StuckClock } from './stuck-clock.ts';
/** What a subject holds now; the governor keeps it up to date. */
export interface Standing {
    /** Of the scope; 0 for the process. */
    readonly id: number;
    readonly usedBytes: number;
    readonly limitBytes: number;
    readonly machine?: {
        readonly lifted: boolean;
    } | undefined;
}
/** An approved rung that waits for its turn. */
export interface Approved {
    readonly step: Step;
    readonly recordId: string;
    readonly victims: readonly string[] | undefined;
    readonly as: string;
}
/** The process or one scope above normal level, and how far its ladder is. */
export declare class Subject {
    readonly id: number;
    readonly path: string;
    readonly isProcess: boolean;
    standing: Standing;
    change: LevelChange;
    /** Rungs of its level and below; the list of a higher level begins with that of a lower one. */
    steps: readonly Step[];
    cursor: number;
    /** The one action in flight. */
    flight: Flight | undefined;
    readonly approved: Approved[];
    /** Ticket of each rung that waits for an approval. */
    readonly tickets: Map<string, string>;
    /** When each rung ran last, monotonic ms. */
    readonly lastRun: Map<string, number>;
    /** When each rung was last told to have nothing to do. */
    readonly skippedAt: Map<string, number>;
    restUntilMs: number;
    readonly stuck: StuckClock;
    /** What rungs in shadow mode would have freed so far. */
    shadowBytes: number;
    constructor(change: LevelChange, standing: Standing);
    get level(): Level;
    get levelIndex(): number;
    /**
     * True while the level holds in substance: a ratio below the exit line only waits for the time of "keep", and nothing is done then.
     * `lessBytes` is what would be gone had the rungs in shadow mode acted.
     */
    stands(rules: LevelRules, lessBytes?: number): boolean;
    /** The level is normal, or the scope is gone. */
    leave(change: LevelChange): void;
    /** The next rung is this one again, at once unless it has a pause of its own. */
    stayAt(step: Step): void;
    /** Takes another level with its rungs. */
    move(change: LevelChange, steps: readonly Step[]): void;
}

// dist/govern/ladder/stuck-clock.d.ts
/** How long a level has stood against its whole ladder: when the way out is due, and when it has to be told that there is none. */
export declare class StuckClock {
    #private;
    /** True once every rung had its turn since the level was reached. */
    get hadRound(): boolean;
    /** Counts the time of a tick; a level that does not stand in substance begins anew. */
    tick(stands: boolean, stepMs: number): void;
    /** Every rung had its turn once more. */
    endRound(): void;
    /** Other rungs are in force: none of them had its turn. */
    forgetRounds(): void;
    /** Another level. */
    reset(): void;
    /** True when it stood for a time after every rung had its turn, or for twice that time. */
    isExitDue(afterMs: number): boolean;
    isTellDue(nowMs: number): boolean;
    /** It was told; never again when `isOnce`. */
    told(nowMs: number, isOnce: boolean): void;
}

// dist/govern/approvals/index.d.ts
export type { ApprovalDecision, ApprovalRow, ApprovalState, ApprovalVote } from './approval-row.ts';
export type { ApprovalFacts, ApprovalPoint, ApprovalRequest, Approved, HeldGate } from './approval.ts';
export { approval, installHeldGate, needsApproval } from './approval.ts';
export type { RefusalReason } from './approval-refusal.ts';
export { ApprovalRefusal } from './approval-refusal.ts';
export type { DeskOptions } from './approval-desk.ts';
export { ApprovalDesk } from './approval-desk.ts';
export type { DeskAnswer, DeskDecision } from './decision.ts';
export type { DeskCounts } from './desk-counts.ts';
export type { HeldRequestsOptions } from './held-requests.ts';
export { HeldRequests } from './held-requests.ts';
export type { TicketRequest } from './ticket.ts';

// dist/govern/approvals/approval-row.d.ts
import type { OnExpiry } from '../../policy/sections/approvals.ts';
/** `open` until decided; every other state is final. */
export type ApprovalState = 'open' | 'approved' | 'denied' | 'expired'
/** The level fell below that of the rung, so nothing has to be done any more. */
 | 'withdrawn'
/** The policy let it run at emergency level; a review ticket follows. */
 | 'overridden'
/** What was asked for is not there any more: another policy, another victim, nobody who waits. */
 | 'stale' | 'refused-full'
/** The process ended before anybody decided. */
 | 'lost';
export type ApprovalDecision = 'approve' | 'deny';
export interface ApprovalVote {
    readonly by: string;
    readonly decision: ApprovalDecision;
    readonly at: number;
    readonly channel: string;
    readonly comment: string;
}
/** One approval as every channel shows it: dashboard, command line, A2A, ledger. Times are wall time in ms. */
export interface ApprovalRow {
    readonly id: string;
    /** Over action, arguments, scope and policy; a decision must quote it. */
    readonly digest: string;
    /** `action` of the ladder, held `delegation` or `operation`, or `review` of what the policy let happen. */
    readonly kind: string;
    readonly action: string;
    readonly scope: string;
    readonly why: string;
    /** Numbers behind it: level, used and limit bytes, projected bytes freed, victims. */
    readonly evidence: Readonly<Record<string, string | number | null>>;
    readonly requestedBy: string;
    readonly at: number;
    readonly deadlineAt: number;
    /** What no answer means. */
    readonly onExpiry: OnExpiry;
    readonly quorum: number;
    readonly approvers: readonly string[];
    readonly votes: readonly ApprovalVote[];
    readonly state: ApprovalState;
    /** Null while open. */
    readonly decidedAt: number | null;
    /** Null until what was asked for has run. */
    readonly ranAt: number | null;
}

// dist/govern/approvals/approval-desk.d.ts
import type { Level, Policy } from '../../policy/policy.ts';
import type { Clock } from '../../sense/clock.ts';
import type { ApprovalRow, ApprovalState } from './approval-row.ts';
import type { DeskAnswer, DeskDecision } from './decision.ts';
import type { DeskCounts } from './desk-counts.ts';
import type { DigestParts } from './digest.ts';
import type { TicketRequest } from './ticket.ts';
type DeskPolicy = Pick<Policy, 'approvals' | 'revision' | 'sha256'>;
export interface DeskOptions {
    readonly policy: DeskPolicy;
    readonly clock?: Pick<Clock, 'now' | 'monotonic' | 'after'>;
    /** The level of a scope now; `normal` by default. */
    readonly levelOf?: (scope: string) => Level;
    /** Told of every change, before it goes out on the channel `plimsoll:approval`. */
    readonly onChange?: (row: ApprovalRow) => void;
    readonly newId?: () => string;
}
/**
 * Tickets that nobody awaits. A ticket is filed, then decided by people, by its deadline, by a level or by the policy, and run at most once.
 * Nothing in here waits, everything is bounded, and a tick costs the same with no open ticket as with a thousand.
 */
export declare class ApprovalDesk implements Disposable {
    #private;
    constructor(options: DeskOptions);
    get open(): number;
    /** Since the start; `open` now. */
    get counts(): DeskCounts;
    /** Files a ticket, or joins the one with the same digest. Never throws, never waits. */
    request(request: TicketRequest): {
        readonly id: string;
        readonly state: ApprovalState;
    };
    /** Takes a decision; throws PLM_APPROVAL_... when it does not count. */
    decide(input: DeskDecision): DeskAnswer;
    /** Ends what is due and runs what was let. Called by the governor at each reading. */
    tick(): void;
    /** Takes a change of level: withdraws what is not needed any more, and lets the policy decide at emergency. */
    levelChanged(scope: string, level: Level): void;
    /** Another policy is in force: what was asked under the one before is stale. Reviews are about what has happened, and stay. */
    setPolicy(policy: DeskPolicy): void;
    /** Takes back an open ticket that is not needed any more. */
    withdraw(id: string): void;
    /** Uses an approval that was given while nobody was there to take it. */
    take(parts: DigestParts): ApprovalRow | undefined;
    /** Open ones first, soonest deadline first; then the newest decided. */
    rows(most?: number): readonly ApprovalRow[];
    row(id: string): ApprovalRow | undefined;
    /** Governing ends: nobody can decide any more, so whatever has not run is lost and does not. */
    close(): void;
    [Symbol.dispose](): void;
}
export {};

// dist/govern/approvals/decision.d.ts
import type { ApprovalDecision, ApprovalRow } from './approval-row.ts';
import type { Ticket } from './ticket.ts';
/** A decision as it comes from a channel that has checked who it is. */
export interface DeskDecision {
    readonly id: string;
    /** The digest that was seen. */
    readonly digest: string;
    readonly decision: ApprovalDecision;
    readonly by: string;
    readonly groups: readonly string[];
    readonly isOwner?: boolean;
    /** Where it came from: `cli`, `http`, `a2a`. */
    readonly channel: string;
    readonly comment?: string | undefined;
    /** Idempotency key: the same decision with the same key counts once. */
    readonly key?: string | undefined;
}
export interface DeskAnswer {
    readonly row: ApprovalRow;
    /** True when this decision was taken before and nothing changed. */
    readonly replayed: boolean;
}
/** Throws PLM_APPROVAL_... when whoever decides may not, or has seen something else than what is on the desk. */
export declare function checkDecider(ticket: Ticket, input: DeskDecision, by: string): void;

// dist/govern/approvals/ticket.d.ts
import type { Level } from '../../policy/policy.ts';
import type { ApprovalRule } from '../../policy/sections/approvals.ts';
import type { ApprovalRow, ApprovalState, ApprovalVote } from './approval-row.ts';
/** What asks for an approval. Nobody waits for the answer: `run` is called when it comes. */
export interface TicketRequest {
    /** Entry of `approvals` in the policy. */
    readonly approval: string;
    readonly kind: string;
    readonly action: string;
    readonly scope: string;
    /** Part of the digest. */
    readonly args: Readonly<Record<string, unknown>>;
    /** Below this level of its scope the ticket is withdrawn; without one it never is. */
    readonly level?: Level | undefined;
    /** Whose level that is; `scope` by default. */
    readonly levelScope?: string | undefined;
    readonly why: string;
    readonly evidence: Readonly<Record<string, string | number | null>>;
    readonly requestedBy: string;
    readonly policy: {
        readonly revision: number;
        readonly sha256: string;
    };
    /** Asked right before it runs. */
    readonly isStillValid: () => boolean;
    /** Carries it out, once. `as` says who let it. False when nobody is there to take it: the approval is then kept until its deadline. */
    readonly run: (as: string) => boolean | void;
    /** `tick`, the default: at the next tick of the governor. `decision`: at once. */
    readonly runs?: 'tick' | 'decision';
    /** Told of every state that means no. */
    readonly onRefused?: ((state: ApprovalState) => void) | undefined;
}
/** An approval on the desk, with what only the desk knows. */
export declare class Ticket {
    #private;
    readonly id: string;
    readonly digest: string;
    readonly rule: ApprovalRule;
    /** Names that may not decide it. */
    readonly askers: ReadonlySet<string>;
    readonly at: number;
    readonly deadlineAt: number;
    /** Monotonic. */
    readonly deadlineMs: number;
    readonly votes: ApprovalVote[];
    state: ApprovalState;
    decidedAt: number | null;
    ranAt: number | null;
    /** Set before it runs: an approval is used once. */
    isUsed: boolean;
    /** Idempotency keys that name this ticket; they are forgotten with it. */
    readonly keys: string[];
    constructor(parts: Pick<Ticket, 'id' | 'digest' | 'rule' | 'request' | 'at' | 'deadlineAt' | 'deadlineMs'>);
    get request(): TicketRequest;
    get isAction(): boolean;
    get isReview(): boolean;
    /** Lets go of what the callbacks hold; a ticket that is over is only a row. */
    drop(): void;
    /** Adds numbers to what the row shows. */
    add(evidence: Readonly<Record<string, number>>): void;
    row(): ApprovalRow;
}
/** Text for rows: bounded, and without control characters, which a terminal would obey. */
export declare function cut(text: string, most: number): string;

// dist/govern/approvals/desk-counts.d.ts
import type { ApprovalState } from './approval-row.ts';
/** How many tickets a desk has seen, by what became of them. */
export type DeskCounts = Readonly<Record<ApprovalState | 'requested' | 'joined' | 'ran', number>>;
export declare function noCounts(): Record<keyof DeskCounts, number>;

// dist/govern/approvals/digest.d.ts
/** What an approval is about; the digest binds a decision to exactly this. */
export interface DigestParts {
    readonly kind: string;
    readonly action: string;
    readonly args: Readonly<Record<string, unknown>>;
    readonly scope: string;
    readonly policy: {
        readonly revision: number;
        readonly sha256: string;
    };
}
/** sha256 in hex over canonical JSON. What cannot be written as JSON gets a digest of its own that nothing else has. */
export declare function digestOf(parts: DigestParts): string;

// dist/govern/approvals/held-requests.d.ts
import type { Level, Policy } from '../../policy/policy.ts';
import type { Clock } from '../../sense/clock.ts';
import type { ApprovalFacts, ApprovalPoint, ApprovalRequest, Approved, HeldGate } from './approval.ts';
import type { ApprovalDesk } from './approval-desk.ts';
import type { HeldQueueOptions } from './held-queue.ts';
type HeldPolicy = Pick<Policy, 'approvals' | 'revision' | 'sha256' | 'mode'>;
export interface HeldRequestsOptions extends Partial<HeldQueueOptions> {
    readonly desk: ApprovalDesk;
    /** Asked at every request, so that a swap counts at once. */
    readonly policy: () => HeldPolicy;
    /** The level of the process. */
    readonly level: () => Level;
    readonly clock?: Pick<Clock, 'now' | 'monotonic' | 'after'>;
    /** Told when mode shadow lets something go on that would have waited. */
    readonly onWouldHave?: (text: string, scope: string) => void;
    /** 0 up to 1, for the spread of `retryAfterMs`. */
    readonly random?: () => number;
}
/**
 * Operations of the program that wait for an approval: deep delegations and critical memory operations. Each waits on a ticket of the desk
 * in a bounded queue; one approval lets one of them go on. An approval that comes while nobody waits is kept for the same request.
 */
export declare class HeldRequests implements HeldGate, Disposable {
    #private;
    constructor(options: HeldRequestsOptions);
    /** Callers that wait now, and what they hold. */
    get held(): {
        readonly count: number;
        readonly bytes: number;
    };
    needs(point: ApprovalPoint, facts: ApprovalFacts): boolean;
    hold(point: ApprovalPoint, request: ApprovalRequest): Promise<Approved>;
    /** Nothing waits at emergency: what waits is memory. Tickets of operations that need none any more are withdrawn by the desk. */
    levelChanged(level: Level): void;
    /** Lets go of everything that waits. The desk is closed first, and says why. */
    close(): void;
    [Symbol.dispose](): void;
}
export {};

// dist/govern/approvals/held-queue.d.ts
import type { Clock } from '../../sense/clock.ts';
import type { ApprovalState } from './approval-row.ts';
export interface HeldQueueOptions {
    readonly clock: Pick<Clock, 'after'>;
    /** Most callers that wait. 64 by default. */
    readonly most?: number;
    /** Most bytes of what waits. 1 MiB by default. */
    readonly mostBytes?: number;
}
/** How waiting ended. */
export type HeldOutcome = {
    readonly end: 'released';
    readonly as: string;
    readonly id: string;
} | {
    readonly end: 'refused';
    readonly state: ApprovalState;
    readonly id: string;
} | {
    readonly end: 'aborted';
    readonly reason: unknown;
} | {
    readonly end: 'timeout';
};
export interface Hold {
    /** The digest of what is asked for; callers with the same one wait for the same answer. */
    readonly digest: string;
    readonly bytes: number;
    readonly waitMs: number;
    readonly signal?: AbortSignal | undefined;
}
/**
 * Callers that wait for an approval. What waits is memory itself, so it is bounded in count, in bytes and in time, and every one of them
 * ends: by a decision, by a deadline, by a level, by its own signal or by the end of governing. While one waits the process stays alive.
 */
export declare class HeldQueue {
    #private;
    constructor(options: HeldQueueOptions);
    get count(): number;
    get bytes(): number;
    waiting(digest: string): number;
    /** Why there is no room for so many bytes; undefined when there is. */
    whyFull(bytes: number): string | undefined;
    /** Waits. Resolves with how it ended and never rejects. */
    hold({ digest, bytes, waitMs, signal }: Hold): Promise<HeldOutcome>;
    /** Lets the first caller of a digest go on; false when none waits. One approval lets one caller go on. */
    release(digest: string, as: string, id: string): boolean;
    /** Ends the waiting of every caller of a digest. */
    refuse(digest: string, state: ApprovalState, id: string): void;
    digests(): readonly string[];
}

// dist/govern/governor.d.ts
import type { Level, Mode, Policy } from '../policy/policy.ts';
import type { Clock } from '../sense/clock.ts';
import type { Ladder } from './ladder/ladder.ts';
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
    /** What acts on levels, made for the same policy and clock; without one levels are told and nothing acts. */
    readonly ladder?: Ladder;
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
 * It never measures; it is told. Each change goes to the listeners and to the channel `plimsoll:level`, and the ladder, if there is one, acts
 * on them.
 */
export declare class Governor implements Disposable {
    #private;
    /** What acts on levels. */
    readonly ladder: Ladder | undefined;
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

// dist/govern/reconciliation.d.ts
/** What scopes say they hold, beside what was measured; all in bytes. */
export interface Declared {
    /** Live heap after the last major GC and external memory. */
    readonly liveBytes: number;
    /** The part of all scopes that was walked. */
    readonly walkedBytes: number;
    /** The part of all scopes that is known by charges alone. */
    readonly chargedBytes: number;
}
/**
 * Keeps declared bytes honest: scopes together cannot hold more than is alive.
 *
 * Charges drift upwards (what is never credited stays for ever), so at each major GC they are re-based to what was measured: the part of
 * the live bytes that the census did not walk, shared among those who charged. Only ever downwards: what nobody declared belongs to nobody
 * and is reported as unattributed.
 */
export declare class Reconciliation {
    #private;
    /** By what charges are multiplied, 0.1 to 1. */
    get factor(): number;
    /** Live bytes in no scope; undefined before the first major GC. */
    get unattributedBytes(): number | undefined;
    /** Takes the sums at a major GC. */
    note({ liveBytes, walkedBytes, chargedBytes }: Declared): void;
}

// dist/govern/time-to-limit.d.ts
/** Forecasts when live memory reaches its limit, from the floors after the last major GCs. */
export declare class TimeToLimit {
    #private;
    /** Takes the live bytes after a major GC; `nowMs` is monotonic. */
    add(nowMs: number, floorBytes: number): void;
    /** Milliseconds until the limit is reached at the present growth; infinite when it does not grow or too little is known. */
    forecast(nowMs: number, limitBytes: number): number;
}

// dist/govern/restart/index.d.ts
export { runDrain } from './drain.ts';
export type { DrainParts, DrainResult } from './drain.ts';
export { drainHooks, onDrain, requestRestart, setRestart } from './drain-hooks.ts';
export type { DrainHook, DrainInfo, DrainOutcome } from './drain-hooks.ts';
export { emptyLog, parseRestartLog, restartTimes, resumeFrom, withEntry } from './restart-log.ts';
export type { RestartEntry, RestartLog, Resume } from './restart-log.ts';
export { planRestart, restartExitCode } from './restart-plan.ts';
export type { Restart, RestartFacts, RestartPlan } from './restart-plan.ts';

// dist/govern/restart/drain.d.ts
import type { Keeper } from '../../keeper.ts';
import type { Clock } from '../../sense/clock.ts';
import type { DrainHook } from './drain-hooks.ts';
/** What a drain works with; the host hands in the process's own, a test its own. */
export interface DrainParts {
    readonly clock: Clock;
    readonly hooks: readonly DrainHook[];
    readonly keepers: readonly Keeper[];
    /** Scopes in which work goes on now. */
    readonly inFlight: () => number;
    /** Session scopes that are open. */
    readonly openSessions: () => number;
}
/** What became of the sessions. */
export interface DrainResult {
    readonly parked: number;
    readonly lost: number;
    /** Cut off in the middle of a turn; parked or lost beside. */
    readonly interrupted: number;
    /** Hooks that threw, rejected or were not done by the deadline. */
    readonly failedHooks: number;
}
/**
 * Ends the work of a process in order: hooks and runs get until the deadline, then every keeper parks what it holds. Never rejects and never
 * takes longer than the two times, whatever hangs.
 */
export declare function runDrain(parts: DrainParts, order: {
    readonly reason: string;
    readonly drainMs: number;
    readonly parkMs: number;
}): Promise<DrainResult>;

// dist/govern/restart/restart-log.d.ts
/** One end of a process that the next life should know about. */
export interface RestartEntry {
    /** When the drain began, or the process was found dead; wall time. */
    readonly at: number;
    readonly pid: number;
    /** `begun` while it drains, `parked` when it ended in order, `died` when a supervisor found it dead. */
    readonly phase: 'begun' | 'parked' | 'died';
    readonly reason: string;
    /** By then it ends, whatever hangs; wall time. */
    readonly exitBy: number;
    /** Sessions that were open when the drain began, or last seen. */
    readonly sessions: number;
    readonly parked: number;
    readonly lost: number;
    /** Sessions whose turn was cut off at the deadline. */
    readonly interrupted: number;
    /** The process that has told about it. */
    readonly resumedBy?: number;
}
/** The ends of the last lives, oldest first: what keeps restarts within their bounds across restarts. */
export interface RestartLog {
    readonly v: 1;
    readonly entries: readonly RestartEntry[];
}
/** What a process tells about the end of the life before it. */
export interface Resume {
    readonly at: number;
    readonly phase: RestartEntry['phase'];
    readonly reason: string;
    readonly parked: number;
    readonly lost: number;
    readonly interrupted: number;
    /** The sentence a person reads. */
    readonly text: string;
}
export declare const emptyLog: RestartLog;
/** The log of a text; an unreadable one is empty, for a broken file must not keep a process from its restart. */
export declare function parseRestartLog(text: string): RestartLog;
/** Adds an entry; one of the same process takes the place of its earlier phase. */
export declare function withEntry(log: RestartLog, entry: RestartEntry): RestartLog;
/** Times of restarts that were begun; a process that died by itself is none. */
export declare function restartTimes(log: RestartLog): readonly number[];
/** What is to be told about the end before this start, and the log in which it counts as told. */
export declare function resumeFrom(log: RestartLog, pid: number, now: number): {
    readonly resume: Resume;
    readonly log: RestartLog;
} | undefined;

// dist/govern/rollback/gc-effectiveness.d.ts
/**
 * The share of what the last major GCs could have freed that they freed: garbage / (garbage + growth of the floor). A healthy server
 * is above 0.9; a floor that takes back what each collection frees brings it down.
 */
export declare class GcEffectiveness {
    #private;
    /** Collections the share is taken over now. */
    get collections(): number;
    /** Null before two collections were seen. */
    get ratio(): number | null;
    take(reading: {
        readonly heapUsed: number;
        readonly floor?: number | undefined;
        readonly majors: number;
    }): void;
}
/** Collections after which the share can be judged. */
export declare const judgedCollections = 8;

// dist/govern/rollback/index.d.ts
export { GcEffectiveness } from './gc-effectiveness.ts';
export { inMode, isEnforcing } from './policy-mode.ts';
export { PolicyShelf } from './policy-shelf.ts';
export { Rollback } from './rollback.ts';
export type { RollbackState } from './rollback.ts';
export type { PolicyMark, RollbackRecord, RollbackTrigger } from './rollback-record.ts';
export type { RollbackSignals } from './rollback-signals.ts';

// dist/govern/rollback/policy-mode.d.ts
import type { Mode, Policy } from '../../policy/policy.ts';
import type { PolicyMark } from './rollback-record.ts';
/** True when something of the policy may act: all of it, or a rung with a mode of its own. */
export declare function isEnforcing(policy: Policy): boolean;
/** The same policy in another mode. Below enforce no rung keeps a mode of its own: it would go on acting. */
export declare function inMode(policy: Policy, mode: Mode): Policy;
export declare function markOf({ file, revision, sha256, mode }: Policy): PolicyMark;

// dist/govern/rollback/rollback-record.d.ts
import type { Mode } from '../../policy/policy.ts';
/** What can make the governor doubt its own policy. */
export type RollbackTrigger = 'growth' | 'gc-effectiveness' | 'unresponsive' | 'blocked';
export declare const rollbackTriggers: readonly ['growth', 'gc-effectiveness', 'unresponsive', 'blocked'];
/** The channel on which every rollback goes out, once, when the other policy is in force. */
export declare const rollbackChannelName = "plimsoll:rollback";
/** A policy in a record: which text, and how it was in force. */
export interface PolicyMark {
    readonly file: string;
    readonly revision: number;
    readonly sha256: string;
    readonly mode: Mode;
}
/** One rollback as it goes out on the channel `plimsoll:rollback` and into the ledger. It always alerts as an emergency. */
export interface RollbackRecord {
    readonly at: number;
    /** `mode` when a human put the file's own policy in force again or in another mode: that goes into the ledger and alerts nobody. */
    readonly event: 'rollback' | 'mode';
    /** `manual` when a human asked for it. */
    readonly trigger: RollbackTrigger | 'manual';
    readonly level: 'emergency';
    /** One sentence with the numbers. */
    readonly text: string;
    /** The numbers behind it. */
    readonly evidence: Readonly<Record<string, number>>;
    readonly from: PolicyMark;
    readonly to: PolicyMark;
    /** Who asked; null when the governor did it by itself. */
    readonly by: string | null;
    readonly reason: string;
}

// dist/govern/rollback/policy-shelf.d.ts
import type { Policy } from '../../policy/policy.ts';
import type { RollbackTrigger } from './rollback-record.ts';
import type { Usual } from './usual.ts';
/** A policy that was enforced long enough without a trigger, with its text and what was usual under it. */
export interface GoodPolicy {
    readonly file: string;
    readonly revision: number;
    readonly sha256: string;
    readonly text: string;
    /** Wall time in ms. */
    readonly keptAt: number;
    readonly usual?: Usual;
}
/** A policy that was given up, so that a restart does not enforce it again. */
export interface GivenUp {
    readonly sha256: string;
    readonly revision: number;
    readonly trigger: RollbackTrigger | 'manual';
    readonly at: number;
    /** Hash of the policy that took its place; null for shadow. */
    readonly to: string | null;
}
/**
 * The last good policies and what was given up, in one file beside the ledger. A text whose hash does not fit is not used. A shelf that
 * cannot be read or written is empty: falling back to shadow needs no file.
 */
export declare class PolicyShelf {
    #private;
    /** Without a path it lives in memory. */
    constructor(path?: string);
    /** Newest first. */
    get good(): readonly GoodPolicy[];
    get givenUp(): GivenUp | null;
    /** The newest good policy with another text than this one, ready to be put in force. */
    lastGoodBut(sha256: string): {
        readonly policy: Policy;
        readonly usual: Usual | undefined;
    } | undefined;
    byRevision(revision: number): Policy | undefined;
    bySha(sha256: string): Policy | undefined;
    keep(policy: GoodPolicy): void;
    setGivenUp(givenUp: GivenUp | null): void;
    /** A policy that was given up is not good any more. */
    forget(sha256: string): void;
}

// dist/govern/rollback/usual.d.ts
import type { RollbackSignals } from './rollback-signals.ts';
/** How a process behaves over a stretch of time: what a policy that is enforced later is compared with. */
export interface Usual {
    readonly spanMs: number;
    readonly operationsPerSecond: number;
    /** Growth of the floor per operation; a leak of the application is above zero here and is then no policy's fault. */
    readonly bytesPerOperation: number;
    readonly gcEffectiveness: number | null;
    /** Share of readings with a loop delay at the bound or above. */
    readonly unresponsiveRatio: number;
}
/** Measures what is usual, in bounded memory: when floors are too many, every other one is let go. */
export declare class UsualMeter {
    #private;
    /** `loopDelayMs` is the delay from which a reading counts as unresponsive. */
    constructor(loopDelayMs: number);
    /** Undefined until there is a minute with enough collections in it. */
    get usual(): Usual | undefined;
    take(signals: RollbackSignals): void;
}

// dist/govern/rollback/rollback-signals.d.ts
/** What the governor's watch on itself is told once per reading. */
export interface RollbackSignals {
    /** Monotonic ms. */
    readonly nowMs: number;
    readonly heapUsed: number;
    /** Live bytes after the last major GC. */
    readonly floor?: number | undefined;
    /** Ordinal of the last major GC. */
    readonly majors: number;
    /** Longest event-loop delay since the previous reading. */
    readonly loopDelayMs: number;
    /** Highest used / limit. */
    readonly pressureRatio: number;
    /** Work begun since the start, by any count that goes with the load: opened scopes. */
    readonly operations: number;
    /** What the shed points let in since the start. */
    readonly admitted: number;
    /** What they refused or held. */
    readonly blocked: number;
    /** What Plimsoll itself takes. */
    readonly selfBytes: number;
    readonly selfCpuRatio: number;
}
/** A trigger that was pulled: why the policy in force is given up. */
export interface Trip {
    readonly trigger: 'growth' | 'gc-effectiveness' | 'unresponsive' | 'blocked';
    /** One sentence with the numbers. */
    readonly text: string;
    readonly evidence: Readonly<Record<string, number>>;
}

// dist/govern/rollback/rollback.d.ts
import type { Mode, Policy } from '../../policy/policy.ts';
import type { Clock } from '../../sense/clock.ts';
import { PolicyShelf } from './policy-shelf.ts';
import type { RollbackRecord } from './rollback-record.ts';
import type { RollbackSignals } from './rollback-signals.ts';
export interface RollbackOptions {
    readonly shelf?: PolicyShelf;
    readonly clock?: Pick<Clock, 'now' | 'monotonic'>;
    /** Puts a policy in force. */
    readonly apply: (policy: Policy) => void;
    /** Told after each rollback, for the ledger; a listener that throws harms nobody. */
    readonly onRollback?: (record: RollbackRecord) => void;
}
/** Where rolling back stands. */
export interface RollbackState {
    /** True while a policy is given up: until its author writes another one, or a human says so. */
    readonly isLatched: boolean;
    readonly last: RollbackRecord | null;
    /** Revisions that can be named, newest first. */
    readonly good: readonly {
        readonly revision: number;
        readonly sha256: string;
        readonly keptAt: number;
    }[];
}
/**
 * The governor's doubt in itself: watches what a policy does to the process that it governs, and gives the policy up when it does harm.
 * It falls back to the last policy that was enforced without harm, or to shadow; at most once per cooldown, and what was given up stays
 * given up, over restarts too, until the file has another text or a human decides.
 */
export declare class Rollback {
    #private;
    /** `text` is the policy as it was read: without it the policy cannot be kept as good. */
    constructor(policy: Policy, text: string | undefined, options: RollbackOptions);
    /** The policy that is to be in force. */
    get policy(): Policy;
    get state(): RollbackState;
    /** The file has another text: a human wrote it, so whatever was given up is over. */
    swapped(policy: Policy, text: string | undefined): void;
    /** Takes a reading's signals; when a trigger is pulled, the other policy is in force when this returns. Never throws. */
    take(signals: RollbackSignals): RollbackRecord | undefined;
    /** Rolls back because a human says so. Throws PLM_ROLLBACK_UNKNOWN when there is no such policy. */
    byHand(request: {
        readonly to: 'last-good' | 'shadow' | number;
        readonly by: string;
        readonly reason: string;
    }): RollbackRecord;
    /** Puts the policy of the file in force in a mode that a human chooses; without one, as the file says. */
    setMode(request: {
        readonly mode?: Mode;
        readonly by: string;
        readonly reason: string;
    }): RollbackRecord;
}

// entry @plimsoll/core/acting
// dist/govern/acting.d.ts
/** What a process needs to act on a policy. `govern` alone tells levels; a process without a policy loads none of this. */
export { ApprovalDesk, HeldRequests } from './approvals/index.ts';
export { Ladder } from './ladder/ladder.ts';
export { PolicyShelf, Rollback, inMode } from './rollback/index.ts';

// entry @plimsoll/core/detect
// dist/detect/index.d.ts
export { severities, type Finding, type Severity, type TraceStep } from './finding.ts';
export { FindingBook, findingOf, type Claim } from './finding-book.ts';
export { Detector } from './detector.ts';
export type { DetectorOptions, DetectorSample, Suspicion } from './detector.ts';
export type { Audit } from './audit/audit.ts';
export { ContainerWatch } from './audit/container-watch.ts';
export { ResourceWatch } from './audit/resource-watch.ts';
export { watchListenerWarnings } from './audit/listener-warnings.ts';
export { ReadingFeed, type ProcessFacts } from './reading-feed.ts';
export { ProbeGc, type LoopState, type ProbeGcOptions } from './survivors/probe-gc.ts';
export { Survivors, type SurvivorSource, type SurvivorsOptions } from './survivors/survivors.ts';
export { weighSurvivors } from './survivors/survivor-weight.ts';
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
    readonly kind: 'survivor' | 'growth' | 'listener' | 'timer' | 'handle' | 'budget' | 'delegation';
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
    /** What is left attached or grows, e.g. `"abort" on AbortSignal`. */
    readonly subject?: string;
    /** The place in the program that made it, e.g. `Run.start (src/run.ts:51:7)`. */
    readonly site?: string;
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
/** A claim made at a time as a finding of its own, for where no book is kept. */
export declare function findingOf(claim: Claim, at: number): Finding;

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
    /** Channels that look like growth or are confirmed as growing, with the fingerprint of the finding that each would be. */
    get growing(): readonly {
        readonly channel: ChannelName;
        readonly fingerprint: string;
        readonly growthBytes: number;
    }[];
    /** Time to exhaustion of the growth that gets there first. */
    get exhaustsIn(): Forecast | undefined;
    /** Takes the curve of earlier runs, before the first look at this one. */
    learn(history: HistoryCurve): void;
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
import type { CollectGarbage } from '../../exposed-gc.ts';
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
    /** Largest part of the time that probes may take, by what the last one took; default 0.01. */
    readonly costRatio?: number;
    /** The loop counts as idle below this share of busy time; default 0.5, above 1 a busy one is probed, too. */
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
    private readonly costRatio;
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

// dist/exposed-gc.d.ts
/** A full garbage collection on demand. */
export type CollectGarbage = () => void;
/** V8's `gc` without `--expose-gc` on the command line: the flag is read when a context is made. Nothing becomes visible to the program. */
export declare function exposedGc(): CollectGarbage | undefined;

// dist/detect/survivors/survivors.d.ts
import type { LingeringScope } from '../../scope/roster.ts';
import type { Watched } from '../../scope/watch-list.ts';
import type { Clock } from '../../sense/clock.ts';
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
    /** What times the look. */
    readonly clock?: Pick<Clock, 'monotonic' | 'cpu'>;
}
/**
 * The scope watch: what a closed scope left behind, alive after three major GCs.
 *
 * Objects are judged in groups of one kind and label. A group is a suspicion until a probe GC has run for it and its members were still
 * there a second and two looks later, asked by `deref`; where no probe may run, it is confirmed after twice as many natural GCs. A look
 * is spaced so that looking never takes more than its share of a core, however many objects are watched.
 */
export declare class Survivors {
    private readonly source;
    private readonly probe;
    private readonly majors;
    private readonly cpuRatio;
    private readonly clock;
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
    /**
     * Decides for the last time, right after a collection: a watched object that is still there has survived a probe. Closed scopes themselves
     * are followed by finalisers, which may not have run.
     */
    conclude(): void;
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
import type { LoadCycle } from './load-cycle.ts';
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
    readonly growWander?: number;
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
    /** Typical growth of a leak when it is looked at, as a share of the level, where that is known. */
    readonly leakSize?: number;
    /** How many times longer than the heap's the pauses between two looks are. */
    readonly calm?: number;
    /** Seconds that hits last at least before they confirm. */
    readonly leastHold?: number;
    /** The load of the last day, which the forecast expects again. */
    readonly cycle: LoadCycle;
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
    /** Last buckets' mean without what the load takes. */
    private atRest;
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
    /** Whether an observation was taken. */
    get hasBegun(): boolean;
    /** Whether observations come with what earlier runs had at that age. */
    useHistory(isUsed: boolean): void;
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
    /** Odds beyond what the channel asks for. */
    private get oddsBeyond();
    /** What is sure may be told while it is smaller, unless it began with the process and may be a fill. */
    private get needShare();
    /** Whether the growth began so soon after the start that it may belong to it. */
    private get isEarly();
    private get calm();
    /** Start-up may fill something slowly and in a straight line; for half a day it gets the benefit of the doubt. */
    private isFill;
    private miss;
    /** Growth that matters: a share of what is asked of the room there was and of the level, and all that is asked against the wander. */
    private need;
    /** Room for growth until the limit is met at the peak of the load; a share of what is free at least, since the peak is a guess, and never nothing. */
    private roomAtPeak;
    /** Seconds to exhaustion at the mean speed of the leak models, with the load as it was over the last day; 0 when nothing limits. */
    private forecast;
}

// dist/detect/waterline/load-cycle.d.ts
/**
 * The load of the last day: its peak in each hour. A limit is met at a peak of the load and not at its mean, and the peaks come back
 * at the same hours of the next days.
 */
export declare class LoadCycle {
    private readonly peaks;
    private begun;
    private hour;
    private now;
    private last;
    add(t: number, load: number): void;
    /** The highest load of the last day. */
    get peak(): number;
    /**
     * Seconds until growth at `rate` and what the load takes beside it fill `room`, which is counted without load. The load of the last
     * day comes again every day.
     */
    exhaustion(room: number, perLoad: number, rate: number): number;
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
    /** Typical growth of a leak when it is looked at, as a share of the level; 0 when nothing is known of it. */
    leakSize: number;
}
/** What a test found. */
export interface Verdict {
    /** Log odds of leak against harmless. */
    odds: number;
    /** Growth of the best leak model since its onset, its rate per second, and the onset in seconds of uptime. */
    growth: number;
    rate: number;
    onset: number;
    /** Seconds until the growth fills the room it was given, at the mean speed of the leak models. */
    tte: number;
    /** How far the leak models differ over that time: the variance of its binary logarithm. */
    disagreement: number;
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
    private kindsLeft;
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
    /** Whether all kinds are tried this time. */
    isRenewal: boolean;
    begin(): void;
    /** The kind that explained most when all were tried. */
    get likeliest(): number;
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
/** Prepares the filter for these times, and for steps if they will be looked for; returns half the logarithm of the determinant. */
export declare function prepareNoise(shape: NoiseShape, t: Float64Array, level: Uint8Array, n: number, bucket: number, withSteps?: boolean): number;
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
 * The time that is likeliest within a factor of two of the truth, given the straight one. What is said of the future at the first alarm
 * is off by a factor, the more the models disagree and the less the growth stands out of the wander; and those found so are the
 * steepest stretches of short ones and the calm ones of long. So it is drawn to what is known before: days, give or take 1.25 octaves.
 * `disagreement` is the variance of the binary logarithm among the models, `clarity` the growth in units of the wander.
 */
export declare function temper(seconds: number, disagreement: number, clarity: number): number;
/**
 * Factors of the band, conformal: about the 5 and 95 % quantiles of truth over estimate at first alarm, from generated leaks with the
 * limit set so that each exhausts. Chosen on seeds 1 to 12; see `npm run bench -- detect` for others. The ledger's own exhaustions may
 * replace them.
 */
export declare const conformalBand: {
    readonly low: 0.42;
    readonly high: 2.2;
};
/** The same for a time that is room over pace and nothing else. */
export declare const straightBand: {
    readonly low: 0.3;
    readonly high: 3;
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
    private readonly cycle;
    private readonly budget;
    private history;
    private readonly rssHours;
    private rssHour;
    private rate;
    private lastMs;
    private lastRequests;
    private lastFloor;
    private readonly calmExternal;
    private readonly calmNative;
    constructor(options: WaterlineOptions);
    /** Takes the curve of earlier runs; too late once floors have been taken in. */
    learn(curve: HistoryCurve): void;
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

// dist/detect/audit/audit.d.ts
import type { Claim } from '../finding-book.ts';
import { AttachmentLedger } from './attachment-ledger.ts';
import type { AttachmentLedgerOptions } from './attachment-ledger.ts';
import type { ScopeCounts } from './verdict.ts';
/** What a program leaves attached: listeners, timers, handles, storages, each with the place that made it and the scope it was made in. */
export declare class Audit implements Disposable {
    #private;
    constructor(options?: AttachmentLedgerOptions);
    get isOn(): boolean;
    /** Attachments followed now, and those that found no room. */
    get tally(): AttachmentLedger['tally'];
    /** Begins to follow what is attached from now on; what is there already stays unknown. */
    start(): void;
    /** Puts everything back as it was and forgets what was followed. */
    stop(): void;
    [Symbol.dispose](): void;
    /**
     * Looks what is still attached and returns what is new: a group that has become a claim, graver, or half as many again. Call it about
     * once a second; `epoch` is the number of major GCs so far.
     */
    look(epoch: number, scopes: ScopeCounts): readonly Claim[];
    /** Every claim as it stands, for the last word of a run. */
    claims(scopes: ScopeCounts): readonly Claim[];
}

// dist/detect/audit/attachment-ledger.d.ts
import type { Attachment } from './attachment.ts';
import { SiteGroup } from './site-group.ts';
export interface AttachmentLedgerOptions {
    /** Stacks taken per second; beyond, one in so many attachments is followed and stands for the others. Default 1,000. */
    readonly perSecond?: number;
    /** Attachments followed at once; default 20,000. */
    readonly most?: number;
    /** Monotonic ms; default `performance.now`. */
    readonly now?: () => number;
    /** Which files are Plimsoll's own. */
    readonly isOwn?: (file: string) => boolean;
}
/**
 * Who attached what, in which scope, and whether it is still there.
 *
 * A new entry refers to what it follows until the next look, less than a second or two later; most are gone by then. Those that are not
 * become weak: a WeakRef for each would keep every short-lived emitter alive until the next major GC on Node 22 and 24. Removal is never
 * intercepted; at a look the target itself is asked. Bounded in entries, sites and stacks per second.
 */
export declare class AttachmentLedger {
    #private;
    constructor(options?: AttachmentLedgerOptions);
    get groups(): Iterable<SiteGroup>;
    /** Attachments followed now, and those that found no room. */
    get tally(): {
        readonly followed: number;
        readonly skipped: number;
    };
    /** Whether the attachment at hand is to be followed; called by the taps before they make anything. */
    admit(): boolean;
    /** Follows an attachment made by the running code; never throws into it. */
    add(attachment: Attachment): boolean;
    /** Looks what is still there. `epoch` counts major GCs: only after one is what outlived its scope looked at again. */
    look(epoch: number): void;
    /** Forgets everything. */
    clear(): void;
}

// dist/detect/audit/attachment.d.ts
export type AttachmentKind = 'listener' | 'timer' | 'handle';
/** Something that the runtime holds on behalf of the code that made it, until that code lets go. */
export interface Attachment {
    readonly kind: AttachmentKind;
    /** What it is, e.g. `"abort" on AbortSignal` or `setInterval`. */
    readonly subject: string;
    /** It goes away by itself, only later. */
    readonly endsByItself: boolean;
    /** Whether it is still there. */
    isAttached(look: Look): boolean;
    /** What holds it, as long as it lives; undefined when the runtime itself does. */
    readonly holder: object | undefined;
    /** Lets go of what it is about: from now on it is known weakly. */
    weaken(): void;
}
/** One look at everything attached: the listeners of a target are asked for once, however many of them are followed. */
export declare class Look {
    #private;
    readonly now: number;
    constructor(now: number);
    isListening(target: object, type: string | symbol, listener: unknown): boolean;
}
/** A listener on an EventEmitter or an EventTarget. */
export declare class ListenerAttachment implements Attachment {
    #private;
    readonly kind = "listener";
    readonly subject: string;
    readonly endsByItself = false;
    constructor(target: object, type: string | symbol, listener: object);
    get holder(): object | undefined;
    isAttached(look: Look): boolean;
    weaken(): void;
}
/** A timer that runs for ever or for long. */
export declare class TimerAttachment implements Attachment {
    #private;
    readonly kind = "timer";
    readonly subject: string;
    readonly endsByItself: boolean;
    readonly holder: undefined;
    constructor(timer: object, subject: 'setInterval' | 'setTimeout', endsAt: number);
    cleared(): void;
    isAttached({ now }: Look): boolean;
    weaken(): void;
}
/** A handle of the runtime: a socket, a server, a watcher, a child; or an AsyncLocalStorage. It is told when it is gone. */
export declare class HandleAttachment implements Attachment {
    #private;
    readonly kind = "handle";
    readonly subject: string;
    readonly endsByItself = false;
    readonly holder: undefined;
    constructor(subject: string);
    closed(): void;
    isAttached(): boolean;
    weaken(): void;
}

// dist/detect/audit/site-group.d.ts
import type { Origin } from './call-site.ts';
import type { Attachment, AttachmentKind } from './attachment.ts';
/** A count that is looked at now and then: how often it rose since it last fell. */
export declare class RisingCount {
    #private;
    value: number;
    rises: number;
    /** Takes the count of a new look. A fall of a tenth from the peak starts it anew. */
    see(value: number): void;
}
/** Everything of one subject attached at one site. */
export declare class SiteGroup {
    readonly kind: AttachmentKind;
    readonly subject: string;
    readonly origin: Origin;
    readonly endsByItself: boolean;
    readonly fingerprint: string;
    /** Attached in a scope that has closed, and still there two major GCs later. */
    readonly outlived: RisingCount;
    /** Attached outside of every scope but the process, and still there. */
    readonly unscoped: RisingCount;
    /** Most of them that one target holds. */
    onOneTarget: number;
    /** Closed scopes that left at least one behind. */
    scopes: number;
    /** Path and kind of the scope that left the oldest one. */
    example: {
        readonly path: string;
        readonly kind: string;
    } | undefined;
    /** The scope counted last. */
    lastScopeId: number;
    /** Entries of the ledger that are followed now. */
    entries: number;
    /** Ever attached; an estimate where only a part is followed. */
    ever: number;
    constructor(attachment: Attachment, origin: Origin);
}

// dist/detect/audit/call-site.d.ts
/** One place in a program. */
export interface CallSite {
    /** Empty for code at the top of a module. */
    readonly function: string;
    /** Address of the file, as V8 has it. */
    readonly file: string;
    readonly line: number;
    readonly column: number;
}
/** Who attached something: the nearest place outside of Node.js, and the nearest one outside of installed packages when that differs. */
export interface Origin {
    readonly site: CallSite;
    readonly caller: CallSite | undefined;
}
/** Whether a file belongs to an installed package. */
export declare function installedFile(file: string): boolean;
export declare function isOwnFile(file: string): boolean;
/**
 * The origin of the running call, or undefined when it is Plimsoll's own or nobody's. `util.getCallSites` does not run the program's
 * `Error.prepareStackTrace` and keeps no function alive, as an unread `Error.stack` would.
 */
export declare function originHere(isOwn?: (file: string) => boolean): Origin | undefined;
/** What `util.getCallSites` says of a frame, as far as it is used. */
export interface Frame {
    readonly functionName: string;
    readonly scriptName: string;
    readonly lineNumber: number;
    /** `column` until Node 22.11. */
    readonly columnNumber?: number;
}
/** The origin from frames, innermost first, those of the taps among them. */
export declare function originOf(all: readonly Frame[], isOwn: (file: string) => boolean): Origin | undefined;
/** A site as a person reads it: `Run.start (src/run.ts:51:7)`. */
export declare function siteText(site: CallSite, cwd?: string): string;

// dist/detect/audit/verdict.d.ts
import type { Severity } from '../finding.ts';
import type { SiteGroup } from './site-group.ts';
/** What is known of the scopes of the process when the groups are judged. */
export interface ScopeCounts {
    readonly open: number;
    readonly opened: number;
}
/**
 * How grave a group is, or undefined while it is nothing.
 *
 * Confirmed are: five on one target whose scopes have closed; more that keep rising, of whatever kind; and more outside of every scope
 * than the program has scopes open, because then they belong to nothing that lives. What goes away by itself, what a package keeps in a
 * pool of handles, and growth in a program without scopes pages nobody.
 */
export declare function verdictOn(group: SiteGroup, scopes: ScopeCounts): Severity | undefined;

// dist/detect/audit/container-watch.d.ts
import type { Claim } from '../finding-book.ts';
/** Registered roots, as the roster has them. */
export type RootSource = Iterable<{
    readonly scope: {
        readonly path: string;
        readonly kind: string;
    };
    readonly roots: readonly object[];
}>;
/**
 * Watches the sizes of Maps, Sets and arrays that are registered as roots of the process, or lie directly in one: sizes are free to
 * read. One that only grows is a suspicion; a keeper of @plimsoll/keep has a bound and never is.
 */
export declare class ContainerWatch {
    #private;
    /** Looks once; call it about once a minute. Returns each container the first time that it has only grown. */
    look(source: RootSource): readonly Claim[];
}

// dist/detect/audit/resource-watch.d.ts
import type { Claim } from '../finding-book.ts';
/**
 * Watches how many resources of each type keep the loop alive (`process.getActiveResourcesInfo`): timers, sockets, watchers. It costs a
 * tenth of a microsecond and some more per resource, and knows no place. A type that only grows, beyond what the open scopes account
 * for, is a suspicion; `--audit` names the line.
 */
export declare class ResourceWatch {
    #private;
    /** Looks once; call it about once a minute. Returns each type the first time that it has only grown. */
    look(active: readonly string[], openScopes: number): readonly Claim[];
}

// dist/detect/audit/listener-warnings.d.ts
import type { Claim } from '../finding-book.ts';
/**
 * Takes Node's own warning of too many listeners as a suspicion, with the place that added the last one; it costs nothing, so it is
 * always on. Node.js warns once per emitter and type, at eleven, and never for an AbortSignal: `--audit` knows more.
 */
export declare function watchListenerWarnings(onClaim: (claim: Claim) => void): () => void;

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

// dist/detect/survivors/survivor-weight.d.ts
import type { Severity } from '../finding.ts';
import type { Forecast } from '../waterline/forecast.ts';
/** What is known of a group of survivors. */
export interface SurvivorFacts {
    /** Bytes that one of them retains, from a snapshot. */
    readonly bytesEach: number;
    readonly alive: number;
    /** How many of them came in how long a time. */
    readonly gained: number;
    readonly overMs: number;
    /** Bytes left to the limit, and the part of it that is used. */
    readonly roomBytes: number;
    readonly usedRatio: number;
}
export interface SurvivorWeight {
    readonly bytes: number;
    readonly severity: Severity;
    /** Bytes per hour, and the time to the limit at that pace. */
    readonly rate?: number;
    readonly exhaustsIn?: Forecast;
}
/** How much a group of survivors weighs: confirmed, so never below medium, and graver the sooner it meets the limit. */
export declare function weighSurvivors(facts: SurvivorFacts): SurvivorWeight;

// entry @plimsoll/core/audit
// entry @plimsoll/core/keeper
// entry @plimsoll/core/alert
// dist/alert/index.d.ts
export type { Alert, AlertClock, Labels, Notice } from './alert.ts';
export type { AlertCounts, AlertEvent } from './alert-router.ts';
export { AlertRouter } from './alert-router.ts';
export { cloudEventOf } from './cloud-event.ts';
export { linesOf, titleOf } from './notice-text.ts';
export { readSecret } from './secret.ts';
export type { Matcher, Silence } from './silence.ts';
export { formatMatcher, parseMatcher } from './silence.ts';
export { AlertmanagerSink } from './sinks/alertmanager-sink.ts';
export { guardedFetch } from './sinks/guarded-fetch.ts';
export type { AlertLogger } from './sinks/log-sink.ts';
export { LogSink, useAlertLogger } from './sinks/log-sink.ts';
export { DeliveryError } from './sinks/sink.ts';
export type { AlertSink, MirrorSink } from './sinks/sink.ts';
export { SlackSink } from './sinks/slack-sink.ts';
export { WebhookSink } from './sinks/webhook-sink.ts';
export type { AlertRules, RecipientRule } from '../policy/sections/alert-rules.ts';

// dist/alert/alert.d.ts
import type { AlertLevel } from '../policy/sections/alert-rules.ts';
export type { AlertLevel } from '../policy/sections/alert-rules.ts';
/** The names that alerts can have; they are few, so that silences and routes can rely on them. */
export declare const alertNames: readonly ['memory.level', 'memory.finding', 'memory.approval', 'memory.action', 'memory.action.failed', 'memory.restart', 'memory.rollback', 'memory.sensor.stale'];
export type AlertName = (typeof alertNames)[number];
/** What tells one alert from another. Two alerts with equal labels are the same alert. */
export interface Labels {
    readonly alertname: AlertName;
    readonly level: AlertLevel;
    readonly service: string;
    readonly pod: string;
    /** The kind of the scopes it is about: an alert is never about one session, but about sessions. */
    readonly kind: string;
    /** Which finding, approval or action; empty when the kind says it all. */
    readonly subject: string;
}
/** One of the scopes behind an alert. */
export interface Offender {
    readonly scope: string;
    readonly level: string;
    readonly usedBytes: number;
    readonly limitBytes: number;
}
/** What an alert says, at the time it is told. */
export interface AlertDetails {
    /** One sentence with the numbers. */
    readonly summary: string;
    /** The worst five; `offenderCount` says how many there are. */
    readonly offenders: readonly Offender[];
    readonly offenderCount: number;
    /** What was done about it lately, newest last. */
    readonly actions: readonly string[];
    readonly fix?: string;
    /** Values a program needs to answer: the id and digest of an approval. */
    readonly values?: Readonly<Record<string, string | number | null>>;
}
/** An alert as it goes out. */
export interface Alert extends AlertDetails {
    readonly fingerprint: string;
    readonly labels: Labels;
    readonly status: 'firing' | 'resolved';
    /** Wall time in ms. */
    readonly startsAt: number;
    readonly endsAt: number | null;
}
/** What one recipient is told at once: alerts of one group that began, still fire after the repeat time, or ended. */
export interface Notice {
    readonly id: string;
    readonly recipient: string;
    /** The labels that the group has in common. */
    readonly group: Readonly<Record<string, string>>;
    /** The highest level in it. */
    readonly level: AlertLevel;
    readonly at: number;
    readonly firing: readonly Alert[];
    readonly resolved: readonly Alert[];
    /** Alerts of the group that fire and that the recipient knows of already. */
    readonly stillFiring: number;
}
/** Time as the router needs it; the clock of `@plimsoll/core/sense` is one. */
export interface AlertClock {
    now(): number;
    monotonic(): number;
    after(ms: number, callback: () => void): () => void;
}
export declare const alertClock: AlertClock;

// dist/alert/alert-router.d.ts
import type { ActionRecord } from '../govern/action.ts';
import type { LevelChange } from '../govern/level-change.ts';
import type { RollbackRecord } from '../govern/rollback/rollback-record.ts';
import type { AlertRules } from '../policy/sections/alert-rules.ts';
import type { Alert, AlertClock, Notice } from './alert.ts';
import type { ApprovalFact, FindingFact, RaisedFact } from './event-alerts.ts';
import type { RecipientCounts, Recipients } from './outbox.ts';
import type { Suppression } from './recipient-board.ts';
import type { Matcher, Silence } from './silence.ts';
/** What became of alerts, for the ledger. */
export type AlertEvent = {
    readonly event: 'sent' | 'lost';
    readonly notice: Notice;
    readonly attempts: number;
    readonly reason?: string;
} | ({
    readonly event: 'suppressed';
} & Suppression) | {
    readonly event: 'mirror-failed';
    readonly recipient: string;
    readonly reason: string;
} | {
    readonly event: 'silenced' | 'unsilenced';
    readonly silence: Silence;
    readonly by: string;
};
export interface AlertRouterOptions {
    readonly rules: AlertRules;
    readonly recipients: Recipients;
    /** Labels of every alert. */
    readonly service: string;
    readonly pod: string;
    readonly clock?: AlertClock;
    /** 0 to 1, for the pauses between attempts. */
    readonly random?: () => number;
    readonly onEvent?: (event: AlertEvent) => void;
    /** Most alerts kept at once, 256 by default. */
    readonly most?: number;
}
/** What the router did since it began. */
export interface AlertCounts {
    readonly firing: number;
    readonly silenced: number;
    readonly inhibited: number;
    /** Alerts and scopes that found no room. */
    readonly refused: number;
    readonly recipients: Readonly<Record<string, RecipientCounts>>;
}
/**
 * Turns what happens in the process into notices for people and agents: one alert per kind of scope and level, grouped, muted by
 * what is worse and by silences, repeated, and told when it ends. It only tells: nothing waits for it and it throws at nobody.
 */
export declare class AlertRouter implements Disposable {
    #private;
    constructor(options: AlertRouterOptions);
    /** Begins to listen to the diagnostics channels of the process. */
    start(): void;
    level(change: LevelChange): void;
    action(record: ActionRecord): void;
    finding(finding: FindingFact): void;
    /** Takes each state of an approval: it alerts while it is open. */
    approval(row: ApprovalFact): void;
    /** A human who puts the file's policy in force again alerts nobody. */
    rollback(record: RollbackRecord): void;
    /** Says how long no reading came; null when they come again. */
    stale(staleMs: number | null): void;
    /** Raises an alert about something that happened. */
    raise(fact: RaisedFact): void;
    /** Mutes what matches for a time. Throws PLM_ALERT_BAD_SILENCE. */
    silence(given: {
        readonly matchers: readonly Matcher[];
        readonly author: string;
        readonly comment?: string;
        readonly forMs: number;
    }): Silence;
    /** Takes a silence of an earlier life of the process for the rest of its time. */
    restore(silence: Silence): void;
    /** Ends a silence before its time; false when there is none of this id. */
    unsilence(id: string, by: string): boolean;
    silences(): readonly Silence[];
    /** What fires now, gravest first. */
    alerts(): readonly Alert[];
    get counts(): AlertCounts;
    /** Puts other rules and recipients in force; what was told to a recipient of the same name stays known. */
    setRules(rules: AlertRules, recipients: Recipients): void;
    /** Tells at once what waits, and resolves when it has arrived or after `ms`. For a process that is about to end. */
    flush(ms: number): Promise<void>;
    /** Ends for good: what waits is counted as lost. */
    close(): void;
    [Symbol.dispose](): void;
}

// dist/alert/event-alerts.d.ts
import type { ActionRecord } from '../govern/action.ts';
import type { FireOptions } from './alert-book.ts';
import type { AlertDetails, AlertLevel, AlertName } from './alert.ts';
/** The part of a finding that an alert needs. */
export interface FindingFact {
    readonly id: string;
    readonly kind: string;
    readonly severity: string;
    readonly scope: string;
    readonly fingerprint: string;
    readonly count: number;
    readonly bytes: number;
    readonly fix: string;
}
/** The part of an approval that an alert needs. */
export interface ApprovalFact {
    readonly id: string;
    readonly digest: string;
    readonly action: string;
    readonly scope: string;
    readonly why: string;
    readonly evidence: Readonly<Record<string, string | number | null>>;
    readonly at: number;
    readonly deadlineAt: number;
    readonly onExpiry: string;
    readonly state: string;
}
/** Anything else worth an alert. */
export interface RaisedFact {
    readonly name: AlertName;
    readonly level: AlertLevel;
    /** Scope path; the process by default. */
    readonly scope?: string;
    readonly subject?: string;
    readonly summary: string;
    readonly fix?: string;
    readonly values?: Readonly<Record<string, string | number | null>>;
}
/** A fact as the book takes it. */
export interface AlertFact {
    readonly name: AlertName;
    readonly level: AlertLevel;
    readonly kind: string;
    readonly subject: string;
    /** Absent when the alert ends. */
    readonly details?: AlertDetails;
    readonly options?: FireOptions;
}
/** What an action means for alerts; undefined when it is no news. */
export declare function factOfAction(record: ActionRecord): AlertFact | undefined;
/** What a finding means for alerts; a mere suspicion is none. */
export declare function factOfFinding(finding: FindingFact): AlertFact | undefined;
/** An approval alerts while it is open. */
export declare function factOfApproval(row: ApprovalFact): AlertFact;
/** Missing readings: levels are held and nothing acts meanwhile. */
export declare function factOfStale(staleMs: number | null): AlertFact;
export declare function factOfRaised(fact: RaisedFact): AlertFact;

// dist/alert/alert-book.d.ts
import type { Alert, AlertDetails, Labels } from './alert.ts';
/** One alert that fires or fired lately. */
export interface BookEntry {
    readonly fingerprint: string;
    readonly labels: Labels;
    /** Emergencies and approvals, which wait shorter. */
    readonly urgent: boolean;
    /** Something that happened and has no end of its own: nobody is told that it is over. */
    readonly momentary: boolean;
    firing: boolean;
    /** Monotonic time of the last change between firing and resolved. */
    changedMs: number;
    startsAt: number;
    endsAt: number | null;
    /** What it says now; frozen when it ends. */
    describe: () => AlertDetails;
    /** Ends by itself at this monotonic time unless it fires again. */
    untilMs: number;
}
export interface FireOptions {
    readonly urgent?: boolean;
    readonly momentary?: boolean;
    /** How long it fires without being fired again; for ever by default. */
    readonly holdMs?: number;
}
/** The alerts that fire and those that ended lately, one per set of labels; bounded. */
export declare class AlertBook {
    #private;
    constructor(most: number);
    get size(): number;
    /** Counts every beginning and end. */
    get version(): number;
    /** Alerts that found no room. */
    get refused(): number;
    entries(): Iterable<BookEntry>;
    /** Begins an alert, or says that it goes on. */
    fire(labels: Labels, describe: () => AlertDetails, now: {
        readonly ms: number;
        readonly at: number;
    }, options?: FireOptions): void;
    /** Ends an alert; nothing when it does not fire. */
    resolve(labels: Labels, now: {
        readonly ms: number;
        readonly at: number;
    }): void;
    /** Ends what was fired for a time that is over. */
    expire(now: {
        readonly ms: number;
        readonly at: number;
    }): void;
    forget({ labels }: Pick<BookEntry, 'labels'>): void;
}
/** The alert as it goes out. */
export declare function alertOf(entry: BookEntry): Alert;

// dist/alert/outbox.d.ts
import type { RecipientRule } from '../policy/sections/alert-rules.ts';
import type { Alert, AlertClock, Notice } from './alert.ts';
import type { DeliveryCounts, DeliveryOutcome } from './sinks/delivery-queue.ts';
import type { AlertSink, MirrorSink } from './sinks/sink.ts';
export type RecipientCounts = DeliveryCounts;
/** Who can be told, each with what brings it there. */
export type Recipients = readonly {
    readonly rule: Pick<RecipientRule, 'name' | 'timeoutMs' | 'attempts'>;
    readonly sink: AlertSink | MirrorSink;
}[];
export interface OutboxOptions {
    readonly recipients: Recipients;
    readonly clock: AlertClock;
    readonly random?: () => number;
    readonly alertsFor: (recipient: string) => readonly Alert[];
    readonly onSettled: (notice: Notice, outcome: DeliveryOutcome) => void;
    readonly onMirrorFailed: (recipient: string, reason: string) => void;
}
/** The ways out: a queue for each recipient that takes notices, a loop for each that takes the whole state. */
export declare class Outbox {
    #private;
    constructor(options: OutboxOptions);
    /** The recipients that take notices. */
    get queued(): Iterable<string>;
    get hasMirrors(): boolean;
    get counts(): Readonly<Record<string, RecipientCounts>>;
    /** Whether a recipient asked never to be told again. */
    isGone(name: string): boolean;
    push(notice: Notice): void;
    changed(): void;
    drained(ms: number): Promise<void>;
    close(): void;
}

// dist/alert/sinks/delivery-queue.d.ts
import type { AlertClock, Notice } from '../alert.ts';
import type { AlertSink } from './sink.ts';
export interface DeliveryOptions {
    readonly clock: AlertClock;
    readonly timeoutMs: number;
    /** How often one notice is tried. */
    readonly attempts: number;
    /** Most notices that wait, 64 by default; the oldest is lost when another comes. */
    readonly most?: number;
    /** 0 to 1; `Math.random` by default. */
    readonly random?: () => number;
    /** Told once for every notice that was pushed. */
    readonly onSettled: (notice: Notice, outcome: DeliveryOutcome) => void;
}
export interface DeliveryOutcome {
    readonly arrived: boolean;
    readonly attempts: number;
    /** Why it did not arrive. */
    readonly reason?: string;
}
/** What happened to the notices of one recipient. */
export interface DeliveryCounts {
    readonly sent: number;
    readonly lost: number;
    readonly retried: number;
    readonly waiting: number;
    readonly gone: boolean;
}
/** Brings notices to one recipient, in order, one at a time: bounded, with a time limit and growing pauses, and every loss counted. */
export declare class DeliveryQueue {
    #private;
    constructor(sink: AlertSink, options: DeliveryOptions);
    get counts(): DeliveryCounts;
    push(notice: Notice): void;
    /** Resolves when nothing waits any more, or after `ms`. */
    drained(ms: number): Promise<void>;
    /** Ends at once; what waits is lost and counted. */
    close(): void;
}

// dist/alert/sinks/sink.d.ts
import type { Alert, Notice } from '../alert.ts';
/** Somewhere notices go. It throws when a notice did not arrive; a `DeliveryError` says whether trying again can help. */
export interface AlertSink {
    readonly name: string;
    deliver(notice: Notice, signal: AbortSignal): Promise<void>;
    close?(): void;
}
/** Somewhere the whole state goes, again and again, and grouping is done there. */
export interface MirrorSink {
    readonly name: string;
    readonly resendMs: number;
    /** All alerts that fire or ended lately. */
    mirror(alerts: readonly Alert[], signal: AbortSignal): Promise<void>;
    close?(): void;
}
/** Why a notice did not arrive. Its message never holds a secret or more than the host of an address. */
export declare class DeliveryError extends Error {
    /** Trying again cannot help. */
    readonly final: boolean;
    /** The recipient asked never to be told again. */
    readonly gone: boolean;
    /** The recipient asked to be left alone for so long. */
    readonly retryAfterMs: number;
    constructor(message: string, options?: {
        readonly final?: boolean;
        readonly gone?: boolean;
        readonly retryAfterMs?: number;
        readonly cause?: unknown;
    });
}
/** A reason in one line of bounded length. */
export declare function reasonOf(error: unknown): string;

// dist/alert/recipient-board.d.ts
import type { AlertLabel, AlertRules } from '../policy/sections/alert-rules.ts';
import type { BookEntry } from './alert-book.ts';
import type { Alert, Notice } from './alert.ts';
import type { MutedBy } from './muting.ts';
/** More alerts than this go into the notice after. */
export declare const mostAlertsPerNotice = 50;
/** An alert that would have been told and was not. */
export interface Suppression {
    readonly recipient: string;
    readonly fingerprint: string;
    readonly labels: BookEntry['labels'];
    readonly by: MutedBy;
}
/** What one look at the alerts needs, and what it gives. */
export interface BoardTurn {
    readonly nowMs: number;
    /** Wall time. */
    readonly at: number;
    readonly rules: AlertRules;
    readonly mutedBy: (entry: BookEntry) => MutedBy | undefined;
    readonly groupOf: (entry: BookEntry) => GroupName;
    readonly alertOf: (entry: BookEntry) => Alert;
    readonly notices: Notice[];
    readonly suppressed: Suppression[];
    /** When to look again, on the monotonic clock. */
    nextMs: number;
}
/** The labels a group has in common. */
export interface GroupName {
    readonly key: string;
    readonly labels: Readonly<Record<string, string>>;
}
/** What one recipient was told and is to be told: waits, groups, keeps the interval of a group, repeats and tells ends. */
export declare class RecipientBoard {
    #private;
    constructor(recipient: string);
    /** Whether it still has to hear of the end of an alert. */
    awaits(fingerprint: string): boolean;
    turn(entries: readonly BookEntry[], turn: BoardTurn): void;
    /** A notice arrived or was lost. What was lost is told again when its group is due. */
    settled(notice: Notice, arrived: boolean): void;
    forget(fingerprint: string): void;
}
/** The group of an entry. */
export declare function groupOf(entry: BookEntry, groupBy: readonly AlertLabel[]): GroupName;

// dist/alert/muting.d.ts
import type { InhibitRule } from '../policy/sections/alert-rules.ts';
import type { BookEntry } from './alert-book.ts';
import type { SilenceList } from './silence.ts';
/** Why an alert that would be told is not. */
export type MutedBy = 'silence' | 'inhibition';
/** What mutes each of the entries, worked out once per turn. */
export declare function mutingOf(entries: readonly BookEntry[], inhibit: readonly InhibitRule[], silences: SilenceList): (entry: BookEntry) => MutedBy | undefined;

// dist/alert/silence.d.ts
import type { Labels } from './alert.ts';
/** One condition of a silence: a label and the value it must have, or must not. `*` stands for any text. */
export interface Matcher {
    readonly label: string;
    readonly value: string;
    readonly negated: boolean;
}
/** Alerts that match are not told until it ends. */
export interface Silence {
    readonly id: string;
    readonly matchers: readonly Matcher[];
    readonly author: string;
    readonly comment: string;
    readonly createdAt: number;
    /** Wall time, for people; what counts is a monotonic time. */
    readonly endsAt: number;
}
export declare const mostSilences = 100;
/** A silence is for a time. */
export declare const longestSilenceMs: number;
/** The matcher of "kind=session" or "level!=emergency". */
export declare function parseMatcher(text: string): Matcher;
export declare function formatMatcher({ label, value, negated }: Matcher): string;
/** The silences of a process; bounded, and each ends. */
export declare class SilenceList {
    #private;
    /** Adds a silence; throws PLM_ALERT_BAD_SILENCE when it lacks something or there are too many. */
    add(given: {
        readonly matchers: readonly Matcher[];
        readonly author: string;
        readonly comment?: string;
        readonly forMs: number;
    }, now: {
        readonly ms: number;
        readonly at: number;
    }): Silence;
    /** Takes a silence as it was, for the rest of its time; one that is over or does not fit is dropped. */
    restore(silence: Silence, now: {
        readonly ms: number;
        readonly at: number;
    }): void;
    /** True when there was one. */
    remove(id: string): boolean;
    list(nowMs: number): readonly Silence[];
    expire(nowMs: number): void;
    /** The silence that mutes an alert, if one does. */
    find(labels: Labels): Silence | undefined;
    /** When the next one ends, on the monotonic clock. */
    get nextEndMs(): number;
}

// dist/alert/cloud-event.d.ts
import type { Alert, Notice } from './alert.ts';
/** A notice as an event of CloudEvents 1.0. */
export interface CloudEvent {
    readonly specversion: '1.0';
    readonly id: string;
    readonly source: string;
    readonly type: 'dev.plimsoll.alert.firing' | 'dev.plimsoll.alert.resolved';
    readonly subject: string;
    readonly time: string;
    readonly datacontenttype: 'application/json';
    readonly data: {
        readonly title: string;
        readonly level: string;
        readonly group: Readonly<Record<string, string>>;
        readonly firing: readonly EventAlert[];
        readonly resolved: readonly EventAlert[];
        readonly stillFiring: number;
        /** Alerts that did not fit. */
        readonly leftOff: number;
    };
}
type EventAlert = Omit<Alert, 'startsAt' | 'endsAt'> & {
    readonly startsAt: string;
    readonly endsAt: string | null;
};
/** What the Standard Webhooks specification advises as the largest body. */
export declare const mostEventBytes = 20000;
/** The notice as a CloudEvent of less than 20 kB: alerts at the end are left off and counted. */
export declare function cloudEventOf(notice: Notice, mostBytes?: number): CloudEvent;
export {};

// dist/alert/notice-text.d.ts
import type { Notice } from './alert.ts';
/** "EMERGENCY: 2 alerts of checkout on pod-1 fire, 1 ended". */
export declare function titleOf(notice: Notice): string;
/** Everything a person needs, one alert after the other. */
export declare function linesOf(notice: Notice): readonly string[];

// dist/alert/secret.d.ts
import type { SecretRef } from '../policy/sections/alert-rules.ts';
type Environment = Readonly<Record<string, string | undefined>>;
/** The text of a secret from where the policy says it is. Read at each use, so that a rotated file is taken up. Errors say where, never what. */
export declare function readSecret(ref: SecretRef, recipient: string, env?: Environment): Promise<string>;
export {};

// dist/alert/sinks/alertmanager-sink.d.ts
import type { RecipientRule } from '../../policy/sections/alert-rules.ts';
import type { Alert, AlertClock } from '../alert.ts';
import type { MirrorSink } from './sink.ts';
import type { WebTargetOptions } from './web-target.ts';
/** Prometheus Alertmanager (API v2), which groups, inhibits and silences by itself and is therefore told the whole state. */
export declare class AlertmanagerSink implements MirrorSink {
    #private;
    readonly name: string;
    readonly resendMs: number;
    constructor(rule: RecipientRule, clock: Pick<AlertClock, 'now'>, options?: WebTargetOptions);
    mirror(alerts: readonly Alert[], signal: AbortSignal): Promise<void>;
}

// dist/alert/sinks/web-target.d.ts
import type { RecipientRule } from '../../policy/sections/alert-rules.ts';
type Environment = Readonly<Record<string, string | undefined>>;
/** What a recipient on the web needs from outside the policy. */
export interface WebTargetOptions {
    readonly env?: Environment;
    readonly ca?: string;
}
/** The address of a recipient; from a secret when the policy says so. */
export declare function urlOf(rule: RecipientRule, options: WebTargetOptions): Promise<URL>;
/** A secret of a recipient; a missing one is final for this notice, not for the next. */
export declare function secretOf(rule: RecipientRule, key: 'url' | 'secret' | 'token', options: WebTargetOptions): Promise<string>;
/** Posts JSON; resolves for 2xx only. */
export declare function postJson(url: URL, rule: RecipientRule, options: WebTargetOptions, body: string, headers: Readonly<Record<string, string>>, signal: AbortSignal): Promise<void>;
export {};

// dist/alert/sinks/guarded-fetch.d.ts
export interface GuardedFetchOptions {
    readonly allowPrivate: boolean;
    /** Most bytes of an answer; 1 MiB by default. */
    readonly mostBytes?: number;
    /** Ends requests that bring no signal of their own. */
    readonly timeoutMs: number;
    /** Sent to the origin of this address only, so that an agent card which points elsewhere does not get it. */
    readonly bearer?: {
        readonly origin: string;
        readonly token: () => Promise<string>;
    };
    readonly ca?: string;
}
/** A `fetch` for libraries that take one: private addresses refused, no redirects, bounded answers, never holding the process. */
export declare function guardedFetch(options: GuardedFetchOptions): typeof fetch;

// dist/alert/sinks/log-sink.d.ts
import type { Notice } from '../alert.ts';
import type { AlertSink } from './sink.ts';
/** The shape that console, pino, winston and bunyan share. */
export interface AlertLogger {
    info(message: string): void;
    warn(message: string): void;
    error(message: string): void;
}
/** Takes the logger that alerts of this process go to; without an argument they go where they went before. */
export declare function useAlertLogger(logger?: AlertLogger): void;
/** Publishes notices on the channel `plimsoll:alert` and writes them to the logger of the process. */
export declare class LogSink implements AlertSink {
    #private;
    readonly name: string;
    /** `fallback` is used while nobody passed a logger. */
    constructor(name?: string, fallback?: AlertLogger);
    deliver(notice: Notice): Promise<void>;
}

// dist/alert/sinks/slack-sink.d.ts
import type { RecipientRule } from '../../policy/sections/alert-rules.ts';
import type { Notice } from '../alert.ts';
import type { AlertSink } from './sink.ts';
import type { WebTargetOptions } from './web-target.ts';
/** An incoming webhook of Slack, or of a chat that takes the same form (Mattermost, Rocket.Chat, Discord with /slack). */
export declare class SlackSink implements AlertSink {
    #private;
    readonly name: string;
    constructor(rule: RecipientRule, options?: WebTargetOptions);
    deliver(notice: Notice, signal: AbortSignal): Promise<void>;
}
/** The message of a notice; names of scopes cannot become links, mentions or formatting in it. */
export declare function slackMessage(notice: Notice): object;

// dist/alert/sinks/webhook-sink.d.ts
import type { RecipientRule } from '../../policy/sections/alert-rules.ts';
import type { AlertClock, Notice } from '../alert.ts';
import type { AlertSink } from './sink.ts';
import type { WebTargetOptions } from './web-target.ts';
/** A webhook that takes CloudEvents, signed by Standard Webhooks with every secret it has. */
export declare class WebhookSink implements AlertSink {
    #private;
    readonly name: string;
    constructor(rule: RecipientRule, clock: Pick<AlertClock, 'now'>, options?: WebTargetOptions);
    deliver(notice: Notice, signal: AbortSignal): Promise<void>;
}

// entry @plimsoll/core/alarm
// dist/alarm.d.ts
import type { Clock } from './sense/clock.ts';
/** One timer for the soonest of several moments. */
export declare class Alarm {
    #private;
    constructor(clock: Pick<Clock, 'monotonic' | 'after'>, ring: () => void);
    /** Rings after this time, unless it rings sooner. */
    within(ms: number): void;
    /** Rings at this monotonic time in ms, unless it rings sooner. */
    at(timeMs: number): void;
    /** Does not ring for what was asked so far. */
    clear(): void;
    /** Never rings again. */
    stop(): void;
}

// entry @plimsoll/core/replace-file
// dist/replace-file.d.ts
/**
 * Puts a text in the place of a file that only its owner can read. Written beside and moved over: nobody ever reads half of it, and whoever is
 * killed meanwhile leaves the old one or the new one. Throws what the file system says.
 */
export declare function replaceFile(file: string, text: string): void;

// entry @plimsoll/core/make-folder
// dist/make-folder.d.ts
/**
 * Makes a folder, and those above it, for its owner alone unless another mode is given; throws what the file system says. One at a time,
 * because a recursive mkdir of Node never returns where a folder exists that takes no other, such as /proc.
 */
export declare function makeFolder(dir: string, mode?: number): void;

// entry @plimsoll/core/gc
// entry @plimsoll/core/units
// dist/units/index.d.ts
export { formatByteSize, formatUsedOfLimit, parseByteSize } from './byte-size.ts';
export { formatDuration, parseDuration } from './duration.ts';
