import { ownCopy } from './scope-path.ts';

/** What remains of closed scopes: one row per kind and name. */
export interface ScopeTotal {
  readonly kind: string;
  readonly name: string;
  opened: number;
  closed: number;
  /** Bytes ever charged to scopes of this name that have closed, and to those open now when read through the roster. */
  chargedBytes: number;
  /** Highest bytes one scope of this name held. */
  peakBytes: number;
}

const maxKinds = 100;
const maxNames = 1000;
const other = '(other)';

/** Totals by kind and name with a cap on both, so that a million session ids cost a thousand rows. */
export class ScopeTotals {
  readonly #kinds = new Map<string, Map<string, ScopeTotal>>();

  /** The row for a scope that opens now; beyond the caps the `(other)` row. */
  row(kind: string, name: string): ScopeTotal {
    const names = this.#kinds.get(kind) ?? this.#newKind(kind);
    const found = names.get(name) ?? (names.size > maxNames ? names.get(other) : undefined);
    return found ?? this.#newName(kind, name, names);
  }

  *[Symbol.iterator](): Iterator<Readonly<ScopeTotal>> {
    for (const names of this.#kinds.values()) yield* names.values();
  }

  #newKind(kind: string): Map<string, ScopeTotal> {
    const kept = this.#kinds.size < maxKinds ? ownCopy(kind) : other;
    const names = this.#kinds.get(kept) ?? new Map<string, ScopeTotal>();
    this.#kinds.set(kept, names);
    return names;
  }

  #newName(kind: string, name: string, names: Map<string, ScopeTotal>): ScopeTotal {
    const kept = names.size < maxNames ? ownCopy(name) : other;
    const keptKind = this.#kinds.has(kind) ? ownCopy(kind) : other;
    const total = { kind: keptKind, name: kept, opened: 0, closed: 0, chargedBytes: 0, peakBytes: 0 };
    names.set(kept, total);
    return total;
  }
}
