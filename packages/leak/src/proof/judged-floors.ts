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

/** The floors that count, with the judgement per channel. */
export interface JudgedSeries {
  readonly points: readonly FloorPoint[];
  readonly channels: Readonly<Record<RecordedChannel, Judgement>>;
}

/** Our host is mostly loaded after this time, also when the rest never loads. In a shorter life it is this share of the time. */
const mostlyLoadedMs = 1000;
const mostlyLoadedRatio = 0.25;
/** Least work between two floors, as a share of the mean. */
const leastGapRatio = 0.5;
/** With this many floors after our own host was loaded, earlier ones are left out. */
const floorsWithoutHost = 6;

/** The judgements on a series of floors. They are made once per new floor and kept until the next. */
export class JudgedFloors {
  readonly #series: FloorSeries;
  /** When our own host began to load and when it was loaded, if it is. */
  #loading = { from: Number.POSITIVE_INFINITY, to: 0 };
  #snapshotAt = Number.POSITIVE_INFINITY;
  #newest: FloorPoint | undefined;
  #judged: JudgedSeries | undefined;

  constructor(series: FloorSeries) {
    this.#series = series;
  }

  /** Called when our own host is being loaded, in slices. Floors then show a ramp that is not the program's. */
  hostIsLoading(at: number): void {
    this.#loading = { from: at, to: Number.POSITIVE_INFINITY };
    this.#judged = undefined;
  }

  /** Called when our own host is loaded. Earlier floors show little of the program. */
  hostIsLoaded(at: number): void {
    this.#loading = { from: Math.min(this.#loading.from, at), to: at };
    this.#judged = undefined;
  }

  /**
   * Called at the end of the process. In a program that hardly ever yields, our host loads for its whole life, and its floors show more of
   * the program than of us.
   */
  isEnding(at: number): void {
    const { from, to } = this.#loading;
    if (to === Number.POSITIVE_INFINITY)
      this.hostIsLoaded(from + Math.min(mostlyLoadedMs, mostlyLoadedRatio * (at - from)));
  }

  /** Called after a first snapshot. The memory that it took stays with the process, so from then on resident memory is no evidence. */
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
    const outside = this.#outside(points);
    return {
      points,
      channels: {
        heap: judge(points, liveBytesIn(points), heapChannel),
        external: judge(outside, bytesOf(outside, 'externalBytes'), externalChannel),
        native: judge(untouched, bytesOf(untouched, 'nativeBytes'), nativeChannel),
      },
    };
  }

  /**
   * The floors that show the live bytes outside of the heap. While there are few there is no judgement, because the others include dead
   * buffers.
   */
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

function bytesOf(points: readonly FloorPoint[], field: 'externalBytes' | 'nativeBytes'): readonly number[] {
  return points.map((point) => point[field]);
}

/**
 * The program's live data. It cannot rise by more than was allocated since the floor before: what a natural collection shows beyond that is
 * garbage that V8 had marked as live.
 */
function liveBytesIn(points: readonly FloorPoint[]): readonly number[] {
  let most = Number.POSITIVE_INFINITY;
  return points.map((point, i) => {
    const gap = point.allocatedBytes - (points[i - 1]?.allocatedBytes ?? 0);
    most = Math.min(dataBytesOf(point) + point.flushedBytes, most + gap);
    return most;
  });
}

function judge(points: readonly FloorPoint[], bytes: readonly number[], bounds: ChannelBounds): Judgement {
  const work = workAt(points);
  const series = points.map((point, i) => ({
    at: point.at,
    work: work[i] as number,
    bytes: bytes[i] as number,
    isOwn: !point.isProbe,
  }));
  return judgeGrowth(series, bounds);
}

/**
 * Work done until each floor: allocated bytes, but for a natural collection at least half of the mean. So a program that allocates much at
 * first and later works with few allocations also shows that its growth is over.
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
