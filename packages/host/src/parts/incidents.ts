import { channel, subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { ActionRecord } from '@plimsoll/govern/internal/actions/action';
import { troubleChannelName } from '@plimsoll/govern/internal/health/trouble';
import type { Trouble } from '@plimsoll/govern/internal/health/trouble';
import type { IncidentBook, IncidentFacts } from '@plimsoll/govern/internal/incident/incident-book';
import { hasSign } from '@plimsoll/govern/internal/incident/sign';
import type { ContinuedIncident, Incident } from '@plimsoll/govern/internal/incident/incident';
import type { Reading } from '@plimsoll/core/internal/sense/reading';
import type { Part } from './part.ts';

const troubles = channel(troubleChannelName);

interface IncidentsOptions {
  /** Facts for the incident book besides the reading. */
  readonly facts: () => Omit<IncidentFacts, 'at' | 'nowMs' | 'usedBytes' | 'limitBytes'>;
  /** The incident of the previous life when that life was restarted; null while it is not known yet. */
  readonly before?: () => ContinuedIncident | null | undefined;
  /** Whether the process ends to be restarted. */
  readonly isRestart: () => boolean;
  /** Writes an entry into the ledger. */
  readonly note: (body: Readonly<Record<string, string | number>>) => void;
}

/** A life that hands over has usually written its incident within this time. Until then no new incident opens. */
const beforeMs = 10_000;

/** Keeps the incidents of the process: one story for frame, ledger and alerts. The book is loaded with the first sign. */
export class IncidentsPart implements Part {
  readonly #options: IncidentsOptions;
  readonly #onAction = (record: unknown): void => this.#book?.action(record as ActionRecord);
  #book: IncidentBook | undefined;
  #loading: Promise<void> | undefined;
  #alerted: Trouble['level'] | undefined;
  #startedMs = 0;

  constructor(options: IncidentsOptions) {
    this.#options = options;
  }

  /** The incident that lasts, else the newest one. */
  get newest(): Incident | null {
    return this.#book?.newest ?? null;
  }

  /** The incident that the next life continues; undefined when none lasts. */
  get continued(): ContinuedIncident | undefined {
    return this.#book?.continued;
  }

  start(): void {
    this.#startedMs = performance.now();
    subscribe('plimsoll:action', this.#onAction);
  }

  take({ at, used, limit }: Reading): void {
    const facts = {
      ...this.#options.facts(),
      at,
      nowMs: performance.now(),
      usedBytes: used,
      limitBytes: limit,
    };
    if (this.#book !== undefined) this.#book.take(facts);
    else if (this.#loading === undefined) {
      const isEarly = facts.nowMs - this.#startedMs < beforeMs;
      const continued = isEarly ? this.#options.before?.() : undefined;
      if (continued === null) return;
      if (continued !== undefined || hasSign(facts)) this.#loading = this.#load(facts, continued);
    }
  }

  exit(): void {
    this.#book?.exit(Date.now(), this.#options.isRestart());
  }

  stop(): void {
    unsubscribe('plimsoll:action', this.#onAction);
  }

  async #load(facts: IncidentFacts, continued: ContinuedIncident | undefined): Promise<void> {
    try {
      const { IncidentBook } = await import('@plimsoll/govern/internal/incident/incident-book');
      this.#book = new IncidentBook({ continued, onChange: (incident) => this.#tell(incident) });
      this.#book.take(facts);
    } catch (error) {
      // The files of a program that was replaced while it runs may be gone. Levels, findings and actions are told as before.
      process.emitWarning(`Plimsoll could not load its incidents: ${String(error)}`, 'PlimsollWarning');
    }
  }

  #tell(incident: Incident): void {
    const { id, revision, headline, level, openedAt, outcome, refused, freedBytes, peakUsedBytes } = incident;
    const event = outcome === null ? (revision === 1 ? 'opened' : 'changed') : 'ended';
    this.#options.note({
      id,
      event,
      headline,
      level,
      openedAt,
      refused,
      freedBytes,
      peakUsedBytes,
      ...(outcome !== null && { outcome }),
      ...(incident.fix !== null && { fix: incident.fix }),
    });
    this.#alert(incident);
  }

  /** One alert per incident. It lasts, rises and ends with the incident. The next life continues it. */
  #alert({ id, headline, level, outcome, fix }: Incident): void {
    const now = level === 'normal' ? 'warning' : level;
    const name = 'memory.incident';
    const isOver = outcome !== null;
    if (!isOver)
      troubles.publish({
        name,
        level: now,
        subject: id,
        summary: headline,
        ...(fix !== null && { fix }),
      } satisfies Trouble);
    if (outcome === 'restarted') return;
    if (this.#alerted !== undefined && (isOver || this.#alerted !== now))
      troubles.publish({ name, level: this.#alerted, subject: id, summary: null } satisfies Trouble);
    this.#alerted = isOver ? undefined : now;
  }
}
