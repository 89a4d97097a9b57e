import type { CacheEntry } from './entry.ts';

/** Who goes first when room is needed. Only entries that nobody leases are in an order. */
export interface Order<V> {
  /** Puts an entry in: a new one, or one whose last lease ended. */
  add(entry: CacheEntry<V>): void;
  /** Takes an entry out: it was leased or removed. */
  remove(entry: CacheEntry<V>): void;
  /** Notes a use. */
  touch(entry: CacheEntry<V>): void;
  /** Notes that the entry's bytes changed by `change` while it was in the order. */
  resized(entry: CacheEntry<V>, change: number): void;
  /** The next to go, other than `keep`. */
  victim(keep: CacheEntry<V> | undefined): CacheEntry<V> | undefined;
  /** The one that was not used for longest, for a shed. */
  coldest(): CacheEntry<V> | undefined;
  /** An entry last used at or before the stamp. */
  idleSince(stamp: number): CacheEntry<V> | undefined;
  /** Hears that an entry left to make room, so that an adaptive order can learn from its return. */
  evicted(entry: CacheEntry<V>): void;
}
