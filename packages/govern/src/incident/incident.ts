import type { Level } from '@plimsoll/core/internal/level';

/** How an incident ended. `exited`: the program ended while it lasted. */
export type IncidentOutcome = 'relieved' | 'taken back' | 'restarted' | 'exited';

/** What an event of the time line is about. */
export type IncidentEventKind = 'growth' | 'level' | 'refusal' | 'action' | 'approval' | 'restart' | 'end';

/** One row of the time line. Repeated events of one kind are one row with a count. */
export interface IncidentEvent {
  readonly kind: IncidentEventKind;
  /** Wall time of the first and of the newest one. */
  readonly at: number;
  readonly until: number;
  readonly count: number;
  /** What the newest one said. */
  readonly text: string;
  /** What they freed in all, as measured; null when nothing was measured. */
  readonly freedBytes: number | null;
}

/** The incident as the next life of the program takes it over, after one more restart. */
export interface ContinuedIncident extends Pick<
  Incident,
  'id' | 'revision' | 'level' | 'openedAt' | 'refused' | 'freedBytes' | 'peakUsedBytes'
> {
  readonly restarts: number;
}

/** One story, from the first sign to the end. Page, `top`, log, alert, ledger and report show this one. */
export interface Incident {
  readonly id: string;
  /** Counts what changed in it, apart from its numbers: another holder, level, answer or outcome. */
  readonly revision: number;
  /** One sentence: what grows, who holds it, how fast, when the limit is reached, what is done. */
  readonly headline: string;
  /** The highest level that the process reached in it. */
  readonly level: Level;
  readonly openedAt: number;
  readonly endedAt: number | null;
  readonly outcome: IncidentOutcome | null;
  /** Oldest first. */
  readonly events: readonly IncidentEvent[];
  /** Rows that found no room in `events`. */
  readonly eventsLeftOut: number;
  /** Fingerprints of its findings, gravest first. */
  readonly findings: readonly string[];
  /** Pieces of work that were refused while it lasted. */
  readonly refused: number;
  /** Measured, over all actions. */
  readonly freedBytes: number;
  readonly peakUsedBytes: number;
  /** What to do about the cause; null while the cause is not known. */
  readonly fix: string | null;
}
