/** Stamps that one idle period may span; more would be precision nobody asked for. */
const mostStamps = 128;

/**
 * Coarse time for uses: a use is marked with the current stamp, an integer, instead of a reading of the clock.
 *
 * A stamp stands for the span between two ticks, so a use may be as late as the end of its stamp. An entry counts as idle only when that
 * end is longer ago than the idle period. So it is never early, also when the event loop was blocked and a stamp became long.
 */
export class IdleClock {
  /** Stamp to mark a use with. */
  stamp = 1;
  /** Entries marked with this stamp or an older one have been idle for too long. */
  floor = 0;
  /** Share of the idle period that counts now, 0 to 1; less while memory is short. */
  scale = 1;
  readonly #idleMs: number;
  readonly #stampMs: number;
  #startedAt: number;
  /** Ends of the stamps after `floor`, oldest first. */
  readonly #ends: number[] = [];

  constructor(idleMs: number, now: number) {
    this.#idleMs = idleMs;
    this.#stampMs = Number.isFinite(idleMs) ? idleMs / mostStamps : 0;
    this.#startedAt = now;
  }

  /** Begins a new stamp and lets old ones expire. */
  tick(now: number): void {
    if (!Number.isFinite(this.#idleMs)) {
      this.stamp++;
      return;
    }
    if (now - this.#startedAt >= this.#stampMs) {
      this.#ends.push(now);
      this.stamp++;
      this.#startedAt = now;
    }
    while (this.#ends.length > 0 && now - (this.#ends[0] as number) > this.#idleMs * this.scale) {
      this.#ends.shift();
      this.floor++;
    }
  }
}
