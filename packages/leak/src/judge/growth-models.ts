/** The shapes that a series of floors may have, over work from 0 to 1, and how well each fits. */
export interface ModelPoint {
  readonly x: number;
  readonly y: number;
}

interface Model {
  readonly name: string;
  /** Columns of the linear part. */
  readonly columns: (x: number) => readonly number[];
  /** Parameters that were chosen from a grid, such as the place of a step. */
  readonly chosen: number;
  /** Whether the coefficients make sense, such as a slope that rises. */
  readonly isMeant: (coefficients: readonly number[]) => boolean;
}

/** A model with its coefficients. */
export interface Fitted {
  readonly name: string;
  readonly bic: number;
  readonly residuals: readonly number[];
}

const after = (x: number, begin: number): number => Math.max(0, x - begin);
const step = (x: number, at: number): number => (x >= at ? 1 : 0);
const saturation = (x: number, tau: number): number => 1 - Math.exp(-x / tau);
const rise = (x: number, from: number, to: number): number =>
  Math.min(1, Math.max(0, (x - from) / (to - from)));
const logistic = (x: number, middle: number, width: number): number =>
  1 / (1 + Math.exp((middle - x) / width));
const at = (coefficients: readonly number[], i: number): number => coefficients[i] as number;
const any = (): boolean => true;
const rises = (c: readonly number[]): boolean => at(c, 1) > 0;

const places = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9];
const pairs = places.flatMap((one) =>
  places.filter((two) => two > one + 0.05).map((two) => [one, two] as const),
);
const spans = [0, 0.1, 0.2, 0.3, 0.4, 0.5].flatMap((from) =>
  [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.85]
    .filter((to) => to > from + 0.05)
    .map((to) => [from, to] as const),
);
const quick = [0.03, 0.06, 0.12, 0.2];

const harmless: readonly Model[] = [
  { name: 'flat', columns: () => [1], chosen: 0, isMeant: any },
  ...places.map((p) => ({
    name: 'one step',
    columns: (x: number) => [1, step(x, p)],
    chosen: 1,
    isMeant: any,
  })),
  ...pairs.map(([p, q]) => ({
    name: 'two steps',
    columns: (x: number) => [1, step(x, p), step(x, q)],
    chosen: 2,
    isMeant: any,
  })),
  ...[...quick, 0.27, 0.35].map((tau) => ({
    name: 'a cache that filled',
    columns: (x: number) => [1, saturation(x, tau)],
    chosen: 1,
    isMeant: rises,
  })),
  ...quick.flatMap((tau) =>
    [0.3, 0.45, 0.6].map((p) => ({
      name: 'a warm-up and a step',
      columns: (x: number) => [1, saturation(x, tau), step(x, p)],
      chosen: 2,
      isMeant: rises,
    })),
  ),
  ...spans.map(([from, to]) => ({
    name: 'a rise that ended',
    columns: (x: number) => [1, rise(x, from, to)],
    chosen: 2,
    isMeant: rises,
  })),
  ...[0.2, 0.35, 0.5, 0.6].flatMap((middle) =>
    [0.04, 0.08, 0.12].map((width) => ({
      name: 'an S-shaped rise',
      columns: (x: number) => [1, logistic(x, middle, width)],
      chosen: 2,
      isMeant: rises,
    })),
  ),
];

