import { roster } from '@plimsoll/core/internal/scope/index';
import { systemClock } from '@plimsoll/core/internal/sense/clock';
import { levels } from '@plimsoll/core/internal/level';
import { allowanceRatio } from '@plimsoll/core/internal/sense/self-cost';
import type { Reading } from '@plimsoll/core/internal/sense/reading';
import type { Sampler } from '@plimsoll/core/internal/sense/sampler';
import type { RestartState } from '@plimsoll/govern/internal/actions/levers';
import type { Restart } from '@plimsoll/core/internal/gate/drain-hooks';
import { Governor } from '@plimsoll/govern/internal/level/governor';
import type { HandActions } from '@plimsoll/govern/internal/ladder/by-hand';
import { budgetFor } from '@plimsoll/govern/internal/policy/budget';
import type { LevelChange } from '@plimsoll/govern/internal/level/level-change';
import type { Policy } from '@plimsoll/govern/internal/policy/policy';
import type { Forecast } from '@plimsoll/leak/internal/judge/forecast';
import type { GrowthRecorder } from '@plimsoll/leak/internal/proof/growth-recorder';
import type { Frame, Level, LevelRow } from '../../protocol/frame.ts';
import type { HostModules } from '../modules.ts';
import type { Part } from '../part.ts';
import type { ScopeBytes } from '../scopes/scope-bytes.ts';
import { Governance } from './governance.ts';

const mostLevelRows = 64;

/** The level and the budget of one scope. */
export interface ScopeStanding {
  readonly level: Level;
  readonly budgetBytes: number | null;
}

interface GovernorPartOptions {
  readonly policy: Policy;
  readonly dir: string;
  readonly bytes: ScopeBytes;
  readonly sampler: () => Pick<Sampler, 'hurry' | 'limits' | 'look' | 'self'>;
  readonly frame: () => Frame | undefined;
  readonly forecast: () => Forecast | null;
  readonly entrance: () => { readonly restart: Restart; readonly restartState: RestartState };
  readonly recorder: GrowthRecorder | undefined;
  /** Undefined without a policy. */
  readonly acting: HostModules['acting'];
  readonly onLevel: (change: LevelChange) => void;
}

/** Decides the level of the process and of each scope, and runs the ladder of the policy. */
export class GovernorPart implements Part {
  readonly governor: Governor;
  readonly governance = new Governance();
  readonly levels = new LevelLog();
  readonly #options: GovernorPartOptions;
  #hand: Promise<HandActions> | undefined;

  constructor(options: GovernorPartOptions) {
    const { policy, dir, bytes, sampler, frame, recorder, acting } = options;
    this.#options = options;
    const levers = acting?.leversOf({
      dir,
      bytes,
      hurry: (forMs) => sampler().hurry(forMs),
      frame,
      recorder,
      parts: this.governance.parts,
    });
    this.governor = new Governor({
      policy,
      ...(acting && levers && { ladder: new acting.Ladder({ policy, clock: systemClock, levers }) }),
      scopes: () => roster.open,
      bytesOf: (scope) => bytes.of(scope),
      changes: () => bytes.moves,
      look: () => void sampler().look(),
      forecast: options.forecast,
    });
  }

  start(): void {
    const { restart, restartState } = this.#options.entrance();
    Object.assign(this.governance.parts, { restart, restartState });
    this.governor.onLevel((change) => {
      const { at, scope, from, level, usedBytes, limitBytes, source } = change;
      this.levels.add({ at, scope, from, level, usedBytes, limitBytes, source });
      this.#options.onLevel(change);
    });
    this.governor.start();
  }

  take(reading: Reading): void {
    this.governance.gc.take(reading);
    this.governor.tick(reading);
    const isUrgent = levels.indexOf(this.governor.level) >= levels.indexOf('critical');
    this.#options.sampler().self.allow(isUrgent ? allowanceRatio.urgent : allowanceRatio.calm);
    if (this.governor.intervalMs < this.governor.policy.signal.sampleMs) this.#options.sampler().hurry();
  }

  /** Actions that a person asks for, also without a policy file. */
  async hand(): Promise<HandActions> {
    this.#hand ??= this.#makeHand();
    return this.#hand;
  }

  async #makeHand(): Promise<HandActions> {
    const { HandActions } = await import('@plimsoll/govern/internal/ladder/by-hand');
    const { leversOf } = await import('./levers.ts');
    const { dir, bytes, sampler, frame, recorder } = this.#options;
    const hand = new HandActions({
      clock: systemClock,
      levers: leversOf({
        dir,
        bytes,
        hurry: (forMs) => sampler().hurry(forMs),
        frame,
        recorder,
        parts: this.governance.parts,
      }),
      policy: () => this.governor.policy,
      standing: () => ({ ...this.governor.standing, level: this.governor.level }),
    });
    this.governance.parts.handLog = hand.log;
    return hand;
  }

  swap(policy: Policy): void {
    this.governor.setPolicy(policy);
  }

  stop(): void {
    this.governor.stop();
  }

  /** Level and budget by scope, as of now. */
  standings(): (scope: { readonly path: string; readonly budget: number | undefined }) => ScopeStanding {
    const { policy } = this.governor;
    const raised = new Map(this.governor.raised().map((row) => [row.scope, row.level]));
    const limit = this.#options.sampler().limits.binding.bytes;
    return (scope) => ({
      level: raised.get(scope.path) ?? 'normal',
      budgetBytes: scope.budget ?? budgetFor(policy, scope.path, limit).own?.maxBytes ?? null,
    });
  }
}

/** The newest level changes, for the frame. The ledger has all of them. */
export class LevelLog {
  #rows: LevelRow[] = [];

  add(row: LevelRow): void {
    this.#rows.push(row);
    if (this.#rows.length > mostLevelRows) this.#rows = this.#rows.slice(-mostLevelRows);
  }

  get rows(): readonly LevelRow[] {
    return this.#rows;
  }
}
