import { slots } from '@plimsoll/core/internal/slots';
import { AgeClock } from './age-clock.ts';
import { ArcOrder } from './arc-order.ts';
import { newCounters } from './counters.ts';
import { closing, doomed, CacheEntry, live, over } from './entry.ts';
import type { EventBoard } from './events.ts';
import { FairOrder } from './fair-order.ts';
import { IdleClock } from './idle-clock.ts';
import { Lease, unlink } from './lease.ts';
import type { LeaseGiver } from './lease.ts';
import { LruOrder } from './lru-order.ts';
import type { Order } from './order.ts';
import { RecencyList } from './recency-list.ts';
import type { LeaveReason, CacheSettings } from './settings.ts';
import { Sizing } from './sizing.ts';
import type { TeardownCrew } from './teardown-crew.ts';
import { Tenants } from './tenants.ts';
import { badOption } from '../bound.ts';

/** Vetoes in a row after which making room is given up for now. */
const mostVetoes = 32;
/** How far from the coldest entry a larger one is looked for. */
const coldestFew = 16;

/** How an entry leaves: to make room, because its time is over, or because somebody said so. */
type LeaveKind = 'evict' | 'expire' | 'close';

/** The entries of a cache: who holds what, who leases it, who goes next. Everything here is synchronous. */
export class CacheStore<V> implements LeaseGiver<V> {
  readonly entries = new Map<string, CacheEntry<V>>();
  readonly tenants: Tenants<V> | undefined;
  readonly counters = newCounters();
  readonly idle: IdleClock;
  readonly sizing: Sizing<V>;
  /** Entries that are leased and live; the oldest claim is the coldest. */
  readonly leased = new RecencyList<V>();
  /** Bytes of all entries. */
  bytes = 0;
  leasedBytes = 0;
  /** Entries out of the cache that are still leased, with why they left. */
  readonly doomedEntries = new Map<CacheEntry<V>, LeaveReason>();
  doomedBytes = 0;
  /** Ms since the cache was made, as of the last sweep. */
  coarseMs = 0;
  /** Set by a cache whose lot is shared. */
  isHeld: ((id: string) => boolean) | undefined = undefined;
  /** True while the cache is above its bounds and nothing can go. */
  overcommitted = false;
  readonly #settings: CacheSettings<V>;
  readonly #board: EventBoard;
  readonly #crew: TeardownCrew<V>;
  readonly order: Order<V>;
  readonly #age: AgeClock;
  readonly #weak: boolean;
  readonly #metered: boolean;
  readonly #maxBytes: number;
  readonly #maxEntries: number;
  readonly #epoch: number;
  #untilStack = 0;
  /**
   * An entry that was evicted, for the next value. V8 keeps what the outgrown tables of a map refer to until they are collected
   * themselves, so that with a new entry per value each collection of the young generation would copy all those that are gone.
   */
  #spare: CacheEntry<V> | undefined = undefined;
  /** How many questions to an owner are on the stack. */
  #asking = 0;

