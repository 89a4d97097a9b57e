import { failure } from '@plimsoll/core/internal/errors';
import type { CacheEntry } from './entry.ts';

/** What a lease tells when it ends; the cache. */
export interface LeaseGiver<V> {
  readonly coarseMs: number;
  takeStack(): string | undefined;
  /** With a shared lot: true while no other process can hold the session. */
  readonly isHeld: ((id: string) => boolean) | undefined;
  ended(entry: CacheEntry<V>, lease: Lease<V>): void;
}

/** A claim that a kept value is in use: the value is not disposed before the lease ends. Ends once, however often it is released. */
export class Lease<V> implements Disposable, AsyncDisposable {
  readonly id: string;
  readonly owner: string | undefined;
  /** Ms of the cache's coarse clock when it was taken, up to one sweep before the moment. */
  readonly since: number;
  /** Where it was taken, when the cache records stacks. */
  readonly stack: string | undefined;
  /** @internal The lease of the same entry taken before this one. */
  older: Lease<V> | undefined = undefined;
  /** @internal Whether it was reported as held for long. */
  reported = false;
  #entry: CacheEntry<V> | undefined;
  #held: V | undefined;
  #giver: LeaseGiver<V> | undefined;

  /** @internal */
  constructor(giver: LeaseGiver<V>, entry: CacheEntry<V>, value: V, owner: string | undefined) {
    this.id = entry.id;
    this.owner = owner;
    this.since = giver.coarseMs;
    this.stack = giver.takeStack();
    this.#entry = entry;
    this.#held = value;
    this.#giver = giver;
  }

  /** The kept value; an error once the lease has ended. */
  get value(): V {
    // Asking may revoke this lease: the process may have been stopped for longer than its claim lasts.
    if (this.#giver?.isHeld?.(this.id) === false || this.#entry === undefined) throw this.#endedError();
    return this.#held as V;
  }

  /** False once released or revoked. */
  get active(): boolean {
    return this.#entry !== undefined;
  }

  release(): void {
    const entry = this.#entry;
    const giver = this.#giver;
    if (entry === undefined || giver === undefined) return;
    this.#entry = undefined;
    this.#held = undefined;
    this.#giver = undefined;
    giver.ended(entry, this);
  }

  /** @internal Ends the lease without telling the cache, which does so itself at the deadline of a drain. */
  revoke(): void {
    this.#entry = undefined;
    this.#held = undefined;
  }

  [Symbol.dispose](): void {
    this.release();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.release();
  }

  #endedError(): Error {
    const ended = this.#giver === undefined ? 'released' : 'revoked';
    return failure('PLM_KEEP_LEASE_ENDED', { id: this.id, ended });
  }
}

/** Takes a lease out of the chain of its entry. */
export function unlink<V>(entry: CacheEntry<V>, lease: Lease<V>): void {
  if (entry.holder === lease) entry.holder = lease.older;
  else {
    let newer = entry.holder;
    while (newer !== undefined && newer.older !== lease) newer = newer.older;
    if (newer !== undefined) newer.older = lease.older;
  }
  lease.older = undefined;
}
