import { parameters as p } from './parameters.ts';
import { Teeth } from './teeth.ts';

const hour = 3600;

/** Fields of one bucket: seconds of uptime, channel value, load, requests so far, earlier runs' value, attributed bytes. */
const fields = 6;

const fineBuckets = 24;
const coarseBuckets = 16;
const levels = 10;

/** The most buckets a timeline ever holds. */
export const maxBuckets = fineBuckets + coarseBuckets * (levels - 1);

/**
 * A whole life in a few hundred numbers: the last hours in fine buckets, each older stretch in buckets twice as wide.
 *
 * When a level is full its two oldest buckets become one of the next level: their mean, or the lower one when the other sticks out
 * upward (a batch job, a spike), so that neither noise nor bursts tilt the old part against the new one. With ten minutes at the finest
 * level that is a hundred days; what is older falls off.
 */
export class Timeline {
  readonly #rows = new Float64Array(maxBuckets * fields);
  readonly #starts = new Uint16Array(levels);
  readonly #counts = new Uint16Array(levels);
  /** Running median of how much the two buckets of a merge differ, by level. */
  readonly #spread = new Float64Array(levels);
  readonly #seen = new Uint32Array(levels);
  readonly #carry = new Float64Array(fields * 2);

  /** Adds the newest bucket. `slope` is the load coefficient by which two buckets are made comparable. */
  push(
    t: number,
    y: number,
    load: number,
    requests: number,
    history: number,
    attributed: number,
    slope: number,
  ): void {
    const carry = this.#carry;
    carry[0] = t;
    carry[1] = y;
    carry[2] = load;
    carry[3] = requests;
    carry[4] = history;
    carry[5] = attributed;
    for (let level = 0; level < levels; level++) {
      const capacity = level === 0 ? fineBuckets : coarseBuckets;
      if ((this.#counts[level] as number) < capacity) {
        this.#append(level, capacity);
        return;
      }
      // Two oldest out, one in: the merged one goes on to the next level.
      const merged = this.#merge(level, capacity, slope);
      this.#append(level, capacity);
      for (let f = 0; f < fields; f++) carry[f] = carry[fields + f] as number;
      if (!merged) return;
    }
  }

  /** Copies the buckets, oldest first, into columns; returns how many. `level` receives each bucket's level. */
  read(into: {
    t: Float64Array;
    y: Float64Array;
    load: Float64Array;
    requests: Float64Array;
    history: Float64Array;
    attributed: Float64Array;
    level: Uint8Array;
  }): number {
    let n = 0;
    for (let level = levels - 1; level >= 0; level--) {
      const capacity = level === 0 ? fineBuckets : coarseBuckets;
      const base = this.#base(level);
      for (let i = 0; i < (this.#counts[level] as number); i++) {
        const at = (base + (((this.#starts[level] as number) + i) % capacity)) * fields;
        into.t[n] = this.#rows[at] as number;
        into.y[n] = this.#rows[at + 1] as number;
        into.load[n] = this.#rows[at + 2] as number;
        into.requests[n] = this.#rows[at + 3] as number;
        into.history[n] = this.#rows[at + 4] as number;
        into.attributed[n] = this.#rows[at + 5] as number;
        into.level[n] = level;
        n++;
      }
    }
    return n;
  }

  #base(level: number): number {
    return level === 0 ? 0 : fineBuckets + (level - 1) * coarseBuckets;
  }

  #append(level: number, capacity: number): void {
    const at =
      this.#base(level) + (((this.#starts[level] as number) + (this.#counts[level] as number)) % capacity);
    for (let f = 0; f < fields; f++) this.#rows[at * fields + f] = this.#carry[f] as number;
    this.#counts[level] = (this.#counts[level] as number) + 1;
  }

  /** Takes the two oldest of a full level out and leaves their union in the second half of `carry`. */
  #merge(level: number, capacity: number, slope: number): boolean {
    const base = this.#base(level);
    const start = this.#starts[level] as number;
    const a = (base + start) * fields;
    const b = (base + ((start + 1) % capacity)) * fields;
    this.#starts[level] = (start + 2) % capacity;
    this.#counts[level] = (this.#counts[level] as number) - 2;
    const rows = this.#rows;
    const carry = this.#carry;
    const gap =
      (rows[a + 1] as number) -
      (rows[b + 1] as number) -
      slope * ((rows[a + 2] as number) - (rows[b + 2] as number));
    const isOutlier = this.#outlier(level, Math.abs(gap));
    for (let f = 0; f < fields; f++) {
      const x = rows[a + f] as number;
      const z = rows[b + f] as number;
      carry[fields + f] = !isOutlier ? (x + z) / 2 : gap > 0 ? z : x;
    }
    return level + 1 < levels;
  }

  #outlier(level: number, gap: number): boolean {
    const seen = (this.#seen[level] = Math.min(1000, (this.#seen[level] as number) + 1));
    const typical = this.#spread[level] as number;
    if (seen === 1) {
      this.#spread[level] = gap;
      return false;
    }
    const step = Math.max(typical, 1e-9) * Math.max(0.05, 1 / seen);
    this.#spread[level] = Math.max(1e-9, typical + (gap > typical ? step : -step));
    return seen > 3 && gap > 5 * typical;
  }
}

/** The observations of the ten minutes that run: the lowest one for floors, their mean for what is sampled evenly. */
export class Bucket {
  t = 0;
  y = 0;
  load = 0;
  requests = 0;
  history = 0;
  attributed = 0;
  count = 0;
  readonly #lowest: boolean;

  constructor(lowest: boolean) {
    this.#lowest = lowest;
  }

  add(t: number, y: number, load: number, requests: number, history: number, attributed: number): void {
    if (this.#lowest && this.count > 0 && y >= this.y) return;
    const share = this.#lowest ? 1 : 1 / (this.count + 1);
    this.t += share * (t - this.t);
    this.y += share * (y - this.y);
    this.load += share * (load - this.load);
    this.requests += share * (requests - this.requests);
    this.history += share * (history - this.history);
    this.attributed += share * (attributed - this.attributed);
    this.count++;
  }
}

/** Lowest value of each of the last 168 hours, with its time and load. */
export class Hours {
  /** Single precision: a minimum needs no more, and half the state is saved. */
  readonly #rows = new Float32Array(168 * 3);
  #hour = -1;
  #count = 0;

  add(t: number, y: number, load: number): void {
    const hour = Math.floor(t / 3600);
    if (hour !== this.#hour) {
      this.#hour = hour;
      this.#count++;
    } else if (y >= (this.#rows[this.#at(0) + 1] as number)) return;
    const at = this.#at(0);
    this.#rows[at] = t;
    this.#rows[at + 1] = y;
    this.#rows[at + 2] = load;
  }

  /** Whether an hour since `from` stands above every hour before it by `margin`, load taken out. */
  hasRisen(from: number, margin: number, loadSlope: number): boolean {
    const size = Math.min(168, this.#count);
    let before = Number.NEGATIVE_INFINITY;
    let since = Number.NEGATIVE_INFINITY;
    for (let back = 0; back < size; back++) {
      const at = this.#at(back);
      const y = (this.#rows[at + 1] as number) - loadSlope * (this.#rows[at + 2] as number);
      if (back === 0 || (this.#rows[at] as number) >= from) since = Math.max(since, y);
      else before = Math.max(before, y);
    }
    return since >= before + margin;
  }

  /**
   * Whether the level since `from` is a sawtooth, load taken out: it fell by a good part of its rise at least once, its lows did not rise,
   * and the tooth that grows now is like those before it. A buffer that is flushed looks like this. Beneath a leak the lows rise, too.
   */
  isSawtooth(from: number, leastDrop: number, loadSlope: number): boolean {
    const teeth = new Teeth();
    for (const drop of [Number.POSITIVE_INFINITY, Number.NaN]) {
      // The first pass only measures the rise.
      teeth.begin(Number.isNaN(drop) ? Math.max(p.lowDrop * teeth.rise, leastDrop) : drop);
      for (let back = Math.min(168, this.#count) - 1; back >= 0; back--) {
        const at = this.#at(back);
        const t = this.#rows[at] as number;
        if (t >= from - hour)
          teeth.add(t, (this.#rows[at + 1] as number) - loadSlope * (this.#rows[at + 2] as number));
      }
    }
    return teeth.areFlat;
  }

  #at(back: number): number {
    return ((this.#count - back + 168) % 168) * 3;
  }
}
