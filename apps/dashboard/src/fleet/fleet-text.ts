import type { FleetProcess, FleetSummary } from '@plimsoll/host/protocol/fleet';
import { durationText } from '../text/units.ts';

/** What is said of a process's last word: a silent one is told apart from a calm one. */
export function lastWord({ state, quietMs, outcome }: FleetProcess): string {
  if (state === 'ended') return `ended${outcome === null || outcome === '' ? '' : `: ${outcome}`}`;
  if (state === 'silent') return `silent for ${durationText(quietMs)}`;
  return `${durationText(quietMs)} ago`;
}

/** When a process is full, in a few words; a forecast counts from when it was made. */
export function fullIn({ forecast, state }: FleetProcess, now: number): string {
  if (forecast === null || state === 'ended') return '–';
  const left = forecast.at + forecast.ms - now;
  return left <= 0 ? 'now' : `in ${durationText(left)}`;
}

/** The one sentence that a person reads first. */
export function headline({ live, silent, levels }: FleetSummary): string {
  const pressed = levels.critical + levels.emergency;
  const parts = [`${live} live`];
  if (pressed > 0) parts.push(`${pressed} critical or worse`);
  if (levels.warning > 0) parts.push(`${levels.warning} at warning`);
  if (silent > 0) parts.push(`${silent} silent`);
  return parts.join(', ');
}

/** The fill of a cell: the level when it is known, else none. Index of the level, or -1 for silence. */
export function cellTone(pressure: number | null, level: number | null): number {
  if (pressure === null && level === null) return -1;
  return level ?? 0;
}
