import type { CacheEntry } from './entry.ts';
import type { EventBoard, HeldLease } from './events.ts';
import type { Lease } from './lease.ts';
import type { CacheSettings } from './settings.ts';
import type { CacheStore } from './store.ts';

/** Leases that have not been released: who holds them, for how long, and a report of those held for too long. */
export class LeaseWatch<V> {
  readonly #settings: CacheSettings<V>;
  readonly #store: CacheStore<V>;
  readonly #board: EventBoard;

  constructor(settings: CacheSettings<V>, store: CacheStore<V>, board: EventBoard) {
    this.#settings = settings;
    this.#store = store;
    this.#board = board;
  }

  /** The oldest first. */
  held(): HeldLease[] {
    const held: HeldLease[] = [];
    const now = this.#settings.clock.monotonic();
    for (const entry of this.#leasedEntries()) {
      for (let lease = entry.holder; lease !== undefined; lease = lease.older)
        held.push(heldOf(lease, this.#heldMs(lease, now)));
    }
    return held.sort((a, b) => b.heldMs - a.heldMs);
  }

  /** Reports, once each, the leases held for longer than `leaseWarning`. */
  report(now: number): void {
    const { leaseWarning, sweep } = this.#settings;
    for (const entry of this.#leasedEntries()) {
      for (let lease = entry.holder; lease !== undefined; lease = lease.older) {
        const heldMs = this.#heldMs(lease, now);
        // The start of a lease is known to one sweep: never report one early.
        if (lease.reported || heldMs <= leaseWarning + sweep) continue;
        lease.reported = true;
        this.#store.counters.leasesHeldLong++;
        this.#board.emit('lease-held-long', heldOf(lease, heldMs));
      }
    }
  }

  *#leasedEntries(): Iterable<CacheEntry<V>> {
    for (let at = this.#store.leased.coldest; at !== undefined; at = at.prev) yield at;
    yield* this.#store.doomedEntries.keys();
  }

  #heldMs(lease: Lease<V>, now: number): number {
    return Math.max(0, Math.floor(now - this.#store.startedAt) - lease.since);
  }
}

function heldOf({ id, owner, stack }: Lease<unknown>, heldMs: number): HeldLease {
  return { id, owner, stack, heldMs };
}
