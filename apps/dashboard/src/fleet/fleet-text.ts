import type { SessionAnswer } from '@plimsoll/host/protocol/api';
import type { FleetApproval, FleetProcess, FleetSummary } from '@plimsoll/host/protocol/fleet';
import { durationText } from '../text/units.ts';

/** Text about the last sign of life of a process, which distinguishes a silent process from a calm one. */
export function lastWord({ state, quietMs, outcome }: FleetProcess): string {
  if (state === 'ended') return `ended${outcome === null || outcome === '' ? '' : `: ${outcome}`}`;
  if (state === 'silent') return `silent for ${durationText(quietMs)}`;
  return `${durationText(quietMs)} ago`;
}

/** When the limit of a process is reached, in a few words. A forecast counts from the time it was made. */
export function fullIn({ forecast, state }: FleetProcess, now: number): string {
  if (forecast === null || state === 'ended') return '–';
  const left = forecast.at + forecast.ms - now;
  return left <= 0 ? 'now' : `in ${durationText(left)}`;
}

/** The summary of the fleet in one sentence. */
export function headline({ live, silent, levels }: FleetSummary): string {
  const pressed = levels.critical + levels.emergency;
  const parts = [`${live} live`];
  if (pressed > 0) parts.push(`${pressed} critical or worse`);
  if (levels.warning > 0) parts.push(`${levels.warning} at warning`);
  if (silent > 0) parts.push(`${silent} silent`);
  return parts.join(', ');
}

/** Colour of a cell: the index of the level, 0 when only the pressure is known, -1 without samples. */
export function cellTone(pressure: number | null, level: number | null): number {
  if (pressure === null && level === null) return -1;
  return level ?? 0;
}

/** The request of a process, from its approval. */
export function askedText({ id, body }: Pick<FleetApproval, 'id' | 'body'>): {
  readonly action: string;
  readonly scope: string;
  readonly why: string;
  readonly approvers: string;
} {
  const text = (name: string): string => {
    const value = body[name];
    return typeof value === 'string' ? value : '';
  };
  const { approvers } = body;
  return {
    action: text('action') || id,
    scope: text('scope'),
    why: text('why'),
    approvers: Array.isArray(approvers) ? approvers.join(', ') : '',
  };
}

/** Why this reader cannot decide for the fleet; undefined when they can. */
export function whyNotHere(session: SessionAnswer | null): string | undefined {
  if (session === null) return 'The server has not said who you are yet.';
  if (session.fleetRole !== undefined && session.fleetRole !== 'viewer') return undefined;
  return 'Deciding needs the role approver or admin, by a token or by the proxy in front of this server.';
}
