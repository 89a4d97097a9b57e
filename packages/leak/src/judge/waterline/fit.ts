/**
 * Least squares on one window of a timeline, under one kind of noise.
 *
 * A `Fit` owns every array that a test needs, about 130 KiB, and is allocated once per process. All channels use the same one: a test
 * reads its window again at every step and never yields in between.
 */
import { parameters as p } from './parameters.ts';
import { maxBuckets } from './timeline.ts';
import type { Timeline } from './timeline.ts';
import { middleNoise, Whitener } from './whitener.ts';
import type { NoiseShape } from './whitener.ts';

const maxColumns = 72;
const maxNuisances = 12;
/** Most columns of one model. */
export const maxTerms = 7;

const columnSet = (length: number): readonly Float64Array[] =>
  Array.from({ length }, () => new Float64Array(maxBuckets));

function dot(a: Float64Array, b: Float64Array, n: number): number {
  let sum = 0;
  for (let i = 0; i < n; i++) sum += (a[i] as number) * (b[i] as number);
  return sum;
}

function subtract(from: Float64Array, factor: number, what: Float64Array, n: number): void {
  for (let i = 0; i < n; i++) from[i] = (from[i] as number) - factor * (what[i] as number);
}

/** `set` of a subarray would allocate. */
export function copyRows(from: Float64Array, to: Float64Array, n: number): void {
  for (let i = 0; i < n; i++) to[i] = from[i] as number;
}

/** A straight line and the load: growth over the window, bytes per unit of load, and the standard deviation of the rest. */
interface LoadTrend {
  growth: number;
  loadSlope: number;
  sigma: number;
}

export class Fit {
  /** The window: rows in use, and one column per field of a bucket, oldest row first. */
  n = 0;
  readonly t = new Float64Array(maxBuckets);
  readonly y = new Float64Array(maxBuckets);
  readonly load = new Float64Array(maxBuckets);
  readonly requests = new Float64Array(maxBuckets);
  readonly history = new Float64Array(maxBuckets);
  readonly attributed = new Float64Array(maxBuckets);
  readonly level = new Uint8Array(maxBuckets);

  /** The model under evaluation: columns by index, and after `solve` their coefficients. */
  readonly chosen = new Int32Array(maxTerms);
  readonly beta = new Float64Array(maxTerms);
  /** Squared pivots of the last solution: what each column adds beyond the ones before it. */
  readonly pivots = new Float64Array(maxTerms);
  /** Sum of squares of the target, and what the last solution leaves of it. */
  total = 0;
  left = 0;
  /** Columns and independent nuisances in use. */
  columns = 0;
  nuisances = 0;
  /** The first column that is a step; the row at which each such column begins. */
  firstStep = 0;
  readonly stepAt = new Int32Array(maxColumns);
  readonly trend: LoadTrend = { growth: 0, loadSlope: 0, sigma: 0 };

  readonly #noise = new Whitener();
  readonly #nuisances = columnSet(maxNuisances);
  readonly #nuisanceSteps = columnSet(maxNuisances);
  readonly #columns = columnSet(maxColumns);
  readonly #target = new Float64Array(maxBuckets);
  readonly #rest = new Float64Array(maxBuckets);
  readonly #restSteps = new Float64Array(maxBuckets);
  readonly #gram = new Float64Array(maxColumns * maxColumns);
  readonly #onTarget = new Float64Array(maxColumns);
  readonly #chol = new Float64Array(maxTerms * maxTerms);
  readonly #ones = new Float64Array(maxBuckets).fill(1);
  readonly #clock = new Float64Array(maxBuckets);

  /** Reads a timeline into the window and cuts its spikes, with the load taken out at `loadSlope`. */
  read(timeline: Timeline, loadSlope: number): void {
    this.n = timeline.read(this);
    this.#despike(loadSlope);
  }

  /** Empties the design and prepares the filter for the window; returns half the logarithm of the noise's determinant. */
  begin(noise: NoiseShape, withSteps = true): number {
    this.nuisances = 0;
    this.columns = 0;
    return this.#noise.prepare(noise, this.t, this.level, this.n, p.bucket, withSteps);
  }

  /** Projects a raw column out of everything that follows; call it before `setTarget`. */
  addNuisance(raw: Float64Array): void {
    const v = this.#nuisances[this.nuisances] as Float64Array;
    copyRows(raw, v, this.n);
    this.#noise.whiten(v);
    this.#keepNuisance(v);
  }

  /** Makes the values of the window the target. */
  setTarget(): void {
    const target = this.#target;
    copyRows(this.y, target, this.n);
    this.#noise.whiten(target);
    this.#project(target);
    this.total = dot(target, target, this.n);
  }

  /** Adds a raw shape; returns its index, or -1 when the nuisances explain it. It can be solved together with the first `partners` columns. */
  addColumn(raw: Float64Array, partners = maxColumns): number {
    const v = this.#columns[this.columns] as Float64Array;
    copyRows(raw, v, this.n);
    return this.#keepColumn(v, partners);
  }

