import { failure } from '@plimsoll/core/internal/errors';
import { badOption, msOption } from '../bound.ts';
import type { Keeper, KeeperFigures, ShedRequest } from '@plimsoll/core/keeper';
import { Alarm } from '@plimsoll/core/internal/alarm';
import { Claims } from '../parking-lot/claims.ts';
import { isShared } from '../parking-lot/parking-lot.ts';
import { KeeperEntry } from '../keeper-entry.ts';
import { ReportBoard } from '../report-board.ts';
import type { Counters } from './counters.ts';
import type { HeldLease, SessionCacheEvent, SessionCacheEvents } from './events.ts';
import { LeaseWatch } from './lease-watch.ts';
import type { Lease } from './lease.ts';
import { Openings } from './openings.ts';
import type { AcquireOptions } from './openings.ts';
import { readSettings } from './settings.ts';
import type { OpenInfo, SessionCacheOptions, CacheSettings } from './settings.ts';
import { CacheStore } from './store.ts';
import { TeardownCrew } from './teardown-crew.ts';

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

/** Time that one sweep may take before it goes on later. */
const sweepBudgetMs = 8;
/** Change that is charged to the scope at once instead of at the next sweep. */
const chargeStepBytes = 1024 * 1024;

/** The store of a cache. Only our own tests call it; the public entry does not export it. */
export let storeOf: <V>(cache: SessionCache<V>) => CacheStore<V>;

/**
 * Sessions that cannot leak: bounded by bytes and entries, expired by idleness and age, leased while in use, torn down exactly once.
 *
 * The bounds are kept by evicting what nobody leases; a leased value is never disposed. Sizes are live. Every hook may throw, reject or
 * hang without breaking the cache. See docs/reference/keepers/session-cache.md.
 */
export class SessionCache<V> implements Keeper, AsyncDisposable {
  readonly kind = 'session-cache';
  readonly name: string;
  readonly #settings: CacheSettings<V>;
  readonly #board = new ReportBoard<SessionCacheEvents>();
  readonly #alarm: Alarm;
  readonly #crew: TeardownCrew<V>;
  readonly #store: CacheStore<V>;
  readonly #openings: Openings<V>;
  readonly #label: string;
  readonly #watch: LeaseWatch<V>;
  readonly #entry: KeeperEntry;
  /** With a shared lot: the sessions that this process holds. */
  readonly #claims: Claims | undefined;
  #ticking = false;
  /** Set before a drain begins, for its first hooks run before its promise is there. */
  #isClosed = false;
  #draining: Promise<DrainReport> | undefined;

  static {
    storeOf = (cache) => cache.#store;
  }

  constructor(options: SessionCacheOptions<V>) {
    const settings = readSettings(options);
    this.#settings = settings;
    this.name = settings.name;
    this.#label = `session cache "${settings.name}"`;
    this.#alarm = new Alarm(settings.clock, () => this.#ring());
    this.#crew = new TeardownCrew(settings, this.#board, this.#alarm, this.#label);
    this.#store = new CacheStore(settings, this.#board, this.#crew);
    this.#claims = this.#claimsOn(settings);
    const started = (): void => this.#started();
    this.#openings = new Openings(settings, this.#store, this.#crew, this.#board, started, this.#claims);
    this.#watch = new LeaseWatch(settings, this.#store, this.#board);
    this.#entry = new KeeperEntry(this, settings.scope, chargeStepBytes);
  }

  /** Bytes held now, with those of values still leased or being torn down after they left. */
  get bytes(): number {
    return this.#store.bytes + this.#store.doomedBytes + this.#crew.bytes;
  }

  /** Entries held now. */
  get size(): number {
    return this.#store.entries.size;
  }

