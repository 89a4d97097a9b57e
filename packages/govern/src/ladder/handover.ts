import type { Levers } from '../actions/levers.ts';
import { handoverOf } from '../actions/process-restart.ts';
import type { OptionsOf } from '../policy/actions.ts';
import { lastCallMs } from '../restart/restart-plan.ts';
import type { Step } from './steps.ts';
import type { Subject } from './subject.ts';

const defaultAfterMs = 2000;
/** Refusing waits so long for a handover that is due, and no longer. */
const longestWaitMs = 10_000;
/** A restart frees what no open scope holds. From this share on it is worth one although work goes on. */
const leastUnattributed = 0.5;

/** Ends an emergency without a pause: the next life takes over before this one ends, and before work is refused. */
export class HandoverRule {
  readonly #levers: Pick<Levers, 'restartState' | 'unattributedBytes'>;

  constructor(levers: Pick<Levers, 'restartState' | 'unattributedBytes'>) {
    this.#levers = levers;
  }

  /** Whether the process stands at the level of its restart for long enough. */
  isDue(subject: Subject, restart: Step): boolean {
    const afterMs = this.#afterMs(subject, restart);
    return afterMs !== undefined && subject.stuck.stoodMs >= afterMs;
  }

  /** While the next life is about to take over nobody is refused at that level. */
  isAwaited(subject: Subject, refusal: Step, restart: Step | undefined): boolean {
    if (!subject.isProcess || refusal.index !== restart?.index) return false;
    const afterMs = this.#afterMs(subject, restart);
    return afterMs !== undefined && subject.stuck.stoodMs < afterMs + longestWaitMs;
  }

  /** How long an emergency stands first; undefined where there is no next life, or where it would be as full. */
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
