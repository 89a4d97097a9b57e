/** A rectangle of a treemap: left, top, width, height. */
type Rect = readonly [number, number, number, number];

/**
 * Squarified treemap (Bruls, Huizing, van Wijk 2000): rectangles in proportion to `sizes`, which are sorted descending, as
 * near to squares as rows allow. Self-contained, since the HTML report carries its source text.
 */
export function squarify(
  sizes: readonly number[],
  x: number,
  y: number,
  width: number,
  height: number,
): Rect[] {
  const rects: Rect[] = [];
  let total = 0;
  for (const size of sizes) total += size;
  if (total <= 0 || width <= 0 || height <= 0) return sizes.map(() => [x, y, 0, 0] as const);
  const scale = (width * height) / total;
  let left = x;
  let top = y;
  let right = width;
  let bottom = height;
  for (let start = 0; start < sizes.length;) {
    const short = Math.min(right, bottom);
    let sum = 0;
    let end = start;
    let worst = Number.POSITIVE_INFINITY;
    const largest = (sizes[start] as number) * scale;
    while (end < sizes.length) {
      const area = (sizes[end] as number) * scale;
      const next = sum + area;
      const side = next / short;
      const ratio = area <= 0 ? worst : Math.max((side * side) / area, largest / (side * side));
      if (ratio > worst) break;
      worst = ratio;
      sum = next;
      end++;
    }
    if (end === start) end = start + 1;
    const depth = short > 0 ? sum / short : 0;
    let along = 0;
    for (let i = start; i < end; i++) {
      const length = depth > 0 ? ((sizes[i] as number) * scale) / depth : 0;
      rects.push(right >= bottom ? [left, top + along, depth, length] : [left + along, top, length, depth]);
      along += length;
    }
    if (right >= bottom) {
      left += depth;
      right -= depth;
    } else {
      top += depth;
      bottom -= depth;
    }
    start = end;
  }
  return rects;
}
