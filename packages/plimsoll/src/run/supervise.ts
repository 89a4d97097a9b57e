import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { withEntry } from '@plimsoll/govern/internal/restart/restart-log';
import type { Frame } from '@plimsoll/host/protocol/frame';
import { readHandover, readRestartLog, writeHandover, writeRestartLog } from '@plimsoll/host/protocol';
import { formatByteSize } from '@plimsoll/core/units';
import { autopsyBody } from '../autopsy/autopsy-entry.ts';
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
import type { AuditEntry } from '@plimsoll/ledger';
import type { ExitFact } from './report.ts';

export interface SuperviseOptions extends Omit<LifeOptions, 'onStart'> {
  /** Most restarts per hour; 0 for none. */
  readonly mostPerHour: number;
  /** Called before a program is started again, and when it is given up. */
  readonly onNext: (next: Exclude<NextLife, { step: 'end' }>, restarts: number) => void;
  /** Longest allowed stop for a snapshot, in ms; default 0. */
  readonly maxPauseMs?: number;
  /** Additional ms in which a program has to end on a signal that it does not handle; default 20 s. */
  readonly stuckMs?: number;
  /** Called when a process did not end on a signal and is killed. */
  readonly onStuck?: (pid: number, afterMs: number) => void;
  /** Source of our own signals. */
  readonly signals?: NodeJS.EventEmitter;
}

/** Interval of checks for a life that asks for the next one. */
const handoverMs = 200;
/** Expected memory of the next life, as a factor on the resident bytes of a young one. */
const roomRatio = 1.5;
const youngMs = 30_000;
const overdueCheckMs = 1000;
/** A process that is still alive this long after the deadline of its drain hangs for good. */
const overdueMs = 5000;

/** Time for a program without handlers of its own to end on a signal. It ends at once unless its event loop is busy. */
const defaultStuckMs = 20_000;

/** A running life, and the next one when that runs beside it. */
interface Running {
  readonly life: Promise<Life>;
  readonly startedAt: number;
  target: Target | undefined;
  newest: () => Frame | undefined;
  /** Most resident bytes in its first half minute, as the estimate for the next life. */
  youngBytes: number;
  successor: Running | undefined;
  isOver: boolean;
}

/**
 * Runs a program through its lives. A program that ends for a restart is started again, with a pause that doubles, up to the bound on
 * restarts. A life may ask for the next one to be started beside it first. Our signals go to every running life. After a signal to end, no
 * next life starts.
 */