const leak: readonly Model[] = [
  { name: 'a line', columns: (x) => [1, x], chosen: 0, isMeant: rises },
  ...[0.15, 0.3, 0.4, 0.5, 0.6, 0.7].map((begin) => ({
    name: 'a line that began later',
    columns: (x: number) => [1, after(x, begin)],
    chosen: 1,
    isMeant: rises,
  })),
  ...places.slice(0, 7).map((bend) => ({
    name: 'two lines',
    columns: (x: number) => [1, x, after(x, bend)],
    chosen: 1,
    isMeant: (c: readonly number[]) => at(c, 1) >= 0 && at(c, 1) + at(c, 2) > 0.4 * at(c, 1),
  })),
  {
    name: 'an accelerating curve',
    columns: (x) => [1, x, x * x],
    chosen: 0,
    isMeant: (c) => at(c, 2) > 0 && at(c, 1) + 2 * at(c, 2) > 0,
  },
  ...quick.map((tau) => ({
    name: 'a line after a warm-up',
    columns: (x: number) => [1, x, saturation(x, tau)],
    chosen: 1,
    isMeant: (c: readonly number[]) => rises(c) && at(c, 2) > 0,
  })),
  ...places.slice(0, 6).map((to) => ({
    name: 'a line beside a cache that filled',
    columns: (x: number) => [1, x, rise(x, 0, to)],
    chosen: 1,
    isMeant: (c: readonly number[]) => rises(c) && at(c, 2) > 0,
  })),
  ...places.slice(1, 7).map((p) => ({
    name: 'a line with a step',
    columns: (x: number) => [1, x, step(x, p)],
    chosen: 1,
    isMeant: rises,
  })),
];

export const shapes = { harmless, leak } as const;

/** The model with the lowest BIC; undefined when none has coefficients that make sense. */
export function bestOf(
  models: readonly Model[],
  points: readonly ModelPoint[],
  noise: number,
): Fitted | undefined {
  let best: Fitted | undefined;
  for (const model of models) {
    const fitted = fit(model, points, noise);
    if (fitted !== undefined && (best === undefined || fitted.bic < best.bic)) best = fitted;
  }
  return best;
}

function fit(model: Model, points: readonly ModelPoint[], noise: number): Fitted | undefined {
  const rows = points.map(({ x }) => model.columns(x));
  const coefficients = leastSquares(rows, points);
  if (coefficients === undefined || !model.isMeant(coefficients)) return undefined;
  const residuals = points.map(({ y }, i) =>
    (rows[i] as readonly number[]).reduce((rest, column, k) => rest - column * at(coefficients, k), y),
  );
  const n = points.length;
  const mean = residuals.reduce((sum, residual) => sum + residual ** 2, 0) / n;
  // A fit that is better than the noise is luck: half of the noise is the best that counts.
  const bic = n * Math.log(mean + (noise / 2) ** 2) + (coefficients.length + model.chosen) * Math.log(n);
  return { name: model.name, bic, residuals };
}

/** Normal equations by elimination with pivots; at most three columns. */
function leastSquares(
  rows: readonly (readonly number[])[],
  points: readonly ModelPoint[],
): readonly number[] | undefined {
  const k = (rows[0] as readonly number[]).length;
  const m = Array.from({ length: k }, () => new Float64Array(k + 1));
  rows.forEach((row, n) => {
    const { y } = points[n] as ModelPoint;
    for (let i = 0; i < k; i++) {
      const line = m[i] as Float64Array;
      for (let j = 0; j < k; j++) line[j] = (line[j] as number) + at(row, i) * at(row, j);
      line[k] = (line[k] as number) + at(row, i) * y;
    }
  });
  const cell = (i: number, j: number): number => (m[i] as Float64Array)[j] as number;
  for (let i = 0; i < k; i++) {
    let pivot = i;
    for (let r = i + 1; r < k; r++) if (Math.abs(cell(r, i)) > Math.abs(cell(pivot, i))) pivot = r;
    if (Math.abs(cell(pivot, i)) < 1e-9) return undefined;
    [m[i], m[pivot]] = [m[pivot] as Float64Array<ArrayBuffer>, m[i] as Float64Array<ArrayBuffer>];
    for (let r = 0; r < k; r++) {
      if (r === i) continue;
      const factor = cell(r, i) / cell(i, i);
      const line = m[r] as Float64Array;
      for (let c = i; c <= k; c++) line[c] = (line[c] as number) - factor * cell(i, c);
    }
  }
  return Array.from({ length: k }, (_, i) => cell(i, k) / cell(i, i));
}
