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
/** A trend reaches no further ahead than this many times what it has seen. */
const reachRatio = 20;
const hourMs = 3_600_000;

/** Bytes per ms at 10, 50 and 90 % of the pairs. */
interface Slopes {
  readonly slow: number;
  readonly middle: number;
  readonly fast: number;
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
 * One limit: the median slope of far pairs of points (Theil and Sen), with the slopes at 10 and 90 % as its band. There is a forecast
 * only while the last three points rise and nine of ten slopes do.
 */
class Line {
  limitBytes = 0;
  endBytes: number | undefined;
  readonly #at: number[] = [];
  readonly #bytes: number[] = [];
  #slopes: Slopes | undefined;

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
    this.#slopes = this.#isRising() ? this.#measure() : undefined;
  }

  forecast(nowMs: number, at: number, source: Forecast['source']): Forecast | undefined {
    const [last, first] = [this.#at.at(-1), this.#at[0]];
    if (this.#slopes === undefined || last === undefined || first === undefined) return undefined;
    if (nowMs - last > windowMs) return undefined;
    const newest = this.#bytes.at(-1) as number;
    const { slow, middle, fast } = this.#slopes;
    const msAt = (slope: number, bytes = this.limitBytes): number =>
      Math.max(0, Math.max(0, bytes - newest) / slope - (nowMs - last));
    const ms = msAt(middle);
    if (ms > reachRatio * (last - first)) return undefined;
    const bytesPerHour = Math.round(middle * hourMs);
    const end = this.endBytes === undefined ? {} : { endMs: msAt(middle, this.endBytes) };
    return { ms, low: msAt(fast), high: msAt(slow), bytesPerHour, source, at, ...end };
  }

  /** A live set that swings has rising stretches, too, but they end. */
  #isRising(): boolean {
    const n = this.#at.length;
    if (n < fewestPoints || (this.#at[n - 1] as number) - (this.#at[0] as number) < leastSpanMs) return false;
    for (let i = n - 1; i > n - fewestPoints; i--)
      if ((this.#bytes[i] as number) <= (this.#bytes[i - 1] as number)) return false;
    return true;
  }

  #measure(): Slopes | undefined {
    const gapMs = farRatio * ((this.#at.at(-1) as number) - (this.#at[0] as number));
    const slopes: number[] = [];
    for (let j = 1; j < this.#at.length; j++)
      for (let i = 0; i < j; i++) {
        const ms = (this.#at[j] as number) - (this.#at[i] as number);
        if (ms >= gapMs) slopes.push(((this.#bytes[j] as number) - (this.#bytes[i] as number)) / ms);
      }
    slopes.sort((a, b) => a - b);
    const at = (share: number): number => slopes[Math.round(share * (slopes.length - 1))] ?? 0;
    const slow = at(0.1);
    return slow > 0 ? { slow, middle: at(0.5), fast: at(0.9) } : undefined;
  }
}

/** What grows, by the limit it counts against. */
function sourceOf(limit: string): Forecast['source'] {
  return limit === 'heap' || limit === 'native' ? limit : 'rss';
}
