/** The shapes that a memory series may have, as raw columns over the window. They are made once per test and whitened once per noise shape. */
import { copyRows } from './fit.ts';
import type { Fit } from './fit.ts';
import { parameters as p } from './parameters.ts';
import { maxBuckets } from './timeline.ts';

export const shapeKind = {
  saturation: 1,
  line: 2,
  curve: 3,
  load: 4,
  keeper: 5,
  rise: 6,
  requestLine: 7,
} as const;

/** Time constants of saturations, and onsets of growth, as shares of the window. */
const saturationShares = [0.04, 0.08, 0.15, 0.25, 0.4, 0.7, 1.2, 2] as const;
const lineShares = [0, 0.15, 0.3, 0.45, 0.6, 0.72, 0.84] as const;
const requestShares = lineShares;
const curveShares = [0, 0.3, 0.6] as const;
/** Middles and widths of rises that begin slowly and end slowly, as shares of the window. */
const riseMiddles = [0.25, 0.4, 0.55, 0.67, 0.78, 0.88, 0.97] as const;
const riseWidths = [0.02, 0.045, 0.09] as const;
/** Distance of two middles, and ratio of two widths. */
const riseMiddleStep = 0.12;
const riseWidthStep = 2.2;
/** A wider rise fills the window and looks like a line. */
const mostRiseWidth = 0.1;
const rises = riseMiddles.length * riseWidths.length;
const maxShapes =
  1 + rises + saturationShares.length + lineShares.length + requestShares.length + curveShares.length + 4;
const day = 24 * 3600;

/** One shape: a column that is 0 at its onset, and what its coefficient means. */
export interface ShapeColumn {
  readonly column: Float64Array;
  kind: number;
  /** Value at the end of the window. For a load or keeper shape: the most that its coefficient may be. */
  end: number;
  /** Slope per second and half the second derivative at the end of the window. */
  slope: number;
  curve: number;
  /** Seconds after the begin of the window, and for a line the row. */
  onset: number;
  row: number;
  /** Natural logarithm by which the shape is less likely than a flat line before the data are seen. */
  cost: number;
}

export class Dictionary {
  /** Shapes in use after `build`: saturations first, then rises, then lines in time and in requests, then curves, then load and keepers. */
  readonly shapes: readonly ShapeColumn[] = Array.from({ length: maxShapes }, () => ({
    column: new Float64Array(maxBuckets),
    kind: 0,
    end: 0,
    slope: 0,
    curve: 0,
    onset: 0,
    row: 0,
    cost: 0,
  }));
  /** Columns that explain a level without growth: a constant, the load, earlier runs, the time of day. */
  readonly nuisanceColumns: readonly Float64Array[] = Array.from(
    { length: 5 },
    () => new Float64Array(maxBuckets),
  );
  /** Ends of the ranges in `shapes`. */
  saturations = 0;
  rises = 0;
  lines = 0;
  leaks = 0;
  size = 0;
  nuisances = 0;
  /** Seconds from the first to the last row. */
  span = 0;
  /** Further cost of growth that begins with the process, at its present age. */
  warmUp = 0;
  readonly #fit: Fit;

  constructor(fit: Fit) {
    this.#fit = fit;
  }

