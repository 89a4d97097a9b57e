import type { RollbackRules } from '../policy/sections/rollback.ts';
import { BlockedTrigger } from './blocked-trigger.ts';
import { GrowthTrigger } from './growth-trigger.ts';
import { LoopTrigger } from './loop-trigger.ts';
import type { RollbackSignals, Trip } from './rollback-signals.ts';
import type { Usual } from './usual.ts';
import { formatPercent } from '../policy/form/quantity.ts';
import { GcEffectiveness, judgedCollections } from './gc-effectiveness.ts';

const lastMs = 60_000;

/** Trigger: collections free too little, while they freed enough before this policy was enforced. */
class GcTrigger {
  readonly #least: number;
  readonly #usual: number | null;
  #gc = new GcEffectiveness();
  #lowSinceMs = Number.NaN;

  constructor(leastRatio: number, usual: Usual | undefined) {
    this.#least = leastRatio;
    this.#usual = usual?.gcEffectiveness ?? null;
  }

  take(signals: RollbackSignals, isSettled: boolean): Trip | undefined {
    // A process that warms up keeps much of its allocations, so those collections do not count.
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
      text: `the last ${judgedCollections} major GCs freed ${formatPercent(ratio)} of the freeable bytes, the bound is ${formatPercent(this.#least)}; before this policy was enforced it was ${formatPercent(this.#usual)}.`,
      evidence: { ratio, boundRatio: this.#least, usualRatio: this.#usual },
    };
  }
}

/** A younger process warms up, and its growth is not blamed on a policy. */
const warmUpMs = 300_000;

interface RollbackWatchOptions {
  readonly rules: RollbackRules;
  /** The usual values before this policy was enforced; undefined when unknown. */
  readonly usual: Usual | undefined;
  /** Start of governing, monotonic ms. */
  readonly startMs: number;
}

/** The four triggers, for one policy while it is enforced. It has no state from outside, so the same signals give the same trip. */
export class RollbackWatch {
  readonly #settledMs: number;
  readonly #growth: GrowthTrigger;
  readonly #gc: GcTrigger;
  readonly #loop: LoopTrigger;
  readonly #blocked: BlockedTrigger;

  constructor({ rules, usual, startMs }: RollbackWatchOptions) {
    this.#settledMs = startMs + warmUpMs;
    this.#growth = new GrowthTrigger(rules.growthBytes, usual);
    this.#gc = new GcTrigger(rules.gcEffectivenessRatio, usual);
    this.#loop = new LoopTrigger(rules.loopDelayMs, rules.loopForMs, usual);
    this.#blocked = new BlockedTrigger(rules.blockedRatio, rules.blockedForMs);
  }

  /** The first trigger that fires. Each one is called every time, so that none misses a reading. */
  take(signals: RollbackSignals): Trip | undefined {
    const isSettled = signals.nowMs >= this.#settledMs;
    const trips = [
      this.#blocked.take(signals),
      this.#loop.take(signals),
      this.#growth.take(signals, isSettled),
      this.#gc.take(signals, isSettled),
    ];
    return trips.find((trip) => trip !== undefined);
  }
}
