/** A scope that takes no new work, whatever the level. */
export interface QuarantineRow {
  /** Path of the scope. Everything inside it is in quarantine, too. */
  readonly scope: string;
  readonly since: number;
  readonly reason: string;
}

/** Most scopes at once. One more replaces the oldest, whose row is then missing. */
const mostScopes = 256;

/**
 * Scopes in quarantine, by path. A session that is closed and opened again under the same name stays in quarantine. A quarantine lasts
 * until a person ends it or the process ends.
 */
export class Quarantine {
  readonly #rows = new Map<string, QuarantineRow>();

  get isEmpty(): boolean {
    return this.#rows.size === 0;
  }

  get rows(): readonly QuarantineRow[] {
    return [...this.#rows.values()];
  }

  add(row: QuarantineRow): void {
    this.#rows.delete(row.scope);
    this.#rows.set(row.scope, row);
    if (this.#rows.size > mostScopes) this.#rows.delete(this.#rows.keys().next().value as string);
  }

  remove(scope: string): boolean {
    return this.#rows.delete(scope);
  }

  /** The quarantine that a path is in. */
  around(path: string): QuarantineRow | undefined {
    for (let at = path; at !== ''; at = at.slice(0, Math.max(0, at.lastIndexOf('/')))) {
      const row = this.#rows.get(at);
      if (row !== undefined) return row;
    }
    return undefined;
  }
}