  /** Fills the shapes for the window. `age` is the uptime seen, in seconds. */
  build(age: number, useLoad: boolean, useHistory: boolean, useRises: boolean): void {
    this.span = (this.#fit.t[this.#fit.n - 1] as number) - (this.#fit.t[0] as number);
    this.warmUp = p.warmUpCost * Math.exp(-age / p.warmUpAge);
    this.size = 0;
    this.#buildNuisances(useLoad, useHistory);
    for (let k = 0; k < saturationShares.length; k++) this.#addSaturation(saturationShares[k] as number);
    this.saturations = this.size;
    if (useRises) this.#addRises();
    this.rises = this.size;
    for (let k = 0; k < lineShares.length; k++) this.#addLine(lineShares[k] as number);
    if ((this.#fit.requests[this.#fit.n - 1] as number) > (this.#fit.requests[0] as number))
      for (let k = 0; k < requestShares.length; k++) this.#addRequestLine(requestShares[k] as number);
    this.lines = this.size;
    for (let k = 0; k < curveShares.length; k++) this.#addCurve(curveShares[k] as number);
    this.leaks = this.size;
    if (!useLoad) this.#addLoad();
    this.#addLastingLoad(p.lastingTau);
    if (this.span > p.longLastingTau) this.#addLastingLoad(p.longLastingTau);
    this.#addKeepers();
  }

  /** Cost of growth that began `onset` seconds into the window, beyond that of its shape. */
  onsetCost(onset: number): number {
    return this.warmUp * Math.exp(-onset / p.warmUpOnset);
  }

  #buildNuisances(useLoad: boolean, useHistory: boolean): void {
    const { n, t } = this.#fit;
    let at = 0;
    (this.nuisanceColumns[at++] as Float64Array).fill(1, 0, n);
    if (useLoad) copyRows(this.#fit.load, this.nuisanceColumns[at++] as Float64Array, n);
    if (useHistory) copyRows(this.#fit.history, this.nuisanceColumns[at++] as Float64Array, n);
    if (this.span > 1.25 * day) {
      const cosine = this.nuisanceColumns[at++] as Float64Array;
      const sine = this.nuisanceColumns[at++] as Float64Array;
      for (let i = 0; i < n; i++) {
        const angle = (2 * Math.PI * (t[i] as number)) / day;
        cosine[i] = Math.cos(angle);
        sine[i] = Math.sin(angle);
      }
    }
    this.nuisances = at;
  }

  #addSaturation(share: number): void {
    const { n, t } = this.#fit;
    const shape = this.shapes[this.size++] as ShapeColumn;
    const tau = share * this.span;
    for (let i = 0; i < n; i++) shape.column[i] = 1 - Math.exp(((t[0] as number) - (t[i] as number)) / tau);
    const slowness = Math.max(0, Math.log(tau / p.slowTau) / p.slowSpread);
    shape.kind = shapeKind.saturation;
    shape.end = 1 - Math.exp(-1 / share);
    shape.slope = Math.exp(-1 / share) / tau;
    shape.curve = 0;
    shape.onset = 0;
    shape.cost = Math.log(saturationShares.length) + 0.5 * slowness * slowness;
  }

  /**
   * Moves a spare shape near rise `k`: the middle by `later` and the width by `wider`, both in steps of the grid. Returns the shape; its
   * cost is that of the grid.
   */
  nearRise(k: number, later: number, wider: number): ShapeColumn {
    const at = k - this.saturations;
    const middle = riseMiddles[Math.floor(at / riseWidths.length)] as number;
    const width = riseWidths[at % riseWidths.length] as number;
    const shape = this.shapes[maxShapes - 1] as ShapeColumn;
    this.#setRise(
      shape,
      Math.min(1, middle + later * riseMiddleStep),
      Math.min(mostRiseWidth, width * riseWidthStep ** wider),
    );
    return shape;
  }

  #addRises(): void {
    for (const middle of riseMiddles)
      for (const width of riseWidths) this.#setRise(this.shapes[this.size++] as ShapeColumn, middle, width);
  }

  /** A roll-out, users that move in: a logistic curve, 0 at the begin of the window and 1 at its end in time. */
  #setRise(shape: ShapeColumn, middle: number, width: number): void {
    const { n, t } = this.#fit;
    const start = (t[0] as number) + middle * this.span;
    const tau = width * this.span;
    const before = logistic(-middle / width);
    for (let i = 0; i < n; i++)
      shape.column[i] = (logistic(((t[i] as number) - start) / tau) - before) / (1 - before);
    const slowness = Math.max(0, Math.log(tau / p.slowRise) / p.slowSpread);
    shape.kind = shapeKind.rise;
    shape.end = shape.column[n - 1] as number;
    shape.slope = 0;
    shape.curve = 0;
    shape.onset = Math.max(0, middle - 2 * width) * this.span;
    shape.cost = Math.log(rises) + p.riseCost + 0.5 * slowness * slowness;
  }

