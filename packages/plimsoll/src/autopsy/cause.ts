import { formatByteSize, formatDuration } from '@plimsoll/core/units';
import type {
  BlackBox,
  BoxError,
  BoxExit,
  BoxReading,
  FatalReport,
  LastWords,
} from '@plimsoll/host/protocol/death';
import type { ExitFact } from '../run/report.ts';
import type { OomKills } from './oom-counters.ts';

/** Why a process ended. */
export type CauseName =
  | 'v8-heap-limit'
  | 'worker-heap-limit'
  | 'array-buffer-failure'
  | 'group-oom-kill'
  | 'kernel-oom-kill'
  | 'killed'
  | 'signal'
  | 'crash'
  | 'abort'
  | 'uncaught-error'
  | 'unhandled-rejection'
  | 'stack-overflow'
  | 'disk-full'
  | 'loop-stuck'
  | 'exit-code'
  | 'planned-restart'
  | 'clean-exit'
  | 'unknown';

/** `sure` when the evidence leaves no other cause, `likely` when another one is possible. */
export interface Cause {
  readonly name: CauseName;
  readonly sure: 'sure' | 'likely' | 'unknown';
  /** One sentence. */
  readonly text: string;
  /** The evidence for it. */
  readonly evidence: readonly string[];
}

/** All evidence about the end of a process. */
export interface DeathEvidence {
  /** Null when no supervisor waited for the process. */
  readonly exit: ExitFact | null;
  readonly endedAt: number | null;
  readonly box: BlackBox | undefined;
  readonly fatal: FatalReport | undefined;
  /** The last words of the process. */
  readonly lastWords?: LastWords | undefined;
  readonly oomKills: OomKills | null;
  /** The signal that `plimsoll run` sent or passed on. */
  readonly asked: string | null;
  /** True when `plimsoll run` killed it because it did not end on a signal. */
  readonly wasStuck: boolean;
  /** The reason of a restart that the process began. */
  readonly restart: string | null;
}

/** When the last reading is older than this at the end, the event loop was blocked. */
const stuckMs = 15_000;
const restartCode = 75;

/** The evidence of an end without a supervisor. */
export const nobody = {
  exit: null,
  endedAt: null,
  oomKills: null,
  asked: null,
  wasStuck: false,
  restart: null,
} as const;

/** The cause of a death. Facts from the process or the kernel come before conclusions from the signal alone. */
export function causeOf(evidence: DeathEvidence): Cause {
  return (
    ofSupervisor(evidence) ??
    ofFatalReport(evidence) ??
    ofOwnExit(evidence) ??
    ofSignal(evidence) ??
    ofSilence(evidence)
  );
}

function ofSupervisor({ wasStuck, asked }: DeathEvidence): Cause | undefined {
  if (!wasStuck) return undefined;
  const evidence = [
    `${asked ?? 'a signal'} was sent, the process does not handle it and did not end; plimsoll run killed it`,
  ];
  return { name: 'loop-stuck', sure: 'sure', text: 'its event loop was stuck, so it was killed', evidence };
}

function ofFatalReport({ fatal, box }: DeathEvidence): Cause | undefined {
  if (fatal === undefined) return undefined;
  const { event, trigger, heapUsedBytes } = fatal;
  const evidence = [`V8 ended it: "${event}" (${trigger}, report of Node.js)`];
  const isMemory = /out of memory|heap limit|mark-compacts|OOM/i.test(`${event} ${trigger}`);
  if (!isMemory) return { name: 'abort', sure: 'sure', text: `V8 gave up: ${event}`, evidence };
  if (/array ?buffer|external/i.test(event)) {
    const text = 'V8 could not allocate memory outside of the heap';
    return { name: 'array-buffer-failure', sure: 'sure', text, evidence };
  }
  if (heapUsedBytes !== null) evidence.push(`the heap held ${formatByteSize(heapUsedBytes)} at that moment`);
  return heapLimitCause(fatal, box, evidence);
}

/** The report does not name its thread. The limit of the full heap distinguishes a worker thread from the main thread. */
function heapLimitCause(
  { heapLimitBytes }: FatalReport,
  box: BlackBox | undefined,
  evidence: string[],
): Cause {
  const main = box?.start.heapLimit ?? null;
  if (heapLimitBytes !== null && main !== null && heapLimitBytes !== main) {
    const limits = `${formatByteSize(heapLimitBytes)}, and not ${formatByteSize(main)} as in the main thread`;
    evidence.push(`V8's limit of that heap was ${limits}`);
    const text = 'a worker thread reached its heap limit and took the process with it';
    return { name: 'worker-heap-limit', sure: 'sure', text, evidence };
  }
  const workers = lastReading(box)?.workers ?? 0;
  if (workers > 0)
    evidence.push(`${workers} worker threads had been started; the report does not name the thread`);
  const sure = workers === 0 ? 'sure' : 'likely';
  return { name: 'v8-heap-limit', sure, text: 'it reached the heap limit of V8', evidence };
}

