import { catalogue, PlimsollError } from '@plimsoll/core/internal/errors';
import type { ErrorText } from '@plimsoll/core/internal/errors/entry';

/**
 * Why the process of a task ended.
 * - `heap`: V8 reached its heap limit.
 * - `outside-heap`: buffers and native memory exceeded the limit of the process, and its guard ended it.
 * - `cgroup`: the kernel ended it at the limit of its control group.
 * - `timeout`, `aborted`: we ended it.
 * - `crashed`: it ended by itself or by a signal from elsewhere.
 */
export type DeathCause = 'heap' | 'outside-heap' | 'cgroup' | 'timeout' | 'aborted' | 'crashed';

/** The facts about a process that died with a task. */
export interface IsolateAutopsy {
  readonly cause: DeathCause;
  readonly pid: number;
  readonly limitBytes: number;
  /** Most resident bytes that were measured, above those of the empty process. */
  readonly peakBytes: number;
  /** Time from taking the task to the end. */
  readonly ms: number;
  readonly exitCode: number | null;
  readonly signal: string | null;
  /** The last line that the process wrote to its stderr. For a V8 abort it is V8's own sentence. */
  readonly lastLine: string | undefined;
}

/** Rejection of a call whose process died or was ended. */
export class IsolateError extends PlimsollError {
  /** Undefined when no process had taken the call. */
  readonly autopsy: IsolateAutopsy | undefined;

  constructor(code: string, text: ErrorText, autopsy: IsolateAutopsy | undefined, cause?: unknown) {
    super(code, text, cause === undefined ? undefined : { cause });
    this.name = 'IsolateError';
    this.autopsy = autopsy;
  }
}

/** True for an error of this package, also from another copy of it. */
export function isIsolateError(value: unknown): value is IsolateError {
  return value instanceof Error && String((value as { code?: unknown }).code).startsWith('PLM_ISOLATE_');
}

const heapSays = {
  heap: 'V8 reached its heap limit',
  'outside-heap': 'memory outside the heap took it over',
  cgroup: 'the kernel ended it at the limit of its control group',
} as const;

/** The error that a caller gets for a process that died. */
export function deathError(
  task: string,
  autopsy: IsolateAutopsy,
  given: { readonly reason?: string; readonly cause?: unknown } = {},
): IsolateError {
  const { cause, limitBytes, peakBytes, ms } = autopsy;
  switch (cause) {
    case 'heap':
    case 'outside-heap':
    case 'cgroup': {
      const details = { task, limit: limitBytes, how: heapSays[cause], peak: peakBytes, ms };
      return new IsolateError(
        'PLM_ISOLATE_LIMIT',
        catalogue.PLM_ISOLATE_LIMIT.text(details),
        autopsy,
        given.cause,
      );
    }
    case 'timeout':
      return new IsolateError(
        'PLM_ISOLATE_TIMEOUT',
        catalogue.PLM_ISOLATE_TIMEOUT.text({ task, ms }),
        autopsy,
      );
    case 'aborted':
      return abortedError(task, given.reason ?? 'aborted', given.cause, autopsy);
    default: {
      const end = autopsy.signal === null ? `exit code ${autopsy.exitCode}` : `signal ${autopsy.signal}`;
      const text = catalogue.PLM_ISOLATE_CRASHED.text({ task, end, line: autopsy.lastLine });
      return new IsolateError('PLM_ISOLATE_CRASHED', text, autopsy, given.cause);
    }
  }
}

export function abortedError(
  task: string,
  reason: string,
  cause: unknown,
  autopsy?: IsolateAutopsy,
): IsolateError {
  const text = catalogue.PLM_ISOLATE_ABORTED.text({ task, reason });
  return new IsolateError('PLM_ISOLATE_ABORTED', text, autopsy, cause);
}

/** An error without a process: the call was not taken. */
export function refusal(
  code: 'PLM_ISOLATE_CLOSED' | 'PLM_ISOLATE_QUEUE_FULL',
  text: ErrorText,
): IsolateError {
  return new IsolateError(code, text, undefined);
}
