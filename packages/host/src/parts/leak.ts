import { exposedGc } from '@plimsoll/core/internal/exposed-gc';
import { roster } from '@plimsoll/core/internal/scope/index';
import { ForcedGc, newestForcedGc } from '@plimsoll/leak/internal/floor/forced-gc';
import { forcedGcBudget, LeakWatch } from '@plimsoll/leak/internal/leak-watch';
import type { LeakWatchOptions } from '@plimsoll/leak/internal/leak-watch';
import type { Finding } from '@plimsoll/leak/internal/findings/finding';
import type { Forecast } from '@plimsoll/leak/internal/judge/forecast';
import type { Reading } from '@plimsoll/core/internal/sense/reading';
import type { SelfCost } from '@plimsoll/core/internal/sense/self-cost';
import type { HostModules } from './modules.ts';
import type { Part } from './part.ts';
import type { HostSettings } from './settings.ts';

interface LeakPartOptions extends Pick<
  LeakWatchOptions,
  'budgetBytes' | 'attributedBytes' | 'history' | 'onScopes'
> {
  readonly settings: HostSettings;
  readonly modules: HostModules;
  /** It counts the cost of forced collections and snapshots, and allows a collection only when the cost of the last one is paid off. */
  readonly self: Pick<SelfCost, 'measure' | 'restMs'>;
  /** Called with a finding that is new, changed its severity, was proved or was withdrawn. */
  readonly onFinding: (finding: Finding) => void;
}

/** Looks for leaks: growth, survivors, forgotten listeners, timers and handles, and their holders. */
export class LeakPart implements Part {
  readonly #watch: LeakWatch;

  constructor({ settings, modules, self, ...options }: LeakPartOptions) {
    const { dir, maxPauseMs = 0 } = settings;
    const restMs = (): number => self.restMs();
    const measure = <T>(work: () => T): T => self.measure('floors', work);
    const measureProof = <T>(work: () => T): T => self.measure('proofs', work);
    const collect = maxPauseMs > 0 ? exposedGc() : undefined;
    modules.recorder?.accountTo({ measure, measureProof, restMs });
    this.#watch = new LeakWatch({
      ...options,
      roster,
      dir,
      maxPauseMs,
      audit: modules.audit,
      recorder: modules.recorder,
      proof: modules.proof,
      ...(maxPauseMs > 0 && {
        forced: new ForcedGc({
          ...forcedGcBudget,
          collect: collect && (() => measure(collect)),
          restMs,
          newest: newestForcedGc,
        }),
      }),
    });
  }

  get findings(): readonly Finding[] {
    return this.#watch.findings;
  }

  get forecast(): Forecast | null {
    return this.#watch.forecast;
  }

  start(): void {
    this.#watch.start();
  }

  take(reading: Reading): void {
    this.#watch.take(reading);
  }

  exit(_code: number, reading: Reading | undefined): void {
    if (reading !== undefined) this.#watch.conclude(reading);
  }

  stop(): void {
    this.#watch.stop();
  }
}
