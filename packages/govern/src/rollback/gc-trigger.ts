import { formatPercent } from '../policy/form/quantity.ts';
import { GcEffectiveness, judgedCollections } from './gc-effectiveness.ts';
import type { RollbackSignals, Trip } from './rollback-signals.ts';
import type { Usual } from './usual.ts';

const lastMs = 60_000;

/** Collections that free too little of what they could, where they freed enough before this policy was enforced. */
export class GcTrigger {
  readonly #least: number;
  readonly #usual: number | null;
  #gc = new GcEffectiveness();
  #lowSinceMs = Number.NaN;

  constructor(leastRatio: number, usual: Usual | undefined) {
    this.#least = leastRatio;
    this.#usual = usual?.gcEffectiveness ?? null;
  }

  take(signals: RollbackSignals, isSettled: boolean): Trip | undefined {
    // A process that warms up keeps much of what it allocates: those collections do not count.
    if (!isSettled) this.#gc = new GcEffectiveness();
    this.#gc.take(signals);
    const ratio = this.#gc.ratio;
    if (this.#usual === null || this.#usual < this.#least || ratio === null) return undefined;
    if (ratio >= this.#least || this.#gc.collections < judgedCollections) {
      this.#lowSinceMs = Number.NaN;
      return undefined;
    }
    if (Number.isNaN(this.#lowSinceMs)) this.#lowSinceMs = signals.nowMs;
    if (signals.nowMs - this.#lowSinceMs < lastMs) return undefined;
    return {
      trigger: 'gc-effectiveness',
      text: `the last ${judgedCollections} major GCs freed ${formatPercent(ratio)} of what they could, the bound is ${formatPercent(this.#least)}; before this policy was enforced it was ${formatPercent(this.#usual)}.`,
      evidence: { ratio, boundRatio: this.#least, usualRatio: this.#usual },
    };
  }
}
