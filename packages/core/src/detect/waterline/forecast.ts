/** When the limit is met if nothing changes: the estimate and the band that holds nine times in ten. All in ms. */
export interface Forecast {
  readonly ms: number;
  readonly low: number;
  readonly high: number;
}

/**
 * Factors of the band, conformal: the 5 and 95 % quantiles of truth over estimate at first alarm, rounded outwards. From generated leaks of seeds 1 to 16
 * with the limit set so that each exhausts; the ledger's own exhaustions may replace them.
 */
export const conformalBand = { low: 0.25, high: 2.95 } as const;

export interface Band {
  readonly low: number;
  readonly high: number;
}

export function forecast(seconds: number, band: Band = conformalBand): Forecast {
  const ms = seconds * 1000;
  return { ms, low: band.low * ms, high: band.high * ms };
}
