import { warnOnce } from '../../errors.ts';
import { withoutStack } from '../../without-stack.ts';
import type { Mode, Priority } from '../../policy/policy.ts';
import type { Clock } from '../../sense/clock.ts';
import { systemClock } from '../../sense/clock.ts';
import type { AdmissionLever } from '../levers.ts';
import { AdmitError } from './admit-error.ts';
import { Lanes, managementLane } from './lane.ts';
import { clampAgainst, covers, defaultRetry, drainRetry, guarded, optionsOf } from './objection.ts';
import type { Objection } from './objection.ts';
import { PointCounter, Ticket } from './point-counter.ts';
import type { Pressure } from './pressure.ts';
import { Reservations } from './reservations.ts';
import { shedPoints } from './shed-point.ts';
import type {
  AdmissionControl,
  AdmissionReading,
  AdmissionRow,
  AdmitOptions,
  Admitted,
  Clamp,
  GovernOptions,
  ShedPoint,
  ShedReason,
} from './shed-point.ts';
import { SlowStart } from './slow-start.ts';
import { WaitingLine } from './waiting-line.ts';
import type { WaitOptions } from './waiting-line.ts';

type Throttle = Parameters<AdmissionLever['throttle']>[0];
type Refuse = Parameters<AdmissionLever['refuse']>[0];

export interface AdmissionOptions {
  readonly clock?: Pick<Clock, 'monotonic' | 'after'>;
  /** 0 to below 1; a seeded one makes throttling repeatable. */
  readonly random?: () => number;
  /** True when the running code is part of a run that was let in: its tools and buffers belong to a continuing turn. */
  readonly isWithinRun?: () => boolean;
}

/** Without a reading for this long orders lapse: a governor that died must not keep a server closed. */
const lapseMs = 60_000;
const probeMs = 1000;

/**
 * The shed points of a process and the orders in force at them.
 *
 * It never refuses the management lane or work that continues, never everything while nothing is in flight (refusing an idle process cannot
 * free memory, and it would stay closed for ever), and never longer than somebody reads the memory. Each refusal is counted by point and
 * reason and carries its numbers.
 */
export class Admission implements AdmissionControl {
  readonly lanes = new Lanes();
  private readonly clock: Pick<Clock, 'monotonic' | 'after'>;
  private readonly random: () => number;
  private readonly isWithinRun: () => boolean;
  private readonly counters: Readonly<Record<ShedPoint, PointCounter>>;
  private readonly line: WaitingLine;
  private readonly reserved = new Reservations();
  private mode: Mode | undefined;
  private priorityOf: GovernOptions['priorityOf'];
  private reading: AdmissionReading | undefined;
  private observedAt = 0;
  private throttling: Throttle | undefined;
  private refusing: Refuse | undefined;
  private clamping: Clamp | undefined;
  private slowStart: SlowStart | undefined;
  private draining: string | undefined;
  /** No order is in force: all but bytes are let in unseen. */
  private isQuiet = true;
  /** Work in flight at the last reading, and let in since. */
  private workInFlight = 0;
  private hasSeenWork = false;
  private probedAt = Number.NEGATIVE_INFINITY;

  constructor(options: AdmissionOptions = {}) {
    this.clock = options.clock ?? systemClock;
    this.random = options.random ?? Math.random;
    this.isWithinRun = options.isWithinRun ?? (() => false);
    const entries = shedPoints.map((point) => [point, new PointCounter(point)] as const);
    this.counters = Object.fromEntries(entries) as Record<ShedPoint, PointCounter>;
    this.line = new WaitingLine(this.clock);
  }

  /** Lets work in or throws an `AdmitError`. */
  admit(point: ShedPoint, want?: number | AdmitOptions): Admitted {
    const counter = this.counters[point];
    if (counter === undefined) return this.unknown(point);
    if (want === undefined && this.isQuiet) {
      counter.admitted++;
      return new Ticket(counter);
    }
    const asked = optionsOf(want);
    const objection = this.objection(counter, asked);
    if (objection === undefined) return this.enter(counter, asked);
    throw this.turnAway(counter, objection);
  }

