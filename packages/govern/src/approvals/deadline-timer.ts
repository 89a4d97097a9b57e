import type { Clock } from '@plimsoll/core/internal/sense/clock';

/** The one timer for the soonest deadline, so that a ticket ends in time even when no reading comes. */
export class DeadlineTimer {
  readonly #clock: Pick<Clock, 'monotonic' | 'after'>;
  readonly #ring: () => void;
  #setForMs: number | undefined;
  #cancel: (() => void) | undefined;

  constructor(clock: Pick<Clock, 'monotonic' | 'after'>, ring: () => void) {
    this.#clock = clock;
    this.#ring = ring;
  }

  /** Sets the monotonic time at which it rings. Without a time it does not ring. */
  set(atMs: number | undefined): void {
    if (atMs === this.#setForMs) return;
    this.#cancel?.();
    this.#cancel = undefined;
    this.#setForMs = atMs;
    if (atMs === undefined) return;
    this.#cancel = this.#clock.after(Math.max(1, Math.ceil(atMs - this.#clock.monotonic())), () => {
      this.#setForMs = undefined;
      this.#ring();
    });
  }
}
