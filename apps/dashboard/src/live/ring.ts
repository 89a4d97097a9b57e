/**
 * A table of numbers with a fixed number of rows: the newest replace the oldest, so a page that is open for a week holds as much as after
 * an hour.
 */
export class NumberRing {
  readonly #columns: readonly Float64Array[];
  readonly #rows: number;
  #next = 0;
  #length = 0;

  constructor(columns: number, rows: number) {
    if (!Number.isInteger(rows) || rows < 1)
      throw new RangeError(`a ring needs at least one row, not ${rows}`);
    this.#columns = Array.from({ length: columns }, () => new Float64Array(rows));
    this.#rows = rows;
  }

  get length(): number {
    return this.#length;
  }

  /** Adds a row; NaN means unknown. */
  push(values: readonly number[]): void {
    this.#columns.forEach((column, index) => {
      column[this.#next] = values[index] ?? Number.NaN;
    });
    this.#next = (this.#next + 1) % this.#rows;
    this.#length = Math.min(this.#length + 1, this.#rows);
  }

  /** The newest value of a column; NaN when there is none. */
  last(column: number): number {
    if (this.#length === 0) return Number.NaN;
    return this.#columns[column]?.[(this.#next + this.#rows - 1) % this.#rows] ?? Number.NaN;
  }

  /** One column, oldest first, null where unknown. */
  column(index: number): (number | null)[] {
    const column = this.#columns[index];
    if (column === undefined) return [];
    const first = (this.#next + this.#rows - this.#length) % this.#rows;
    return Array.from({ length: this.#length }, (_, i) => {
      const value = column[(first + i) % this.#rows] as number;
      return Number.isNaN(value) ? null : value;
    });
  }

  clear(): void {
    this.#next = 0;
    this.#length = 0;
  }
}
