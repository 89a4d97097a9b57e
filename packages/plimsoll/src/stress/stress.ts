import { failure } from '@plimsoll/core/internal/errors';
import type { CallRow, CheckRow, PlanRow } from '../report/stress-section.ts';
import { mergeFindings } from '../run/merge-findings.ts';
import type { Report } from '../run/report.ts';
import type { ReportSeries } from '../run/series.ts';
import { StressChild } from './child.ts';
import type { StressSubject } from './child.ts';
import { discover, entryOf } from './discover.ts';
import { moduleDriver, serverDriver } from './driver.ts';
import { holdersIn, removePair } from './holder.ts';
import { HttpClient } from './http-client.ts';
import { judgeHypothesis, parseHypothesis } from './hypothesis.ts';
import { LoadTally } from './load.ts';
import { planRow, runPlan } from './plans.ts';
import type { PlanDone, PlanName } from './plans.ts';
import { Random } from './random.ts';
import { emptyRecipe } from './recipe.ts';
import type { Recipe } from './recipe.ts';
import { judgePlan, judgeStress } from './verdict.ts';

export interface StressOptions {
  readonly subject: StressSubject;
  readonly plans: readonly PlanName[];
  /** Undefined to discover the routes. */
  readonly recipe: Recipe | undefined;
  readonly seed: number;
  /** Time for each plan. */
  readonly forMs: number;
  readonly limitBytes: number | null;
  readonly isProved: boolean;
  readonly cwd: string;
  readonly dir: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
  readonly onProgress: (plan: PlanName, what: string, share: number) => void;
}

interface Ended {
  readonly plan: PlanName;
  readonly done: PlanDone;
  readonly report: Report;
}

const sockets = 256;

/** Runs the plans one after the other, each in a process of its own, and returns the report. */
export async function stress(options: StressOptions): Promise<Report> {
  const hypotheses = Object.entries(options.recipe?.hypotheses ?? {}).map(([id, text]) =>
    parseHypothesis(id, text),
  );
  const ended: Ended[] = [];
  let recipe = options.recipe;
  for (const plan of options.plans) {
    if (options.signal.aborted) break;
    const child = await StressChild.start(options);
    // No process may keep running when the harness itself fails.
    let done: PlanDone | undefined;
    let report: Report | undefined;
    try {
      using client = options.subject.kind === 'server' ? new HttpClient(child.base, sockets) : undefined;
      recipe ??= client === undefined ? emptyRecipe : await discover(client, entryOfSubject(options));
      if (client !== undefined && recipe.sessions.length === 0)
        throw failure('PLM_STRESS_NO_ROUTES', { url: child.base });
      const random = new Random(options.seed);
      const kept = { followed: 0, survivors: 0 };
      const driver =
        client === undefined
          ? moduleDriver(child, random, kept)
          : serverDriver(client, recipe.sessions, random, options.signal);
      done = await runPlan({
        plan,
        child,
        driver,
        client,
        recipe,
        kept,
        forMs: options.forMs,
        signal: options.signal,
        onProgress: (what, share) => options.onProgress(plan, what, share),
      });
    } finally {
      options.onProgress(plan, 'ending it and reading its record', 1);
      report = await child.end();
    }
    ended.push({ plan, done, report: await withHolder(report, done.pair) });
  }
  return stressReport(options, recipe ?? emptyRecipe, ended, hypotheses);
}

/**
 * Adds the holders of the growth between the two snapshots of a plan. Two complete heaps at known amounts of work are better evidence than
 * the process's own growth findings. Survivors of scopes are direct evidence and stay first.
 */
async function withHolder(report: Report, pair: PlanDone['pair']): Promise<Report> {
  try {
    const { first, last } = pair;
    const isProved = report.findings.some(({ trace, kind }) => trace !== undefined && kind !== 'growth');
    if (isProved || first === undefined || last === undefined) return report;
    const holders = await holdersIn({ first, last });
    const [worst] = holders;
    if (worst === undefined) return report;
    const others = report.findings.filter(({ kind }) => kind !== 'growth');
    const why = `between two snapshots: ${worst.subject}.`;
    return { ...report, findings: [...holders, ...others], ...(report.verdict === 'leak' && { why }) };
  } finally {
    removePair(pair);
  }
}

function entryOfSubject({ subject, cwd }: StressOptions): string | undefined {
  return subject.kind === 'server' ? entryOf(subject.command, cwd) : undefined;
}

