import type { RollbackRules } from '../policy/sections/rollback.ts';
import { BlockedTrigger } from './blocked-trigger.ts';
import { GcTrigger } from './gc-trigger.ts';
import { GrowthTrigger } from './growth-trigger.ts';
import { LoopTrigger } from './loop-trigger.ts';
import type { RollbackSignals, Trip } from './rollback-signals.ts';
import type { Usual } from './usual.ts';

/** A process younger than this warms up: its growth is no policy's fault. */
const warmUpMs = 300_000;

interface RollbackWatchOptions {
  readonly rules: RollbackRules;
  /** What was usual before this policy was enforced; undefined when nothing is known. */
  readonly usual: Usual | undefined;
  /** Monotonic ms at which the process began to be governed. */
  readonly startMs: number;
}

/** The four triggers over one stretch in which one policy is enforced. Pure: the same signals give the same trip. */
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

  /** The first trigger that is pulled; each is asked every time, so that none misses a reading. */
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
