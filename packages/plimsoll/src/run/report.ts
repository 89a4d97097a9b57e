import type { Finding } from '@plimsoll/leak/internal/findings/finding';
import type { Forecast, Frame, KeeperRow, Level } from '@plimsoll/host/protocol/frame';
import type { Verdict } from '@plimsoll/leak/internal/judge/verdict';
import type { Conclusion, ProcessVerdict } from './conclude.ts';
import type { LifeRow } from './lives.ts';
import type { Autopsy } from '../autopsy/autopsy.ts';
import { isForMemory } from '../autopsy/cause.ts';
import type { HistorySection } from '../report/history-section.ts';
import type { StressSection } from '../report/stress-section.ts';
import type { ReportSeries } from './series.ts';

export type { Verdict } from '@plimsoll/leak/internal/judge/verdict';

/** How the target ended. */
export interface ExitFact {
  readonly code: number | null;
  readonly signal: string | null;
}

/** The report of one run, in the shape of every reporter (`run --report`, `attach --report`, the test kit and the harness). */
export interface Report {
  readonly plimsoll: string;
  readonly target: string;
  readonly started: string;
  readonly ended: string;
  readonly verdict: Verdict;
  /** The reason for the verdict in one sentence. */
  readonly why: string;
  readonly findings: readonly Finding[];
  readonly readings: {
    readonly last: Frame['reading'] | null;
    readonly peakUsedBytes: number | null;
    readonly peakRssBytes: number | null;
    readonly peakLevel: Level | null;
    readonly levels: Frame['levels'];
    readonly scopes: Frame['scopes'];
    readonly peaks: Frame['peaks'];
    readonly kinds: Frame['kinds'];
    readonly unattributedBytes: number | null;
    /** The heaviest keepers at the end. */
    readonly keepers: readonly KeeperRow[];
    /** The heaps of worker threads at the last look, largest first; absent when there were none. */
    readonly workers?: NonNullable<Frame['workers']>;
    /** The last forecast of reaching the limit; null when no growth was certain. */
    readonly forecast: Forecast | null;
  };
  /** Memory over time in at most 240 points; null when no reading arrived. */
  readonly series: ReportSeries | null;
  readonly limits: Frame['limits'] | null;
  /** The work for the verdict: snapshots with their pauses, and the analysis in another process. */
  readonly proof: Pick<Conclusion, 'snapshots' | 'analysisMs' | 'suspectedAt' | 'scopes' | 'floors'> | null;
  /** Actions of the ladder, newest last. The ledger has all of them. */
  readonly actions: Frame['governance']['actions'];
  /** Counts of actions, freed bytes and shed points; null without a frame. */
  readonly governance: {
    readonly counts: Frame['governance']['counts'];
    readonly admission: Frame['governance']['admission'];
    /** The last state of the policy: refused, given up, or in force. */
    readonly policy: Frame['policy'];
  } | null;
  /** The newest incident of every life, oldest first: each from the first sign to the end. */
  readonly incidents: readonly NonNullable<Frame['incident']>[];
  readonly self: Frame['reading']['self'] | null;
  readonly exit: ExitFact & { readonly suspectedOutOfMemory: boolean };
  /** Every process of the program with its own verdict, the worst first; empty without a request for a verdict. */
  readonly processes: readonly ProcessVerdict[];
  /** Every life of the program, oldest first: more than one when it was restarted. */
  readonly lives: readonly LifeRow[];
  /** The deaths of its lives, oldest first. A clean end and a planned restart do not count. */
  readonly deaths: readonly Autopsy[];
  /** One sentence about all deaths in the folder, also of earlier runs; null for fewer than two. */
  readonly deathStory: string | null;
  /** The section of `plimsoll stress`; absent elsewhere. */
  readonly stress?: StressSection;
  /** The section of `plimsoll report --since` from the ledger; absent elsewhere. */
  readonly history?: HistorySection;
}

export interface RunFacts {
  readonly version: string;
  readonly target: string;
  readonly startedAt: number;
  readonly endedAt: number;
  readonly exit: ExitFact;
  /** The newest frame of the process, or undefined when it never reported. */
  readonly frame: Frame | undefined;
  readonly conclusion?: Conclusion | undefined;
  readonly lives?: readonly LifeRow[];
  readonly series?: ReportSeries | undefined;
  /** The autopsies of its lives. */
  readonly autopsies?: readonly Autopsy[];
  readonly deathStory?: string | null;
  /** The newest incident of each life; by default the one of the frame. */
  readonly incidents?: Report['incidents'];
}

