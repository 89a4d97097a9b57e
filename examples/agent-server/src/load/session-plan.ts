import type { Random } from '../random.ts';

export interface TurnPlan {
  readonly text: string;
  /** Pause before this turn. */
  readonly thinkMs: number;
  /** Reads the run once more after it ended, as a reloaded page does. */
  readonly readsAgain: boolean;
}

/** The actions of one virtual user, decided before it starts, so that they do not depend on the server's speed. */
export interface SessionPlan {
  readonly agent: string;
  readonly turns: readonly TurnPlan[];
  /** Leaves in the middle of the last reply and never closes the session. */
  readonly abandons: boolean;
}

const agents = ['planner', 'planner', 'analyst', 'support', 'support', 'support'];
const questions = ['What about', 'Compare with', 'Say more on', 'Why does it depend on', 'Summarise'];
const subjects = ['tariffs', 'tides', 'turbines', 'freight', 'harbours', 'insurance', 'ballast', 'pilots'];
const meanTurns = 4;
const maxTurns = 40;

/** Most users ask a few questions, some stay for forty: sizes of sessions differ by more than ten times. */
export function planSession(
  random: Random,
  options: { readonly thinkMs: number; readonly abandonRatio: number },
): SessionPlan {
  const count = Math.min(maxTurns, 1 + Math.floor(-Math.log(1 - random.next()) * (meanTurns - 0.5)));
  return {
    agent: random.pick(agents),
    turns: Array.from({ length: count }, () => ({
      text: `${random.pick(questions)} ${random.pick(subjects)}`,
      thinkMs: options.thinkMs * -Math.log(1 - random.next()),
      readsAgain: random.chance(0.05),
    })),
    abandons: random.chance(options.abandonRatio),
  };
}
