// entry @plimsoll/keep
// dist/index.d.ts
export { keepers, registerKeeper } from '@plimsoll/core/keeper';
export type { Keeper, ShedRequest } from '@plimsoll/core/keeper';
export type { KeeperClock } from './clock.ts';
export { SessionCache, FileLot, SqliteLot } from './session-cache/index.ts';
export type { Lease, ParkingLot, SessionCacheOptions } from './session-cache/index.ts';
export { ReplayBuffer, replay } from './replay-buffer/index.ts';
export type { ReplayBufferOptions } from './replay-buffer/index.ts';
export { ConversationWindow, anyMessage, fitTokens } from './conversation-window/index.ts';
export type { ConversationWindowOptions } from './conversation-window/index.ts';
export { DelegationBreaker } from './delegation-breaker/index.ts';
export type { DelegationBreakerOptions } from './delegation-breaker/index.ts';
export { OutputBag } from './output-bag/index.ts';
export { EventSink } from './event-sink/index.ts';
export { WeakRegistry } from './weak-registry/index.ts';
export { Pool } from './pool/index.ts';

// dist/clock.d.ts
/** Where a keeper gets its time and its turns from, so that a test can own both. */
export interface KeeperClock {
    /** Wall time in ms since the epoch; only ever shown. */
    now(): number;
    /** Monotonic time in ms with an arbitrary zero. */
    monotonic(): number;
    /** Runs the callback once after `ms`, never keeping the process alive. Returns its cancellation. */
    after(ms: number, callback: () => void): () => void;
}
/** The clock of the process. */
export declare const systemClock: KeeperClock;

// dist/session-cache/index.d.ts
export { SessionCache } from './session-cache.ts';
export type { CloseResult, DrainReport, SessionCacheStats, TenantStats } from './session-cache.ts';
export type { DisposeInfo, LeaveReason, Metered, OpenInfo, SessionCacheOptions } from './settings.ts';
export type { AcquireOptions } from './openings.ts';
export type { DeadLetter, HeldLease, SessionCacheEvent, SessionCacheEvents } from './events.ts';
export type { Lease } from './lease.ts';
export type { ParkingLot } from '../parking-lot/parking-lot.ts';
export { FileLot } from '../parking-lot/file-lot.ts';
export type { FileLotOptions } from '../parking-lot/file-lot.ts';
export { SqliteLot } from '../parking-lot/sqlite-lot.ts';
export type { SqliteLotOptions } from '../parking-lot/sqlite-lot.ts';

// dist/session-cache/session-cache.d.ts
import type { Keeper, ShedRequest } from '@plimsoll/core/keeper';
import type { Counters } from './counters.ts';
import type { HeldLease, SessionCacheEvent, SessionCacheEvents } from './events.ts';
import type { Lease } from './lease.ts';
import type { AcquireOptions } from './openings.ts';
import type { OpenInfo, SessionCacheOptions } from './settings.ts';
/** What a cache holds and did. */
export interface SessionCacheStats extends Readonly<Counters> {
    readonly vetoed: number;
    readonly parked: number;
    readonly restored: number;
    readonly hookFailures: number;
    readonly disposeFailures: number;
    readonly entries: number;
    /** Bytes of the entries. */
    readonly bytes: number;
    readonly leasedEntries: number;
    readonly leasedBytes: number;
    /** Entries out of the cache that are still leased. */
    readonly doomedEntries: number;
    readonly doomedBytes: number;
    /** Values being parked or disposed. */
    readonly closing: number;
    readonly closingBytes: number;
    /** Values being opened. */
    readonly opening: number;
    readonly maxBytes: number;
    readonly maxEntries: number;
}
export interface TenantStats {
    readonly tenant: string;
    readonly entries: number;
    readonly bytes: number;
}
/** What a drain left behind. */
export interface DrainReport {
    /** Leases that were not released by the deadline and have been revoked. */
    readonly revoked: readonly HeldLease[];
    readonly disposeFailures: number;
    readonly ms: number;
}
/** How a close ended: torn down, waiting for a lease to end, or nothing there. */
export type CloseResult = 'closed' | 'leased' | 'absent';
/**
 * Sessions that cannot leak: bounded by bytes and entries, expired by idleness and age, leased while in use, torn down exactly once.
 *
 * The bounds are kept by evicting what nobody leases; a leased value is never disposed. Sizes are live. Every hook may throw, reject or
 * hang without breaking the cache. See docs/reference/keepers/session-cache.md.
 */
export declare class SessionCache<V> implements Keeper, AsyncDisposable {
    readonly kind = "session-cache";
    readonly name: string;
    private readonly settings;
    private readonly board;
    private readonly alarm;
    private readonly crew;
    private readonly store;
    private readonly openings;
    private readonly label;
    private readonly watch;
    private readonly entry;
    private ticking;
    private draining;
    constructor(options: SessionCacheOptions<V>);
    /** Bytes held now, with those of values still leased or being torn down after they left. */
    get bytes(): number;
    /** Entries held now. */
    get size(): number;
    /** The value of an id, used but not claimed: it may be evicted as soon as the caller awaits. */
    get(id: string): V | undefined;
    /** The value of an id without counting as a use. */
    peek(id: string): V | undefined;
    has(id: string): boolean;
    /** Puts a value in. A value it replaces is torn down, once its leases have ended. */
    set(id: string, value: V): void;
    /** Claims a value that is there; undefined when it is not. */
    tryAcquire(id: string, owner?: string): Lease<V> | undefined;
    /** Claims a value, opening or restoring it when it is not there: `await using lease = await cache.acquire(id)`. */
    acquire(id: string, options?: AcquireOptions): Promise<Lease<V>>;
    /**
     * Makes a new value for an id safely, for instance when a session changes its persistence: the old value leaves, its leases end and its
     * teardown finishes before `make` runs. Everybody who acquires the id meanwhile gets the new value.
     */
    replace(id: string, make: (id: string, info: OpenInfo) => V | Promise<V>, options?: AcquireOptions): Promise<Lease<V>>;
    /**
     * Ends a session: the canonical way out. Resolves when its teardown is over, or at once when it is leased, in which case the teardown
     * starts with the end of the last lease. A parked copy goes too.
     */
    close(id: string, reason?: string): Promise<CloseResult>;
    /** Makes values expire after a share, 0 to 1, of the idle period; the governor's way of being stricter for a while. */
    scaleIdle(ratio: number): void;
    /** Gives memory back, coldest first or the largest of the coldest; resolves with the bytes freed once the teardowns are over. */
    shed(request: ShedRequest): Promise<number>;
    /**
     * Ends the cache: openings are cancelled, what nobody leases is parked or disposed, leases get until the deadline and are then revoked.
     * Never rejects; afterwards there is no timer, no lease and no entry left.
     */
    drain(deadline?: number | string): Promise<DrainReport>;
    [Symbol.asyncDispose](): Promise<void>;
    stats(): SessionCacheStats;
    /** What each tenant holds, largest first. */
    tenants(): TenantStats[];
    /** Leases that have not been released, the oldest first, with who took them. */
    leases(): HeldLease[];
    /** Listens to an event; returns what stops it. */
    on<E extends SessionCacheEvent>(event: E, listener: (event: SessionCacheEvents[E]) => void): () => void;
    /** Does what the timer would do now: expires, weighs, reports. */
    sweep(): void;
    private ring;
    /** Starts the sweeps with the first entry; an empty cache has no timer. */
    private started;
    /** Forgets the parked copy of an id. Most sessions that close in memory were never parked, and a lot that knows so is not asked. */
    private unpark;
    private end;
    /** Resolves when the last lease and the last opening have ended, or at the deadline. */
    private leasesEnded;
    private check;
}

// dist/session-cache/counters.d.ts
/** What a cache counted since it was made. */
export interface Counters {
    hits: number;
    misses: number;
    opened: number;
    evicted: number;
    expired: number;
    closed: number;
    overcommits: number;
    leasesHeldLong: number;
    collected: number;
}
export declare function newCounters(): Counters;

// dist/session-cache/events.d.ts
import type { PlimsollError } from '@plimsoll/core';
import type { ReportBoard } from '../report-board.ts';
import type { LeaveReason } from './settings.ts';
/** A value whose teardown was given up; the cache has let go of it. */
export interface DeadLetter<V> {
    readonly id: string;
    readonly value: V;
    readonly reason: LeaveReason;
    readonly error: PlimsollError;
}
interface About {
    readonly id: string;
    readonly bytes: number;
    readonly reason: LeaveReason;
}
/** What a cache reports, by name of the event. */
export interface SessionCacheEvents {
    /** An entry left to make room. */
    readonly evict: About;
    /** An entry left because nobody used it, or because of its age. */
    readonly expire: About;
    /** An entry left because it was closed, replaced, shed or drained. */
    readonly close: About;
    /** The cache is above its bound and everything else is leased or vetoed; reported once until it fits again. */
    readonly overcommit: {
        readonly bytes: number;
        readonly leasedBytes: number;
        readonly entries: number;
    };
    /** The owner kept an entry. */
    readonly veto: About;
    /** A teardown was given up. */
    readonly 'dispose-failed': About & {
        readonly error: PlimsollError;
    };
    /** A hook threw or rejected, or gave something unusable. */
    readonly 'hook-failed': {
        readonly hook: string;
        readonly id: string;
        readonly cause: unknown;
    };
    /** A lease is held for longer than `leaseWarning`. */
    readonly 'lease-held-long': HeldLease;
    readonly park: {
        readonly id: string;
        readonly bytes: number;
        readonly parkedBytes: number;
        readonly ms: number;
    };
    readonly restore: {
        readonly id: string;
        readonly bytes: number;
        readonly ms: number;
    };
    readonly 'park-failed': {
        readonly id: string;
        readonly error: PlimsollError;
    };
    readonly 'restore-failed': {
        readonly id: string;
        readonly error: unknown;
    };
    /** In weak mode: a value was collected although nobody closed it. */
    readonly collected: {
        readonly id: string;
        readonly bytes: number;
    };
}
/** A lease that has not been released. */
export interface HeldLease {
    readonly id: string;
    readonly owner: string | undefined;
    readonly heldMs: number;
    /** Where it was taken, when stacks are recorded. */
    readonly stack: string | undefined;
}
export type SessionCacheEvent = keyof SessionCacheEvents;
/** The listeners of one cache. */
export type EventBoard = ReportBoard<SessionCacheEvents>;
export {};

// dist/report-board.d.ts
/** The listeners of one keeper and how often each event was reported. A listener that throws harms nobody. */
export declare class ReportBoard<Events extends object> {
    private readonly counts;
    private listeners;
    /** Adds a listener; returns its removal. */
    on<E extends keyof Events>(event: E, listener: (event: Events[E]) => void): () => void;
    /** True when somebody listens; spares the making of what nobody hears. */
    has(event: keyof Events): boolean;
    emit<E extends keyof Events>(event: E, payload: Events[E]): void;
    /** How often an event was reported. */
    count(event: keyof Events): number;
}

