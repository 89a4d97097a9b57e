import type { AdmissionLever } from '../actions/levers.ts';
import type { Clamp } from '@plimsoll/core/internal/gate/shed-point';
import type { AdmissionRow } from './admission-control.ts';
import { SlowStart } from './slow-start.ts';

export type Throttle = Parameters<AdmissionLever['throttle']>[0];
export type Refuse = Parameters<AdmissionLever['refuse']>[0];

/** The orders in force at the shed points (throttle, refuse, clamp, drain), and the slow start after a refusal. */
export class Orders {
  throttling: Throttle | undefined = undefined;
  refusing: Refuse | undefined = undefined;
  clamping: Clamp | undefined = undefined;
  slowStart: SlowStart | undefined = undefined;
  /** Why all new work is refused for good. */
  draining: string | undefined = undefined;
  /** True while the policy has steady limits, which need to see all admitted work. */
  hasSteady = false;
  /** True while a scope is in quarantine. */
  hasQuarantine = false;
  /** True when no order is in force. Then only reservations of bytes are checked. */
  isQuiet = true;

  throttle(order: Throttle): void {
    this.throttling = order.ratio > 0 ? order : undefined;
    this.#settle();
  }

  refuse(order: Refuse): void {
    this.refusing = order;
    this.slowStart = undefined;
    this.#settle();
  }

  clamp(order: Clamp): void {
    this.clamping = order;
    this.#settle();
  }

  drain(reason: string): void {
    this.draining ??= reason;
    this.#settle();
  }

  /** Ends an order, or all orders except a drain. A refusal ends slowly. */
  release(what: 'throttle' | 'refuse' | 'clamp' | undefined, nowMs: number): void {
    if (what === undefined || what === 'throttle') this.throttling = undefined;
    if (what === undefined || what === 'clamp') this.clamping = undefined;
    const isSlow = (what === undefined || what === 'refuse') && this.refusing !== undefined;
    if (isSlow) this.slowStart ??= new SlowStart(nowMs);
    this.#settle();
  }

  /** Ends all orders except a drain at once. */
  lift(): void {
    this.throttling = undefined;
    this.refusing = undefined;
    this.clamping = undefined;
    this.slowStart = undefined;
    this.#settle();
  }

  /** Ends a slow start that is over, and with it the refusal. */
  endSlowStart(nowMs: number): void {
    if (this.slowStart?.isOver(nowMs) !== true) return;
    this.slowStart = undefined;
    this.refusing = undefined;
    this.#settle();
  }

  /** True while the ladder has given an order. */
  get isGiven(): boolean {
    return this.throttling !== undefined || this.refusing !== undefined || this.clamping !== undefined;
  }

  get state(): AdmissionRow['state'] {
    if (this.draining !== undefined) return 'draining';
    if (this.refusing !== undefined && this.slowStart === undefined) return 'refusing';
    return this.refusing !== undefined || this.throttling !== undefined ? 'throttling' : 'open';
  }

  /** Share of sheddable work refused now, 0 to 1. */
  get ratio(): number {
    if (this.draining !== undefined) return 1;
    if (this.refusing !== undefined) return this.slowStart?.refusedRatio ?? 1;
    return Math.min(1, this.throttling?.ratio ?? 0);
  }

  /** The reason for refusals, in words; null when nothing is refused. */
  get why(): string | null {
    if (this.draining !== undefined) return `draining: ${this.draining}`;
    if (this.refusing !== undefined) return `refusing: ${this.refusing.reason}`;
    return this.throttling === undefined ? null : `throttling: ${this.throttling.reason}`;
  }

  setSteady(hasSteady: boolean): void {
    this.hasSteady = hasSteady;
    this.#settle();
  }

  setQuarantine(hasQuarantine: boolean): void {
    this.hasQuarantine = hasQuarantine;
    this.#settle();
  }

  #settle(): void {
    this.isQuiet = !this.isGiven && !this.hasSteady && !this.hasQuarantine && this.draining === undefined;
  }
}
