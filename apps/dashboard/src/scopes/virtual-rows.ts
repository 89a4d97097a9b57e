/** The part of a long list that is drawn. */
interface Slice {
  readonly first: number;
  readonly last: number;
}

const spare = 6;

/** The rows that a viewport shows, with a few more on both sides. */
export function visibleSlice(scrollTop: number, height: number, rowHeight: number, count: number): Slice {
  const first = Math.max(0, Math.min(count, Math.floor(scrollTop / rowHeight)) - spare);
  const last = Math.min(count, Math.ceil((scrollTop + height) / rowHeight) + spare);
  return { first, last: Math.max(first, last) };
}

/** Where to scroll so that a row is seen; the same place when it already is. */
export function scrollFor(row: number, scrollTop: number, height: number, rowHeight: number): number {
  const top = row * rowHeight;
  if (top < scrollTop) return top;
  if (top + rowHeight > scrollTop + height) return top + rowHeight - height;
  return scrollTop;
}
