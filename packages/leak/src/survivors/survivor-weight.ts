import { worseSeverity } from '../findings/finding-book.ts';
import type { Severity } from '../findings/finding.ts';
import { forecast, straightBand } from '../judge/waterline/forecast.ts';
import type { Forecast } from '../judge/waterline/forecast.ts';
import { growthSeverity } from '../judge/waterline/severity.ts';

const hourMs = 3_600_000;
/** Less time than this says nothing about a pace. */
const leastMs = 60_000;

/** What is known of a group of survivors. */
export interface SurvivorFacts {
  /** Bytes that one of them retains, from a snapshot. */
  readonly bytesEach: number;
  readonly alive: number;
  /** How many of them came in how long a time. */
  readonly gained: number;
  readonly overMs: number;
  /** Bytes left to the limit, and the part of it that is used. */
  readonly roomBytes: number;
  readonly usedRatio: number;
}

export interface SurvivorWeight {
  readonly bytes: number;
  readonly severity: Severity;
  /** Bytes per hour, and the time to the limit at that pace. */
  readonly rate?: number;
  readonly exhaustsIn?: Forecast;
}

/** How much a group of survivors weighs: confirmed, so never below medium, and graver the sooner it meets the limit. */
export function weighSurvivors(facts: SurvivorFacts): SurvivorWeight {
  const { bytesEach, alive, gained, overMs, roomBytes, usedRatio } = facts;
  const bytes = Math.round(bytesEach * alive);
  const rate = overMs >= leastMs ? (bytesEach * gained * hourMs) / overMs : 0;
  if (rate <= 0) return { bytes, severity: worseSeverity('medium', growthSeverity(undefined, usedRatio)) };
  const exhaustsIn = forecast(Math.max(0, roomBytes) / (rate / hourMs) / 1000, straightBand);
  return {
    bytes,
    rate: Math.round(rate),
    exhaustsIn,
    severity: worseSeverity('medium', growthSeverity(exhaustsIn, usedRatio)),
  };
}
