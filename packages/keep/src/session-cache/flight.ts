import type { Lease } from './lease.ts';

/** One caller that waits for a value being opened. */
interface Waiter<V> {
  readonly owner: string | undefined;
  readonly resolve: (lease: Lease<V>) => void;
  readonly reject: (cause: unknown) => void;
  /** Stops listening to the caller's signal. */
  readonly quit: () => void;
}

/** The one opening of an id, and everybody who waits for it. */
export class LoadFlight<V> {
  readonly id: string;
  /** Why the value is not wanted any more, when somebody closed it meanwhile. */
  cancelled: unknown;
  readonly #controller = new AbortController();
  readonly #waiters = new Set<Waiter<V>>();
  #settle: () => void = () => {};
  /** Resolves when the opening is over, well or not. */
  readonly over = new Promise<void>((resolve) => {
    this.#settle = resolve;
  });

  constructor(id: string) {
    this.id = id;
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** The owner of the first who waits. */
  get owner(): string | undefined {
    for (const waiter of this.#waiters) return waiter.owner;
    return undefined;
  }

  /** Waits for the value; a caller that aborts leaves the others alone, and the last one to leave aborts the opening. */
  join(owner: string | undefined, signal: AbortSignal | undefined): Promise<Lease<V>> {
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        this.#waiters.delete(waiter);
        reject(signal?.reason);
        if (this.#waiters.size === 0) this.#controller.abort(signal?.reason);
      };
      const quit = (): void => signal?.removeEventListener('abort', leave);
      const waiter: Waiter<V> = { owner, resolve, reject, quit };
      this.#waiters.add(waiter);
      signal?.addEventListener('abort', leave, { once: true });
    });
  }

  /** Ends the opening for everybody. A value that still arrives is discarded. */
  cancel(cause: unknown): void {
    if (this.cancelled !== undefined) return;
    this.cancelled = cause;
    this.fail(cause);
    this.#controller.abort(cause);
  }

  /** Hands everybody who still waits a lease of their own, made before anyone runs. */
  land(claim: (owner: string | undefined) => Lease<V>): void {
    const landed = [...this.#waiters].map((waiter) => ({ waiter, lease: claim(waiter.owner) }));
    this.#waiters.clear();
    for (const { waiter, lease } of landed) {
      waiter.quit();
      waiter.resolve(lease);
    }
  }

  fail(cause: unknown): void {
    for (const waiter of this.#waiters) {
      waiter.quit();
      waiter.reject(cause);
    }
    this.#waiters.clear();
  }

  end(): void {
    this.#settle();
  }
}
