/**
 * Follows a longer-lived AbortSignal for one call without keeping the call alive.
 *
 * Frameworks add a listener to the signal they are given and forget it when a reader leaves early. On a signal that lives as long as the
 * process such a listener keeps the whole call (101 KB with `ai` 7). Here the long-lived signal holds one listener for all calls, and each
 * call only weakly. The signal of a call lives as long as the call itself; once it is collected nothing remains.
 */
class Forwarder {
  readonly #source: WeakRef<AbortSignal>;
  readonly #calls = new Set<WeakRef<AbortController>>();

  constructor(source: AbortSignal) {
    this.#source = new WeakRef(source);
  }

  follow(controller: AbortController): void {
    if (this.#calls.size === 0) this.#source.deref()?.addEventListener('abort', this.#onAbort);
    const ref = new WeakRef(controller);
    this.#calls.add(ref);
    collected.register(controller, { forwarder: this, ref }, controller);
  }

  leave(ref: WeakRef<AbortController>): void {
    if (!this.#calls.delete(ref) || this.#calls.size > 0) return;
    // A signal made by AbortSignal.any stays in memory for as long as it has a listener.
    this.#source.deref()?.removeEventListener('abort', this.#onAbort);
  }

  readonly #onAbort = (): void => {
    const calls = [...this.#calls];
    this.#calls.clear();
    const reason: unknown = this.#source.deref()?.reason;
    for (const ref of calls) ref.deref()?.abort(reason);
  };
}

const forwarders = new WeakMap<AbortSignal, Forwarder>();
/** Keeps the controller for as long as its signal is in use. */
const controllers = new WeakMap<AbortSignal, AbortController>();
const collected = new FinalizationRegistry<{ forwarder: Forwarder; ref: WeakRef<AbortController> }>(
  ({ forwarder, ref }) => forwarder.leave(ref),
);

/** A signal for one call that follows a longer-lived one, and `abort`, which ends the call. Neither keeps the call in memory. */
export function callSignal(source: AbortSignal | undefined): {
  readonly signal: AbortSignal;
  readonly abort: (reason: unknown) => void;
} {
  const controller = new AbortController();
  const { signal } = controller;
  controllers.set(signal, controller);
  if (source?.aborted === true) controller.abort(source.reason);
  else if (source !== undefined) {
    let forwarder = forwarders.get(source);
    if (forwarder === undefined) forwarders.set(source, (forwarder = new Forwarder(source)));
    forwarder.follow(controller);
  }
  const ref = new WeakRef(controller);
  return { signal, abort: (reason) => ref.deref()?.abort(reason) };
}