// dist/session-cache/settings.d.ts
import type { Scope } from '@plimsoll/core';
import type { KeeperClock } from '../clock.ts';
import type { ParkingLot } from '../parking-lot/parking-lot.ts';
import type { DeadLetter } from './events.ts';
/** A live number of bytes, such as a Meter. */
export interface Metered {
    readonly bytes: number;
}
/** Why a value left the cache. */
export type LeaveReason = 'evict' | 'expire' | 'age' | 'replace' | 'drain' | (string & {});
/** What the dispose hook is told. */
export interface DisposeInfo {
    readonly id: string;
    readonly reason: LeaveReason;
    /** 1 for the first try. */
    readonly attempt: number;
    /** Aborted when the attempt runs out of time. */
    readonly signal: AbortSignal;
}
export interface OpenInfo {
    /** Aborted when nobody waits for the value any more, or when it was closed meanwhile. */
    readonly signal: AbortSignal;
    readonly owner: string | undefined;
}
export interface SessionCacheOptions<V> {
    /** Name in reports, default "sessions". */
    readonly name?: string;
    /** Most bytes to hold: a number or a size such as "512MiB". This or `maxEntries` is required. */
    readonly maxBytes?: number | string;
    /** Most entries to hold. This or `maxBytes` is required. */
    readonly maxEntries?: number;
    /** An entry nobody used for this long leaves: ms or a duration such as "5m". Default: never. */
    readonly idle?: number | string;
    /** An entry older than this leaves, however much it is used, as soon as nobody leases it. Default: never. */
    readonly maxAge?: number | string;
    /** An entry leaves at most this long after it is due. Default: an eighth of the shorter of `idle` and `maxAge`, 100 ms to 30 s. */
    readonly sweep?: number | string;
    /** Who makes room: "lru" (default) or "arc" for values asked for over and over among many that are not. */
    readonly policy?: 'lru' | 'arc';
    /** Makes the value of an id; one call at a time per id, however many wait for it. */
    readonly open?: (id: string, info: OpenInfo) => V | Promise<V>;
    /** The live size of a value, read again at each use and sweep. Default: values are measured when they come in and after leases. */
    readonly meter?: (value: V, id: string) => Metered;
    /** Lets go of what a value holds; awaited, timed and retried. */
    readonly dispose?: (value: V, info: DisposeInfo) => void | Promise<void>;
    /** Time for one try of `dispose` or of parking, default 5 s. */
    readonly disposeTimeout?: number | string;
    /** Tries after the first that failed, default 2. */
    readonly disposeRetries?: number;
    /** Gets the values whose teardown was given up. */
    readonly onDeadLetter?: (letter: DeadLetter<V>) => void;
    /** Asked before an eviction, expiry or shed; true keeps the entry for another idle period. Never asked for explicit closes. */
    readonly veto?: (value: V, about: {
        readonly id: string;
        readonly reason: LeaveReason;
    }) => boolean;
    /** The tenant of an id; the tenant that takes the most makes room first. */
    readonly tenant?: (id: string) => string;
    /** Where cold values are parked instead of being lost. */
    readonly park?: ParkingLot;
    /** What of a value is parked, default the value itself; it has to be serialisable by v8.serialize. */
    readonly freeze?: (value: V, id: string) => unknown;
    /** Makes a value of what was parked, default as it is. */
    readonly thaw?: (parked: unknown, id: string) => V | Promise<V>;
    /** What to do when a parked copy is damaged, default "open" afresh. */
    readonly onCorrupt?: 'open' | 'throw';
    /** A lease held for longer is reported, with its owner, as "lease-held-long". Default 10 min. */
    readonly leaseWarning?: number | string;
    /** Records where leases were taken: never (default), always, or one in so many. */
    readonly leaseStacks?: boolean | number;
    /** Holds values by weak references; see the page on weak mode before using it. Default false. */
    readonly weak?: boolean;
    /** The scope that is charged, default the current one. */
    readonly scope?: Scope;
    /** Time source, default the system's. */
    readonly clock?: KeeperClock;
}
/** Options with units resolved and defaults in place. */
export interface Settings<V> extends SessionCacheOptions<V> {
    readonly name: string;
    readonly maxBytes: number;
    readonly maxEntries: number;
    readonly idle: number;
    readonly maxAge: number;
    readonly sweep: number;
    readonly disposeTimeout: number;
    readonly disposeRetries: number;
    readonly leaseWarning: number;
    /** One in so many leases records its stack; 0 for none. */
    readonly stackEvery: number;
    readonly clock: KeeperClock;
}
/** Reads the options of a cache; throws the coded error of the first that cannot be meant. */
export declare function readSettings<V>(options: SessionCacheOptions<V>): Settings<V>;

// dist/parking-lot/parking-lot.d.ts
/**
 * A place outside the heap for the state of cold sessions.
 *
 * Forms are opaque bytes with their own checksum (see parked-form.ts); a lot stores, finds and forgets them by id, and is bounded itself.
 * Calls may reject; the cache times them, retries and goes on without the lot.
 */
export interface ParkingLot {
    /** How errors name it, such as "parking lot /var/lib/app/parked". */
    readonly label: string;
    /** Stores a form, replacing an older one of the same id. */
    put(id: string, form: Uint8Array): Promise<void>;
    /** The form of an id; undefined when none is parked. */
    get(id: string): Promise<Uint8Array | undefined>;
    /** Forgets an id; true when it was parked. */
    remove(id: string): Promise<boolean>;
    /** False when nothing is parked under an id as far as this process can know without looking; left out, the cache always looks. */
    mayHold?(id: string): boolean;
    /** Lets go of files and handles; what is parked stays. */
    close(): Promise<void>;
}

// dist/session-cache/lease.d.ts
import type { Entry } from './entry.ts';
/** What a lease tells when it ends; the cache. */
export interface LeaseGiver<V> {
    readonly coarseMs: number;
    takeStack(): string | undefined;
    ended(entry: Entry<V>, lease: Lease<V>): void;
}
/** A claim that a kept value is in use: the value is not disposed before the lease ends. Ends once, however often it is released. */
export declare class Lease<V> implements Disposable, AsyncDisposable {
    readonly id: string;
    readonly owner: string | undefined;
    /** Ms of the cache's coarse clock when it was taken, up to one sweep before the moment. */
    readonly since: number;
    /** Where it was taken, when the cache records stacks. */
    readonly stack: string | undefined;
    /** The lease of the same entry taken before this one. */
    older: Lease<V> | undefined;
    /** Whether it was reported as held for long. */
    reported: boolean;
    private entry;
    private held;
    private giver;
    constructor(giver: LeaseGiver<V>, entry: Entry<V>, value: V, owner: string | undefined);
    /** The kept value; an error once the lease has ended. */
    get value(): V;
    /** False once released or revoked. */
    get active(): boolean;
    release(): void;
    /** Ends the lease without telling the cache, which does so itself at the deadline of a drain. */
    revoke(): void;
    [Symbol.dispose](): void;
    [Symbol.asyncDispose](): Promise<void>;
    private endedError;
}
/** Takes a lease out of the chain of its entry. */
export declare function unlink<V>(entry: Entry<V>, lease: Lease<V>): void;

// dist/session-cache/entry.d.ts
import type { Metered } from './settings.ts';
import type { Lease } from './lease.ts';
import type { Tenant } from './tenant.ts';
/** Where an entry is in its life. It only ever moves forward. */
export declare const live = 0;
/** Out of the cache, still leased; disposed when the last lease ends. */
export declare const doomed = 1;
/** Being parked or disposed; nobody can claim it any more. */
export declare const closing = 2;
/** One kept value with its place in the order of eviction. Fields are small integers where they can be, to stay near 130 bytes. */
export declare class Entry<V> {
    readonly id: string;
    value: V;
    /** Bytes counted for it. */
    bytes: number;
    meter: Metered | undefined;
    tenant: Tenant<V> | undefined;
    state: number;
    leases: number;
    /** Latest lease; the older ones hang behind it. */
    holder: Lease<V> | undefined;
    /** Ms since the cache was made by which it was in, known from the next sweep on; 0 until then. */
    born: number;
    /** Stamp of the idle clock at its last use. */
    seen: number;
    /** Which list of an adaptive order it is in. */
    place: number;
    prev: Entry<V> | undefined;
    next: Entry<V> | undefined;
    constructor(id: string, value: V, seen: number);
}

// dist/session-cache/tenant.d.ts
import { RecencyList } from './recency-list.ts';
/** What one tenant holds in a cache; leased entries count too, but only the others are in its list. */
export declare class Tenant<V> {
    readonly name: string;
    bytes: number;
    count: number;
    /** Place in the heap of tenants. */
    index: number;
    readonly list: RecencyList<V>;
    constructor(name: string);
}

// dist/session-cache/recency-list.d.ts
import type { Entry } from './entry.ts';
/** Entries from the latest used to the coldest; every step is constant time and allocates nothing. */
export declare class RecencyList<V> {
    private head;
    private tail;
    length: number;
    bytes: number;
    get coldest(): Entry<V> | undefined;
    add(entry: Entry<V>): void;
    remove(entry: Entry<V>): void;
    /** Makes an entry of the list its latest. */
    touch(entry: Entry<V>): void;
}

// dist/session-cache/openings.d.ts
import type { EventBoard } from './events.ts';
import type { Lease } from './lease.ts';
import type { OpenInfo, Settings } from './settings.ts';
import type { Store } from './store.ts';
import type { TeardownCrew } from './teardown-crew.ts';
export interface AcquireOptions {
    /** Who takes the lease, for reports of leases held long. */
    readonly owner?: string;
    /** Ends the wait of this caller; the opening itself is aborted when nobody waits for it any more. */
    readonly signal?: AbortSignal;
}
type Make<V> = (id: string, info: OpenInfo) => V | Promise<V>;
/** The openings of a cache: one at a time per id, after whatever is still being let go of under that id. */
export declare class Openings<V> {
    private readonly flights;
    private readonly settings;
    private readonly store;
    private readonly crew;
    private readonly board;
    private readonly onEntry;
    /** Why nothing is opened any more. */
    private ended;
    constructor(settings: Settings<V>, store: Store<V>, crew: TeardownCrew<V>, board: EventBoard, onEntry: () => void);
    get count(): number;
    /** Joins the opening of an id, or starts it. */
    join(id: string, options: AcquireOptions, make?: Make<V>): Promise<Lease<V>>;
    /** Ends the opening of an id; true when there was one. */
    cancel(id: string, reason: string): boolean;
    /** Ends every opening, and those that wait to begin. */
    cancelAll(reason: string): void;
    /** Resolves when no opening runs. */
    over(): Promise<void>;
    private cancellation;
    private run;
    /** Waits until no older value of the id is left, and until teardowns hold less than the cache may. */
    private clearWay;
    private obtain;
    private restore;
    private deliver;
    /** Gives everybody a lease on an entry that is there. */
    private landOn;
}
export {};

// dist/session-cache/store.d.ts
import { Entry } from './entry.ts';
import type { EventBoard } from './events.ts';
import { IdleClock } from './idle-clock.ts';
import { Lease } from './lease.ts';
import type { LeaseGiver } from './lease.ts';
import { RecencyList } from './recency-list.ts';
import type { LeaveReason, Settings } from './settings.ts';
import { Sizing } from './sizing.ts';
import type { TeardownCrew } from './teardown-crew.ts';
import { Tenants } from './tenants.ts';
/** How an entry leaves: to make room, because its time is over, or because somebody said so. */
export type LeaveKind = 'evict' | 'expire' | 'close';
/** The entries of a cache: who holds what, who leases it, who goes next. Everything here is synchronous. */
export declare class Store<V> implements LeaseGiver<V> {
    readonly entries: Map<string, Entry<V>>;
    readonly tenants: Tenants<V> | undefined;
    readonly counters: import("./counters.ts").Counters;
    readonly idle: IdleClock;
    readonly sizing: Sizing<V>;
    /** Entries that are leased and live; the oldest claim is the coldest. */
    readonly leased: RecencyList<V>;
    /** Bytes of all entries. */
    bytes: number;
    leasedBytes: number;
    /** Entries out of the cache that are still leased, with why they left. */
    readonly doomedEntries: Map<Entry<V>, LeaveReason>;
    doomedBytes: number;
    /** Ms since the cache was made, as of the last sweep. */
    coarseMs: number;
    /** True while the cache is above its bounds and nothing can go. */
    overcommitted: boolean;
    private readonly settings;
    private readonly board;
    private readonly crew;
    private readonly order;
    private readonly age;
    private readonly weak;
    private readonly metered;
    private readonly maxBytes;
    private readonly maxEntries;
    private readonly epoch;
    private untilStack;
    constructor(settings: Settings<V>, board: EventBoard, crew: TeardownCrew<V>);
    /** The live entry of an id, as long as it has not been idle for too long. */
    find(id: string): Entry<V> | undefined;
    /** Notes a use that takes no lease. */
    touch(entry: Entry<V>): void;
    /** The value of an entry; undefined when it was held weakly and has been collected. */
    valueOf(entry: Entry<V>): V | undefined;
    /** Puts a value in; whoever calls it claims the entry or makes room next. */
    add(id: string, value: V): Entry<V>;
    claim(entry: Entry<V>, value: V, owner: string | undefined): Lease<V>;
    takeStack(): string | undefined;
    /** A lease ended. The last one of a doomed entry starts its teardown, any other makes the entry evictable again. */
    ended(entry: Entry<V>, lease: Lease<V>): void;
    get isOver(): boolean;
    /** Makes room until the bounds hold; `keep` stays. */
    fit(keep: Entry<V> | undefined): void;
    /** The coldest evictable entry, for a shed. */
    coldest(): Entry<V> | undefined;
    /** Of the coldest few the one that holds the most for the longest. */
    costliest(): Entry<V> | undefined;
    /** Takes an unleased entry out unless its owner keeps it; true when it is out. */
    tryRemove(entry: Entry<V>, reason: LeaveReason, kind: LeaveKind): boolean;
    /** Takes an entry out of the cache; its teardown starts now, or when its last lease ends. */
    remove(entry: Entry<V>, reason: LeaveReason, kind: LeaveKind): void;
    /** Gives up a value that never became an entry. */
    discard(id: string, value: V, reason: LeaveReason): void;
    resize(entry: Entry<V>, bytes: number): void;
    /** Lets entries go that nobody used; stops after `until` (performance.now). True when more are due. */
    expireIdle(until: number): boolean;
    /** Lets entries go that are too old; looks through all of them only when one is due. */
    expireOld(): void;
    /** Reads every size again and makes room if something grew. */
    weigh(): void;
    /** In weak mode: finds entries whose value has been collected. */
    findCollected(): void;
    private grown;
    /** Ends the leases of an entry at the deadline of a drain. */
    revoke(entry: Entry<V>): void;
    private bury;
    private retire;
    /** Takes an entry out of the counts. */
    private forget;
    private collected;
    private isVetoed;
    private overcommit;
    /** Monotonic ms at which the cache was made; `coarseMs` counts from here. */
    get startedAt(): number;
    /** Begins a new stamp of coarse time. */
    tick(now: number): void;
}

