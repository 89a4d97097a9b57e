/** One measured figure beside its named rival: what `npm run bench -- NAME --json FILE` writes. */
export interface Row {
  readonly metric: string;
  readonly unit: string;
  /** Median of ours. */
  readonly ours: number;
  /** Half the distance between the first and third quartile, relative to the median. */
  readonly spread: number;
  readonly peer: string | null;
  readonly peerValue: number | null;
  /** ours / peerValue, or the median of `ratios` when the samples are pairs; null without a peer. */
  readonly ratio: number | null;
  /** Where the median of paired ratios lies with 95 %; absent when the samples are no pairs. */
  readonly between?: readonly [number, number];
  /** The goal as it reads in the issue, e.g. "ratio <= 0.7" or "<= 50 ns". */
  readonly goal: string | null;
  readonly pass: boolean | null;
}

/** What a benchmark file exports by default. */
export type Benchmark = (options: BenchOptions) => Promise<readonly Row[]>;

export interface BenchOptions {
  /** Fewer repeats and smaller inputs, to see that the benchmark runs. */
  readonly quick: boolean;
  /** Words after the name, e.g. a size. */
  readonly args: readonly string[];
  readonly log: (line: string) => void;
}

interface Claim {
  readonly metric: string;
  readonly unit: string;
  readonly samples: readonly number[];
  readonly peer?: {
    readonly name: string;
    readonly samples: readonly number[];
    /** True when each sample has its partner: the median of their ratios is judged, and where it lies with 95 % is shown. */
    readonly isPaired?: boolean;
  };
  /** A bound on the ratio to the peer, or on our own median when there is no peer or `of: 'ours'`. */
  readonly goal?: { readonly of?: 'ours' | 'ratio'; readonly atMost?: number; readonly atLeast?: number };
}

/** Turns repeated samples into a row and judges its goal. */
export function row(claim: Claim): Row {
  const ours = quantile(claim.samples, 0.5);
  const spread =
    ours === 0 ? 0 : (quantile(claim.samples, 0.75) - quantile(claim.samples, 0.25)) / 2 / Math.abs(ours);
  const peerValue = claim.peer ? quantile(claim.peer.samples, 0.5) : null;
  const ratios = claim.peer?.isPaired === true ? ratiosOf(claim.samples, claim.peer.samples) : undefined;
  const ratio =
    peerValue === null || peerValue === 0 ? null : ratios ? quantile(ratios, 0.5) : ours / peerValue;
  const goal = claim.goal;
  const of = goal?.of ?? (claim.peer ? 'ratio' : 'ours');
  const judged = of === 'ratio' ? ratio : ours;
  const atMost = goal?.atMost;
  const atLeast = goal?.atLeast;
  const unit = of === 'ratio' ? 'x' : ` ${claim.unit}`;
  const words = [
    ...(atMost === undefined ? [] : [`<= ${atMost}${unit}`]),
    ...(atLeast === undefined ? [] : [`>= ${atLeast}${unit}`]),
  ];
  return {
    metric: claim.metric,
    unit: claim.unit,
    ours,
    spread,
    peer: claim.peer?.name ?? null,
    peerValue,
    ratio,
    ...(ratios && { between: medianBetween(ratios) }),
    goal: words.length > 0 ? words.join(' and ') : null,
    pass:
      goal === undefined || judged === null
        ? null
        : (atMost === undefined || judged <= atMost) && (atLeast === undefined || judged >= atLeast),
  };
}

/** What ours took of theirs, pair by pair. */
export function ratiosOf(ours: readonly number[], theirs: readonly number[]): number[] {
  return ours.map((value, i) => value / (theirs[i] as number));
}

/** Where the true median lies with 95 %: the samples that a fair coin for "below" or "above" leaves on both sides. */
export function medianBetween(samples: readonly number[]): [number, number] {
  const sorted = [...samples].sort((a, b) => a - b);
  const reach = 0.98 * Math.sqrt(sorted.length);
  const low = Math.max(0, Math.floor(sorted.length / 2 - reach));
  const high = Math.min(sorted.length - 1, Math.ceil(sorted.length / 2 + reach) - 1);
  return [sorted[low] ?? Number.NaN, sorted[high] ?? Number.NaN];
}

export function quantile(samples: readonly number[], q: number): number {
  if (samples.length === 0) return Number.NaN;
  const sorted = [...samples].sort((a, b) => a - b);
  const at = (sorted.length - 1) * q;
  const low = Math.floor(at);
  const high = Math.ceil(at);
  return (sorted[low] as number) + ((sorted[high] as number) - (sorted[low] as number)) * (at - low);
}
