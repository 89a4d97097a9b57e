import type { Models, TestInput } from './models.ts';
import { parameters as p } from './parameters.ts';
import { Sides } from './tally.ts';
import { noiseShapes } from './whitener.ts';
import type { NoiseShape } from './whitener.ts';

/** What a test found. */
export interface ShapeVerdict {
  /** Log odds of leak against harmless. */
  odds: number;
  /** Growth of the best leak model since its onset, its rate per second, and the onset in seconds of uptime. */
  growth: number;
  rate: number;
  onset: number;
  /** Seconds until the growth fills the room it was given, at the mean speed of the leak models. */
  tte: number;
  /** How far the leak models differ over that time: the variance of its binary logarithm. */
  disagreement: number;
  /** Scale of the noise under the best harmless model. */
  sigma: number;
  /** Steps beside the growth in the best leak model. */
  steps: number;
  harmless: string;
  leak: string;
}

/** Every so many tests all kinds are tried again. */
const renewEvery = 12;
/** Log evidence below the best at which a kind is left out until then. */
const hopeless = 5;

/** Which kinds of noise a channel has lately shown, so that a test tries those and not all. */
export class NoiseMemory {
  readonly #evidence = new Float64Array(noiseShapes.length);
  #best = Number.NEGATIVE_INFINITY;
  #tests = 0;
  /** Whether all kinds are tried this time. */
  isRenewal = true;

  begin(): void {
    this.isRenewal = this.#tests++ % renewEvery === 0;
    if (this.isRenewal) this.#best = Number.NEGATIVE_INFINITY;
  }

  /** The kind that explained most when all were tried. */
  get likeliest(): number {
    let best = 0;
    for (let kind = 1; kind < noiseShapes.length; kind++)
      if ((this.#evidence[kind] as number) > (this.#evidence[best] as number)) best = kind;
    return best;
  }

  isWorthTrying(kind: number): boolean {
    return this.isRenewal || (this.#evidence[kind] as number) > this.#best - hopeless;
  }

  /** Takes the log evidence of the best model under a kind. */
  learn(kind: number, evidence: number): void {
    if (!this.isRenewal) return;
    this.#evidence[kind] = evidence;
    this.#best = Math.max(this.#best, evidence);
  }
}

/** The test of one channel, in progress or done. It goes through the kinds of noise one at a time, so that no single step takes long. */
export class ShapeTest {
  readonly #models: Models;
  readonly #noise = new NoiseMemory();
  readonly #sides = new Sides();
  #kind = 0;
  #kindsLeft = 0;

  constructor(models: Models) {
    this.#models = models;
  }

  get isRunning(): boolean {
    return this.#kindsLeft > 0;
  }

  begin(): void {
    this.#models.begin(this.#sides);
    this.#noise.begin();
    this.#kind = this.#noise.likeliest;
    this.#kindsLeft = noiseShapes.length;
  }

  /** Tries one kind of noise on the window, which must be the same at every step; true when it was the last. */
  step(input: TestInput, out: ShapeVerdict): boolean {
    const noise = this.#noise;
    const best = this.#models.enter(this.#sides, input, noiseShapes[this.#kind] as NoiseShape);
    noise.learn(this.#kind, best);
    do {
      this.#kind = (this.#kind + 1) % noiseShapes.length;
      this.#kindsLeft--;
    } while (this.isRunning && !noise.isWorthTrying(this.#kind));
    // The likeliest kind comes first: when it leaves no hope, the others are not asked.
    if (!noise.isRenewal && this.#sides.odds < p.farOdds) this.#kindsLeft = 0;
    if (this.isRunning) return false;
    this.#conclude(out);
    return true;
  }

  #conclude(out: ShapeVerdict): void {
    const { harmless, leaking } = this.#sides;
    out.odds = this.#sides.odds - p.leakCost;
    out.growth = leaking.growth;
    out.rate = leaking.rate;
    out.onset = leaking.onset + (this.#models.fit.t[0] as number);
    out.tte = 1 / leaking.speed;
    out.disagreement = leaking.disagreement;
    out.steps = leaking.steps;
    out.sigma = Math.sqrt(harmless.variance);
    out.harmless = harmless.name;
    out.leak = leaking.name;
  }
}
