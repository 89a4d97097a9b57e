import { formatPercent } from '../policy/form/quantity.ts';
import { formatDuration } from '@plimsoll/core/units';
import type { RollbackSignals, Trip } from './rollback-signals.ts';
import type { Usual } from './usual.ts';

/** Good readings in a row after which the loop counts as responsive again. */
const goodReadings = 2;
/** A loop that was blocked in this share of readings before is not blamed on this policy. */
const usuallyBlockedRatio = 0.05;
/** From this share of a core on, Plimsoll itself blocks the loop. */
const guiltyCpuRatio = 0.2;

/** Trigger: the event loop hardly turns, because of this policy or Plimsoll itself. */
export class LoopTrigger {
  readonly #delayMs: number;
  readonly #forMs: number;
  readonly #usual: Usual | undefined;
  #sinceMs = Number.NaN;
  #good = 0;
  #worstMs = 0;
  #worstCpuRatio = 0;

  constructor(delayMs: number, forMs: number, usual: Usual | undefined) {
    this.#delayMs = delayMs;
    this.#forMs = forMs;
    this.#usual = usual;
  }

  take(signals: RollbackSignals): Trip | undefined {
    if (signals.loopDelayMs < this.#delayMs) {
      this.#good += 1;
      if (this.#good >= goodReadings) this.#sinceMs = Number.NaN;
      return undefined;
    }
    this.#good = 0;
    if (Number.isNaN(this.#sinceMs)) {
      this.#sinceMs = signals.nowMs;
      this.#worstMs = 0;
      this.#worstCpuRatio = 0;
    }
    this.#worstMs = Math.max(this.#worstMs, signals.loopDelayMs);
    this.#worstCpuRatio = Math.max(this.#worstCpuRatio, signals.selfCpuRatio);
    const lastedMs = signals.nowMs - this.#sinceMs;
    return lastedMs >= this.#forMs && this.#isToBlame ? this.#trip(lastedMs) : undefined;
  }

  get #isToBlame(): boolean {
    if (this.#worstCpuRatio >= guiltyCpuRatio) return true;
    return this.#usual !== undefined && this.#usual.unresponsiveRatio < usuallyBlockedRatio;
  }

  #trip(lastedMs: number): Trip {
    const worstMs = this.#worstMs;
    return {
      trigger: 'unresponsive',
      text: `the event loop has been blocked for up to ${formatDuration(worstMs)} at a time since ${formatDuration(lastedMs)}, the bound is ${formatDuration(this.#delayMs)} for ${formatDuration(this.#forMs)}; Plimsoll took ${formatPercent(this.#worstCpuRatio)} of a core.`,
      evidence: {
        loopDelayMs: worstMs,
        lastedMs,
        boundMs: this.#delayMs,
        selfCpuRatio: this.#worstCpuRatio,
      },
    };
  }
}
