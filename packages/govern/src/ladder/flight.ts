import type { Policy } from '../policy/policy.ts';
import { formatPercent } from '../policy/form/quantity.ts';
import type { Clock } from '@plimsoll/core/internal/sense/clock';
import { formatByteSize } from '@plimsoll/core/units';
import { formatDuration } from '@plimsoll/core/units';
import type { ActionEffect, ActionRecord } from '../actions/action.ts';
import type { Step } from './steps.ts';

/** After its time limit an action has this long to return a partial result before it counts as failed. */
const graceMs = 250;

/** One action under way: running, or done and waiting for a major GC to show its effect. It keeps the policy under which it began. */
export class Flight {
  readonly step: Step;
  readonly policy: Policy;
  /** The first published record. Later ones have the same id. */
  readonly record: ActionRecord;
  /** Live bytes of the subject when it began. */
  readonly beforeBytes: number;
  /** Used bytes of the subject when it began. */
  readonly usedBytes: number;
  readonly signal: AbortSignal;
  effect: ActionEffect | undefined;
  /** When the action itself ended, monotonic ms. */
  endedMs = 0;
  /** Majors at the first reading after its end. */
  sinceMajors: number | undefined;
  /** True once the ladder went on without it. */
  isGivenUp = false;
  readonly #controller = new AbortController();
  #cancel: (() => void) | undefined;

  constructor(
    step: Step,
    policy: Policy,
    record: ActionRecord,
    bytes: { readonly before: number; readonly used: number },
  ) {
    this.step = step;
    this.policy = policy;
    this.record = record;
    this.beforeBytes = bytes.before;
    this.usedBytes = bytes.used;
    this.signal = this.#controller.signal;
  }

  get isSettling(): boolean {
    return this.effect !== undefined;
  }

  /** Sets its time limit. Then its signal is aborted, and shortly after that `late` is called unless it has ended. */
  arm(clock: Pick<Clock, 'after'>, timeoutMs: number, late: () => void): void {
    this.#cancel = clock.after(timeoutMs, () => {
      this.#cancel = clock.after(graceMs, late);
      this.abort();
    });
  }

  /** The measured effect, as the end of a sentence. */
  effectText(freedBytes: number | null, atMostMs: number): string {
    if (freedBytes === null) return `no major GC came within ${formatDuration(atMostMs)} to show the effect`;
    if (freedBytes < 0) return `live bytes grew by ${formatByteSize(-freedBytes)} meanwhile`;
    const share = formatPercent(freedBytes / Math.max(1, this.usedBytes));
    return `live bytes fell by ${formatByteSize(freedBytes)} (${share})`;
  }

  abort(): void {
    this.#controller.abort(new Error('the time of the action is over'));
  }

  end(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }
}
