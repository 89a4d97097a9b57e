import { failure } from '@plimsoll/core/internal/errors';
import { isPlimsollError } from '@plimsoll/core';
import type { PlimsollError } from '@plimsoll/core';
import { encodeParked } from '../parking-lot/parked-form.ts';
import type { Claims } from '../parking-lot/claims.ts';
import type { ParkingLot } from '../parking-lot/parking-lot.ts';
import { isThenable } from '../thenable.ts';
import type { CacheEntry } from './entry.ts';
import type { EventBoard } from './events.ts';
import type { DisposeInfo, LeaveReason, CacheSettings } from './settings.ts';

/** Pause before the second try; doubled for each further one. */
const firstPauseMs = 50;

/** A timer that rings later than this says that the event loop was blocked. */
const blockedMs = 50;

/** What a teardown needs of the crew that runs it. */
export interface TeardownHome<V> {
  readonly settings: CacheSettings<V>;
  readonly board: EventBoard;
  readonly label: string;
  /** With a shared lot: the sessions that this process holds. */
  readonly claims: Claims | undefined;
  wake(at: number): void;
  finished(teardown: Teardown<V>): void;
}

/**
 * The end of one value: parked if the cache parks, then disposed, each in timed tries.
 *
 * The entry was claimed before this exists, so nobody can lease it. It finishes whatever the hooks do, at the latest after all tries ran
 * out of time.
 */
export class Teardown<V> {
  readonly entry: CacheEntry<V>;
  readonly reason: LeaveReason;
  /** When the current try runs out of time or the next one starts; monotonic ms. */
  dueAt = Number.POSITIVE_INFINITY;
  readonly #home: TeardownHome<V>;
  readonly #value: V;
  #lot: ParkingLot | undefined;
  #attempt = 0;
  #trying: Try | undefined;
  #done = false;
  #unwanted = false;
  #hasGrace = true;

  constructor(
    home: TeardownHome<V>,
    entry: CacheEntry<V>,
    value: V,
    reason: LeaveReason,
    lot: ParkingLot | undefined,
  ) {
    this.#home = home;
    this.entry = entry;
    this.#value = value;
    this.reason = reason;
    this.#lot = lot;
  }

  /** Starts with parking. */
  start(): void {
    this.#next();
  }

  /** Goes on from a first try of `dispose` that was made without a teardown, because most are over when the hook returns. */
  resume(first: Try, result: PromiseLike<unknown>): void {
    this.#attempt = first.attempt;
    this.#trying = first;
    this.#await(result, first);
  }

  /** The id was closed, so no parked copy stays. */
  unpark(): void {
    this.#unwanted = true;
  }

  /** Called when `dueAt` has passed: a try has taken too long, or the pause before the next is over. */
  due(now: number): void {
    const hung = this.#trying;
    if (hung === undefined) {
      this.#next();
      return;
    }
    const { settings, label } = this.#home;
    const late = now - this.dueAt;
    if (late > blockedMs && this.#hasGrace) {
      // The loop was blocked, so the hook may be done and not yet heard.
      this.#hasGrace = false;
      this.dueAt = now + Math.min(late, settings.disposeTimeout);
      this.#home.wake(this.dueAt);
      return;
    }
    const hook = this.#lot === undefined ? 'dispose' : 'park';
    const error = failure('PLM_KEEP_HOOK_TIMEOUT', {
      keeper: label,
      hook,
      id: this.entry.id,
      ms: settings.disposeTimeout,
    });
    hung.abort(error);
    this.#failed(hung, error);
  }

  #next(): void {
    this.#attempt++;
    const attempt = new Try(this.entry.id, this.reason, this.#attempt);
    this.#trying = attempt;
    try {
      const result: unknown =
        this.#lot === undefined
          ? this.#home.settings.dispose?.(this.#value, attempt)
          : this.#park(this.#lot, performance.now());
      if (!isThenable(result)) {
        this.#succeeded(attempt);
        return;
      }
      this.#await(result, attempt);
    } catch (cause) {
      this.#failed(attempt, cause);
    }
  }

