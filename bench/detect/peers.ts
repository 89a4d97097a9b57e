/** The published simple rules, small, behind the same interface as ours. Sizes in MB, times in seconds. */

export interface GcEvent {
  readonly t: number;
  readonly floor: number;
  readonly ext: number;
  readonly sess: number;
  readonly req: number;
  readonly expl: number;
}

export interface SampleEvent {
  readonly t: number;
  readonly heap: number;
  readonly heapTotal: number;
  readonly ext: number;
  readonly rss: number;
  readonly sess: number;
  readonly req: number;
  readonly expl: number;
  readonly retained: number | undefined;
}

/** A detector as the scorer drives it. */
export interface Rule {
  gc(event: GcEvent): void;
  sample(event: SampleEvent): void;
  readonly alarm: boolean;
  /** Seconds to exhaustion, and the ends of its 90 % band. */
  readonly tte?: number | undefined;
  readonly band?: readonly [number, number] | undefined;
}

export interface Meta {
  readonly budget: number;
}

const holdSeconds = 3600;

/** memwatch: five major GCs in a row, each leaving more than the one before. */
class Memwatch implements Rule {
  private last = Number.POSITIVE_INFINITY;
  private run = 0;
  private until = -1;
  private now = 0;

  gc({ t, floor }: GcEvent): void {
    this.run = floor > this.last ? this.run + 1 : 0;
    this.last = floor;
    if (this.run < 5) return;
    this.run = 0;
    this.until = t + holdSeconds;
  }
  sample({ t }: SampleEvent): void {
    this.now = t;
  }
  get alarm(): boolean {
    return this.now < this.until;
  }
}

/** First and last of the newest 100 samples: 10 MB and 10 % apart. */
class FirstLast implements Rule {
  private readonly ring = new Float64Array(100);
  private count = 0;
  alarm = false;

  gc(): void {}
  sample({ heap }: SampleEvent): void {
    const first = this.ring[this.count % 100] as number;
    this.ring[this.count++ % 100] = heap;
    this.alarm = this.count > 100 && heap - first > 10 && heap - first > 0.1 * first;
  }
}

/** The newest points of ten-minute or other buckets in order. */
class Points {
  readonly t: number[] = [];
  readonly y: number[] = [];
  private low = Number.POSITIVE_INFINITY;
  private end = 0;
  private readonly size: number;
  private readonly width: number;

  constructor(size: number, width: number) {
    this.size = size;
    this.width = width;
  }

  /** True when a bucket closed and the window is full. */
  add(t: number, y: number): boolean {
    this.low = Math.min(this.low, y);
    if (t < this.end) return false;
    this.end = t + this.width;
    this.t.push(t);
    this.y.push(this.low);
    this.low = Number.POSITIVE_INFINITY;
    if (this.t.length > this.size) {
      this.t.shift();
      this.y.shift();
    }
    return this.t.length === this.size;
  }
}

/** Mann-Kendall at 1 % with a Theil-Sen slope of 2 % over ten hours of raw heap minima. */
class MannKendall implements Rule {
  private readonly points = new Points(60, 600);
  alarm = false;

  gc(): void {}
  sample({ t, heap }: SampleEvent): void {
    if (!this.points.add(t, heap)) return;
    const { t: x, y } = this.points;
    const n = y.length;
    const slopes: number[] = [];
    let sum = 0;
    for (let i = 0; i < n; i++)
      for (let j = i + 1; j < n; j++) {
        const rise = (y[j] as number) - (y[i] as number);
        sum += Math.sign(rise);
        slopes.push(rise / ((x[j] as number) - (x[i] as number)));
      }
    const z = (sum - Math.sign(sum)) / Math.sqrt((n * (n - 1) * (2 * n + 5)) / 18);
    slopes.sort((a, b) => a - b);
    const growth = (slopes[slopes.length >> 1] as number) * ((x[n - 1] as number) - (x[0] as number));
    this.alarm = z > 2.326 && growth > 0.02 * (y[0] as number);
  }
}

/** predict_linear: six hours of heap carried 24 hours on, ten times in a row above the limit. */
class PredictLinear implements Rule {
  private readonly points = new Points(120, 180);
  private readonly budget: number;
  private run = 0;
  tte: number | undefined;

  constructor({ budget }: Meta) {
    this.budget = budget;
  }
  gc(): void {}
  sample({ t, heap }: SampleEvent): void {
    if (!this.points.add(t, heap)) return;
    const { t: x, y } = this.points;
    const n = x.length;
    const mx = x.reduce((a, b) => a + b) / n;
    const my = y.reduce((a, b) => a + b) / n;
    let xx = 0;
    let xy = 0;
    for (let i = 0; i < n; i++) {
      xx += ((x[i] as number) - mx) ** 2;
      xy += ((x[i] as number) - mx) * ((y[i] as number) - my);
    }
    const slope = xy / xx;
    this.run = my + slope * (t + 86_400 - mx) > this.budget ? this.run + 1 : 0;
    this.tte = slope > 0 ? Math.max(0, (this.budget - my - slope * (t - mx)) / slope) : undefined;
  }
  get alarm(): boolean {
    return this.run >= 10;
  }
}

/** Ten-minute minima of the floor after an hour of warm-up. */
abstract class FloorRule implements Rule {
  private low = Number.POSITIVE_INFINITY;
  private end = 3600;
  alarm = false;

  gc({ t, floor }: GcEvent): void {
    if (t < 3600) {
      this.end = t + 600;
      return;
    }
    this.low = Math.min(this.low, floor);
    if (t < this.end) return;
    this.alarm = this.test(this.low);
    this.low = Number.POSITIVE_INFINITY;
    this.end = t + 600;
  }
  sample(): void {}
  protected abstract test(value: number): boolean;
}

/** One-sided CUSUM (k 0.5, h 8) against the first 36 minima. */
class Cusum extends FloorRule {
  private readonly base: number[] = [];
  private mean = 0;
  private sd = 1;
  private sum = 0;

  protected test(value: number): boolean {
    const { base } = this;
    if (base.length < 36) {
      base.push(value);
      this.mean = base.reduce((a, b) => a + b) / base.length;
      const variance = base.reduce((a, b) => a + (b - this.mean) ** 2, 0) / base.length;
      this.sd = Math.max(0.002 * this.mean, Math.sqrt(variance));
      return false;
    }
    this.sum = Math.max(0, this.sum + Math.min(6, (value - this.mean) / this.sd) - 0.5);
    return this.sum > 8;
  }
}

/** Page-Hinkley (delta 0.005, lambda 0.5) on the minima relative to their running mean. */
class PageHinkley extends FloorRule {
  private count = 0;
  private mean = 0;
  private sum = 0;
  private least = 0;

  protected test(value: number): boolean {
    this.mean += (value - this.mean) / ++this.count;
    this.sum += (value - this.mean) / this.mean - 0.005;
    this.least = Math.min(this.least, this.sum);
    return this.sum - this.least > 0.5;
  }
}

export const peers: readonly { readonly name: string; readonly create: (meta: Meta) => Rule }[] = [
  { name: 'memwatch, 5 GCs', create: () => new Memwatch() },
  { name: 'first/last of 100', create: () => new FirstLast() },
  { name: 'Mann-Kendall', create: () => new MannKendall() },
  { name: 'CUSUM on the floor', create: () => new Cusum() },
  { name: 'Page-Hinkley on the floor', create: () => new PageHinkley() },
  { name: 'predict_linear 6 h to 24 h', create: (meta) => new PredictLinear(meta) },
];
