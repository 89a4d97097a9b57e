import type { Severity } from '../../findings/finding.ts';
import type { Forecast } from './forecast.ts';

const hour = 3_600_000;

/** How grave confirmed growth is: by the time left, and critical whenever the limit is nearly reached. */
export function growthSeverity(left: Forecast | undefined, usedRatio: number): Exclude<Severity, 'info'> {
  if (usedRatio > 0.9) return 'critical';
  if (left === undefined) return 'low';
  if (left.ms < 2 * hour) return 'critical';
  if (left.ms < 24 * hour || left.low < 8 * hour) return 'high';
  return left.ms < 7 * 24 * hour ? 'medium' : 'low';
}
