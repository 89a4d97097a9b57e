import type { CheckRow, InjectionRow, PlanRow } from '../report/stress-section.ts';
import type { Capture } from '@plimsoll/leak/internal/proof/growth-record';
import type { Report } from '../run/report.ts';
import { runChaos } from './chaos.ts';
import type { StressChild } from './child.ts';
import type { LoadDriver, KeptInputs, Stretch } from './driver.ts';
import type { LivePoint } from './growth-line.ts';
import type { HttpClient } from './http-client.ts';
import { LoadTally } from './load.ts';
import type { Recipe } from './recipe.ts';
import type { SnapshotPair } from './holder.ts';
import { checkSilently, probeAll } from './silent-checks.ts';
import { isRising, judgePlan } from './verdict.ts';

export const planNames = ['baseline', 'stress', 'chaos'] as const;
export type PlanName = (typeof planNames)[number];

interface PlanContext {
  readonly plan: PlanName;
  readonly child: StressChild;
  readonly driver: LoadDriver;
  readonly client: HttpClient | undefined;
  readonly recipe: Recipe;
  readonly kept: KeptInputs;
  readonly forMs: number;
  readonly signal: AbortSignal;
  /** Called with the current step and the finished share of the plan. */
  readonly onProgress: (what: string, share: number) => void;
}

/** The result of a plan, before its process has ended and its verdict is known. */
export interface PlanDone {
  readonly startedAt: number;
  readonly ms: number;
  readonly tally: LoadTally;
  /** Live memory against calls done, the first after the warm-up. */
  readonly points: readonly LivePoint[];
  readonly checks: readonly CheckRow[];
  readonly injections: readonly InjectionRow[];
  /** Snapshots from the middle and the end, when the measurements showed growth. */
  readonly pair: Partial<SnapshotPair>;
  /** True when the process ended by itself before the plan did. */
  readonly hasDied: boolean;
}

const slices = 8;

/** Sizes and shares of the stress plan. Each runs twice, to distinguish growth from caches that fill once. */
const stretches: readonly {
  readonly what: string;
  readonly share: number;
  readonly stretch: Omit<Stretch, 'forMs'>;
}[] = [
  { what: '100 sessions at once', share: 0.25, stretch: { parallel: 100 } },
  { what: 'conversations of 50 turns', share: 0.2, stretch: { parallel: 8, turns: 50 } },
  { what: 'inputs of 80 KB', share: 0.2, stretch: { parallel: 8, textBytes: 80 * 1024 } },
  {
    what: 'readers that leave or stop',
    share: 0.15,
    stretch: {
      parallel: 16,
      readingOf: (random) =>
        random.next() < 0.5
          ? { kind: 'leave' }
          : random.next() < 0.5
            ? { kind: 'abandon', ms: 200 }
            : { kind: 'whole' },
    },
  },
  { what: 'up to 10,000 sessions', share: 0.2, stretch: { parallel: 32, mostSessions: 5000 } },
];

/** Runs one plan on a child that is ready. */
export async function runPlan(context: PlanContext): Promise<PlanDone> {
  const { child, client, recipe, plan } = context;
  const startedAt = Date.now();
  const started = performance.now();
  const tally = new LoadTally();
  const points: LivePoint[] = [];
  let first: Capture | undefined;
  const note = async (): Promise<void> => {
    const measured = await child.measure();
    if (measured !== null) points.push({ work: tally.calls, bytes: measured.heapUsed + measured.external });
    if (first === undefined && child.isProved && isRising(points))
      first = (await child.snapshot('stress-first')) ?? undefined;
  };
  const before = client === undefined ? undefined : await probeAll(client, recipe);
  context.onProgress('warming up', 0);
  tally.merge(await context.driver.load({ forMs: 0.15 * context.forMs, parallel: 8 }));
  await note();
  const injections = await phases[plan](context, tally, note);
  const last =
    first !== undefined && judgePlan({ verdict: 'undecided', why: '' }, points).verdict === 'leak'
      ? await child.snapshot('stress-last')
      : null;
  const after = client === undefined || child.hasEnded ? undefined : await probeAll(client, recipe);
  return {
    startedAt,
    ms: performance.now() - started,
    tally,
    points,
    checks: [
      ...(before === undefined || after === undefined ? [] : checkSilently(recipe, before, after, tally)),
      ...keptCheck(context.kept),
    ],
    injections,
    pair: { ...(first !== undefined && { first }), ...(last !== null && { last }) },
    hasDied: child.hasEnded && !context.signal.aborted,
  };
}