// dist/session-cache/idle-clock.d.ts
/**
 * Coarse time for uses: a use is marked with the current stamp, an integer, instead of a reading of the clock.
 *
 * A stamp stands for the span between two ticks, so a use may be as late as the end of its stamp. An entry counts as idle only when that
 * end is longer ago than the idle period: never early, also when the event loop was blocked and a stamp became long.
 */
export declare class IdleClock {
    /** Stamp to mark a use with. */
    stamp: number;
    /** Entries marked with this stamp or an older one have been idle for too long. */
    floor: number;
    /** Share of the idle period that counts now, 0 to 1; less while memory is short. */
    scale: number;
    private readonly idleMs;
    private readonly stampMs;
    private startedAt;
    /** Ends of the stamps after `floor`, oldest first. */
    private readonly ends;
    constructor(idleMs: number, now: number);
    /** Begins a new stamp and lets old ones expire. */
    tick(now: number): void;
}

// dist/session-cache/sizing.d.ts
import type { Entry } from './entry.ts';
import type { EventBoard } from './events.ts';
import type { Settings } from './settings.ts';
/** Reads and re-reads the sizes of entries: by the user's meter where there is one, otherwise by measuring. */
export declare class Sizing<V> {
    private readonly settings;
    private readonly board;
    private readonly stale;
    constructor(settings: Settings<V>, board: EventBoard);
    /** Bytes of a new entry. */
    first(entry: Entry<V>, value: V): number;
    /** Bytes of an entry by its meter, or the last known ones. */
    byMeter(entry: Entry<V>): number;
    /** Bytes of an entry whose lease just ended; a large one without a meter is put off to the sweep. */
    afterLease(entry: Entry<V>, value: V): number;
    forget(entry: Entry<V>): void;
    /** Measures what was put off, within a time budget; calls back with each new size. */
    catchUp(resize: (entry: Entry<V>, bytes: number) => void): void;
}

// dist/session-cache/teardown-crew.d.ts
import type { ParkingLot } from '../parking-lot/parking-lot.ts';
import type { Alarm } from '@plimsoll/core/internal/alarm';
import type { Entry } from './entry.ts';
import type { EventBoard } from './events.ts';
import { Gates } from './gate.ts';
import type { LeaveReason, Settings } from './settings.ts';
import { Teardown } from './teardown.ts';
import type { TeardownHome } from './teardown.ts';
/** All teardowns of a cache: how many run, what they still hold, and who waits for them. */
export declare class TeardownCrew<V> implements TeardownHome<V> {
    readonly settings: Settings<V>;
    readonly board: EventBoard;
    readonly label: string;
    readonly gates: Gates;
    /** Bytes of values that are being let go of. */
    bytes: number;
    private readonly alarm;
    private readonly running;
    private waiters;
    constructor(settings: Settings<V>, board: EventBoard, alarm: Alarm, label: string);
    get count(): number;
    /** Lets go of a claimed value. Nothing is left to do afterwards when both hooks are absent or return at once. */
    begin(entry: Entry<V>, value: V, reason: LeaveReason, lot: ParkingLot | undefined): void;
    private follow;
    /** Tells the teardowns of an id that it was closed. */
    unpark(id: string): void;
    wake(at: number): void;
    finished(teardown: Teardown<V>): void;
    /** Moves on what ran out of time; called when the alarm rings. */
    due(now: number): void;
    /** Resolves when the next teardown finishes; at once when none runs. */
    progress(): Promise<void>;
}

// dist/session-cache/gate.d.ts
/** Keeps an id from being opened again while an older value of it is still being let go of. */
export declare class Gates {
    private readonly gates;
    close(id: string): void;
    open(id: string): void;
    /** Resolves when nothing of the id is in the way; undefined when nothing is. */
    passed(id: string): Promise<void> | undefined;
}

// dist/session-cache/teardown.d.ts
import type { ParkingLot } from '../parking-lot/parking-lot.ts';
import type { Entry } from './entry.ts';
import type { EventBoard } from './events.ts';
import type { DisposeInfo, LeaveReason, Settings } from './settings.ts';
/** What a teardown needs of the crew that runs it. */
export interface TeardownHome<V> {
    readonly settings: Settings<V>;
    readonly board: EventBoard;
    readonly label: string;
    wake(at: number): void;
    finished(teardown: Teardown<V>): void;
}
/**
 * The end of one value: parked if the cache parks, then disposed, each in timed tries.
 *
 * The entry was claimed before this exists, so nobody can lease it. Whatever the hooks do, it finishes: at the latest after all tries ran
 * out of time.
 */
export declare class Teardown<V> {
    readonly entry: Entry<V>;
    readonly reason: LeaveReason;
    /** When the current try runs out of time or the next one starts; monotonic ms. */
    dueAt: number;
    private readonly home;
    private readonly value;
    private lot;
    private attempt;
    private trying;
    private done;
    private unwanted;
    private hasGrace;
    constructor(home: TeardownHome<V>, entry: Entry<V>, value: V, reason: LeaveReason, lot: ParkingLot | undefined);
    /** Starts with parking. */
    start(): void;
    /** Goes on from a first try of `dispose` that was made without a teardown, because most are over when the hook returns. */
    resume(first: Try, result: PromiseLike<unknown>): void;
    /** The id was closed: a parked copy is not to stay. */
    unpark(): void;
    /** Called when `dueAt` has passed: a try has taken too long, or the pause before the next is over. */
    due(now: number): void;
    private next;
    private await;
    private park;
    private succeeded;
    private failed;
    /** Goes on from parking to disposing, with its own tries. */
    private disposeNext;
    private giveUp;
    private finish;
}
/** One try of a hook; its signal is made only when the hook asks for it. */
export declare class Try implements DisposeInfo {
    readonly id: string;
    readonly reason: LeaveReason;
    readonly attempt: number;
    private controller;
    private cause;
    constructor(id: string, reason: LeaveReason, attempt: number);
    get signal(): AbortSignal;
    abort(cause: unknown): void;
}
/** The text of an error as part of a sentence. */
export declare function describe(cause: unknown): string;

// dist/session-cache/tenants.d.ts
import type { Entry } from './entry.ts';
import type { EventBoard } from './events.ts';
import type { FairOrder } from './fair-order.ts';
import type { Settings } from './settings.ts';
import { Tenant } from './tenant.ts';
/** Who holds how much of a cache; a tenant is known as long as it has entries. */
export declare class Tenants<V> {
    private readonly byName;
    private readonly settings;
    private readonly board;
    private readonly order;
    constructor(settings: Settings<V>, board: EventBoard, order: FairOrder<V>);
    all(): Iterable<Tenant<V>>;
    join(entry: Entry<V>): void;
    resized(entry: Entry<V>, change: number): void;
    leave(entry: Entry<V>): void;
    private of;
}

// dist/session-cache/fair-order.d.ts
import type { Entry } from './entry.ts';
import type { Order } from './order.ts';
import type { Tenant } from './tenant.ts';
/**
 * The coldest entry of the tenant that takes the most, so that a noisy tenant pays for its own noise.
 *
 * Tenants are kept in a binary heap by load, the larger of their parts of the two bounds. The sum of all loads is above one whenever room
 * is needed, so the largest tenant is always above its equal share, and a tenant below its share never pays.
 */
export declare class FairOrder<V> implements Order<V> {
    private readonly heap;
    private lastIdle;
    private readonly perByte;
    private readonly perEntry;
    constructor(bounds: {
        readonly maxBytes: number;
        readonly maxEntries: number;
    });
    add(entry: Entry<V>): void;
    remove(entry: Entry<V>): void;
    touch(entry: Entry<V>): void;
    resized(entry: Entry<V>, change: number): void;
    victim(keep: Entry<V> | undefined): Entry<V> | undefined;
    idleSince(stamp: number): Entry<V> | undefined;
    evicted(): void;
    missed(): void;
    /** Moves a tenant to where its bytes and entries put it now; one without entries leaves. */
    settle(tenant: Tenant<V>): void;
    private load;
    /** The largest tenants have everything leased: then the largest one that has not. */
    private anyVictim;
    private leave;
    private place;
    private rise;
    private sink;
}

// dist/session-cache/order.d.ts
import type { Entry } from './entry.ts';
/** Who goes first when room is needed. Only entries that nobody leases are in an order. */
export interface Order<V> {
    /** Puts an entry in: a new one, or one whose last lease ended. */
    add(entry: Entry<V>): void;
    /** Takes an entry out: it was leased or removed. */
    remove(entry: Entry<V>): void;
    /** Notes a use. */
    touch(entry: Entry<V>): void;
    /** Notes that the entry's bytes changed by `change` while it was in the order. */
    resized(entry: Entry<V>, change: number): void;
    /** The next to go, other than `keep`. */
    victim(keep: Entry<V> | undefined): Entry<V> | undefined;
    /** An entry last used at or before the stamp. */
    idleSince(stamp: number): Entry<V> | undefined;
    /** Hears that an entry left to make room, so that an adaptive order can learn from its return. */
    evicted(entry: Entry<V>): void;
    /** Hears of an id that was asked for and is not kept. */
    missed(id: string): void;
}

// dist/parking-lot/file-lot.d.ts
import type { ParkingLot } from './parking-lot.ts';
export interface FileLotOptions {
    /** Folder of the parked files; made with mode 0700 when it does not exist. */
    readonly dir: string;
    /** Most bytes on disk, default 1 GiB; the longest parked goes first. */
    readonly maxBytes?: number | string;
    /** Most files, default 100,000. */
    readonly maxEntries?: number;
}
/** Parked values as files of mode 0600, written beside their place and moved in at once, so that a crash leaves the old one or the new one. */
export declare class FileLot implements ParkingLot {
    readonly label: string;
    private readonly dir;
    private readonly maxBytes;
    private readonly maxEntries;
    /** Bytes of each file, longest parked first. */
    private readonly files;
    private total;
    private known;
    private isKnown;
    constructor(options: FileLotOptions);
    /** Bytes on disk, as far as known. */
    get bytes(): number;
    put(id: string, form: Uint8Array): Promise<void>;
    get(id: string): Promise<Uint8Array | undefined>;
    remove(id: string): Promise<boolean>;
    mayHold(id: string): boolean;
    close(): Promise<void>;
    /** Looks once at what earlier processes left in the folder. */
    private learn;
    private look;
    private note;
    private makeRoom;
    private drop;
}

// dist/parking-lot/sqlite-lot.d.ts
import type { ParkingLot } from './parking-lot.ts';
export interface SqliteLotOptions {
    /** Database file; made with mode 0600 when it does not exist. */
    readonly file: string;
    /** Most bytes of parked values, default 1 GiB; the longest parked goes first. */
    readonly maxBytes?: number | string;
}
/** Parked values in one SQLite database, for many small sessions; each call takes tenths of a millisecond on the main thread. */
export declare class SqliteLot implements ParkingLot {
    readonly label: string;
    private readonly file;
    private readonly maxBytes;
    private opened;
    constructor(options: SqliteLotOptions);
    put(id: string, form: Uint8Array): Promise<void>;
    get(id: string): Promise<Uint8Array | undefined>;
    remove(id: string): Promise<boolean>;
    close(): Promise<void>;
    private open;
    private prepare;
}

