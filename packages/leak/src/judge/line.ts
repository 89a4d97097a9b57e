/** A straight line through points. */
export interface FittedLine {
  readonly slope: number;
  /** Standard error of the slope. */
  readonly error: number;
}

/** Fits a line by ordinary least squares. The error is never below what half of the given noise of one point would cause. */
export function lineThrough(
  points: readonly { readonly x: number; readonly y: number }[],
  noise = 0,
): FittedLine {
  const n = points.length;
  const meanX = points.reduce((sum, { x }) => sum + x, 0) / n;
  const meanY = points.reduce((sum, { y }) => sum + y, 0) / n;
  let xx = 0;
  let xy = 0;
  for (const { x, y } of points) {
    xx += (x - meanX) ** 2;
    xy += (x - meanX) * (y - meanY);
  }
  const slope = xx === 0 ? 0 : xy / xx;
  const rest = points.reduce((sum, { x, y }) => sum + (y - meanY - slope * (x - meanX)) ** 2, 0);
  const variance = Math.max(rest / Math.max(1, n - 2), (noise / 2) ** 2);
  return { slope, error: xx === 0 ? Number.POSITIVE_INFINITY : Math.sqrt(variance / xx) };
}
