import type { Admitted, ShedPoint, ShedReason } from '@plimsoll/core/internal/gate/shed-point';

/** Counts of one shed point since the start. */
export class PointCounter {
  readonly point: ShedPoint;
  admitted = 0;
  refused = 0;
  /** Callers that wait now. */
  held = 0;
  wouldHave = 0;
  /** Admitted and not released. */
  inFlight = 0;
  /** True once anybody released a ticket. Before that `inFlight` has no meaning. */
  isReleased = false;
  readonly reasons = new Map<ShedReason, number>();

  constructor(point: ShedPoint) {
    this.point = point;
  }

  refuse(reason: ShedReason): void {
    this.refused++;
    this.reasons.set(reason, (this.reasons.get(reason) ?? 0) + 1);
  }
}

/** Ticket of admitted work, counted until it is released. */
export class AdmissionTicket implements Admitted {
  readonly #counter: PointCounter;
  readonly #onRelease: (() => void) | undefined;
  #isOver = false;

  /** `onRelease` is called when the work is over. */
  constructor(counter: PointCounter, onRelease?: () => void) {
    this.#counter = counter;
    this.#onRelease = onRelease;
    counter.inFlight++;
  }

  get point(): ShedPoint {
    return this.#counter.point;
  }

  release(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#counter.isReleased = true;
    if (this.#counter.inFlight > 0) this.#counter.inFlight--;
    this.#onRelease?.();
  }

  [Symbol.dispose](): void {
    this.release();
  }
}
