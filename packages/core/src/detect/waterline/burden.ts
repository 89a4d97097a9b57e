/** The burden of proof: how likely growth must be before it is told, and for how long. */
import { parameters as p } from './parameters.ts';

/**
 * Log odds asked of growth that is `clarity` times the wander: what barely stands out of it may be a part of it, and what began with the
 * process may belong to starting up.
 */
export function oddsAsked(clarity: number, isEarly: boolean): number {
  return (isEarly ? p.earlyOdds : p.odds) + p.blurOdds * Math.max(0, 1 - clarity / p.clear);
}

/**
 * Seconds that hits must last. `margin` is the odds beyond those asked, `age` that of the growth, `left` the time to exhaustion, 0 when unknown. Growth
 * that began with the process may be a fill, which shows by bending: it is watched for a share of its age. Later growth may be a
 * wander, which shows by going away: it is watched for hours.
 */
export function holdAsked(margin: number, isEarly: boolean, age: number, left: number): number {
  const doubt = Math.max(0, 1 - margin / p.sureOdds);
  const whole = isEarly ? p.earlyHoldTime + p.earlyHoldShare * age : p.holdTime + p.holdShare * age;
  return left > 0 ? Math.min(doubt * whole, p.holdLeft * left) : doubt * whole;
}