  #isTooLate(share: number, index: number): boolean {
    const left = (this.#fit.t[this.#fit.n - 1] as number) - (this.#fit.t[index] as number);
    return share > 0 && (this.#fit.n - index < p.onsetBuckets || left < p.onsetTime);
  }

  #onsetShape(share: number, index: number): ShapeColumn {
    const shape = this.shapes[this.size++] as ShapeColumn;
    shape.onset = (this.#fit.t[index] as number) - (this.#fit.t[0] as number);
    shape.end = 1;
    shape.curve = 0;
    shape.cost = (share === 0 ? p.startCost : p.laterCost) + this.onsetCost(shape.onset);
    return shape;
  }

  #addLine(share: number): void {
    const index = this.#rowAt(share);
    if (this.#isTooLate(share, index)) return;
    this.#setLine(this.#onsetShape(share, index), this.#fit.t, index, shapeKind.line);
  }

  #addRequestLine(share: number): void {
    const { n, requests } = this.#fit;
    const index = this.#rowAt(share);
    const left = (requests[n - 1] as number) - (requests[index] as number);
    if (
      this.#isTooLate(share, index) ||
      left < 0.02 * ((requests[n - 1] as number) - (requests[0] as number))
    )
      return;
    this.#setLine(this.#onsetShape(share, index), requests, index, shapeKind.requestLine);
  }

