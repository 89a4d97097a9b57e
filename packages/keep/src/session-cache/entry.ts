import type { Metered } from './settings.ts';
import type { Lease } from './lease.ts';
import type { Tenant } from './tenant.ts';

/** Where an entry is in its life. It only ever moves forward, until the entry is used for another value. */
export const live = 0;
/** Out of the cache, still leased; disposed when the last lease ends. */
export const doomed = 1;
/** Being parked or disposed; nobody can claim it any more. */
export const closing = 2;
/** Torn down: nothing refers to it any more. */
export const over = 3;

/** One kept value with its place in the order of eviction. Fields are small integers where they can be, to stay near 130 bytes. */
export class CacheEntry<V> {
  id: string;
  value: V;
  /** Bytes counted for it. */
  bytes = 0;
  meter: Metered | undefined = undefined;
  tenant: Tenant<V> | undefined = undefined;
  state = live;
  leases = 0;
  /** Latest lease; the older ones hang behind it. */
  holder: Lease<V> | undefined = undefined;
  /** Ms since the cache was made by which it was in, known from the next sweep on; 0 until then. */
  born = 0;
  /** Stamp of the idle clock at its last use. */
  seen: number;
  /** Which list of an adaptive order it is in. */
  place = 0;
  /** The number by which an adaptive order knows its id. */
  hash = 0;
  prev: CacheEntry<V> | undefined = undefined;
  next: CacheEntry<V> | undefined = undefined;

  constructor(id: string, value: V, seen: number) {
    this.id = id;
    this.value = value;
    this.seen = seen;
  }

  /** Begins the life of another value in an entry that is over. */
  reuse(id: string, value: V, seen: number): void {
    this.id = id;
    this.value = value;
    this.bytes = 0;
    this.tenant = undefined;
    this.state = live;
    this.born = 0;
    this.seen = seen;
    this.place = 0;
  }
}
