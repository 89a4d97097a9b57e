import type { LevelRules } from '../policy/policy.ts';
import type { Level } from '@plimsoll/core/internal/level';
import { levels } from '@plimsoll/core/internal/level';
import type { LevelChange } from '../level/level-change.ts';
import type { Flight } from './flight.ts';
import type { Step } from './steps.ts';
import { StuckClock } from './stuck-clock.ts';

/** Current numbers of a subject, which the governor updates. */
export interface Standing {
  /** Of the scope; 0 for the process. */
  readonly id: number;
  readonly usedBytes: number;
  readonly limitBytes: number;
  readonly machine?: { readonly lifted: boolean } | undefined;
}

/** An approved rung that waits for its turn. */
export interface ApprovedStep {
  readonly step: Step;
  readonly recordId: string;
  readonly victims: readonly string[] | undefined;
  readonly as: string;
}

function isFreeing({ nature }: Step): boolean {
  return nature === 'frees' || nature === 'stops';
}

/** The process or one scope above normal level, with the position in its ladder. */
export class Subject {
  readonly id: number;
  readonly path: string;
  readonly isProcess: boolean;
  standing: Standing;
  change: LevelChange;
  /** Rungs of its level and below. The list of a higher level begins with the list of the lower one. */
  steps: readonly Step[] = [];
  cursor = 0;
  /** The one action in flight. */
  flight: Flight | undefined;
  readonly approved: ApprovedStep[] = [];
  /** Ticket of each rung that waits for an approval. */
  readonly tickets = new Map<string, string>();
  /** When each rung ran last, monotonic ms. */
  readonly lastRun = new Map<string, number>();
  /** Bytes that each rung released in its last run, by its own count or as measured. */
  readonly released = new Map<string, number>();
  /** Rungs that freed nothing at a lower level. They are skipped until the round ends. */
  readonly passed = new Set<string>();
  restUntilMs = Number.NEGATIVE_INFINITY;
  readonly stuck = new StuckClock();
  /** Bytes that rungs in shadow mode would have freed so far. */
  shadowBytes = 0;

  constructor(change: LevelChange, standing: Standing) {
    this.id = standing.id;
    this.path = change.scope;
    this.isProcess = standing.id === 0;
    this.standing = standing;
    this.change = change;
  }

  get level(): Level {
    return this.change.level;
  }

  get levelIndex(): number {
    return levels.indexOf(this.change.level);
  }

  /**
   * True while the ratio is above the exit line. Below it the level only waits for the time of `keep`, and no rung runs. `lessBytes` is
   * subtracted: the bytes that rungs in shadow mode would have freed.
   */
  stands(rules: LevelRules, lessBytes = 0): boolean {
    const { level } = this.change;
    if (level === 'normal') return false;
    const { usedBytes, limitBytes, machine } = this.standing;
    if (machine?.lifted === true && lessBytes === 0) return true;
    return (usedBytes - lessBytes) / limitBytes >= rules[level].exitRatio;
  }

  /** Called when the level is normal or the scope is gone. */
  leave(change: LevelChange): void {
    this.change = change;
    this.steps = [];
    this.cursor = 0;
    this.stuck.reset();
    this.lastRun.clear();
    this.released.clear();
    this.passed.clear();
    this.tickets.clear();
  }

  /** Makes this rung the next one again, at once unless it has a pause of its own. */
  stayAt(step: Step): void {
    const at = this.steps.findIndex(({ key }) => key === step.key);
    if (at < 0) return;
    this.cursor = at;
    this.#runAgainSoon(step);
  }

  /** Exempts a rung from the pause between two rounds. Its own pause still applies. */
  #runAgainSoon(step: Step): void {
    if (step.rung.cooldownMs === undefined && step.action.cooldownMs === undefined)
      this.lastRun.delete(step.key);
  }

  /**
   * Takes another level with its rungs. A rise begins at the top again. Rungs that released memory run once more at once, because there may
   * be more now. Rungs that freed nothing are skipped until the next round.
   */
  move(change: LevelChange, steps: readonly Step[]): void {
    const isRise = levels.indexOf(change.level) > this.levelIndex;
    this.change = change;
    this.cursor = 0;
    this.passed.clear();
    if (isRise) {
      this.restUntilMs = Number.NEGATIVE_INFINITY;
      for (const step of this.steps) {
        if ((this.released.get(step.key) ?? 0) > 0) this.#runAgainSoon(step);
        else if (isFreeing(step) && this.lastRun.has(step.key) && this.flight?.step !== step)
          this.passed.add(step.key);
      }
    }
    this.steps = steps;
    this.stuck.forgetRounds();
    this.shadowBytes = 0;
    for (const key of this.released.keys())
      if (!steps.some((step) => step.key === key)) this.released.delete(key);
    for (const key of this.lastRun.keys())
      if (!steps.some((step) => step.key === key)) this.lastRun.delete(key);
  }
}
