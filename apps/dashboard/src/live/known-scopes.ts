import type { ScopeRow } from '@plimsoll/host/protocol/frame';
import type { StreamEvents } from '@plimsoll/host/protocol/api';

/** A scope with the time at which the server sent it, because the page adds the passed time to ages. */
export interface KnownScope {
  readonly row: ScopeRow;
  readonly at: number;
}

/** All open scopes by path, kept up to date by what changed. */
export class KnownScopes {
  readonly #rows = new Map<string, KnownScope>();

  get size(): number {
    return this.#rows.size;
  }

  apply(event: StreamEvents['scopes']): void {
    if (event.full) this.#rows.clear();
    for (const path of event.gone) this.#rows.delete(path);
    for (const row of event.rows) this.#rows.set(row.path, { row, at: event.at });
  }

  clear(): void {
    this.#rows.clear();
  }

  get(path: string): KnownScope | undefined {
    return this.#rows.get(path);
  }

  values(): IterableIterator<KnownScope> {
    return this.#rows.values();
  }
}

/** Its current age. */
export function ageOf(known: KnownScope, now: number): number {
  return known.row.ageMs + Math.max(0, now - known.at);
}

export function idleOf(known: KnownScope, now: number): number {
  return known.row.idleMs + Math.max(0, now - known.at);
}
