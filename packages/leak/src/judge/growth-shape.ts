/**
 * Judges a series of floors over the work that was done: does it grow, and does it go on growing?
 *
 * A trend test alone accuses healthy servers, because caches fill, sessions ramp up and code is compiled on first use. So shapes of a leak
 * (a line, a line that begins later, two lines, an accelerating curve, a line beside a step or a saturation) compete with harmless ones
 * (flat, steps, saturation, a rise that ends, an S-shaped rise). Each free parameter costs ln(n) (BIC, Schwarz 1978).
 *
 * The clock is work, that is bytes allocated. A server that idles allocates nothing, so idle time is no evidence for or against growth.
 */
import { bestOf, shapes } from './growth-models.ts';
import type { Fitted, ModelPoint } from './growth-models.ts';
import { lineThrough, type FittedLine } from './line.ts';

/** Live bytes at one moment. */
export interface WorkPoint {
  /** Wall time, ms since the epoch. */
  readonly at: number;
  /** Bytes allocated since the start of the series. */
  readonly work: number;
  readonly bytes: number;
  /** The program worked for it, however little it allocated: a collection that we did not ask for. */
  readonly isOwn?: boolean;
}

/**
 * What a series says. `few`: too few floors. `flat`: nothing grew that matters. `ended`: it grew and came to rest. `slowing`: it still
 * grows, ever more slowly. `unclear`: neither kind of model is better by enough. `growing`: it has the shape of a leak.
 */
export type GrowthShape = 'few' | 'flat' | 'ended' | 'slowing' | 'unclear' | 'growing';

export interface Judgement {
  readonly shape: GrowthShape;
  /** Bytes gained over the series. */
  readonly growthBytes: number;
  readonly floors: number;
  /** Natural logarithm of the odds of the best leak model against the best harmless one. */
  readonly odds: number;
  /** The best model in words. */
  readonly model: string;
  /** Bytes per hour of wall time in the last part of the series, with a band of two standard errors. */
  readonly rate: { readonly perHour: number; readonly low: number; readonly high: number };
}

export interface ChannelBounds {
  /** Growth below this is not worth a word. */
  readonly leastBytes: number;
  /** Growth below this part of the newest value is not worth a word. */
  readonly leastRatio: number;
}

export const heapChannel: ChannelBounds = { leastBytes: 256 * 1024, leastRatio: 0.01 };
export const externalChannel: ChannelBounds = { leastBytes: 1024 * 1024, leastRatio: 0.05 };
/** Resident memory outside the heap is a high-water mark of malloc: only much of it says anything. */
export const nativeChannel: ChannelBounds = { leastBytes: 64 * 1024 * 1024, leastRatio: 0.25 };

/** Start-up's compiled code falls by about this floor, and so many must follow. */
const codeFallFloors = 14;
const fewestAfterFall = 8;
const toothLikeness = 0.15;
/** Fewer floors than this fit every model. */
const fewestFloors = 6;
/** The series is thinned to at most this many points, evenly over the work: dense parts must not outvote the others. */
const mostPoints = 64;
/** A stretch in which less than this part of the usual work per time was done is idle. */
const idleRatio = 0.35;
const fewestIdle = 2;
/** What happens in this first part of the work is start-up. */
const startRatio = 0.05;
/** Odds of 5 to 1. The gates below ask for growth that is kept, rises at the end and does not slow down; the path has to explain it. */
const leastOdds = Math.log(5);
/** A leak keeps what it gained: its deepest fall is at most this part of its growth. */
const mostLossRatio = 0.35;
/** Of the growth at least this part falls into the last quarter of the work. An even line has 0.25 there. */
const leastLastQuarter = 0.12;
/** The last 40 % of the work rise by at least this many standard errors, and at this part of the mean pace. */
const tailRatio = 0.4;
const leastTailScore = 3;
const leastTailPace = 0.5;
const fewestOfTail = 4;
/** A third of the work is slower than the one before at this part of its pace. */
const slowerRatio = 0.67;
/** No model is exact: what it misses by this part of the range counts as noise. */
const modelError = 0.015;
/** A floor is odd when it lies this many standard deviations from the middle of its neighbours. */
const spikeNoises = 5;
/** A rise that only the newest floors show is work in flight below this. */
const freshBytes = 1024 * 1024;
/** Growth below so many standard deviations of one floor is noise. */
const leastNoises = 4;
const hourMs = 3_600_000;