  /** As `admit`, but waits in a bounded line for up to `waitMs` when a later try can help. */
  async admitOrWait(point: ShedPoint, options: AdmitOptions & WaitOptions): Promise<Admitted> {
    const counter = this.counters[point];
    if (counter === undefined) return this.unknown(point);
    options.signal?.throwIfAborted();
    const first = this.objection(counter, options);
    if (first === undefined) return this.enter(counter, options);
    if (!first.retryable || !this.line.hasRoom(options)) throw this.turnAway(counter, first);
    let last = first;
    let ticket: Admitted | undefined;
    counter.held++;
    try {
      await this.line.wait(options, () => {
        const next = this.objection(counter, options);
        if (next === undefined) {
          ticket = this.enter(counter, options);
          counter.held--;
        } else last = next;
        return next === undefined;
      });
    } catch (error) {
      // The caller left: it asked and was not let in, for the reason it waited for.
      counter.held--;
      this.turnAway(counter, last);
      throw error;
    }
    if (ticket !== undefined) return ticket;
    counter.held--;
    throw this.turnAway(counter, last);
  }

  govern(options: GovernOptions): void {
    this.mode = options.mode;
    this.priorityOf = options.priorityOf;
  }

  ungovern(): void {
    this.mode = undefined;
    this.priorityOf = undefined;
    this.reading = undefined;
    this.draining = undefined;
    this.lift();
  }

  observe(reading: AdmissionReading): void {
    this.reading = reading;
    this.observedAt = this.clock.monotonic();
    this.reserved.turn(this.observedAt);
    if (!this.isQuiet) this.countWork(reading);
    this.line.advance();
  }

  throttle(order: Throttle): void {
    this.throttling = order.ratio > 0 ? order : undefined;
    this.ordered();
  }

  refuse(order: Refuse): void {
    this.refusing = order;
    this.slowStart = undefined;
    this.ordered();
  }

  clamp(order: Clamp): void {
    this.clamping = order;
    this.ordered();
  }

  release(what?: 'throttle' | 'refuse' | 'clamp'): void {
    if (what === undefined || what === 'throttle') this.throttling = undefined;
    if (what === undefined || what === 'clamp') this.clamping = undefined;
    if (
      (what === undefined || what === 'refuse') &&
      this.refusing !== undefined &&
      this.slowStart === undefined
    )
      this.slowStart = new SlowStart(this.clock.monotonic());
    this.settle();
    this.line.advance();
  }

  counts(): { readonly admitted: number; readonly refused: number } {
    let admitted = 0;
    let refused = 0;
    for (const counter of Object.values(this.counters)) {
      admitted += counter.admitted;
      refused += counter.refused;
    }
    return { admitted, refused };
  }

  drain(reason: string): void {
    this.draining ??= reason;
    this.isQuiet = false;
    this.line.dismiss();
  }

  get isDraining(): boolean {
    return this.draining !== undefined;
  }

  get clamped(): Clamp | undefined {
    if (this.clamping !== undefined) this.lapse();
    return this.clamping;
  }

  /** True while the level is critical or higher, or something is refused: what `@fastify/under-pressure` users ask. */
  get isUnderPressure(): boolean {
    return this.pressure.reason !== null;
  }

  /** The same with the reason and the numbers. */
  get pressure(): Pressure {
    this.lapse();
    const {
      level = 'normal',
      usedBytes = 0,
      limitBytes = 0,
      source = 'unknown',
      rule = '',
    } = this.reading ?? {};
    const ratio = limitBytes > 0 ? usedBytes / limitBytes : 0;
    return { reason: this.why(level, rule), level, usedBytes, limitBytes, ratio, source };
  }

