import type { CacheEntry } from './entry.ts';
import type { Order } from './order.ts';
import { RecencyList } from './recency-list.ts';

/** Seen once since it came in. */
const once = 1;
/** Seen again: came back, or was used a second time. */
const again = 2;

/**
 * ARC (Megiddo and Modha, FAST 2003): two recency lists, for entries seen once and seen again, and for each the ids that recently left it.
 * A miss on such an id says which list was too short. Better than LRU when some values are asked for over and over among many that are
 * not, such as tool results or embeddings; worse than LRU for sessions.
 *
 * Weights are bytes when the cache is bounded by bytes, otherwise entries, so that one large value does not count as one small one.
 */
export class ArcOrder<V> implements Order<V> {
  readonly #recent = new RecencyList<V>();
  readonly #frequent = new RecencyList<V>();
  readonly #recentGhosts: Ghosts;
  readonly #frequentGhosts: Ghosts;
  readonly #capacity: number;
  readonly #byBytes: boolean;
  /** Weight that the list of entries seen once should have. */
  #target = 0;
  /** Id whose return was just noted; its entry belongs among those seen again. */
  #returning: string | undefined;

  constructor(bounds: { readonly maxBytes: number; readonly maxEntries: number }) {
    this.#byBytes = Number.isFinite(bounds.maxBytes);
    this.#capacity = this.#byBytes ? bounds.maxBytes : bounds.maxEntries;
    this.#recentGhosts = new Ghosts(this.#capacity);
    this.#frequentGhosts = new Ghosts(this.#capacity);
  }

  /** Ids that it remembers after their entries left. */
  get remembered(): number {
    return this.#recentGhosts.count + this.#frequentGhosts.count;
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
    const recent = coldestBut(this.#recent, keep);
    const frequent = coldestBut(this.#frequent, keep);
    if (recent === undefined || frequent === undefined) return recent ?? frequent;
    return this.#weightOf(this.#recent) > this.#target ? recent : frequent;
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
    ghosts.add(entry.id, this.#byBytes ? Math.max(1, entry.bytes) : 1);
    // Both lists together remember as much as the cache holds, as in the paper.
    const known = this.#weightOf(this.#recent) + this.#recentGhosts.weight;
    if (known > this.#capacity) this.#recentGhosts.shrink(known - this.#capacity);
  }

  missed(id: string): void {
    const inRecent = this.#recentGhosts.take(id);
    if (inRecent > 0) {
      const ratio = (this.#frequentGhosts.weight + 1) / (this.#recentGhosts.weight + inRecent);
      this.#target = Math.min(this.#capacity, this.#target + inRecent * Math.max(1, ratio));
      this.#returning = id;
      return;
    }
    const inFrequent = this.#frequentGhosts.take(id);
    if (inFrequent === 0) return;
    const ratio = (this.#recentGhosts.weight + 1) / (this.#frequentGhosts.weight + inFrequent);
    this.#target = Math.max(0, this.#target - inFrequent * Math.max(1, ratio));
    this.#returning = id;
  }

  #listOf(entry: CacheEntry<V>): RecencyList<V> {
    return entry.place === again ? this.#frequent : this.#recent;
  }

  #weightOf(list: RecencyList<V>): number {
    return this.#byBytes ? list.bytes : list.length;
  }
}

/** Ids that left a list, oldest first, bounded by weight and by number. */
class Ghosts {
  weight = 0;
  readonly #ids = new Map<string, number>();
  readonly #capacity: number;
  // Goes on where it was: a new iterator would step over everything deleted since the table was last rebuilt.
  #oldest = this.#ids.keys();

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  get count(): number {
    return this.#ids.size;
  }

  add(id: string, weight: number): void {
    this.take(id);
    this.#ids.set(id, weight);
    this.weight += weight;
    if (this.weight > this.#capacity) this.shrink(this.weight - this.#capacity);
    if (this.#ids.size > mostGhosts) this.#dropOldest();
  }

  /** Forgets an id; returns its weight, 0 when it is not known. */
  take(id: string): number {
    const weight = this.#ids.get(id);
    if (weight === undefined) return 0;
    this.#ids.delete(id);
    this.weight -= weight;
    return weight;
  }

  shrink(weight: number): void {
    const goal = this.weight - weight;
    while (this.weight > goal && this.#ids.size > 0) this.#dropOldest();
  }

  #dropOldest(): void {
    let step = this.#oldest.next();
    if (step.done === true) {
      this.#oldest = this.#ids.keys();
      step = this.#oldest.next();
    }
    if (step.done !== true) this.take(step.value);
  }
}

/** Most ids one list of ghosts remembers, about 8 MiB. */
const mostGhosts = 100_000;

function coldestBut<V>(list: RecencyList<V>, keep: CacheEntry<V> | undefined): CacheEntry<V> | undefined {
  const coldest = list.coldest;
  return coldest === keep ? coldest?.prev : coldest;
}
