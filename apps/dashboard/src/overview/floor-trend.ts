/** Where the floors of the last minutes lead. */
export interface FloorTrend {
  readonly ms: number;
  readonly low: number;
  readonly high: number;
  readonly bytesPerHour: number;
  /** How much of the past it is drawn from. */
  readonly overMs: number;
}

const mostPoints = 80;
const leastPoints = 8;
const leastSeconds = 60;
/** Pairs closer than this share of the window say more about noise than about growth. */
const leastGap = 1 / 3;
/** A week away by minutes of data is no forecast. */
const horizonMs = 7 * 86_400_000;

/**
 * Draws the floors on to the limit: the median of the slopes between far pairs (Theil and Sen), with the slopes at 10 and 90 % as its band.
 * The detector asks for much longer before it is certain; until then this is what a person would draw with a ruler. Undefined when the floors
 * do not clearly rise.
 */
export function floorTrend(
  seconds: readonly (number | null)[],
  floors: readonly (number | null)[],
  limit: number,
): FloorTrend | undefined {
  const points = thinned(seconds, floors);
  const first = points[0];
  const last = points.at(-1);
  if (first === undefined || last === undefined || points.length < leastPoints) return undefined;
  const window = last.at - first.at;
  if (window < leastSeconds || last.floor >= limit) return undefined;
  const slopes = farSlopes(points, window * leastGap);
  const at = (share: number): number => slopes[Math.round(share * (slopes.length - 1))] ?? 0;
  const [slow, middle, fast] = [at(0.1), at(0.5), at(0.9)];
  // Nine of ten pairs have to agree that it rises.
  if (slow <= 0) return undefined;
  const msAt = (slope: number): number => ((limit - last.floor) / slope) * 1000;
  if (msAt(middle) > horizonMs) return undefined;
  return {
    ms: msAt(middle),
    low: msAt(fast),
    high: msAt(slow),
    bytesPerHour: middle * 3600,
    overMs: window * 1000,
  };
}

interface Point {
  readonly at: number;
  readonly floor: number;
}

function thinned(seconds: readonly (number | null)[], floors: readonly (number | null)[]): Point[] {
  const known: Point[] = [];
  seconds.forEach((at, index) => {
    const floor = floors[index];
    if (at != null && floor != null) known.push({ at, floor });
  });
  const step = Math.max(1, Math.ceil(known.length / mostPoints));
  return known.filter((_, index) => (known.length - 1 - index) % step === 0);
}

function farSlopes(points: readonly Point[], gap: number): number[] {
  const slopes: number[] = [];
  points.forEach((later, index) => {
    for (const earlier of points.slice(0, index)) {
      if (later.at - earlier.at >= gap) slopes.push((later.floor - earlier.floor) / (later.at - earlier.at));
    }
  });
  return slopes.sort((a, b) => a - b);
}
