import type { Clock } from '@plimsoll/core/internal/sense/clock';

/** The one timer for the soonest deadline, so that a ticket ends in time also when no reading comes. */
export class DeadlineTimer {
  readonly #clock: Pick<Clock, 'monotonic' | 'after'>;
  readonly #ring: () => void;
  #setForMs: number | undefined;
  #cancel: (() => void) | undefined;

  constructor(clock: Pick<Clock, 'monotonic' | 'after'>, ring: () => void) {
    this.#clock = clock;
    this.#ring = ring;
  }

  /** Rings at this monotonic time instead of the one before; not at all when there is none. */
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
