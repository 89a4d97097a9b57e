import type { Entry } from './entry.ts';
import type { Order } from './order.ts';
import { RecencyList } from './recency-list.ts';

/** Least recently used first: for sessions, with one access per turn, no other order does better. */
export class LruOrder<V> implements Order<V> {
  readonly #list = new RecencyList<V>();

  add(entry: Entry<V>): void {
    this.#list.add(entry);
  }

  remove(entry: Entry<V>): void {
    this.#list.remove(entry);
  }

  touch(entry: Entry<V>): void {
    this.#list.touch(entry);
  }

  resized(_entry: Entry<V>, change: number): void {
    this.#list.bytes += change;
  }

  victim(keep: Entry<V> | undefined): Entry<V> | undefined {
    const coldest = this.#list.coldest;
    return coldest === keep ? coldest?.prev : coldest;
  }

  idleSince(stamp: number): Entry<V> | undefined {
    const coldest = this.#list.coldest;
    return coldest !== undefined && coldest.seen <= stamp ? coldest : undefined;
  }

  evicted(): void {}

  missed(): void {}
}