/** V8 aborts when it cannot free enough; the kernel kills with SIGKILL. Both are suspected only when the last reading was near the limit. */
export function suspectOutOfMemory(exit: ExitFact, frame: Frame | undefined): boolean {
  const aborted =
    exit.signal === 'SIGABRT' || exit.signal === 'SIGKILL' || exit.code === 134 || exit.code === 137;
  return aborted && frame !== undefined && frame.level !== 'normal';
}

/** By the autopsy of the last life; without one by its signal and level. */
function isOutOfMemory({ autopsies, exit, frame }: RunFacts): boolean {
  const last = autopsies?.at(-1);
  return last === undefined ? suspectOutOfMemory(exit, frame) : isForMemory(last.cause);
}

/** The report of a run from its facts. Without a frame it makes no claims. */
export function composeReport(facts: RunFacts): Report {
  const { frame, conclusion } = facts;
  return {
    plimsoll: facts.version,
    target: facts.target,
    started: new Date(facts.startedAt).toISOString(),
    ended: new Date(facts.endedAt).toISOString(),
    verdict: conclusion?.verdict ?? 'undecided',
    why: conclusion?.why ?? 'nobody looked.',
    findings: [...(conclusion?.findings ?? []), ...budgetFindings(frame)],
    readings: {
      last: frame?.reading ?? null,
      peakUsedBytes: frame?.watermark.usedBytes ?? null,
      peakRssBytes: frame?.watermark.rss ?? null,
      peakLevel: frame?.watermark.level ?? null,
      levels: frame?.levels ?? [],
      scopes: frame?.scopes ?? [],
      peaks: frame?.peaks ?? [],
      kinds: frame?.kinds ?? [],
      unattributedBytes: frame?.unattributedBytes ?? null,
      keepers: frame?.keepers ?? [],
      ...(frame?.workers !== undefined && { workers: frame.workers }),
      forecast: frame?.forecast ?? null,
    },
    series: facts.series === undefined || facts.series.at.length === 0 ? null : facts.series,
    limits: frame?.limits ?? null,
    proof:
      conclusion === undefined
        ? null
        : {
            snapshots: conclusion.snapshots,
            analysisMs: conclusion.analysisMs,
            suspectedAt: conclusion.suspectedAt,
            floors: conclusion.floors,
            scopes: conclusion.scopes,
          },
    actions: frame?.governance.actions ?? [],
    governance:
      frame === undefined
        ? null
        : {
            counts: frame.governance.counts,
            admission: frame.governance.admission,
            policy: frame.policy,
          },
    incidents: facts.incidents ?? (frame?.incident == null ? [] : [frame.incident]),
    self: frame?.reading.self ?? null,
    exit: { ...facts.exit, suspectedOutOfMemory: isOutOfMemory(facts) },
    processes: conclusion?.processes ?? [],
    lives: facts.lives ?? [],
    deaths: facts.autopsies?.filter(({ isDeath }) => isDeath) ?? [],
    deathStory: facts.deathStory ?? null,
  };
}

const severityOf = { warning: 'medium', critical: 'high', emergency: 'critical' } as const;

/** One finding per scope that rose above its budget or limit, at the highest level it reached. */
export function budgetFindings(frame: Frame | undefined): readonly Finding[] {
  const worst = new Map<string, Finding>();
  for (const change of frame?.levels ?? []) {
    if (change.level === 'normal') continue;
    const known = worst.get(change.scope);
    const severity = severityOf[change.level];
    const rose = known === undefined || rank[severity] > rank[known.severity as keyof typeof rank];
    worst.set(change.scope, {
      id: known?.id ?? `budget:${change.scope}`,
      kind: 'budget',
      severity: rose ? severity : known.severity,
      scope: change.scope,
      fingerprint: `budget:${change.scope}`,
      firstSeen: known?.firstSeen ?? change.at,
      lastSeen: change.at,
      count: (known?.count ?? 0) + 1,
      bytes: rose ? change.usedBytes : known.bytes,
      fix: `lower the memory of ${change.scope} or raise its limit (plimsoll explain ${change.scope}).`,
    });
  }
  return [...worst.values()];
}

const rank = { medium: 1, high: 2, critical: 3 } as const;
