/** When the limit is met if nothing changes. The frame carries it; page, top, report, metrics and govern show it and compute none. */
export interface Forecast {
  /** Ms until the limit is met; 0 when it is. */
  readonly ms: number;
  /** The band that holds nine times in ten, ms. */
  readonly low: number;
  readonly high: number;
  readonly bytesPerHour: number;
  /** What grows. */
  readonly source: 'heap' | 'external' | 'native' | 'rss';
  /** When it was made, ms since the epoch. */
  readonly at: number;
  /** Ms until V8 aborts the process, where the limit leaves room before that. */
  readonly endMs?: number;
}

/** Factors that make the band from the estimate. */
interface Band {
  readonly low: number;
  readonly high: number;
}

/**
 * Band of the long run, conformal: about the 5 and 95 % quantiles of truth over estimate at the first alarm, from generated leaks whose
 * limit is set so that each exhausts. Chosen on seeds 1 to 12; `npm run bench -- detect` scores others.
 */
export const conformalBand: Band = { low: 0.42, high: 2.2 };

/** Band of a time that is room divided by pace. */
export const straightBand: Band = { low: 0.3, high: 3 };

/** The forecast that comes true first. */
export function soonest(forecasts: readonly (Forecast | undefined)[]): Forecast | null {
  let first: Forecast | null = null;
  for (const each of forecasts)
    if (each !== undefined && (first === null || each.ms < first.ms)) first = each;
  return first;
}

/** The fields of a reading that a trend is drawn from. */
interface TrendReading {
  readonly floor?: number;
  readonly floorAgeMs?: number;
  /** Ordinal of the last major GC. */
  readonly majors: number;
  /** Every limit with what counts against it. */
  readonly pressures: readonly {
    readonly source: string;
    readonly used: number;
    readonly limit: number;
    /** The largest single allocation that is expected next, e.g. the next table of a growing Map. It must fit below the limit. */
    readonly requestBytes?: number;
    /** Where the process ends, if that is not the limit. */
    readonly endBytes?: number;
  }[];
}

const mostPoints = 32;
const fewestPoints = 3;
/** Floors nearer together than this say nothing about growth. */
const leastSpanMs = 5000;
/** Older points belong to another time. */
const windowMs = 600_000;
/** Where the limit is on resident memory there is a value at every reading; one in five seconds is kept. */
const betweenMs = 5000;
/** Pairs closer than this share of the window say more about noise than about growth. */
const farRatio = 1 / 3;
/** How far below the highest point the newest may be, as a share of all that the points rose. */
const topRatio = 0.1;
/** Fewer far pairs in one half of the points say nothing about its pace. */
const fewestPairs = 6;
/** A trend reaches no further ahead than this many times what it has seen. */
const reachRatio = 20;
const hourMs = 3_600_000;

/** Bytes per ms: how fast the points rise, and how that changes. */
interface Course {
  /** Slopes of the pairs at 10 and 90 %. */
  readonly slow: number;
  readonly fast: number;
  /** Pace at the newest point. */
  readonly pace: number;
  /** What the pace gains per ms; 0 unless the newer half of the points is clearly steeper than the older half. */
  readonly gain: number;
}

/**
 * Where the last ten minutes lead, for each limit of the process.
 *
 * The long run needs hours, and a fast leak has died by then. For the heap the points are the floors of major GCs, for other limits
 * what counts against them.
 */
export class Trend {
  readonly #lines = new Map<string, Line>();
  #majors = -1;

  /** Takes a reading at a monotonic time in ms. */
  take(reading: TrendReading, nowMs: number): void {
    const isNewFloor = reading.floor !== undefined && reading.majors !== this.#majors;
    if (isNewFloor) this.#majors = reading.majors;
    for (const { source, used, limit, requestBytes = 0, endBytes } of reading.pressures) {
      let line = this.#lines.get(source);
      if (line === undefined) this.#lines.set(source, (line = new Line()));
      line.limitBytes = Math.max(1, limit - requestBytes);
      line.endBytes = endBytes === undefined ? undefined : Math.max(1, endBytes - requestBytes);
      if (source !== 'heap') line.follow(nowMs, used);
      else if (isNewFloor) line.add(nowMs - (reading.floorAgeMs ?? 0), reading.floor as number);
    }
  }

  /** The limit that is met first; undefined when nothing clearly grows. `at` is wall time, `nowMs` the clock of `take`. */
  forecast(nowMs: number, at: number): Forecast | undefined {
    const found = [...this.#lines].map(([source, line]) => line.forecast(nowMs, at, sourceOf(source)));
    return soonest(found) ?? undefined;
  }
}

/**
 * One limit: the median slope of far pairs of points (Theil and Sen), with the slopes at 10 and 90 % as its band. Where the newer half of
 * the points is clearly steeper or flatter than the older one, the time is told by the newer pace. There is a forecast only while the
 * newest point is at the top of all points and nine of ten slopes rise.
 */
class Line {
  limitBytes = 0;
  endBytes: number | undefined;
  readonly #at: number[] = [];
  readonly #bytes: number[] = [];
  #course: Course | undefined;