export async function supervise(options: SuperviseOptions): Promise<readonly Life[]> {
  const { dir, mostPerHour } = options;
  const lives: Life[] = [];
  const restarts: number[] = [];
  const stop = new AbortController();
  const on = new Set<Running>();
  let current: Running | undefined;
  let asked: string | null = null;
  let wasStuck = false;
  const oom = new OomCounters();
  const signalAll = (name: NodeJS.Signals): void => {
    for (const { target } of on) target?.signal(name);
  };
  const stopSignals = passSignals({ signal: signalAll }, options.signals ?? process, (name) => {
    if (name === 'SIGUSR2') return;
    asked = name;
    stop.abort();
    for (const { target, newest } of on)
      if (target !== undefined)
        guardEnd(name, target, newest, options, () => {
          wasStuck = true;
        });
  });
  const stopWatching = onParentLost(
    () => {
      // Ctrl-C reaches the program directly and ends npm. A second signal would cut the drain of the program short.
      if (stop.signal.aborted) return;
      asked = 'SIGTERM';
      stop.abort();
      signalAll('SIGTERM');
    },
    { env: options.launch.env },
  );

  const begin = (before?: number): Running => {
    const { launch } = options;
    // A launcher such as npm does not pass on the channel for handing sockets over.
    const hasLink = mostPerHour > 0 && launch.isNode === true;
    const env = hasLink ? { ...launch.env, ...overlapEnv(before) } : launch.env;
    const running: Running = {
      startedAt: Date.now(),
      target: undefined,
      newest: () => undefined,
      youngBytes: 0,
      successor: undefined,
      isOver: false,
      life: live({
        ...options,
        launch: { ...launch, env, hasLink },
        onFrame: (frame) => {
          if (frame.at - running.startedAt < youngMs)
            running.youngBytes = Math.max(running.youngBytes, frame.reading.rss);
          // Frames of the next life are passed on only after the old one has ended.
          if (running === current) options.onFrame(frame);
        },
        successorAt: () => running.successor?.startedAt,
        ending: () => ({ asked, wasStuck, oomKills: oom.rise() }),
        onStart: (started, newestFrame) => {
          running.target = started;
          running.newest = newestFrame;
          // The signal came while no life was running.
          if (stop.signal.aborted) started.signal('SIGTERM');
          guardDrain(dir, started, newestFrame);
          if (hasLink) followHandover(dir, running, refusal, begin);
        },
      }),
    };
    on.add(running);
    const end = (): void => {
      running.isOver = true;
      on.delete(running);
    };
    running.life.then(end, end);
    return running;
  };
  /** Why no next life can be started beside this one; undefined when it can. */
  const refusal = (running: Running, mostBytes: number | null): string | undefined => {
    if (stop.signal.aborted) return 'the run ends';
    return noRoom(mostBytes ?? Math.ceil(roomRatio * running.youngBytes));
  };

  try {
    current = begin();
    for (;;) {
      const ended: Running = current;
      const life = await ended.life;
      lives.push(life);
      await noteEnd(dir, life, stop.signal.aborted);
      const isStopping = stop.signal.aborted;
      const log = readRestartLog(dir);
      if (ended.successor !== undefined && !ended.successor.isOver) {
        const entry = begunBy(life, log);
        if (entry !== undefined) {
          options.onNext({ step: 'handed', entry }, lives.length);
          writeRestartLog(dir, withEntry(log, { ...entry, resumedBy: ended.successor.target?.pid ?? 0 }));
        }
        current = ended.successor;
        continue;
      }
      const next = nextLife({ life, log, restarts, now: Date.now(), mostPerHour, isStopping });
      if (next.step === 'end') return lives;
      options.onNext(next, lives.length);
      if (next.step === 'give-up') return lives;
      restarts.push(Date.now());
      if (next.step === 'start')
        await delay(next.afterMs, undefined, { signal: stop.signal }).catch(() => undefined);
      if (stop.signal.aborted) return lives;
      current = begin();
    }
  } finally {
    oom.close();
    stopWatching();
    stopSignals();
  }
}

function overlapEnv(before: number | undefined): Record<string, string | undefined> {
  return { PLIMSOLL_OVERLAP: '1', PLIMSOLL_TAKES_OVER: before === undefined ? undefined : String(before) };
}

/** Why a second life of this size does not fit beside the first; undefined when it does. */
function noRoom(bytes: number): string | undefined {
  const free = process.availableMemory();
  if (free >= bytes) return undefined;
  return `it would take about ${formatByteSize(bytes)} beside this one and ${formatByteSize(free)} are free`;
}

