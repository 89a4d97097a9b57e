import type { AlertClock } from './alert.ts';

/** One timer for the soonest of several moments. */
export class Alarm {
  readonly #clock: Pick<AlertClock, 'monotonic' | 'after'>;
  readonly #ring: () => void;
  #cancel: (() => void) | undefined;
  #dueMs = Number.POSITIVE_INFINITY;
  #isStopped = false;

  constructor(clock: Pick<AlertClock, 'monotonic' | 'after'>, ring: () => void) {
    this.#clock = clock;
    this.#ring = ring;
  }

  /** Rings after this time, unless it rings sooner. */
  within(ms: number): void {
    const dueMs = this.#clock.monotonic() + ms;
    if (this.#isStopped || dueMs >= this.#dueMs) return;
    this.#cancel?.();
    this.#dueMs = dueMs;
    this.#cancel = this.#clock.after(ms, () => {
      this.#dueMs = Number.POSITIVE_INFINITY;
      this.#ring();
    });
  }

  /** Does not ring for what was asked so far. */
  clear(): void {
    this.#cancel?.();
    this.#dueMs = Number.POSITIVE_INFINITY;
  }

  /** Never rings again. */
  stop(): void {
    this.clear();
    this.#isStopped = true;
  }
}
