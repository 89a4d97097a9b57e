import type { OptionsOf } from '../policy/actions.ts';
import type { Policy } from '../policy/policy.ts';
import type { Clock } from '@plimsoll/core/internal/sense/clock';
import { formatDuration } from '@plimsoll/core/units';
import type { ActionContext, ActionEffect, ActionPlan, ActionRecord } from '../actions/action.ts';
import type { LevelChange } from '../level/level-change.ts';
import type { Levers } from '../actions/levers.ts';
import type { ActionCounts } from './action-log.ts';
import { ApprovalLine } from './approval-line.ts';
import type { LadderReading } from './effects.ts';
import { Effects } from './effects.ts';
import { Flight } from './flight.ts';
import { Flights } from './flights.ts';
import { HandoverRule } from './handover.ts';
import { Holds, isRefusal } from './holds.ts';
import { Narrator } from './narrator.ts';
import { SelfDisable } from './self-disable.ts';
import type { Step } from './steps.ts';
import { Steps } from './steps.ts';
import { StopGuard } from '../actions/stop-guard.ts';
import type { ApprovedStep, Standing } from './subject.ts';
import { Subject } from './subject.ts';

/** Most rungs that begin for scopes in one tick. A thousand scopes take several ticks. */
const mostBegins = 32;
const defaultTimeoutMs = 10_000;
/** A rung in shadow mode changes nothing, so without this pause it would be reported in every round. */
const shadowCooldownMs = 5 * 60_000;
const defaultRestartAfterMs = 120_000;

interface LadderOptions {
  readonly policy: Policy;
  readonly clock: Pick<Clock, 'now' | 'monotonic' | 'after'>;
  readonly levers?: Levers;
}

/**
 * Runs the rungs of the policy for the process and for every scope above normal level, each on its own.
 *
 * It takes level changes and readings and never awaits. One action per subject is in flight; the next rung runs once a major GC has shown
 * what the last one freed, if that was too little and the level still stands. At the end of the list it pauses and begins again, so a
 * refusal is never in force without the rungs that free memory. An emergency that lasts although every rung had its turn is stuck. Then
 * process.restart runs if the policy has it; otherwise a record says that the process is stuck. Nothing runs without readings, and at
 * normal level there is nothing to do.
 */
export class Ladder {
  readonly #clock: LadderOptions['clock'];
  readonly #levers: Levers;
  readonly #handover: HandoverRule;
  readonly #narrator: Narrator;
  readonly #approvals: ApprovalLine;
  readonly #effects: Effects;
  readonly #guard: StopGuard;
  readonly #flights = new Flights();
  readonly #holds = new Holds();
  readonly #selfDisable = new SelfDisable();
  readonly #subjects = new Map<number, Subject>();
  #steps: Steps;
  #nowMs: number;
  #begins = 0;
  #isDraining = false;
  #isStopped = false;
  /** True when the restart was tried and refused for now. */
  #isRestartRefused = false;

