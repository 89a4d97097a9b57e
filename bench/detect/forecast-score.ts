/** How good the time to exhaustion is at the first alarm, on leaks whose limit is set so that each exhausts. */
import type { Meta, Rule } from './peers.ts';
import { drive } from './score.ts';
import type { Generator, Series } from './series.ts';

/** Sample at which the limit is met and the limit: the series' own when it exhausts, else the peak of most of its life. */
function exhaustion(series: Series, share: number): { end: number; budget: number } {
  if (series.exhausted === true) return { end: series.n - 1, budget: series.budget };
  const isOutside = series.isOutside ?? (series.family === 'extLeak' || series.family === 'nativeLeak');
  const total = (i: number): number =>
    (series.live[i] as number) + (isOutside ? (series.lk[i] as number) : 0);
  const start = Math.floor(series.onset / series.dt);
  const last = Math.floor(start + (series.n - 1 - start) * share);
  let budget = 0;
  for (let i = 0; i <= last; i++) budget = Math.max(budget, total(i));
  let end = 0;
  while (total(end) < budget) end++;
  return { end, budget };
}

/** Shares of first alarms whose forecast is within a factor of two, and whose band holds the truth. */
export function forecastOutcomes(
  generator: Pick<Generator, 'LEAKY' | 'NOISE' | 'makeSeries'>,
  create: (meta: Meta) => Rule,
  from: number,
  to: number,
): { within: number; covered: number } {
  let alarms = 0;
  let within = 0;
  let covered = 0;
  for (let seed = from; seed <= to; seed++)
    generator.LEAKY.forEach((family, f) =>
      generator.NOISE.forEach((noise, z) => {
        const series = generator.makeSeries(family, noise, seed);
        const { end, budget } = exhaustion(series, 0.6 + 0.38 * (((seed * 7 + f * 3 + z) % 10) / 9));
        const rule = create({ budget });
        drive(series, rule, end, (i) => {
          if (!rule.alarm || i * series.dt < series.onset) return false;
          const truth = (end - i) * series.dt;
          const { tte = 0, band } = rule;
          alarms++;
          if (truth <= 2 * tte && tte <= 2 * truth) within++;
          if (band !== undefined && truth >= band[0] && truth <= band[1]) covered++;
          return true;
        });
      }),
    );
  return { within: within / Math.max(1, alarms), covered: covered / Math.max(1, alarms) };
}