// dist/replay-buffer/index.d.ts
export { ReplayBuffer } from './replay-buffer.ts';
export type { ReplayBufferStats, SubscribeOptions } from './replay-buffer.ts';
export { replay } from './replay.ts';
export type { ReplayOptions } from './replay.ts';
export type { ReplayReader } from './reader.ts';
export type { LagPolicy, ReplayBufferOptions, SpillCodec } from './settings.ts';
export type { Coalescer } from './coalesce.ts';
export type { ReplayBufferEvents } from './events.ts';
export type { SpillTarget } from '../spill/spill-file.ts';

// dist/replay-buffer/replay-buffer.d.ts
import type { Keeper, ShedRequest } from '@plimsoll/core/keeper';
import type { ChunkLog } from './chunk-log.ts';
import type { ReplayBufferEvents } from './events.ts';
import { ReplayReader } from './reader.ts';
import type { ReaderSource } from './reader.ts';
import type { LagPolicy, ReplayBufferOptions } from './settings.ts';
export interface SubscribeOptions {
    /** Where to start: the first chunk (default), the next one pushed, or after so many chunks, as `reader.seq` says. */
    readonly from?: 'start' | 'now' | number;
    /** What happens when this reader is too slow; default as the buffer says. */
    readonly lag?: LagPolicy;
    /** Ends the reading; the reader gets its reason. */
    readonly signal?: AbortSignal;
    /** Name in reports, default "reader N". */
    readonly name?: string;
}
/** What a buffer holds and did. */
export interface ReplayBufferStats {
    readonly state: 'open' | 'ended' | 'failed' | 'cancelled';
    readonly released: boolean;
    readonly readers: number;
    /** Chunks pushed. */
    readonly pushed: number;
    /** Chunks that were not taken because the stream was cancelled. */
    readonly refused: number;
    /** Chunks in memory, after coalescing. */
    readonly chunks: number;
    readonly bytes: number;
    readonly maxBytes: number;
    readonly peakBytes: number;
    readonly spilledBytes: number;
    readonly spillFailures: number;
    /** Chunks that readers lost. */
    readonly dropped: number;
    /** Chunks that a late reader would miss. */
    readonly forgotten: number;
    readonly disconnected: number;
}
/**
 * One stream for many readers in bounded memory: each reader has its own position, may come late and may be slow.
 *
 * Chunks are kept once. Neighbouring text deltas are joined, never across the position of a reader; what still exceeds `maxBytes` goes to an
 * unlinked temporary file, and where that is not possible the lag policy of each slow reader decides. Nothing is lost without a count and
 * an event. See docs/reference/keepers/replay-buffer.md.
 */
export declare class ReplayBuffer<T> implements Keeper, ReaderSource<T>, Disposable, AsyncIterable<T> {
    readonly kind = "replay-buffer";
    readonly name: string;
    /** @internal */
    readonly log: ChunkLog<T>;
    /** @internal */
    waiting: number;
    private readonly settings;
    private readonly store;
    private readonly board;
    private entry;
    private alarm;
    private readers;
    private onCancel;
    private state;
    private error;
    private isReleased;
    private endedMs;
    private emptyMs;
    private subscribed;
    private peak;
    private refused;
    private brake;
    constructor(options: ReplayBufferOptions<T>);
    /** Bytes in memory: chunks, and pages of the file that readers are at. */
    get bytes(): number;
    /** True while a reader with the policy "block" keeps the producer waiting. */
    get isBlocked(): boolean;
    /** Adds a chunk. False when the producer should await `ready()` before the next one, or when the stream was cancelled. */
    push(chunk: T): boolean;
    /** Adds a chunk once there is room for it. */
    write(chunk: T): Promise<void>;
    /** Resolves when the producer may go on. */
    ready(): Promise<void>;
    /** Ends the stream: readers get what is left, then their end. */
    end(): void;
    /** Ends the stream with an error, which every reader gets once, after the chunks before it. */
    fail(error: unknown): void;
    /** Gives the stream up: the source is told, what is kept is let go of, and every reader gets one error. */
    cancel(reason?: unknown): void;
    /** Calls back once when the stream is cancelled; returns what takes the call back. */
    cancelled(callback: (reason: unknown) => void): () => void;
    /** A new reader with a position of its own. */
    subscribe(options?: SubscribeOptions): ReplayReader<T>;
    [Symbol.asyncIterator](): ReplayReader<T>;
    /** A web stream over a new reader; cancelling it leaves the others alone. */
    toReadableStream(options?: SubscribeOptions): ReadableStream<T>;
    /** Listens to an event; returns what stops it. */
    on<E extends keyof ReplayBufferEvents>(event: E, listener: (event: ReplayBufferEvents[E]) => void): () => void;
    /** Moves chunks to the file, or forgets those that every reader has read; resolves with the bytes freed. */
    shed(request: ShedRequest): Promise<number>;
    stats(): ReplayBufferStats;
    /** Lets go of everything at once; an open stream is cancelled. */
    [Symbol.dispose](): void;
    /** @internal */
    seek(reader: ReplayReader<T>): IteratorResult<T, undefined> | undefined;
    /** @internal */
    moved(): void;
    /** @internal */
    left(reader: ReplayReader<T>): void;
    /** @internal */
    seqOf(reader: ReplayReader<T>): number;
    private get label();
    private refuse;
    private serve;
    /** Brings the log under its bound. */
    private fit;
    /** Makes room at the cost of slow readers, as their policies say. */
    private fitByLag;
    private unblock;
    private blockers;
    private finish;
    private releasedError;
    private release;
    private ring;
    /** Cuts off the readers that keep the producer waiting. */
    private cutBlockers;
}

// dist/replay-buffer/chunk-log.d.ts
/** Which neighbours may become one; `join` gives undefined when it cannot after all. */
export interface Joiner<T> {
    joinable(first: T, next: T): boolean;
    join(run: readonly T[]): T | undefined;
}
/** Something that stands between two chunks of a log. */
export interface Cursor {
    /** Index of the next chunk, counted from the first that was ever kept. */
    at: number;
}
/**
 * The chunks that are in memory, oldest first. The newest are as they were pushed; the others have been coalesced where possible.
 *
 * Every kept chunk has an index that counts from the beginning of the stream and a sequence number, which counts the chunks that were
 * pushed. Coalescing gives new indices to the newest chunks only, and moves the cursors that stand between them.
 */
export declare class ChunkLog<T> {
    /** Index of the first chunk in memory. */
    base: number;
    /** Sequence number of the first chunk in memory. */
    baseSeq: number;
    /** Chunks ever pushed. */
    seq: number;
    /** Bytes of what is in memory. */
    bytes: number;
    items: T[];
    private sizes;
    /** For each chunk in memory the sequence number after it. */
    private ends;
    /** Position of the first chunk that no coalescing has looked at. */
    private fresh;
    /** Index after the newest chunk. */
    get end(): number;
    /** Chunks that no coalescing has looked at. */
    get freshCount(): number;
    push(chunk: T, bytes: number): void;
    /** Sequence number of the chunk at an index in memory. */
    seqAt(index: number): number;
    /** Index of the chunk in memory that contains a sequence number. */
    indexOf(seq: number): number;
    /** Joins the newest chunks, up to a size and never across a cursor; returns how many chunks there are fewer. */
    compact(joiner: Joiner<T>, cursors: Iterable<Cursor>, sizeOf: (chunk: T) => number, mostBytes: number): number;
    /** How many of the oldest chunks have to go so that at most `bytes` stay; always leaves the newest one. */
    countOver(bytes: number): number;
    /** Bytes of some of the oldest chunks. */
    bytesOf(count: number): number;
    /** Sequence numbers after each of some of the oldest chunks. */
    endsOf(count: number): Float64Array<ArrayBuffer>;
    sizeAt(position: number): number;
    /** Forgets the oldest chunks. */
    drop(count: number): void;
    /** Forgets everything but the counts. */
    clear(): void;
    /** Moves the cursors that stood at an old index to the end of what is kept by now; returns how many have been moved in all. */
    private place;
    private keep;
}

// dist/replay-buffer/events.d.ts
import type { PlimsollError } from '@plimsoll/core';
/** What a replay buffer reports, by name of the event. */
export interface ReplayBufferEvents {
    /** Chunks went to the temporary file. */
    readonly spill: {
        readonly chunks: number;
        readonly bytes: number;
        readonly fileBytes: number;
    };
    /** Chunks could not go to the file; the lag policies of the readers apply instead. */
    readonly 'spill-failed': {
        readonly error: PlimsollError;
    };
    /** A reader lost chunks because it was too slow, or asked for chunks that are gone. */
    readonly dropped: {
        readonly reader: string;
        readonly chunks: number;
    };
    /** Chunks are gone that every reader of that moment had read; a late reader will miss them. */
    readonly forgotten: {
        readonly chunks: number;
        readonly bytes: number;
    };
    /** A reader was cut off because it was too slow or stopped reading. */
    readonly disconnected: {
        readonly reader: string;
        readonly error: PlimsollError;
    };
    /** The producer has to wait for a reader. */
    readonly blocked: {
        readonly readers: readonly string[];
        readonly bytes: number;
    };
    /** The stream is over: ended, failed or cancelled. */
    readonly end: {
        readonly chunks: number;
        readonly outcome: 'ended' | 'failed' | 'cancelled';
    };
    /** Everything kept has been let go of. */
    readonly release: {
        readonly chunks: number;
    };
    /** A function given in the options threw. */
    readonly 'hook-failed': {
        readonly hook: string;
        readonly cause: unknown;
    };
}

// dist/replay-buffer/reader.d.ts
import type { Page } from './spilled-pages.ts';
import type { LagPolicy } from './settings.ts';
/** What a reader needs of its buffer. */
export interface ReaderSource<T> {
    /** Chunks in memory and the index of the first of them. */
    readonly log: {
        readonly items: readonly T[];
        readonly base: number;
    };
    /** Readers that wait for a chunk. */
    waiting: number;
    /** True while the producer waits for readers. */
    readonly isBlocked: boolean;
    /** The next chunk when it is not in memory: finds it, or says that there is none yet or none any more; throws what the stream ended with. */
    seek(reader: ReplayReader<T>): IteratorResult<T, undefined> | undefined;
    /** A reader of a blocked buffer has moved on. */
    moved(): void;
    left(reader: ReplayReader<T>): void;
    seqOf(reader: ReplayReader<T>): number;
}
/** One reader of a replay buffer, with its own position: an async iterator that ends with the stream, or with `return()`. */
export declare class ReplayReader<T> implements AsyncIterableIterator<T, undefined, undefined>, AsyncDisposable {
    readonly name: string;
    readonly lag: LagPolicy;
    /** Chunks as pushed that this reader could not get because it was too slow or came too late. */
    lost: number;
    /** @internal Index of the next chunk. */
    at: number;
    /** @internal The page of the file that the reader is at. */
    page: Page<T> | undefined;
    /** @internal What the next read throws. */
    fault: unknown;
    /** @internal Position and time when the buffer last saw the reader move. */
    seenAt: number;
    seenMs: number;
    private readonly source;
    private readonly waiters;
    private isDone;
    private unlisten;
    /** @internal */
    constructor(source: ReaderSource<T>, name: string, lag: LagPolicy, at: number);
    /** True when nothing more will come. */
    get done(): boolean;
    /** Chunks as pushed that lie before the next one; what `subscribe({ from })` takes to go on from here. */
    get seq(): number;
    next(): Promise<IteratorResult<T, undefined>>;
    /** Leaves the stream; what others get is not affected. */
    return(): Promise<IteratorResult<T, undefined>>;
    [Symbol.asyncDispose](): Promise<void>;
    [Symbol.asyncIterator](): this;
    /** @internal Ends the reader with an error, which its next read gets. */
    cut(error: unknown): void;
    /** @internal Leaves the buffer but keeps its error for a read that may still come. */
    forsake(): void;
    /** @internal Leaves when the signal says so. */
    follow(signal: AbortSignal): void;
    /** @internal Gives waiting reads what there is. */
    serve(): void;
    /** @internal */
    get isWaiting(): boolean;
    /** @internal */
    leave(): void;
}

