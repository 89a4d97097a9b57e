import { worseSeverity, type Finding, type Severity } from './finding.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
/** Above this share of the limit all growth is critical, whatever the forecast is. */
const nearlyFullRatio = 0.9;

/** Input of the severity of growth. */
interface GrowthFacts {
  /** Time to the limit; undefined when unknown. */
  readonly left: Finding['exhaustsIn'];
  /** Share of the limit that is used. */
  readonly usedRatio: number;
  /** True when a snapshot or survivors name the kept objects. */
  readonly isProved: boolean;
}

/**
 * The severity of growth, by the remaining time. Proved growth is at least medium. A trend alone is low, or medium when less than a day is
 * left or the limit is nearly reached.
 */
export function growthSeverity({ left, usedRatio, isProved }: GrowthFacts): Severity {
  const byTime = severityByTime(left, usedRatio);
  if (isProved) return worseSeverity('medium', byTime);
  return byTime === 'high' || byTime === 'critical' ? 'medium' : 'low';
}

function severityByTime(left: Finding['exhaustsIn'], usedRatio: number): Severity {
  if (usedRatio > nearlyFullRatio) return 'critical';
  if (left === undefined) return 'low';
  if (left.ms < 2 * hourMs) return 'critical';
  if (left.ms < dayMs || left.low < 8 * hourMs) return 'high';
  return left.ms < 7 * dayMs ? 'medium' : 'low';
}
