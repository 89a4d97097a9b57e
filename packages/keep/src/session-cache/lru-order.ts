import type { CacheEntry } from './entry.ts';
import type { Order } from './order.ts';
import { RecencyList } from './recency-list.ts';

/** Least recently used first. */
export class LruOrder<V> implements Order<V> {
  readonly #list = new RecencyList<V>();

  add(entry: CacheEntry<V>): void {
    this.#list.add(entry);
  }

  remove(entry: CacheEntry<V>): void {
    this.#list.remove(entry);
  }

  touch(entry: CacheEntry<V>): void {
    this.#list.touch(entry);
  }

  resized(_entry: CacheEntry<V>, change: number): void {
    this.#list.bytes += change;
  }

  victim(keep: CacheEntry<V> | undefined): CacheEntry<V> | undefined {
    return this.#list.coldestBut(keep);
  }

  coldest(): CacheEntry<V> | undefined {
    return this.#list.coldest;
  }

  idleSince(stamp: number): CacheEntry<V> | undefined {
    const coldest = this.#list.coldest;
    return coldest !== undefined && coldest.seen <= stamp ? coldest : undefined;
  }

  evicted(): void {}
}
