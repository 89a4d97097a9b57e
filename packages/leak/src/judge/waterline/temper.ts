import { parameters as p } from './parameters.ts';

/**
 * The time to exhaustion that is likeliest within a factor of two of the truth, given the straight estimate in seconds.
 *
 * A forecast at the first alarm is off by a factor. The factor is larger when the models disagree and when the growth is small against
 * the wander. The alarms of short lives are raised on their steepest stretches, those of long lives on calm ones. So the estimate is
 * drawn towards what is known before any data: 48 h, give or take 1.25 octaves. `disagreement` is the variance of the binary logarithm
 * among the models, `clarity` the growth divided by the wander.
 */
export function temper(seconds: number, disagreement: number, clarity: number): number {
  if (!(seconds > 0)) return seconds;
  const variance = p.tteDoubt + disagreement + (p.tteBlur / Math.max(1, clarity)) ** 2;
  const weight = variance / (variance + p.tteSpread * p.tteSpread);
  return seconds ** (1 - weight) * p.tteMedian ** weight;
}
