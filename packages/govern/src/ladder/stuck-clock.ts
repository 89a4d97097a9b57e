/** An emergency is stuck when it lasts this long after every rung had its turn, or four times as long in any case. */
const stuckAfterMs = 60_000;
const tellEveryMs = 5 * 60_000;

/**
 * Measures how long an emergency lasts although its whole ladder ran. It decides when the restart is due, and when to report that there is
 * none.
 *
 * While work is refused, a leak swings around the exit line: refusing brings the level below it, and admitting work brings it back. So time
 * below the line is subtracted and does not reset the clock. Otherwise such a process would never be restarted.
 */
export class StuckClock {
  #stoodMs = 0;
  #rounds = 0;
  #toldMs = Number.NEGATIVE_INFINITY;

  /** How long the emergency has lasted. */
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

  /** Called when every rung had its turn once more. */
  endRound(): void {
    this.#rounds++;
  }

  /** Called when other rungs are in force, of which none had its turn. */
  forgetRounds(): void {
    this.#rounds = 0;
  }

  /** Called when the level is normal again. */
  reset(): void {
    this.#stoodMs = 0;
    this.#rounds = 0;
    this.#toldMs = Number.NEGATIVE_INFINITY;
  }

  /** True when the emergency lasted for `afterMs` and every rung had its turn, or for twice that time. */
  isExitDue(afterMs: number): boolean {
    return this.#stoodMs >= (this.hadRound ? afterMs : 2 * afterMs);
  }

  isTellDue(nowMs: number): boolean {
    return (
      this.#stoodMs >= (this.hadRound ? stuckAfterMs : 4 * stuckAfterMs) &&
      nowMs - this.#toldMs >= tellEveryMs
    );
  }

  /** Records that it was reported. With `isOnce` it is never reported again. */
  told(nowMs: number, isOnce: boolean): void {
    this.#toldMs = isOnce ? Number.POSITIVE_INFINITY : nowMs;
  }
}
