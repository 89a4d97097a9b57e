import type { Clock } from './sense/clock.ts';

/** One timer for the soonest of several moments. */
export class Alarm {
  readonly #clock: Pick<Clock, 'monotonic' | 'after'>;
  readonly #ring: () => void;
  #cancel: (() => void) | undefined;
  #dueMs = Number.POSITIVE_INFINITY;
  #isStopped = false;

  constructor(clock: Pick<Clock, 'monotonic' | 'after'>, ring: () => void) {
    this.#clock = clock;
    this.#ring = ring;
  }

  /** Rings after this time, unless it rings sooner. */
  within(ms: number): void {
    this.#set(this.#clock.monotonic() + ms, ms);
  }

  /** Rings at this monotonic time in ms, unless it rings sooner. */
  at(timeMs: number): void {
    this.#set(timeMs, Math.max(0, timeMs - this.#clock.monotonic()));
  }

  /** Does not ring for what was asked so far. */
  clear(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    this.#dueMs = Number.POSITIVE_INFINITY;
  }

  /** Never rings again. */
  stop(): void {
    this.clear();
    this.#isStopped = true;
  }

  #set(dueMs: number, ms: number): void {
    if (this.#isStopped || dueMs >= this.#dueMs) return;
    this.#cancel?.();
    this.#dueMs = dueMs;
    this.#cancel = this.#clock.after(ms, () => {
      this.clear();
      this.#ring();
    });
  }
}
