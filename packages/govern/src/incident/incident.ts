import type { Level } from '@plimsoll/core/internal/level';

/** How an incident ended. `exited`: the program ended while it lasted. */
export type IncidentOutcome = 'relieved' | 'taken back' | 'restarted' | 'exited';

/** Kind of an event of the time line. */
export type IncidentEventKind = 'growth' | 'level' | 'refusal' | 'action' | 'approval' | 'restart' | 'end';

/** One row of the time line. Repeated events of one kind are one row with a count. */
export interface IncidentEvent {
  readonly kind: IncidentEventKind;
  /** Wall time of the first and of the newest event. */
  readonly at: number;
  readonly until: number;
  readonly count: number;
  /** Text of the newest event. */
  readonly text: string;
  /** Bytes that they freed together; null when nothing was measured. */
  readonly freedBytes: number | null;
}

/** The incident as the next life of the program continues it after a restart. */
export interface ContinuedIncident extends Pick<
  Incident,
  'id' | 'revision' | 'level' | 'openedAt' | 'refused' | 'freedBytes' | 'peakUsedBytes'
> {
  readonly restarts: number;
}

/** One incident, from the first sign to the end. Page, `top`, log, alert, ledger and report show the same one. */
export interface Incident {
  readonly id: string;
  /** Counts its changes other than numbers: another holder, level, answer or outcome. */
  readonly revision: number;
  /** One sentence: what grows, who holds it, how fast, when the limit is reached, what is done. */
  readonly headline: string;
  /** The highest level of the process during it. */
  readonly level: Level;
  readonly openedAt: number;
  readonly endedAt: number | null;
  readonly outcome: IncidentOutcome | null;
  /** Oldest first. */
  readonly events: readonly IncidentEvent[];
  /** Number of rows that did not fit into `events`. */
  readonly eventsLeftOut: number;
  /** Fingerprints of its findings, gravest first. */
  readonly findings: readonly string[];
  /** Number of refusals while it lasted. */
  readonly refused: number;
  /** Bytes freed by all actions, as measured. */
  readonly freedBytes: number;
  readonly peakUsedBytes: number;
  /** What to do about the cause; null while the cause is not known. */
  readonly fix: string | null;
}
