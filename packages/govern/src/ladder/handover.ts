import type { Levers } from '../actions/levers.ts';
import { handoverOf } from '../actions/process-restart.ts';
import type { OptionsOf } from '../policy/actions.ts';
import { lastCallMs } from '../restart/restart-plan.ts';
import type { Step } from './steps.ts';
import type { Subject } from './subject.ts';

const defaultAfterMs = 2000;
/** Longest delay of a refusal for a handover that is due. */
const longestWaitMs = 10_000;
/** A restart frees memory that no open scope holds. Above this share of the heap it is worth a restart although work goes on. */
const leastUnattributed = 0.5;

/** Ends an emergency without a pause: the next life takes over before this one ends, and before work is refused. */
export class HandoverRule {
  readonly #levers: Pick<Levers, 'restartState' | 'unattributedBytes'>;

  constructor(levers: Pick<Levers, 'restartState' | 'unattributedBytes'>) {
    this.#levers = levers;
  }

  /** Whether the process has been at the level of its restart for long enough. */
  isDue(subject: Subject, restart: Step): boolean {
    const afterMs = this.#afterMs(subject, restart);
    return afterMs !== undefined && subject.stuck.stoodMs >= afterMs;
  }

  /** True while the next life is about to take over. Nothing is refused at that level then. */
  isAwaited(subject: Subject, refusal: Step, restart: Step | undefined): boolean {
    if (!subject.isProcess || refusal.index !== restart?.index) return false;
    const afterMs = this.#afterMs(subject, restart);
    return afterMs !== undefined && subject.stuck.stoodMs < afterMs + longestWaitMs;
  }

  /** How long the emergency has to last first; undefined where there is no next life, or where the next life would be just as full. */
  #afterMs({ standing }: Subject, { mode, rung }: Step): number | undefined {
    const { restartState, unattributedBytes } = this.#levers;
    if (mode !== 'enforce' || restartState === undefined) return undefined;
    if ((unattributedBytes?.() ?? 0) < leastUnattributed * standing.usedBytes) return undefined;
    const options = rung.options as OptionsOf<'process.restart'>;
    if (!restartState.mayHandOver(handoverOf(options))) return undefined;
    // The next life takes some seconds to come up.
    return (restartState.endsInMs ?? lastCallMs) < lastCallMs
      ? 0
      : (options['handover-after'] ?? defaultAfterMs);
  }
}
