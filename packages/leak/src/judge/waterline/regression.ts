/** Whitened least squares on one shared set of columns: nuisances projected out, shapes with their Gram matrix. */
import { alongSteps, stepLength, whiten } from './noise.ts';
import { maxBuckets } from './timeline.ts';
import { window as w } from './window.ts';

const maxColumns = 40;
const maxNuisances = 12;
const nuisances = Array.from({ length: maxNuisances }, () => new Float64Array(maxBuckets));
const nuisanceSteps = Array.from({ length: maxNuisances }, () => new Float64Array(maxBuckets));
const columns = Array.from({ length: maxColumns }, () => new Float64Array(maxBuckets));
const target = new Float64Array(maxBuckets);
const rest = new Float64Array(maxBuckets);
const restSteps = new Float64Array(maxBuckets);
const gram = new Float64Array(maxColumns * maxColumns);
const onTarget = new Float64Array(maxColumns);

/** Most columns of one model. */
export const maxTerms = 7;
/** The model under evaluation: columns by index, and after `solve` their coefficients. */
export const chosen = new Int32Array(maxTerms);
export const beta = new Float64Array(maxTerms);
const chol = new Float64Array(maxTerms * maxTerms);
/** Squared pivots of the last solution: what each column adds beyond the ones before it. */
export const pivots = new Float64Array(maxTerms);

export const fit = { nuisances: 0, columns: 0, total: 0, left: 0 };

function dot(a: Float64Array, b: Float64Array, n: number): number {
  let sum = 0;
  for (let i = 0; i < n; i++) sum += (a[i] as number) * (b[i] as number);
  return sum;
}

function subtract(from: Float64Array, factor: number, what: Float64Array, n: number): void {
  for (let i = 0; i < n; i++) from[i] = (from[i] as number) - factor * (what[i] as number);
}

/** `set` of a subarray would allocate. */
function copy(from: Float64Array, to: Float64Array, n: number): void {
  for (let i = 0; i < n; i++) to[i] = from[i] as number;
}

function project(v: Float64Array, n: number): void {
  for (let j = 0; j < fit.nuisances; j++) {
    const base = nuisances[j] as Float64Array;
    subtract(v, dot(base, v, n), base, n);
  }
}

/** Empties the design; the noise must have been prepared. */
export function begin(): void {
  fit.nuisances = 0;
  fit.columns = 0;
}

/** Projects a raw column out of everything that follows; call it before `setTarget`. */
export function addNuisance(raw: Float64Array): void {
  const v = nuisances[fit.nuisances] as Float64Array;
  copy(raw, v, w.n);
  whiten(v, w.n);
  keepNuisance(v);
}

function keepNuisance(v: Float64Array): void {
  const before = dot(v, v, w.n);
  project(v, w.n);
  const after = dot(v, v, w.n);
  if (after <= 1e-6 * before) return;
  const scale = 1 / Math.sqrt(after);
  for (let i = 0; i < w.n; i++) v[i] = (v[i] as number) * scale;
  alongSteps(v, w.n, nuisanceSteps[fit.nuisances] as Float64Array);
  fit.nuisances++;
}

export function setTarget(): void {
  copy(w.y, target, w.n);
  whiten(target, w.n);
  project(target, w.n);
  fit.total = dot(target, target, w.n);
}

/** Adds a raw shape; returns its index, or -1 when the nuisances explain it. */
export function addColumn(raw: Float64Array): number {
  const v = columns[fit.columns] as Float64Array;
  copy(raw, v, w.n);
  return keepColumn(v);
}

/** Adds a unit step that begins at a row. */
export function addStep(row: number): number {
  const v = columns[fit.columns] as Float64Array;
  v.fill(0, 0, row);
  v.fill(1, row, w.n);
  return keepColumn(v);
}

function keepColumn(v: Float64Array): number {
  const { n } = w;
  const at = fit.columns;
  whiten(v, n);
  project(v, n);
  const own = dot(v, v, n);
  if (own < 1e-9) return -1;
  fit.columns++;
  gram[at * maxColumns + at] = own;
  for (let j = 0; j < at; j++) {
    const d = dot(v, columns[j] as Float64Array, n);
    gram[at * maxColumns + j] = d;
    gram[j * maxColumns + at] = d;
  }
  onTarget[at] = dot(v, target, n);
  return at;
}

/** Fits the first `terms` chosen columns; false when they are collinear. */
export function solve(terms: number): boolean {
  fit.left = fit.total;
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
    let z = onTarget[chosen[i] as number] as number;
    for (let m = 0; m < i; m++) {
      const l = chol[i * maxTerms + m] as number;
      pivot -= l * l;
      z -= l * (beta[m] as number);
    }
    if (pivot < 1e-5 * own) return false;
    const root = Math.sqrt(pivot);
    chol[i * maxTerms + i] = root;
    pivots[i] = pivot;
    z /= root;
    beta[i] = z;
    fit.left -= z * z;
  }
  fit.left = Math.max(fit.left, 1e-12);
  for (let i = terms - 1; i >= 0; i--) {
    let b = beta[i] as number;
    for (let m = i + 1; m < terms; m++) b -= (chol[m * maxTerms + i] as number) * (beta[m] as number);
    beta[i] = b / (chol[i * maxTerms + i] as number);
  }
  return true;
}

/** The row at which one more step explains most beyond the first `terms` chosen columns; -1 when none does. */
export function bestStep(terms: number): number {
  const { n } = w;
  const before = fit.nuisances;
  for (let i = 0; i < terms && fit.nuisances < maxNuisances; i++) {
    const v = nuisances[fit.nuisances] as Float64Array;
    copy(columns[chosen[i] as number] as Float64Array, v, n);
    keepNuisance(v);
  }
  copy(target, rest, n);
  project(rest, n);
  alongSteps(rest, n, restSteps);
  let best = 0;
  let place = -1;
  for (let p = 2; p <= n - 2; p++) {
    let own = stepLength[p] as number;
    for (let j = 0; j < fit.nuisances; j++) {
      const d = (nuisanceSteps[j] as Float64Array)[p] as number;
      own -= d * d;
    }
    const hit = restSteps[p] as number;
    if (own > 1e-6 && hit * hit > best * own) {
      best = (hit * hit) / own;
      place = p;
    }
  }
  fit.nuisances = before;
  return place;
}
