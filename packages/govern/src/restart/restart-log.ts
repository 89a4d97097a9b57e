import { formatDuration } from '@plimsoll/core/units';
import { levels, type Level } from '@plimsoll/core/internal/level';
import type { ContinuedIncident } from '../incident/incident.ts';
import type { RestartFacts } from './restart-plan.ts';

/** One end of a process, recorded for the next life. */
export interface RestartEntry {
  /** When the drain began, or the process was found dead; wall time. */
  readonly at: number;
  readonly pid: number;
  /** `begun`: it drains. `parked`: it ended in order. `died`: a supervisor found it dead. */
  readonly phase: 'begun' | 'parked' | 'died';
  readonly reason: string;
  /** Latest end, even when something hangs; wall time. */
  readonly exitBy: number;
  /** Sessions that were open when the drain began, or at the last reading. */
  readonly sessions: number;
  readonly parked: number;
  readonly lost: number;
  /** Sessions whose turn was cut off at the deadline. */
  readonly interrupted: number;
  /** True when the next life had taken over before, so that it counts as a handover. */
  readonly isHanded?: boolean;
  /** The incident that lasted then. The next life continues it. */
  readonly incident?: ContinuedIncident;
  /** The process that has reported it. */
  readonly resumedBy?: number;
}

/** The ends of the last lives, oldest first. With them the bounds on restarts hold over restarts. */
export interface RestartLog {
  readonly v: 1;
  readonly entries: readonly RestartEntry[];
}

/** The end of the previous life. */
export interface Resume {
  readonly at: number;
  readonly phase: RestartEntry['phase'];
  readonly reason: string;
  readonly parked: number;
  readonly lost: number;
  readonly interrupted: number;
  /** The sentence a person reads. */
  readonly text: string;
}

const mostEntries = 64;
export const emptyLog: RestartLog = { v: 1, entries: [] };

/** The log of a text. It is empty when unreadable, because a broken file must not prevent a restart. */
export function parseRestartLog(text: string): RestartLog {
  try {
    const value = JSON.parse(text) as Partial<RestartLog> | null;
    if (value?.v !== 1 || !Array.isArray(value.entries)) return emptyLog;
    return { v: 1, entries: value.entries.filter(isEntry).slice(-mostEntries) };
  } catch {
    return emptyLog;
  }
}

/** Adds an entry. It replaces an earlier entry of the same process. */
export function withEntry(log: RestartLog, entry: RestartEntry): RestartLog {
  const last = log.entries.at(-1);
  const isSame = last?.pid === entry.pid && last.resumedBy === undefined;
  const before = isSame ? log.entries.slice(0, -1) : log.entries;
  return { v: 1, entries: [...before, entry].slice(-mostEntries) };
}

/** Times of restarts that were begun, with a gap or without. A process that died by itself does not count. */
export function restartTimes({ entries }: RestartLog): Pick<RestartFacts, 'restarts' | 'handovers'> {
  const begun = entries.filter(({ phase }) => phase !== 'died');
  const times = (isHanded: boolean): readonly number[] =>
    begun.filter((entry) => (entry.isHanded === true) === isHanded).map(({ at }) => at);
  return { restarts: times(false), handovers: times(true) };
}

/** A life that begins later than this does not continue the incident. */
const continuesMs = 10 * 60_000;

/**
 * The incident of the life that has just been restarted. Undefined when there is none that can be read, null while that life has not begun
 * to end.
 */
export function incidentOf(
  { entries }: RestartLog,
  pid: number,
  now: number,
): ContinuedIncident | null | undefined {
  const last = entries.findLast((entry) => entry.pid === pid);
  if (last === undefined) return null;
  const { incident } = last;
  return incident !== undefined && isContinued(incident) && now - last.at <= continuesMs
    ? incident
    : undefined;
}

function isContinued({ id, level, ...numbers }: Partial<ContinuedIncident>): boolean {
  const names = ['revision', 'openedAt', 'refused', 'freedBytes', 'peakUsedBytes', 'restarts'] as const;
  return (
    typeof id === 'string' &&
    levels.includes(level as Level) &&
    names.every((name) => Number.isFinite(numbers[name]))
  );
}

/** The report about the end of the previous life, and the log in which it counts as reported. */
export function resumeFrom(
  log: RestartLog,
  pid: number,
  now: number,
): { readonly resume: Resume; readonly log: RestartLog } | undefined {
  const last = log.entries.at(-1);
  if (last === undefined || last.resumedBy !== undefined) return undefined;
  const { at, phase, reason, parked, lost, interrupted } = lostFilledIn(last);
  const resume = { at, phase, reason, parked, lost, interrupted, text: resumeText(lostFilledIn(last), now) };
  return { resume, log: { v: 1, entries: [...log.entries.slice(0, -1), { ...last, resumedBy: pid }] } };
}

/** Completes the entry of a life that ended before it counted its sessions. Sessions that were not parked by then are lost. */
function lostFilledIn(entry: RestartEntry): RestartEntry {
  return entry.phase === 'parked' ? entry : { ...entry, lost: Math.max(0, entry.sessions - entry.parked) };
}

function resumeText(entry: RestartEntry, now: number): string {
  const { phase, reason, parked, lost, interrupted, at } = entry;
  const ago = formatDuration(Math.max(0, now - at));
  const how = {
    parked: `restart (${reason})`,
    begun: `restart cut short while it drained (${reason})`,
    died: reason,
  }[phase];
  const cut = interrupted > 0 ? `, ${interrupted} of them in the middle of a turn` : '';
  const sessions =
    parked + lost === 0
      ? 'no session was open'
      : `${count(parked)} parked${cut}, ${lost.toLocaleString('en-US')} lost`;
  return `last exit: ${how}, ${ago} ago; ${sessions}`;
}

function count(sessions: number): string {
  return `${sessions.toLocaleString('en-US')} session${sessions === 1 ? '' : 's'}`;
}

function isEntry(value: unknown): value is RestartEntry {
  const entry = value as Partial<RestartEntry> | null;
  return (
    typeof entry === 'object' &&
    entry !== null &&
    Number.isFinite(entry.at) &&
    Number.isFinite(entry.pid) &&
    (entry.phase === 'begun' || entry.phase === 'parked' || entry.phase === 'died') &&
    typeof entry.reason === 'string' &&
    [entry.exitBy, entry.sessions, entry.parked, entry.lost, entry.interrupted].every(Number.isFinite)
  );
}
