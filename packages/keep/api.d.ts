// entry @plimsoll/keep
// dist/index.d.ts
export { keepers, registerKeeper } from './keeper.ts';
export type { Keeper, ShedRequest } from './keeper.ts';
export type { KeeperClock } from './clock.ts';
export { SessionCache } from './session-cache/session-cache.ts';
export type { CloseResult, DrainReport, SessionCacheStats, TenantStats, } from './session-cache/session-cache.ts';
export type { DisposeInfo, LeaveReason, Metered, OpenInfo, SessionCacheOptions, } from './session-cache/settings.ts';
export type { AcquireOptions } from './session-cache/openings.ts';
export type { DeadLetter, HeldLease, SessionCacheEvent, SessionCacheEvents } from './session-cache/events.ts';
export type { Lease } from './session-cache/lease.ts';
export type { ParkingLot } from './parking-lot/parking-lot.ts';
export { FileLot } from './parking-lot/file-lot.ts';
export type { FileLotOptions } from './parking-lot/file-lot.ts';
export { SqliteLot } from './parking-lot/sqlite-lot.ts';
export type { SqliteLotOptions } from './parking-lot/sqlite-lot.ts';

// dist/keeper.d.ts
/** What a shed asks for. */
export interface ShedRequest {
    /** Bytes to give up, or more. */
    readonly bytes: number;
    /** Why, as it appears in events; default "pressure". */
    readonly reason?: string;
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
}
/** Adds a keeper to the roster of this thread, weakly: a keeper nobody holds any more leaves by itself. Returns its removal. */
export declare function registerKeeper(keeper: Keeper): () => void;
/** Every keeper of this thread that is still held, also those made by another copy of the package. */
export declare function keepers(): Keeper[];

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

// dist/session-cache/session-cache.d.ts
import type { Keeper, ShedRequest } from '../keeper.ts';
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
 * hang without breaking the cache. See docs/keepers/session-cache.md.
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
    private readonly line;
    private readonly unregister;
    private charged;
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
    /** Gives memory back, coldest first; resolves with the bytes freed once the teardowns are over. */
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
    private charge;
    private unpark;
    private leasedEntries;
    private heldMs;
    private reportLeases;
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
type Listener<E extends SessionCacheEvent> = (event: SessionCacheEvents[E]) => void;
/** The listeners of one cache. A listener that throws harms nobody. */
export declare class EventBoard {
    /** How often each event was reported. */
    readonly counts: Map<keyof SessionCacheEvents, number>;
    private readonly listeners;
    /** Adds a listener; returns its removal. */
    on<E extends SessionCacheEvent>(event: E, listener: Listener<E>): () => void;
    has(event: SessionCacheEvent): boolean;
    emit<E extends SessionCacheEvent>(event: E, payload: SessionCacheEvents[E]): void;
}
export {};

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
    /** Monotonic ms at which it was put in. */
    born: number;
    /** Stamp of the idle clock at its last use. */
    seen: number;
    /** Which list of an adaptive order it is in. */
    place: number;
    prev: Entry<V> | undefined;
    next: Entry<V> | undefined;
    constructor(id: string, value: V, born: number, seen: number);
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
    get latest(): Entry<V> | undefined;
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
    constructor(settings: Settings<V>, store: Store<V>, crew: TeardownCrew<V>, board: EventBoard, onEntry: () => void);
    get count(): number;
    /** Joins the opening of an id, or starts it. */
    join(id: string, options: AcquireOptions, make?: Make<V>): Promise<Lease<V>>;
    /** Ends the opening of an id; true when there was one. */
    cancel(id: string, reason: string): boolean;
    cancelAll(reason: string): void;
    /** Resolves when no opening runs. */
    over(): Promise<void>;
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
import { Tenant } from './tenant.ts';
/** How an entry leaves: to make room, because its time is over, or because somebody said so. */
export type LeaveKind = 'evict' | 'expire' | 'close';
/** The entries of a cache: who holds what, who leases it, who goes next. Everything here is synchronous. */
export declare class Store<V> implements LeaseGiver<V> {
    readonly entries: Map<string, Entry<V>>;
    readonly tenants: Map<string, Tenant<V>>;
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
    private readonly fair;
    private readonly weak;
    private readonly metered;
    private readonly maxBytes;
    private readonly maxEntries;
    private readonly epoch;
    private untilStack;
    /** No live, unleased entry was born before this; ms since `epoch`. */
    private oldestBirth;
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
    private tenantOf;
    private birth;
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
    /** True when sizes come from meters and are cheap to read. */
    get metered(): boolean;
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
import type { Alarm } from './alarm.ts';
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
    wake(at: number): void;
    finished(teardown: Teardown<V>): void;
    /** Moves on what ran out of time; called when the alarm rings. */
    due(now: number): void;
    /** Resolves when the next teardown finishes; at once when none runs. */
    progress(): Promise<void>;
}

// dist/session-cache/alarm.d.ts
import type { KeeperClock } from '../clock.ts';
/** The one timer of a cache: set to the earliest moment anything is due. */
export declare class Alarm {
    private readonly clock;
    private readonly ring;
    private dueAt;
    private cancel;
    constructor(clock: KeeperClock, ring: () => void);
    /** Makes sure that the alarm rings at `time` (monotonic ms) or before. */
    at(time: number): void;
    stop(): void;
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
    constructor(home: TeardownHome<V>, entry: Entry<V>, value: V, reason: LeaveReason, lot: ParkingLot | undefined);
    /** Starts with parking. */
    start(): void;
    /** Goes on from a first try of `dispose` that was made without a teardown, because most are over when the hook returns. */
    resume(first: Try, result: PromiseLike<unknown>): void;
    /** Called when `dueAt` has passed: a try has taken too long, or the pause before the next is over. */
    due(): void;
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
export declare function isThenable(value: unknown): value is PromiseLike<unknown>;
export declare function describe(cause: unknown): string;

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
    constructor(options: FileLotOptions);
    /** Bytes on disk, as far as known. */
    get bytes(): number;
    put(id: string, form: Uint8Array): Promise<void>;
    get(id: string): Promise<Uint8Array | undefined>;
    remove(id: string): Promise<boolean>;
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
