import { channel } from 'node:diagnostics_channel';
import { formatPercent } from '../policy/form/quantity.ts';
import type { Trouble } from './trouble.ts';
import { troubleChannelName } from './trouble.ts';

const troubleChannel = channel(troubleChannelName);

/** Major GCs that free less than this share of the freeable bytes indicate a leak or a heap that is too small. */
const gcEffectivenessRatio = 0.8;
/** The alert ends above this value, so that it does not flap when the value is near the line. */
const gcRecoveredRatio = 0.85;
/** How long the share has to stay below. One collection after a start or a burst is no evidence. */
const gcForMs = 60_000;
/** Number of live objects of closed scopes from which on the alert fires. */
const mostSurvivors = 5;

/** Input of the watch, once per reading. */
interface HealthFacts {
  /** Monotonic ms. */
  readonly nowMs: number;
  /** Freed garbage / (freed garbage + growth of the floor); null before two major GCs. */
  readonly gcEffectiveness: number | null;
  /** Objects of closed scopes that are still alive. */
  readonly survivors: number;
}

/** Alerts about the state of the process: collections that free too little, and objects that outlive their scopes. */
export class HealthWatch {
  #lowSinceMs = Number.NaN;
  #isGcTold = false;
  #areSurvivorsTold = false;

  take({ nowMs, gcEffectiveness, survivors }: HealthFacts): void {
    if (gcEffectiveness !== null) this.#takeGc(nowMs, gcEffectiveness);
    const isAbove = survivors >= mostSurvivors;
    if (isAbove === this.#areSurvivorsTold) return;
    this.#areSurvivorsTold = isAbove;
    publish({
      name: 'memory.survivors',
      level: 'warning',
      summary: isAbove
        ? `${survivors} objects of closed scopes are still alive; the alert begins at ${mostSurvivors}.`
        : null,
      fix: 'look at the survivor findings: each names the scope and the object to release.',
    });
  }

  #takeGc(nowMs: number, ratio: number): void {
    if (this.#isGcTold) {
      if (ratio < gcRecoveredRatio) return;
      this.#isGcTold = false;
      this.#lowSinceMs = Number.NaN;
      publish({ name: 'memory.gc', level: 'warning', summary: null });
      return;
    }
    if (ratio >= gcEffectivenessRatio) {
      this.#lowSinceMs = Number.NaN;
      return;
    }
    if (Number.isNaN(this.#lowSinceMs)) this.#lowSinceMs = nowMs;
    if (nowMs - this.#lowSinceMs < gcForMs) return;
    this.#isGcTold = true;
    publish({
      name: 'memory.gc',
      level: 'warning',
      summary: `major GCs free ${formatPercent(ratio)} of what they could for a minute; below ${formatPercent(gcEffectivenessRatio)} live memory grows with the work.`,
      fix: 'look at the findings for what grows; raise --max-old-space-size if the data is meant to stay.',
    });
  }
}

function publish(trouble: Trouble): void {
  if (troubleChannel.hasSubscribers) troubleChannel.publish(trouble);
}
