/**
 * Is this growth a leak? Two sides explain the window, each a sum over models weighted by prior and analysis.
 *
 * Harmless: flat, up to three steps, a saturation that ends well below the limit, two of them, a saturation with steps. Leak: a line, a
 * line per request or an accelerating curve from some onset on, alone or with steps or a quick saturation; a saturation that would not
 * end in time; four and more steps that all go up. Load, time of day and earlier runs are projected out first. The analysis of a model
 * is its marginal likelihood under wander noise of unknown scale (Student), with Occam factors from the priors of its amplitudes, and
 * everything is averaged over kinds of noise, because taking the best-fitting kind would let a slow wander pass for a trend.
 */
import { buildDictionary, dictionary, nuisanceColumns, onsetCost, shapeKind, shapes } from './dictionary.ts';
import type { ShapeColumn } from './dictionary.ts';
import { beginSteps, nextStep, stepAt, stepsApart } from './found-steps.ts';
import { prepareNoise } from './noise.ts';
import type { NoiseShape } from './noise.ts';
import { noiseShapes } from './noise-shapes.ts';
import type { NoiseMemory } from './noise-shapes.ts';
import { parameters as p } from './parameters.ts';
import {
  addColumn,
  addNuisance,
  begin,
  beta,
  chosen,
  fit,
  maxTerms,
  pivots,
  setTarget,
  solve,
} from './regression.ts';
import { Tally } from './tally.ts';
import { window as w } from './window.ts';

/** What a test is told besides the window. */
export interface TestInput {
  /** Seconds since the first observation. */
  age: number;
  useLoad: boolean;
  useHistory: boolean;
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

/** What a test found. */
export interface Verdict {
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
  harmless: string;
  leak: string;
}

let harmless = new Tally();
let leaking = new Tally();
const stepNames = ['one step', 'two steps', 'three steps'] as const;

let halfLogDet = 0;
let priorSquares = 0;
let amplitude = 0;
let leakSize = 0;
let observations = 0;
let level = 0;
let limit = 0;
let room = 0;
let remaining = 0;
let kindBest = 0;
let firstStep = 0;

/** The test that the dictionary was filled for: its steps share it, unless another test came between. */
let builtFor: Tally | undefined;

/** A test in progress: what both sides have gathered over the kinds of noise tried so far. */
export class ShapeTest {
  private readonly harmless = new Tally();
  private readonly leaking = new Tally();
  private readonly noise: NoiseMemory;
  private kind = 0;
  private kindsLeft = 0;

  constructor(noise: NoiseMemory) {
    this.noise = noise;
  }

  get isRunning(): boolean {
    return this.kindsLeft > 0;
  }

  begin(): void {
    this.harmless.reset();
    this.leaking.reset();
    this.noise.begin();
    this.kind = this.noise.likeliest;
    this.kindsLeft = noiseShapes.length;
    if (builtFor === this.harmless) builtFor = undefined;
  }