  row(): AdmissionRow {
    this.lapse();
    const points = Object.values(this.counters).map(({ reasons, ...counter }) => ({
      point: counter.point,
      admitted: counter.admitted,
      refused: counter.refused,
      held: counter.held,
      wouldHave: counter.wouldHave,
      reasons: Object.fromEntries([...reasons].map(([reason, count]) => [reason.toLowerCase(), count])),
    }));
    return { state: this.state(), ratio: this.share(), ...this.counts(), points };
  }

  sheds(): readonly { readonly point: ShedPoint; readonly reason: ShedReason; readonly count: number }[] {
    return Object.values(this.counters).flatMap(({ point, reasons }) =>
      [...reasons].map(([reason, count]) => ({ point, reason, count })),
    );
  }

  private enter(counter: PointCounter, asked: AdmitOptions): Admitted {
    counter.admitted++;
    if (!this.isQuiet) this.workInFlight++;
    const { bytes } = asked;
    if (bytes !== undefined && bytes > 0 && this.mode !== undefined) this.reserved.add(bytes);
    return new Ticket(counter);
  }

  private turnAway(counter: PointCounter, objection: Objection): AdmitError {
    counter.refused++;
    const { reason, retryAfterMs: span } = objection;
    counter.reasons.set(reason, (counter.reasons.get(reason) ?? 0) + 1);
    const retryAfterMs = Math.round(span.min + this.random() * Math.max(0, span.max - span.min));
    const { level = 'normal', usedBytes = 0, limitBytes = 0 } = this.reading ?? {};
    return withoutStack(
      () =>
        new AdmitError({ ...objection, point: counter.point, level, usedBytes, limitBytes, retryAfterMs }),
    );
  }

  /** What speaks against letting it in; undefined when nothing does. */
  private objection(counter: PointCounter, asked: AdmitOptions): Objection | undefined {
    if (asked.continues === true || this.laneOf(asked) === managementLane) return undefined;
    const order = this.isQuiet ? undefined : this.ordersAgainst(counter, asked);
    return order ?? this.bytesAgainst(counter, asked);
  }

  private ordersAgainst(counter: PointCounter, asked: AdmitOptions): Objection | undefined {
    this.lapse();
    if (this.isPartOfTurn(counter.point)) return undefined;
    if (this.draining !== undefined) {
      const details = { reason: this.draining };
      return { reason: 'DRAINING', rule: 'drain', retryable: true, retryAfterMs: drainRetry, details };
    }
    if (asked.continues === 'session') return undefined;
    const clamped = this.clampedAgainst(counter, asked);
    if (clamped !== undefined || (this.refusing === undefined && this.throttling === undefined))
      return clamped;
    if (this.mayProbe()) return undefined;
    const priority = asked.priority ?? guarded(this.priorityOf, undefined) ?? 'normal';
    return this.refusalAgainst(counter, asked, priority) ?? this.throttleAgainst(priority);
  }

  /** Refusing cannot help a process in which nothing works, and would keep it closed for ever: one per second is let in to see. */
  private mayProbe(): boolean {
    const nowMs = this.clock.monotonic();
    if (this.workInFlight > 0 || nowMs - this.probedAt < probeMs) return false;
    this.probedAt = nowMs;
    return true;
  }

  private refusalAgainst(
    counter: PointCounter,
    asked: AdmitOptions,
    priority: Priority,
  ): Objection | undefined {
    const order = this.refusing;
    if (order === undefined || !covers(order.only, priority)) return undefined;
    const lane = this.laneOf(asked);
    if (order.except.includes(counter.point) || (lane !== undefined && order.except.includes(lane)))
      return undefined;
    if (this.slowStart?.take(this.clock.monotonic()) === true) return undefined;
    return { reason: 'REFUSED', rule: order.reason, retryable: true, retryAfterMs: order.retryAfterMs };
  }

  private throttleAgainst(priority: Priority): Objection | undefined {
    const order = this.throttling;
    if (order === undefined || !covers(order.only ?? 'normal', priority)) return undefined;
    if (this.random() >= order.ratio) return undefined;
    const { reason: rule, retryAfterMs = defaultRetry, ratio: share } = order;
    return { reason: 'THROTTLED', rule, retryable: true, retryAfterMs, details: { share } };
  }

