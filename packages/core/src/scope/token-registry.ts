import type { Handle } from './handle.ts';
import type { ScopeRecord } from './scope-record.ts';

/** Closed scopes waiting for the garbage collector; beyond that many, new scopes are not followed. */
const maxLingering = 10_000;

/**
 * Follows the handles of scopes, so that the garbage collector says which scopes are out of reach.
 *
 * Only the handle is registered, never an object with a payload: a registered object stays until the next major GC on
 * Node 22 and 24, and with it everything it refers to.
 */
export class TokenRegistry {
  readonly #lingering = new Set<ScopeRecord>();
  readonly #registry: FinalizationRegistry<ScopeRecord>;
  #untracked = 0;

  constructor(unreachable: (record: ScopeRecord) => void) {
    this.#registry = new FinalizationRegistry((record) => {
      if (record.state === 'closed') this.#lingering.delete(record);
      else unreachable(record);
    });
  }

  /** Scopes opened without a token because too many closed ones were still waiting. */
  get untracked(): number {
    return this.#untracked;
  }

  follow(handle: Handle, record: ScopeRecord): void {
    if (this.#lingering.size >= maxLingering) {
      this.#untracked += 1;
      record.handle = handle;
      return;
    }
    record.handle = new WeakRef(handle);
    this.#registry.register(handle, record);
  }

  /** Called when a scope closes; a followed one lingers until its handle is collected. */
  closed(record: ScopeRecord): void {
    if (record.handle instanceof WeakRef) this.#lingering.add(record);
  }

  lingering(): Iterable<ScopeRecord> {
    return this.#lingering;
  }
}
