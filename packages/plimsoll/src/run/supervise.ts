import { setTimeout as delay } from 'node:timers/promises';
import { withEntry } from '@plimsoll/govern/internal/restart/restart-log';
import type { Frame } from '@plimsoll/host/protocol/frame';
import { readRestartLog, writeRestartLog } from '@plimsoll/host/protocol';
import type { Autopsy } from '../autopsy/autopsy.ts';
import { deathStory } from '../autopsy/death-story.ts';
import { autopsiesIn } from '../autopsy/examine.ts';
import { live } from './life.ts';
import type { Life, LifeOptions } from './life.ts';
import { begunBy, nextLife } from './next-life.ts';
import type { NextLife } from './next-life.ts';
import { onParentLost } from './parent-watch.ts';
import { isForMemory } from '../autopsy/cause.ts';
import { OomCounters } from '../autopsy/oom-counters.ts';
import { passSignals } from './target.ts';
import type { Target } from './target.ts';
import { openLedger } from '@plimsoll/ledger';
import type { ExitFact } from './report.ts';

export interface SuperviseOptions extends Omit<LifeOptions, 'onStart'> {
  /** Most restarts per hour; 0 for none at all. */
  readonly mostPerHour: number;
  /** Told before a program is started again, and when it is given up. */
  readonly onNext: (next: Exclude<NextLife, { step: 'end' }>, restarts: number) => void;
  /** Longest stop that was allowed for a snapshot, in ms; 0 by default. */
  readonly maxPauseMs?: number;
  /** How much longer than that a program may take to end by a signal that it does not handle; 20 s by default. */
  readonly stuckMs?: number;
  /** Told when a process that was asked to end did not and is killed. */
  readonly onStuck?: (pid: number, afterMs: number) => void;
  /** Where our own signals come from. */
  readonly signals?: NodeJS.EventEmitter;
}

const overdueCheckMs = 1000;
/** A drain whose process has not ended by so long after its own deadline hangs for good. */
const overdueMs = 5000;

/** A program without handlers of its own ends at once when it is asked to; so long it may take when its event loop is busy. */
const defaultStuckMs = 20_000;

/**
 * Runs a program through its lives: one that ends to be restarted is started again, with a pause that doubles, until it is too often. Our
 * signals go to whichever life is on; one that asks to end is the last.
 */
export async function supervise(options: SuperviseOptions): Promise<readonly Life[]> {
  const { dir, mostPerHour } = options;
  const lives: Life[] = [];
  const restarts: number[] = [];
  const stop = new AbortController();
  let target: Target | undefined;
  let newest: () => Frame | undefined = () => undefined;
  let asked: string | null = null;
  let wasStuck = false;
  const oom = new OomCounters();
  const stopSignals = passSignals(
    { signal: (name) => target?.signal(name) },
    options.signals ?? process,
    (name) => {
      if (name === 'SIGUSR2') return;
      asked = name;
      stop.abort();
      if (target !== undefined)
        guardEnd(name, target, newest, options, () => {
          wasStuck = true;
        });
    },
  );
  const stopWatching = onParentLost(
    () => {
      // Ctrl-C ends npm and reaches the program by itself; a second signal would cut its drain short.
      if (stop.signal.aborted) return;
      asked = 'SIGTERM';
      stop.abort();
      target?.signal('SIGTERM');
    },
    { env: options.launch.env },
  );
  try {
    for (;;) {
      const life = await live({
        ...options,
        ending: () => ({ asked, wasStuck, oomKills: oom.rise() }),
        onStart: (started, newestFrame) => {
          target = started;
          newest = newestFrame;
          // It came while there was nobody to hand it to.
          if (stop.signal.aborted) started.signal('SIGTERM');
          guardDrain(dir, started, newestFrame);
        },
      });
      target = undefined;
      lives.push(life);
      await noteEnd(dir, life, stop.signal.aborted);
      const isStopping = stop.signal.aborted;
      const log = readRestartLog(dir);
      const next = nextLife({ life, log, restarts, now: Date.now(), mostPerHour, isStopping });
      if (next.step === 'end') return lives;
      options.onNext(next, restarts.length + 1);
      if (next.step === 'give-up') return lives;
      restarts.push(Date.now());
      await delay(next.afterMs, undefined, { signal: stop.signal }).catch(() => undefined);
      if (stop.signal.aborted) return lives;
    }
  } finally {
    oom.close();
    stopWatching();
    stopSignals();
  }
}

