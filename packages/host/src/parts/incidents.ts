import { channel, subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { ActionRecord } from '@plimsoll/govern/internal/actions/action';
import { troubleChannelName } from '@plimsoll/govern/internal/health/trouble';
import type { Trouble } from '@plimsoll/govern/internal/health/trouble';
import { IncidentBook } from '@plimsoll/govern/internal/incident/incident-book';
import type { IncidentFacts } from '@plimsoll/govern/internal/incident/incident-book';
import type { Incident } from '@plimsoll/govern/internal/incident/incident';
import type { Reading } from '@plimsoll/core/internal/sense/reading';
import type { Part } from './part.ts';

const troubles = channel(troubleChannelName);

interface IncidentsOptions {
  /** What the book is told besides the reading. */
  readonly facts: () => Omit<IncidentFacts, 'at' | 'nowMs' | 'usedBytes' | 'limitBytes'>;
  /** Whether the process ends to be restarted. */
  readonly isRestart: () => boolean;
  /** Writes an entry into the ledger. */
  readonly note: (body: Readonly<Record<string, string | number>>) => void;
}

/** Keeps the incidents of the process: one story for frame, ledger and alerts. */
export class IncidentsPart implements Part {
  readonly #options: IncidentsOptions;
  readonly #book = new IncidentBook({ onChange: (incident) => this.#tell(incident) });
  readonly #onAction = (record: unknown): void => this.#book.action(record as ActionRecord);
  #alerted: Trouble['level'] | undefined;

  constructor(options: IncidentsOptions) {
    this.#options = options;
  }

  /** The one that lasts, or else the newest one. */
  get newest(): Incident | null {
    return this.#book.newest;
  }

  start(): void {
    subscribe('plimsoll:action', this.#onAction);
  }

  take({ at, used, limit }: Reading): void {
    this.#book.take({
      ...this.#options.facts(),
      at,
      nowMs: performance.now(),
      usedBytes: used,
      limitBytes: limit,
    });
  }

  exit(): void {
    this.#book.exit(Date.now(), this.#options.isRestart());
  }

  stop(): void {
    unsubscribe('plimsoll:action', this.#onAction);
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

  /** One alert: it goes on while the incident lasts, rises with its level and ends with it. */
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
    if (this.#alerted !== undefined && (isOver || this.#alerted !== now))
      troubles.publish({ name, level: this.#alerted, subject: id, summary: null } satisfies Trouble);
    this.#alerted = isOver ? undefined : now;
  }
}
