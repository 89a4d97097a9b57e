/**
 * Fans one long-lived AbortSignal out to the scopes that follow it, through a single listener.
 *
 * Frameworks that add a listener per call to a process-lifetime signal keep every call alive for ever. Here the
 * long-lived signal carries one listener while any scope follows it and none afterwards; leaving is O(1), which a
 * listener per scope is not (removeEventListener walks a list).
 */
class SignalHub {
  readonly #source: AbortSignal;
  readonly #followers = new Set<ScopeSignal>();
  readonly #forward = (): void => {
    const followers = [...this.#followers];
    this.#followers.clear();
    for (const follower of followers) follower.abort(this.#source.reason);
  };

  constructor(source: AbortSignal) {
    this.#source = source;
  }

  join(follower: ScopeSignal): void {
    if (this.#followers.size === 0) this.#source.addEventListener('abort', this.#forward, { once: true });
    this.#followers.add(follower);
  }

  leave(follower: ScopeSignal): void {
    if (!this.#followers.delete(follower) || this.#followers.size > 0) return;
    this.#source.removeEventListener('abort', this.#forward);
  }
}

const hubs = new WeakMap<AbortSignal, SignalHub>();

/** The AbortSignal a scope owns: it follows a longer-lived one until the scope closes, and is aborted then. */
export class ScopeSignal {
  readonly #controller = new AbortController();
  #hub: SignalHub | undefined;

  constructor(source: AbortSignal | undefined) {
    if (source === undefined) return;
    if (source.aborted) {
      this.#controller.abort(source.reason);
      return;
    }
    let hub = hubs.get(source);
    if (hub === undefined) hubs.set(source, (hub = new SignalHub(source)));
    this.#hub = hub;
    hub.join(this);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Drops the listener on the longer-lived signal, then aborts. */
  abort(reason: unknown): void {
    const hub = this.#hub;
    this.#hub = undefined;
    hub?.leave(this);
    this.#controller.abort(reason);
  }
}
