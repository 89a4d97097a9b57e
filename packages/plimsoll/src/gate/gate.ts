import { compareRuns } from './compare.ts';
import type { Bounds, GateSection, RunFigures } from './compare.ts';

export interface GateOptions {
  readonly bounds: Bounds;
  readonly baseline: readonly RunFigures[];
  /** One run of the program. */
  readonly measure: () => Promise<RunFigures>;
  readonly leastRuns: number;
  readonly mostRuns: number;
  readonly signal: AbortSignal;
  readonly onRun: (run: RunFigures, count: number, soFar: GateSection) => void;
}

/** Runs the program repeatedly until the comparison is decided or the runs are used up. */
export async function gate(options: GateOptions): Promise<GateSection> {
  const { bounds, baseline, leastRuns, mostRuns, signal } = options;
  const runs: RunFigures[] = [];
  let found = compareRuns(runs, baseline, bounds);
  while (runs.length < mostRuns && !signal.aborted) {
    runs.push(await options.measure());
    found = compareRuns(runs, baseline, bounds);
    options.onRun(runs.at(-1) as RunFigures, runs.length, found);
    if (runs.length >= leastRuns && found.outcome !== 'undecided') return found;
  }
  return runs.length === 0 ? { ...found, outcome: 'undecided' } : found;
}
