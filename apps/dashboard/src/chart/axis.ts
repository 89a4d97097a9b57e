import { dateText, timeText } from '../text/clock.ts';

const day = 86_400;

/** Steps of an axis of bytes: round numbers of KiB, MiB and GiB. */
export const byteSteps: number[] = [0, 1, 2, 3, 4].flatMap((power) =>
  [1, 2, 5, 10, 20, 50, 100, 200, 500].map((step) => step * 1024 ** power),
);

/** Texts below the marks of a time axis: just enough to distinguish them, and the day where it begins. */
export function tickTexts(seconds: readonly number[], step: number): string[] {
  let before = '';
  return seconds.map((at) => {
    const [date = '', minute = ''] = dateText(at * 1000).split(' ');
    const isNewDay = date !== before && before !== '';
    before = date;
    if (step >= day || isNewDay) return date.slice(5);
    return step >= 60 ? minute : timeText(at * 1000);
  });
}

/** Least range of the axis. Without it a single reading would be in the middle of years. */
const leastSeconds = 60;

/** The range of the time axis for the known readings; empty before the first one. */
export function timeRange([from, to]: readonly [number | null, number | null]):
  | [number, number]
  | [null, null] {
  if (from == null || to == null) return [null, null];
  return [Math.min(from, to - leastSeconds), to];
}

/** Values of a line; null where unknown. */
type Values = ArrayLike<number | null | undefined>;

/** Room above the highest value. */
export const headroom = 1.08;
/** The scale includes the limit when the lines fill at least this share of it. */
const leastFill = 0.4;

/** The top of a scale for lines under a limit: the limit when it is near, else the highest value. */
export function scaleTop(limit: Values, lines: readonly Values[]): number {
  const limitTop = highest(limit);
  const reached = lines.reduce((top, line) => Math.max(top, highest(line)), 0);
  return reached >= limitTop * leastFill ? Math.max(reached, limitTop) : reached * 1.25;
}

function highest(values: Values): number {
  let top = 0;
  for (let at = 0; at < values.length; at++) top = Math.max(top, values[at] ?? 0);
  return top;
}
