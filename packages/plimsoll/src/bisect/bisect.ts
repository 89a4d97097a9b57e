import { failure } from '@plimsoll/core/internal/errors';
import { gate } from '../gate/gate.ts';
import type { Bounds, GateSection, RunFigures } from '../gate/compare.ts';
import type { Commit, Worktrees } from './worktrees.ts';

export interface BisectOptions {
  readonly worktrees: Pick<Worktrees, 'at' | 'between'>;
  readonly good: string;
  readonly bad: string;
  readonly bounds: Bounds;
  readonly mostRuns: number;
  /** One run in the folder of a commit. */
  readonly measure: (cwd: string) => Promise<RunFigures>;
  readonly signal: AbortSignal;
  readonly onStep: (commit: Commit, outcome: GateSection['outcome'] | 'begun', left: number) => void;
}

export interface BisectResult {
  /** The first commit whose memory is worse; null when it is not certain because of an undecided commit. */
  readonly first: Commit | null;
  /** Possible commits when it is not certain, oldest first. */
  readonly candidates: readonly Commit[];
  readonly steps: readonly { readonly commit: Commit; readonly gate: GateSection }[];
  /** The first bad commit against the last good one. */
  readonly proof: GateSection | null;
  readonly isInterrupted: boolean;
}

const baselineRuns = 5;

/**
 * Finds the commit that made memory worse by halving the range from a good to a bad one. The gate decides every step against the runs of
 * the good commit. The two ends are measured first, so that a wrong range is reported before hours are spent.
 */
export async function bisect(options: BisectOptions): Promise<BisectResult> {
  const { worktrees, bounds, signal } = options;
  const { good, after } = await worktrees.between(options.good, options.bad);
  const figures = async (commit: Commit): Promise<readonly RunFigures[]> => {
    const cwd = await worktrees.at(commit);
    const runs: RunFigures[] = [];
    while (runs.length < baselineRuns && !signal.aborted) runs.push(await options.measure(cwd));
    return runs;
  };
  options.onStep(good, 'begun', after.length);
  const baseline = await figures(good);
  const steps: { commit: Commit; gate: GateSection }[] = [];
  const judge = async (commit: Commit, left: number): Promise<GateSection> => {
    options.onStep(commit, 'begun', left);
    const cwd = await worktrees.at(commit);
    const found = await gate({
      bounds,
      baseline,
      measure: () => options.measure(cwd),
      leastRuns: 3,
      mostRuns: options.mostRuns,
      signal,
      onRun: () => undefined,
    });
    steps.push({ commit, gate: found });
    options.onStep(commit, found.outcome, left);
    return found;
  };
  const last = after.at(-1) as Commit;
  const end = await judge(last, after.length);
  if (end.outcome !== 'worse' && !signal.aborted)
    throw failure('PLM_BISECT_NOT_WORSE', { good: short(good), bad: short(last), outcome: end.outcome });
  // after[low] is good (-1 is the good end itself), after[high] is worse; commits in between are not decided.
  let low = -1;
  let high = after.length - 1;
  const hidden = new Set<number>();
  while (!signal.aborted) {
    const middle = pick(low, high, hidden);
    if (middle === undefined) break;
    const { outcome } = await judge(after[middle] as Commit, high - low - 1);
    if (outcome === 'worse') high = middle;
    else if (outcome === 'fine') low = middle;
    else hidden.add(middle);
  }
  const isFound = high - low === 1 && !signal.aborted;
  const proof = steps.find(({ commit }) => commit === after[high])?.gate ?? null;
  return {
    first: isFound ? (after[high] as Commit) : null,
    candidates: after.slice(low + 1, high + 1),
    steps,
    proof,
    isInterrupted: signal.aborted,
  };
}

/** The middle of the undecided range, or a commit beside it when the middle could not be decided. */
function pick(low: number, high: number, hidden: ReadonlySet<number>): number | undefined {
  const middle = (low + high) >> 1;
  const open = Array.from({ length: Math.max(0, high - low - 1) }, (_, i) => low + 1 + i).filter(
    (each) => !hidden.has(each),
  );
  return open.toSorted((a, b) => Math.abs(a - middle) - Math.abs(b - middle))[0];
}

const short = ({ sha, subject }: Commit): string => `${sha.slice(0, 12)} (${subject})`;