// dist/replay-buffer/spilled-pages.d.ts
import type { SpillTarget } from '../spill/spill-file.ts';
import type { ChunkLog } from './chunk-log.ts';
import type { SpillCodec } from './settings.ts';
/** Some neighbouring chunks in the file. */
export interface Page<T> {
    readonly first: number;
    readonly count: number;
    readonly startSeq: number;
    readonly endSeq: number;
    readonly position: number;
    readonly length: number;
    /** Bytes of the chunks while they are in memory. */
    readonly bytes: number;
    /** The chunks, while a reader is at them. */
    items: T[] | undefined;
    /** Sequence numbers after each chunk, while a reader is at them. */
    ends: Float64Array | undefined;
    readers: number;
}
/** The oldest chunks of a buffer, in a file, page by page. A page is in memory only while a reader is at it. */
export declare class SpilledPages<T> {
    /** Bytes of the pages that are in memory. */
    residentBytes: number;
    readonly pages: Page<T>[];
    private readonly file;
    private readonly codec;
    private readonly pageBytes;
    private readonly maxBytes;
    constructor(target: SpillTarget, codec: SpillCodec<T> | undefined, maxMemoryBytes: number, maxFileBytes: number);
    get fileBytes(): number;
    /** Writes the oldest chunks of a log and takes them out of it, page by page; throws when the disk or the codec refuses one. */
    take(log: ChunkLog<T>, count: number): void;
    /** The page that contains an index, or the next after it. */
    at(index: number): Page<T> | undefined;
    /** The page that contains a sequence number, or the next after it. */
    atSeq(seq: number): Page<T> | undefined;
    /** Brings a page into memory for one more reader; throws when it cannot be read back. */
    enter(page: Page<T>): T[];
    /** Sequence number of the chunk at an index of a page, which may be in the file. */
    seqAt(page: Page<T>, index: number): number;
    leave(page: Page<T>): void;
    close(): void;
    private lowest;
}

// dist/spill/spill-file.d.ts
/** Where a keeper puts what does not fit into memory; made when it is needed first. */
export interface SpillTarget {
    /** Opens a file for reading and writing and returns its descriptor, which the keeper closes. */
    open(): number;
}
/**
 * A temporary file without a name: it is unlinked as soon as it is open, so that nobody else can read it and nothing stays behind when the
 * process dies. Only ever appended to; what is not needed any more goes with the whole file.
 */
export declare class SpillFile {
    private readonly target;
    private readonly held;
    private size;
    constructor(target?: SpillTarget);
    /** Bytes written. */
    get bytes(): number;
    get isOpen(): boolean;
    /** Appends all of the bytes and returns their place; throws what the disk says, and then nothing counts as written. */
    write(bytes: Uint8Array): number;
    read(position: number, length: number): Uint8Array;
    /** Gives the space back; the next write opens a new file. */
    close(): void;
}
/** Unlinked files of mode 0600 in a directory, default the system's temporary one. */
export declare function tempTarget(directory?: string): SpillTarget;

// dist/replay-buffer/settings.d.ts
import type { Scope } from '@plimsoll/core';
import type { KeeperClock } from '../clock.ts';
import type { SpillTarget } from '../spill/spill-file.ts';
import type { Coalescer } from './coalesce.ts';
/** What happens to a reader that is too slow when memory and file are full: the producer waits, the reader loses chunks, or it is cut off. */
export type LagPolicy = 'block' | 'drop' | 'disconnect';
/** How chunks become bytes and back. */
export interface SpillCodec<T> {
    encode(chunks: readonly T[]): Uint8Array;
    decode(bytes: Uint8Array): T[];
}
export interface ReplayBufferOptions<T> {
    /** Name in reports, default "stream". */
    readonly name?: string;
    /** Most bytes in memory: a number or a size such as "1MiB". Required. */
    readonly maxBytes: number | string;
    /** What happens at the bound: "spill" (default) moves the oldest chunks to an unlinked temporary file, "lag" applies the readers' policies. */
    readonly overflow?: 'spill' | 'lag';
    /** Most bytes in the file, default 1 GiB; beyond them the readers' policies apply. */
    readonly maxSpillBytes?: number | string;
    /** Directory of the file, or where it comes from. Default the system's temporary directory. */
    readonly spillTo?: string | SpillTarget;
    /** How chunks are written to the file. Default v8.serialize, which takes plain data only. */
    readonly codec?: SpillCodec<T>;
    /** Lag policy of readers that name none, default "drop". */
    readonly lag?: LagPolicy;
    /** How long the producer waits for a reader with policy "block" before that reader is cut off. Default 30 s. */
    readonly blockFor?: number | string;
    /** Which neighbouring chunks are joined: "deltas" (default) text deltas of agent streams, "text" also bare strings, false none, or your own. */
    readonly coalesce?: 'deltas' | 'text' | false | Coalescer<T>;
    /** How long chunks stay for late readers after the stream is over and the last reader has left. Default 30 s. */
    readonly releaseAfterEnd?: number | string;
    /** How long a reader may do nothing after the stream is over before it is cut off. Default 10 min. */
    readonly abandonAfter?: number | string;
    /** Bytes of a chunk; default by measuring. */
    readonly size?: (chunk: T) => number;
    /** The scope that is charged, default the current one. */
    readonly scope?: Scope;
    /** Time source, default the system's. */
    readonly clock?: KeeperClock;
}
/** Options with units resolved and defaults in place. */
export interface ReplaySettings<T> {
    readonly name: string;
    readonly maxBytes: number;
    readonly maxSpillBytes: number;
    readonly target: SpillTarget | undefined;
    readonly codec: SpillCodec<T> | undefined;
    readonly lag: LagPolicy;
    readonly blockFor: number;
    readonly coalescer: Coalescer<T> | undefined;
    readonly releaseAfterEnd: number;
    readonly abandonAfter: number;
    readonly size: ((chunk: T) => number) | undefined;
    readonly clock: KeeperClock;
}
/** Reads the options of a buffer; throws the coded error of the first that cannot be meant. */
export declare function readReplaySettings<T>(options: ReplayBufferOptions<T>): ReplaySettings<T>;
export declare function lagOption(value: LagPolicy | undefined): LagPolicy | undefined;

// dist/replay-buffer/coalesce.d.ts
/** Which neighbouring chunks may become one, and how. Joining has to be lossless: only the boundaries between chunks may go. */
export interface Coalescer<T> {
    /** True when `next` can be joined to what starts with `first`. */
    joinable(first: T, next: T): boolean;
    /** One chunk that says what the run says; a run has two chunks or more. */
    join(run: readonly T[]): T;
}
/**
 * Joins the text deltas of agent streams: plain objects whose `type` ends in "delta" and that differ in nothing but their text. Knows the
 * shapes of AI SDK (`text`, `delta`, `inputTextDelta`), Mastra (`payload.text`) and every other that keeps its text in such a field.
 */
export declare const textDeltas: Coalescer<unknown>;
/** Joins text deltas and also bare strings, for streams of text whose boundaries mean nothing. */
export declare const allText: Coalescer<unknown>;
/** The field that holds the text of a delta; "payload" when it is one level down. */
export declare function textField(chunk: unknown, inside?: boolean): string | undefined;

// dist/replay-buffer/replay.d.ts
import { ReplayBuffer } from './replay-buffer.ts';
import type { ReplayBufferOptions } from './settings.ts';
export interface ReplayOptions<T> extends ReplayBufferOptions<T> {
    /** Cancels the source when nobody has been reading for this long. Default: never, the stream is read to its end. */
    readonly cancelUnread?: number | string;
}
/**
 * Reads a stream once and gives it to many readers: `const fan = replay(result.fullStream, { maxBytes: '1MiB' })`.
 *
 * The source is read as fast as it comes unless a reader has the lag policy "block". Its error reaches every reader, and cancelling the
 * buffer cancels the source.
 */
export declare function replay<T>(source: AsyncIterable<T> | ReadableStream<T>, options: ReplayOptions<T>): ReplayBuffer<T>;

// dist/conversation-window/index.d.ts
export { ConversationWindow } from './conversation-window.ts';
export type { WindowSnapshot, WindowStats } from './conversation-window.ts';
export type { DropReason, WindowEvents } from './events.ts';
export { anyMessage } from './message-shape.ts';
export type { MessageRole, MessageShape } from './message-shape.ts';
export type { ConversationWindowOptions, SummaryRequest } from './settings.ts';
export { fitTokens } from './token-fit.ts';

// dist/conversation-window/conversation-window.d.ts
import type { Keeper, ShedRequest } from '@plimsoll/core/keeper';
import type { WindowEvents } from './events.ts';
import type { ConversationWindowOptions } from './settings.ts';
/** What a window holds and did. */
export interface WindowStats {
    readonly messages: number;
    readonly turns: number;
    readonly bytes: number;
    readonly tokens: number;
    /** Correction of the estimate learned from the provider. */
    readonly tokenScale: number;
    readonly pinnedMessages: number;
    readonly dropped: number;
    readonly orphans: number;
    readonly summaries: number;
    readonly summaryFailures: number;
    readonly maxBytes: number;
    readonly maxTokens: number;
    readonly maxTurns: number;
}
/** A window as plain data. */
export interface WindowSnapshot<M> {
    readonly version: 1;
    readonly pinned: readonly M[];
    readonly summary: string | undefined;
    readonly messages: readonly M[];
    readonly tokenScale: number;
}
/**
 * The recent part of a conversation inside bounds of bytes, tokens and turns.
 *
 * A tool call and its results are one unit and never split. What is pinned stays first; what left before may be carried on as a summary
 * that is made in the background. See docs/reference/keepers/conversation-window.md.
 */
export declare class ConversationWindow<M extends object> implements Keeper, Disposable {
    readonly kind = "conversation-window";
    readonly name: string;
    private readonly settings;
    private readonly board;
    private readonly entry;
    private readonly hooks;
    private readonly summariser;
    private readonly meter;
    private readonly units;
    private readonly pinned;
    private pinnedBytes;
    private pinnedTokens;
    private summary;
    /** Units that wait for tool results, by the id of the call. */
    private readonly calls;
    private readonly countsTokens;
    private turn;
    private scale;
    private sentTokens;
    private dropped;
    private messageCount;
    private isClosed;
    constructor(options: ConversationWindowOptions<M>);
    /** A window that goes on where a snapshot was taken; what does not fit its bounds any more is dropped. */
    static restore<M extends object>(snapshot: WindowSnapshot<M>, options: ConversationWindowOptions<M>): ConversationWindow<M>;
    /** Bytes held now, with those that a running summary works on. */
    get bytes(): number;
    /** Tokens by estimate, corrected by what the provider said. 0 when `maxTokens` is not set. */
    get tokens(): number;
    /** Turns in the window. */
    get turns(): number;
    /** Adds a message, and makes room for it. */
    append(message: M): void;
    /** The messages to send: what is pinned, the summary, and the recent ones in order. */
    messages(): M[];
    /** Learns from the provider's count of input tokens for what `messages()` gave last. */
    calibrate(inputTokens: number): void;
    /** Resolves when no summary is being made. */
    settled(): Promise<void>;
    /** The window as plain data, for a parking lot or another process. */
    snapshot(): WindowSnapshot<M>;
    /** Drops everything that is not pinned. */
    clear(): void;
    /** Drops the oldest turns, down to the low water of the bounds or to the turns that are to stay; resolves with the bytes freed. */
    shed(request: ShedRequest): Promise<number>;
    /** Listens to an event; returns what stops it. */
    on<E extends keyof WindowEvents>(event: E, listener: (event: WindowEvents[E]) => void): () => void;
    stats(): WindowStats;
    /** Stops a running summary and lets go of everything. */
    [Symbol.dispose](): void;
    private get label();
    private get rawTokens();
    private pinOrAdd;
    private add;
    /** Puts tool results to the unit of their calls. */
    private answer;
    private isOver;
    /** Makes room: by a summary while there is time, by dropping when a bound is reached. */
    private make;
    private summarise;
    /** Takes a summary over; false when it is too large to be one. */
    private take;
    /** How many of the oldest units have to go to come under some bounds: whole turns, never the last one. */
    private cut;
    /** What counts against the bounds; a running summary may hold more. */
    private held;
    /** Drops what has to go at a bound. */
    private fit;
    /** Drops inside the last turn: the oldest exchanges after the user's message, never the newest unit. */
    private fitTurn;
    private drop;
    private report;
}