/** Kills a process whose drain hangs past its own end: a blocked event loop cannot keep its own deadline. */
function guardDrain(dir: string, target: Target, newest: () => Frame | undefined): void {
  const startedAt = Date.now();
  const timer = setInterval(() => {
    const pid = newest()?.pid ?? target.pid;
    const entry = begunBy({ pid, startedAt: startedAt - overdueCheckMs }, readRestartLog(dir));
    if (entry === undefined || Date.now() < entry.exitBy + overdueMs) return;
    kill(pid);
  }, overdueCheckMs);
  void target.ended.then(() => clearInterval(timer));
}

/**
 * Kills a process that was sent a signal it does not handle and that did not end. We listen to the signal for a last look, so a program
 * whose event loop is stuck no longer ends by it as it would without us.
 */
function guardEnd(
  name: NodeJS.Signals,
  target: Target,
  newest: () => Frame | undefined,
  { maxPauseMs = 0, stuckMs = defaultStuckMs, onStuck }: SuperviseOptions,
  onKill: () => void,
): void {
  const afterMs = maxPauseMs + stuckMs;
  const timer = setTimeout(() => {
    const frame = newest();
    const handled = frame?.growth?.handled;
    if (frame === undefined || handled === undefined || handled.includes(name)) return;
    onStuck?.(frame.pid, afterMs);
    onKill();
    kill(frame.pid);
  }, afterMs);
  void target.ended.then(() => clearTimeout(timer));
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It ended by itself in the meantime.
  }
}

/** Remembers the end of a life that could not do it itself: in the ledger, and for the report of the next life. */
async function noteEnd(dir: string, life: Life, isStopping: boolean): Promise<void> {
  const { exit, frame, pid, autopsy } = life;
  const story = autopsy.isDeath ? deathStory(autopsiesIn(dir)) : null;
  await recordExit(frame, exit, autopsy, story);
  const isKilled = exit.signal !== null || exit.code === 134 || exit.code === 137;
  const log = readRestartLog(dir);
  // A program that ends with an error once says so itself. One that does it again and again is told.
  if (isStopping || !(isKilled || story !== null) || begunBy(life, log) !== undefined) return;
  const cause = isForMemory(autopsy.cause) ? autopsy.cause.text : `ended by ${exit.signal ?? exit.code}`;
  const reason = story === null ? cause : `${cause}; ${story}`;
  const sessions = frame?.kinds.find(({ kind }) => kind === 'session')?.open ?? 0;
  const at = life.endedAt;
  const none = { parked: 0, lost: 0, interrupted: 0 };
  writeRestartLog(dir, withEntry(log, { at, pid, phase: 'died', reason, exitBy: at, sessions, ...none }));
}

/** Writes into the ledger how a process ended that could not do it itself: killed, aborted, out of memory. */
async function recordExit(
  frame: Frame | undefined,
  exit: ExitFact,
  { cause, release, fingerprint }: Autopsy,
  story: string | null,
): Promise<void> {
  if (frame === undefined || frame.last || frame.ledger.dir === null) return;
  const { code, signal } = exit;
  const ledger = openLedger({ dir: frame.ledger.dir });
  try {
    await ledger.audit({
      kind: 'exit',
      body: {
        pid: frame.pid,
        code,
        signal,
        reason: cause.text,
        cause: cause.name,
        sure: cause.sure,
        ...(release !== null && { release }),
        ...(fingerprint !== null && { fingerprint }),
        ...(story !== null && { story }),
        suspectedOutOfMemory: isForMemory(cause),
        level: frame.level,
        usedBytes: frame.reading.used,
      },
    });
  } catch {
    // The ledger said why in its own warning; the summary is still printed.
  } finally {
    await ledger.close();
  }
}
