/** A range of time, in ms. */
export interface TimeWindow {
  readonly from: number;
  readonly to: number;
}

/** Least range. A closer one has no readings in between. */
const least = 10_000;

function inside(span: TimeWindow, whole: TimeWindow): TimeWindow {
  const width = Math.min(span.to - span.from, whole.to - whole.from);
  const from = Math.max(whole.from, Math.min(span.from, whole.to - width));
  return { from, to: from + width };
}

/** Zooms about the middle; a factor of 0.5 shows half as much. */
export function zoomed(span: TimeWindow, factor: number, whole: TimeWindow): TimeWindow {
  const middle = (span.from + span.to) / 2;
  const half = Math.max(least / 2, ((span.to - span.from) / 2) * factor);
  return inside({ from: middle - half, to: middle + half }, whole);
}

/** Moves by a share of the shown range. */
export function moved(span: TimeWindow, share: number, whole: TimeWindow): TimeWindow {
  const by = (span.to - span.from) * share;
  return inside({ from: span.from + by, to: span.to + by }, whole);
}

/** A range selected by hand, ordered and not too narrow. */
export function drawn(a: number, b: number, whole: TimeWindow): TimeWindow {
  const span = { from: Math.min(a, b), to: Math.max(a, b) };
  return span.to - span.from < least ? zoomed(span, 1, whole) : inside(span, whole);
}

/** The range after a key; undefined for other keys. */
export function keyed(key: string, span: TimeWindow, whole: TimeWindow): TimeWindow | undefined {
  if (key === '+' || key === '=') return zoomed(span, 0.5, whole);
  if (key === '-') return zoomed(span, 2, whole);
  if (key === 'ArrowLeft') return moved(span, -0.25, whole);
  if (key === 'ArrowRight') return moved(span, 0.25, whole);
  return key === '0' || key === 'Escape' ? whole : undefined;
}
