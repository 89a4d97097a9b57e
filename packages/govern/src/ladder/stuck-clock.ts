/** An emergency that stands for so long after every rung had its turn is stuck; four times as long also when they never all had. */
const stuckAfterMs = 60_000;
const tellEveryMs = 5 * 60_000;

/**
 * How long an emergency has stood against its whole ladder: when the restart is due, and when to say that there is none.
 *
 * Under refusal a leak swings around the exit line. Refusing brings it below, and letting work in brings it back. So time below the line
 * takes as much away as it lasted and does not start the clock anew; otherwise such a process would never be restarted.
 */
export class StuckClock {
  #stoodMs = 0;
  #rounds = 0;
  #toldMs = Number.NEGATIVE_INFINITY;

  /** How long the emergency has stood. */
  get stoodMs(): number {
    return this.#stoodMs;
  }

  /** True once every rung had its turn since the level was reached. */
  get hadRound(): boolean {
    return this.#rounds > 0;
  }

  /** Counts the time of a tick. */
  tick(isStuck: boolean, stepMs: number): void {
    this.#stoodMs = isStuck ? this.#stoodMs + stepMs : Math.max(0, this.#stoodMs - stepMs);
  }

  /** Every rung had its turn once more. */
  endRound(): void {
    this.#rounds++;
  }

  /** Other rungs are in force, and none of them had its turn. */
  forgetRounds(): void {
    this.#rounds = 0;
  }

  /** The level is normal again. */
  reset(): void {
    this.#stoodMs = 0;
    this.#rounds = 0;
    this.#toldMs = Number.NEGATIVE_INFINITY;
  }

  /** True when it stood for a time after every rung had its turn, or for twice that time. */
  isExitDue(afterMs: number): boolean {
    return this.#stoodMs >= (this.hadRound ? afterMs : 2 * afterMs);
  }

  isTellDue(nowMs: number): boolean {
    return (
      this.#stoodMs >= (this.hadRound ? stuckAfterMs : 4 * stuckAfterMs) &&
      nowMs - this.#toldMs >= tellEveryMs
    );
  }

  /** It was told; never again when `isOnce`. */
  told(nowMs: number, isOnce: boolean): void {
    this.#toldMs = isOnce ? Number.POSITIVE_INFINITY : nowMs;
  }
}
