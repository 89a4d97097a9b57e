/**
 * Is this growth a leak? Two sides explain the window, each a sum over models weighted by prior and evidence.
 *
 * Harmless models: flat, up to three steps, a saturation that ends well below the limit, two of them, a saturation with steps, a rise that
 * begins slowly and ends, growth that is over or that will end (the last three not for the population). Leak models: a line, a line per request or an accelerating curve from some onset on, alone or with up to three steps or a quick saturation; a saturation that
 * would not end in time; four and more steps that all go up. Load, time of day and earlier runs are projected out first. The evidence of a
 * model is its marginal likelihood under wander noise of unknown scale (Student), with Occam factors from the priors of its amplitudes.
 * Everything is averaged over kinds of noise. Taking the best-fitting kind would let a slow wander pass for a trend.
 */
import { shapeKind } from './dictionary.ts';
import type { ShapeColumn } from './dictionary.ts';
import { Evidence } from './evidence.ts';
import { maxTerms } from './fit.ts';
import { parameters as p } from './parameters.ts';
import { endedGrowth, refineLine, refineRise } from './refinement.ts';
import type { Sides } from './tally.ts';
import type { NoiseShape } from './whitener.ts';

/** What a test is told besides the window. */
export interface TestInput {
  /** Seconds since the first observation. */
  age: number;
  useLoad: boolean;
  useHistory: boolean;
  /** Whether rises that begin slowly and end are among the harmless models. */
  useRises: boolean;
  /** Whether growth that lasts and takes room counts for more than its shape. */
  endures: boolean;
  /** Prior standard deviation of the wander as a share of the level. */
  wander: number;
  /** Value at which the channel hits its limit; infinite when it has none. */
  limit: number;
  /** Share of the remaining room that a harmless saturation may still gain. */
  remaining: number;
  /** Bytes left for the forecast. */
  room: number;
  /** Typical growth of a leak when it is looked at, as a share of the level; 0 when nothing is known of it. */
  leakSize: number;
}

const stepNames = ['one step', 'two steps', 'three steps'] as const;

/** The models over one `Fit`. One object serves every channel of the process. */
export class Models {
  readonly #evidence = new Evidence();
  readonly fit = this.#evidence.fit;
  readonly dictionary = this.#evidence.dictionary;
  /** The test that the dictionary was filled for. Its steps share it, unless another test came between. */
  #builtFor: Sides | undefined;
  #remaining = 0;
  #flatSteps = 0;
  #second = -1;
  #third = -1;
  #bestRise = 0;
  #bestValue = 0;

