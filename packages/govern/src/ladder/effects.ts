import { levels } from '@plimsoll/core/internal/level';
import type { ActionEffect } from '../actions/action.ts';
import type { LevelChange } from '../level/level-change.ts';
import type { GovernedReading } from '../level/process-levels.ts';
import type { ActionLog } from './action-log.ts';
import type { Flight } from './flight.ts';
import type { Subject } from './subject.ts';

/** The part of a reading by which the ladder measures effects. */
export type LadderReading = Pick<GovernedReading, 'majors' | 'floor' | 'external'>;

/** Measures the bytes that actions freed at the next major GC, and publishes them with the action's text. */
export class Effects {
  readonly #log: ActionLog;
  #reading: LadderReading = { majors: 0 };
  #nowMs: number;

  constructor(log: ActionLog, nowMs: number) {
    this.#log = log;
    this.#nowMs = nowMs;
  }

  /** Major GCs so far. */
  get majors(): number {
    return this.#reading.majors;
  }

  observe(reading: LadderReading, nowMs: number): void {
    this.#reading = reading;
    this.#nowMs = nowMs;
  }

  /** Live bytes of a subject: for the process the floor and external memory, for a scope its charges. NaN before the first floor. */
  liveBytes(subject: Subject): number {
    if (!subject.isProcess) return subject.standing.usedBytes;
    const { floor = Number.NaN, external = 0 } = this.#reading;
    return floor + external;
  }

  /**
   * Takes the end of an action. Its flight goes on until the effect is measured. `isFirst` is true when nothing was published of it yet.
   */
  await(subject: Subject, flight: Flight, effect: ActionEffect, isFirst: boolean): void {
    const { text, releasedBytes } = effect;
    flight.effect = effect;
    flight.endedMs = this.#nowMs;
    subject.flight = flight;
    const settling = { ...flight.record, outcome: 'settling', text: `${text}.`, releasedBytes } as const;
    if (isFirst) this.#log.publish(settling);
    else this.#log.note(settling);
  }

  /** Measures the effect of an action, if a major GC came or its time is over. */
  settle(subject: Subject, flight: Flight): void {
    const { majors } = this.#reading;
    if (flight.sinceMajors === undefined) {
      // A collection between the last reading and the end of the action does not show its effect.
      flight.sinceMajors = majors;
      return;
    }
    const { settle } = flight.policy;
    const atMostMs = subject.level === 'emergency' ? settle.atMostMs / 3 : settle.atMostMs;
    const isShown = majors > flight.sinceMajors;
    const isOver = this.#nowMs - flight.endedMs >= atMostMs;
    if (!isOver && !(isShown && settle.wait === 'next-major-gc')) return;
    const isKnown = isShown || !subject.isProcess;
    const difference = isKnown ? flight.beforeBytes - this.liveBytes(subject) : Number.NaN;
    const freedBytes = Number.isNaN(difference) ? null : Math.round(difference);
    subject.flight = undefined;
    const released = Math.max(flight.effect?.releasedBytes ?? 0, freedBytes ?? 0);
    subject.released.set(flight.step.key, released);
    this.#publish(flight, `; ${flight.effectText(freedBytes, atMostMs)}`, freedBytes);
    // The rung helped, so it runs again while the level lasts, before a rung that does more harm.
    const isEnough = (freedBytes ?? 0) >= settle.minFreedRatio * flight.usedBytes;
    const hasRisen = subject.levelIndex > levels.indexOf(flight.record.level);
    if (isEnough || (hasRisen && released > 0)) subject.stayAt(flight.step);
  }

  /** Ends the wait for an effect, because the level of the subject fell or the scope is gone. */
  cut(subject: Subject, flight: Flight, change: LevelChange): void {
    const isGone = change.source === 'closed';
    subject.flight = undefined;
    const ending = isGone ? 'the scope is gone' : 'the level fell before a major GC showed the effect';
    this.#publish(flight, `; ${ending}`, isGone ? flight.beforeBytes : null);
  }

  /** Takes an action that ended after its subject had left, so no effect is awaited. */
  late(subject: Subject, flight: Flight, effect: ActionEffect): void {
    flight.effect = effect;
    this.#publish(flight, '', subject.change.source === 'closed' ? flight.beforeBytes : null);
  }

  #publish({ record, effect }: Flight, ending: string, freedBytes: number | null): void {
    const { text, releasedBytes } = effect as ActionEffect;
    this.#log.publish({ ...record, outcome: 'done', text: `${text}${ending}.`, releasedBytes, freedBytes });
  }
}