  /** Columns added from here on are steps. */
  beginSteps(): void {
    this.firstStep = this.columns;
  }

  /** Fits the first `terms` chosen columns; false when they are collinear. */
  solve(terms: number): boolean {
    const { chosen, beta, pivots } = this;
    const gram = this.#gram;
    const chol = this.#chol;
    let left = this.total;
    for (let i = 0; i < terms; i++) {
      const row = (chosen[i] as number) * maxColumns;
      for (let j = 0; j < i; j++) {
        let sum = gram[row + (chosen[j] as number)] as number;
        for (let m = 0; m < j; m++)
          sum -= (chol[i * maxTerms + m] as number) * (chol[j * maxTerms + m] as number);
        chol[i * maxTerms + j] = sum / (chol[j * maxTerms + j] as number);
      }
      const own = gram[row + (chosen[i] as number)] as number;
      let pivot = own;
      let z = this.#onTarget[chosen[i] as number] as number;
      for (let m = 0; m < i; m++) {
        const l = chol[i * maxTerms + m] as number;
        pivot -= l * l;
        z -= l * (beta[m] as number);
      }
      if (pivot < 1e-5 * own) {
        this.left = left;
        return false;
      }
      const root = Math.sqrt(pivot);
      chol[i * maxTerms + i] = root;
      pivots[i] = pivot;
      z /= root;
      beta[i] = z;
      left -= z * z;
    }
    this.left = Math.max(left, 1e-12);
    for (let i = terms - 1; i >= 0; i--) {
      let b = beta[i] as number;
      for (let m = i + 1; m < terms; m++) b -= (chol[m * maxTerms + i] as number) * (beta[m] as number);
      beta[i] = b / (chol[i * maxTerms + i] as number);
    }
    return true;
  }

  /** The column of the step that helps most beyond the first `terms` chosen columns; -1 when there is none. */
  nextStep(terms: number): number {
    const row = this.#bestStep(terms);
    if (row < 0) return -1;
    for (let column = this.firstStep; column < this.columns; column++)
      if (this.stepAt[column] === row) return column;
    const v = this.#columns[this.columns] as Float64Array;
    v.fill(0, 0, row);
    v.fill(1, row, this.n);
    const column = this.#keepColumn(v);
    if (column >= 0) this.stepAt[column] = row;
    return column;
  }

  /** How many of the first `terms` chosen steps stand apart. One step inside a wide bucket shows as two or three in neighbouring rows. */
  stepsApart(terms: number): number {
    let count = 0;
    for (let i = 0; i < terms; i++) if (!this.#followsAnother(i, terms)) count++;
    return count;
  }

  /** Fits the trend of the window by generalised least squares. A load that would lower the level is left out. */
  fitTrend(useLoad: boolean): LoadTrend {
    const { n, t, chosen, beta, trend } = this;
    const clock = this.#clock;
    this.begin(middleNoise, false);
    this.addNuisance(this.#ones);
    this.setTarget();
    const start = t[0] as number;
    const span = (t[n - 1] as number) - start;
    for (let i = 0; i < n; i++) clock[i] = ((t[i] as number) - start) / span;
    chosen[0] = this.addColumn(clock);
    const byLoad = useLoad ? this.addColumn(this.load) : -1;
    chosen[1] = byLoad;
    trend.loadSlope = 0;
    if (byLoad >= 0 && this.solve(2) && (beta[1] as number) > 0) trend.loadSlope = beta[1] as number;
    else this.solve(1);
    trend.growth = beta[0] as number;
    trend.sigma = Math.sqrt(this.left / n);
    return trend;
  }

  /** Mean of the window's last three buckets without what the load takes. */
  levelAtRest(loadSlope: number): number {
    const from = Math.max(0, this.n - 3);
    let sum = 0;
    for (let i = from; i < this.n; i++) sum += (this.y[i] as number) - loadSlope * (this.load[i] as number);
    return sum / (this.n - from);
  }

  /**
   * Whether the level has grown by no larger a factor than the requests per second: the last `day` seconds are held against those before
   * the onset, in seconds of uptime. Requests come unevenly, so a fit of every bucket says less than two long means. False when there is
   * less than a day after the onset or half a day before it, or when nobody counts requests.
   */
  followsRequests(onset: number, day: number): boolean {
    const { n, t } = this;
    const now = t[n - 1] as number;
    const from = Math.max(t[0] as number, onset - day);
    if (now - onset < day || onset - from < day / 2) return false;
    const requestsBefore = this.#mean(from, onset, this.requests, true);
    const requestsNow = this.#mean(now - day, now, this.requests, true);
    const levelBefore = this.#mean(from, onset, this.y, false);
    const levelNow = this.#mean(now - day, now, this.y, false);
    return requestsBefore > 0 && levelNow * requestsBefore <= levelBefore * requestsNow;
  }

  /** How far requests per second have fallen since the onset, in seconds of uptime: the last day against the first, as a share. 0 where they have not or where it is not known. */
  requestsLost(onset: number, day: number): number {
    const { n, t } = this;
    const now = t[n - 1] as number;
    const from = Math.max(t[0] as number, onset);
    if (now - from < 1.5 * day) return 0;
    const before = this.#mean(from, from + day, this.requests, true);
    const lately = this.#mean(now - day, now, this.requests, true);
    return before > 0 ? Math.max(0, 1 - lately / before) : 0;
  }

  /** Mean of a column over the rows between two times, or of its increase per second. */
  #mean(from: number, to: number, column: Float64Array, perSecond: boolean): number {
    const { n, t } = this;
    let first = 0;
    while (first + 1 < n && (t[first] as number) < from) first++;
    let last = n - 1;
    while (last > first && (t[last] as number) > to) last--;
    if (perSecond)
      return (
        ((column[last] as number) - (column[first] as number)) /
        Math.max(1, (t[last] as number) - (t[first] as number))
      );
    let sum = 0;
    let seconds = 0;
    for (let i = first; i < last; i++) {
      const wide = (t[i + 1] as number) - (t[i] as number);
      sum += wide * (column[i] as number);
      seconds += wide;
    }
    return seconds > 0 ? sum / seconds : (column[last] as number);
  }

  /**
   * Cuts single buckets of the finest level that stand above both neighbours, load taken out: such a collection ran in the middle of
   * something large. The newest bucket has one neighbour and is compared with the two before it.
   */
  #despike(loadSlope: number): void {
    const { n, y, load, level } = this;
    let before = (y[0] as number) - loadSlope * (load[0] as number);
    let beforeThat = before;
    for (let i = 1; i < n; i++) {
      const byLoad = loadSlope * (load[i] as number);
      const own = (y[i] as number) - byLoad;
      const next = i + 1 < n ? (y[i + 1] as number) - loadSlope * (load[i + 1] as number) : beforeThat;
      const top = Math.max(before, next);
      if (level[i] === 0 && own > top) y[i] = top + byLoad;
      beforeThat = before;
      before = own;
    }
  }