  /** Says that these sides begin a new test: the dictionary is filled anew for it. */
  begin(sides: Sides): void {
    sides.reset();
    if (this.#builtFor === sides) this.#builtFor = undefined;
  }

  /** Enters every model under one kind of noise on the window of `fit`; returns the log evidence of the best one. */
  enter(sides: Sides, input: TestInput, noise: NoiseShape): number {
    const { fit } = this;
    if (this.#builtFor !== sides)
      this.dictionary.build(input.age, input.useLoad, input.useHistory, input.useRises);
    this.#builtFor = sides;
    this.#evidence.harmless = sides.harmless;
    this.#evidence.leaking = sides.leaking;
    const level = fit.y[fit.n - 1] as number;
    this.#evidence.room = Math.max(1e-9, input.room);
    this.#evidence.free = Math.max(1e-9, input.limit - level);
    this.#remaining = input.remaining * this.#evidence.free;
    this.#evidence.priorSquares = p.wanderWeight * (input.wander * level) ** 2;
    this.#evidence.amplitude = p.amplitude * Math.abs(level);
    this.#evidence.leakSize = input.leakSize * Math.abs(level);
    this.#evidence.endures = input.endures;
    this.#design(noise);
    this.#evidence.kindBest = Number.NEGATIVE_INFINITY;
    this.#enterAll();
    return this.#evidence.kindBest;
  }

  #design(noise: NoiseShape): void {
    const { fit, dictionary: d } = this;
    this.#evidence.halfLogDet = fit.begin(noise);
    for (let k = 0; k < d.nuisances; k++) fit.addNuisance(d.nuisanceColumns[k] as Float64Array);
    fit.setTarget();
    for (let k = 0; k < d.size; k++)
      this.#evidence.columnOf[k] = fit.addColumn((d.shapes[k] as ShapeColumn).column);
    fit.beginSteps();
    this.#evidence.observations = fit.n - fit.nuisances + p.wanderWeight;
  }

  #enterAll(): void {
    const d = this.dictionary;
    this.#evidence.believe(this.#evidence.harmless, this.#evidence.logEvidence(0), 'flat');
    const saturation = this.#bestOf(0, d.saturations);
    const line = this.#bestOf(d.rises, d.lines);
    const lineValue = this.#bestValue;
    const curve = this.#bestOf(d.lines, d.leaks);
    const leak = this.#bestValue > lineValue ? curve : line;
    this.#stepsAlone();
    this.#flatSteps = this.fit.columns;
    const afterSaturation = saturation < 0 ? -1 : this.#stepsAfter(saturation);
    const besideSaturation = this.#second;
    const afterLeak = leak < 0 ? -1 : this.#stepsAfter(leak);
    const besideLeak = this.#second;
    const thirdLeak = this.#third;
    this.#saturationsWithSteps(afterSaturation, besideSaturation);
    this.#saturationPairs();
    const rise = this.#rises();
    if (rise >= 0) this.#leaksWithRise(rise);
    for (let k = d.leaks; k < d.size; k++)
      if (this.#evidence.choose(0, k)) this.#excuse(d.shapes[k] as ShapeColumn);
    this.#leaksWithSteps(afterLeak, besideLeak, thirdLeak);
    if (rise >= 0) refineRise(this.#evidence, rise, this.#bestRise);
    if (line >= 0) refineLine(this.#evidence, line, lineValue, rise, afterLeak);
    if (this.#evidence.endures && this.#evidence.leaking.total - this.#evidence.harmless.total > p.endedOdds)
      endedGrowth(this.#evidence);
  }

  /** Judges every single shape of a range; returns the best or -1. */
  #bestOf(from: number, to: number): number {
    let best = -1;
    let most = Number.NEGATIVE_INFINITY;
    for (let k = from; k < to; k++) {
      if (!this.#evidence.choose(0, k)) continue;
      const shape = this.dictionary.shapes[k] as ShapeColumn;
      const value =
        shape.kind === shapeKind.saturation
          ? this.#judgeSaturation(1, shape.cost, 'saturation', shape)
          : this.#evidence.judgeLeak(1, shape.cost, shape, 'growth', false);
      if (value > most) {
        most = value;
        best = k;
      }
    }
    this.#bestValue = most;
    return best;
  }

  /** Enters a model whose first column is a saturation, on the side that its unfinished part says. */
  #judgeSaturation(
    terms: number,
    cost: number,
    name: string,
    shape: ShapeColumn,
    other?: ShapeColumn,
  ): number {
    const value = this.#evidence.logEvidence(terms) - cost;
    if (value === Number.NEGATIVE_INFINITY) return value;
    const b = this.fit.beta[0] as number;
    let gain = Math.max(0, b) * (1 - shape.end);
    let grown = b * shape.end;
    let rate = b * shape.slope;
    if (other !== undefined) {
      const b2 = this.fit.beta[1] as number;
      if (b < 0 || b2 < 0) return Number.NEGATIVE_INFINITY;
      gain += b2 * (1 - other.end);
      grown += b2 * other.end;
      rate += b2 * other.slope;
    }
    if (b <= 0 || gain <= this.#remaining) this.#evidence.believe(this.#evidence.harmless, value, name);
    else {
      this.#evidence.believeGrowth(value - this.dictionary.warmUp, name, grown, rate, 0);
      this.#evidence.leaking.foresee(rate, 0, this.#evidence.room);
    }
    return value;
  }

  /** Steps found greedily on flat ground: three are harmless, four and more that all go up are a leak in bursts. */
  #stepsAlone(): void {
    const place = Math.log(this.fit.n);
    let before = Number.NEGATIVE_INFINITY;
    for (let terms = 1; terms <= maxTerms; terms++) {
      const column = this.fit.nextStep(terms - 1);
      if (column < 0) return;
      this.fit.chosen[terms - 1] = column;
      const value = this.#evidence.logEvidence(terms);
      // Beyond the third a step that does not pay for its place is noise, and so are those after it.
      if (value === Number.NEGATIVE_INFINITY || (terms > 3 && value < before)) return;
      before = value;
      if (terms <= 3)
        this.#evidence.believe(
          this.#evidence.harmless,
          value - terms * (place + p.stepCost),
          stepNames[terms - 1] as string,
        );
      else if (!this.#judgeBursts(terms, value - terms * place - p.burstCost)) return;
    }
  }

  #judgeBursts(terms: number, value: number): boolean {
    let grown = 0;
    let least = Number.POSITIVE_INFINITY;
    let first = this.fit.n;
    let last = 0;
    for (let i = 0; i < terms; i++) {
      const size = this.fit.beta[i] as number;
      if (size < 0) return false;
      const row = this.fit.stepAt[this.fit.chosen[i] as number] as number;
      grown += size;
      least = Math.min(least, size);
      first = Math.min(first, row);
      last = Math.max(last, row);
    }
    // Bursts of one cause are alike and stand apart; else these are a few steps, smeared or with a wander.
    if (least * terms < p.burstLeast * grown || this.fit.stepsApart(terms) < 4) {
      this.#evidence.believe(this.#evidence.harmless, value + p.burstCost - terms * p.stepCost, 'steps');
      return true;
    }
    // Deployments and customers that come one after another are steps, too. The more steps, and the more of the room they have taken, the
    // likelier one cause.
    if (this.#evidence.endures) {
      const taken = grown / (this.#evidence.free + grown) / p.endureRoom;
      this.#evidence.believe(
        this.#evidence.harmless,
        value + p.burstCost - terms * p.stairCost + Math.min(0, p.endureCost - taken),
        'steps',
      );
    }
    const onset = (this.fit.t[Math.max(0, first - 1)] as number) - (this.fit.t[0] as number);
    const rate = grown / (this.dictionary.span - onset);
    const quiet = (this.fit.t[this.fit.n - 1] as number) - (this.fit.t[last] as number);
    // They go on: the chance that so many at random times leave the end as quiet as it is.
    const goesOn = (terms - 1) * Math.log(1 - quiet / (this.dictionary.span - onset));
    this.#evidence.believeGrowth(
      value + goesOn - this.dictionary.onsetCost(onset),
      'bursts',
      grown,
      rate,
      onset,
    );
    this.#evidence.leaking.foresee(rate, 0, this.#evidence.room);
    return true;
  }

  /** Three steps found greedily beside a shape: returns the first and leaves the others in `this.#second` and `this.#third`. */
  #stepsAfter(k: number): number {
    this.#second = -1;
    this.#third = -1;
    this.fit.chosen[0] = this.#evidence.columnOf[k] as number;
    const first = this.fit.nextStep(1);
    if (first < 0) return -1;
    this.fit.chosen[1] = first;
    this.#second = this.fit.nextStep(2);
    if (this.#second >= 0) {
      this.fit.chosen[2] = this.#second;
      this.#third = this.fit.nextStep(3);
    }
    return first;
  }

  /** Steps beyond the third that was found on flat ground are there for bursts only. */
  #isCandidate(column: number, own: number): boolean {
    return column < this.fit.firstStep + 3 || column >= this.#flatSteps || column === own;
  }

