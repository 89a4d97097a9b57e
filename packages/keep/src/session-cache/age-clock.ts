/** The ages of entries as far as `maxAge` needs them: who has not been dated yet, and when the oldest came. Ms since the cache was made. */
export class AgeClock {
  /** True when entries came in since the last sweep; a `set` spares itself a look at the clock. */
  hasNewborns = false;
  readonly #maxAgeMs: number;
  /** No live, unleased entry was born before this. */
  #oldestBirth = Number.POSITIVE_INFINITY;

  constructor(maxAgeMs: number) {
    this.#maxAgeMs = maxAgeMs;
  }

  get isOn(): boolean {
    return this.#maxAgeMs !== Number.POSITIVE_INFINITY;
  }

  /** True when something born then is too old now. */
  isDue(born: number, nowMs: number): boolean {
    return nowMs - born > this.#maxAgeMs;
  }

  /** True when an entry may be too old. */
  isAnyDue(nowMs: number): boolean {
    return this.isDue(this.#oldestBirth, nowMs);
  }

  /** An entry that was leased is back. */
  note(born: number): void {
    this.#oldestBirth = Math.min(this.#oldestBirth, born);
  }

  /** All entries have been looked at; the oldest of those that stay. */
  reset(oldestBirth: number): void {
    this.#oldestBirth = oldestBirth;
  }

  /** Gives entries that came in since the last sweep the latest moment they can have come. */
  date(entries: Iterable<{ born: number }>, nowMs: number): void {
    if (!this.hasNewborns) return;
    this.hasNewborns = false;
    const latest = nowMs + 1;
    for (const entry of entries) if (entry.born === 0) entry.born = latest;
    this.note(latest);
  }
}
