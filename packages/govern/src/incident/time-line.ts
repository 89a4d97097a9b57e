import type { IncidentEvent, IncidentEventKind } from './incident.ts';

const mostRows = 48;

/** One event. Consecutive events with equal keys are one row of the time line. */
interface IncidentNews {
  readonly kind: IncidentEventKind;
  readonly key: string;
  readonly at: number;
  readonly text: string;
  readonly freedBytes?: number | null;
}

/**
 * The events of one incident, grouped and bounded. Without grouping, a notice per session would fill it: 240 rows were seen in one leak of
 * five minutes. The first rows are kept, because they show the beginning, and of the others the newest.
 */
export class TimeLine {
  #rows: { readonly key: string; event: IncidentEvent }[] = [];
  #leftOut = 0;

  get events(): readonly IncidentEvent[] {
    return this.#rows.map(({ event }) => event);
  }

  get leftOut(): number {
    return this.#leftOut;
  }

  add({ kind, key, at, text, freedBytes = null }: IncidentNews): void {
    const known = this.#rows.findLast((row) => row.key === key);
    if (known !== undefined) {
      const { event } = known;
      known.event = {
        ...event,
        until: at,
        count: event.count + 1,
        text,
        freedBytes: freedBytes === null ? event.freedBytes : (event.freedBytes ?? 0) + freedBytes,
      };
      return;
    }
    this.#rows.push({ key, event: { kind, at, until: at, count: 1, text, freedBytes } });
    if (this.#rows.length <= mostRows) return;
    this.#rows.splice(mostRows / 2, 1);
    this.#leftOut++;
  }
}