  constructor(settings: CacheSettings<V>, board: EventBoard, crew: TeardownCrew<V>) {
    this.#settings = settings;
    this.#board = board;
    this.#crew = crew;
    this.#epoch = settings.clock.monotonic();
    this.idle = new IdleClock(settings.idle, this.#epoch);
    this.sizing = new Sizing(settings, board);
    this.#age = new AgeClock(settings.maxAge);
    const fair = settings.tenant === undefined ? undefined : new FairOrder<V>(settings);
    this.tenants = fair === undefined ? undefined : new Tenants(settings, board, fair);
    this.order = fair ?? (settings.policy === 'arc' ? new ArcOrder<V>(settings) : new LruOrder<V>());
    this.#weak = settings.weak ?? false;
    this.#metered = settings.meter !== undefined;
    this.#maxBytes = settings.maxBytes;
    this.#maxEntries = settings.maxEntries;
  }

  /** The live entry of an id, as long as it has not been idle for too long. */
  find(id: string): CacheEntry<V> | undefined {
    const entry = this.entries.get(id);
    if (entry !== undefined && (entry.seen > this.idle.floor || entry.leases > 0)) {
      this.counters.hits++;
      return entry;
    }
    this.counters.misses++;
    if (entry !== undefined && this.tryRemove(entry, 'expire', 'expire')) return undefined;
    return entry;
  }

  /** Notes a use that takes no lease. */
  touch(entry: CacheEntry<V>): void {
    entry.seen = this.idle.stamp;
    if (entry.leases === 0) this.order.touch(entry);
    if (this.#metered && entry.meter !== undefined) {
      const bytes = this.sizing.byMeter(entry);
      if (bytes !== entry.bytes) this.#grown(entry, bytes);
    }
  }

  /** The value of an entry; undefined when it was held weakly and has been collected. */
  valueOf(entry: CacheEntry<V>): V | undefined {
    if (!this.#weak) return entry.value;
    const value = derefOf(entry);
    if (value === undefined && entry.state === live) this.#collected(entry);
    return value;
  }

  /** Puts a value in; whoever calls it claims the entry or makes room next. */
  add(id: string, value: V): CacheEntry<V> {
    // A session that begins while the next life takes over is parked a moment later. Until then that life waits for it.
    slots().handover?.claimed?.(id);
    const kept = this.#weak ? weakly(value) : value;
    const entry = this.#newEntry(id, kept);
    entry.bytes = this.sizing.first(entry, value);
    this.entries.set(id, entry);
    this.#age.hasNewborns = true;
    this.bytes += entry.bytes;
    if (this.tenants !== undefined) this.tenants.join(entry);
    this.order.add(entry);
    return entry;
  }

  #newEntry(id: string, value: V): CacheEntry<V> {
    const spare = this.#spare;
    if (spare === undefined) return new CacheEntry(id, value, this.idle.stamp);
    this.#spare = undefined;
    spare.reuse(id, value, this.idle.stamp);
    return spare;
  }

  claim(entry: CacheEntry<V>, value: V, owner: string | undefined): Lease<V> {
    slots().handover?.claimed?.(entry.id);
    if (entry.leases++ === 0) {
      this.order.remove(entry);
      this.leased.add(entry);
      this.leasedBytes += entry.bytes;
    }
    entry.seen = this.idle.stamp;
    const lease = new Lease(this, entry, value, owner);
    lease.older = entry.holder;
    entry.holder = lease;
    return lease;
  }

  takeStack(): string | undefined {
    const { stackEvery } = this.#settings;
    if (stackEvery === 0 || --this.#untilStack > 0) return undefined;
    this.#untilStack = stackEvery;
    return new Error('lease taken').stack;
  }

  /** A lease ended. The last one of a doomed entry starts its teardown, any other makes the entry evictable again. */
  ended(entry: CacheEntry<V>, lease: Lease<V>): void {
    unlink(entry, lease);
    const value = this.#weak ? derefOf(entry) : entry.value;
    if (--entry.leases > 0) return;
    if (entry.state === doomed) {
      this.#bury(entry);
      return;
    }
    this.leased.remove(entry);
    this.leasedBytes -= entry.bytes;
    entry.seen = this.idle.stamp;
    this.order.add(entry);
    const bytes = value === undefined ? entry.bytes : this.sizing.afterLease(entry, value);
    if (bytes !== entry.bytes) this.resize(entry, bytes);
    if (entry.born > 0) {
      if (this.#age.isDue(entry.born, this.coarseMs) && this.tryRemove(entry, 'age', 'expire')) return;
      this.#age.note(entry.born);
    }
    if (this.isOver) this.fit(undefined);
  }

  get isOver(): boolean {
    return this.bytes + this.doomedBytes > this.#maxBytes || this.entries.size > this.#maxEntries;
  }

  /** Makes room until the bounds hold; `keep` stays. */
  fit(keep: CacheEntry<V> | undefined): void {
    let vetoes = 0;
    while (this.isOver) {
      const victim = this.order.victim(keep);
      if (victim === undefined || vetoes > mostVetoes) {
        this.#overcommit();
        return;
      }
      if (this.tryRemove(victim, 'evict', 'evict')) {
        vetoes = 0;
        // Whoever asks an owner holds the entry meanwhile, also when the owner lets it go.
        if (victim.state === over && this.#asking === 0) this.#spare = victim;
      } else vetoes++;
    }
    this.overcommitted = false;
  }

  /** The coldest evictable entry, for a shed. */
  coldest(): CacheEntry<V> | undefined {
    return this.order.coldest();
  }

  /** Of the coldest few the one that holds the most for the longest. */
  costliest(): CacheEntry<V> | undefined {
    let best: CacheEntry<V> | undefined;
    let most = -1;
    let at = this.coldest();
    for (let i = 0; at !== undefined && i < coldestFew; i++, at = at.prev) {
      const cost = at.bytes * (this.idle.stamp - at.seen + 1);
      if (cost <= most) continue;
      best = at;
      most = cost;
    }
    return best;
  }

  /** Takes an unleased entry out unless its owner keeps it; true when it is out. */
  tryRemove(entry: CacheEntry<V>, reason: LeaveReason, kind: LeaveKind): boolean {
    if (this.#settings.veto !== undefined && this.#isVetoed(entry, reason)) return false;
    // The owner may have taken or closed it while it was asked.
    if (entry.leases > 0 || entry.state !== live) return entry.state !== live;
    if (kind === 'evict') this.order.evicted(entry);
    this.remove(entry, reason, kind);
    return true;
  }

  /** Takes an entry out of the cache; its teardown starts now, or when its last lease ends. */
  remove(entry: CacheEntry<V>, reason: LeaveReason, kind: LeaveKind): void {
    this.#forget(entry);
    if (kind === 'evict') this.counters.evicted++;
    else if (kind === 'expire') this.counters.expired++;
    else this.counters.closed++;
    if (entry.leases > 0) {
      this.leased.remove(entry);
      this.leasedBytes -= entry.bytes;
      entry.state = doomed;
      this.doomedEntries.set(entry, reason);
      this.doomedBytes += entry.bytes;
      this.#crew.gates.close(entry.id);
    } else {
      this.order.remove(entry);
      // Cold values are parked; those that were closed, replaced or grew too old are finished.
      this.#retire(entry, reason, kind === 'evict' || reason === 'expire' || reason === 'drain');
      // The session is over, also for the other processes. A lot that fails lets the claim run out.
      if (reason === 'age')
        this.#crew.claims?.end(entry.id, this.#crew.gates.passed(entry.id)).catch(() => false);
    }
    if (this.#board.has(kind)) this.#board.emit(kind, { id: entry.id, bytes: entry.bytes, reason });
  }

  /** Ends the entry of an id that another process may hold, and revokes its leases. */
  lose(id: string): number | undefined {
    const entry = this.entries.get(id) ?? this.#doomedOf(id);
    if (entry === undefined) return undefined;
    if (entry.state === live) this.remove(entry, 'lost', 'close');
    if (this.doomedEntries.has(entry)) this.revoke(entry);
    return entry.bytes;
  }

  #doomedOf(id: string): CacheEntry<V> | undefined {
    for (const entry of this.doomedEntries.keys()) if (entry.id === id) return entry;
    return undefined;
  }

  /** Gives up a value that never became an entry. */
  discard(id: string, value: V, reason: LeaveReason): void {
    const entry = new CacheEntry(id, value, 0);
    entry.state = closing;
    this.#crew.begin(entry, value, reason, undefined);
  }

  resize(entry: CacheEntry<V>, bytes: number): void {
    if (entry.state !== live) return;
    const change = bytes - entry.bytes;
    this.bytes += change;
    if (entry.leases > 0) {
      this.leasedBytes += change;
      this.leased.bytes += change;
    } else this.order.resized(entry, change);
    if (this.tenants !== undefined) this.tenants.resized(entry, change);
    entry.bytes = bytes;
  }

  /** Lets entries go that nobody used; stops after `until` (performance.now). True when more are due. */
  expireIdle(until: number): boolean {
    let count = 0;
    for (;;) {
      const entry = this.order.idleSince(this.idle.floor);
      if (entry === undefined) return false;
      this.tryRemove(entry, 'expire', 'expire');
      if ((++count & 63) === 0 && performance.now() > until) return true;
    }
  }

  /** Lets entries go that are too old; looks through all of them only when one is due. */
  expireOld(): void {
    if (!this.#age.isOn) return;
    this.#age.date(this.entries.values(), this.coarseMs);
    if (!this.#age.isAnyDue(this.coarseMs)) return;
    let oldest = Number.POSITIVE_INFINITY;
    for (const entry of this.entries.values()) {
      if (entry.leases > 0) continue;
      const isDue = this.#age.isDue(entry.born, this.coarseMs);
      if (isDue && this.tryRemove(entry, 'age', 'expire')) continue;
      // Kept by its owner: asked again after another full period.
      if (isDue) entry.born = this.coarseMs;
      oldest = Math.min(oldest, entry.born);
    }
    this.#age.reset(oldest);
  }

  /** Reads every size again and makes room if something grew. */
  weigh(): void {
    if (this.#metered) {
      for (const entry of this.entries.values()) {
        const bytes = this.sizing.byMeter(entry);
        if (bytes !== entry.bytes) this.resize(entry, bytes);
      }
    }
    this.sizing.catchUp((entry, bytes) => this.resize(entry, bytes));
    if (this.isOver) this.fit(undefined);
  }

  /** In weak mode: finds entries whose value has been collected. */
  findCollected(): void {
    if (!this.#weak) return;
    for (const entry of this.entries.values()) if (entry.leases === 0) this.valueOf(entry);
  }

  #grown(entry: CacheEntry<V>, bytes: number): void {
    this.resize(entry, bytes);
    if (this.isOver) this.fit(entry);
  }

  /** Ends the leases of an entry: at the deadline of a drain, or because another process may hold the session. */
  revoke(entry: CacheEntry<V>): void {
    for (let lease = entry.holder; lease !== undefined; lease = lease.older) lease.revoke();
    entry.holder = undefined;
    entry.leases = 0;
    this.#bury(entry);
  }

  #bury(entry: CacheEntry<V>): void {
    const reason = this.doomedEntries.get(entry) as LeaveReason;
    this.doomedEntries.delete(entry);
    this.doomedBytes -= entry.bytes;
    this.#retire(entry, reason, reason === 'drain');
    this.#crew.gates.open(entry.id);
  }

  #retire(entry: CacheEntry<V>, reason: LeaveReason, park: boolean): void {
    entry.state = closing;
    const value = this.#weak ? derefOf(entry) : entry.value;
    entry.value = undefined as V;
    entry.meter = undefined;
    if (this.#weak && value === undefined) return;
    if (this.#crew.begin(entry, value as V, reason, park ? this.#settings.park : undefined))
      entry.state = over;
  }

  /** Takes an entry out of the counts. */
  #forget(entry: CacheEntry<V>): void {
    this.entries.delete(entry.id);
    this.sizing.forget(entry);
    this.bytes -= entry.bytes;
    if (this.tenants !== undefined) this.tenants.leave(entry);
  }

  #collected(entry: CacheEntry<V>): void {
    this.#forget(entry);
    this.order.remove(entry);
    entry.state = closing;
    this.counters.collected++;
    this.#board.emit('collected', { id: entry.id, bytes: entry.bytes });
  }

  #isVetoed(entry: CacheEntry<V>, reason: LeaveReason): boolean {
    this.#asking++;
    try {
      return this.#isKept(entry, reason);
    } finally {
      this.#asking--;
    }
  }

  #isKept(entry: CacheEntry<V>, reason: LeaveReason): boolean {
    const value = this.valueOf(entry);
    if (value === undefined && this.#weak) return false;
    let kept = true;
    try {
      kept = this.#settings.veto?.(value as V, { id: entry.id, reason }) === true;
    } catch (cause) {
      // An owner that cannot answer may be in the middle of something, so its entry stays.
      this.#board.emit('hook-failed', { hook: 'veto', id: entry.id, cause });
    }
    if (!kept || entry.leases > 0 || entry.state !== live) return kept;
    entry.seen = this.idle.stamp;
    this.order.touch(entry);
    this.#board.emit('veto', { id: entry.id, bytes: entry.bytes, reason });
    return true;
  }

  #overcommit(): void {
    if (this.overcommitted) return;
    this.overcommitted = true;
    this.counters.overcommits++;
    const { leasedBytes, doomedBytes } = this;
    this.#board.emit('overcommit', {
      bytes: this.bytes + doomedBytes,
      leasedBytes: leasedBytes + doomedBytes,
      entries: this.entries.size,
    });
  }

  /** Monotonic ms at which the cache was made; `coarseMs` counts from here. */
  get startedAt(): number {
    return this.#epoch;
  }

  /** Begins a new stamp of coarse time. */
  tick(now: number): void {
    this.coarseMs = Math.floor(now - this.#epoch);
    this.idle.tick(now);
  }
}

/** A value as an entry of a weak cache keeps it. */
function weakly<V>(value: V): V {
  if ((typeof value !== 'object' || value === null) && typeof value !== 'function')
    throw badOption('SessionCache', 'weak', `true and the value ${typeof value}`, 'used with objects only');
  return new WeakRef(value as object) as unknown as V;
}

/** The value of an entry of a weak cache; undefined when it has been collected. */
function derefOf<V>(entry: CacheEntry<V>): V | undefined {
  return (entry.value as unknown as WeakRef<object>).deref() as V | undefined;
}