function stressReport(
  options: StressOptions,
  recipe: Recipe,
  ended: readonly Ended[],
  hypotheses: readonly ReturnType<typeof parseHypothesis>[],
): Report {
  const last = ended.at(-1);
  if (last === undefined) throw failure('PLM_STRESS_STOPPED', {});
  const plans = ended.map(({ plan, done, report }) => {
    const { bytesPerCall, ...verdict } = judgePlan(report, done.points);
    return {
      ...planRow(plan, done, report, verdict, bytesPerCall),
      hasDied: done.hasDied,
      faults: done.tally.faults,
    };
  });
  const findings = mergeFindings(ended.flatMap(({ report }) => report.findings));
  const injections = ended.flatMap(({ done }) => done.injections);
  const checks = mergeChecks(ended);
  const judged = hypotheses.map((each) => judgeHypothesis(each, plans));
  const isInterrupted = options.signal.aborted;
  const conclusion = judgeStress({ plans, injections, checks, hypotheses: judged, findings, isInterrupted });
  const worst =
    plans.find(({ verdict }) => verdict === 'leak') ??
    plans.find(({ verdict }) => verdict === 'undecided') ??
    plans[0];
  const chosen = ended[plans.indexOf(worst as (typeof plans)[number])] ?? last;
  return {
    ...chosen.report,
    started: (ended[0] as Ended).report.started,
    ended: new Date().toISOString(),
    verdict: worst?.verdict ?? 'undecided',
    why: worst?.why ?? '',
    findings,
    series: joinSeries(ended.flatMap(({ report }) => report.series ?? [])),
    lives: ended.flatMap(({ report }) => report.lives),
    stress: {
      ...conclusion,
      seed: options.seed,
      limitBytes: options.limitBytes,
      plans: plans.map(({ hasDied: _died, faults: _faults, ...row }): PlanRow => row),
      injections,
      checks,
      hypotheses: judged,
      calls: callRows(ended),
      notTried: notTriedOf(options, recipe),
      isInterrupted,
    },
  };
}

/** The checks of the last plan, plus those that failed in earlier plans. */
function mergeChecks(ended: readonly Ended[]): readonly CheckRow[] {
  const found = new Map<string, CheckRow>();
  for (const { plan, done } of ended)
    for (const check of done.checks) {
      const key = `${check.kind} ${check.name}`;
      if (found.get(key)?.outcome === 'failed') continue;
      found.set(key, check.outcome === 'failed' ? { ...check, text: `${check.text} (${plan})` } : check);
    }
  return [...found.values()];
}

function callRows(ended: readonly Ended[]): readonly CallRow[] {
  const all = new LoadTally();
  for (const { done } of ended) all.merge(done.tally);
  return [...all.rows]
    .map(([call, { count, errors, latencies }]) => ({
      call,
      count,
      errors,
      p50Ms: latencies.quantile(0.5),
      p99Ms: latencies.quantile(0.99),
    }))
    .sort((a, b) => b.count - a.count)
    .slice(0, 50);
}

function notTriedOf(options: StressOptions, recipe: Recipe): readonly string[] {
  const missing = (['baseline', 'stress', 'chaos'] as const).filter((each) => !options.plans.includes(each));
  return [
    ...recipe.notTried.slice(0, 20),
    ...(options.recipe === undefined && options.subject.kind === 'server'
      ? ['Sessions of several calls: a recipe (--recipe FILE) says which calls belong together.']
      : []),
    ...(missing.length === 0
      ? []
      : [`The ${missing.length === 1 ? 'plan' : 'plans'} ${missing.join(' and ')} (--plan all).`]),
    ...(recipe.golden.length + recipe.state.length === 0 && options.subject.kind === 'server'
      ? ['Silent failures: the recipe names no golden answer and no state to compare.']
      : []),
  ];
}

/** The series of all plans, one after the other. */
function joinSeries(all: readonly ReportSeries[]): ReportSeries | null {
  if (all.length === 0) return null;
  return {
    at: all.flatMap(({ at }) => at),
    used: all.flatMap(({ used }) => used),
    heapUsed: all.flatMap(({ heapUsed }) => heapUsed),
    floor: all.flatMap(({ floor }) => floor),
    external: all.flatMap(({ external }) => external),
    rss: all.flatMap(({ rss }) => rss),
  };
}
