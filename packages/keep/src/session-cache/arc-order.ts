import type { CacheEntry } from './entry.ts';
import { GhostTable } from './ghost-table.ts';
import type { Order } from './order.ts';
import { RecencyList } from './recency-list.ts';

/** Seen once since it came in. */
const once = 1;
/** Seen again: came back, or was used a second time. */
const again = 2;

/**
 * ARC (Megiddo and Modha, FAST 2003): two recency lists, for entries seen once and seen again, and for each the ids that recently left it.
 * A miss on such an id says which list was too short. Ids that come once do not push out those that come again, and for sessions, which
 * are asked for in bursts, it keeps as much as LRU does.
 *
 * Weights are bytes when the cache is bounded by bytes, otherwise entries, so that one large value does not count as one small one.
 */
export class ArcOrder<V> implements Order<V> {
  readonly #recent = new RecencyList<V>();
  readonly #frequent = new RecencyList<V>();
  readonly #ghosts = new GhostTable();
  readonly #capacity: number;
  readonly #byBytes: boolean;
  /** Weight that the list of entries seen once should have. */
  #target = 0;
  /** Id whose return was just noted; its entry belongs among those seen again. */
  #returning: string | undefined;

  constructor(bounds: { readonly maxBytes: number; readonly maxEntries: number }) {
    this.#byBytes = Number.isFinite(bounds.maxBytes);
    this.#capacity = this.#byBytes ? bounds.maxBytes : bounds.maxEntries;
  }

  /** Ids that it remembers after their entries left. */
  get remembered(): number {
    const [recent, frequent] = this.#mostGhosts();
    return this.#ghosts.count(0, recent) + this.#ghosts.count(1, frequent);
  }

  add(entry: CacheEntry<V>): void {
    if (entry.place === 0) {
      entry.place = this.#returning === entry.id ? again : once;
      this.#returning = undefined;
    } else entry.place = again;
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
    const weight = this.#byBytes ? Math.max(1, entry.bytes) : 1;
    this.#ghosts.add(entry.id, weight, entry.place === once ? 0 : 1, this.#entries);
  }

  missed(id: string): void {
    const most = this.#mostGhosts();
    const ghost = this.#ghosts.take(id, most);
    if (ghost === undefined) return;
    const recent = this.#ghosts.count(0, most[0]) + 1;
    const frequent = this.#ghosts.count(1, most[1]) + 1;
    this.#target =
      ghost.list === 0
        ? Math.min(this.#capacity, this.#target + ghost.weight * Math.max(1, frequent / recent))
        : Math.max(0, this.#target - ghost.weight * Math.max(1, recent / frequent));
    this.#returning = id;
  }

  get #entries(): number {
    return this.#recent.length + this.#frequent.length;
  }

  /** How many ids of each list are remembered: with its entries as many as the cache holds, and twice that in all, as in the paper. */
  #mostGhosts(): readonly [number, number] {
    const entries = this.#entries;
    return [entries - this.#recent.length, entries];
  }

  #listOf(entry: CacheEntry<V>): RecencyList<V> {
    return entry.place === again ? this.#frequent : this.#recent;
  }

  #weightOf(list: RecencyList<V>): number {
    return this.#byBytes ? list.bytes : list.length;
  }
}