  /** Adds a value that is known at every reading: one in five seconds, and only when it changed. */
  follow(atMs: number, bytes: number): void {
    const last = this.#at.at(-1);
    if (last === undefined || (atMs - last >= betweenMs && bytes !== this.#bytes.at(-1)))
      this.add(atMs, bytes);
  }

  add(atMs: number, bytes: number): void {
    this.#at.push(atMs);
    this.#bytes.push(bytes);
    while (this.#at.length > mostPoints || atMs - (this.#at[0] as number) > windowMs) {
      this.#at.shift();
      this.#bytes.shift();
    }
    this.#course = this.#isRising() ? this.#measure() : undefined;
  }

  forecast(nowMs: number, at: number, source: Forecast['source']): Forecast | undefined {
    const [last, first] = [this.#at.at(-1), this.#at[0]];
    if (this.#course === undefined || last === undefined || first === undefined) return undefined;
    if (nowMs - last > windowMs) return undefined;
    const newest = this.#bytes.at(-1) as number;
    const { slow, fast, pace, gain } = this.#course;
    const msAt = (slope: number, speedUp = 0, bytes = this.limitBytes): number =>
      Math.max(0, msToGain(Math.max(0, bytes - newest), slope, speedUp) - (nowMs - last));
    const ms = msAt(pace, gain);
    if (ms > reachRatio * (last - first)) return undefined;
    const [low, high] = [msAt(Math.max(fast, pace), gain), msAt(Math.min(slow, pace))];
    const end = this.endBytes === undefined ? {} : { endMs: msAt(pace, gain, this.endBytes) };
    return { ms, low, high, bytesPerHour: Math.round(pace * hourMs), source, at, ...end };
  }

  /** A live set that swings has rising stretches, too, but they end. One that grows in bursts rests between them. */
  #isRising(): boolean {
    const n = this.#at.length;
    if (n < fewestPoints || (this.#at[n - 1] as number) - (this.#at[0] as number) < leastSpanMs) return false;
    const [newest, top, bottom] = [
      this.#bytes[n - 1] as number,
      Math.max(...this.#bytes),
      Math.min(...this.#bytes),
    ];
    return top > bottom && top - newest <= topRatio * (top - bottom);
  }

  /** By all points, or by the newer half where the growth began later. */
  #measure(): Course | undefined {
    const [first, last] = [this.#at[0] as number, this.#at.at(-1) as number];
    return this.#courseFrom(first, last) ?? this.#courseFrom((first + last) / 2, last);
  }

  #courseFrom(first: number, last: number): Course | undefined {
    const all = this.#slopes(first, last);
    const [slow, middle, fast] = [quantile(all, 0.1), quantile(all, 0.5), quantile(all, 0.9)];
    if (slow <= 0) return undefined;
    return { slow, fast, ...(this.#bend(first, last) ?? { pace: middle, gain: 0 }) };
  }

  /**
   * Pace and gain where the newer half is clearly steeper than the older one. A pace that changed once is the pace from then on: the last
   * quarter tells the gain where it tells less.
   */
  #bend(first: number, last: number): Pick<Course, 'pace' | 'gain'> | undefined {
    const quarter = (last - first) / 4;
    const between = (from: number, to: number): readonly number[] =>
      this.#slopes(first + from * quarter, first + to * quarter);
    const [older, newer] = [between(0, 2), between(2, 4)];
    if (Math.min(older.length, newer.length) < fewestPairs) return undefined;
    if (quantile(newer, 0.25) <= quantile(older, 0.75)) return undefined;
    const overall = (quantile(newer, 0.5) - quantile(older, 0.5)) / (2 * quarter);
    const lately = (quantile(between(3, 4), 0.5) - quantile(between(2, 3), 0.5)) / quarter;
    const gain = Math.max(0, Math.min(overall, lately));
    return { pace: quantile(newer, 0.5) + gain * quarter, gain };
  }

  /** Slopes of the far pairs of points between two times, sorted. */
  #slopes(from: number, to: number): readonly number[] {
    const gapMs = farRatio * (to - from);
    const slopes: number[] = [];
    for (let j = 1; j < this.#at.length; j++)
      for (let i = 0; i < j; i++) {
        const [start, end] = [this.#at[i] as number, this.#at[j] as number];
        if (start >= from && end <= to && end - start >= gapMs)
          slopes.push(((this.#bytes[j] as number) - (this.#bytes[i] as number)) / (end - start));
      }
    return slopes.toSorted((a, b) => a - b);
  }
}

/** Ms in which so many bytes are gained at a pace that gains speed itself. */
function msToGain(bytes: number, pace: number, gain: number): number {
  return gain > 0 ? (Math.sqrt(pace * pace + 2 * gain * bytes) - pace) / gain : bytes / pace;
}

function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.round(share * (sorted.length - 1))] ?? 0;
}

/** What grows, by the limit it counts against. */
function sourceOf(limit: string): Forecast['source'] {
  return limit === 'heap' || limit === 'native' ? limit : 'rss';
}