/** Values as points of equal work, one per second, for series that know neither. */
export function evenPoints(values: readonly number[], work?: readonly number[]): readonly WorkPoint[] {
  return values.map((bytes, i) => ({ at: i * 1000, work: work?.[i] ?? i, bytes }));
}

/** Judges points in the order of time. */
export function judgeGrowth(all: readonly WorkPoint[], bounds: ChannelBounds): Judgement {
  const points = thinned(withoutStart(afterFall(withoutIdle(all))));
  const floors = points.length;
  const series = withoutSpikes(normalised(points));
  const smooth = smoothed(series);
  const growth = floors < 3 ? 0 : levelAt(smooth, 1) - levelAt(smooth, 0);
  const growthBytes = growth * unitBytes;
  const says = (shape: GrowthShape, odds = 0, model = 'none'): Judgement => ({
    shape,
    growthBytes,
    floors: all.length,
    odds,
    model,
    rate: rateOf(points),
  });
  const newest = points.at(-1)?.bytes ?? 0;
  const need = Math.max(bounds.leastBytes, bounds.leastRatio * newest) / unitBytes;
  const range = floors === 0 ? 0 : Math.max(...series.map(({ y }) => y)) - (series[0] as ModelPoint).y;
  if (floors >= 2 && range < need) return says('flat', 0, 'flat');
  if (floors < fewestFloors) return says('few');
  const noise = noiseOf(series);
  const isFresh = endsInRise(series, Math.max(freshBytes / unitBytes, need, leastNoises * noise));
  const leak = bestOf(shapes.leak, series, noise);
  const harmless = bestOf(shapes.harmless, series, noise) as Fitted;
  // What has just begun to rise is neither flat nor over.
  const calm = (shape: 'flat' | 'ended', odds: number): Judgement =>
    says(isFresh ? 'unclear' : shape, odds, harmless.name);
  // A series that falls fits no model of a leak.
  if (leak === undefined) return calm('ended', Number.NEGATIVE_INFINITY);
  const odds = ((harmless.bic - leak.bic) / 2) * independence(leak.bic < harmless.bic ? leak : harmless);
  if (growth < Math.max(need, leastNoises * noise)) return calm('flat', odds);
  const isKept = greatestLoss(smooth) <= mostLossRatio * growth;
  const tail = tailOf(series, noise);
  // At a pace that would make less than what matters over the whole work, nothing rises any more.
  const isRising = tail.slope >= Math.max(need, leastTailScore * tail.error);
  const isSlowing =
    tail.slope < leastTailPace * growth || restsAtEnd(smooth, growth) || isDecelerating(series, noise);
  if (!isKept || !isRising) return calm('ended', odds);
  if (isSlowing) return says('slowing', odds, 'a rise that slows down');
  if (odds >= leastOdds) return says('growing', odds, leak.name);
  return odds <= -leastOdds ? calm('ended', odds) : says('unclear', odds, leak.name);
}

/** Whether the two newest floors are both above all before them by this much, the newest most: a rise that has just begun, a step or a leak. */
function endsInRise(series: readonly ModelPoint[], least: number): boolean {
  const [older, newest] = series.slice(-2).map(({ y }) => y);
  if (older === undefined || newest === undefined || newest <= older) return false;
  return older - Math.max(...series.slice(0, -2).map(({ y }) => y)) >= least;
}

/** Whether floors no longer rise at the end, over the whole life and not only over the part that `judgeGrowth` judges. */
export function isAtRest(floors: readonly number[]): boolean {
  if (floors.length < 3) return false;
  const series = smoothed(normalised(evenPoints(floors)));
  const growth = levelAt(series, 1) - Math.min(...series.map(({ y }) => y));
  return growth > 0 && restsAtEnd(series, growth);
}

/** Too little of the growth falls into the last quarter of the work. */
function restsAtEnd(smooth: readonly ModelPoint[], growth: number): boolean {
  return levelAt(smooth, 1) - levelAt(smooth, 0.75) < leastLastQuarter * growth;
}

/** Bytes of one unit of y: the normal equations stay well conditioned. */
const unitBytes = 1024 * 1024;

/**
 * The points after one deep fall early on: V8 drops the compiled code of functions that have not run for six major GCs, so that what
 * start-up compiled falls at once. A series that falls as deep again is a sawtooth and keeps its teeth: they say that it lets go.
 */