  constructor(options: LadderOptions) {
    this.#clock = options.clock;
    this.#levers = options.levers ?? {};
    this.#handover = new HandoverRule(this.#levers);
    this.#narrator = new Narrator(options.clock);
    this.#approvals = new ApprovalLine({
      levers: this.#levers,
      narrator: this.#narrator,
      isCurrent: (subject, step) => this.#isCurrent(subject, step),
      policy: () => this.#steps.policy,
    });
    this.#steps = new Steps(options.policy);
    this.#guard = new StopGuard(options.policy.guards.destructive);
    this.#nowMs = options.clock.monotonic();
    this.#effects = new Effects(this.#narrator.log, this.#nowMs);
  }

  /** The newest actions, newest last. */
  get rows(): readonly ActionRecord[] {
    return this.#narrator.log.rows;
  }

  get counts(): ActionCounts & { readonly inFlight: number; readonly leaked: number; readonly held: number } {
    return { ...this.#narrator.log.counts, inFlight: this.#flights.count, ...this.#guard.counts };
  }

  /** Rungs in force until their level falls. */
  get holding(): readonly string[] {
    return this.#holds.list.map(({ step }) => step.rung.action);
  }

  /** Takes a level change. `standing` is kept up to date by the caller. */
  change(change: LevelChange, standing: Standing): void {
    if (this.#isStopped) return;
    const known = this.#subjects.get(standing.id);
    if (change.level === 'normal') {
      if (known !== undefined) this.#leave(known, change);
      return;
    }
    const subject = known ?? new Subject(change, standing);
    subject.standing = standing;
    if (known === undefined) this.#subjects.set(standing.id, subject);
    subject.move(change, this.#steps.of(subject.isProcess, change.level));
    if (!subject.isProcess) return;
    // At emergency refusing is what keeps the process alive until its restart.
    if (change.level === 'emergency') this.#selfDisable.end();
    this.#releaseWhere(subject, ({ index }) => index > subject.levelIndex, `level fell to ${change.level}`);
  }

  /** Takes a new standing of a subject, because the governor makes its rows again with each policy. */
  rebind(standing: Standing): void {
    const subject = this.#subjects.get(standing.id);
    if (subject !== undefined) subject.standing = standing;
  }

  /** Puts another policy in force. An action in flight ends under its own policy; the next rung comes from the new one. */
  setPolicy(policy: Policy): void {
    if (this.#isStopped) return;
    this.#steps = new Steps(policy);
    this.#guard.setRules(policy.guards.destructive);
    this.#selfDisable.end();
    for (const subject of this.#subjects.values()) {
      subject.steps = this.#steps.of(subject.isProcess, subject.level);
      subject.cursor = 0;
      subject.stuck.forgetRounds();
      subject.approved.length = 0;
      subject.tickets.clear();
    }
    const process = this.#subjects.get(0);
    if (process === undefined) return;
    process.restUntilMs = Number.NEGATIVE_INFINITY;
    const still = process.steps.filter(({ mode, rung }) => mode === 'enforce' && rung.approval === undefined);
    this.#releaseWhere(
      process,
      (step) => !still.some(({ key }) => key === step.key),
      'another policy is in force',
    );
    this.#holds.renew(still, (step) => this.#contextOf(process, step, never));
  }

  /** Takes a reading. Only readings make rungs run. `stepMs` is the time that the reading covers. */
  tick(reading: LadderReading, nowMs: number, stepMs: number): void {
    if (this.#isStopped) return;
    this.#effects.observe(reading, nowMs);
    this.#nowMs = nowMs;
    if (this.#subjects.size === 0) return;
    this.#begins = 0;
    for (const subject of this.#subjects.values()) this.#step(subject, stepMs);
  }

  /** Ends for good and releases everything in force. */
  stop(): void {
    if (this.#isStopped) return;
    this.#releaseWhere(this.#subjects.get(0), () => true, 'governing ended');
    this.#isStopped = true;
    for (const { flight } of this.#subjects.values()) {
      flight?.end();
      flight?.abort();
    }
    this.#subjects.clear();
  }

  #step(subject: Subject, stepMs: number): void {
    const stands = subject.stands(this.#steps.policy.levels);
    if (subject.isProcess) this.#tend(subject);
    // While work is refused, an emergency counts as lasting, because only the refusals keep it below the line.
    const isRefusing = subject.isProcess && this.#holds.isRefusing;
    subject.stuck.tick(subject.level === 'emergency' && (stands || isRefusing), stepMs);
    if (subject.flight?.isSettling === true) this.#effects.settle(subject, subject.flight);
    this.#isDraining &&= this.#levers.restartState?.isUnderWay ?? true;
    if (this.#isDraining) return;
    if (subject.flight !== undefined) {
      // The effect of an action is known after the next collection. A handover does not wait for it.
      if (subject.flight.isSettling && stands) this.#handOverIfDue(subject);
      return;
    }
    if (!stands) {
      this.#approvals.forget(subject);
      if (isRefusing) this.#restartIfDue(subject);
      return;
    }
    if (!this.#hasRoom(subject)) return;
    if (this.#runApproved(subject) || this.#restartIfDue(subject)) return;
    if (this.#nowMs >= subject.restUntilMs) this.#climb(subject);
    if (subject.stuck.isTellDue(this.#nowMs)) this.#tellStuck(subject);
  }

  #climb(subject: Subject): void {
    while (subject.cursor < subject.steps.length) {
      if (!this.#hasRoom(subject)) return;
      const step = subject.steps[subject.cursor++] as Step;
      if (!this.#isDue(subject, step)) continue;
      this.#begin(subject, step);
      if (subject.flight !== undefined) return;
    }
    subject.cursor = 0;
    subject.passed.clear();
    subject.stuck.endRound();
    subject.restUntilMs = this.#nowMs + this.#steps.policy.settle.againMs;
  }

  /** Scopes take turns; the process never waits for them. */
  #hasRoom(subject: Subject): boolean {
    return subject.isProcess || (this.#flights.hasRoom && this.#begins < mostBegins);
  }

  #isDue(subject: Subject, step: Step): boolean {
    if (this.#flights.isHung(subject, step) || this.#holds.has(step)) return false;
    if (subject.passed.has(step.key)) return false;
    if (isRefusal(step) && this.#mayNotRefuse(subject, step)) return false;
    if (this.#nowMs - (subject.lastRun.get(step.key) ?? Number.NEGATIVE_INFINITY) < this.#cooldownMs(step))
      return false;
    if (step.mode === 'shadow') return subject.stands(this.#steps.policy.levels, subject.shadowBytes);
    return !subject.tickets.has(step.key);
  }

  #mayNotRefuse(subject: Subject, step: Step): boolean {
    return this.#selfDisable.isOn || this.#handover.isAwaited(subject, step, this.#steps.restart);
  }

  #cooldownMs(step: Step): number {
    const { action, rung, nature, mode } = step;
    const own = rung.cooldownMs ?? action.cooldownMs?.(rung.options);
    // Alerts repeat a notice; the ladder does not.
    const usual = own ?? (nature === 'tells' ? Number.POSITIVE_INFINITY : this.#steps.policy.settle.againMs);
    return mode === 'shadow' ? Math.max(usual, shadowCooldownMs) : usual;
  }

  /** Begins one rung under its mode. Afterwards the subject has a flight, or the rung is over. */
  #begin(subject: Subject, step: Step, approved?: ApprovedStep): void {
    this.#begins++;
    subject.lastRun.set(step.key, this.#nowMs);
    const record = this.#narrator.recordOf(subject, step, this.#steps.policy, approved?.recordId);
    try {
      if (step.mode === 'shadow') this.#shadow(subject, step, record);
      else if (step.rung.approval !== undefined && approved === undefined)
        this.#approvals.file(subject, step, record, () => this.#planOf(subject, step));
      else this.#act(subject, step, record, approved);
    } catch (error) {
      this.#narrator.fail(record, String(error));
    }
  }

  #shadow(subject: Subject, step: Step, record: ActionRecord): void {
    const { text, projectedBytes, victims } = this.#planOf(subject, step);
    subject.shadowBytes += step.nature === 'frees' || step.nature === 'stops' ? projectedBytes : 0;
    this.#narrator.log.publish({
      ...record,
      outcome: 'would-have',
      text,
      releasedBytes: projectedBytes,
      ...(victims === undefined ? {} : { victims }),
    });
  }

  #planOf(subject: Subject, step: Step): ActionPlan {
    return step.action.plan(this.#contextOf(subject, step, new AbortController().signal));
  }

  /** True while a rung may still run for a subject. */
  #isCurrent(subject: Subject, step: Step): boolean {
    if (this.#isStopped || this.#subjects.get(subject.id) !== subject) return false;
    if (!subject.steps.includes(step) && this.#steps.restart !== step) return false;
    return subject.levelIndex >= step.index && subject.stands(this.#steps.policy.levels);
  }

  #runApproved(subject: Subject): boolean {
    const next = subject.approved.shift();
    if (next === undefined) return false;
    this.#begin(subject, next.step, next);
    return true;
  }

  #act(subject: Subject, step: Step, record: ActionRecord, approved: ApprovedStep | undefined): void {
    const { usedBytes } = subject.standing;
    const flight = new Flight(step, this.#steps.policy, record, {
      before: this.#effects.liveBytes(subject),
      used: usedBytes,
    });
    const result = step.action.run(this.#contextOf(subject, step, flight.signal, approved?.victims));
    if (!(result instanceof Promise)) {
      flight.sinceMajors = this.#effects.majors;
      this.#ended(subject, flight, result, true);
      return;
    }
    this.#flights.take(subject, flight);
    this.#narrator.log.publish({ ...record, outcome: 'running', text: `runs ${step.rung.action}.` });
    const timeoutMs = timeoutOf(step);
    flight.arm(this.#clock, timeoutMs, () => {
      this.#flights.giveUp(subject, flight);
      this.#landed(subject);
      this.#narrator.fail(record, `it did not end within ${formatDuration(timeoutMs)}`);
    });
    result.then(
      (effect) => {
        if (this.#isAwaited(subject, flight)) this.#ended(subject, flight, effect, false);
      },
      (error: unknown) => {
        if (this.#isAwaited(subject, flight)) this.#narrator.fail(record, String(error));
      },
    );
  }

  /** Takes the answer of an action; false when it is no longer awaited. */
  #isAwaited(subject: Subject, flight: Flight): boolean {
    if (!this.#flights.landed(subject, flight) || this.#isStopped) return false;
    this.#landed(subject);
    return true;
  }

  /** Removes a subject that left while an action ran for it. */
  #landed(subject: Subject): void {
    if (subject.level === 'normal') this.#subjects.delete(subject.id);
  }

  #ended(subject: Subject, flight: Flight, effect: ActionEffect, isFirst: boolean): void {
    const { step, record } = flight;
    const { text, releasedBytes } = effect;
    if (effect.isSkipped === true) {
      subject.released.set(step.key, 0);
      if (isFirst) this.#narrator.skipQuietly(record, text, this.#nowMs);
      else this.#narrator.skip(record, text);
      return;
    }
    subject.released.set(step.key, releasedBytes);
    const isHere = this.#subjects.get(subject.id) === subject;
    if (step.nature === 'holds') {
      // A level that fell while it ran must not leave it in force.
      if (isHere && subject.levelIndex >= step.index) this.#holds.add({ step, record, sinceMs: this.#nowMs });
      else step.action.release?.(this.#levers);
    }
    if (step.rung.action === 'process.restart') this.#isDraining = true;
    const settles = step.nature === 'frees' || step.rung.action === 'scope.stop';
    if (!settles) {
      this.#narrator.log.publish({ ...record, outcome: 'done', text, releasedBytes });
      return;
    }
    if (isHere) this.#effects.await(subject, flight, effect, isFirst);
    else this.#effects.late(subject, flight, effect);
  }

  /**
   * Restarts a stuck process: when an emergency lasted for `after` and every rung had its turn, when it lasted for twice that time, or when
   * refusing did not help.
   */
  #restartIfDue(subject: Subject): boolean {
    const step = this.#steps.restart;
    if (step === undefined || !subject.isProcess || !this.#isDue(subject, step)) return false;
    const { after = defaultRestartAfterMs } = step.rung.options as OptionsOf<'process.restart'>;
    // Refusing most of the work for minutes without relief is stuck too, below emergency.
    const isStuck = subject.levelIndex >= step.index && subject.stuck.isExitDue(after);
    if (!this.#selfDisable.isOn && !isStuck) return this.#handOverIfDue(subject);
    return this.#restart(subject, step);
  }

  #handOverIfDue(subject: Subject): boolean {
    const step = this.#steps.restart;
    if (step === undefined || !subject.isProcess || subject.levelIndex < step.index) return false;
    if (!this.#isDue(subject, step) || !this.#handover.isDue(subject, step)) return false;
    return this.#restart(subject, step);
  }

  #restart(subject: Subject, step: Step): true {
    this.#begin(subject, step);
    this.#isRestartRefused = !this.#isDraining && !subject.tickets.has(step.key);
    return true;
  }

  #tellStuck(subject: Subject): void {
    if (subject.level !== 'emergency') return;
    if (!subject.steps.some(({ nature, mode }) => nature !== 'tells' && mode === 'enforce')) return;
    const hasExit = subject.isProcess && this.#steps.restart?.mode === 'enforce';
    if (hasExit && !this.#isRestartRefused) return;
    // A scope that stays over its budget is reported once, the process repeatedly.
    subject.stuck.told(this.#nowMs, !subject.isProcess);
    this.#narrator.tellStuck(subject, this.#steps.policy, hasExit);
  }

  /** Runs once per tick for the process: rungs in force follow the pressure, and useless refusing ends. */
  #tend(subject: Subject): void {
    this.#holds.follow((step) => this.#contextOf(subject, step, never));
    const { admission } = this.#levers;
    if (admission === undefined || !this.#holds.isRefusing || subject.level === 'emergency') {
      this.#selfDisable.reset();
      return;
    }
    const { usedBytes, limitBytes } = subject.standing;
    const rules = this.#steps.policy.guards.selfDisable;
    if (!this.#selfDisable.tick(this.#nowMs, usedBytes / limitBytes, admission, rules)) return;
    this.#narrator.tellSelfDisable(subject, this.#steps.policy, this.#selfDisable.share);
    this.#releaseWhere(subject, isRefusal, 'refusing did not help');
  }

  #leave(subject: Subject, change: LevelChange): void {
    const { flight } = subject;
    this.#approvals.forget(subject);
    subject.leave(change);
    // The subject stays while an action runs, so that another rise does not start a second action.
    if (flight === undefined || flight.isSettling) this.#subjects.delete(subject.id);
    if (subject.isProcess) {
      this.#selfDisable.end();
      this.#releaseWhere(subject, () => true, 'level fell to normal');
    }
    if (flight?.isSettling === true) this.#effects.cut(subject, flight, change);
  }

  #releaseWhere(subject: Subject | undefined, picks: (step: Step) => boolean, why: string): void {
    const contextOf = (step: Step): ActionContext => this.#contextOf(subject as Subject, step, never);
    for (const { step, record, sinceMs } of this.#holds.release(picks, this.#levers, contextOf)) {
      const text = `ended ${step.rung.action} after ${formatDuration(this.#nowMs - sinceMs)}: ${why}.`;
      this.#narrator.released(record, text);
    }
  }

  #contextOf(subject: Subject, step: Step, signal: AbortSignal, victims?: readonly string[]): ActionContext {
    const { usedBytes, limitBytes } = subject.standing;
    return {
      scope: subject.path,
      level: subject.level,
      change: subject.change,
      usedBytes,
      limitBytes,
      options: step.rung.options,
      policy: this.#steps.policy,
      levers: this.#levers,
      guard: this.#guard,
      nowMs: this.#nowMs,
      victims,
      timeoutMs: timeoutOf(step),
      signal,
    };
  }
}

const never = new AbortController().signal;

function timeoutOf({ rung, action }: Step): number {
  return rung.timeoutMs ?? action.timeoutMs ?? defaultTimeoutMs;
}
