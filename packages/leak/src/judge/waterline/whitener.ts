/**
 * Noise of a memory series: slow wander (Ornstein-Uhlenbeck) plus white scatter, both in units of one unknown scale.
 *
 * A Kalman filter over the irregular times turns a column into independent residuals of unit variance. Least squares on whitened columns
 * is then generalised least squares: a slow drift counts little, a quick co-movement with the load counts much. The filter is a lower
 * triangular matrix L that is never built. `whiten` applies L, `alongSteps` its transpose.
 */
import { maxBuckets } from './timeline.ts';

/** One kind of noise. */
export interface NoiseShape {
  /** Seconds over which the wander forgets. */
  readonly tau: number;
  /** Variance of the white part as a share of the wander's. */
  readonly white: number;
}

/** Kinds of noise that a test averages over, from nearly white to an eight-hour wander. A short series rarely tells which kind it has. */
export const noiseShapes: readonly NoiseShape[] = [
  { tau: 1800, white: 2 },
  { tau: 3000, white: 0.05 },
  { tau: 3600, white: 0.6 },
  { tau: 3 * 3600, white: 0.1 },
  { tau: 3 * 3600, white: 1 },
  { tau: 8 * 3600, white: 0.1 },
  { tau: 8 * 3600, white: 1 },
];

/** The shape for the cheap look at the trend. */
export const middleNoise = noiseShapes[3] as NoiseShape;

export class Whitener {
  /** Squared length of a whitened unit step that begins at a row; filled by `prepare` when steps are asked for. */
  readonly stepLength = new Float64Array(maxBuckets);
  readonly #keep = new Float64Array(maxBuckets);
  readonly #gain = new Float64Array(maxBuckets);
  readonly #seen = new Float64Array(maxBuckets);
  readonly #weight = new Float64Array(maxBuckets);
  #n = 0;

  /**
   * Prepares the filter for the times `t` of `n` rows. `level` is each row's level in the timeline and `bucket` the width of level 0 in
   * seconds. Returns half the logarithm of the determinant.
   */
  prepare(
    shape: NoiseShape,
    t: Float64Array,
    level: Uint8Array,
    n: number,
    bucket: number,
    withSteps = true,
  ): number {
    const { tau, white } = shape;
    const keep = this.#keep;
    const gain = this.#gain;
    const seen = this.#seen;
    const weight = this.#weight;
    this.#n = n;
    let variance = 1;
    let logDet = 0;
    for (let i = 0; i < n; i++) {
      const kept = i === 0 ? 0 : Math.exp(((t[i - 1] as number) - (t[i] as number)) / tau);
      variance = kept * kept * (variance - 1) + 1;
      const wide = level[i] as number;
      // The mean over a wide bucket wanders less than a point does.
      const x = wide === 0 ? 0 : (bucket * 2 ** wide) / tau;
      const shrink = x < 0.05 ? 1 : (2 / x) * (1 - (1 - Math.exp(-x)) / x);
      const h = Math.sqrt(shrink);
      const innovation = shrink * variance + white / 2 ** wide;
      const k = (variance * h) / innovation;
      keep[i] = kept;
      seen[i] = h;
      gain[i] = k;
      weight[i] = 1 / Math.sqrt(innovation);
      variance *= 1 - k * h;
      logDet += Math.log(innovation);
    }
    if (withSteps) this.#measureSteps();
    return logDet / 2;
  }

  /** Whitens a column in place. */
  whiten(column: Float64Array): void {
    const keep = this.#keep;
    const gain = this.#gain;
    const seen = this.#seen;
    const weight = this.#weight;
    const n = this.#n;
    let mean = 0;
    for (let i = 0; i < n; i++) {
      mean *= keep[i] as number;
      const v = (column[i] as number) - (seen[i] as number) * mean;
      mean += (gain[i] as number) * v;
      column[i] = v * (weight[i] as number);
    }
  }

  /** Writes the suffix sums of the adjoint filter: row p is the product of `column` with a whitened unit step from p on. */
  alongSteps(column: Float64Array, into: Float64Array): void {
    const keep = this.#keep;
    const gain = this.#gain;
    const seen = this.#seen;
    const weight = this.#weight;
    let back = 0;
    let sum = 0;
    for (let i = this.#n - 1; i >= 0; i--) {
      // back: derivative by the filter's mean after row i.
      const byInnovation = (weight[i] as number) * (column[i] as number) + (gain[i] as number) * back;
      sum += byInnovation;
      into[i] = sum;
      back = (back - (seen[i] as number) * byInnovation) * (keep[i] as number);
    }
  }

  /** The response to a step is an affine recursion, so its squared length is a quadratic carried backwards. */
  #measureSteps(): void {
    const keep = this.#keep;
    const gain = this.#gain;
    const seen = this.#seen;
    const weight = this.#weight;
    const n = this.#n;
    let a = 0;
    let b = 0;
    let c = 0;
    for (let i = n - 1; i >= 0; i--) {
      const next = i + 1 < n ? (keep[i + 1] as number) : 0;
      const h = seen[i] as number;
      const w2 = (weight[i] as number) ** 2;
      const slope = next * (1 - (gain[i] as number) * h);
      const shift = next * (gain[i] as number);
      const a2 = w2 * h * h + a * slope * slope;
      const b2 = -2 * w2 * h + b * slope + 2 * a * slope * shift;
      const c2 = w2 + c + b * shift + a * shift * shift;
      a = a2;
      b = b2;
      c = c2;
      this.stepLength[i] = c;
    }
  }
}
