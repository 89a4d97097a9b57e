import type { CacheEntry } from './entry.ts';

/** Entries from the latest used to the coldest; every step is constant time and allocates nothing. */
export class RecencyList<V> {
  #head: CacheEntry<V> | undefined = undefined;
  #tail: CacheEntry<V> | undefined = undefined;
  length = 0;
  bytes = 0;

  get coldest(): CacheEntry<V> | undefined {
    return this.#tail;
  }

  /** The coldest other than `keep`. */
  coldestBut(keep: CacheEntry<V> | undefined): CacheEntry<V> | undefined {
    const coldest = this.#tail;
    return coldest === keep ? coldest?.prev : coldest;
  }

  add(entry: CacheEntry<V>): void {
    const head = this.#head;
    entry.next = head;
    if (head === undefined) this.#tail = entry;
    else head.prev = entry;
    this.#head = entry;
    this.length++;
    this.bytes += entry.bytes;
  }

  remove(entry: CacheEntry<V>): void {
    const { prev, next } = entry;
    if (prev === undefined) this.#head = next;
    else prev.next = next;
    if (next === undefined) this.#tail = prev;
    else next.prev = prev;
    entry.prev = undefined;
    entry.next = undefined;
    this.length--;
    this.bytes -= entry.bytes;
  }

  /** Makes an entry of the list its latest. */
  touch(entry: CacheEntry<V>): void {
    const head = this.#head as CacheEntry<V>;
    if (head === entry) return;
    const prev = entry.prev as CacheEntry<V>;
    const next = entry.next;
    prev.next = next;
    if (next === undefined) this.#tail = prev;
    else next.prev = prev;
    entry.prev = undefined;
    entry.next = head;
    head.prev = entry;
    this.#head = entry;
  }
}