type Phase = (
  context: PlanContext,
  tally: LoadTally,
  note: () => Promise<void>,
) => Promise<readonly InjectionRow[]>;

const phases: Readonly<Record<PlanName, Phase>> = {
  async baseline({ driver, forMs, signal, child, onProgress }, tally, note) {
    for (let i = 0; i < slices && !signal.aborted && !child.hasEnded; i++) {
      onProgress('ordinary load', 0.15 + (0.85 * i) / slices);
      tally.merge(await driver.load({ forMs: (0.85 * forMs) / slices, parallel: 8 }));
      await note();
    }
    return [];
  },
  async stress({ driver, forMs, signal, child, onProgress }, tally, note) {
    for (let round = 0; round < 2; round++) {
      let behind = 0;
      for (const { what, share, stretch } of stretches) {
        if (signal.aborted || child.hasEnded) return [];
        onProgress(what, 0.15 + 0.425 * (round + behind));
        tally.merge(await driver.load({ ...stretch, forMs: 0.425 * forMs * share }));
        behind += share;
        await note();
      }
    }
    return [];
  },
  async chaos(context, tally, note) {
    const { forMs, driver, onProgress, signal, child } = context;
    let begun = 0;
    const rows = await runChaos(
      {
        ...context,
        forMs: (0.6 * forMs) / 14,
        onFault: (name) => onProgress(name, 0.15 + (0.6 * begun++) / 16),
      },
      tally,
    );
    for (let i = 0; i < 4 && !signal.aborted && !child.hasEnded; i++) {
      onProgress('ordinary load afterwards', 0.75 + 0.0625 * i);
      tally.merge(await driver.load({ forMs: 0.06 * forMs, parallel: 8 }));
      await note();
    }
    return rows;
  },
};

function keptCheck({ followed, survivors }: KeptInputs): readonly CheckRow[] {
  if (followed === 0) return [];
  const outcome = survivors === 0 ? 'ok' : survivors > followed / 2 ? 'failed' : 'undecided';
  const text = `${survivors} of ${followed} inputs were alive after two collections`;
  return [{ kind: 'state', name: 'inputs are let go', outcome, text }];
}

/** The row of a plan, once its process has ended. */
export function planRow(
  plan: PlanName,
  done: PlanDone,
  report: Report,
  verdict: Pick<PlanRow, 'verdict' | 'why'>,
  bytesPerCall: number | null,
): PlanRow {
  const { tally, points } = done;
  const start = points[0]?.bytes ?? null;
  const end = points.at(-1)?.bytes ?? null;
  const { series } = report;
  const peakLive =
    series === null
      ? null
      : Math.max(...series.heapUsed.map((heap, i) => heap + (series.external[i] as number)));
  const reclaimed =
    start === null || end === null || peakLive === null || peakLive <= start
      ? null
      : Math.min(1, Math.max(0, (peakLive - end) / (peakLive - start)));
  return {
    plan,
    startedAt: done.startedAt,
    ms: done.ms,
    sessions: tally.sessions,
    calls: tally.calls,
    errors: tally.errors,
    p50Ms: tally.latencies.quantile(0.5),
    p99Ms: tally.latencies.quantile(0.99),
    startBytes: start,
    endBytes: end,
    peakBytes: series === null ? report.readings.peakRssBytes : Math.max(...series.rss),
    bytesPerCall,
    bytesPerSession:
      bytesPerCall === null || tally.sessions === 0 ? null : (bytesPerCall * tally.calls) / tally.sessions,
    reclaimedRatio: reclaimed,
    ...verdict,
    exit: exitText(report),
  };
}

function exitText({ exit }: Report): string {
  return exit.signal === null ? `exit code ${exit.code ?? 'unknown'}` : `ended by ${exit.signal}`;
}
