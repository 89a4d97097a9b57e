import { formatByteSize } from '@plimsoll/core/units';

/** The figures of one run of the program. */
export interface RunFigures {
  /** Calls in the run; 0 when nothing was counted. */
  readonly calls: number;
  /** Live bytes gained per call after the warm-up; null when no call was counted. */
  readonly bytesPerCall: number | null;
  /** Live bytes at the end, after full collections. */
  readonly liveBytes: number;
  /** Highest resident memory. */
  readonly peakBytes: number;
}

export interface Bounds {
  /** Share by which live memory may grow. */
  readonly maxGrowth: number;
  /** Bytes per call that may be added. */
  readonly maxPerCall: number;
  /** Highest resident memory allowed; null for none. */
  readonly maxPeak: number | null;
}

export type Outcome = 'fine' | 'worse' | 'undecided';

/** One figure before and after. */
interface FigureRow {
  readonly name: 'bytes per call' | 'live memory' | 'peak resident';
  /** Medians; null where there is none. */
  readonly before: number | null;
  readonly after: number | null;
  readonly outcome: Outcome;
  readonly why: string;
}

export interface GateSection {
  readonly outcome: Outcome;
  readonly rows: readonly FigureRow[];
  readonly bounds: Bounds;
  readonly runs: readonly RunFigures[];
  readonly baselineRuns: readonly RunFigures[];
  /** Bytes that 1,000 calls add above the baseline; null without calls. */
  readonly per1000Calls: number | null;
}

/** Student's t, one-sided, by degrees of freedom from 1: 99.9 % for "worse", 95 % for "fine". */
const t999 = [318.3, 22.33, 10.21, 7.17, 5.89, 5.21, 4.79, 4.5, 4.3, 4.14, 4.02, 3.93, 3.85, 3.79, 3.73];
const t95 = [6.31, 2.92, 2.35, 2.13, 2.02, 1.94, 1.89, 1.86, 1.83, 1.81, 1.8, 1.78, 1.77, 1.76, 1.75];
const leastRuns = 3;

/**
 * Compares runs with those of a baseline. A figure is worse when it is above its bound with 99.9 % certainty, because users switch a gate
 * with false alarms off. It is fine when it is below with 95 % certainty. Otherwise it is undecided, and another run may decide.
 */
export function compareRuns(
  runs: readonly RunFigures[],
  baseline: readonly RunFigures[],
  bounds: Bounds,
): GateSection {
  const perCall = (each: RunFigures): number[] => (each.bytesPerCall === null ? [] : [each.bytesPerCall]);
  const live = (each: RunFigures): number[] => [each.liveBytes];
  const rows = [
    comparison('bytes per call', runs.flatMap(perCall), baseline.flatMap(perCall), () => bounds.maxPerCall),
    comparison(
      'live memory',
      runs.flatMap(live),
      baseline.flatMap(live),
      (before) => bounds.maxGrowth * before,
    ),
    peakRow(runs, baseline, bounds),
  ].filter((row) => row !== null);
  const outcomes = rows.map(({ outcome }) => outcome);
  const outcome = outcomes.includes('worse')
    ? 'worse'
    : outcomes.includes('undecided')
      ? 'undecided'
      : 'fine';
  const [first] = rows;
  const isCounted = first?.name === 'bytes per call' && first.after !== null;
  return {
    outcome,
    rows,
    bounds,
    runs,
    baselineRuns: baseline,
    per1000Calls: isCounted ? 1000 * ((first.after as number) - (first.before ?? 0)) : null,
  };
}

function comparison(
  name: FigureRow['name'],
  after: readonly number[],
  before: readonly number[],
  marginOf: (before: number) => number,
): FigureRow | null {
  if (after.length === 0) return null;
  const [a, b] = [median(after), before.length === 0 ? null : median(before)];
  const head = { name, before: b, after: a };
  // The natural baseline of bytes per call is 0.
  if (b === null && name !== 'bytes per call')
    return { ...head, outcome: 'fine', why: 'there is no baseline' };
  if (after.length < leastRuns || (b !== null && before.length < leastRuns))
    return {
      ...head,
      outcome: 'undecided',
      why: `${after.length} runs against ${before.length} are too few`,
    };
  const margin = marginOf(b ?? 0);
  const difference = mean(after) - (b === null ? 0 : mean(before));
  const freedom = after.length - 1 + (b === null ? 0 : before.length - 1);
  const error = Math.sqrt(
    variance(after) / after.length + (b === null ? 0 : variance(before) / before.length),
  );
  const low = difference - tOf(t999, freedom) * error;
  const high = difference + tOf(t95, freedom) * error;
  const outcome = low > margin ? 'worse' : high <= margin ? 'fine' : 'undecided';
  const sign = difference < 0 ? '-' : '+';
  return {
    ...head,
    outcome,
    why: `${sign}${formatByteSize(Math.abs(difference))}, at most +${formatByteSize(margin)} allowed, certain to ${formatByteSize(tOf(t95, freedom) * error)}`,
  };
}

function peakRow(
  runs: readonly RunFigures[],
  baseline: readonly RunFigures[],
  { maxPeak }: Bounds,
): FigureRow | null {
  if (runs.length === 0) return null;
  const after = median(runs.map(({ peakBytes }) => peakBytes));
  const before = baseline.length === 0 ? null : median(baseline.map(({ peakBytes }) => peakBytes));
  const head = { name: 'peak resident' as const, before, after };
  if (maxPeak === null) return { ...head, outcome: 'fine', why: 'no bound is set (--max-peak)' };
  const above = runs.filter(({ peakBytes }) => peakBytes > maxPeak).length;
  const why = `${above} of ${runs.length} runs were above ${formatByteSize(maxPeak)}`;
  if (runs.length < leastRuns) return { ...head, outcome: 'undecided', why };
  const outcome = above === 0 ? 'fine' : above > runs.length / 2 ? 'worse' : 'undecided';
  return { ...head, outcome, why };
}

function tOf(table: readonly number[], freedom: number): number {
  return table[Math.min(table.length, Math.max(1, freedom)) - 1] as number;
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function variance(values: readonly number[]): number {
  if (values.length < 2) return 0;
  const middle = mean(values);
  return values.reduce((sum, value) => sum + (value - middle) ** 2, 0) / (values.length - 1);
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] as number;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] as number)) / 2;
}