  #saturationsWithSteps(first: number, other: number): void {
    const cost = Math.log(this.fit.n) + p.stepCost;
    for (let k = 0; k < this.dictionary.saturations; k++) {
      if (!this.#evidence.choose(0, k)) continue;
      const shape = this.dictionary.shapes[k] as ShapeColumn;
      for (let column = this.fit.firstStep; column < this.fit.columns; column++) {
        if (!this.#isCandidate(column, first)) continue;
        this.fit.chosen[1] = column;
        this.#judgeSaturation(2, shape.cost + cost, 'saturation and step', shape);
      }
      if (other < 0) continue;
      this.fit.chosen[1] = first;
      this.fit.chosen[2] = other;
      this.#judgeSaturation(3, shape.cost + 2 * cost, 'saturation and two steps', shape);
    }
  }

  #saturationPairs(): void {
    for (let k = 0; k < this.dictionary.saturations; k++) {
      if (!this.#evidence.choose(0, k)) continue;
      const shape = this.dictionary.shapes[k] as ShapeColumn;
      for (let z = k + 1; z < this.dictionary.saturations; z++) {
        if (!this.#evidence.choose(1, z)) continue;
        const other = this.dictionary.shapes[z] as ShapeColumn;
        this.#judgeSaturation(2, shape.cost + other.cost + p.pairCost, 'two saturations', shape, other);
      }
    }
  }

  /** Rises that begin slowly and end well below the limit, alone, beside a step, or beside a quick saturation from the start. Returns the best one alone, or -1. */
  #rises(): number {
    let best = -1;
    let most = Number.NEGATIVE_INFINITY;
    const { fit, dictionary: d } = this;
    const stepCost = Math.log(fit.n) + p.stepCost;
    for (let k = d.saturations; k < d.rises; k++) {
      if (!this.#evidence.choose(0, k)) continue;
      const { cost, end } = d.shapes[k] as ShapeColumn;
      const alone = this.#evidence.enterRise(1, cost, end, 'rise');
      if (alone > most) {
        most = alone;
        best = k;
      }
      for (let z = 0; z < 4; z++)
        if (this.#evidence.choose(1, z))
          this.#evidence.enterRise(
            2,
            cost + (d.shapes[z] as ShapeColumn).cost + p.pairCost,
            end,
            'rise and saturation',
          );
      for (let column = fit.firstStep; column < Math.min(fit.firstStep + 3, this.#flatSteps); column++) {
        fit.chosen[1] = column;
        this.#evidence.enterRise(2, cost + stepCost, end, 'rise and step');
      }
    }
    this.#bestRise = most;
    return best;
  }

  /** Growth beside the rise that explains most alone. */
  #leaksWithRise(rise: number): void {
    const d = this.dictionary;
    const { cost } = d.shapes[rise] as ShapeColumn;
    for (let k = d.rises; k < d.lines; k++) {
      const shape = d.shapes[k] as ShapeColumn;
      if (this.#evidence.choose(0, k) && this.#evidence.choose(1, rise))
        this.#evidence.judgeLeak(2, shape.cost + cost + p.pairCost, shape, 'growth and rise', true);
    }
  }

  /** Growth that the load or the overhead of keepers explains, alone or beside a saturation. */
  #excuse(cause: ShapeColumn): void {
    const name = cause.kind === shapeKind.load ? 'load' : 'keepers';
    this.#enterExcuse(1, cause.cost, cause.end, name);
    for (let k = 0; k < this.dictionary.saturations; k++) {
      if (!this.#evidence.choose(1, k)) continue;
      const shape = this.dictionary.shapes[k] as ShapeColumn;
      this.#enterExcuse(2, cause.cost + shape.cost, cause.end, name, shape);
    }
  }

  #enterExcuse(terms: number, cost: number, most: number, name: string, saturation?: ShapeColumn): void {
    const value = this.#evidence.logEvidence(terms) - cost;
    const b = this.fit.beta[0] as number;
    if (b <= 0 || b > most) return;
    if (saturation !== undefined && (this.fit.beta[1] as number) * (1 - saturation.end) > this.#remaining)
      return;
    this.#evidence.believe(this.#evidence.harmless, value, name);
  }

  #leaksWithSteps(first: number, other: number, third: number): void {
    const d = this.dictionary;
    const cost = Math.log(this.fit.n) + p.stepCost;
    for (let k = d.rises; k < d.leaks; k++) {
      if (!this.#evidence.choose(0, k)) continue;
      const shape = this.dictionary.shapes[k] as ShapeColumn;
      for (let column = this.fit.firstStep; column < this.fit.columns; column++) {
        if (!this.#isCandidate(column, first)) continue;
        this.fit.chosen[1] = column;
        this.#evidence.judgeLeak(2, shape.cost + cost, shape, 'growth and step', false);
      }
      if (other >= 0) {
        this.fit.chosen[1] = first;
        this.fit.chosen[2] = other;
        this.#evidence.judgeLeak(3, shape.cost + 2 * cost, shape, 'growth and two steps', false);
        if (third >= 0) {
          this.fit.chosen[3] = third;
          this.#evidence.judgeLeak(4, shape.cost + 3 * cost, shape, 'growth and three steps', false);
        }
      }
      if (k >= d.lines) continue;
      for (let z = 0; z < 3; z++)
        if (this.#evidence.choose(1, z))
          this.#evidence.judgeLeak(
            2,
            shape.cost + (this.dictionary.shapes[z] as ShapeColumn).cost + p.pairCost,
            shape,
            'growth and saturation',
            true,
          );
    }
  }
}
