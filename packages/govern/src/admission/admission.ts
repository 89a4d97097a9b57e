import { warnOnce } from '@plimsoll/core/internal/errors';
import { withoutStack } from '@plimsoll/core/internal/without-stack';
import type { Level, Mode, Priority } from '@plimsoll/core/internal/level';
import type { Clock } from '@plimsoll/core/internal/sense/clock';
import { systemClock } from '@plimsoll/core/internal/sense/clock';
import { AdmitError } from '@plimsoll/core/internal/gate/admit-error';
import { Lanes, managementLane } from '@plimsoll/core/internal/gate/lane';
import { clampAgainst, covers, defaultRetry, drainRetry, guarded, optionsOf } from './objection.ts';
import type { Objection } from './objection.ts';
import { Orders } from './orders.ts';
import type { Refuse, Throttle } from './orders.ts';
import { Quarantine } from './quarantine.ts';
import type { QuarantineRow } from './quarantine.ts';
import { PointCounter, AdmissionTicket } from './point-counter.ts';
import { PointCounters } from './point-counters.ts';
import type { Pressure } from '@plimsoll/core/internal/gate/pressure';
import { Reservations } from './reservations.ts';
import { shedPoints } from '@plimsoll/core/internal/gate/shed-point';
import type { AdmitOptions, Admitted, Clamp, ShedPoint } from '@plimsoll/core/internal/gate/shed-point';
import type { AdmissionControl, AdmissionReading, AdmissionRow, GovernOptions } from './admission-control.ts';
import { steadyAgainst } from './steady.ts';
import type { SteadyLimits } from '../policy/sections/admission.ts';
import { WaitingLine } from './waiting-line.ts';
import type { WaitOptions } from '@plimsoll/core/internal/gate/shed-point';

interface AdmissionOptions {
  readonly lanes?: Lanes;
  readonly clock?: Pick<Clock, 'monotonic' | 'after'>;
  /** 0 to below 1; a seeded one makes throttling repeatable. */
  readonly random?: () => number;
  /** True when the running code is part of a run that was let in. Its tools and buffers belong to a continuing turn. */
  readonly isWithinRun?: () => boolean;
  /** Key of the caller in the line. Keys take turns, so that one key cannot delay the others. By default all callers share one key. */
  readonly waitsAs?: () => string;
  /** Path of the caller's scope, for quarantines. */
  readonly scopePath?: () => string;
}

/** Orders end when no reading comes for this long, so that a dead governor does not keep a server closed. */
const lapseMs = 60_000;
const probeMs = 1000;

/**
 * The shed points of a process and the orders in force at them.
 *
 * It never refuses the management lane or work that continues. It never refuses everything while nothing is in flight: an idle process
 * frees no memory, so it would stay closed for ever. It never refuses without recent readings. Each refusal is counted by point and reason
 * and carries its numbers.
 */
export class Admission implements AdmissionControl {
  readonly lanes: Lanes;
  readonly #clock: Pick<Clock, 'monotonic' | 'after'>;
  readonly #random: () => number;
  readonly #isWithinRun: () => boolean;
  readonly #waitsAs: () => string;
  readonly #scopePath: () => string;
  readonly #quarantine = new Quarantine();
  readonly #counters = new PointCounters();
  readonly #orders = new Orders();
  readonly #line: WaitingLine;
  readonly #reserved = new Reservations();
  #mode: Mode | undefined;
  #steady: SteadyLimits = {};
  /** Agent scopes open at the last reading, plus work begun since then that may open one. */
  #agents = 0;
  #priorityOf: GovernOptions['priorityOf'];
  #levelOf: GovernOptions['levelOf'];
  #reading: AdmissionReading | undefined;
  #observedAt = 0;
  /** Work in flight at the last reading, plus work admitted since then. */
  #workInFlight = 0;
  #hasSeenWork = false;
  #probedAt = Number.NEGATIVE_INFINITY;
  readonly #onRelease = (): void => this.#line.advance();

