import type { Roster } from '@plimsoll/core/internal/scope/roster';
import { ContainerWatch } from './container-watch.ts';
import { ResourceWatch } from './resource-watch.ts';
import { watchListenerWarnings } from './listener-warnings.ts';
import type { Audit } from './audit.ts';
import type { Claim } from '../findings/finding-book.ts';
import type { Reading } from '@plimsoll/core/internal/sense/reading';

/** Interval of reading the sizes of registered containers and the numbers of active resources. */
const containersMs = 60_000;

/**
 * Watches what the program leaves attached. The parts that cost nothing are always on: Node's own warnings of too many listeners, the sizes
 * of registered containers and the numbers of active resources. The audit itself needs `--audit`.
 */
export class AuditWatch {
  readonly #roster: Roster;
  readonly #audit: Audit | undefined;
  readonly #onClaim: (claim: Claim, at: number) => void;
  readonly #containers = new ContainerWatch();
  readonly #resources = new ResourceWatch();
  #unwatch: (() => void) | undefined;
  #containersAt = 0;

  constructor(roster: Roster, audit: Audit | undefined, onClaim: (claim: Claim, at: number) => void) {
    this.#roster = roster;
    this.#audit = audit;
    this.#onClaim = onClaim;
  }

  start(): void {
    this.#unwatch = watchListenerWarnings((claim) => this.#tell([claim], Date.now()));
  }

  take(reading: Reading): void {
    if (this.#audit !== undefined)
      this.#tell(this.#audit.look(this.#roster.majorGcEpoch, this.#counts()), reading.at);
    if (reading.at < this.#containersAt) return;
    this.#containersAt = reading.at + containersMs;
    this.#tell(this.#containers.look(this.#roster.roots()), reading.at);
    this.#tell(this.#resources.look(process.getActiveResourcesInfo(), this.#roster.count - 1), reading.at);
  }

  /** Publishes the last numbers of every claim when the process ends. */
  conclude(reading: Reading): void {
    if (this.#audit !== undefined) this.#tell(this.#audit.claims(this.#counts()), reading.at);
  }

  stop(): void {
    this.#unwatch?.();
    this.#audit?.stop();
  }

  #counts(): { readonly open: number; readonly opened: number } {
    return { open: this.#roster.count - 1, opened: this.#roster.opened };
  }

  #tell(claims: readonly Claim[], at: number): void {
    for (const claim of claims) this.#onClaim(claim, at);
  }
}
