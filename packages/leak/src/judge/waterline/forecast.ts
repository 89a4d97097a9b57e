import { parameters as p } from './parameters.ts';

/** When the limit is met if nothing changes: the estimate and the band that holds nine times in ten. All in ms. */
export interface Forecast {
  readonly ms: number;
  readonly low: number;
  readonly high: number;
}

/**
 * The time that is likeliest within a factor of two of the truth, given the straight one. What is said of the future at the first alarm
 * is off by a factor, the more the models disagree and the less the growth stands out of the wander; and those found so are the
 * steepest stretches of short ones and the calm ones of long. So it is drawn to what is known before: days, give or take 1.25 octaves.
 * `disagreement` is the variance of the binary logarithm among the models, `clarity` the growth in units of the wander.
 */
export function temper(seconds: number, disagreement: number, clarity: number): number {
  if (!(seconds > 0)) return seconds;
  const variance = p.tteDoubt + disagreement + (p.tteBlur / Math.max(1, clarity)) ** 2;
  const weight = variance / (variance + p.tteSpread * p.tteSpread);
  return seconds ** (1 - weight) * p.tteMedian ** weight;
}

/**
 * Factors of the band, conformal: about the 5 and 95 % quantiles of truth over estimate at first alarm, from generated leaks with the
 * limit set so that each exhausts. Chosen on seeds 1 to 12; see `npm run bench -- detect` for others. The ledger's own exhaustions may
 * replace them.
 */
export const conformalBand = { low: 0.42, high: 2.2 } as const;

/** The same for a time that is room over pace and nothing else. */
export const straightBand = { low: 0.3, high: 3 } as const;

export interface Band {
  readonly low: number;
  readonly high: number;
}

export function forecast(seconds: number, band: Band = conformalBand): Forecast {
  const ms = seconds * 1000;
  return { ms, low: band.low * ms, high: band.high * ms };
}