  /** The value of an id, used but not leased. It may be evicted as soon as the caller awaits. */
  get(id: string): V | undefined {
    const entry = this.#store.find(id);
    if (entry === undefined || this.#claims?.check(id) === false) return undefined;
    const value = this.#store.valueOf(entry);
    if (entry.state === 0) this.#store.touch(entry);
    return value;
  }

  /** The value of an id without counting as a use. */
  peek(id: string): V | undefined {
    const entry = this.#store.entries.get(id);
    return entry === undefined ? undefined : this.#store.valueOf(entry);
  }

  has(id: string): boolean {
    return this.#store.entries.has(id);
  }

  /** Puts a value in. A value it replaces is torn down, once its leases have ended. */
  set(id: string, value: V): void {
    this.#check(id, 'set');
    if (this.#claims?.check(id) === false) throw failure('PLM_KEEP_NOT_CLAIMED', { id, keeper: this.#label });
    const old = this.#store.entries.get(id);
    if (old !== undefined) {
      if (old.value === value) {
        this.#store.touch(old);
        return;
      }
      this.#store.remove(old, 'replace', 'close');
    }
    const entry = this.#store.add(id, value);
    if (!this.#ticking) this.#started();
    if (this.#store.isOver) this.#store.fit(entry);
    this.#entry.charge(this.bytes);
  }

  /** Claims a value that is there; undefined when it is not. */
  tryAcquire(id: string, owner?: string): Lease<V> | undefined {
    const entry = this.#store.find(id);
    if (entry === undefined || this.#isClosed) return undefined;
    if (this.#claims?.check(id) === false) return undefined;
    const value = this.#store.valueOf(entry);
    if (value === undefined && entry.state !== 0) return undefined;
    return this.#store.claim(entry, value as V, owner);
  }

  /** Claims a value, opening or restoring it when it is not there: `await using lease = await cache.acquire(id)`. */
  async acquire(id: string, options: AcquireOptions = {}): Promise<Lease<V>> {
    this.#check(id, 'acquire');
    options.signal?.throwIfAborted();
    return this.tryAcquire(id, options.owner) ?? this.#openings.join(id, options);
  }

  /**
   * Makes a new value for an id safely, for instance when a session changes its persistence: the old value leaves, its leases end and its
   * teardown finishes before `make` runs. Everybody who acquires the id meanwhile gets the new value.
   */
  async replace(
    id: string,
    make: (id: string, info: OpenInfo) => V | Promise<V>,
    options: AcquireOptions = {},
  ): Promise<Lease<V>> {
    this.#check(id, 'replace');
    options.signal?.throwIfAborted();
    const old = this.#store.entries.get(id);
    if (old !== undefined) this.#store.remove(old, 'replace', 'close');
    return this.#openings.join(id, options, make);
  }

  /**
   * Ends a session: the canonical way out. Resolves when its teardown is over, or at once when it is leased, in which case the teardown
   * starts with the end of the last lease. A parked copy goes too. Rejects with PLM_KEEP_HELD_ELSEWHERE when another process holds it.
   */
  async close(id: string, reason = 'close'): Promise<CloseResult> {
    const cancelled = this.#openings.cancel(id, reason);
    const entry = this.#store.entries.get(id);
    const isLeased = entry !== undefined && entry.leases > 0;
    if (entry !== undefined) this.#store.remove(entry, reason, 'close');
    if (this.#claims !== undefined) {
      const ended = this.#endClaim(id, this.#claims);
      if (!isLeased) return (await ended) || entry !== undefined || cancelled ? 'closed' : 'absent';
      ended.catch((error: unknown) => this.#board.emit('restore-failed', { id, error }));
      return 'leased';
    }
    const unparked = await this.#unpark(id, entry !== undefined);
    if (isLeased) return 'leased';
    await this.#crew.gates.passed(id);
    return entry !== undefined || unparked || cancelled ? 'closed' : 'absent';
  }

  /** Ends the session of an id, for who clears the data of a person; 1 when there was one, in memory or parked. */
  async forget(id: string): Promise<number> {
    return (await this.close(id, 'forget')) === 'absent' ? 0 : 1;
  }

  /**
   * With a shared lot: the number of this process's claim on a session, undefined when it holds none. Numbers grow with every claim, so a
   * write to another system that carries it can be refused there when a newer one was seen.
   */
  fence(id: string): number | undefined {
    return this.#claims?.fence(id);
  }

  /** Makes values expire after a share, 0 to 1, of the idle period; the governor's way of being stricter for a while. */
  scaleIdle(ratio: number): void {
    if (ratio > 0 && ratio <= 1) this.#store.idle.scale = ratio;
  }

  /** Gives memory back, coldest first or the largest of the coldest; resolves with the bytes freed once the teardowns are over. */
  async shed(request: ShedRequest): Promise<number> {
    const { bytes, reason = 'pressure', atMost = Number.POSITIVE_INFINITY, order = 'idle' } = request;
    if (!(bytes > 0)) throw badOption(this.#label, 'bytes', bytes, 'bytes above 0');
    const gone: string[] = [];
    let freed = 0;
    for (let vetoes = 0; freed < bytes && gone.length < atMost && vetoes <= 32;) {
      const entry = order === 'idle' ? this.#store.coldest() : this.#store.costliest();
      if (entry === undefined) break;
      const held = entry.bytes;
      if (this.#store.tryRemove(entry, reason, 'evict')) {
        freed += held;
        gone.push(entry.id);
      } else vetoes++;
    }
    for (const id of gone) await this.#crew.gates.passed(id);
    this.#entry.settle(this.bytes);
    return freed;
  }

  /**
   * Ends the cache: openings are cancelled, what nobody leases is parked or disposed, leases get until the deadline and are then revoked.
   * Never rejects; afterwards there is no timer, no lease and no entry left.
   */
  drain(deadline: number | string = 10_000): Promise<DrainReport> {
    if (this.#draining !== undefined) return this.#draining;
    const deadlineMs = msOption(this.#label, 'deadline', deadline) as number;
    this.#isClosed = true;
    this.#draining = this.#end(deadlineMs);
    return this.#draining;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.drain();
  }

  figures(): KeeperFigures {
    const store = this.#store;
    const settings = this.#settings;
    const { hits, misses } = store.counters;
    const parked = settings.park?.size;
    return {
      entries: store.entries.size,
      boundBytes: settings.maxBytes,
      boundEntries: settings.maxEntries,
      leases: store.leased.length + store.doomedEntries.size,
      ...(parked !== undefined && { parked }),
      ...(hits + misses > 0 && { hitRatio: hits / (hits + misses) }),
    };
  }

  stats(): SessionCacheStats {
    const store = this.#store;
    const crew = this.#crew;
    const board = this.#board;
    return {
      ...store.counters,
      vetoed: board.count('veto'),
      parked: board.count('park'),
      restored: board.count('restore'),
      hookFailures: board.count('hook-failed'),
      disposeFailures: board.count('dispose-failed'),
      entries: store.entries.size,
      bytes: store.bytes,
      leasedEntries: store.leased.length,
      leasedBytes: store.leasedBytes,
      doomedEntries: store.doomedEntries.size,
      doomedBytes: store.doomedBytes,
      closing: crew.count,
      closingBytes: crew.bytes,
      opening: this.#openings.count,
      maxBytes: this.#settings.maxBytes,
      maxEntries: this.#settings.maxEntries,
    };
  }

  /** What each tenant holds, largest first. */
  tenants(): TenantStats[] {
    return [...(this.#store.tenants?.all() ?? [])]
      .map((tenant) => ({ tenant: tenant.name, entries: tenant.count, bytes: tenant.bytes }))
      .sort((a, b) => b.bytes - a.bytes);
  }

  /** Leases that have not been released, the oldest first, with who took them. */
  leases(): HeldLease[] {
    return this.#watch.held();
  }

  /** Listens to an event; returns what stops it. */
  on<E extends SessionCacheEvent>(event: E, listener: (event: SessionCacheEvents[E]) => void): () => void {
    return this.#board.on(event, listener);
  }

  /** Does what the timer would do now: expires, weighs, reports. */
  sweep(): void {
    const now = this.#settings.clock.monotonic();
    this.#store.tick(now);
    const late = this.#store.expireIdle(performance.now() + sweepBudgetMs);
    this.#store.expireOld();
    this.#store.findCollected();
    this.#store.weigh();
    this.#watch.report(now);
    this.#entry.settle(this.bytes);
    if (late) this.#alarm.at(now + 1);
  }

  #ring(): void {
    this.#crew.due(this.#settings.clock.monotonic());
    if (!this.#ticking) return;
    this.sweep();
    if (this.#store.entries.size === 0 && this.#store.doomedEntries.size === 0) this.#ticking = false;
    else this.#alarm.at(this.#settings.clock.monotonic() + this.#settings.sweep / 2);
  }

  /** Starts the sweeps with the first entry; an empty cache has no timer. */
  #started(): void {
    if (this.#ticking || this.#isClosed) return;
    this.#ticking = true;
    const now = this.#settings.clock.monotonic();
    this.#store.tick(now);
    this.#alarm.at(now + this.#settings.sweep / 2);
  }

  /** Ends a session for all processes once nothing of it is left in this one. */
  async #endClaim(id: string, claims: Claims): Promise<boolean> {
    this.#crew.unpark(id);
    // An opening that was cancelled may be about to take the claim.
    await this.#openings.over(id);
    return claims.end(id, this.#crew.gates.passed(id));
  }

  #claimsOn(settings: CacheSettings<V>): Claims | undefined {
    const { park, clock } = settings;
    if (park === undefined || !isShared(park)) return undefined;
    const claims = new Claims(park, clock, {
      isInUse: (id) =>
        this.#store.entries.has(id) || this.#openings.over(id) !== undefined || this.#crew.gates.has(id),
      lost: (id) => {
        const bytes = this.#store.lose(id);
        const error = failure('PLM_KEEP_CLAIM_LOST', { id, lot: park.label });
        if (bytes !== undefined) this.#board.emit('lost', { id, bytes, error });
      },
    });
    this.#crew.claims = claims;
    this.#store.isHeld = (id) => claims.check(id);
    return claims;
  }

  /** Forgets the parked copy of an id. Most sessions that close in memory were never parked, and a lot that knows so is not asked. */
  async #unpark(id: string, wasHeld: boolean): Promise<boolean> {
    const { park } = this.#settings;
    if (park === undefined) return false;
    this.#crew.unpark(id);
    if (wasHeld && park.mayHold?.(id) === false) return false;
    // Nobody may restore the copy while it is being removed.
    this.#crew.gates.close(id);
    try {
      return await park.remove(id);
    } catch (error) {
      this.#board.emit('restore-failed', { id, error });
      return false;
    } finally {
      this.#crew.gates.open(id);
    }
  }

  async #end(deadlineMs: number): Promise<DrainReport> {
    const { clock } = this.#settings;
    const started = clock.monotonic();
    this.#ticking = false;
    this.#openings.cancelAll('drain');
    for (const entry of this.#store.entries.values()) this.#store.remove(entry, 'drain', 'close');
    await this.#leasesEnded(started + deadlineMs);
    const revoked = this.leases();
    for (const entry of this.#store.doomedEntries.keys()) this.#store.revoke(entry);
    while (this.#crew.count > 0) await this.#crew.progress();
    await this.#claims?.close();
    this.#alarm.stop();
    this.#entry.close();
    const disposeFailures = this.#board.count('dispose-failed');
    return { revoked, disposeFailures, ms: clock.monotonic() - started };
  }

  /** Resolves when the last lease and the last opening have ended, or at the deadline. */
  async #leasesEnded(deadline: number): Promise<void> {
    const { clock } = this.#settings;
    while (this.#store.doomedEntries.size > 0 || this.#openings.count > 0) {
      const left = deadline - clock.monotonic();
      if (left <= 0) return;
      const next = [...this.#store.doomedEntries.keys()].map((entry) => this.#crew.gates.passed(entry.id));
      if (this.#openings.count > 0) next.push(this.#openings.allOver());
      let cancel: (() => void) | undefined;
      const timeout = new Promise<void>((resolve) => {
        cancel = clock.after(left, resolve);
      });
      await Promise.race([...next, timeout]);
      cancel?.();
    }
  }

  #check(id: string, verb: string): void {
    if (typeof id !== 'string' || id.length === 0) {
      const value = id === '' ? 'an empty string' : typeof id;
      throw failure('PLM_KEEP_BAD_KEY', { keeper: this.#label, value });
    }
    if (this.#isClosed) throw failure('PLM_KEEP_CLOSED', { keeper: this.#label, verb });
  }
}