/** The process recorded its own exit, so it was neither killed nor aborted. */
function ofOwnExit({ exit, box, restart }: DeathEvidence): Cause | undefined {
  if (exit !== null && exit.signal !== null) return undefined;
  const end = box?.records.findLast((record): record is BoxExit => record.kind === 'exit');
  const error = box?.records.findLast((record): record is BoxError => record.kind === 'error');
  const code = exit?.code ?? end?.code ?? null;
  const reason = end?.reason ?? restart;
  if (reason !== null && code === restartCode)
    return {
      name: 'planned-restart',
      sure: 'sure',
      text: `it ended to be restarted: ${reason}`,
      evidence: [`exit code ${restartCode}, announced before`],
    };
  if (code === 134 || code === 137 || (code !== null && code > 128 && end === undefined)) return undefined;
  if (error !== undefined && code !== 0 && (code === null || code === 1 || code === 7)) return ofError(error);
  if (code === null) return undefined;
  const who = end?.frames[0];
  const evidence = [`exit code ${code}${who === undefined ? '' : `, process.exit called at ${who}`}`];
  if (code === 0)
    return { name: 'clean-exit', sure: 'sure', text: 'it ended by itself with exit code 0', evidence };
  if (who !== undefined)
    return { name: 'exit-code', sure: 'sure', text: `it called process.exit(${code}) at ${who}`, evidence };
  const text = `it ended by itself with exit code ${code}`;
  // Node.js ends with these codes after an error that nobody caught. An error at the very start comes before the black box is open.
  const mayBeError = end === undefined && (code === 1 || code === 7);
  return mayBeError
    ? { name: 'exit-code', sure: 'likely', text: `${text}, or after an error that nobody caught`, evidence }
    : { name: 'exit-code', sure: 'sure', text, evidence };
}

function ofError({ origin, name, code, phrase, frames }: BoxError): Cause {
  const what = code === null ? name : `${name} [${code}]`;
  const evidence = [
    `${origin}: ${what}${phrase === null ? '' : `, "${phrase}"`}, as the black box has it`,
    ...(frames[0] === undefined ? [] : [`thrown at ${frames[0]}`]),
  ];
  const at = frames[0] === undefined ? '' : ` at ${frames[0]}`;
  const made = (cause: CauseName, text: string): Cause => ({ name: cause, sure: 'sure', text, evidence });
  if (phrase === 'Array buffer allocation failed')
    return made('array-buffer-failure', `an ArrayBuffer could not be allocated${at}, and nobody caught it`);
  if (code === 'ERR_WORKER_OUT_OF_MEMORY')
    return made('worker-heap-limit', 'a worker thread reached its heap limit, and no handler took its error');
  if (phrase === 'Maximum call stack size exceeded')
    return made('stack-overflow', `the stack overflowed${at}, and nobody caught it`);
  if (code === 'ENOSPC') return made('disk-full', `a disk is full (ENOSPC)${at}, and nobody caught it`);
  return origin === 'unhandledRejection'
    ? made('unhandled-rejection', `a promise was rejected with ${what}${at}, and nobody handled it`)
    : made('uncaught-error', `${what} was thrown${at}, and nobody caught it`);
}

function ofSignal(evidence: DeathEvidence): Cause | undefined {
  const signal = signalOf(evidence.exit);
  if (signal === null) return undefined;
  if (signal === 'SIGKILL') return ofKill(evidence);
  if (signal === 'SIGABRT') return ofAbort(evidence);
  const from = evidence.asked === signal ? 'plimsoll run passed it on' : 'the sender is not known';
  if (['SIGSEGV', 'SIGBUS', 'SIGILL', 'SIGFPE', 'SIGTRAP'].includes(signal))
    return {
      name: 'crash',
      sure: 'sure',
      text: `it crashed in native code (${signal})`,
      evidence: [`ended by ${signal}; Node.js wrote no report`],
    };
  return {
    name: 'signal',
    sure: 'sure',
    text: `it was ended by ${signal}`,
    evidence: [`ended by ${signal}; ${from}`],
  };
}

