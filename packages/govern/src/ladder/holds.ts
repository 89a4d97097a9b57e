import { warnOnce } from '@plimsoll/core/internal/errors';
import type { ActionContext, ActionRecord } from '../actions/action.ts';
import type { Levers } from '../actions/levers.ts';
import type { Step } from './steps.ts';

/** A rung that stays in force until its level falls. */
interface Hold {
  readonly step: Step;
  readonly record: ActionRecord;
  readonly sinceMs: number;
}

/** The rungs in force that clamp, throttle, refuse or scale, so that each is released again. */
export class Holds {
  readonly #held = new Map<string, Hold>();

  get list(): readonly Hold[] {
    return [...this.#held.values()];
  }

  /** True when new work is refused, fully or in part. */
  get isRefusing(): boolean {
    for (const { step } of this.#held.values()) if (isRefusal(step)) return true;
    return false;
  }

  has(step: Step): boolean {
    return this.#held.has(step.key);
  }

  add(hold: Hold): void {
    this.#held.set(hold.step.key, hold);
  }

  /** Lets every hold follow the pressure; nothing happens while there is none. */
  follow(contextOf: (step: Step) => ActionContext): void {
    for (const { step } of this.#held.values()) {
      if (step.action.follow !== undefined) guarded(step, () => step.action.follow?.(contextOf(step)));
    }
  }

  /** Applies the rungs in force again with the options of another policy. */
  renew(steps: readonly Step[], contextOf: (step: Step) => ActionContext): void {
    for (const step of steps) {
      const hold = this.#held.get(step.key);
      if (hold === undefined) continue;
      this.#held.set(step.key, { ...hold, step });
      guarded(step, () => void step.action.run(contextOf(step)));
    }
  }

  /**
   * Releases the rungs that `picks` selects and returns them. When another rung of the same action is still in force, it is applied again.
   */
  release(picks: (step: Step) => boolean, levers: Levers, contextOf: (step: Step) => ActionContext): Hold[] {
    const gone = this.list.filter(({ step }) => picks(step));
    for (const { step } of gone) {
      this.#held.delete(step.key);
      guarded(step, () => step.action.release?.(levers));
    }
    for (const { step } of gone) {
      const rest = this.list.findLast((hold) => hold.step.rung.action === step.rung.action);
      if (rest !== undefined) guarded(rest.step, () => void rest.step.action.run(contextOf(rest.step)));
    }
    return gone;
  }
}

/** Rungs that refuse work, fully or in part. */
export function isRefusal({ rung }: Step): boolean {
  return rung.action === 'admit.throttle' || rung.action === 'admit.refuse';
}

function guarded(step: Step, work: () => void): void {
  try {
    work();
  } catch (error) {
    warnOnce('PLM_GOVERN_ACTION', { action: step.rung.action, scope: 'process', reason: String(error) });
  }
}
