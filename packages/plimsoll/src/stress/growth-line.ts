/** Live bytes against work done, as a line. */
interface GrowthLine {
  /** Bytes per unit of work. */
  readonly slope: number;
  /** Its standard error; infinite with two points. */
  readonly error: number;
  readonly points: number;
}

export interface LivePoint {
  readonly work: number;
  readonly bytes: number;
}

/** The least-squares line through the points; null with fewer than two. */
export function growthLine(points: readonly LivePoint[]): GrowthLine | null {
  const n = points.length;
  if (n < 2) return null;
  const meanX = points.reduce((sum, { work }) => sum + work, 0) / n;
  const meanY = points.reduce((sum, { bytes }) => sum + bytes, 0) / n;
  let xx = 0;
  let xy = 0;
  for (const { work, bytes } of points) {
    xx += (work - meanX) ** 2;
    xy += (work - meanX) * (bytes - meanY);
  }
  if (xx === 0) return null;
  const slope = xy / xx;
  if (n === 2) return { slope, error: Number.POSITIVE_INFINITY, points: n };
  const rest = points.reduce(
    (sum, { work, bytes }) => sum + (bytes - meanY - slope * (work - meanX)) ** 2,
    0,
  );
  return { slope, error: Math.sqrt(rest / (n - 2) / xx), points: n };
}

/** Student's t for a one-sided 1 % by degrees of freedom, from 1. */
const t99 = [31.8, 6.97, 4.54, 3.75, 3.37, 3.14, 3.0, 2.9, 2.82, 2.76];

/** The slope that is exceeded with 99 % certainty; it is below 0 when growth is not certain. */
export function certainSlope({ slope, error, points }: GrowthLine): number {
  if (points < 3) return Number.NEGATIVE_INFINITY;
  return slope - (t99[points - 3] ?? 2.5) * error;
}
