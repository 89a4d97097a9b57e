import { roster } from '@plimsoll/core/internal/scope/index';
import { AuditWatch } from '@plimsoll/leak/internal/audit/audit-watch';
import { LeakWatch } from '@plimsoll/leak/internal/leak-watch';
import { FindingLog } from '@plimsoll/leak/internal/findings/finding-log';
import { Proving } from '@plimsoll/leak/internal/proof/proving';
import type { LeakWatchOptions } from '@plimsoll/leak/internal/leak-watch';
import type { Finding } from '@plimsoll/leak/internal/findings/finding';
import type { Reading } from '@plimsoll/core/internal/sense/reading';
import type { HostModules } from './modules.ts';
import type { Part } from './part.ts';
import type { HostSettings } from './settings.ts';

export interface LeakPartOptions extends Pick<
  LeakWatchOptions,
  'budgetBytes' | 'attributedBytes' | 'history'
> {
  readonly settings: HostSettings;
  readonly modules: HostModules;
  /** Told of a fingerprint's first finding, of each rise in severity and of its trace. */
  readonly onFinding: (finding: Finding) => void;
}

/** Looks for leaks: growth and survivors, what is left attached, and who holds it. */
export class LeakPart implements Part {
  readonly findings: FindingLog;
  readonly #detection: LeakWatch;
  readonly #auditing: AuditWatch;
  readonly #proving: Proving;

  constructor({ settings, modules, onFinding, ...detection }: LeakPartOptions) {
    const { dir, maxPauseMs = 0 } = settings;
    this.findings = new FindingLog(onFinding);
    this.#detection = new LeakWatch({
      ...detection,
      roster,
      mayProbe: maxPauseMs > 0,
      onFinding: (finding) => this.#proving.found(finding),
    });
    this.#proving = new Proving({
      parts: modules,
      dir,
      maxPauseMs,
      detection: this.#detection,
      findings: this.findings,
    });
    this.#auditing = new AuditWatch(roster, modules.audit, (finding) => this.findings.publish(finding));
  }

  start(): void {
    this.#proving.start();
  }

  take(reading: Reading): void {
    this.#detection.take(reading);
    this.#auditing.take(reading);
    this.#proving.take(reading);
  }

  exit(_code: number, reading: Reading | undefined): void {
    if (reading !== undefined) this.#auditing.conclude(reading);
  }

  stop(): void {
    this.#auditing.stop();
    this.#proving.stop();
  }
}
