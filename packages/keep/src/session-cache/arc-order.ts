import type { CacheEntry } from './entry.ts';
import { GhostList, hashOf } from './ghost-list.ts';
import type { Order } from './order.ts';
import { RecencyList } from './recency-list.ts';

/** Seen once since it came in. */
const once = 1;
/** Seen again: came back, or was used a second time. */
const again = 2;

/**
 * ARC (Megiddo and Modha, FAST 2003): two recency lists, for entries seen once and seen again, and for each the ids that recently left it.
 * The return of such an id says which list was too short. Ids that come once do not push out those that come again, and for sessions, which
 * are asked for in bursts, it keeps as much as LRU does.
 *
 * Weights are bytes when the cache is bounded by bytes, otherwise entries, so that one large value does not count as one small one.
 */
export class ArcOrder<V> implements Order<V> {
  readonly #recent = new RecencyList<V>();
  readonly #frequent = new RecencyList<V>();
  readonly #recentGhosts = new GhostList();
  readonly #frequentGhosts = new GhostList();
  readonly #capacity: number;
  readonly #byBytes: boolean;
  /** Weight that the list of entries seen once should have. */
  #target = 0;

  constructor(bounds: { readonly maxBytes: number; readonly maxEntries: number }) {
    this.#byBytes = Number.isFinite(bounds.maxBytes);
    this.#capacity = this.#byBytes ? bounds.maxBytes : bounds.maxEntries;
  }

  /** Ids that it remembers after their entries left. */
  get remembered(): number {
    return this.#recentGhosts.count(this.#frequent.length) + this.#frequentGhosts.count(this.#entries());
  }

  add(entry: CacheEntry<V>): void {
    entry.place = entry.place === 0 && !this.#hasReturned(entry) ? once : again;
    this.#listOf(entry).add(entry);
  }

  remove(entry: CacheEntry<V>): void {
    this.#listOf(entry).remove(entry);
  }

  touch(entry: CacheEntry<V>): void {
    if (entry.place === again) {
      this.#frequent.touch(entry);
      return;
    }
    this.#recent.remove(entry);
    entry.place = again;
    this.#frequent.add(entry);
  }

  resized(entry: CacheEntry<V>, change: number): void {
    this.#listOf(entry).bytes += change;
  }

  victim(keep: CacheEntry<V> | undefined): CacheEntry<V> | undefined {
    const recent = this.#recent.coldestBut(keep);
    const frequent = this.#frequent.coldestBut(keep);
    if (recent === undefined || frequent === undefined) return recent ?? frequent;
    return this.#weightOf(this.#recent) > this.#target ? recent : frequent;
  }

  coldest(): CacheEntry<V> | undefined {
    const recent = this.#recent.coldest;
    const frequent = this.#frequent.coldest;
    if (recent === undefined || frequent === undefined) return recent ?? frequent;
    return recent.seen <= frequent.seen ? recent : frequent;
  }

  idleSince(stamp: number): CacheEntry<V> | undefined {
    for (const list of [this.#recent, this.#frequent]) {
      const coldest = list.coldest;
      if (coldest !== undefined && coldest.seen <= stamp) return coldest;
    }
    return undefined;
  }

  evicted(entry: CacheEntry<V>): void {
    const ghosts = entry.place === once ? this.#recentGhosts : this.#frequentGhosts;
    ghosts.add(entry.hash, this.#entries());
  }

  /** True when a new entry left not long ago. Then the list that it left was too short, by as much as the entry weighs. */
  #hasReturned(entry: CacheEntry<V>): boolean {
    entry.hash = hashOf(entry.id);
    const mostRecent = this.#frequent.length;
    const mostFrequent = this.#entries();
    const fromRecent = this.#recentGhosts.take(entry.hash, mostRecent);
    const fromFrequent = !fromRecent && this.#frequentGhosts.take(entry.hash, mostFrequent);
    if (!fromRecent && !fromFrequent) return false;
    const weight = this.#byBytes ? Math.max(1, entry.bytes) : 1;
    const recent = this.#recentGhosts.count(mostRecent) + 1;
    const frequent = this.#frequentGhosts.count(mostFrequent) + 1;
    this.#target = fromRecent
      ? Math.min(this.#capacity, this.#target + weight * Math.max(1, frequent / recent))
      : Math.max(0, this.#target - weight * Math.max(1, recent / frequent));
    return true;
  }

  #entries(): number {
    return this.#recent.length + this.#frequent.length;
  }

  #listOf(entry: CacheEntry<V>): RecencyList<V> {
    return entry.place === again ? this.#frequent : this.#recent;
  }

  #weightOf(list: RecencyList<V>): number {
    return this.#byBytes ? list.bytes : list.length;
  }
}
