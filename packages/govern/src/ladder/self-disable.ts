import type { GuardRules } from '../policy/sections/guards.ts';
import type { AdmissionLever } from '../actions/levers.ts';

/** Share of work is judged over at least this long. */
const lookMs = 5000;
/** Pressure that falls by this much is relief. */
const reliefRatio = 0.01;

/**
 * Watches whether refusing helps: when most of the work was refused for minutes and the pressure did not fall, what fills memory is not
 * the work, and refusing on only hurts the users.
 */
export class SelfDisable {
  #sinceMs = Number.NaN;
  #sinceRatio = 0;
  #lookedMs = 0;
  #admitted = 0;
  #refused = 0;
  #share = 0;
  #isOn = false;

  /** True once refusing did not help: no rung refuses until the level of the process is normal or the policy changes. */
  get isOn(): boolean {
    return this.#isOn;
  }

  /** Share of the work refused lately. */
  get share(): number {
    return this.#share;
  }

  /** Forgets what was seen; refusing ended. */
  reset(): void {
    this.#sinceMs = Number.NaN;
  }

  /** Lets rungs refuse again. */
  end(): void {
    this.#isOn = false;
    this.reset();
  }

  /** Takes a tick while work is refused; true when that ends. */
  tick(
    nowMs: number,
    ratio: number,
    admission: Pick<AdmissionLever, 'counts'>,
    rules: GuardRules['selfDisable'],
  ): boolean {
    if (Number.isNaN(this.#sinceMs)) {
      this.#begin(nowMs, ratio);
      this.#look(nowMs, admission);
      return false;
    }
    if (nowMs - this.#lookedMs >= lookMs) {
      const { admitted, refused } = admission.counts();
      const refusedNow = refused - this.#refused;
      const all = admitted - this.#admitted + refusedNow;
      this.#share = all === 0 ? 0 : refusedNow / all;
      this.#look(nowMs, admission);
      if (this.#share <= rules.shedShareRatio || ratio <= this.#sinceRatio - reliefRatio)
        this.#begin(nowMs, ratio);
    }
    if (nowMs - this.#sinceMs < rules.forMs) return false;
    this.#isOn = true;
    this.reset();
    return true;
  }

  #begin(nowMs: number, ratio: number): void {
    this.#sinceMs = nowMs;
    this.#sinceRatio = ratio;
  }

  #look(nowMs: number, admission: Pick<AdmissionLever, 'counts'>): void {
    const { admitted, refused } = admission.counts();
    this.#lookedMs = nowMs;
    this.#admitted = admitted;
    this.#refused = refused;
  }
}
