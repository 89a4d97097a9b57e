import type { ActionName, ActionNature } from '../policy/actions.ts';
import { actions } from '../policy/actions.ts';
import { formatLine } from '../policy/form/place.ts';
import type { Policy, Rung } from '../policy/policy.ts';
import type { Level, Mode, RaisedLevel } from '@plimsoll/core/internal/level';
import { levels, raisedLevels } from '@plimsoll/core/internal/level';
import { runnerOf } from '../actions/action-runners.ts';
import type { Action } from '../actions/action.ts';

/** One rung of a policy, ready to run. */
export interface Step {
  readonly rung: Rung;
  /** Level from which on it runs, and its number. */
  readonly level: RaisedLevel;
  readonly index: number;
  /** Equal for the same rung of another policy, so that a reload does not run it again at once. */
  readonly key: string;
  readonly mode: Mode;
  readonly nature: ActionNature;
  readonly action: Action;
  /** `ladder.warning (plimsoll.yaml:30)`. */
  readonly rule: string;
}

/** The rungs of a policy in the order in which they run. The list of a level begins with that of the level below it. */
export class Steps {
  readonly policy: Policy;
  /** The rung process.restart is separate, because it is due by time and not by its place in the list. */
  readonly restart: Step | undefined;
  readonly #process: readonly (readonly Step[])[];
  readonly #scope: readonly (readonly Step[])[];

  constructor(policy: Policy) {
    this.policy = policy;
    const all = raisedLevels.flatMap((level) =>
      policy.ladder[level].map((rung, i) => stepOf(policy, level, rung, i)),
    );
    const acting = all.filter(({ mode }) => mode !== 'observe');
    this.restart = acting.find(({ rung }) => rung.action === 'process.restart');
    const inTurn = acting.filter(({ rung }) => rung.action !== 'process.restart');
    const anywhere = inTurn.filter(({ rung }) => actions[rung.action as ActionName]?.reach !== 'process');
    const byLevel = (steps: readonly Step[]): readonly (readonly Step[])[] =>
      levels.map((_, level) => steps.filter(({ index }) => index <= level));
    this.#process = byLevel(inTurn);
    this.#scope = byLevel(anywhere);
  }

  /** For a level and everything below it. */
  of(isProcess: boolean, level: Level): readonly Step[] {
    return (isProcess ? this.#process : this.#scope)[levels.indexOf(level)] as readonly Step[];
  }
}

const unknown: Action = {
  plan: () => {
    throw new Error('no such action');
  },
  run: () => {
    throw new Error('no such action');
  },
};

function stepOf(policy: Policy, level: RaisedLevel, rung: Rung, i: number): Step {
  const before = policy.ladder[level].slice(0, i).filter(({ action }) => action === rung.action).length;
  return {
    rung,
    level,
    index: levels.indexOf(level),
    key: `${level}/${rung.action}/${before}`,
    mode: rung.mode ?? policy.mode,
    nature: actions[rung.action as ActionName]?.nature ?? 'tells',
    action: runnerOf(rung.action) ?? unknown,
    rule: `ladder.${level} (${formatLine(rung.place)})`,
  };
}