function ofKill({ oomKills, asked, box, endedAt }: DeathEvidence): Cause {
  const last = lastReading(box);
  const near = last !== undefined && last.used >= 0.8 * last.limit;
  const memory =
    last === undefined
      ? []
      : [
          `last reading: ${formatByteSize(last.used)} of ${formatByteSize(last.limit)} (${last.source}), level ${last.level}`,
        ];
  if ((oomKills?.group ?? 0) > 0)
    return {
      name: 'group-oom-kill',
      sure: near ? 'sure' : 'likely',
      text: 'the kernel killed it because its control group was out of memory',
      evidence: ['ended by SIGKILL, and oom_kill of the control group rose at that moment', ...memory],
    };
  if ((oomKills?.machine ?? 0) > 0)
    return {
      name: 'kernel-oom-kill',
      sure: 'likely',
      text: 'the kernel killed it because the machine was out of memory',
      evidence: ['ended by SIGKILL, and oom_kill of the machine rose at that moment', ...memory],
    };
  if (asked === 'SIGKILL')
    return { name: 'killed', sure: 'sure', text: 'plimsoll run killed it', evidence: ['ended by SIGKILL'] };
  const stood = last === undefined || endedAt === null ? 0 : endedAt - last.at;
  const stuck = stood > stuckMs ? [`its event loop had stood still for ${formatDuration(stood)}`] : [];
  const isCounted = oomKills !== null && (oomKills.machine !== null || oomKills.group !== null);
  if (isCounted)
    return {
      name: 'killed',
      sure: 'sure',
      text: 'it was killed with SIGKILL; the kernel killed no process for memory',
      evidence: ['ended by SIGKILL, and no oom_kill counter rose', ...memory, ...stuck],
    };
  const name = near ? 'kernel-oom-kill' : 'killed';
  const text = near
    ? 'it was killed while memory was nearly full, probably by the kernel'
    : 'it was killed with SIGKILL';
  return {
    name,
    sure: 'likely',
    text,
    evidence: ['ended by SIGKILL; the counters of the kernel cannot be read here', ...memory, ...stuck],
  };
}

function ofAbort({ box }: DeathEvidence): Cause {
  const last = lastReading(box);
  const near = last !== undefined && last.used >= 0.9 * last.limit && last.source === 'heap';
  return near
    ? {
        name: 'v8-heap-limit',
        sure: 'likely',
        text: 'it aborted while the heap was nearly full',
        evidence: [
          'ended by SIGABRT without a report of Node.js',
          `last reading: ${formatByteSize(last.used)} of ${formatByteSize(last.limit)}`,
        ],
      }
    : {
        name: 'abort',
        sure: 'likely',
        text: 'it aborted: process.abort() or an assertion in native code',
        evidence: ['ended by SIGABRT, and V8 wrote no report of a fatal error'],
      };
}

/** The cause when no supervisor saw the end and the process wrote nothing about it. */
function ofSilence({ exit, box }: DeathEvidence): Cause {
  const last = lastReading(box);
  if (last === undefined) {
    const evidence = [
      exit === null ? 'no black box was found' : `exit code ${exit.code ?? 'unknown'}, and no black box`,
    ];
    return { name: 'unknown', sure: 'unknown', text: 'nothing is known about its end', evidence };
  }
  const evidence = [
    'the black box ends without an exit record: the process was killed, or the machine went down',
    `last reading: ${formatByteSize(last.used)} of ${formatByteSize(last.limit)} (${last.source}), level ${last.level}`,
  ];
  const near = last.used >= 0.8 * last.limit;
  if (near && last.source === 'cgroup')
    return {
      name: 'group-oom-kill',
      sure: 'likely',
      text: 'it was probably killed because its control group was out of memory',
      evidence,
    };
  return {
    name: near ? 'kernel-oom-kill' : 'killed',
    sure: 'likely',
    text: near ? 'it was killed while memory was nearly full' : 'it was killed from outside',
    evidence,
  };
}

/** Whether lack of memory caused the end, as far as is known. */
export function isForMemory({ name, sure }: Cause): boolean {
  return sure !== 'unknown' && memoryCauses.has(name);
}

const memoryCauses: ReadonlySet<CauseName> = new Set([
  'v8-heap-limit',
  'worker-heap-limit',
  'array-buffer-failure',
  'group-oom-kill',
  'kernel-oom-kill',
]);

export function lastReading(box: BlackBox | undefined): BoxReading | undefined {
  return box?.records.findLast((record): record is BoxReading => record.kind === 'reading');
}

function signalOf(exit: ExitFact | null): string | null {
  if (exit === null) return null;
  if (exit.signal !== null) return exit.signal;
  return exit.code === 134 ? 'SIGABRT' : exit.code === 137 ? 'SIGKILL' : null;
}
