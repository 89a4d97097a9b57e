import { PointCounter } from './point-counter.ts';
import { shedPoints } from '@plimsoll/core/internal/gate/shed-point';
import type { ShedPoint } from '@plimsoll/core/internal/gate/shed-point';
import type { AdmissionControl, AdmissionRow } from './admission-control.ts';

/** Counts of all shed points of a process since the start: admitted, refused by reason, and would have been refused. */
export class PointCounters {
  readonly of: Readonly<Record<ShedPoint, PointCounter>>;

  constructor() {
    const entries = shedPoints.map((point) => [point, new PointCounter(point)] as const);
    this.of = Object.fromEntries(entries) as Record<ShedPoint, PointCounter>;
  }

  totals(): { readonly admitted: number; readonly refused: number } {
    let admitted = 0;
    let refused = 0;
    for (const counter of Object.values(this.of)) {
      admitted += counter.admitted;
      refused += counter.refused;
    }
    return { admitted, refused };
  }

  rows(): AdmissionRow['points'] {
    return Object.values(this.of).map(({ reasons, ...counter }) => ({
      point: counter.point,
      admitted: counter.admitted,
      refused: counter.refused,
      held: counter.held,
      wouldHave: counter.wouldHave,
      reasons: Object.fromEntries([...reasons].map(([reason, count]) => [reason.toLowerCase(), count])),
    }));
  }

  sheds(): ReturnType<AdmissionControl['sheds']> {
    return Object.values(this.of).flatMap(({ point, reasons }) =>
      [...reasons].map(([reason, count]) => ({ point, reason, count })),
    );
  }

  /** No work runs, so nobody holds a ticket. Tickets that were never released are forgotten. */
  forgetTickets(): void {
    for (const counter of Object.values(this.of)) counter.inFlight = 0;
  }
}
