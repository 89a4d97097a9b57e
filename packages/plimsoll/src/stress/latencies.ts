/** Durations in buckets of 5 %, so that millions of calls take a few KiB. */
export class Latencies {
  readonly #buckets = new Map<number, number>();
  #count = 0;

  add(ms: number): void {
    const bucket = Math.round(Math.log(Math.max(0.01, ms)) / step);
    this.#buckets.set(bucket, (this.#buckets.get(bucket) ?? 0) + 1);
    this.#count++;
  }

  merge(other: Latencies): void {
    for (const [bucket, count] of other.#buckets)
      this.#buckets.set(bucket, (this.#buckets.get(bucket) ?? 0) + count);
    this.#count += other.#count;
  }

  get count(): number {
    return this.#count;
  }

  /** The duration below which this share of the calls was; null without calls. */
  quantile(share: number): number | null {
    if (this.#count === 0) return null;
    let left = share * this.#count;
    for (const [bucket, count] of [...this.#buckets].sort(([a], [b]) => a - b)) {
      left -= count;
      if (left <= 0) return Math.exp(bucket * step);
    }
    return Math.exp(Math.max(...this.#buckets.keys()) * step);
  }
}

const step = Math.log(1.05);