// dist/conversation-window/events.d.ts
/** Why messages left a window. */
export type DropReason = 'bound' | 'summarised' | 'orphan' | 'shed' | 'clear';
/** What a window reports, by name of the event. */
export interface WindowEvents {
    /** Messages left the window. */
    readonly drop: {
        readonly messages: number;
        readonly bytes: number;
        readonly tokens: number;
        readonly reason: DropReason;
    };
    /** A summary took the place of messages. */
    readonly summary: {
        readonly messages: number;
        readonly bytes: number;
    };
    /** A summary could not be had; the messages stay until a bound takes them. */
    readonly 'summary-failed': {
        readonly messages: number;
        readonly cause: unknown;
    };
    /** A tool result came whose call is not in the window. */
    readonly orphan: {
        readonly ids: readonly string[];
    };
    /** The newest unit alone is larger than a bound. */
    readonly oversize: {
        readonly bytes: number;
        readonly tokens: number;
    };
    /** A message to be pinned was not, because half of a bound is pinned already. */
    readonly 'pin-refused': {
        readonly bytes: number;
    };
    /** A function given in the options threw. */
    readonly 'hook-failed': {
        readonly hook: string;
        readonly cause: unknown;
    };
}

// dist/conversation-window/settings.d.ts
import type { Scope } from '@plimsoll/core';
import type { KeeperClock } from '../clock.ts';
import type { DropReason } from './events.ts';
import type { MessageShape } from './message-shape.ts';
/** What the summariser is given. */
export interface SummaryRequest<M> {
    /** The summary so far. */
    readonly previous: string | undefined;
    /** The oldest messages, whole turns and whole tool exchanges. */
    readonly messages: readonly M[];
    /** Aborted when the summary is not wanted any more or takes too long. */
    readonly signal: AbortSignal;
}
export interface ConversationWindowOptions<M> {
    /** Name in reports, default "conversation". */
    readonly name?: string;
    /** Most bytes to hold: a number or a size such as "2MiB". Required. */
    readonly maxBytes?: number | string;
    /** Most tokens, by estimate. */
    readonly maxTokens?: number;
    /** Most turns; a turn begins with a message of the user. */
    readonly maxTurns?: number;
    /** Part of the bounds that is left after a summary, 0.1 to 0.9, default 0.5. */
    readonly lowWater?: number;
    /** Messages that never leave; default those of the system. Half of each bound at most can be pinned. */
    readonly pin?: (message: M) => boolean;
    /** Makes a summary of the oldest messages in the background, from 0.8 of a bound on. */
    readonly summarise?: (request: SummaryRequest<M>) => Promise<string> | string;
    /** Time for one summary, default 60 s. */
    readonly summariseTimeout?: number | string;
    /** Gets the messages that leave the window, for an archive. */
    readonly onDrop?: (messages: readonly M[], reason: DropReason) => void;
    /** How messages are read; default those of OpenAI, AI SDK, LangChain and Mastra, by structure. */
    readonly shape?: MessageShape<M>;
    /** Tokens of a message; default by fit. */
    readonly tokens?: (message: M) => number;
    /** The scope that is charged, default the current one. */
    readonly scope?: Scope;
    /** Time source, default the system's. */
    readonly clock?: KeeperClock;
}
/** Options with units resolved and defaults in place. */
export interface WindowSettings<M> {
    readonly name: string;
    readonly maxBytes: number;
    readonly maxTokens: number;
    readonly maxTurns: number;
    readonly lowWater: number;
    readonly pin: ((message: M) => boolean) | undefined;
    readonly summarise: ((request: SummaryRequest<M>) => Promise<string> | string) | undefined;
    readonly summariseTimeout: number;
    readonly onDrop: ((messages: readonly M[], reason: DropReason) => void) | undefined;
    readonly shape: MessageShape<M>;
    readonly tokens: (message: M) => number;
    readonly clock: KeeperClock;
}
/** Reads the options of a window; throws the coded error of the first that cannot be meant. */
export declare function readWindowSettings<M>(options: ConversationWindowOptions<M>): WindowSettings<M>;

// dist/conversation-window/message-shape.d.ts
export type MessageRole = 'system' | 'user' | 'assistant' | 'tool';
/** How a window reads the messages of a framework. */
export interface MessageShape<M> {
    role(message: M): MessageRole;
    /** Ids of the tool calls that a message makes and does not answer itself; undefined when it makes none. */
    calls(message: M): readonly string[] | undefined;
    /** Ids of the tool calls of earlier messages that a message answers. */
    answers(message: M): readonly string[] | undefined;
    /** A message that carries the summary of what left the window. */
    summary(text: string): M;
}
/**
 * Reads messages of OpenAI (chat and responses), AI SDK (model and UI messages), LangChain and Mastra by their structure, without any of
 * the packages. A message it does not know counts as one of the assistant without tools.
 */
export declare const anyMessage: MessageShape<unknown>;

// dist/conversation-window/token-fit.d.ts
/** Estimated tokens of a text, not rounded. */
export declare function fitTokens(text: string): number;

// dist/delegation-breaker/index.d.ts
export { DelegationBreaker } from './delegation-breaker.ts';
export type { DelegationRequest, DelegationStats } from './delegation-breaker.ts';
export type { Delegation, Remaining } from './delegation.ts';
export type { DelegationDenied, DelegationEvents, DelegationLimit } from './events.ts';
export type { ApprovalRequest, DelegationBreakerOptions } from './settings.ts';
export type { DelegationView } from './subtree.ts';

// dist/delegation-breaker/delegation-breaker.d.ts
import type { Keeper, ShedRequest } from '@plimsoll/core/keeper';
import { Delegation } from './delegation.ts';
import type { DelegationOwner, Remaining } from './delegation.ts';
import type { DelegationEvents } from './events.ts';
import type { DelegationBreakerOptions } from './settings.ts';
import type { DelegationView } from './subtree.ts';
/** Who is asked to do what. */
export interface DelegationRequest {
    readonly agent: string;
    /** Compared to find cycles; only its fingerprint is kept. */
    readonly task?: unknown;
}
/** What a breaker counts. */
export interface DelegationStats {
    readonly trees: number;
    /** Delegations that run and do not wait for their own. */
    readonly live: number;
    /** Delegations admitted and not over, with those that wait. */
    readonly unfinished: number;
    /** Delegations that wait for a place or an approval. */
    readonly queued: number;
    readonly bytes: number;
    readonly started: number;
    readonly done: number;
    readonly failed: number;
    readonly cancelled: number;
    readonly denied: number;
    /** Delegations that were over before their own delegations were. */
    readonly outlived: number;
    /** Agents that are left alone after failures. */
    readonly openAgents: readonly string[];
}
/**
 * One budget for a whole tree of delegations between agents, found again in every call below by AsyncLocalStorage.
 *
 * A delegation that waits for its own delegations does not count as running, so a tree never waits for itself. A refusal carries the path
 * and the limit. See docs/reference/keepers/delegation-breaker.md.
 */
export declare class DelegationBreaker implements Keeper, DelegationOwner, Disposable {
    readonly kind = "delegation-breaker";
    readonly name: string;
    private readonly settings;
    private readonly board;
    private readonly entry;
    private readonly gate;
    private readonly refusals;
    private readonly label;
    private readonly current;
    private readonly trees;
    private lastId;
    private held;
    private started;
    private done;
    private failed;
    private cancelled;
    constructor(options: DelegationBreakerOptions);
    /** Bytes that the delegations say they hold. */
    get bytes(): number;
    /** The delegation that the running code belongs to. */
    get delegation(): Delegation | undefined;
    /**
     * Runs a delegation inside the budget of its tree; the first one of a tree opens it. Rejects with PLM_DELEGATION_DENIED when it may not
     * run, with PLM_DELEGATION_CANCELLED as soon as it is cancelled, otherwise as the function does.
     */
    run<R>(request: DelegationRequest, work: (delegation: Delegation) => R | Promise<R>): Promise<R>;
    /** Cancels a tree, or what is below one delegation, by its id; returns how many delegations that were. */
    cancel(id: number, reason?: unknown): number;
    /** Refuses new trees until `resume()`; those that run go on. */
    pause(reason?: string): void;
    resume(): void;
    /** The trees that are not over, by the id of their first delegation. */
    roots(): DelegationView[];
    /** What is not over of a tree. */
    tree(id: number): DelegationView | undefined;
    /** Listens to an event; returns what stops it. */
    on<E extends keyof DelegationEvents>(event: E, listener: (event: DelegationEvents[E]) => void): () => void;
    /** A breaker holds nothing of its own that it could give back: always 0. Pausing it keeps new work out. */
    shed(request: ShedRequest): Promise<number>;
    stats(): DelegationStats;
    /** Cancels every tree and refuses new ones. */
    [Symbol.dispose](): void;
    /** @internal */
    remaining(delegation: Delegation): Remaining;
    /** @internal */
    charge(delegation: Delegation, change: number): void;
    /** @internal */
    cancelSubtree(top: Delegation, reason: unknown): number;
    private badRequest;
    private fingerprintOf;
    private plant;
    private root;
    /** Takes a place of the tree, or waits for one; the place that was just left for it goes to nobody else. */
    private enter;
    private approve;
    private readonly start;
    /** The function of a delegation is over. */
    private settled;
    private finish;
    private outlived;
    private guard;
}

// dist/delegation-breaker/delegation.d.ts
import type { Tree } from './tree.ts';
export type DelegationState = 'waiting' | 'running' | 'done' | 'failed' | 'cancelled';
/** What is left of a tree's budget. */
export interface Remaining {
    readonly depth: number;
    readonly total: number;
    readonly tokens: number;
    readonly bytes: number;
    readonly timeMs: number;
}
/** What a breaker does for its delegations. */
export interface DelegationOwner {
    remaining(delegation: Delegation): Remaining;
    charge(delegation: Delegation, change: number): void;
    cancelSubtree(delegation: Delegation, reason: unknown): number;
}
/** One delegation: who was asked, by whom, and what became of it. Given to the delegated function. */
export declare class Delegation {
    readonly id: number;
    readonly agent: string;
    readonly depth: number;
    /** @internal */
    readonly fingerprint: string;
    /** @internal */
    readonly parent: Delegation | undefined;
    /** @internal */
    readonly tree: Tree;
    /** @internal */
    state: DelegationState;
    /** @internal Children that are not over. */
    outstanding: number;
    /** @internal Bytes it says it holds. */
    bytes: number;
    /** @internal Why it was cancelled. */
    reason: unknown;
    /** @internal What it will run; gone once it does. */
    work: ((delegation: Delegation) => unknown) | undefined;
    /** @internal Ends the waiting of whoever delegated. */
    resolve: ((value: unknown) => void) | undefined;
    /** @internal */
    reject: ((error: Error) => void) | undefined;
    /** @internal */
    isCancelled: boolean;
    /** @internal True when it holds one of the tree's places. */
    hasPlace: boolean;
    /** @internal */
    isProbe: boolean;
    /** @internal */
    firstChild: Delegation | undefined;
    /** @internal */
    next: Delegation | undefined;
    /** @internal */
    previous: Delegation | undefined;
    private readonly owner;
    private controller;
    /** @internal */
    constructor(owner: DelegationOwner, id: number, agent: string, fingerprint: string, parent: Delegation | undefined, tree: Tree);
    /** Agents from the root of the tree to this one. */
    get path(): string[];
    /** Aborted when this delegation, one above it or the whole tree is cancelled. */
    get signal(): AbortSignal;
    /** What is left for this delegation and everything below it. */
    remaining(): Remaining;
    /** Takes tokens from the budget of the tree; false when it is used up and no delegation will be admitted any more. */
    spend(tokens: number): boolean;
    /** Says how many bytes this delegation holds now; false when the tree holds more than its budget. They count until it is over. */
    hold(bytes: number): boolean;
    /** Cancels this delegation and everything below it; returns how many that were. */
    cancel(reason?: unknown): number;
    /** @internal */
    abort(): void;
    /** @internal */
    link(child: Delegation): void;
    /** @internal */
    unlink(child: Delegation): void;
}

