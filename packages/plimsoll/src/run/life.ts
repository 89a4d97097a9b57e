import { liveDescriptors, readRestartLog } from '@plimsoll/host/protocol';
import type { Frame } from '@plimsoll/host/protocol/frame';
import { examine } from '../autopsy/examine.ts';
import type { Autopsy } from '../autopsy/autopsy.ts';
import type { OomKills } from '../autopsy/oom-counters.ts';
import { begunBy } from './next-life.ts';
import { conclude } from './conclude.ts';
import type { LifeConclusion } from './conclude.ts';
import type { Launch } from './launch.ts';
import type { ExitFact } from './report.ts';
import { startTarget } from './target.ts';
import type { Target } from './target.ts';
import { Watcher } from './watcher.ts';

/** One life of the program that `plimsoll run` starts, from its first frame to its last. */
export interface Life {
  /** Process id of the governed process, or of the target when none was governed. */
  readonly pid: number;
  readonly startedAt: number;
  readonly endedAt: number;
  readonly exit: ExitFact;
  readonly frame: Frame | undefined;
  /** Why it ended, by its files and by the observations of the supervisor. */
  readonly autopsy: Autopsy;
  /** Made from the files of the life, while the next one may already run. */
  readonly conclusion: Promise<LifeConclusion>;
}

export interface LifeOptions {
  readonly launch: Launch;
  readonly cwd: string;
  readonly dir: string;
  readonly keepSnapshots: boolean;
  /** True when the user wants a verdict, so that every process leaves a record. */
  readonly isJudged?: boolean;
  readonly onFrame: (frame: Frame) => void;
  /** The actions of the supervisor and of the kernel to end it. */
  readonly ending?: () => {
    readonly asked: string | null;
    readonly wasStuck: boolean;
    readonly oomKills: OomKills;
  };
  /** When the next life was started beside this one; undefined if it was not. */
  readonly successorAt?: () => number | undefined;
  /** Called before the snapshots are read, which may take seconds. */
  readonly onAnalysis: (files: number) => void;
  /** Called once when the run waits for processes that outlive the target. */
  readonly onWait?: (pids: readonly number[]) => void;
  /** Called when the target runs. `newest` returns its newest frame. */
  readonly onStart: (target: Target, newest: () => Frame | undefined) => void;
}

/** Starts the target and follows it to its end. */
export async function live(options: LifeOptions): Promise<Life> {
  const { dir, keepSnapshots, onAnalysis, onWait } = options;
  const startedAt = Date.now();
  const target = await startTarget(options.launch, options.cwd);
  const watcher = new Watcher(dir, target.pid, startedAt, options.onFrame, options.successorAt);
  options.onStart(target, () => watcher.newest);
  const exit = await target.ended;
  const frame = watcher.finish();
  forgetDead(dir);
  const endedAt = Date.now();
  const { pid } = target;
  const ownPid = frame?.pid ?? pid;
  const { asked = null, wasStuck = false, oomKills = null } = options.ending?.() ?? {};
  const restart = begunBy({ pid: ownPid, startedAt }, readRestartLog(dir))?.reason ?? null;
  const program = frame?.target ?? options.launch.command;
  const autopsy = examine(dir, ownPid, program, { exit, endedAt, oomKills, asked, wasStuck, restart });
  const conclusion = conclude({
    dir,
    pid,
    since: startedAt,
    until: Math.min(endedAt, options.successorAt?.() ?? endedAt),
    frame,
    frames: () => watcher.frames,
    keepSnapshots,
    isJudged: options.isJudged,
    onAnalysis,
    onWait,
  }).finally(() => watcher.close());
  // Awaited at the end of all lives; a failure is thrown there and nowhere else.
  conclusion.catch(() => undefined);
  return { pid: ownPid, startedAt, endedAt, exit, frame, autopsy, conclusion };
}

/**
 * Removes the descriptor and socket of a program that a signal ended without a handler. Listing live processes removes those of dead ones.
 */
function forgetDead(dir: string): void {
  try {
    liveDescriptors(dir);
  } catch {
    // The folder is not ours; nothing was written there.
  }
}
