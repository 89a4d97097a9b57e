import type { Roster } from '@plimsoll/core/internal/scope/roster';
import type { Scope } from '@plimsoll/core';
import { Reconciliation } from '@plimsoll/govern/internal/level/reconciliation';
import type { Census } from '@plimsoll/core/internal/sense/census/census';
import type { Reading } from '@plimsoll/core/internal/sense/reading';

interface Entry {
  bytes: number;
  /** The part of `bytes` that the census walked. */
  walked: number;
  peak: number;
  /** Its own and those of everything inside it. */
  leases: number;
}

/**
 * The bytes of every open scope at the last reading, rolled up to the parents.
 * A scope's own part is the larger of what the census walked and what was charged: keepers charge what their owners also
 * register as roots, so adding both would count it twice. Charges are re-based at each major GC, because scopes together cannot hold more
 * than is alive.
 */
export class ScopeBytes {
  readonly #roster: Roster;
  readonly #census: Pick<Census, 'bytesOf'>;
  readonly #reconciliation = new Reconciliation();
  #entries = new Map<number, Entry>();
  #open: readonly Scope[] = [];
  #walkedBytes = 0;
  #chargedBytes = 0;
  #majors = -1;

  constructor(roster: Roster, census: Pick<Census, 'bytesOf'>) {
    this.#roster = roster;
    this.#census = census;
  }

  /** Open scopes at the last refresh, parents before children; the process scope is not among them. */
  get open(): readonly Scope[] {
    return this.#open;
  }

  /** Live bytes in no scope and no keeper; undefined before the first major GC. */
  get unattributedBytes(): number | undefined {
    return this.#reconciliation.unattributedBytes;
  }

  /** By what charges were multiplied at the last major GC; 1 when they fit into what is alive. */
  get chargeFactor(): number {
    return this.#reconciliation.factor;
  }

  refresh(): void {
    this.#roster.settle();
    const open = [...this.#roster.open].filter((scope) => scope.parent !== undefined);
    const entries = new Map<number, Entry>();
    this.#walkedBytes = 0;
    this.#chargedBytes = 0;
    for (const scope of open) entries.set(scope.id, this.#own(scope));
    for (let at = open.length - 1; at >= 0; at--) {
      const scope = open[at] as Scope;
      const entry = entries.get(scope.id) as Entry;
      entry.peak = Math.max(entry.peak, entry.bytes);
      const parent = entries.get(scope.parent?.id ?? -1);
      if (parent !== undefined) {
        parent.bytes += entry.bytes;
        parent.walked += entry.walked;
        parent.leases += entry.leases;
      }
    }
    this.#entries = entries;
    this.#open = open;
  }

  /**
   * Re-bases what scopes declare when there was a major GC since the last time; call it after `refresh`. `keptBytes` is what keepers hold
   * that charge no scope.
   */
  reconcile(
    reading: Pick<Reading, 'floor' | 'external' | 'majors'>,
    keptBytes: () => number = () => 0,
  ): void {
    if (reading.floor === undefined || reading.majors === this.#majors) return;
    this.#majors = reading.majors;
    this.#reconciliation.note({
      liveBytes: reading.floor + reading.external,
      walkedBytes: this.#walkedBytes,
      chargedBytes: this.#chargedBytes + keptBytes(),
    });
  }

  of(scope: { readonly id: number }): number {
    return this.#entries.get(scope.id)?.bytes ?? 0;
  }

  peakOf(scope: { readonly id: number }): number {
    return this.#entries.get(scope.id)?.peak ?? 0;
  }

  /** Leases of a scope and of everything inside it, at the last refresh. */
  leasesOf(scope: { readonly id: number }): number {
    return this.#entries.get(scope.id)?.leases ?? 0;
  }

  /** How the larger part is known: walked by the census, or charged by code and keepers. */
  knownBy(scope: { readonly id: number }): 'census' | 'account' {
    const entry = this.#entries.get(scope.id);
    return entry !== undefined && entry.walked > entry.bytes / 2 ? 'census' : 'account';
  }

  #own(scope: Scope): Entry {
    const walked = this.#census.bytesOf(scope)?.bytes ?? 0;
    const charged = scope.account.own;
    const peak = Math.max(this.#entries.get(scope.id)?.peak ?? 0, scope.account.peak);
    const { leases } = scope;
    if (walked >= charged) {
      this.#walkedBytes += walked;
      return { bytes: walked, walked, peak, leases };
    }
    this.#chargedBytes += charged;
    return { bytes: Math.max(walked, charged * this.#reconciliation.factor), walked: 0, peak, leases };
  }
}
