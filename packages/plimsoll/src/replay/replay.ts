import type { Policy } from '@plimsoll/govern/internal/policy/policy';
import type { Level } from '@plimsoll/core/internal/level';
import { failure } from '@plimsoll/core/internal/errors';
import type { LedgerReader } from '@plimsoll/ledger';
import { momentsOf } from './moment.ts';
import { PastLimits } from './past-limits.ts';
import type { StartedWith } from './past-limits.ts';
import { ReplayTally } from './replay-tally.ts';
import type { ClassTally } from './replay-tally.ts';
import { Simulation } from './simulation.ts';

/** One side of the comparison. */
export interface ReplaySide {
  /** `policy`: a policy was simulated. `recorded`: the records of the ledger, when there is no second policy. */
  readonly of: 'policy' | 'recorded';
  readonly file: string | null;
  readonly revision: number | null;
  readonly mode: string | null;
  readonly classes: Readonly<Record<string, ClassTally>>;
}

/** The actions of a policy over a stretch of history, compared with the recorded ones or with those of another policy. */
export interface Replay {
  readonly ledger: string;
  readonly since: number;
  readonly until: number;
  readonly runs: number;
  /** Rows of the ledger, and readings including repeated rows. */
  readonly rows: number;
  readonly readings: number;
  readonly scopes: number;
  readonly before: ReplaySide;
  readonly after: ReplaySide;
  readonly cannotKnow: readonly string[];
}

interface PolicyReplayOptions {
  readonly policy: Policy;
  /** The policy to compare with; by default the records of the ledger. */
  readonly against?: Policy | undefined;
  readonly since: number;
  readonly until: number;
  /** Called repeatedly with the finished share. */
  readonly onProgress?: (ratio: number) => void;
}

const progressRows = 2000;

/** Runs policies over the ledger's history. Throws PLM_REPLAY_NO_HISTORY when there is none. */
export async function replay(reader: LedgerReader, options: PolicyReplayOptions): Promise<Replay> {
  const { policy, against, since, until } = options;
  const tallies = { before: new ReplayTally(), after: new ReplayTally() };
  const seen = { runs: 0, rows: 0, readings: 0, scopes: 0, first: Number.NaN, last: 0, isHeapKnown: true };
  const heapRatioThen = (against ?? policy).limits.heapUsableRatio;
  for (const run of reader.runs().toReversed()) {
    const window = { since, until, run: run.run };
    const started = startOf(reader, run.run);
    let sims: { readonly all: readonly Simulation[]; readonly limits: PastLimits } | undefined;
    for (const moment of momentsOf(reader, window)) {
      sims ??= simulationsOf(policy, against, heapRatioThen, started, moment.at, tallies);
      for (const simulation of sims.all) await simulation.take(moment);
      seen.rows += 1;
      seen.first = Number.isNaN(seen.first) ? moment.at : Math.min(seen.first, moment.at);
      seen.last = Math.max(seen.last, moment.at);
      if (seen.rows % progressRows === 0)
        options.onProgress?.((moment.at - seen.first) / Math.max(1, until - seen.first));
    }
    if (sims === undefined) continue;
    for (const simulation of sims.all) simulation.end();
    const [after] = sims.all as [Simulation];
    seen.runs += 1;
    seen.readings += after.readings;
    seen.scopes += after.scopes;
    seen.isHeapKnown &&= sims.limits.isHeapKnown;
  }
  if (seen.rows === 0)
    throw failure('PLM_REPLAY_NO_HISTORY', { dir: reader.dir, since: new Date(since).toISOString() });
  if (against === undefined) takeRecorded(reader, since, until, tallies.before);
  return {
    ledger: reader.dir,
    since: seen.first,
    until: seen.last,
    runs: seen.runs,
    rows: seen.rows,
    readings: seen.readings,
    scopes: seen.scopes,
    before: sideOf(against, tallies.before),
    after: sideOf(policy, tallies.after),
    cannotKnow: unknowns(seen.isHeapKnown, against !== undefined),
  };
}

function simulationsOf(
  policy: Policy,
  against: Policy | undefined,
  heapRatioThen: number,
  started: StartedWith | undefined,
  at: number,
  tallies: { readonly before: ReplayTally; readonly after: ReplayTally },
): { readonly all: readonly Simulation[]; readonly limits: PastLimits } {
  const limits = new PastLimits(policy, heapRatioThen, started);
  const after = new Simulation(policy, limits, at, tallies.after);
  if (against === undefined) return { all: [after], limits };
  const before = new Simulation(against, new PastLimits(against, heapRatioThen, started), at, tallies.before);
  return { all: [after, before], limits };
}

function startOf(reader: LedgerReader, run: number): StartedWith | undefined {
  const body = reader.audit({ kinds: ['start'], run }).at(-1)?.body;
  if (body === undefined) return undefined;
  const { limit, limitSource } = body;
  return {
    limit: typeof limit === 'number' ? limit : undefined,
    limitSource: typeof limitSource === 'string' ? limitSource : undefined,
  };
}

function takeRecorded(reader: LedgerReader, since: number, until: number, tally: ReplayTally): void {
  const kinds = ['level', 'action', 'exit', 'start'];
  let after = 0;
  for (;;) {
    const page = reader.audit({ kinds, since, until, after, limit: 5000 });
    for (const { kind, at, scope, body, seq } of page) {
      after = seq;
      const text = (key: string): string => {
        const value = body[key];
        return typeof value === 'string' ? value : '';
      };
      if (kind === 'level')
        tally.level({ at, scope, from: text('from') as Level, level: text('to') as Level });
      else if (kind === 'action') tally.action({ id: text('id'), action: text('action'), scope });
      else tally.end(at);
    }
    if (page.length === 0) break;
  }
  tally.end(until);
}

function sideOf(policy: Policy | undefined, tally: ReplayTally): ReplaySide {
  const { classes } = tally;
  if (policy === undefined) return { of: 'recorded', file: null, revision: null, mode: null, classes };
  const { file, revision, mode } = policy;
  return { of: 'policy', file, revision, mode, classes };
}

function unknowns(isHeapKnown: boolean, isCompared: boolean): readonly string[] {
  return [
    'what an action would have freed: history goes on as it did, so a level that an action would have ended stays, and later rungs count as tried; a scope that was stopped is left out from then on. The counts are an upper bound.',
    'scopes that were not among the 50 heaviest when they were written, every 10 s, and anything shorter than that.',
    'whether a scope was in use: idle is counted from when its bytes last changed.',
    'what humans would have decided: approvals stay open.',
    ...(isHeapKnown
      ? []
      : ['the heap limit of runs in which another limit was always nearer: their heap has no level here.']),
    ...(isCompared
      ? []
      : [
          'the recorded side acted on the real process, the replayed one did not; use --against to compare like with like.',
        ]),
  ];
}