  #await(result: PromiseLike<unknown>, attempt: Try): void {
    this.dueAt = this.#home.settings.clock.monotonic() + this.#home.settings.disposeTimeout;
    this.#home.wake(this.dueAt);
    result.then(
      () => this.#succeeded(attempt),
      (cause: unknown) => this.#failed(attempt, cause),
    );
  }

  async #park(lot: ParkingLot, startedAt: number): Promise<void> {
    const { settings, board, claims } = this.#home;
    const { id, bytes } = this.entry;
    const parked = settings.freeze === undefined ? this.#value : settings.freeze(this.#value, id);
    const form = await encodeParked(id, parked);
    if (claims === undefined) await lot.put(id, form);
    else await claims.park(id, form);
    if (this.#unwanted) {
      // Whoever closed a session of a shared lot removes it under its claim.
      if (claims === undefined) await lot.remove(id);
      return;
    }
    board.emit('park', { id, bytes, parkedBytes: form.byteLength, ms: performance.now() - startedAt });
  }

  #succeeded(attempt: Try): void {
    // A try that settles after its time, before the next has begun, still counts.
    if (this.#done || attempt.attempt !== this.#attempt) return;
    if (this.#lot !== undefined) {
      this.#disposeNext();
      return;
    }
    this.#finish();
  }

  #failed(attempt: Try, cause: unknown): void {
    if (this.#done || attempt.attempt !== this.#attempt || this.#trying !== attempt) return;
    this.#trying = undefined;
    const { settings, board } = this.#home;
    const hook = this.#lot === undefined ? 'dispose' : 'park';
    board.emit('hook-failed', { hook, id: this.entry.id, cause });
    if (this.#attempt <= settings.disposeRetries && !isFinal(cause)) {
      this.dueAt = settings.clock.monotonic() + firstPauseMs * 2 ** (this.#attempt - 1);
      this.#home.wake(this.dueAt);
    } else if (this.#lot === undefined) this.#giveUp(cause);
    else {
      board.emit('park-failed', { id: this.entry.id, error: parkError(this.entry.id, this.#lot, cause) });
      // The older copy is all that is left of the session, and any process may have it.
      void this.#home.claims?.release(this.entry.id);
      this.#disposeNext();
    }
  }

  /** Goes on from parking to disposing, with its own tries. */
  #disposeNext(): void {
    this.#lot = undefined;
    this.#trying = undefined;
    this.#attempt = 0;
    this.dueAt = Number.POSITIVE_INFINITY;
    this.#next();
  }

  #giveUp(cause: unknown): void {
    const { settings, board, label } = this.#home;
    const { id, bytes } = this.entry;
    const error = failure(
      'PLM_KEEP_DISPOSE_FAILED',
      { keeper: label, id, attempts: this.#attempt, last: describe(cause) },
      { cause },
    );
    board.emit('dispose-failed', { id, bytes, reason: this.reason, error });
    try {
      settings.onDeadLetter?.({ id, value: this.#value, reason: this.reason, error });
    } catch (failed) {
      board.emit('hook-failed', { hook: 'onDeadLetter', id, cause: failed });
    }
    this.#finish();
  }

  #finish(): void {
    this.#done = true;
    this.#trying = undefined;
    this.dueAt = Number.POSITIVE_INFINITY;
    this.#home.finished(this);
  }
}

/** One try of a hook; its signal is made only when the hook asks for it. */
export class Try implements DisposeInfo {
  readonly id: string;
  readonly reason: LeaveReason;
  readonly attempt: number;
  #controller: AbortController | undefined;
  #cause: unknown;

  constructor(id: string, reason: LeaveReason, attempt: number) {
    this.id = id;
    this.reason = reason;
    this.attempt = attempt;
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#cause !== undefined) this.#controller.abort(this.#cause);
    }
    return this.#controller.signal;
  }

  abort(cause: unknown): void {
    this.#cause = cause;
    this.#controller?.abort(cause);
  }
}

/** Errors that another try cannot cure: the value cannot be serialised or is too large, or another process holds the session. */
function isFinal(cause: unknown): boolean {
  if (isPlimsollError(cause))
    return cause.code === 'PLM_KEEP_PARK_TOO_LARGE' || cause.code === 'PLM_KEEP_CLAIM_LOST';
  return cause instanceof Error && cause.name === 'DataCloneError';
}

function parkError(id: string, lot: ParkingLot, cause: unknown): PlimsollError {
  if (
    isPlimsollError(cause) &&
    (cause.code.startsWith('PLM_KEEP_PARK') || cause.code === 'PLM_KEEP_CLAIM_LOST')
  )
    return cause;
  return failure('PLM_KEEP_PARK_FAILED', { id, lot: lot.label, why: describe(cause) }, { cause });
}

/** The text of an error as part of a sentence. */
function describe(cause: unknown): string {
  return (cause instanceof Error ? cause.message : String(cause)).replace(/\.$/, '');
}