function afterFall(all: readonly WorkPoint[]): readonly WorkPoint[] {
  const falls = all.map(({ bytes }, i) => (all[i - 1]?.bytes ?? bytes) - bytes);
  const deepest = Math.max(...falls);
  const at = falls.indexOf(deepest);
  const rest = all.slice(at);
  if (at <= 0 || at > Math.max(all.length / 2, codeFallFloors) || rest.length < fewestAfterFall) return all;
  const before = all.slice(0, at);
  const lowest = Math.min(...before.slice(0, 2).map(({ bytes }) => bytes));
  const rise = (before.at(-1) as WorkPoint).bytes - lowest;
  const lossOf = (points: readonly WorkPoint[]): number =>
    greatestLoss(smoothed(normalised(points))) * unitBytes;
  const isSawtooth =
    lossOf(rest) > deepest / 4 ||
    lossOf(before) > deepest / 4 ||
    // One tooth that gives back just what it gained says that it lets go, too.
    Math.abs(rise - deepest) < toothLikeness * deepest;
  return deepest > 0.1 * (all[at] as WorkPoint).bytes && !isSawtooth ? rest : all;
}

/**
 * The points without the idle time at the end: what a process allocates while it waits is not its work. The idle stretch becomes its last
 * point, because what is held after a rest is what is really held.
 */
function withoutIdle(all: readonly WorkPoint[]): readonly WorkPoint[] {
  const least = idleRatio * usualPace(all);
  const busy = all.findLastIndex((point, i) => {
    const before = all[i - 1];
    return (
      before === undefined ||
      point.isOwn === true ||
      point.work - before.work >= least * (point.at - before.at)
    );
  });
  const last = all.at(-1);
  const end = all[busy];
  if (last === undefined || end === undefined || all.length - 1 - busy < fewestIdle) return all;
  return [...all.slice(0, busy), { ...last, work: end.work }];
}

/** Work per ms at which half of all work was done. */
function usualPace(all: readonly WorkPoint[]): number {
  const stretches = all
    .slice(1)
    .map(({ at, work }, i) => ({
      ms: at - (all[i] as WorkPoint).at,
      work: work - (all[i] as WorkPoint).work,
    }))
    .filter(({ ms, work }) => ms > 0 && work > 0)
    .toSorted((a, b) => a.work / a.ms - b.work / b.ms);
  let left = stretches.reduce((sum, { work }) => sum + work, 0) / 2;
  for (const { ms, work } of stretches) {
    left -= work;
    if (left <= 0) return work / ms;
  }
  return 0;
}

function withoutStart(all: readonly WorkPoint[]): readonly WorkPoint[] {
  const first = all[0]?.work ?? 0;
  const span = (all.at(-1)?.work ?? 0) - first;
  const rest = all.filter(({ work }) => work - first >= startRatio * span);
  return rest.length >= fewestFloors ? rest : all;
}

/** One point per equal part of the work: the middle one by bytes of those in it. */
function thinned(points: readonly WorkPoint[]): readonly WorkPoint[] {
  if (points.length === 0) return points;
  const first = (points[0] as WorkPoint).work;
  const span = (points.at(-1) as WorkPoint).work - first || 1;
  const parts = Map.groupBy(points, ({ work }) =>
    Math.min(mostPoints - 1, Math.floor((mostPoints * (work - first)) / span)),
  );
  return [...parts.values()].map(
    (part) => part.toSorted((a, b) => a.bytes - b.bytes)[part.length >> 1] as WorkPoint,
  );
}

function normalised(points: readonly WorkPoint[]): readonly ModelPoint[] {
  const first = points[0]?.work ?? 0;
  const span = (points.at(-1)?.work ?? 0) - first || 1;
  return points.map(({ work, bytes }) => ({ x: (work - first) / span, y: bytes / unitBytes }));
}

/** Each value replaced by the middle one of it and its neighbours: one odd collection says nothing. */
function smoothed(series: readonly ModelPoint[]): readonly ModelPoint[] {
  return series.map(({ x, y }, i) => ({
    x,
    y: median([series[i - 1]?.y ?? y, y, series[i + 1]?.y ?? y]),
  }));
}