// dist/delegation-breaker/tree.d.ts
import type { Delegation } from './delegation.ts';
/** The budget that a whole tree of delegations shares. */
export declare class Tree {
    root: Delegation | undefined;
    /** Delegations admitted so far. */
    total: number;
    /** Delegations that run and do not wait for their own. */
    live: number;
    tokens: number;
    bytes: number;
    readonly startedMs: number;
    /** Delegations admitted and not over. */
    unfinished: number;
    cancelTimer: (() => void) | undefined;
    private readonly places;
    private readonly queue;
    constructor(places: number, startedMs: number);
    get waiting(): number;
    get hasPlace(): boolean;
    take(delegation: Delegation): void;
    wait(delegation: Delegation): void;
    /** Gives a place back, if there is one, without letting the next start. */
    release(delegation: Delegation): void;
    /** Starts those that there is room for; what was cancelled meanwhile just leaves. */
    advance(start: (delegation: Delegation) => void): void;
}

// dist/delegation-breaker/events.d.ts
import type { PlimsollError } from '@plimsoll/core';
/** What a delegation may be refused for. */
export type DelegationLimit = 'depth' | 'fan-out' | 'live' | 'total' | 'tokens' | 'bytes' | 'time' | 'cycle' | 'ping-pong' | 'reentry' | 'failures' | 'approval' | 'paused' | 'cancelled' | 'closed';
/** The error of a delegation that was refused. */
export interface DelegationDenied extends PlimsollError {
    readonly limit: DelegationLimit;
    /** Agents from the root to the one refused. */
    readonly path: readonly string[];
}
/** What a breaker reports, by name of the event. */
export interface DelegationEvents {
    readonly denied: {
        readonly agent: string;
        readonly limit: DelegationLimit;
        readonly path: readonly string[];
        readonly why: string;
    };
    /** A delegation was over while delegations of its own still ran: nobody waits for them. */
    readonly outlived: {
        readonly agent: string;
        readonly path: readonly string[];
        readonly children: readonly string[];
    };
    readonly cancelled: {
        readonly agent: string;
        readonly path: readonly string[];
        readonly reason: string;
        readonly delegations: number;
    };
    /** An agent failed so often that it is left alone for a while. */
    readonly 'agent-open': {
        readonly agent: string;
        readonly failures: number;
        readonly untilMs: number;
    };
    /** One delegation to the agent is let through to see whether it works again. */
    readonly 'agent-probe': {
        readonly agent: string;
    };
    readonly 'agent-closed': {
        readonly agent: string;
    };
    readonly 'hook-failed': {
        readonly hook: string;
        readonly agent: string;
        readonly cause: unknown;
    };
}

// dist/delegation-breaker/settings.d.ts
import type { Scope } from '@plimsoll/core';
import type { KeeperClock } from '../clock.ts';
/** What the approval hook is asked. */
export interface ApprovalRequest {
    readonly agent: string;
    readonly task: unknown;
    readonly depth: number;
    readonly path: readonly string[];
    /** Aborted when the answer is not wanted any more. */
    readonly signal: AbortSignal;
}
export interface DelegationBreakerOptions {
    /** Name in reports, default "delegations". */
    readonly name?: string;
    /** Most delegations of one tree in all. Required. */
    readonly total: number;
    /** Most delegations on one path, default 8. */
    readonly depth?: number;
    /** Most delegations of one tree that run at once; those that wait for their own delegations do not count. Default: as many as `total`. */
    readonly live?: number;
    /** What happens above `live`: "wait" (default) until another is over, or "deny". */
    readonly full?: 'wait' | 'deny';
    /** Tokens that a tree may spend in all, as told by `spend()`. Default: no limit. */
    readonly tokens?: number;
    /** Bytes that a tree may hold at once, as told by `hold()`. Default: no limit. */
    readonly bytes?: number | string;
    /** Wall time of a tree; at its end the tree is cancelled. Default: no limit. */
    readonly time?: number | string;
    /** How often an agent may be on one path, whatever its tasks. Default: no limit. */
    readonly reentry?: number;
    /** How often two agents may hand a task to and fro on one path, default 3. */
    readonly pingPong?: number;
    /** What makes two tasks the same; default the text of a string, the sorted JSON of anything else. */
    readonly fingerprint?: (task: unknown) => string;
    /** An agent that failed `count` times in a row is refused for `pause`, then probed by one delegation. Default 5 and 30 s; false for never. */
    readonly failures?: {
        readonly count?: number;
        readonly pause?: number | string;
    } | false;
    /** Asks before a delegation at `depth` or deeper starts. No answer within `timeout` (default 5 min) and a hook that throws mean no. */
    readonly approve?: {
        readonly depth: number;
        readonly ask: (request: ApprovalRequest) => boolean | Promise<boolean>;
        readonly timeout?: number | string;
    };
    /** The scope that is charged, default the current one. */
    readonly scope?: Scope;
    /** Time source, default the system's. */
    readonly clock?: KeeperClock;
}
/** Options with units resolved and defaults in place. */
export interface DelegationSettings {
    readonly name: string;
    readonly total: number;
    readonly depth: number;
    readonly live: number;
    readonly waits: boolean;
    readonly tokens: number;
    readonly bytes: number;
    readonly time: number;
    readonly reentry: number;
    readonly pingPong: number;
    readonly fingerprint: ((task: unknown) => string) | undefined;
    /** Failures in a row that open the breaker of an agent; infinite for never. */
    readonly failures: number;
    readonly failurePause: number;
    readonly approveDepth: number;
    readonly ask: ((request: ApprovalRequest) => boolean | Promise<boolean>) | undefined;
    readonly askTimeout: number;
    readonly clock: KeeperClock;
}
/** Reads the options of a breaker; throws the coded error of the first that cannot be meant. */
export declare function readDelegationSettings(options: DelegationBreakerOptions): DelegationSettings;

// dist/delegation-breaker/subtree.d.ts
import type { Delegation, DelegationState } from './delegation.ts';
/** A delegation as `tree()` shows it. */
export interface DelegationView {
    readonly id: number;
    readonly agent: string;
    readonly depth: number;
    readonly state: DelegationState;
    readonly bytes: number;
    readonly children: readonly DelegationView[];
}
/** A delegation and all below it that are not over, top first. */
export declare function subtreeOf(top: Delegation): Delegation[];
/** What is not over of a delegation and below it, in the order in which it began. */
export declare function viewOf(top: Delegation): DelegationView;

// dist/output-bag/index.d.ts
export { OutputBag } from './output-bag.ts';
export type { OutputBagEvents, OutputBagOptions, OutputBagStats, PendingOutput, PutOptions, } from './output-bag.ts';

// dist/output-bag/output-bag.d.ts
import type { Scope } from '@plimsoll/core';
import type { Keeper, ShedRequest } from '@plimsoll/core/keeper';
import type { SpillTarget } from '../spill/spill-file.ts';
export interface OutputBagOptions {
    /** Name in reports, default "outputs". */
    readonly name?: string;
    /** Most bytes in memory: a number or a size such as "64MiB". Required. */
    readonly maxBytes: number | string;
    /** Most outputs, default 10,000. */
    readonly maxOutputs?: number;
    /** What happens at the bound: "spill" (default) moves the outputs that were read longest ago to an unlinked file, "refuse" takes no more. */
    readonly overflow?: 'spill' | 'refuse';
    /** Most bytes in the file, default 4 GiB. */
    readonly maxSpillBytes?: number | string;
    /** Directory of the file, or where it comes from. Default the system's temporary directory. */
    readonly spillTo?: string | SpillTarget;
    /** The scope that is charged, default the current one. */
    readonly scope?: Scope;
}
export interface PutOptions {
    /** Who reads the output, each of them once; it is released after the last. */
    readonly consumers: readonly string[];
}
export interface OutputBagStats {
    readonly outputs: number;
    readonly bytes: number;
    readonly maxBytes: number;
    readonly spilledOutputs: number;
    readonly spilledBytes: number;
    readonly put: number;
    readonly released: number;
    readonly refused: number;
    readonly spillFailures: number;
}
/** An output that still waits to be read. */
export interface PendingOutput {
    readonly key: string;
    readonly bytes: number;
    readonly isSpilled: boolean;
    /** Who has not read it yet. */
    readonly consumers: readonly string[];
}
export interface OutputBagEvents {
    readonly spill: {
        readonly key: string;
        readonly bytes: number;
        readonly fileBytes: number;
    };
    readonly 'spill-failed': {
        readonly key: string;
        readonly error: Error;
    };
    readonly release: {
        readonly key: string;
        readonly bytes: number;
    };
}
/**
 * What the stages of a pipeline hand to each other: bounded in memory, spilled when it is too much, and released the moment the last
 * consumer has read it. See docs/reference/keepers/output-bag.md.
 */
export declare class OutputBag implements Keeper, Disposable {
    readonly kind = "output-bag";
    readonly name: string;
    private readonly maxBytes;
    private readonly maxOutputs;
    private readonly maxSpillBytes;
    private readonly maySpill;
    private readonly file;
    private readonly board;
    private readonly entry;
    /** Outputs by key, the one used longest ago first. */
    private readonly outputs;
    private held;
    private spilled;
    private puts;
    private released;
    private refused;
    private isClosed;
    constructor(options: OutputBagOptions);
    /** Bytes in memory. */
    get bytes(): number;
    /** Puts an output in for its consumers; one without consumers is not kept at all. Throws PLM_BAG_FULL when there is no room. */
    put(key: string, value: unknown, options: PutOptions): void;
    /** The output, for one of its consumers, once; the last one takes it out of the bag. */
    take(key: string, consumer: string): unknown;
    /** Says that a consumer will not read, because it failed or was skipped; null for every key. Returns how many outputs that released. */
    forgo(consumer: string, key?: string | null): number;
    has(key: string): boolean;
    /** Outputs that still wait, with who has not read them. */
    pending(): PendingOutput[];
    /** Moves outputs to the file; resolves with the bytes freed. */
    shed(request: ShedRequest): Promise<number>;
    /** Listens to an event; returns what stops it. */
    on<E extends keyof OutputBagEvents>(event: E, listener: (event: OutputBagEvents[E]) => void): () => void;
    stats(): OutputBagStats;
    /** Lets go of every output, read or not. */
    [Symbol.dispose](): void;
    private get label();
    private check;
    private badRead;
    private makeRoom;
    private refuse;
    /** Spills what was used longest ago until at most `bytes` are in memory, or nothing more can be spilled. */
    private spillUntil;
    private spill;
    /** The value of an output; a spilled one is read for each consumer anew. */
    private read;
    private release;
}

// dist/event-sink/index.d.ts
export { EventSink } from './event-sink.ts';
export type { BatchOptions, EventSinkEvents, EventSinkOptions, EventSinkStats, FullPolicy, } from './event-sink.ts';

// dist/event-sink/event-sink.d.ts
import type { Scope } from '@plimsoll/core';
import type { KeeperClock } from '../clock.ts';
import type { Keeper, ShedRequest } from '@plimsoll/core/keeper';
import type { BatchSource } from './batches.ts';
/** What happens to events when the sink is full. */
export type FullPolicy = 'drop-oldest' | 'drop-newest' | 'sample' | 'block';
export interface EventSinkOptions<E> {
    /** Name in reports, default "events". */
    readonly name?: string;
    /** Most events to hold. Required. */
    readonly capacity: number;
    /** Most bytes to hold; without it events are not measured. */
    readonly maxBytes?: number | string;
    /**
     * What happens when it is full: the oldest go (default), the newest is not taken, every event has the same chance to be held ("sample"),
     * or `push` says no so that the producer waits ("block").
     */
    readonly onFull?: FullPolicy;
    /** The kind of an event, by which drops are counted; 100 kinds at most, the others count as "other". */
    readonly key?: (event: E) => string;
    /** Bytes of an event; default by measuring. */
    readonly size?: (event: E) => number;
    /** Chance, 0 to 1; for tests of "sample". */
    readonly random?: () => number;
    /** The scope that is charged, default the current one. */
    readonly scope?: Scope;
    /** Time source, default the system's. */
    readonly clock?: KeeperClock;
}
/** What a sink counts: pushed = delivered + dropped + buffered, always. */
export interface EventSinkStats {
    readonly pushed: number;
    readonly delivered: number;
    readonly dropped: number;
    readonly buffered: number;
    readonly bytes: number;
    readonly capacity: number;
    readonly maxBytes: number;
    /** Drops by kind, when kinds are told. */
    readonly droppedByKind: Readonly<Record<string, number>>;
}
export interface EventSinkEvents {
    /** The sink became full; reported once until it has been drained. */
    readonly full: {
        readonly buffered: number;
        readonly bytes: number;
    };
    readonly 'hook-failed': {
        readonly hook: string;
        readonly cause: unknown;
    };
}
export interface BatchOptions {
    /** Most events in a batch, default 500. */
    readonly max?: number;
    /** A batch that is not full comes after this long, default 1 s. */
    readonly every?: number | string;
}
/**
 * A place for floods of events: a ring of fixed size that delivers them in batches and counts every one it had to drop, by kind.
 * See docs/reference/keepers/event-sink.md.
 */
