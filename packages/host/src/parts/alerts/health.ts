import { HealthWatch } from '@plimsoll/govern/internal/health/health-watch';
import type { Finding } from '@plimsoll/leak/internal/findings/finding';
import type { Part } from '../part.ts';

/** Inputs of the alerts about the health of the process. */
interface HealthOptions {
  readonly gcEffectiveness: () => number | null;
  readonly findings: () => readonly Pick<Finding, 'kind' | 'count'>[];
}

/** Alerts for GC effectiveness below 80 % and for five or more survivors. */
export class HealthPart implements Part {
  readonly #options: HealthOptions;
  readonly #watch = new HealthWatch();

  constructor(options: HealthOptions) {
    this.#options = options;
  }

  start(): void {}

  take(): void {
    const { gcEffectiveness, findings } = this.#options;
    let survivors = 0;
    for (const { kind, count } of findings()) if (kind === 'survivor') survivors += count;
    this.#watch.take({ nowMs: performance.now(), gcEffectiveness: gcEffectiveness(), survivors });
  }

  stop(): void {}
}