  /** Tries one kind of noise on the window, which must be the same at every step; true when it was the last. */
  step(input: TestInput, out: Verdict): boolean {
    harmless = this.harmless;
    leaking = this.leaking;
    if (builtFor !== harmless) buildDictionary(input.age, input.useLoad, input.useHistory);
    builtFor = harmless;
    level = w.y[w.n - 1] as number;
    limit = input.limit;
    room = Math.max(1e-9, input.room);
    remaining = input.remaining * Math.max(1e-9, limit - level);
    priorSquares = p.wanderWeight * (input.wander * level) ** 2;
    amplitude = p.amplitude * Math.abs(level);
    leakSize = input.leakSize * Math.abs(level);
    testUnder(noiseShapes[this.kind] as NoiseShape);
    this.noise.learn(this.kind, kindBest);
    do {
      this.kind = (this.kind + 1) % noiseShapes.length;
      this.kindsLeft--;
    } while (this.isRunning && !this.noise.isWorthTrying(this.kind));
    // The likeliest kind comes first: when it leaves no hope, the others are not asked.
    if (!this.noise.isRenewal && leaking.total - harmless.total < p.farOdds) this.kindsLeft = 0;
    if (this.isRunning) return false;
    conclude(out);
    return true;
  }
}

function conclude(out: Verdict): void {
  out.odds = leaking.total - harmless.total - p.leakCost;
  out.growth = leaking.growth;
  out.rate = leaking.rate;
  out.onset = leaking.onset + (w.t[0] as number);
  out.tte = 1 / leaking.speed;
  out.disagreement = leaking.disagreement;
  out.sigma = Math.sqrt(harmless.variance);
  out.harmless = harmless.name;
  out.leak = leaking.name;
}

function testUnder(shape: NoiseShape): void {
  const d = dictionary;
  halfLogDet = prepareNoise(shape, w.t, w.level, w.n, p.bucket);
  begin();
  for (let k = 0; k < d.nuisances; k++) addNuisance(nuisanceColumns[k] as Float64Array);
  setTarget();
  for (let k = 0; k < d.size; k++) columnOf[k] = addColumn((shapes[k] as ShapeColumn).column);
  firstStep = fit.columns;
  beginSteps();
  observations = w.n - fit.nuisances + p.wanderWeight;
  kindBest = Number.NEGATIVE_INFINITY;

  believe(harmless, snapshotSince(0), 'flat');
  const saturation = bestOf(0, d.saturations);
  const leak = bestOf(d.saturations, d.leaks);
  stepsAlone();
  flatSteps = fit.columns;
  const afterSaturation = saturation < 0 ? -1 : stepsAfter(saturation);
  const besideSaturation = second;
  const afterLeak = leak < 0 ? -1 : stepsAfter(leak);
  const besideLeak = second;
  saturationsWithSteps(afterSaturation, besideSaturation);
  saturationPairs();
  for (let k = d.leaks; k < d.size; k++) if (choose(0, k)) excuse(shapes[k] as ShapeColumn);
  leaksWithSteps(afterLeak, besideLeak);
}

const columnOf = new Int32Array(64);
let second = -1;

/** Log marginal likelihood of the first `terms` chosen columns. */
function snapshotSince(terms: number): number {
  if (!solve(terms)) return Number.NEGATIVE_INFINITY;
  const squares = priorSquares + fit.left;
  const scale = (amplitude * amplitude * observations) / squares;
  let occam = 1;
  for (let i = 0; i < terms; i++) occam *= 1 + scale * (pivots[i] as number);
  return -0.5 * (observations * Math.log(squares) + Math.log(occam)) - halfLogDet;
}

function believe(side: Tally, value: number, name: string): boolean {
  if (value > kindBest) kindBest = value;
  return side.add(value, name, (priorSquares + fit.left) / observations);
}

/** Puts shape `k` first in the model; false when the nuisances explain it. */
function choose(slot: number, k: number): boolean {
  const column = columnOf[k] as number;
  chosen[slot] = column;
  return column >= 0;
}

/** Judges every single shape of a range; returns the best or -1. */
function bestOf(from: number, to: number): number {
  let best = -1;
  let most = Number.NEGATIVE_INFINITY;
  for (let k = from; k < to; k++) {
    if (!choose(0, k)) continue;
    const shape = shapes[k] as ShapeColumn;
    const value =
      shape.kind === shapeKind.saturation
        ? judgeSaturation(1, shape.cost, 'saturation', shape)
        : judgeLeak(1, shape.cost, shape, 'growth', false);
    if (value > most) {
      most = value;
      best = k;
    }
  }
  return best;
}

/** Enters a model whose first column is a saturation, on the side that its unfinished part says. */
function judgeSaturation(
  terms: number,
  cost: number,
  name: string,
  shape: ShapeColumn,
  other?: ShapeColumn,
): number {
  const value = snapshotSince(terms) - cost;
  if (value === Number.NEGATIVE_INFINITY) return value;
  const b = beta[0] as number;
  let gain = Math.max(0, b) * (1 - shape.end);
  let grown = b * shape.end;
  let rate = b * shape.slope;
  if (other !== undefined) {
    const b2 = beta[1] as number;
    if (b < 0 || b2 < 0) return Number.NEGATIVE_INFINITY;
    gain += b2 * (1 - other.end);
    grown += b2 * other.end;
    rate += b2 * other.slope;
  }
  if (b <= 0 || gain <= remaining) believe(harmless, value, name);
  else {
    if (believe(leaking, value - dictionary.warmUp, name)) read(grown, rate, 0);
    leaking.foresee(rate, 0, room);
  }
  return value;
}

/** Enters a model whose first column grows without end; `hasSaturation` says that the second one is a saturation. */
function judgeLeak(
  terms: number,
  cost: number,
  shape: ShapeColumn,
  name: string,
  hasSaturation: boolean,
): number {
  const fitted = snapshotSince(terms) - cost;
  const b = beta[0] as number;
  if (fitted === Number.NEGATIVE_INFINITY || b <= 0) return Number.NEGATIVE_INFINITY;
  const value = fitted + sizeBelief(b * shape.end);
  // A falling saturation beside a rising line is one bend, not two causes.
  if (hasSaturation && (beta[1] as number) <= 0) return Number.NEGATIVE_INFINITY;
  if (believe(leaking, value, name)) read(b * shape.end, b * shape.slope, shape.onset);
  leaking.foresee(b * shape.slope, b * shape.curve, room);
  return value;
}

/**
 * What the size of a growth says. The Occam factor stands for a normal prior as wide as fills are; a leak that is looked at has grown
 * little yet. Its prior is a Cauchy, so that one found late is believed all the same.
 */
function sizeBelief(growth: number): number {
  if (leakSize === 0) return 0;
  const ratio = growth / leakSize;
  return Math.log((amplitude * Math.sqrt(2 / Math.PI)) / leakSize) - Math.log1p(ratio * ratio);
}

function read(growth: number, rate: number, onset: number): void {
  leaking.growth = growth;
  leaking.rate = rate;
  leaking.onset = onset;
}

/** Steps found greedily on flat ground: three are harmless, four and more that all go up are a leak in bursts. */
function stepsAlone(): void {
  const place = Math.log(w.n);
  let before = Number.NEGATIVE_INFINITY;
  for (let terms = 1; terms <= maxTerms; terms++) {
    const column = nextStep(terms - 1);
    if (column < 0) return;
    chosen[terms - 1] = column;
    const value = snapshotSince(terms);
    // Beyond the third a step that does not pay for its place is noise, and so are those after it.
    if (value === Number.NEGATIVE_INFINITY || (terms > 3 && value < before)) return;
    before = value;
    if (terms <= 3) believe(harmless, value - terms * (place + p.stepCost), stepNames[terms - 1] as string);
    else if (!judgeBursts(terms, value - terms * place - p.burstCost)) return;
  }
}

function judgeBursts(terms: number, value: number): boolean {
  let grown = 0;
  let least = Number.POSITIVE_INFINITY;
  let first = w.n;
  let last = 0;
  for (let i = 0; i < terms; i++) {
    const size = beta[i] as number;
    if (size < 0) return false;
    const row = stepAt[chosen[i] as number] as number;
    grown += size;
    least = Math.min(least, size);
    first = Math.min(first, row);
    last = Math.max(last, row);
  }
  // Bursts of one cause are alike and stand apart; else these are a few steps, smeared or with a wander.
  if (least * terms < p.burstLeast * grown || stepsApart(terms) < 4) {
    believe(harmless, value + p.burstCost - terms * p.stepCost, 'steps');
    return true;
  }
  const onset = (w.t[Math.max(0, first - 1)] as number) - (w.t[0] as number);
  const rate = grown / (dictionary.span - onset);
  const quiet = (w.t[w.n - 1] as number) - (w.t[last] as number);
  // They go on: the chance that so many at random times leave the end as quiet as it is.
  const goesOn = (terms - 1) * Math.log(1 - quiet / (dictionary.span - onset));
  if (believe(leaking, value + goesOn - onsetCost(onset), 'bursts')) read(grown, rate, onset);
  leaking.foresee(rate, 0, room);
  return true;
}

/** Two steps found greedily beside a shape: returns the first and leaves the other in `second`. */
function stepsAfter(k: number): number {
  second = -1;
  chosen[0] = columnOf[k] as number;
  const first = nextStep(1);
  if (first < 0) return -1;
  chosen[1] = first;
  second = nextStep(2);
  return first;
}

/** Steps beyond the third that was found on flat ground are there for bursts only. */
function isCandidate(column: number, own: number): boolean {
  return column < firstStep + 3 || column >= flatSteps || column === own;
}

let flatSteps = 0;

function saturationsWithSteps(first: number, other: number): void {
  const cost = Math.log(w.n) + p.stepCost;
  for (let k = 0; k < dictionary.saturations; k++) {
    if (!choose(0, k)) continue;
    const shape = shapes[k] as ShapeColumn;
    for (let column = firstStep; column < fit.columns; column++) {
      if (!isCandidate(column, first)) continue;
      chosen[1] = column;
      judgeSaturation(2, shape.cost + cost, 'saturation and step', shape);
    }
    if (other < 0) continue;
    chosen[1] = first;
    chosen[2] = other;
    judgeSaturation(3, shape.cost + 2 * cost, 'saturation and two steps', shape);
  }
}

function saturationPairs(): void {
  for (let k = 0; k < dictionary.saturations; k++) {
    if (!choose(0, k)) continue;
    const shape = shapes[k] as ShapeColumn;
    for (let z = k + 1; z < dictionary.saturations; z++) {
      if (!choose(1, z)) continue;
      const other = shapes[z] as ShapeColumn;
      judgeSaturation(2, shape.cost + other.cost + p.pairCost, 'two saturations', shape, other);
    }
  }
}

/** Growth that the load or the overhead of keepers explains, alone or beside a saturation. */
function excuse(cause: ShapeColumn): void {
  const name = cause.kind === shapeKind.load ? 'load' : 'keepers';
  enterExcuse(1, cause.cost, cause.end, name);
  for (let k = 0; k < dictionary.saturations; k++) {
    if (!choose(1, k)) continue;
    const shape = shapes[k] as ShapeColumn;
    enterExcuse(2, cause.cost + shape.cost, cause.end, name, shape);
  }
}

function enterExcuse(
  terms: number,
  cost: number,
  most: number,
  name: string,
  saturation?: ShapeColumn,
): void {
  const value = snapshotSince(terms) - cost;
  const b = beta[0] as number;
  if (b <= 0 || b > most) return;
  if (saturation !== undefined && (beta[1] as number) * (1 - saturation.end) > remaining) return;
  believe(harmless, value, name);
}

function leaksWithSteps(first: number, other: number): void {
  const d = dictionary;
  const cost = Math.log(w.n) + p.stepCost;
  for (let k = d.saturations; k < d.leaks; k++) {
    if (!choose(0, k)) continue;
    const shape = shapes[k] as ShapeColumn;
    for (let column = firstStep; column < fit.columns; column++) {
      if (!isCandidate(column, first)) continue;
      chosen[1] = column;
      judgeLeak(2, shape.cost + cost, shape, 'growth and step', false);
    }
    if (other >= 0) {
      chosen[1] = first;
      chosen[2] = other;
      judgeLeak(3, shape.cost + 2 * cost, shape, 'growth and two steps', false);
    }
    if (k >= d.lines) continue;
    for (let z = 0; z < 3; z++)
      if (choose(1, z))
        judgeLeak(
          2,
          shape.cost + (shapes[z] as ShapeColumn).cost + p.pairCost,
          shape,
          'growth and saturation',
          true,
        );
  }
}