  private clampedAgainst(counter: PointCounter, asked: AdmitOptions): Objection | undefined {
    if (this.clamping === undefined) return undefined;
    const running = counter.isReleased ? counter.inFlight : this.workInFlight;
    return clampAgainst(this.clamping, counter.point, asked, running);
  }

  private bytesAgainst(counter: PointCounter, asked: AdmitOptions): Objection | undefined {
    const { bytes = 0 } = asked;
    const { reading } = this;
    if (!(bytes > 0) || reading === undefined || this.mode === undefined) return undefined;
    const freeBytes = reading.freeBytes - this.reserved.bytes;
    if (bytes <= freeBytes) return undefined;
    // Numbers that nobody renews say nothing any more.
    if (this.clock.monotonic() - this.observedAt > lapseMs) return undefined;
    if (this.mode !== 'enforce') {
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

  /** Tools and buffers of a run that was let in: refusing them would hurt a turn that continues. */
  private isPartOfTurn(point: ShedPoint): boolean {
    return (point === 'tool' || point === 'buffer') && guarded(this.isWithinRun, false);
  }

  private laneOf(asked: AdmitOptions): string | undefined {
    return asked.lane ?? this.lanes.name;
  }

  private ordered(): void {
    if (this.isQuiet) {
      this.observedAt = this.clock.monotonic();
      if (this.reading !== undefined) this.countWork(this.reading);
    }
    this.settle();
  }

  private countWork(reading: AdmissionReading): void {
    this.workInFlight = guarded(reading.inFlight, 0);
    if (this.workInFlight > 0) this.hasSeenWork = true;
    else if (this.hasSeenWork) {
      // Nothing works, so nobody holds a ticket: what was never released is forgotten.
      for (const counter of Object.values(this.counters)) counter.inFlight = 0;
    }
  }

  private settle(): void {
    this.isQuiet =
      this.throttling === undefined &&
      this.refusing === undefined &&
      this.clamping === undefined &&
      this.draining === undefined;
  }

  /** Ends what is overdue: a slow start that is over, orders that nobody stands behind any more. */
  private lapse(): void {
    if (this.isQuiet) return;
    const nowMs = this.clock.monotonic();
    if (this.slowStart?.isOver(nowMs) === true) {
      this.slowStart = undefined;
      this.refusing = undefined;
      this.settle();
    }
    const hasOrders =
      this.throttling !== undefined || this.refusing !== undefined || this.clamping !== undefined;
    if (!hasOrders || nowMs - this.observedAt <= lapseMs) return;
    warnOnce('PLM_ADMIT_LAPSED', { ms: nowMs - this.observedAt });
    this.lift();
  }

  private lift(): void {
    this.throttling = undefined;
    this.refusing = undefined;
    this.clamping = undefined;
    this.slowStart = undefined;
    this.reserved.clear();
    this.settle();
    this.line.advance();
  }

  private why(level: string, rule: string): string | null {
    if (this.draining !== undefined) return `draining: ${this.draining}`;
    if (this.refusing !== undefined) return `refusing: ${this.refusing.reason}`;
    if (this.throttling !== undefined) return `throttling: ${this.throttling.reason}`;
    return level === 'critical' || level === 'emergency' ? `level ${level}: ${rule}` : null;
  }

  private state(): AdmissionRow['state'] {
    if (this.draining !== undefined) return 'draining';
    if (this.refusing !== undefined && this.slowStart === undefined) return 'refusing';
    return this.refusing !== undefined || this.throttling !== undefined ? 'throttling' : 'open';
  }

  private share(): number {
    if (this.draining !== undefined) return 1;
    if (this.refusing !== undefined) return this.slowStart?.refusedRatio ?? 1;
    return Math.min(1, this.throttling?.ratio ?? 0);
  }

  private unknown(point: unknown): Admitted {
    warnOnce('PLM_ADMIT_BAD_POINT', { point: String(point), points: shedPoints });
    return new Ticket(new PointCounter('run'));
  }
}
