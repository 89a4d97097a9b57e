import { formatPercent } from '../policy/quantity.ts';
import { formatDuration } from '@plimsoll/core/units';
import type { RollbackSignals, Trip } from './rollback-signals.ts';

type Mark = Pick<RollbackSignals, 'nowMs' | 'admitted' | 'blocked' | 'pressureRatio'>;

/** Marks per window: the bound on what is kept. */
const marksPerWindow = 30;
/** The newest part of the window has to be blocked as well: a burst that is over is no reason. */
const recentMarks = 6;
const leastOperations = 20;
/** Pressure that fell by so much fell. */
const reliefRatio = 0.02;

/** Most operations blocked for minutes without pressure falling: what fills memory is not the work that is refused. */
export class BlockedTrigger {
  readonly #ratio: number;
  readonly #forMs: number;
  #marks: Mark[] = [];

  constructor(ratio: number, forMs: number) {
    this.#ratio = ratio;
    this.#forMs = forMs;
  }

  take(signals: RollbackSignals): Trip | undefined {
    const { nowMs, admitted, blocked, pressureRatio } = signals;
    const last = this.#marks.at(-1);
    const isDue = last === undefined || nowMs - last.nowMs >= this.#forMs / marksPerWindow;
    if (isDue) this.#marks.push({ nowMs, admitted, blocked, pressureRatio });
    // The newest mark that is old enough begins the window; those before it are not needed any more.
    const begin = this.#marks.findLastIndex((mark) => nowMs - mark.nowMs >= this.#forMs);
    if (begin < 0) return undefined;
    this.#marks = this.#marks.slice(begin);
    return this.#judge(signals, this.#marks[0] as Mark);
  }

  #judge(signals: RollbackSignals, begin: Mark): Trip | undefined {
    const { all, blocked } = between(begin, signals);
    if (all < leastOperations || blocked <= this.#ratio * all) return undefined;
    const recent = between(this.#marks.at(-recentMarks) ?? begin, signals);
    if (recent.blocked <= this.#ratio * recent.all) return undefined;
    if (signals.pressureRatio < begin.pressureRatio - reliefRatio) return undefined;
    return {
      trigger: 'blocked',
      text: `${formatPercent(blocked / all)} of ${all} operations were blocked in ${formatDuration(this.#forMs)} and pressure went from ${formatPercent(begin.pressureRatio)} to ${formatPercent(signals.pressureRatio)}: refusing does not help.`,
      evidence: {
        blockedRatio: blocked / all,
        operations: all,
        pressureBefore: begin.pressureRatio,
        pressureNow: signals.pressureRatio,
      },
    };
  }
}

/** What the shed points saw between two marks. */
function between(from: Mark, to: Mark): { readonly all: number; readonly blocked: number } {
  const blocked = to.blocked - from.blocked;
  return { all: to.admitted - from.admitted + blocked, blocked };
}
