import { middleNoise } from './noise-shapes.ts';
import { prepareNoise } from './noise.ts';
import { parameters as p } from './parameters.ts';
import { addColumn, addNuisance, begin, beta, chosen, fit, setTarget, solve } from './regression.ts';
import { maxBuckets } from './timeline.ts';
import { window as w } from './window.ts';

const ones = new Float64Array(maxBuckets).fill(1);
const clock = new Float64Array(maxBuckets);

/** A straight line and the load: growth over the window, bytes per unit of load, and what is left unexplained. */
export const trend = { growth: 0, loadSlope: 0, sigma: 0 };

/** Fits the trend of the window by generalised least squares. A load that would lower the level is left out. */
export function fitTrend(useLoad: boolean): void {
  const { n, t } = w;
  prepareNoise(middleNoise, t, w.level, n, p.bucket, false);
  begin();
  addNuisance(ones);
  setTarget();
  const start = t[0] as number;
  const span = (t[n - 1] as number) - start;
  for (let i = 0; i < n; i++) clock[i] = ((t[i] as number) - start) / span;
  chosen[0] = addColumn(clock);
  const byLoad = useLoad ? addColumn(w.load) : -1;
  chosen[1] = byLoad;
  trend.loadSlope = 0;
  if (byLoad >= 0 && solve(2) && (beta[1] as number) > 0) trend.loadSlope = beta[1] as number;
  else solve(1);
  trend.growth = beta[0] as number;
  trend.sigma = Math.sqrt(fit.left / n);
}
