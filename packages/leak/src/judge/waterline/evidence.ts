import { Dictionary } from './dictionary.ts';
import type { ShapeColumn } from './dictionary.ts';
import { Fit } from './fit.ts';
import { parameters as p } from './parameters.ts';
import { Tally } from './tally.ts';

/** What else the harmless side has to know of growth that has not ended. */
interface GrowthNotes {
  /** Whether it accelerates. */
  readonly isCurve: boolean;
  /** Seconds of the window at which the level last fell; 0 when it did not. */
  readonly fall: number;
  /** Steps beside it. */
  readonly steps: number;
}

const steadyGrowth: GrowthNotes = { isCurve: false, fall: 0, steps: 0 };

/**
 * What one kind of noise makes of a model: its marginal likelihood, and the side that it speaks for. `Models` sets the fields for each test
 * and enters the models of the grid, `refinement.ts` those around the best of them.
 */
export class Evidence {
  readonly fit = new Fit();
  readonly dictionary = new Dictionary(this.fit);
  harmless = new Tally();
  leaking = new Tally();
  /** Column of the fit by shape; -1 when the nuisances explain it. */
  readonly columnOf = new Int32Array(64);
  /** Of the noise: half the logarithm of its determinant, and the squares that stand for what is known of its scale. */
  halfLogDet = 0;
  priorSquares = 0;
  /** Standard deviation of a shape's amplitude, and typical size of a leak or 0. */
  amplitude = 0;
  leakSize = 0;
  observations = 0;
  /** Bytes left for the forecast, and up to the limit. */
  room = 0;
  free = 0;
  /** Whether growth that lasts and takes room counts for more than its shape. */
  endures = false;
  /** The best model under this kind of noise. */
  kindBest = 0;

  /** Log marginal likelihood of the first `terms` chosen columns. */
  logEvidence(terms: number): number {
    if (!this.fit.solve(terms)) return Number.NEGATIVE_INFINITY;
    const squares = this.priorSquares + this.fit.left;
    const scale = (this.amplitude * this.amplitude * this.observations) / squares;
    let occam = 1;
    for (let i = 0; i < terms; i++) occam *= 1 + scale * (this.fit.pivots[i] as number);
    return -0.5 * (this.observations * Math.log(squares) + Math.log(occam)) - this.halfLogDet;
  }

  /** Adds a model's evidence to a side; true when it is the best of that side so far. */
  believe(side: Tally, value: number, name: string): boolean {
    if (value > this.kindBest) this.kindBest = value;
    return side.add(value, name, (this.priorSquares + this.fit.left) / this.observations);
  }

  /** Puts shape `k` first in the model; false when the nuisances explain it. */
  choose(slot: number, k: number): boolean {
    const column = this.columnOf[k] as number;
    this.fit.chosen[slot] = column;
    return column >= 0;
  }

  /** Enters a model whose first column grows without end; `hasSaturation` says that the second one is a saturation. */
  judgeLeak(terms: number, cost: number, shape: ShapeColumn, name: string, hasSaturation: boolean): number {
    const fitted = this.logEvidence(terms) - cost;
    const b = this.fit.beta[0] as number;
    if (fitted === Number.NEGATIVE_INFINITY || b <= 0) return Number.NEGATIVE_INFINITY;
    const value = fitted + this.#sizeBelief(b * shape.end);
    // A falling saturation beside a rising line is one bend, not two causes.
    if (hasSaturation && (this.fit.beta[1] as number) <= 0) return Number.NEGATIVE_INFINITY;
    const growth = b * shape.end;
    this.believeGrowth(value, name, growth, b * shape.slope, shape.onset, {
      isCurve: shape.curve > 0,
      fall: this.#lastFall(terms, growth),
      steps: hasSaturation ? 0 : terms - 1,
    });
    this.leaking.foresee(b * shape.slope, b * shape.curve, this.room);
    return value;
  }

  /**
   * What the size of a growth says. The Occam factor stands for a normal prior as wide as fills are; a leak that is looked at has grown
   * little yet. Its prior is a Cauchy, so that one found late is believed all the same.
   */
  #sizeBelief(growth: number): number {
    if (this.leakSize === 0) return 0;
    const ratio = growth / this.leakSize;
    return Math.log((this.amplitude * Math.sqrt(2 / Math.PI)) / this.leakSize) - Math.log1p(ratio * ratio);
  }

  /**
   * Enters growth that has not ended yet on both sides. A leak goes on until the limit; harmless growth (a roll-out, tenants that move in)
   * looks the same until it ends. It ends sooner or later, so the longer growth has lasted and the more of the room it has taken, the
   * likelier it is a leak. No shape alone can say more than that.
   */
  believeGrowth(
    value: number,
    name: string,
    growth: number,
    rate: number,
    onset: number,
    { isCurve, fall, steps }: GrowthNotes = steadyGrowth,
  ): void {
    if (this.believe(this.leaking, value, name)) {
      this.leaking.growth = growth;
      this.leaking.rate = rate;
      this.leaking.onset = onset;
      this.leaking.steps = steps;
    }
    if (!this.endures) return;
    const { span } = this.dictionary;
    const from = Math.max(onset, fall);
    const since = (growth * (span - from)) / (span - onset);
    this.believe(this.harmless, value + this.endurance(since, from, span, isCurve), 'growth that ends');
  }

  /** Seconds of the window at the last step of a model that lets go of a good part of its growth; 0 when none does. */
  #lastFall(terms: number, growth: number): number {
    const { chosen, beta, firstStep, stepAt, t } = this.fit;
    let last = 0;
    for (let i = 1; i < terms; i++) {
      const column = chosen[i] as number;
      if (column < firstStep || (beta[i] as number) > -p.fallShare * growth) continue;
      last = Math.max(last, (t[stepAt[column] as number] as number) - (t[0] as number));
    }
    return last;
  }

  /**
   * How likely harmless growth is, against a leak, that lasted from `onset` to `until`, both in seconds of the window. A logarithm.
   * Growth that accelerates counts as begun later in the life, wherever its curve starts: a roll-out begins slowly, too.
   */
  endurance(growth: number, onset: number, until: number, isCurve = false): number {
    const lasted = (until - onset) / p.endureTime;
    const taken = growth / (this.free + growth) / p.endureRoom;
    const isLater = isCurve ? 1 : 1 - Math.exp(-onset / p.warmUpOnset);
    return p.endureStart + (p.endureCost - p.endureStart) * isLater - lasted - taken;
  }

  /** Enters a rise whose first column has reached `end` of its height, unless too much of it is still to come. */
  enterRise(terms: number, cost: number, end: number, name: string): number {
    const value = this.logEvidence(terms) - cost;
    const b = this.fit.beta[0] as number;
    if (b <= 0 || b * (1 - end) > p.riseRemaining * this.free) return Number.NEGATIVE_INFINITY;
    this.believe(this.harmless, value, name);
    return value;
  }
}