/** A floor far from both of its neighbours is replaced by the middle of the three: one odd collection hides no growth. */
function withoutSpikes(series: readonly ModelPoint[]): readonly ModelPoint[] {
  const far = spikeNoises * noiseOf(series);
  const smooth = smoothed(series);
  return series.map((point, i) => {
    const middle = smooth[i] as ModelPoint;
    return Math.abs(point.y - middle.y) > far ? middle : point;
  });
}

/** The level after a part of the work, between its neighbours. */
function levelAt(series: readonly ModelPoint[], x: number): number {
  const next = series.findIndex((point) => point.x >= x);
  const right = series[next === -1 ? series.length - 1 : next] as ModelPoint;
  const left = series[Math.max(0, next - 1)] as ModelPoint;
  if (right.x === left.x) return right.y;
  return left.y + ((right.y - left.y) * (x - left.x)) / (right.x - left.x);
}

/** Standard deviation of a floor around its neighbours, by the median of second differences; never less than 0.1 % of the level. */
function noiseOf(series: readonly ModelPoint[]): number {
  const differences = series
    .slice(1, -1)
    .map(({ y }, i) => Math.abs(y - ((series[i] as ModelPoint).y + (series[i + 2] as ModelPoint).y) / 2));
  // 1.4826 turns a median of absolute values into a standard deviation; the mean of two neighbours adds half a variance.
  const sd = (1.4826 * median(differences)) / Math.sqrt(1.5);
  const ys = series.map(({ y }) => y);
  const range = Math.max(...ys) - Math.min(...ys);
  return Math.max(sd, 0.02, 0.001 * (series.at(-1)?.y ?? 0), modelError * range);
}

/** Share of the points that count as independent, by the correlation of neighbouring residuals. */
function independence({ residuals }: Fitted): number {
  let products = 0;
  let squares = 0;
  residuals.forEach((residual, i) => {
    squares += residual ** 2;
    if (i > 0) products += residual * (residuals[i - 1] as number);
  });
  const correlation = squares === 0 ? 0 : Math.min(0.8, Math.max(0, products / squares));
  return Math.max(4 / residuals.length, (1 - correlation) / (1 + correlation));
}

function greatestLoss(smooth: readonly ModelPoint[]): number {
  let high = Number.NEGATIVE_INFINITY;
  let loss = 0;
  for (const { y } of smooth) {
    high = Math.max(high, y);
    loss = Math.max(loss, high - y);
  }
  return loss;
}

/** The line through the last part of the work. */
function tailOf(series: readonly ModelPoint[], noise: number): FittedLine {
  const tail = series.filter(({ x }) => x >= 1 - tailRatio);
  return lineThrough(tail.length >= fewestOfTail ? tail : series.slice(-fewestOfTail), noise);
}

/**
 * Whether the pace falls from the first third of the work to the second and again to the last, each time by a third and by more than the
 * noise explains. A cache that fills does this up to its end. A leak beside one does it once.
 */
function isDecelerating(series: readonly ModelPoint[], noise: number): boolean {
  const [head, middle, tail] = [0, 1, 2].map((third) => {
    const part = series.filter(({ x }) => x >= third / 3 && x <= (third + 1) / 3);
    return part.length < 3 ? undefined : lineThrough(part, noise);
  });
  if (head === undefined || middle === undefined || tail === undefined) return false;
  return isSlower(middle, head) && isSlower(tail, middle);
}

function isSlower(later: FittedLine, earlier: FittedLine): boolean {
  const spread = Math.hypot(later.error, earlier.error);
  return later.slope < slowerRatio * earlier.slope && earlier.slope - later.slope > 2 * spread;
}

/**
 * Growth per hour of wall time over the last 40 % of the time, not of the work: it says when the memory is full. Where floors are rare it is
 * that of the last four.
 */
function rateOf(points: readonly WorkPoint[]): Judgement['rate'] {
  const first = points[0]?.at ?? 0;
  const last = points.at(-1)?.at ?? 0;
  const late = points.filter(({ at }) => at >= last - tailRatio * (last - first));
  const recent = late.length >= 3 ? late : points.slice(-fewestOfTail);
  if (recent.length < 3 || last === first) return { perHour: 0, low: 0, high: 0 };
  const series = recent.map(({ at, bytes }) => ({ x: (at - first) / hourMs, y: bytes }));
  const { slope, error } = lineThrough(series);
  return {
    perHour: Math.round(slope),
    low: Math.round(slope - 2 * error),
    high: Math.round(slope + 2 * error),
  };
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;
}
