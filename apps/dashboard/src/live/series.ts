import type { Frame } from '@plimsoll/host/protocol/frame';
import type { HistoryRow } from '@plimsoll/host/protocol/api';
import { storedFields } from '@plimsoll/host/protocol/text';
import { NumberRing } from './ring.ts';

/** Ten minutes at one reading per second. */
const rows = 600;

type Stored = (typeof storedFields)[number]['name'];
export type SeriesColumn = 'at' | 'used' | 'gcPauseMs' | 'gcMajors' | Stored;

const stored = storedFields.map(({ name }) => name);
/** Columns of the live series, in the order of the ring. Times are in seconds, as in the charts. */
const columns: readonly SeriesColumn[] = ['at', 'used', ...stored, 'gcPauseMs', 'gcMajors'];

/** Data of the charts of the overview: at most the newest ten minutes. */
export class Series {
  readonly #ring = new NumberRing(columns.length, rows);

  get length(): number {
    return this.#ring.length;
  }

  add(frame: Frame): void {
    const { reading } = frame;
    if (reading.at / 1000 <= this.#ring.last(0)) return;
    const { at, used, gc } = reading;
    const numbers = stored.map((name) => reading[name] ?? Number.NaN);
    this.#ring.push([at / 1000, used, ...numbers, gc.pauseMs, gc.major]);
  }

  /** Adds the history of the ledger before the live readings, so that the charts are not empty in the first minutes. */
  begin(history: readonly HistoryRow[]): void {
    const present = this.#rows().filter(([at]) => (at ?? 0) * 1000 > (history.at(-1)?.at ?? 0));
    this.#ring.clear();
    for (const row of history) {
      const numbers = stored.map((name) => row[name] ?? Number.NaN);
      this.#ring.push([row.at / 1000, row.used, ...numbers]);
    }
    for (const row of present) this.#ring.push(row.map((value) => value ?? Number.NaN));
  }

  #rows(): (number | null)[][] {
    const all = columns.map((_, index) => this.#ring.column(index));
    return Array.from({ length: this.#ring.length }, (_, row) => all.map((column) => column[row] ?? null));
  }

  column(name: SeriesColumn): (number | null)[] {
    return this.#ring.column(columns.indexOf(name));
  }

  clear(): void {
    this.#ring.clear();
  }
}