  constructor(options: AdmissionOptions = {}) {
    this.lanes = options.lanes ?? new Lanes();
    this.#clock = options.clock ?? systemClock;
    this.#random = options.random ?? Math.random;
    this.#isWithinRun = options.isWithinRun ?? (() => false);
    this.#waitsAs = options.waitsAs ?? (() => '');
    this.#scopePath = options.scopePath ?? (() => '');
    this.#line = new WaitingLine(this.#clock);
  }

  /** Admits work or throws an `AdmitError`. */
  admit(point: ShedPoint, want?: number | AdmitOptions): Admitted {
    const counter = this.#counters.of[point];
    if (counter === undefined) return this.#unknown(point);
    if (want === undefined && this.#orders.isQuiet) {
      counter.admitted++;
      return new AdmissionTicket(counter);
    }
    const asked = optionsOf(want);
    const objection = this.#objection(counter, asked) ?? this.#queueAgainst(counter, asked);
    if (objection === undefined) return this.#enter(counter, asked);
    throw this.#turnAway(counter, objection);
  }

  /** As `admit`, but waits in a bounded line for up to `waitMs` when a later try can help. */
  async admitOrWait(point: ShedPoint, options: AdmitOptions & WaitOptions): Promise<Admitted> {
    const counter = this.#counters.of[point];
    if (counter === undefined) return this.#unknown(point);
    options.signal?.throwIfAborted();
    const key = `${point} ${guarded(this.#waitsAs, '')}`;
    const first = this.#objection(counter, options) ?? this.#queueAgainst(counter, options);
    if (first === undefined) return this.#enter(counter, options);
    if (!first.retryable || !this.#line.hasRoom(options)) throw this.#turnAway(counter, first);
    let last = first;
    let ticket: Admitted | undefined;
    counter.held++;
    try {
      await this.#line.wait(options, key, () => {
        const next = this.#objection(counter, options);
        if (next === undefined) {
          ticket = this.#enter(counter, options);
          counter.held--;
        } else last = next;
        return next === undefined;
      });
    } catch (error) {
      // The caller left before it was admitted. It counts as refused, with the reason why it waited.
      counter.held--;
      this.#turnAway(counter, last);
      throw error;
    }
    if (ticket !== undefined) return ticket;
    counter.held--;
    throw this.#turnAway(counter, last);
  }

  govern(options: GovernOptions): void {
    this.#mode = options.mode;
    this.#priorityOf = options.priorityOf;
    this.#levelOf = options.levelOf;
    this.#steady = options.steady ?? {};
    this.#orders.setSteady(Object.keys(this.#steady).length > 0);
    if (this.#reading !== undefined && !this.#orders.isQuiet) this.#countWork(this.#reading);
    this.#line.advance();
  }

  ungovern(): void {
    this.#mode = undefined;
    this.#priorityOf = undefined;
    this.#levelOf = undefined;
    this.#steady = {};
    this.#orders.setSteady(false);
    this.#reading = undefined;
    this.#orders.draining = undefined;
    this.#lift();
  }

  observe(reading: AdmissionReading): void {
    this.#reading = reading;
    this.#observedAt = this.#clock.monotonic();
    this.#reserved.turn(this.#observedAt);
    if (!this.#orders.isQuiet) this.#countWork(reading);
    this.#line.advance();
  }

  throttle(order: Throttle): void {
    this.#beforeOrder();
    this.#orders.throttle(order);
  }

  refuse(order: Refuse): void {
    this.#beforeOrder();
    this.#orders.refuse(order);
  }

  clamp(order: Clamp): void {
    this.#beforeOrder();
    this.#orders.clamp(order);
  }

  release(what?: 'throttle' | 'refuse' | 'clamp'): void {
    this.#orders.release(what, this.#clock.monotonic());
    this.#line.advance();
  }

  quarantine(scope: string, reason: string): void {
    this.#quarantine.add({ scope, reason, since: Date.now() });
    this.#orders.setQuarantine(true);
  }

  unquarantine(scope: string): boolean {
    const wasIn = this.#quarantine.remove(scope);
    this.#orders.setQuarantine(!this.#quarantine.isEmpty);
    this.#line.advance();
    return wasIn;
  }

  isQuarantined(scope: string): boolean {
    return this.#quarantine.around(scope) !== undefined;
  }

  get quarantines(): readonly QuarantineRow[] {
    return this.#quarantine.rows;
  }

  counts(): { readonly admitted: number; readonly refused: number } {
    return this.#counters.totals();
  }

  drain(reason: string): void {
    this.#orders.drain(reason);
    this.#line.dismiss();
  }

  get isDraining(): boolean {
    return this.#orders.draining !== undefined;
  }

  levelOf(scope: string): Level {
    return guarded(() => this.#levelOf?.(scope), undefined) ?? 'normal';
  }

  get clamped(): Clamp | undefined {
    if (this.#orders.clamping !== undefined) this.#lapse();
    return this.#orders.clamping;
  }

  /**
   * True while the level is critical or higher, or something is refused. It corresponds to `isUnderPressure` of `@fastify/under-pressure`.
   */
  get isUnderPressure(): boolean {
    return this.pressure.reason !== null;
  }

  /** The same with the reason and the numbers. */
  get pressure(): Pressure {
    this.#lapse();
    const {
      level = 'normal',
      usedBytes = 0,
      limitBytes = 0,
      source = 'unknown',
      rule = '',
    } = this.#reading ?? {};
    const ratio = limitBytes > 0 ? usedBytes / limitBytes : 0;
    const isRaised = level === 'critical' || level === 'emergency';
    const reason = this.#orders.why ?? (isRaised ? `level ${level}: ${rule}` : null);
    return { reason, level, usedBytes, limitBytes, ratio, source };
  }

  row(): AdmissionRow {
    return { ...this.standing(), points: this.#counters.rows() };
  }

  standing(): Omit<AdmissionRow, 'points'> {
    this.#lapse();
    const { state, ratio } = this.#orders;
    return { state, ratio, ...this.#counters.totals() };
  }

  sheds(): ReturnType<AdmissionControl['sheds']> {
    return this.#counters.sheds();
  }

  #enter(counter: PointCounter, asked: AdmitOptions): Admitted {
    counter.admitted++;
    if (!this.#orders.isQuiet) this.#workInFlight++;
    if (this.#orders.hasSteady && (counter.point === 'session' || counter.point === 'delegation'))
      this.#agents++;
    const { bytes } = asked;
    if (bytes !== undefined && bytes > 0 && this.#mode !== undefined) this.#reserved.add(bytes);
    return this.#orders.hasSteady
      ? new AdmissionTicket(counter, this.#onRelease)
      : new AdmissionTicket(counter);
  }

  #turnAway(counter: PointCounter, objection: Objection): AdmitError {
    const { reason, retryAfterMs: span } = objection;
    counter.refuse(reason);
    const retryAfterMs = Math.round(span.min + this.#random() * Math.max(0, span.max - span.min));
    const { level = 'normal', usedBytes = 0, limitBytes = 0 } = this.#reading ?? {};
    return withoutStack(
      () =>
        new AdmitError({ ...objection, point: counter.point, level, usedBytes, limitBytes, retryAfterMs }),
    );
  }

  /** The objection to admitting it; undefined when there is none. */
  #objection(counter: PointCounter, asked: AdmitOptions): Objection | undefined {
    if (asked.continues === true || this.#laneOf(asked) === managementLane) return undefined;
    const quarantined = this.#orders.hasQuarantine ? this.#quarantineAgainst(counter) : undefined;
    if (quarantined !== undefined) return quarantined;
    const order = this.#orders.isQuiet ? undefined : this.#ordersAgainst(counter, asked);
    return order ?? this.#steadyAgainst(counter, asked) ?? this.#bytesAgainst(counter, asked);
  }

  #quarantineAgainst({ point }: PointCounter): Objection | undefined {
    if (this.#isPartOfTurn(point)) return undefined;
    const row = this.#quarantine.around(guarded(this.#scopePath, ''));
    if (row === undefined) return undefined;
    const details = { scope: row.scope, why: row.reason };
    return {
      reason: 'QUARANTINED',
      rule: row.reason,
      retryable: true,
      retryAfterMs: defaultRetry,
      details,
    };
  }

  #ordersAgainst(counter: PointCounter, asked: AdmitOptions): Objection | undefined {
    this.#lapse();
    if (this.#isPartOfTurn(counter.point)) return undefined;
    const { draining, refusing, throttling } = this.#orders;
    if (draining !== undefined) {
      const details = { reason: draining };
      return { reason: 'DRAINING', rule: 'drain', retryable: true, retryAfterMs: drainRetry, details };
    }
    if (asked.continues === 'session') return undefined;
    const clamped = this.#clampedAgainst(counter, asked);
    if (clamped !== undefined || (refusing === undefined && throttling === undefined)) return clamped;
    if (this.#mayProbe()) return undefined;
    const priority = asked.priority ?? guarded(this.#priorityOf, undefined) ?? 'normal';
    return this.#refusalAgainst(counter, asked, priority) ?? this.#throttleAgainst(priority);
  }

  /**
   * Refusing does not help a process without running work and would keep it closed for ever. So one request per second is admitted as a
   * test.
   */
  #mayProbe(): boolean {
    const nowMs = this.#clock.monotonic();
    if (this.#workInFlight > 0 || nowMs - this.#probedAt < probeMs) return false;
    this.#probedAt = nowMs;
    return true;
  }

  #refusalAgainst(counter: PointCounter, asked: AdmitOptions, priority: Priority): Objection | undefined {
    const { refusing: order, slowStart } = this.#orders;
    if (order === undefined || !covers(order.only, priority)) return undefined;
    const lane = this.#laneOf(asked);
    if (order.except.includes(counter.point) || (lane !== undefined && order.except.includes(lane)))
      return undefined;
    if (slowStart?.take(this.#clock.monotonic()) === true) return undefined;
    return { reason: 'REFUSED', rule: order.reason, retryable: true, retryAfterMs: order.retryAfterMs };
  }

  #throttleAgainst(priority: Priority): Objection | undefined {
    const order = this.#orders.throttling;
    if (order === undefined || !covers(order.only ?? 'normal', priority)) return undefined;
    if (this.#random() >= order.ratio) return undefined;
    const { reason: rule, retryAfterMs = defaultRetry, ratio: share } = order;
    return { reason: 'THROTTLED', rule, retryable: true, retryAfterMs, details: { share } };
  }

  #clampedAgainst(counter: PointCounter, asked: AdmitOptions): Objection | undefined {
    const { clamping } = this.#orders;
    if (clamping === undefined) return undefined;
    const running = counter.isReleased ? counter.inFlight : this.#workInFlight;
    return clampAgainst(clamping, counter.point, asked, running);
  }

  /** Steady limits, like orders, do not apply to a turn that continues. The next turn of an open session has to fit. */
  #steadyAgainst(counter: PointCounter, asked: AdmitOptions): Objection | undefined {
    const reading = this.#reading;
    if (!this.#orders.hasSteady || reading === undefined || this.#isPartOfTurn(counter.point))
      return undefined;
    // The numbers are too old to decide by.
    if (this.#clock.monotonic() - this.#observedAt > lapseMs) return undefined;
    const { run, delegation } = this.#counters.of;
    const found = steadyAgainst(this.#steady, counter.point, {
      runs: this.#running(run),
      delegations: this.#running(delegation),
      agents: this.#agents,
      freeBytes: reading.freeBytes - this.#reserved.bytes - (asked.bytes ?? 0),
      limitBytes: reading.limitBytes,
      busyRatio: reading.busyRatio,
    });
    if (found === undefined || this.#mode === 'enforce') return found;
    counter.wouldHave++;
    return undefined;
  }

  /** A new caller does not overtake callers that wait at the same point. */
  #queueAgainst(counter: PointCounter, asked: AdmitOptions): Objection | undefined {
    if (counter.held === 0 || !this.#orders.hasSteady || asked.continues === true) return undefined;
    if (this.#laneOf(asked) === managementLane || this.#isPartOfTurn(counter.point)) return undefined;
    const what = `${counter.held} wait in line before it`;
    return {
      reason: 'FULL',
      rule: 'admission',
      retryable: true,
      retryAfterMs: defaultRetry,
      details: { what },
    };
  }

  /** Number of running pieces of work at a point: its tickets, or at most the work in flight where tickets are never released. */
  #running(counter: PointCounter): number {
    return counter.isReleased ? counter.inFlight : Math.min(counter.inFlight, this.#workInFlight);
  }

  #bytesAgainst(counter: PointCounter, asked: AdmitOptions): Objection | undefined {
    const { bytes = 0 } = asked;
    const reading = this.#reading;
    if (!(bytes > 0) || reading === undefined || this.#mode === undefined) return undefined;
    const freeBytes = reading.freeBytes - this.#reserved.bytes;
    if (bytes <= freeBytes) return undefined;
    // The numbers are too old to decide by.
    if (this.#clock.monotonic() - this.#observedAt > lapseMs) return undefined;
    if (this.#mode !== 'enforce') {
      counter.wouldHave++;
      return undefined;
    }
    const { rule } = reading;
    if (bytes > reading.limitBytes)
      return { reason: 'TOO_LARGE', rule, retryable: false, retryAfterMs: defaultRetry, details: { bytes } };
    return {
      reason: 'NO_ROOM',
      rule,
      retryable: true,
      retryAfterMs: defaultRetry,
      details: { bytes, freeBytes },
    };
  }

  /** Tools and buffers of an admitted run are not refused, because that would break a turn that continues. */
  #isPartOfTurn(point: ShedPoint): boolean {
    return (point === 'tool' || point === 'buffer') && guarded(this.#isWithinRun, false);
  }

  #laneOf(asked: AdmitOptions): string | undefined {
    return asked.lane ?? this.lanes.name;
  }

  /** Called before the first order, which needs the current work in flight. */
  #beforeOrder(): void {
    if (!this.#orders.isQuiet) return;
    this.#observedAt = this.#clock.monotonic();
    if (this.#reading !== undefined) this.#countWork(this.#reading);
  }

  #countWork(reading: AdmissionReading): void {
    this.#workInFlight = guarded(reading.inFlight, 0);
    if (this.#orders.hasSteady) this.#agents = guarded(reading.agents, 0);
    if (this.#workInFlight > 0) this.#hasSeenWork = true;
    else if (this.#hasSeenWork) this.#counters.forgetTickets();
  }

  /** Ends expired states: a slow start that is over, or orders without readings. */
  #lapse(): void {
    if (this.#orders.isQuiet) return;
    const nowMs = this.#clock.monotonic();
    this.#orders.endSlowStart(nowMs);
    if (!this.#orders.isGiven || nowMs - this.#observedAt <= lapseMs) return;
    warnOnce('PLM_ADMIT_LAPSED', { ms: nowMs - this.#observedAt });
    this.#lift();
  }

  #lift(): void {
    this.#orders.lift();
    this.#reserved.clear();
    this.#line.advance();
  }

  #unknown(point: unknown): Admitted {
    warnOnce('PLM_ADMIT_BAD_POINT', { point: String(point), points: shedPoints });
    return new AdmissionTicket(new PointCounter('run'));
  }
}
