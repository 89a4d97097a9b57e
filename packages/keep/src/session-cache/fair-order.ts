import type { CacheEntry } from './entry.ts';
import type { Order } from './order.ts';
import type { Tenant } from './tenant.ts';

/** Tenants of at least this part of the largest one's load compete by recency instead of by size. */
const nearTie = 7 / 8;
/** How many tenants at the top of the heap are compared for a near tie. */
const tieCandidates = 15;

/**
 * The coldest entry of the tenant that takes the most, so that a noisy tenant pays for its own noise.
 *
 * Tenants are kept in a binary heap by load, the larger of their parts of the two bounds. The sum of all loads is above one whenever room
 * is needed, so the largest tenant is always above its equal share, and a tenant below its share never pays.
 */
export class FairOrder<V> implements Order<V> {
  readonly #heap: Tenant<V>[] = [];
  #lastIdle = 0;
  readonly #perByte: number;
  readonly #perEntry: number;

  constructor(bounds: { readonly maxBytes: number; readonly maxEntries: number }) {
    this.#perByte = 1 / bounds.maxBytes;
    this.#perEntry = 1 / bounds.maxEntries;
  }

  add(entry: CacheEntry<V>): void {
    (entry.tenant as Tenant<V>).list.add(entry);
  }

  remove(entry: CacheEntry<V>): void {
    (entry.tenant as Tenant<V>).list.remove(entry);
  }

  touch(entry: CacheEntry<V>): void {
    (entry.tenant as Tenant<V>).list.touch(entry);
  }

  resized(entry: CacheEntry<V>, change: number): void {
    (entry.tenant as Tenant<V>).list.bytes += change;
  }

  victim(keep: CacheEntry<V> | undefined): CacheEntry<V> | undefined {
    const top = this.#heap[0];
    if (top === undefined) return undefined;
    const enough = this.#load(top) * nearTie;
    let chosen: CacheEntry<V> | undefined;
    const candidates = Math.min(tieCandidates, this.#heap.length);
    for (let i = 0; i < candidates; i++) {
      const tenant = this.#heap[i] as Tenant<V>;
      const entry = tenant.list.coldestBut(keep);
      if (entry === undefined || (i > 0 && this.#load(tenant) < enough)) continue;
      if (chosen === undefined || entry.seen < chosen.seen) chosen = entry;
    }
    return chosen ?? this.#anyVictim(keep);
  }

  /** The tenant that takes the most pays first here, too. */
  coldest(): CacheEntry<V> | undefined {
    return this.victim(undefined);
  }

  idleSince(stamp: number): CacheEntry<V> | undefined {
    const heap = this.#heap;
    // Goes on where the last one was found, so that a sweep looks at each tenant about once.
    for (let i = 0; i < heap.length; i++) {
      const at = (this.#lastIdle + i) % heap.length;
      const coldest = heap[at]?.list.coldest;
      if (coldest === undefined || coldest.seen > stamp) continue;
      this.#lastIdle = at;
      return coldest;
    }
    return undefined;
  }

  evicted(): void {}

  /** Moves a tenant to where its bytes and entries put it now; one without entries leaves. */
  settle(tenant: Tenant<V>): void {
    if (tenant.count === 0) {
      if (tenant.index >= 0) this.#leave(tenant);
      return;
    }
    if (tenant.index < 0) {
      tenant.index = this.#heap.length;
      this.#heap.push(tenant);
    }
    this.#rise(tenant);
    this.#sink(tenant);
  }

  #load(tenant: Tenant<V>): number {
    return Math.max(tenant.bytes * this.#perByte, tenant.count * this.#perEntry);
  }

  /** Everything of the largest tenants is leased. Then the largest tenant with something unleased is taken. */
  #anyVictim(keep: CacheEntry<V> | undefined): CacheEntry<V> | undefined {
    let largest: Tenant<V> | undefined;
    for (const tenant of this.#heap) {
      if (tenant.list.coldestBut(keep) === undefined) continue;
      if (largest === undefined || this.#load(tenant) > this.#load(largest)) largest = tenant;
    }
    return largest === undefined ? undefined : largest.list.coldestBut(keep);
  }

  #leave(tenant: Tenant<V>): void {
    const last = this.#heap.pop() as Tenant<V>;
    if (last !== tenant) {
      this.#place(last, tenant.index);
      this.#rise(last);
      this.#sink(last);
    }
    tenant.index = -1;
  }

  #place(tenant: Tenant<V>, index: number): void {
    this.#heap[index] = tenant;
    tenant.index = index;
  }

  #rise(tenant: Tenant<V>): void {
    const load = this.#load(tenant);
    let at = tenant.index;
    while (at > 0) {
      const parent = this.#heap[(at - 1) >> 1] as Tenant<V>;
      if (this.#load(parent) >= load) break;
      this.#place(parent, at);
      at = (at - 1) >> 1;
    }
    this.#place(tenant, at);
  }

  #sink(tenant: Tenant<V>): void {
    const load = this.#load(tenant);
    let at = tenant.index;
    for (;;) {
      const left = this.#heap[2 * at + 1];
      if (left === undefined) break;
      const right = this.#heap[2 * at + 2];
      const child = right !== undefined && this.#load(right) > this.#load(left) ? right : left;
      if (this.#load(child) <= load) break;
      const from = child.index;
      this.#place(child, at);
      at = from;
    }
    this.#place(tenant, at);
  }
}
