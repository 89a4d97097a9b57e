import type { Roster, Scope } from '@plimsoll/core';
import type { Census } from '@plimsoll/core/sense';

interface Entry {
  bytes: number;
  /** The part of `bytes` that the census walked. */
  walked: number;
  peak: number;
}

/**
 * The bytes of every open scope at the last reading, rolled up to the parents.
 * A scope's own part is the larger of what the census walked and what was charged: keepers charge what their owners also
 * register as roots, so adding both would count it twice.
 */
export class ScopeBytes {
  readonly #roster: Roster;
  readonly #census: Pick<Census, 'bytesOf'>;
  #entries = new Map<number, Entry>();
  #open: readonly Scope[] = [];

  constructor(roster: Roster, census: Pick<Census, 'bytesOf'>) {
    this.#roster = roster;
    this.#census = census;
  }

  /** Open scopes at the last refresh, parents before children; the process scope is not among them. */
  get open(): readonly Scope[] {
    return this.#open;
  }

  refresh(): void {
    this.#roster.settle();
    const open = [...this.#roster.open].filter((scope) => scope.parent !== undefined);
    const entries = new Map<number, Entry>();
    for (const scope of open) entries.set(scope.id, this.#own(scope));
    for (let at = open.length - 1; at >= 0; at--) {
      const scope = open[at] as Scope;
      const entry = entries.get(scope.id) as Entry;
      entry.peak = Math.max(entry.peak, entry.bytes);
      const parent = entries.get(scope.parent?.id ?? -1);
      if (parent !== undefined) {
        parent.bytes += entry.bytes;
        parent.walked += entry.walked;
      }
    }
    this.#entries = entries;
    this.#open = open;
  }

  of(scope: { readonly id: number }): number {
    return this.#entries.get(scope.id)?.bytes ?? 0;
  }

  peakOf(scope: { readonly id: number }): number {
    return this.#entries.get(scope.id)?.peak ?? 0;
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
    return walked >= charged ? { bytes: walked, walked, peak } : { bytes: charged, walked: 0, peak };
  }
}
