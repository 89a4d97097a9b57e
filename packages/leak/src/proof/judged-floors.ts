import {
  buffersChurn,
  dataBytesOf,
  moments,
  type FloorPoint,
  type FloorSeries,
} from '../floor/floor-series.ts';
import { externalChannel, heapChannel, judgeGrowth, nativeChannel } from '../judge/growth-shape.ts';
import type { ChannelBounds, Judgement } from '../judge/growth-shape.ts';
import type { Capture, RecordedChannel } from './growth-record.ts';

/** The floors that count, and what they say per channel. */
export interface JudgedSeries {
  readonly points: readonly FloorPoint[];
  readonly channels: Readonly<Record<RecordedChannel, Judgement>>;
}

/** Our host is mostly there by then, also where the rest of it never is; of a shorter time after this part of it. */
const mostlyLoadedMs = 1000;
const mostlyLoadedRatio = 0.25;
/** Of the mean work between two floors. */
const leastGapRatio = 0.5;
/** With this many floors after our own arrival the earlier ones are left out. */
const floorsWithoutHost = 6;

/** The judgements on a series of floors. They are made once per new floor and kept until the next. */
export class JudgedFloors {
  readonly #series: FloorSeries;
  /** When our own host began to load and when it had, if it does. */
  #loading = { from: Number.POSITIVE_INFINITY, to: 0 };
  #snapshotAt = Number.POSITIVE_INFINITY;
  #newest: FloorPoint | undefined;
  #judged: JudgedSeries | undefined;

  constructor(series: FloorSeries) {
    this.#series = series;
  }

  /** Our own host is being loaded, in slices: floors show it arriving, as a ramp that is none of the program. */
  hostIsLoading(at: number): void {
    this.#loading = { from: at, to: Number.POSITIVE_INFINITY };
    this.#judged = undefined;
  }

  /** Our own host has been loaded: earlier floors say little about the program. */
  hostIsLoaded(at: number): void {
    this.#loading = { from: Math.min(this.#loading.from, at), to: at };
    this.#judged = undefined;
  }

  /**
   * The process ends. A program that hardly ever yields keeps our host loading for its whole life, and its floors tell more about it than
   * about us.
   */
  isEnding(at: number): void {
    const { from, to } = this.#loading;
    if (to === Number.POSITIVE_INFINITY)
      this.hostIsLoaded(from + Math.min(mostlyLoadedMs, mostlyLoadedRatio * (at - from)));
  }

  /**
   * A first snapshot was taken. The memory that it took stays with the process, so from then on resident memory says nothing about the
   * program.
   */
  snapshotWasTaken({ at, stopMs }: Capture): void {
    this.#snapshotAt = at - stopMs;
    this.#judged = undefined;
  }

  get current(): JudgedSeries {
    const newest = this.#series.points.at(-1);
    if (this.#judged === undefined || newest !== this.#newest) {
      this.#newest = newest;
      this.#judged = this.#judge();
    }
    return this.#judged;
  }

  #judge(): JudgedSeries {
    const points = this.#moments(Number.POSITIVE_INFINITY);
    const untouched =
      this.#snapshotAt === Number.POSITIVE_INFINITY ? points : this.#moments(this.#snapshotAt);
    return {
      points,
      channels: {
        heap: judge(points, (point) => dataBytesOf(point) + point.flushedBytes, heapChannel),
        external: judge(this.#outside(points), ({ externalBytes }) => externalBytes, externalChannel),
        native: judge(untouched, ({ nativeBytes }) => nativeBytes, nativeChannel),
      },
    };
  }

  /** The floors that tell what is alive outside of the heap. While there are few, nothing is said: the others hold dead buffers. */
  #outside(points: readonly FloorPoint[]): readonly FloorPoint[] {
    return buffersChurn(points) ? points.filter(({ isSettled }) => isSettled) : points;
  }

  #moments(before: number): readonly FloorPoint[] {
    const points = this.#series.points.filter(({ at }) => at < before);
    const { from, to } = this.#loading;
    const later = moments(points.filter(({ at }) => at > to));
    return later.length >= floorsWithoutHost
      ? later
      : moments(points.filter(({ at }) => at < from || at > to));
  }
}

function judge(
  points: readonly FloorPoint[],
  bytesOf: (point: FloorPoint) => number,
  bounds: ChannelBounds,
): Judgement {
  const work = workAt(points);
  const series = points.map((point, i) => ({
    at: point.at,
    work: work[i] as number,
    bytes: bytesOf(point),
    isOwn: !point.isProbe,
  }));
  return judgeGrowth(series, bounds);
}

/**
 * Work done by each floor: bytes allocated, and for a collection that we did not ask for at least half of the mean. A program that
 * makes much at first and then works on with little collects all the same, and its growth is over.
 */
function workAt(points: readonly FloorPoint[]): readonly number[] {
  const first = points[0]?.allocatedBytes ?? 0;
  const meanBytes = ((points.at(-1)?.allocatedBytes ?? 0) - first) / Math.max(1, points.length - 1);
  let work = first;
  return points.map(({ allocatedBytes, isProbe }, i) => {
    const gap = allocatedBytes - (points[i - 1]?.allocatedBytes ?? first);
    if (i > 0) work += isProbe ? gap : Math.max(gap, leastGapRatio * meanBytes);
    return work;
  });
}
