import { openLedger } from '@plimsoll/ledger/write';
import type { Ledger } from '@plimsoll/ledger';
import type { Policy } from '@plimsoll/govern/internal/policy/policy';
import type { Limits } from '@plimsoll/core/internal/sense/limits';
import type { Part } from '../part.ts';
import type { HostSettings } from '../settings.ts';

/** The ledger of this process. */
export class LedgerPart implements Part {
  readonly ledger: Ledger;
  readonly #settings: HostSettings;
  readonly #policy: Policy;
  readonly #limits: () => Limits;

  constructor(settings: HostSettings, policy: Policy, limits: () => Limits) {
    const { rawMs, minuteMs, hourMs, maxBytes, anchorFile } = policy.retention;
    this.#settings = settings;
    this.#policy = policy;
    this.#limits = limits;
    this.ledger = openLedger({
      dir: settings.ledgerDir,
      retention: { rawMs, minuteMs, hourMs },
      maxBytes,
      ...(anchorFile !== undefined && { anchors: { file: anchorFile } }),
    });
  }

  start(): void {
    const { binding } = this.#limits();
    const body = {
      pid: process.pid,
      node: process.version,
      command: this.#settings.target,
      limit: binding.bytes,
      limitSource: binding.source,
      mode: this.#policy.mode,
      policy: this.#policy.file,
    };
    this.ledger.audit({ kind: 'start', body }).catch(() => undefined);
  }

  /** Resolves when everything is on disk. */
  async stop(): Promise<void> {
    await this.ledger.close();
  }
}
