/**
 * Judges a short series of floors: does it grow, and does it go on growing?
 *
 * A trend test alone alarms on every healthy program, because all of them grow a little at first (compiled code, feedback, caches). So
 * four things are asked of what comes after the first quarter: is the growth large enough to matter, does it hold what it gained, is it
 * spread over the window and not a few steps, and is the newest part as steep as the rest. What fails any of them is not a leak yet.
 */

/** What the series says. `few` means too few floors to say anything. */
export type Shape = 'few' | 'flat' | 'settling' | 'growing';

export interface Judgement {
  readonly shape: Shape;
  /** Bytes gained over the judged window. */
  readonly growthBytes: number;
  readonly floors: number;
}

export interface JudgeOptions {
  /** Growth below this is not worth a word. */
  readonly leastBytes: number;
  /** Growth below this part of the newest value is not worth a word. */
  readonly leastRatio: number;
}

export const heapChannel: JudgeOptions = { leastBytes: 256 * 1024, leastRatio: 0.01 };
export const externalChannel: JudgeOptions = { leastBytes: 1024 * 1024, leastRatio: 0.05 };
/** Resident memory outside the heap is a high-water mark of malloc: only much of it, for long, says anything. */
export const nativeChannel: JudgeOptions = { leastBytes: 64 * 1024 * 1024, leastRatio: 0.25 };

const fewestFloors = 6;
const fewestAfterFall = 8;
/** V8 drops the compiled code of functions that have not run for six major GCs: what start-up compiled falls at once, by about here. */
const codeFallFloors = 14;
const toothLikeness = 0.15;
const mostLossRatio = 0.35;
const mostStepRatio = 0.6;
const leastStepRatio = 0.25;
const leastPaceRatio = 0.4;

/** Judges values in order; `work` is the bytes allocated up to each, without it every value stands for equal work. */
export function judge(
  all: readonly number[],
  options: JudgeOptions,
  work: readonly number[] = all.map((_, i) => i),
): Judgement {
  const begin = startOf(all);
  const values = all.slice(begin);
  const floors = values.length;
  const window = smooth(values.slice(Math.floor(floors / 4)));
  const growthBytes = floors < 3 ? 0 : mean(window.slice(-2)) - mean(window.slice(0, 2));
  const last = values.at(-1) ?? 0;
  const need = Math.max(options.leastBytes, options.leastRatio * last);
  const says = (shape: Shape): Judgement => ({ shape, growthBytes, floors });
  const early = Math.min(...values.slice(0, Math.min(2, floors - 1)));
  if (floors >= 2 && last - early < need && growthBytes < need) return says('flat');
  if (floors < fewestFloors) return says('few');
  if (growthBytes < need || greatestLoss(window) > mostLossRatio * growthBytes) return says('flat');
  return isStaircase(window, growthBytes) || slowsDown(window, growthBytes, work.slice(-window.length))
    ? says('settling')
    : says('growing');
}

/**
 * Where the series begins once what lies before one deep fall early on is left out: what a program needed to start has been let go.
 * A series that falls as deep again is a sawtooth and keeps its teeth, because they say that it lets go.
 */
function startOf(all: readonly number[]): number {
  const falls = all.map((value, i) => (all[i - 1] ?? value) - value);
  const deepest = Math.max(...falls);
  const at = falls.indexOf(deepest);
  const rest = all.slice(at);
  if (at <= 0 || at > Math.max(all.length / 2, codeFallFloors) || rest.length < fewestAfterFall) return 0;
  const before = all.slice(0, at);
  const rise = (before.at(-1) as number) - Math.min(...before.slice(0, 2));
  const isSawtooth =
    greatestLoss(smooth(rest)) > deepest / 4 ||
    greatestLoss(smooth(before)) > deepest / 4 ||
    // One tooth that gives back just what it gained says that it lets go, too.
    Math.abs(rise - deepest) < toothLikeness * deepest;
  return deepest > 0.1 * (all[at] as number) && !isSawtooth ? at : 0;
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Each value replaced by the middle one of it and its neighbours: one odd collection says nothing. */
function smooth(values: readonly number[]): readonly number[] {
  return values.map((value, i) => {
    const three = [values[i - 1] ?? value, value, values[i + 1] ?? value].sort((a, b) => a - b);
    return three[1] as number;
  });
}

/** The deepest fall from a high to a later low. */
function greatestLoss(values: readonly number[]): number {
  let high = Number.NEGATIVE_INFINITY;
  let loss = 0;
  for (const value of values) {
    high = Math.max(high, value);
    loss = Math.max(loss, high - value);
  }
  return loss;
}

/** A few steps make the growth and between them there is next to none: modules loaded late, a pool that was doubled. */
function isStaircase(values: readonly number[], growth: number): boolean {
  const steps = values.slice(1).map((value, i) => value - (values[i] as number));
  steps.sort((a, b) => b - a);
  const [first = 0, second = 0] = steps;
  const usual = steps[Math.floor(steps.length / 2)] as number;
  return first + second > mostStepRatio * growth && usual < (leastStepRatio * growth) / steps.length;
}

/** The last third and the last quarter each keep a good part of the mean pace, or the series is coming to rest. */
function slowsDown(values: readonly number[], growth: number, work: readonly number[]): boolean {
  const steps = values.length - 1;
  const pace = growth / steps;
  const workDone = (work.at(-1) as number) - (work[0] as number);
  return [3, 4].some((part) => {
    const count = Math.max(2, Math.floor(steps / part));
    const recent = (values.at(-1) as number) - (values[steps - count] as number);
    const recentWork = (work.at(-1) as number) - (work[steps - count] as number);
    // Floors that lie close together show little growth because little was done between them.
    const isSlowByWork = recent * workDone < leastPaceRatio * growth * recentWork;
    return recent / count < leastPaceRatio * pace && isSlowByWork;
  });
}
