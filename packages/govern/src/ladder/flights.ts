import type { Flight } from './flight.ts';
import type { Step } from './steps.ts';
import type { Subject } from './subject.ts';

/** Most actions under way at once, over all subjects. */
const mostFlights = 8;
const mostHung = 1024;

/** The actions that run now, over all subjects, and those that were given up because they never ended. */
export class Flights {
  readonly #hung = new Set<string>();
  #count = 0;

  get count(): number {
    return this.#count;
  }

  get hasRoom(): boolean {
    return this.#count < mostFlights;
  }

  /** True while an earlier run of the same rung for the same subject has not ended. The rung does not start again until then. */
  isHung(subject: Subject, step: Step): boolean {
    return this.#hung.has(keyOf(subject, step));
  }

  take(subject: Subject, flight: Flight): void {
    this.#count++;
    subject.flight = flight;
  }

  /** Lets the ladder go on without an action that did not end. */
  giveUp(subject: Subject, flight: Flight): void {
    if (this.#hung.size < mostHung) this.#hung.add(keyOf(subject, flight.step));
    this.#land(subject, flight);
  }

  /** Takes the answer of an action; false when it was given up before, so that the answer has no effect. */
  landed(subject: Subject, flight: Flight): boolean {
    this.#hung.delete(keyOf(subject, flight.step));
    if (flight.isGivenUp) return false;
    this.#land(subject, flight);
    return true;
  }

  #land(subject: Subject, flight: Flight): void {
    flight.end();
    flight.isGivenUp = true;
    this.#count--;
    if (subject.flight === flight) subject.flight = undefined;
  }
}

function keyOf(subject: Subject, step: Step): string {
  return `${subject.id} ${step.key}`;
}
