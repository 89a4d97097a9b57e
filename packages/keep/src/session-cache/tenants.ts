import type { CacheEntry } from './entry.ts';
import type { EventBoard } from './events.ts';
import type { FairOrder } from './fair-order.ts';
import type { CacheSettings } from './settings.ts';
import { Tenant } from './tenant.ts';

/** Who holds how much of a cache; a tenant is known as long as it has entries. */
export class Tenants<V> {
  readonly #byName = new Map<string, Tenant<V>>();
  readonly #settings: CacheSettings<V>;
  readonly #board: EventBoard;
  readonly #order: FairOrder<V>;

  constructor(settings: CacheSettings<V>, board: EventBoard, order: FairOrder<V>) {
    this.#settings = settings;
    this.#board = board;
    this.#order = order;
  }

  all(): Iterable<Tenant<V>> {
    return this.#byName.values();
  }

  join(entry: CacheEntry<V>): void {
    const tenant = this.#of(entry.id);
    entry.tenant = tenant;
    tenant.bytes += entry.bytes;
    tenant.count++;
    this.#order.settle(tenant);
  }

  resized(entry: CacheEntry<V>, change: number): void {
    const tenant = entry.tenant as Tenant<V>;
    tenant.bytes += change;
    this.#order.settle(tenant);
  }

  leave(entry: CacheEntry<V>): void {
    const tenant = entry.tenant as Tenant<V>;
    tenant.bytes -= entry.bytes;
    if (--tenant.count === 0) this.#byName.delete(tenant.name);
    this.#order.settle(tenant);
  }

  #of(id: string): Tenant<V> {
    let name = 'unknown';
    try {
      name = String(this.#settings.tenant?.(id));
    } catch (cause) {
      this.#board.emit('hook-failed', { hook: 'tenant', id, cause });
    }
    const known = this.#byName.get(name);
    if (known !== undefined) return known;
    const tenant = new Tenant<V>(name);
    this.#byName.set(name, tenant);
    return tenant;
  }
}
