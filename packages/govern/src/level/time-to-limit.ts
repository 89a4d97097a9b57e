/** Major GCs a forecast looks back on, and the fewest it needs. */
const maxFloors = 8;
const minFloors = 3;
/** Floors nearer together than this say nothing about growth. */
const minSpanMs = 5000;
/** Older floors belong to another time. */
const maxAgeMs = 600_000;

/** Forecasts when live memory reaches its limit, from the floors after the last major GCs. */
export class TimeToLimit {
  readonly #at: number[] = [];
  readonly #bytes: number[] = [];

  /** Takes the live bytes after a major GC; `nowMs` is monotonic. */
  add(nowMs: number, floorBytes: number): void {
    this.#at.push(nowMs);
    this.#bytes.push(floorBytes);
    if (this.#at.length > maxFloors) this.#dropFirst();
  }

  /** Milliseconds until the limit is reached at the present growth; infinite when it does not grow or too little is known. */
  forecast(nowMs: number, limitBytes: number): number {
    while (this.#at.length > 0 && nowMs - (this.#at[0] as number) > maxAgeMs) this.#dropFirst();
    const n = this.#at.length;
    if (n < minFloors || (this.#at[n - 1] as number) - (this.#at[0] as number) < minSpanMs)
      return Number.POSITIVE_INFINITY;
    // The last three have to rise: a live set that swings has rising stretches too, but they end.
    for (let i = n - 1; i > n - minFloors; i--)
      if ((this.#bytes[i] as number) <= (this.#bytes[i - 1] as number)) return Number.POSITIVE_INFINITY;
    const slope = this.#slope();
    if (slope <= 0) return Number.POSITIVE_INFINITY;
    const leftBytes = limitBytes - (this.#bytes[n - 1] as number);
    return Math.max(0, leftBytes / slope - (nowMs - (this.#at[n - 1] as number)));
  }

  /** Bytes per ms: the median slope of all pairs (Theil and Sen), which one odd floor cannot bend. */
  #slope(): number {
    const slopes: number[] = [];
    for (let j = 1; j < this.#at.length; j++) {
      for (let i = 0; i < j; i++) {
        const ms = (this.#at[j] as number) - (this.#at[i] as number);
        if (ms > 0) slopes.push(((this.#bytes[j] as number) - (this.#bytes[i] as number)) / ms);
      }
    }
    slopes.sort((a, b) => a - b);
    return slopes[slopes.length >> 1] ?? 0;
  }

  #dropFirst(): void {
    this.#at.shift();
    this.#bytes.shift();
  }
}
