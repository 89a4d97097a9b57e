import type { RestartLog } from '@plimsoll/govern/internal/restart/restart-log';
import type { Frame, Level } from '@plimsoll/host/protocol/frame';
import { levels } from '@plimsoll/host/protocol/text';
import type { Conclusion, LifeConclusion } from './conclude.ts';
import type { Life } from './life.ts';
import { mergeFindings } from './merge-findings.ts';
import type { ExitFact } from './report.ts';

/** One life in the report of a run. */
export interface LifeRow {
  readonly pid: number;
  readonly started: string;
  readonly ended: string;
  readonly exit: ExitFact;
  /** The reason of its restart; null when it was not a restart. */
  readonly restart: {
    readonly reason: string;
    readonly parked: number;
    readonly lost: number;
    readonly interrupted: number;
  } | null;
  readonly peakUsedBytes: number | null;
  readonly peakLevel: Level | null;
}

/** A life with its conclusion. */
export type EndedLife = Omit<Life, 'conclusion'> & { readonly conclusion: LifeConclusion };

const verdicts: readonly Conclusion['verdict'][] = ['clean', 'undecided', 'leak'];

/** The rows of the report, with the log entry of each restart. */
export function lifeRows(lives: readonly Omit<Life, 'conclusion'>[], log: RestartLog): readonly LifeRow[] {
  return lives.map(({ pid, startedAt, endedAt, exit, frame }) => {
    const entry = log.entries.find(
      (each) => each.pid === pid && each.at >= startedAt && each.at <= endedAt && each.phase !== 'died',
    );
    return {
      pid,
      started: new Date(startedAt).toISOString(),
      ended: new Date(endedAt).toISOString(),
      exit,
      restart:
        entry === undefined
          ? null
          : {
              reason: entry.reason,
              parked: entry.parked,
              lost: entry.phase === 'parked' ? entry.lost : Math.max(0, entry.sessions - entry.parked),
              interrupted: entry.interrupted,
            },
      peakUsedBytes: frame?.watermark.usedBytes ?? null,
      peakLevel: frame?.watermark.level ?? null,
    };
  });
}

/** One conclusion over all lives: the worst verdict with its reason, every finding once. */
export function concludeAll(lives: readonly EndedLife[]): Conclusion {
  const conclusions = lives.map(({ conclusion }) => conclusion);
  const last = conclusions.at(-1) as Conclusion;
  let worst = last;
  for (const each of conclusions)
    if (verdicts.indexOf(each.verdict) > verdicts.indexOf(worst.verdict)) worst = each;
  return {
    ...worst,
    findings: mergeFindings(conclusions.flatMap(({ findings }) => findings)),
    snapshots: conclusions.flatMap(({ snapshots }) => snapshots),
    analysisMs: conclusions.reduce((sum, { analysisMs }) => sum + analysisMs, 0),
    processes: conclusions.flatMap(({ processes }) => processes),
  };
}

/** The last frame, with the peaks and level changes of the lives before it. */
export function frameOverLives(lives: readonly Pick<Life, 'frame'>[]): Frame | undefined {
  const frames = lives.flatMap(({ frame }) => frame ?? []);
  const last = frames.at(-1);
  if (last === undefined || frames.length === 1) return last;
  const peak = (of: (frame: Frame) => number): number => Math.max(...frames.map(of));
  const highest = peak((frame) => levels.indexOf(frame.watermark.level));
  return {
    ...last,
    levels: frames.flatMap((frame) => frame.levels),
    governance: governanceOverLives(frames),
    peaks: frames
      .flatMap((frame) => frame.peaks)
      .sort((a, b) => b.peakBytes - a.peakBytes)
      .slice(0, last.peaks.length || 8),
    watermark: {
      usedBytes: peak((frame) => frame.watermark.usedBytes),
      rss: peak((frame) => frame.watermark.rss),
      level: levels[highest] ?? 'normal',
    },
  };
}

/** Actions of the ladder and the shed points in all lives. */
function governanceOverLives(frames: readonly Frame[]): Frame['governance'] {
  const last = frames.at(-1) as Frame;
  const all = frames.map(({ governance }) => governance);
  const sum = (of: (row: Frame['governance']) => number): number =>
    all.reduce((total, row) => total + of(row), 0);
  const { admission } = last.governance;
  return {
    ...last.governance,
    actions: all.flatMap(({ actions }) => actions),
    counts: {
      actions: sum(({ counts }) => counts.actions),
      cleanups: sum(({ counts }) => counts.cleanups),
      wouldHave: sum(({ counts }) => counts.wouldHave),
      freedBytes: sum(({ counts }) => counts.freedBytes),
      approvals: sum(({ counts }) => counts.approvals),
    },
    admission: admission && {
      ...admission,
      admitted: sum((row) => row.admission?.admitted ?? 0),
      refused: sum((row) => row.admission?.refused ?? 0),
    },
  };
}
