import type { Frame } from '@plimsoll/host/protocol/frame';

/** Memory over the time of a run: one entry per moment in every list, oldest first. */
export interface ReportSeries {
  /** Ms since the epoch. */
  readonly at: readonly number[];
  /** Bytes that count against the limit. */
  readonly used: readonly number[];
  readonly heapUsed: readonly number[];
  /** Live bytes after the last major GC; null before the first. */
  readonly floor: readonly (number | null)[];
  readonly external: readonly number[];
  readonly rss: readonly number[];
}

interface SeriesPoint {
  readonly at: number;
  readonly used: number;
  readonly heapUsed: number;
  readonly floor: number | null;
  readonly external: number;
  readonly rss: number;
}

const defaultMost = 240;

/**
 * The memory of a run in at most 240 points, however long it lasts. When the list is full, neighbours are joined and the step doubles.
 * Two joined points keep the higher `used` and `rss`, so that no peak is lost.
 */
export class SeriesRecorder {
  readonly #most: number;
  #points: SeriesPoint[] = [];
  #stepMs = 0;

  constructor(most = defaultMost) {
    this.#most = Math.max(4, most);
  }

  take(frame: Pick<Frame, 'reading'>): void {
    const { at, used, heapUsed, floor, external, rss } = frame.reading;
    this.add({ at, used, heapUsed, floor: floor ?? null, external, rss });
  }

  add(point: SeriesPoint): void {
    const last = this.#points.at(-1);
    if (last !== undefined && point.at - last.at < this.#stepMs)
      this.#points[this.#points.length - 1] = joined(last, point);
    else this.#points.push(point);
    if (this.#points.length >= this.#most) this.#halve();
  }

  get series(): ReportSeries {
    return seriesOf(this.#points);
  }

  #halve(): void {
    const all = this.#points;
    const spanMs = (all.at(-1) as SeriesPoint).at - (all[0] as SeriesPoint).at;
    this.#stepMs = (2 * spanMs) / all.length;
    this.#points = [];
    for (let i = 0; i < all.length; i += 2) {
      const [first, second] = [all[i] as SeriesPoint, all[i + 1]];
      this.#points.push(second === undefined ? first : joined(first, second));
    }
  }
}

/** Points as lists. */
export function seriesOf(points: readonly SeriesPoint[]): ReportSeries {
  return {
    at: points.map(({ at }) => at),
    used: points.map(({ used }) => used),
    heapUsed: points.map(({ heapUsed }) => heapUsed),
    floor: points.map(({ floor }) => floor),
    external: points.map(({ external }) => external),
    rss: points.map(({ rss }) => rss),
  };
}

/** Two moments as one, at the time of the first. */
function joined(a: SeriesPoint, b: SeriesPoint): SeriesPoint {
  return {
    at: a.at,
    used: Math.max(a.used, b.used),
    heapUsed: Math.max(a.heapUsed, b.heapUsed),
    floor: b.floor ?? a.floor,
    external: Math.max(a.external, b.external),
    rss: Math.max(a.rss, b.rss),
  };
}
