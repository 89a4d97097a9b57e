import type { LevelRow } from './protocol/frame.ts';

const mostRows = 64;

/** The newest level changes, for the frame; the ledger has them all. */
export class LevelLog {
  #rows: LevelRow[] = [];

  add(row: LevelRow): void {
    this.#rows.push(row);
    if (this.#rows.length > mostRows) this.#rows = this.#rows.slice(-mostRows);
  }

  get rows(): readonly LevelRow[] {
    return this.#rows;
  }
}