  /** Growth that begins at a row, by the time or by the requests since. */
  #setLine(shape: ShapeColumn, clock: Float64Array, index: number, kind: number): void {
    const { n, t } = this.#fit;
    const from = clock[index] as number;
    const left = (clock[n - 1] as number) - from;
    for (let i = 0; i < n; i++) shape.column[i] = Math.max(0, (clock[i] as number) - from) / left;
    shape.kind = kind;
    shape.row = index;
    shape.slope = 1 / ((t[n - 1] as number) - (t[index] as number));
  }

  /** Moves a spare shape near line `k`: its onset by so many rows. Undefined when no such onset is possible. */
  nearLine(k: number, rows: number): ShapeColumn | undefined {
    const { n, t, requests } = this.#fit;
    const like = this.shapes[k] as ShapeColumn;
    const index = like.row + rows;
    if (rows === 0 || index < 0 || index >= n || this.#isTooLate(1, index)) return undefined;
    const clock = like.kind === shapeKind.line ? t : requests;
    if (!((clock[n - 1] as number) > (clock[index] as number))) return undefined;
    const shape = this.shapes[maxShapes - 1] as ShapeColumn;
    shape.onset = (t[index] as number) - (t[0] as number);
    shape.end = 1;
    shape.curve = 0;
    shape.cost = p.laterCost + this.onsetCost(shape.onset);
    this.#setLine(shape, clock, index, like.kind);
    return shape;
  }

  /** Moves a spare shape to a line that begins at a row and has ended: the last `share` of the time since its onset is flat. */
  endedLine(row: number, share: number): ShapeColumn | undefined {
    const { n, t } = this.#fit;
    const from = t[row];
    if (from === undefined || row < 0) return undefined;
    const now = t[n - 1] as number;
    const until = now - share * (now - from);
    // The newest bucket is cut when it stands out, so a quiet end needs some more.
    if (until - from < p.onsetTime || (t[n - p.endBuckets] as number) <= until) return undefined;
    const shape = this.shapes[maxShapes - 1] as ShapeColumn;
    for (let i = 0; i < n; i++)
      shape.column[i] = Math.min(1, Math.max(0, (t[i] as number) - from) / (until - from));
    shape.kind = shapeKind.line;
    shape.end = 1;
    shape.slope = 0;
    shape.curve = 0;
    shape.onset = from - (t[0] as number);
    shape.row = row;
    shape.cost = (row === 0 ? p.startCost : p.laterCost) + this.onsetCost(shape.onset);
    return shape;
  }

  /** Rows between two onsets of the grid. */
  get lineGap(): number {
    return Math.round(0.14 * (this.#fit.n - 1));
  }

  #rowAt(share: number): number {
    return Math.round(share * (this.#fit.n - 1));
  }

  /** The load as an explanation of its own, for when it moves so much like time that the trend took all of it. */
  #addLoad(): void {
    const { n, load } = this.#fit;
    let most = 0;
    for (let i = 0; i < n; i++) most = Math.max(most, load[i] as number);
    if (most <= 0) return;
    const shape = this.shapes[this.size++] as ShapeColumn;
    for (let i = 0; i < n; i++) shape.column[i] = (load[i] as number) / most;
    shape.kind = shapeKind.load;
    shape.end = Number.POSITIVE_INFINITY;
    shape.cost = p.pairCost;
  }

  /** What requests leave behind for hours, entries with a time to live and the like: it follows their rate late, and it goes again. */
  #addLastingLoad(tau: number): void {
    const { n, t, requests } = this.#fit;
    const shape = this.shapes[this.size] as ShapeColumn;
    let most = 0;
    let mean = 0;
    for (let i = 1; i < n; i++) {
      const seconds = (t[i] as number) - (t[i - 1] as number);
      const rate = Math.max(0, (requests[i] as number) - (requests[i - 1] as number)) / seconds;
      if (i === 1) shape.column[0] = mean = rate;
      mean += (1 - Math.exp(-seconds / tau)) * (rate - mean);
      shape.column[i] = mean;
      most = Math.max(most, mean);
    }
    if (!(most > 0)) return;
    for (let i = 0; i < n; i++) shape.column[i] = (shape.column[i] as number) / most;
    shape.kind = shapeKind.load;
    shape.end = p.lastingMost * Math.abs(this.#fit.y[n - 1] as number);
    shape.cost = p.pairCost;
    this.size++;
  }

  /** What keepers take beyond what they account for, as a share of it: the overhead of their entries. */
  #addKeepers(): void {
    const { n, attributed } = this.#fit;
    let least = Number.POSITIVE_INFINITY;
    let most = Number.NEGATIVE_INFINITY;
    for (let i = 0; i < n; i++) {
      least = Math.min(least, attributed[i] as number);
      most = Math.max(most, attributed[i] as number);
    }
    const range = most - least;
    if (range < p.keeperRange * Math.abs(this.#fit.y[n - 1] as number)) return;
    const shape = this.shapes[this.size++] as ShapeColumn;
    for (let i = 0; i < n; i++) shape.column[i] = ((attributed[i] as number) - least) / range;
    shape.kind = shapeKind.keeper;
    shape.end = p.keeperOverhead * range;
    // No cost: entries of a keeper always take something beside what it accounts for.
    shape.cost = 0;
  }

  #addCurve(share: number): void {
    const { n, t } = this.#fit;
    const index = Math.round(share * (n - 1));
    if (this.#isTooLate(share, index)) return;
    const shape = this.#onsetShape(share, index);
    const from = t[index] as number;
    const left = (t[n - 1] as number) - from;
    for (let i = 0; i < n; i++) shape.column[i] = (Math.max(0, (t[i] as number) - from) / left) ** 2;
    shape.kind = shapeKind.curve;
    shape.slope = 2 / left;
    shape.curve = 1 / (left * left);
    shape.cost += p.curveCost;
  }
}

function logistic(x: number): number {
  return 1 / (1 + Math.exp(-x));
}