/** Starts the next life when this one asks for it, or answers why not. */
function followHandover(
  dir: string,
  running: Running,
  refusal: (running: Running, mostBytes: number | null) => string | undefined,
  begin: (before: number) => Running,
): void {
  running.target?.onHanded((message, server) => {
    running.successor?.target?.give(message, server);
    // Closed at once. Otherwise this process would accept connections of the program.
    server?.close();
  });
  const timer = setInterval(() => {
    const found = readHandover(dir);
    if (found === undefined || found.from !== (running.newest()?.pid ?? running.target?.pid)) return;
    if (found.phase === 'wanted') {
      const why = refusal(running, found.mostBytes);
      writeHandover(
        dir,
        why === undefined ? { ...found, phase: 'starting' } : { ...found, phase: 'alone', why },
      );
      if (why === undefined) follow(begin(found.from));
    } else if (found.phase === 'alone' && running.successor !== undefined) {
      // The next life was too slow. The program is started again when this life has ended.
      running.successor.target?.signal('SIGKILL');
      running.successor = undefined;
    }
  }, handoverMs);
  const follow = (successor: Running): void => {
    running.successor = successor;
    const failed = (): void => {
      const found = readHandover(dir);
      if (running.isOver || running.successor !== successor || found === undefined) return;
      running.successor = undefined;
      writeHandover(dir, { ...found, phase: 'alone', why: 'the next life ended before it was ready' });
    };
    successor.life.then(failed, failed);
  };
  void running.target?.ended.then(() => clearInterval(timer));
}

/** Kills a process whose drain is past its deadline, because a process with a blocked event loop cannot end itself. */
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
 * Kills a process that did not end on a signal that it does not handle. The host listens to the signal for a last reading, so a program
 * with a blocked event loop no longer ends on it, as it would without us.
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

/** Records the end of a life that could not do it itself: in the ledger, and for the report of the next life. */
async function noteEnd(dir: string, life: Life, isStopping: boolean): Promise<void> {
  const { exit, frame, pid, autopsy } = life;
  const story = autopsy.isDeath ? deathStory(autopsiesIn(dir)) : null;
  await recordEnd(dir, life, story);
  const isKilled = exit.signal !== null || exit.code === 134 || exit.code === 137;
  const log = readRestartLog(dir);
  // A single end with an error is the program's own message. Repeated ones are reported.
  if (isStopping || !(isKilled || story !== null) || begunBy(life, log) !== undefined) return;
  const cause = isForMemory(autopsy.cause) ? autopsy.cause.text : `ended by ${exit.signal ?? exit.code}`;
  const reason = story === null ? cause : `${cause}; ${story}`;
  const sessions = frame?.kinds.find(({ kind }) => kind === 'session')?.open ?? 0;
  const at = life.endedAt;
  const none = { parked: 0, lost: 0, interrupted: 0 };
  writeRestartLog(dir, withEntry(log, { at, pid, phase: 'died', reason, exitBy: at, sessions, ...none }));
}

/**
 * Writes the end of a process that could not do it itself (killed, aborted, out of memory) into the ledger, with the autopsy for the fleet.
 */
async function recordEnd(dir: string, life: Life, story: string | null): Promise<void> {
  const { frame, autopsy } = life;
  const isUnsaid = frame !== undefined && !frame.last;
  if ((!isUnsaid && !autopsy.isDeath) || frame?.ledger.dir === null) return;
  const folder = frame?.ledger.dir ?? join(dir, 'ledger');
  if (!existsSync(folder)) return;
  const ledger = openLedger({ dir: folder });
  try {
    if (isUnsaid) await ledger.audit({ kind: 'exit', body: exitBody(frame, life.exit, autopsy, story) });
    if (autopsy.isDeath) await ledger.audit({ kind: 'autopsy', body: autopsyBody(autopsy) });
  } catch {
    // The ledger has emitted a warning with the reason. The summary is still printed.
  } finally {
    await ledger.close();
  }
}

function exitBody(
  frame: Frame,
  { code, signal }: ExitFact,
  { cause, release, fingerprint, isDeath }: Autopsy,
  story: string | null,
): NonNullable<AuditEntry['body']> {
  return {
    pid: frame.pid,
    code,
    signal,
    reason: cause.text,
    cause: cause.name,
    sure: cause.sure,
    isDeath,
    ...(release !== null && { release }),
    ...(fingerprint !== null && { fingerprint }),
    ...(story !== null && { story }),
    suspectedOutOfMemory: isForMemory(cause),
    level: frame.level,
    usedBytes: frame.reading.used,
  };
}
