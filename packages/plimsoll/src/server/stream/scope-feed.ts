import type { ScopeRow } from '@plimsoll/host/protocol/frame';
import type { StreamEvents } from '@plimsoll/host/protocol/api';

interface ToldScope {
  readonly row: ScopeRow;
  readonly at: number;
  readonly version: number;
}

/** Position of a reader: it has everything of an epoch up to a version. */
export interface FeedCursor {
  readonly epoch: number;
  readonly version: number;
}

/** Position of a new reader. */
export const nothingRead: FeedCursor = { epoch: -1, version: 0 };

/** Changes for a reader, and its new position. */
interface TableChange {
  readonly event: StreamEvents['scopes'];
  readonly cursor: FeedCursor;
}

const mostGone = 20_000;
const mostRows = 1000;

/**
 * All known open scopes of a process, each change with a number. A reader keeps only its last number, so a slow reader needs no queue of
 * its own.
 */
export class ScopeFeed {
  /** Entries in the order of their last change. */
  readonly #entries = new Map<string, ToldScope>();
  #gone: { readonly path: string; readonly version: number }[] = [];
  #version = 0;
  /** Readers of another epoch get everything again. */
  #epoch = 0;

  get version(): number {
    return this.#version;
  }

  get size(): number {
    return this.#entries.size;
  }

  apply(rows: readonly ScopeRow[], gone: readonly string[], at: number, full: boolean): void {
    if (full) this.clear();
    for (const row of rows) {
      this.#entries.delete(row.path);
      this.#entries.set(row.path, { row, at, version: ++this.#version });
    }
    for (const path of gone) {
      if (this.#entries.delete(path)) this.#gone.push({ path, version: ++this.#version });
    }
    if (this.#gone.length <= mostGone) return;
    this.#gone = [];
    this.#epoch++;
  }

  /** Forgets everything, because another process is shown or this one cannot be reached. */
  clear(): void {
    this.#entries.clear();
    this.#gone = [];
    this.#epoch++;
    this.#version++;
  }

  /** At most a thousand rows that changed after the cursor, oldest change first; undefined without changes. */
  since(cursor: FeedCursor, now: number): TableChange | undefined {
    const epoch = this.#epoch;
    const full = cursor.epoch !== epoch;
    const version = full ? 0 : cursor.version;
    if (!full && version >= this.#version) return undefined;
    const rows: ScopeRow[] = [];
    let last = this.#version;
    for (const entry of this.#entries.values()) {
      if (entry.version <= version) continue;
      if (rows.length === mostRows) {
        last = (this.#entries.get((rows.at(-1) as ScopeRow).path) as ToldScope).version;
        break;
      }
      rows.push(aged(entry, now));
    }
    // A new reader has nothing to remove. A path that was opened again is not removed.
    const gone = full
      ? []
      : this.#gone
          .filter((each) => each.version > version && each.version <= last && !this.#entries.has(each.path))
          .map((each) => each.path);
    return { event: { at: now, full, rows, gone }, cursor: { epoch, version: last } };
  }

  rows(now: number): readonly ScopeRow[] {
    return [...this.#entries.values()].map((entry) => aged(entry, now));
  }
}

function aged({ row, at }: ToldScope, now: number): ScopeRow {
  const passed = Math.max(0, now - at);
  return passed === 0 ? row : { ...row, ageMs: row.ageMs + passed, idleMs: row.idleMs + passed };
}
