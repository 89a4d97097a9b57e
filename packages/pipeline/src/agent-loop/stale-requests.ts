import { failure } from '@plimsoll/core/internal/errors';
import { countOption, msOption } from '@plimsoll/keep/internal/bound';

export interface StaleRequestsOptions {
  /** A request that was not touched for this long is purged, such as "30s". Required. */
  readonly after: number | string;
  /** Most requests, default 10,000. The stalest is purged first. */
  readonly max?: number;
  /** Called with each request that is purged. */
  readonly onStale?: (id: string, ageMs: number) => void;
  /** Monotonic ms; default `performance.now`. */
  readonly now?: () => number;
}

/**
 * Requests that wait for an answer which may never come. Each has a signal that is aborted when it is purged. They are checked with every
 * `begin`, and by an unreferenced timer while there are any.
 */
export class StaleRequestPurger implements Disposable {
  readonly #afterMs: number;
  readonly #max: number;
  readonly #onStale: StaleRequestsOptions['onStale'];
  readonly #now: () => number;
  /** The request that was not touched for the longest time is first. */
  readonly #waiting = new Map<string, { touchedMs: number; readonly controller: AbortController }>();
  #timer: NodeJS.Timeout | undefined;
  #purged = 0;

  constructor(options: StaleRequestsOptions) {
    const afterMs = msOption('StaleRequestPurger', 'after', options?.after);
    if (afterMs === undefined)
      throw failure('PLM_KEEP_UNBOUNDED', { keeper: 'StaleRequestPurger', options: ['after'] });
    this.#afterMs = afterMs;
    this.#max = countOption('StaleRequestPurger', 'max', options.max) ?? 10_000;
    this.#onStale = options.onStale;
    this.#now = options.now ?? (() => performance.now());
  }

  get size(): number {
    return this.#waiting.size;
  }

  get purged(): number {
    return this.#purged;
  }

  /** Begins to wait and returns a signal, which is aborted when the request is purged. A known id starts again. */
  begin(id: string): AbortSignal {
    this.purge();
    const known = this.#waiting.get(id);
    if (known !== undefined) this.#waiting.delete(id);
    else if (this.#waiting.size >= this.#max) this.#drop(this.#waiting.keys().next().value as string);
    const controller = known?.controller ?? new AbortController();
    this.#waiting.set(id, { touchedMs: this.#now(), controller });
    this.#timer ??= setInterval(() => this.purge(), Math.max(1000, this.#afterMs / 4)).unref();
    return controller.signal;
  }

  /** Records a sign of life of the request. */
  touch(id: string): void {
    const entry = this.#waiting.get(id);
    if (entry === undefined) return;
    entry.touchedMs = this.#now();
    this.#waiting.delete(id);
    this.#waiting.set(id, entry);
  }

  /** Ends a request that was answered; false when it is unknown or was purged. */
  end(id: string): boolean {
    const isKnown = this.#waiting.delete(id);
    this.#rest();
    return isKnown;
  }

  /** Aborts stale requests and returns their number. */
  purge(): number {
    const before = this.#purged;
    const oldest = this.#now() - this.#afterMs;
    for (const [id, { touchedMs }] of this.#waiting) {
      if (touchedMs > oldest) break;
      this.#drop(id);
    }
    this.#rest();
    return this.#purged - before;
  }

  [Symbol.dispose](): void {
    for (const id of this.#waiting.keys()) this.#drop(id);
    this.#rest();
  }

  #drop(id: string): void {
    const entry = this.#waiting.get(id);
    if (entry === undefined) return;
    this.#waiting.delete(id);
    this.#purged++;
    try {
      entry.controller.abort(new DOMException('the request is stale', 'TimeoutError'));
      this.#onStale?.(id, this.#now() - entry.touchedMs);
    } catch {
      // A listener that throws must not stop the purge of the others.
    }
  }

  #rest(): void {
    if (this.#waiting.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