export declare class EventSink<E> implements Keeper, BatchSource<E>, Disposable {
    readonly kind = "event-sink";
    readonly name: string;
    /** @internal */
    readonly clock: KeeperClock;
    private readonly ring;
    private readonly maxBytes;
    private readonly policy;
    private readonly key;
    private readonly size;
    private readonly random;
    private readonly isMeasured;
    /** True when a full sink just forgets its oldest event: nothing to measure, no kinds to count, no choice. */
    private readonly isPlain;
    private readonly meter;
    private readonly board;
    private readonly entry;
    private readonly kinds;
    private pushed;
    private delivered;
    private lost;
    private isFull;
    private isClosed;
    private waiting;
    private readonly readers;
    constructor(options: EventSinkOptions<E>);
    /** Bytes held now: of the events when they are measured, otherwise of the ring itself. */
    get bytes(): number;
    /** Events held now. */
    get length(): number;
    /** Events dropped so far. */
    get dropped(): number;
    /** Adds an event; false when it was not taken, which with the policy "block" means to await `ready()` and push it again. */
    push(event: E): boolean;
    /** Resolves when there is room. */
    ready(): Promise<void>;
    /** Takes up to `max` events, oldest first. */
    take(max?: number): E[];
    /** Batches as they fill or as time passes; each event goes to one reader. Ends when the sink is closed and empty. */
    batches(options?: BatchOptions): AsyncIterableIterator<E[], undefined, undefined>;
    /** @internal */
    get isOver(): boolean;
    /** @internal */
    get isClosing(): boolean;
    /** Listens to an event of the sink itself; returns what stops it. */
    on<K extends keyof EventSinkEvents>(event: K, listener: (event: EventSinkEvents[K]) => void): () => void;
    /** Drops the oldest events; resolves with the bytes freed, which is 0 when events are not measured. */
    shed(request: ShedRequest): Promise<number>;
    stats(): EventSinkStats;
    /** Takes no more events; readers get what is left and then their end. */
    close(): void;
    /** Takes no more events and drops, counted, what nobody read. */
    [Symbol.dispose](): void;
    private wake;
    private refuse;
    private pushFull;
    private isChosen;
    private sizeOf;
    private drop;
}

// dist/event-sink/batches.d.ts
import type { KeeperClock } from '../clock.ts';
/** Where batches come from. */
export interface BatchSource<E> {
    readonly clock: KeeperClock;
    readonly length: number;
    /** True when nothing more will come. */
    readonly isOver: boolean;
    readonly isClosing: boolean;
    take(max: number): E[];
}
/** A reader that gets events in batches: full ones at once, others when their time has come. */
export declare class Batches<E> implements AsyncIterableIterator<E[], undefined, undefined> {
    private readonly source;
    private readonly max;
    private readonly every;
    private readonly onLeave;
    private waiters;
    private cancelTimer;
    private isDone;
    constructor(source: BatchSource<E>, max: number, every: number, onLeave: () => void);
    next(): Promise<IteratorResult<E[], undefined>>;
    return(): Promise<IteratorResult<E[], undefined>>;
    [Symbol.asyncIterator](): this;
    /** @internal Gives what is due. */
    look(): void;
    private give;
    private end;
}

// dist/weak-registry/index.d.ts
export { WeakRegistry } from './weak-registry.ts';
export type { Suspect, WeakRegistryEvents, WeakRegistryOptions, WeakRegistryStats } from './weak-registry.ts';

// dist/weak-registry/weak-registry.d.ts
import type { Scope } from '@plimsoll/core';
import type { KeeperClock } from '../clock.ts';
import type { Keeper, ShedRequest } from '@plimsoll/core/keeper';
export interface WeakRegistryOptions<Meta> {
    /** Name in reports, default "registry". */
    readonly name?: string;
    /** Most entries to hold. Required. */
    readonly maxEntries: number;
    /** How often the metadata of values that are gone is looked for, default 30 s. */
    readonly sweep?: number | string;
    /** Called once for each value that was collected although nobody closed it. */
    readonly onGone?: (id: string, meta: Meta) => void;
    /** The scope that is charged, default the current one. */
    readonly scope?: Scope;
    /** Time source, default the system's. */
    readonly clock?: KeeperClock;
}
/** An entry whose value is alive longer than it should be. */
export interface Suspect<Meta> {
    readonly id: string;
    readonly meta: Meta;
    readonly ageMs: number;
}
export interface WeakRegistryStats {
    /** Entries, also those whose value is gone and was not noticed yet. */
    readonly entries: number;
    readonly maxEntries: number;
    readonly added: number;
    readonly closed: number;
    /** Values that were collected although nobody closed them. */
    readonly gone: number;
    readonly refused: number;
}
export interface WeakRegistryEvents {
    readonly gone: {
        readonly id: string;
    };
    /** The registry is full of live values; reported once until there is room. */
    readonly full: {
        readonly entries: number;
    };
    readonly 'hook-failed': {
        readonly hook: string;
        readonly id: string;
        readonly cause: unknown;
    };
}
/**
 * Names for values that somebody else keeps: the values weakly, what is known about them strongly.
 *
 * `close(id)` is the way out. A value that is collected without it is noticed by a sweep, late or never as the garbage collector pleases:
 * that is an alarm, not a way to free memory. See docs/reference/keepers/weak-registry.md.
 */
export declare class WeakRegistry<V extends object, Meta = undefined> implements Keeper, Disposable {
    readonly kind = "weak-registry";
    readonly name: string;
    private readonly maxEntries;
    private readonly sweepMs;
    private readonly onGone;
    private readonly clock;
    private readonly alarm;
    private readonly board;
    private readonly keeperEntry;
    private readonly entries;
    /** Where the next sweep goes on. */
    private cursor;
    private added;
    private closed;
    private gone;
    private refused;
    private isFull;
    private isClosed;
    constructor(options: WeakRegistryOptions<Meta>);
    /** Bytes of the entries themselves; metadata and values are not measured. */
    get bytes(): number;
    /** Entries, also those whose value is gone and was not noticed yet. */
    get size(): number;
    /** Values that are alive now; looks at every entry. */
    get alive(): number;
    /** Names a value. False when the registry is full of live values, and then nothing is kept. */
    add(id: string, value: V, meta?: Meta): boolean;
    /** The value of an id while it is alive. */
    get(id: string): V | undefined;
    /** What is known about an id, also after its value is gone, until that is noticed. */
    meta(id: string): Meta | undefined;
    /** Ends an entry: the way out. `onGone` is not called for it, now or later. */
    close(id: string): boolean;
    /** Entries whose value is alive after so long, oldest first: who forgot to close them. */
    suspects(olderThan: number | string): Suspect<Meta>[];
    /** Looks for values that are gone, for a millisecond at most; true when it came round. */
    sweep(): boolean;
    /** Removes the metadata of values that are gone; resolves with the bytes freed. */
    shed(request: ShedRequest): Promise<number>;
    /** Listens to an event; returns what stops it. */
    on<E extends keyof WeakRegistryEvents>(event: E, listener: (event: WeakRegistryEvents[E]) => void): () => void;
    stats(): WeakRegistryStats;
    /** Forgets every entry without calling anybody. */
    [Symbol.dispose](): void;
    private ring;
    private makeRoom;
    private sweepAll;
    private lost;
    private check;
}

// dist/pool/index.d.ts
export { Pool } from './pool.ts';
export type { PoolEvents, PoolOptions, PoolStats } from './pool.ts';
export type { Handle } from './handle.ts';

// dist/pool/pool.d.ts
import type { Scope } from '@plimsoll/core';
import type { Keeper, ShedRequest } from '@plimsoll/core/keeper';
import { Handle } from './handle.ts';
import type { HandleOwner, Slot } from './handle.ts';
export interface PoolOptions<T> {
    /** Name in reports, default "pool". */
    readonly name?: string;
    /** Most objects, taken and idle together. Required. */
    readonly max: number;
    /** Makes an object. */
    readonly create: () => T;
    /** Brings an object back to the state of a new one; throw or return false to have it destroyed instead. */
    readonly reset?: (value: T) => boolean | void;
    /** Lets go of an object that leaves the pool. */
    readonly destroy?: (value: T) => void;
    /** Bytes of one object, so that the pool can be charged and bounded. Default 0. */
    readonly bytesEach?: number | string;
    /** Most bytes of idle objects, when `bytesEach` is set. Default: no bound but `max`. */
    readonly maxIdleBytes?: number | string;
    /** The scope that is charged, default the current one. */
    readonly scope?: Scope;
}
export interface PoolStats {
    readonly taken: number;
    readonly idle: number;
    readonly max: number;
    readonly created: number;
    readonly destroyed: number;
    readonly reused: number;
    /** Takes that had to be refused because everything was taken. */
    readonly exhausted: number;
    readonly resetFailures: number;
    readonly bytes: number;
}
export interface PoolEvents {
    readonly exhausted: {
        readonly taken: number;
    };
    readonly 'hook-failed': {
        readonly hook: string;
        readonly cause: unknown;
    };
}
/**
 * Buffers and other objects that are costly to make, used again. A handle that was released says so instead of handing out somebody
 * else's object. Not for small objects: V8 makes those faster than any pool. See docs/reference/keepers/pool.md.
 */
export declare class Pool<T> implements Keeper, HandleOwner<T>, Disposable {
    readonly kind = "pool";
    readonly name: string;
    private readonly options;
    private readonly max;
    private readonly mostIdle;
    private readonly bytesEach;
    private readonly board;
    private readonly entry;
    private readonly idle;
    private taken;
    private created;
    private destroyed;
    private exhausted;
    private takes;
    private isClosed;
    constructor(options: PoolOptions<T>);
    /** Bytes of all objects, taken and idle, by `bytesEach`. */
    get bytes(): number;
    /** Takes an object: `using handle = pool.take()`. Throws PLM_POOL_EXHAUSTED when all are taken. */
    take(): Handle<T>;
    /** Takes an object; undefined when all are taken. */
    tryTake(): Handle<T> | undefined;
    /** Destroys idle objects; resolves with the bytes freed, by `bytesEach`. */
    shed(request: ShedRequest): Promise<number>;
    /** Listens to an event; returns what stops it. */
    on<E extends keyof PoolEvents>(event: E, listener: (event: PoolEvents[E]) => void): () => void;
    stats(): PoolStats;
    /** Destroys what is idle; what is taken is destroyed when it is released. */
    [Symbol.dispose](): void;
    /** @internal */
    giveBack(slot: Slot<T>): void;
    /** @internal */
    get label(): string;
    private isReset;
    private destroy;
}

// dist/pool/handle.d.ts
/** A pooled object and how often it was released; a handle of an earlier generation is stale. */
export interface Slot<T> {
    readonly value: T;
    generation: number;
}
export interface HandleOwner<T> {
    readonly label: string;
    giveBack(slot: Slot<T>): void;
}
/** The right to use a pooled object until it is released. */
export declare class Handle<T> implements Disposable {
    private readonly owner;
    private readonly slot;
    private readonly generation;
    /** @internal */
    constructor(owner: HandleOwner<T>, slot: Slot<T>);
    /** The object; throws PLM_POOL_STALE after the release. */
    get value(): T;
    get isReleased(): boolean;
    /** Gives the object back, once; later calls do nothing. */
    release(): void;
    [Symbol.dispose](): void;
}

// entry @plimsoll/keep/session-cache
// entry @plimsoll/keep/replay-buffer
// entry @plimsoll/keep/delegation-breaker
// entry @plimsoll/keep/conversation-window
// entry @plimsoll/keep/output-bag
// entry @plimsoll/keep/event-sink
// entry @plimsoll/keep/weak-registry
// entry @plimsoll/keep/pool