  #project(v: Float64Array): void {
    for (let j = 0; j < this.nuisances; j++) {
      const base = this.#nuisances[j] as Float64Array;
      subtract(v, dot(base, v, this.n), base, this.n);
    }
  }

  #keepNuisance(v: Float64Array): void {
    const { n } = this;
    const before = dot(v, v, n);
    this.#project(v);
    const after = dot(v, v, n);
    if (after <= 1e-6 * before) return;
    const scale = 1 / Math.sqrt(after);
    for (let i = 0; i < n; i++) v[i] = (v[i] as number) * scale;
    this.#noise.alongSteps(v, this.#nuisanceSteps[this.nuisances] as Float64Array);
    this.nuisances++;
  }

  #keepColumn(v: Float64Array, partners = maxColumns): number {
    const { n } = this;
    const gram = this.#gram;
    const at = this.columns;
    this.#noise.whiten(v);
    this.#project(v);
    const own = dot(v, v, n);
    if (own < 1e-9) return -1;
    this.columns++;
    gram[at * maxColumns + at] = own;
    for (let j = 0; j < at && j < partners; j++) {
      const d = dot(v, this.#columns[j] as Float64Array, n);
      gram[at * maxColumns + j] = d;
      gram[j * maxColumns + at] = d;
    }
    this.#onTarget[at] = dot(v, this.#target, n);
    return at;
  }

  /** The row at which one more step explains most beyond the first `terms` chosen columns; -1 when none does. */
  #bestStep(terms: number): number {
    const { n } = this;
    const restSteps = this.#restSteps;
    const { stepLength } = this.#noise;
    const before = this.nuisances;
    for (let i = 0; i < terms && this.nuisances < maxNuisances; i++) {
      const v = this.#nuisances[this.nuisances] as Float64Array;
      copyRows(this.#columns[this.chosen[i] as number] as Float64Array, v, n);
      this.#keepNuisance(v);
    }
    copyRows(this.#target, this.#rest, n);
    this.#project(this.#rest);
    this.#noise.alongSteps(this.#rest, restSteps);
    let best = 0;
    let place = -1;
    for (let row = 2; row <= n - 2; row++) {
      let own = stepLength[row] as number;
      for (let j = 0; j < this.nuisances; j++) {
        const d = (this.#nuisanceSteps[j] as Float64Array)[row] as number;
        own -= d * d;
      }
      const hit = restSteps[row] as number;
      if (own > 1e-6 && hit * hit > best * own) {
        best = (hit * hit) / own;
        place = row;
      }
    }
    this.nuisances = before;
    return place;
  }

  #followsAnother(i: number, terms: number): boolean {
    const own = this.stepAt[this.chosen[i] as number] as number;
    for (let j = 0; j < terms; j++) {
      const gap = own - (this.stepAt[this.chosen[j] as number] as number);
      if (gap > 0 && gap <= p.stepSmear) return true;
    }
    return false;
  }
}
