import type { ScopeHandle } from './handle.ts';
import { Pace } from './pace.ts';
import type { ScopeRecord } from './scope-record.ts';

/** Closed scopes waiting for the garbage collector; beyond that many, closed scopes are not followed. */
const maxLingering = 10_000;
/** A followed scope lives on as a few hundred bytes until the next major GC; thousands per second would be promoted for nothing. */
const followedPerSecond = 100;
const followedAtOnce = 1000;

/** Of the open scopes that one collection frees, so many are closed at once: each takes up to 10 µs, a hundred thousand half a second. */
const lostAtOnce = 200;
const lostRestMs = 100;

/** What the registry asks of the tree. */
interface TokenOwner {
  /** An open scope is out of reach. */
  unreachable(record: ScopeRecord): void;
  /** Every open scope. */
  records(): readonly ScopeRecord[];
}

/**
 * Follows the handles of scopes, so that the garbage collector says which scopes are out of reach.
 *
 * Only the handle is registered, never an object with a payload: a registered object stays until the next major GC on
 * Node 22 and 24, and with it everything it refers to. A WeakRef costs up to a microsecond, more than the rest of
 * opening a scope, so a new scope is held strongly; those still open after a collection are made weak then, and the
 * many that live shorter never are.
 */
export class TokenRegistry {
  readonly #owner: TokenOwner;
  readonly #lingering = new Set<ScopeRecord>();
  readonly #registry = new FinalizationRegistry<ScopeRecord | undefined>((record) => {
    if (record === undefined) this.#afterCollection();
    else if (record.state === 'closed') this.#lingering.delete(record);
    else this.#lose(record);
  });
  /** Open scopes out of reach that wait for their turn, and how many of them this turn may still take. */
  #lost: ScopeRecord[] = [];
  #allowed = lostAtOnce;
  readonly #pace = new Pace(followedPerSecond, followedAtOnce);
  #untracked = 0;
  #heldStrongly = 0;
  #notBefore = 0;

  constructor(owner: TokenOwner) {
    this.#owner = owner;
    this.#armSentinel();
  }

  /** Closed scopes that were not followed because too many came at once or were still waiting. */
  get untracked(): number {
    return this.#untracked;
  }

  get lingering(): Iterable<ScopeRecord> {
    return this.#lingering;
  }

  /** Takes a new handle of an open scope. */
  hold(handle: ScopeHandle, record: ScopeRecord): void {
    record.handle = handle;
    this.#heldStrongly += 1;
  }

  /**
   * Called when a scope closes; it lingers until its handle is collected. Handles of adapters are not followed, because connections keep
   * them alive.
   */
  closed(record: ScopeRecord, handle: ScopeHandle | undefined): void {
    const isFollowed = record.handle instanceof WeakRef;
    if (!isFollowed && !record.abandoned) this.#heldStrongly -= 1;
    if (handle === undefined || record.origin !== 'program') return;
    // A scope that lived long enough to be made weak is followed already. Only short-lived scopes come in thousands.
    if (this.#lingering.size >= maxLingering || !(isFollowed || this.#pace.take(record.closedMs))) {
      this.#untracked += 1;
      return;
    }
    this.#lingering.add(record);
    if (!isFollowed) this.#registry.register(handle, record);
  }

  #lose(record: ScopeRecord): void {
    if (this.#allowed === lostAtOnce) setTimeout(() => this.#closeLost(), lostRestMs).unref();
    if (this.#allowed === 0) {
      this.#lost.push(record);
      return;
    }
    this.#allowed -= 1;
    this.#owner.unreachable(record);
  }

  #closeLost(): void {
    this.#allowed = lostAtOnce;
    for (const record of this.#lost.splice(-lostAtOnce)) this.#lose(record);
  }

  /** An object that nobody holds. When it is collected, a collection has run. */
  #armSentinel(): void {
    this.#registry.register({}, undefined);
  }

  #afterCollection(): void {
    this.#armSentinel();
    if (this.#heldStrongly === 0 || performance.now() < this.#notBefore) return;
    const records = this.#owner.records();
    for (const record of records) {
      const { handle } = record;
      if (record.id === 0 || record.abandoned || handle === undefined || handle instanceof WeakRef) continue;
      record.handle = new WeakRef(handle);
      this.#registry.register(handle, record);
    }
    this.#heldStrongly = 0;
    // A record is looked at in some 50 ns: with a pause of 5 µs each, very many open scopes cost one part in a hundred.
    this.#notBefore = performance.now() + records.length * 0.005;
  }
}
