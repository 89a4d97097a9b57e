import { setImmediate } from 'node:timers';
import type { Handle } from './handle.ts';
import type { ScopeRecord } from './scope-record.ts';

/** Closed scopes waiting for the garbage collector; beyond that many, new scopes are not followed for the time being. */
export const maxLingering = 10_000;

/** What the registry asks of the tree. */
export interface TokenOwner {
  /** An open scope is out of reach. */
  unreachable(record: ScopeRecord): void;
  /** Every open scope. */
  records(): readonly ScopeRecord[];
}

/**
 * Follows the handles of scopes, so that the garbage collector says which scopes are out of reach.
 *
 * Only the handle is registered, never an object with a payload: a registered object stays until the next major GC on
 * Node 22 and 24, and with it everything it refers to. Between two major GCs at most 10,000 closed scopes wait; scopes
 * opened beyond that are held strongly and followed later if they are still open when the collector has caught up.
 */
export class TokenRegistry {
  readonly #owner: TokenOwner;
  readonly #lingering = new Set<ScopeRecord>();
  readonly #registry = new FinalizationRegistry<ScopeRecord>((record) => this.#collected(record));
  #untracked = 0;
  #openUntracked = 0;
  #catchingUp = false;

  constructor(owner: TokenOwner) {
    this.#owner = owner;
  }

  /** Scopes that came and went without a token because too many closed ones were still waiting. */
  get untracked(): number {
    return this.#untracked;
  }

  get lingering(): Iterable<ScopeRecord> {
    return this.#lingering;
  }

  follow(handle: Handle, record: ScopeRecord): void {
    if (this.#lingering.size >= maxLingering) {
      this.#openUntracked += 1;
      record.handle = handle;
    } else this.#register(handle, record);
  }

  /** Called when a scope closes; a followed one lingers until its handle is collected. */
  closed(record: ScopeRecord, isReachable: boolean): void {
    if (record.handle instanceof WeakRef) {
      if (isReachable) this.#lingering.add(record);
    } else if (!record.abandoned) {
      this.#openUntracked -= 1;
      this.#untracked += 1;
    }
  }

  #register(handle: Handle, record: ScopeRecord): void {
    record.handle = new WeakRef(handle);
    this.#registry.register(handle, record);
  }

  #collected(record: ScopeRecord): void {
    if (record.state === 'closed') this.#lingering.delete(record);
    else this.#owner.unreachable(record);
    if (this.#openUntracked === 0 || this.#catchingUp || this.#lingering.size > maxLingering / 2) return;
    this.#catchingUp = true;
    setImmediate(() => this.#catchUp()).unref();
  }

  #catchUp(): void {
    this.#catchingUp = false;
    this.#openUntracked = 0;
    for (const record of this.#owner.records()) {
      const { handle } = record;
      if (handle !== undefined && !(handle instanceof WeakRef) && !record.abandoned)
        this.#register(handle, record);
    }
  }
}
