import { formatPercent } from '../policy/form/quantity.ts';
import { formatDuration } from '@plimsoll/core/units';
import { FutileRefusal } from '../admission/futile-refusal.ts';
import type { FutileRules } from '../admission/futile-refusal.ts';
import type { RollbackSignals, Trip } from './rollback-signals.ts';

/**
 * Trigger: most operations are blocked for minutes although memory is not short, so the policy is the cause.
 *
 * It judges at level normal and warning, and at any level that only a number of the policy caused. When a limit of V8 or of the control
 * group caused level critical, `guards.self-disable` judges. At emergency the planned restart comes first. The three never judge at the
 * same time, so they cannot contradict each other.
 */
export class BlockedTrigger {
  readonly #rules: FutileRules;
  readonly #refusal = new FutileRefusal();

  constructor(shareRatio: number, forMs: number) {
    this.#rules = { shareRatio, forMs };
  }

  take(signals: RollbackSignals): Trip | undefined {
    const { nowMs, admitted, blocked, pressureRatio, level, isOwnLimit } = signals;
    if ((level === 'critical' || level === 'emergency') && !isOwnLimit) {
      this.#refusal.reset();
      return undefined;
    }
    const seen = this.#refusal.tick(nowMs, pressureRatio, { admitted, refused: blocked }, this.#rules);
    if (seen === undefined) return undefined;
    const { shareRatio, operations, ratioBefore, ratioNow } = seen;
    return {
      trigger: 'blocked',
      text: `${formatPercent(shareRatio)} of ${operations} operations were blocked in ${formatDuration(this.#rules.forMs)} at level ${level}, and the pressure went from ${formatPercent(ratioBefore)} when that began to ${formatPercent(ratioNow)}.`,
      evidence: {
        blockedRatio: shareRatio,
        operations,
        pressureBefore: ratioBefore,
        pressureNow: ratioNow,
      },
    };
  }
}
