/**
 * Is this growth a leak? Two sides explain the window, each a sum over models weighted by prior and evidence.
 *
 * Harmless models: flat, up to three steps, a saturation that ends well below the limit, two of them, a saturation with steps, a rise that begins slowly and
 * ends (heap only). Leak models:
 * a line, a line per request or an accelerating curve from some onset on, alone or with steps or a quick saturation; a saturation that
 * would not end in time; four and more steps that all go up. Load, time of day and earlier runs are projected out first. The evidence of a
 * model is its marginal likelihood under wander noise of unknown scale (Student), with Occam factors from the priors of its amplitudes.
 * Everything is averaged over kinds of noise. Taking the best-fitting kind would let a slow wander pass for a trend.
 */
import { Dictionary, shapeKind } from './dictionary.ts';
import type { ShapeColumn } from './dictionary.ts';
import { Fit, maxTerms } from './fit.ts';
import { parameters as p } from './parameters.ts';
import { Tally } from './tally.ts';
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

/** The eight directions around a point. */
const wayLater = [-1, 0, 1, -1, 1, -1, 0, 1] as const;
const wayWider = [-1, -1, -1, 0, 0, 1, 1, 1] as const;
const stepNames = ['one step', 'two steps', 'three steps'] as const;

/** The models over one `Fit`. One object serves every channel of the process. */
export class Models {
  readonly fit = new Fit();
  readonly dictionary = new Dictionary(this.fit);
  /** The test that the dictionary was filled for. Its steps share it, unless another test came between. */
  #builtFor: Sides | undefined;
  #harmless = new Tally();
  #leaking = new Tally();
  readonly #columnOf = new Int32Array(64);
  #halfLogDet = 0;
  #priorSquares = 0;
  #amplitude = 0;
  #leakSize = 0;
  #observations = 0;
  #room = 0;
  #remaining = 0;
  /** Room up to the limit. */
  #free = 0;
  #kindBest = 0;
  #flatSteps = 0;
  #second = -1;
  #bestRise = 0;

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
    this.#harmless = sides.harmless;
    this.#leaking = sides.leaking;
    const level = fit.y[fit.n - 1] as number;
    this.#room = Math.max(1e-9, input.room);
    this.#free = Math.max(1e-9, input.limit - level);
    this.#remaining = input.remaining * this.#free;
    this.#priorSquares = p.wanderWeight * (input.wander * level) ** 2;
    this.#amplitude = p.amplitude * Math.abs(level);
    this.#leakSize = input.leakSize * Math.abs(level);
    this.#design(noise);
    this.#kindBest = Number.NEGATIVE_INFINITY;
    this.#enterAll();
    return this.#kindBest;
  }

  #design(noise: NoiseShape): void {
    const { fit, dictionary: d } = this;
    this.#halfLogDet = fit.begin(noise);
    for (let k = 0; k < d.nuisances; k++) fit.addNuisance(d.nuisanceColumns[k] as Float64Array);
    fit.setTarget();
    for (let k = 0; k < d.size; k++) this.#columnOf[k] = fit.addColumn((d.shapes[k] as ShapeColumn).column);
    fit.beginSteps();
    this.#observations = fit.n - fit.nuisances + p.wanderWeight;
  }

  #enterAll(): void {
    const d = this.dictionary;
    this.#believe(this.#harmless, this.#logEvidence(0), 'flat');
    const saturation = this.#bestOf(0, d.saturations);
    const leak = this.#bestOf(d.rises, d.leaks);
    this.#stepsAlone();
    this.#flatSteps = this.fit.columns;
    const afterSaturation = saturation < 0 ? -1 : this.#stepsAfter(saturation);
    const besideSaturation = this.#second;
    const afterLeak = leak < 0 ? -1 : this.#stepsAfter(leak);
    const besideLeak = this.#second;
    this.#saturationsWithSteps(afterSaturation, besideSaturation);
    this.#saturationPairs();
    const rise = this.#rises();
    if (rise >= 0) this.#leaksWithRise(rise);
    for (let k = d.leaks; k < d.size; k++) if (this.#choose(0, k)) this.#excuse(d.shapes[k] as ShapeColumn);
    this.#leaksWithSteps(afterLeak, besideLeak);
    if (rise >= 0) this.#refineRise(rise);
  }

  /** Log marginal likelihood of the first `terms` chosen columns. */
  #logEvidence(terms: number): number {
    if (!this.fit.solve(terms)) return Number.NEGATIVE_INFINITY;
    const squares = this.#priorSquares + this.fit.left;
    const scale = (this.#amplitude * this.#amplitude * this.#observations) / squares;
    let occam = 1;
    for (let i = 0; i < terms; i++) occam *= 1 + scale * (this.fit.pivots[i] as number);
    return -0.5 * (this.#observations * Math.log(squares) + Math.log(occam)) - this.#halfLogDet;
  }

  #believe(side: Tally, value: number, name: string): boolean {
    if (value > this.#kindBest) this.#kindBest = value;
    return side.add(value, name, (this.#priorSquares + this.fit.left) / this.#observations);
  }

  /** Puts shape `k` first in the model; false when the nuisances explain it. */
  #choose(slot: number, k: number): boolean {
    const column = this.#columnOf[k] as number;
    this.fit.chosen[slot] = column;
    return column >= 0;
  }

  /** Judges every single shape of a range; returns the best or -1. */
  #bestOf(from: number, to: number): number {
    let best = -1;
    let most = Number.NEGATIVE_INFINITY;
    for (let k = from; k < to; k++) {
      if (!this.#choose(0, k)) continue;
      const shape = this.dictionary.shapes[k] as ShapeColumn;
      const value =
        shape.kind === shapeKind.saturation
          ? this.#judgeSaturation(1, shape.cost, 'saturation', shape)
          : this.#judgeLeak(1, shape.cost, shape, 'growth', false);
      if (value > most) {
        most = value;
        best = k;
      }
    }
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
    const value = this.#logEvidence(terms) - cost;
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
    if (b <= 0 || gain <= this.#remaining) this.#believe(this.#harmless, value, name);
    else {
      if (this.#believe(this.#leaking, value - this.dictionary.warmUp, name)) this.#read(grown, rate, 0);
      this.#leaking.foresee(rate, 0, this.#room);
    }
    return value;
  }

  /** Enters a model whose first column grows without end; `hasSaturation` says that the this.#second one is a saturation. */
  #judgeLeak(terms: number, cost: number, shape: ShapeColumn, name: string, hasSaturation: boolean): number {
    const fitted = this.#logEvidence(terms) - cost;
    const b = this.fit.beta[0] as number;
    if (fitted === Number.NEGATIVE_INFINITY || b <= 0) return Number.NEGATIVE_INFINITY;
    const value = fitted + this.#sizeBelief(b * shape.end);
    // A falling saturation beside a rising line is one bend, not two causes.
    if (hasSaturation && (this.fit.beta[1] as number) <= 0) return Number.NEGATIVE_INFINITY;
    if (this.#believe(this.#leaking, value, name)) this.#read(b * shape.end, b * shape.slope, shape.onset);
    this.#leaking.foresee(b * shape.slope, b * shape.curve, this.#room);
    return value;
  }

  /**
   * What the size of a growth says. The Occam factor stands for a normal prior as wide as fills are; a leak that is looked at has grown
   * little yet. Its prior is a Cauchy, so that one found late is believed all the same.
   */
  #sizeBelief(growth: number): number {
    if (this.#leakSize === 0) return 0;
    const ratio = growth / this.#leakSize;
    return Math.log((this.#amplitude * Math.sqrt(2 / Math.PI)) / this.#leakSize) - Math.log1p(ratio * ratio);
  }

  #read(growth: number, rate: number, onset: number): void {
    this.#leaking.growth = growth;
    this.#leaking.rate = rate;
    this.#leaking.onset = onset;
  }

  /** Steps found greedily on flat ground: three are this.#harmless, four and more that all go up are a leak in bursts. */
  #stepsAlone(): void {
    const place = Math.log(this.fit.n);
    let before = Number.NEGATIVE_INFINITY;
    for (let terms = 1; terms <= maxTerms; terms++) {
      const column = this.fit.nextStep(terms - 1);
      if (column < 0) return;
      this.fit.chosen[terms - 1] = column;
      const value = this.#logEvidence(terms);
      // Beyond the third a step that does not pay for its place is noise, and so are those after it.
      if (value === Number.NEGATIVE_INFINITY || (terms > 3 && value < before)) return;
      before = value;
      if (terms <= 3)
        this.#believe(this.#harmless, value - terms * (place + p.stepCost), stepNames[terms - 1] as string);
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
      this.#believe(this.#harmless, value + p.burstCost - terms * p.stepCost, 'steps');
      return true;
    }
    const onset = (this.fit.t[Math.max(0, first - 1)] as number) - (this.fit.t[0] as number);
    const rate = grown / (this.dictionary.span - onset);
    const quiet = (this.fit.t[this.fit.n - 1] as number) - (this.fit.t[last] as number);
    // They go on: the chance that so many at random times leave the end as quiet as it is.
    const goesOn = (terms - 1) * Math.log(1 - quiet / (this.dictionary.span - onset));
    if (this.#believe(this.#leaking, value + goesOn - this.dictionary.onsetCost(onset), 'bursts'))
      this.#read(grown, rate, onset);
    this.#leaking.foresee(rate, 0, this.#room);
    return true;
  }

  /** Two steps found greedily beside a shape: returns the first and leaves the other in `this.#second`. */
  #stepsAfter(k: number): number {
    this.#second = -1;
    this.fit.chosen[0] = this.#columnOf[k] as number;
    const first = this.fit.nextStep(1);
    if (first < 0) return -1;
    this.fit.chosen[1] = first;
    this.#second = this.fit.nextStep(2);
    return first;
  }

  /** Steps beyond the third that was found on flat ground are there for bursts only. */
  #isCandidate(column: number, own: number): boolean {
    return column < this.fit.firstStep + 3 || column >= this.#flatSteps || column === own;
  }

  #saturationsWithSteps(first: number, other: number): void {
    const cost = Math.log(this.fit.n) + p.stepCost;
    for (let k = 0; k < this.dictionary.saturations; k++) {
      if (!this.#choose(0, k)) continue;
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
      if (!this.#choose(0, k)) continue;
      const shape = this.dictionary.shapes[k] as ShapeColumn;
      for (let z = k + 1; z < this.dictionary.saturations; z++) {
        if (!this.#choose(1, z)) continue;
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
      if (!this.#choose(0, k)) continue;
      const { cost, end } = d.shapes[k] as ShapeColumn;
      const alone = this.#enterRise(1, cost, end, 'rise');
      if (alone > most) {
        most = alone;
        best = k;
      }
      for (let z = 0; z < 4; z++)
        if (this.#choose(1, z))
          this.#enterRise(
            2,
            cost + (d.shapes[z] as ShapeColumn).cost + p.pairCost,
            end,
            'rise and saturation',
          );
      for (let column = fit.firstStep; column < Math.min(fit.firstStep + 3, this.#flatSteps); column++) {
        fit.chosen[1] = column;
        this.#enterRise(2, cost + stepCost, end, 'rise and step');
      }
    }
    this.#bestRise = most;
    return best;
  }

  /**
   * Looks for a better rise around the best of the grid, in three rounds of half the distance each. A round costs the logarithm of four,
   * because it divides a cell of the grid by two in each direction. It uses columns beyond the steps, so it must come last.
   */
  #refineRise(rise: number): void {
    const { fit, dictionary: d } = this;
    const columns = fit.columns;
    let later = 0;
    let wider = 0;
    let most = this.#bestRise;
    let cost = Math.log(4);
    for (let distance = 0.5; distance > 0.1; distance /= 2, cost += Math.log(4)) {
      const fromLater = later;
      const fromWider = wider;
      for (let way = 0; way < 8; way++) {
        const ahead = (wayLater[way] as number) * distance + fromLater;
        const aside = (wayWider[way] as number) * distance + fromWider;
        const value = this.#tryRise(d.nearRise(rise, ahead, aside), cost, columns);
        if (value <= most) continue;
        most = value;
        later = ahead;
        wider = aside;
      }
    }
  }

  #tryRise(shape: ShapeColumn, cost: number, columns: number): number {
    const { fit, dictionary: d } = this;
    fit.columns = columns;
    fit.chosen[0] = fit.addColumn(shape.column);
    if ((fit.chosen[0] as number) < 0) return Number.NEGATIVE_INFINITY;
    const value = this.#enterRise(1, shape.cost + cost, shape.end, 'rise');
    for (let z = 0; z < 4; z++)
      if (this.#choose(1, z)) {
        const pair = shape.cost + cost + (d.shapes[z] as ShapeColumn).cost + p.pairCost;
        this.#enterRise(2, pair, shape.end, 'rise and saturation');
      }
    return value;
  }

  /** Growth beside the rise that explains most alone. */
  #leaksWithRise(rise: number): void {
    const d = this.dictionary;
    const { cost } = d.shapes[rise] as ShapeColumn;
    for (let k = d.rises; k < d.lines; k++) {
      const shape = d.shapes[k] as ShapeColumn;
      if (this.#choose(0, k) && this.#choose(1, rise))
        this.#judgeLeak(2, shape.cost + cost + p.pairCost, shape, 'growth and rise', true);
    }
  }

  #enterRise(terms: number, cost: number, end: number, name: string): number {
    const value = this.#logEvidence(terms) - cost;
    const b = this.fit.beta[0] as number;
    if (b <= 0 || b * (1 - end) > p.riseRemaining * this.#free) return Number.NEGATIVE_INFINITY;
    this.#believe(this.#harmless, value, name);
    return value;
  }

  /** Growth that the load or the overhead of keepers explains, alone or beside a saturation. */
  #excuse(cause: ShapeColumn): void {
    const name = cause.kind === shapeKind.load ? 'load' : 'keepers';
    this.#enterExcuse(1, cause.cost, cause.end, name);
    for (let k = 0; k < this.dictionary.saturations; k++) {
      if (!this.#choose(1, k)) continue;
      const shape = this.dictionary.shapes[k] as ShapeColumn;
      this.#enterExcuse(2, cause.cost + shape.cost, cause.end, name, shape);
    }
  }

  #enterExcuse(terms: number, cost: number, most: number, name: string, saturation?: ShapeColumn): void {
    const value = this.#logEvidence(terms) - cost;
    const b = this.fit.beta[0] as number;
    if (b <= 0 || b > most) return;
    if (saturation !== undefined && (this.fit.beta[1] as number) * (1 - saturation.end) > this.#remaining)
      return;
    this.#believe(this.#harmless, value, name);
  }

  #leaksWithSteps(first: number, other: number): void {
    const d = this.dictionary;
    const cost = Math.log(this.fit.n) + p.stepCost;
    for (let k = d.rises; k < d.leaks; k++) {
      if (!this.#choose(0, k)) continue;
      const shape = this.dictionary.shapes[k] as ShapeColumn;
      for (let column = this.fit.firstStep; column < this.fit.columns; column++) {
        if (!this.#isCandidate(column, first)) continue;
        this.fit.chosen[1] = column;
        this.#judgeLeak(2, shape.cost + cost, shape, 'growth and step', false);
      }
      if (other >= 0) {
        this.fit.chosen[1] = first;
        this.fit.chosen[2] = other;
        this.#judgeLeak(3, shape.cost + 2 * cost, shape, 'growth and two steps', false);
      }
      if (k >= d.lines) continue;
      for (let z = 0; z < 3; z++)
        if (this.#choose(1, z))
          this.#judgeLeak(
            2,
            shape.cost + (this.dictionary.shapes[z] as ShapeColumn).cost + p.pairCost,
            shape,
            'growth and saturation',
            true,
          );
    }
  }
}
