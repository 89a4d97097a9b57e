import { pathSegment } from '@plimsoll/core/internal/scope/scope-path';

/** Growth of the roots in earlier runs, by name of the stage. The numbers of names and runs are bounded. */
const mostStages = 500;
const runsKept = 64;
/** Least number of runs for judging growth. */
const leastRuns = 8;
/** Growth below this is not worth a warning, whatever the median is. */
const leastGrowth = 64 * 1024;
const tooMuch = 3;

export class StageRuns {
  readonly #growth: number[] = [];
  #kind = '';
  #name = '';
  #segment = '';
  #next = 0;
  meanMs = 0;
  #runs = 0;

  /** Path of a scope of this stage. The last step is cached, because searching for characters to escape takes most of the time. */
  pathBelow(parentPath: string, { kind, name }: { readonly kind: string; readonly name: string }): string {
    if (kind !== this.#kind || name !== this.#name) {
      this.#kind = kind;
      this.#name = name;
      this.#segment = `/${pathSegment(kind, name)}`;
    }
    return parentPath + this.#segment;
  }

  add(growth: number, durationMs: number): void {
    if (this.#growth.length < runsKept) this.#growth.push(growth);
    else this.#growth[this.#next] = growth;
    this.#next = (this.#next + 1) % runsKept;
    this.#runs = Math.min(runsKept, this.#runs + 1);
    this.meanMs += (durationMs - this.meanMs) / this.#runs;
  }

  /** The median growth when this growth is far above it; undefined when it is not, or too little is known. */
  exceeded(growth: number): { readonly median: number; readonly runs: number } | undefined {
    if (growth < leastGrowth || this.#runs < leastRuns) return undefined;
    const median = medianOf(this.#growth);
    return growth > tooMuch * Math.max(0, median) ? { median, runs: this.#runs } : undefined;
  }
}

function medianOf(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

const stages = new Map<string, StageRuns>();

/** The runs of a stage. Stages after the first 500 names share one entry. */
export function runsOf(stage: string): StageRuns {
  const known = stages.get(stage);
  if (known !== undefined) return known;
  const key = stages.size < mostStages ? stage : '(other)';
  let runs = stages.get(key);
  if (runs === undefined) stages.set(key, (runs = new StageRuns()));
  return runs;
}
