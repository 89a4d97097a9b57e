import type { Frame, HistoryRow } from '@plimsoll/host/protocol';
import { Ring } from './ring.ts';

/** Ten minutes at one reading per second. */
const rows = 600;

/** Columns of the live series, in the order of the ring. Times are in seconds, as the charts take them. */
const columns = {
  at: 0,
  used: 1,
  limit: 2,
  floor: 3,
  rss: 4,
  heapUsed: 5,
  external: 6,
  loopDelayMs: 7,
  gcPauseMs: 8,
  gcMajors: 9,
} as const;

export type Column = keyof typeof columns;

/** What the charts of the overview show: the newest ten minutes and never more. */
export class Series {
  readonly #ring = new Ring(Object.keys(columns).length, rows);

  get length(): number {
    return this.#ring.length;
  }

  add(frame: Frame): void {
    const { reading } = frame;
    if (reading.at / 1000 <= this.#ring.last(columns.at)) return;
    const { used, limit, rss, heapUsed, external, loopDelayMs, gc } = reading;
    const floor = reading.floor ?? Number.NaN;
    this.#ring.push([
      reading.at / 1000,
      used,
      limit,
      floor,
      rss,
      heapUsed,
      external,
      loopDelayMs,
      gc.pauseMs,
      gc.major,
    ]);
  }

  /** Puts what the ledger knows before what was heard since, so that the charts are not empty while the first minutes pass. */
  begin(history: readonly HistoryRow[]): void {
    const present = this.#rows().filter(([at]) => (at ?? 0) * 1000 > (history.at(-1)?.at ?? 0));
    this.#ring.clear();
    for (const row of history) {
      const known = [row.used, row.limit, row.floor, row.rss, row.heapUsed, row.external, row.loopDelayMs];
      this.#ring.push([row.at / 1000, ...known.map((value) => value ?? Number.NaN)]);
    }
    for (const row of present) this.#ring.push(row.map((value) => value ?? Number.NaN));
  }

  #rows(): (number | null)[][] {
    const all = Object.values(columns).map((index) => this.#ring.column(index));
    return Array.from({ length: this.#ring.length }, (_, row) => all.map((column) => column[row] ?? null));
  }

  column(name: Column): (number | null)[] {
    return this.#ring.column(columns[name]);
  }

  clear(): void {
    this.#ring.clear();
  }
}
