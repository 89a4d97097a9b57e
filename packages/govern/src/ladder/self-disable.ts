import { FutileRefusal } from '../admission/futile-refusal.ts';
import type { GuardRules } from '../policy/sections/guards.ts';
import type { AdmissionLever } from '../actions/levers.ts';

/**
 * Watches below emergency whether refusing helps. When most of the work was refused for minutes and the pressure did not fall, something
 * else fills the memory. More refusing would only hurt users.
 */
export class SelfDisable {
  readonly #refusal = new FutileRefusal();
  #isOn = false;

  /** True once refusing did not help. No rung refuses then until the level is normal or emergency, or the policy changes. */
  get isOn(): boolean {
    return this.#isOn;
  }

  /** Share of the work that was refused recently. */
  get share(): number {
    return this.#refusal.share;
  }

  /** Forgets the measurements, because refusing has ended. */
  reset(): void {
    this.#refusal.reset();
  }

  /** Lets rungs refuse again. */
  end(): void {
    this.#isOn = false;
    this.reset();
  }

  /** Takes a tick while work is refused; true when refusing has to end. */
  tick(
    nowMs: number,
    ratio: number,
    admission: Pick<AdmissionLever, 'counts'>,
    rules: GuardRules['selfDisable'],
  ): boolean {
    const { shedShareRatio: shareRatio, forMs } = rules;
    if (this.#refusal.tick(nowMs, ratio, admission.counts(), { shareRatio, forMs }) === undefined)
      return false;
    this.#isOn = true;
    this.reset();
    return true;
  }
}
