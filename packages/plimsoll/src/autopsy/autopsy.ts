import type { BlackBox, BoxReading, FatalReport, LastWords } from '@plimsoll/host/protocol/death';
import { causeOf, lastReading } from './cause.ts';
import type { Cause, CauseName, DeathEvidence } from './cause.ts';

/** A scope or keeper that grew between two readings. */
interface Grown {
  readonly name: string;
  readonly bytes: number;
  readonly grewBytes: number;
}

/** Why a process ended, and what it held. Names and numbers only. */
export interface Autopsy {
  readonly pid: number;
  readonly target: string;
  /** Version of the program; null when it is not known. */
  readonly release: string | null;
  readonly startedAt: number | null;
  readonly endedAt: number | null;
  readonly cause: Cause;
  /** False for a clean end, a planned restart and a signal that was passed on. */
  readonly isDeath: boolean;
  /** The readings of the last minute, oldest first. */
  readonly lastMinute: readonly Pick<
    BoxReading,
    'at' | 'used' | 'limit' | 'heapUsed' | 'floor' | 'external' | 'rss' | 'level' | 'loopDelayMs'
  >[];
  /** The last reading by kind of memory; null when there was none. */
  readonly memory: Pick<
    BoxReading,
    'used' | 'limit' | 'source' | 'heapUsed' | 'floor' | 'external' | 'arrayBuffers' | 'rss' | 'level'
  > | null;
  /** The ten scopes and keepers that grew most since the first record of the box. */
  readonly grew: readonly Grown[];
  /** Scopes that were open at the end, by kind. */
  readonly open: Readonly<Record<string, number>>;
  readonly refused: number;
  /** Actions that were running. */
  readonly running: readonly string[];
  /** The incident that was open, in one sentence. */
  readonly incident: string | null;
  /** Fingerprint of its gravest finding. When several deaths have the same one, the same leak killed them all. */
  readonly fingerprint: string | null;
  /** The JavaScript stack at the end, as far as it is known. */
  readonly stack: readonly string[];
  /** Its last words; null when it left none. */
  readonly lastWords: LastWords | null;
  readonly fix: string;
}

const minuteMs = 60_000;
const mostGrown = 10;

const fixes: Readonly<Record<CauseName, string>> = {
  'v8-heap-limit':
    'find what grows: plimsoll run --report out.html -- the same command; raise --max-old-space-size only when nothing leaks.',
  'worker-heap-limit':
    'raise resourceLimits of the worker, or let it do less at once; handle the "error" event of every worker.',
  'array-buffer-failure': 'look for Buffers that are kept or too large; bound uploads and results.',
  'group-oom-kill':
    'give the container more memory than V8 may use, or start Node with a lower --max-old-space-size.',
  'kernel-oom-kill':
    'give the machine more memory or the processes on it lower limits; see who was large in the log of the kernel (dmesg).',
  killed: 'ask who sends SIGKILL: an orchestrator whose stop timeout passed, a health check, a person.',
  signal: 'handle the signal and drain (docs/guides/restart.md) when work gets lost by it.',
  crash: 'look at native add-ons first; run with --report-on-fatalerror and a core dump.',
  abort: 'look for process.abort() and for native add-ons that assert.',
  'uncaught-error': 'mend or catch the error at the place above.',
  'unhandled-rejection': 'await the promise or handle its rejection at the place above.',
  'stack-overflow': 'bound the recursion at the place above.',
  'disk-full': 'free space on the disk that the program writes to, or handle ENOSPC.',
  'loop-stuck':
    'look for a loop that does not end or a synchronous call that takes long; plimsoll attach shows where while it runs.',
  'exit-code': 'see who calls process.exit, or what sets process.exitCode.',
  'planned-restart': 'nothing: it is started again.',
  'clean-exit': 'nothing.',
  unknown: 'run the program under plimsoll run, which leaves a black box.',
};

/** The autopsy of a process from all evidence about its end. */
export function autopsyOf(pid: number, target: string, evidence: DeathEvidence): Autopsy {
  const { box, fatal, endedAt, asked } = evidence;
  const cause = causeOf(evidence);
  const last = lastReading(box);
  const isAsked = cause.name === 'signal' && asked !== null;
  return {
    pid,
    target: box?.start.target ?? target,
    release: box?.start.release ?? null,
    startedAt: box?.start.at ?? null,
    endedAt: endedAt ?? box?.records.at(-1)?.at ?? null,
    cause,
    isDeath: !['clean-exit', 'planned-restart'].includes(cause.name) && !isAsked,
    lastMinute: lastMinuteOf(box),
    memory: last === undefined ? null : memoryOf(last),
    grew: grewMost(box),
    open: last?.open ?? {},
    refused: last?.refused ?? 0,
    running: last?.actions ?? [],
    incident: last?.incident ?? null,
    fingerprint: last?.fingerprint ?? null,
    stack: stackOf(box, fatal),
    lastWords: evidence.lastWords ?? null,
    fix: fixes[cause.name],
  };
}

/** A few readings of the last minute, evenly chosen, with the last one. */
export function fewReadings(all: Autopsy['lastMinute'], most: number): Autopsy['lastMinute'] {
  const step = Math.max(1, Math.ceil(all.length / most));
  return all.filter((_, i) => (all.length - 1 - i) % step === 0);
}

function lastMinuteOf(box: BlackBox | undefined): Autopsy['lastMinute'] {
  const readings = readingsOf(box);
  const end = readings.at(-1)?.at ?? 0;
  return readings
    .filter(({ at }) => end - at <= minuteMs)
    .map(({ at, used, limit, heapUsed, floor, external, rss, level, loopDelayMs }) => ({
      at,
      used,
      limit,
      heapUsed,
      floor,
      external,
      rss,
      level,
      loopDelayMs,
    }));
}

function memoryOf(last: BoxReading): Autopsy['memory'] {
  const { used, limit, source, heapUsed, floor, external, arrayBuffers, rss, level } = last;
  return { used, limit, source, heapUsed, floor, external, arrayBuffers, rss, level };
}

function grewMost(box: BlackBox | undefined): readonly Grown[] {
  const first = new Map<string, number>();
  const last = new Map<string, number>();
  for (const { scopes, keepers } of readingsOf(box))
    for (const [name, bytes] of [...scopes, ...keepers]) {
      if (!first.has(name)) first.set(name, bytes);
      last.set(name, bytes);
    }
  return [...last]
    .map(([name, bytes]) => ({ name, bytes, grewBytes: bytes - (first.get(name) ?? 0) }))
    .sort((a, b) => b.grewBytes - a.grewBytes || b.bytes - a.bytes)
    .slice(0, mostGrown);
}

function stackOf(box: BlackBox | undefined, fatal: FatalReport | undefined): readonly string[] {
  if (fatal !== undefined && fatal.frames.length > 0) return fatal.frames;
  const end = box?.records.findLast((record) => record.kind === 'error') ?? box?.records.at(-1);
  return end !== undefined && end.kind !== 'reading' ? end.frames : [];
}

function readingsOf(box: BlackBox | undefined): readonly BoxReading[] {
  return box?.records.filter((record) => record.kind === 'reading') ?? [];
}
