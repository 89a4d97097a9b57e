import type { NoiseShape } from './noise.ts';

/** Kinds of noise a test averages over, since the data rarely tell which it is: from nearly white to an eight-hour wander. */
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

/** Every so many tests all kinds are tried again. */
const renewEvery = 12;
/** Log analysis below the best at which a kind is left out until then. */
const hopeless = 5;

/** Which kinds of noise a channel has lately shown, so that a test tries those and not all. */
export class NoiseMemory {
  private readonly analysis = new Float64Array(noiseShapes.length);
  private best = Number.NEGATIVE_INFINITY;
  private tests = 0;
  /** Whether all kinds are tried this time. */
  isRenewal = true;

  begin(): void {
    this.isRenewal = this.tests++ % renewEvery === 0;
    if (this.isRenewal) this.best = Number.NEGATIVE_INFINITY;
  }

  /** The kind that explained most when all were tried. */
  get likeliest(): number {
    let best = 0;
    for (let kind = 1; kind < noiseShapes.length; kind++)
      if ((this.analysis[kind] as number) > (this.analysis[best] as number)) best = kind;
    return best;
  }

  isWorthTrying(kind: number): boolean {
    return this.isRenewal || (this.analysis[kind] as number) > this.best - hopeless;
  }

  /** Takes the log analysis that all models together had under a kind. */
  learn(kind: number, analysis: number): void {
    if (!this.isRenewal) return;
    this.analysis[kind] = analysis;
    this.best = Math.max(this.best, analysis);
  }
}
