import { formatDuration } from '@plimsoll/core/units';
import { failure } from '@plimsoll/core/internal/errors';
import type { RestartEntry, RestartLog } from '@plimsoll/govern/internal/restart/restart-log';
import type { Life } from './life.ts';

/** The step after the end of a life. */
export type NextLife =
  | { readonly step: 'end' }
  /** The program is started again after a pause. */
  | { readonly step: 'start'; readonly afterMs: number; readonly entry: RestartEntry }
  /** The next life was started beside this one and has taken over. */
  | { readonly step: 'handed'; readonly entry: RestartEntry }
  /** The program asks for restarts too often. */
  | { readonly step: 'give-up'; readonly entry: RestartEntry };

export interface NextLifeFacts {
  readonly life: Pick<Life, 'pid' | 'startedAt'>;
  readonly log: RestartLog;
  /** Wall times of earlier restarts in this run. */
  readonly restarts: readonly number[];
  readonly now: number;
  /** Most restarts per hour; 0 for none. */
  readonly mostPerHour: number;
  /** True when a signal asked the run to stop. */
  readonly isStopping: boolean;
}

const hourMs = 3_600_000;
const firstPauseMs = 500;
const longestPauseMs = 30_000;

/** The restart that a life had begun before it ended, however it ended. */
export function begunBy(life: NextLifeFacts['life'], log: RestartLog): RestartEntry | undefined {
  const last = log.entries.at(-1);
  const isOurs =
    last !== undefined &&
    last.pid === life.pid &&
    last.at >= life.startedAt &&
    last.phase !== 'died' &&
    last.resumedBy === undefined;
  return isOurs ? last : undefined;
}

/** Decides whether a program is started again: only when it had begun a restart itself, and only a bounded number of times. */
export function nextLife(facts: NextLifeFacts): NextLife {
  const { life, log, restarts, now, mostPerHour, isStopping } = facts;
  const entry = begunBy(life, log);
  if (entry === undefined || isStopping || mostPerHour === 0) return { step: 'end' };
  const lately = restarts.filter((at) => at > now - hourMs).length;
  if (lately >= mostPerHour) return { step: 'give-up', entry };
  // The policy already bounds restarts whose drain ended well, and every pause is an outage. A drain that did not end well may fail again,
  // so a pause follows.
  const afterMs = entry.phase === 'parked' ? 0 : Math.min(longestPauseMs, firstPauseMs * 2 ** lately);
  return { step: 'start', afterMs, entry };
}

/** The text before a program is started again, or when it is not started any more. */
export function nextLifeText(
  next: Exclude<NextLife, { step: 'end' }>,
  command: string,
  mostPerHour: number,
  count: number,
): string {
  if (next.step === 'give-up') {
    const error = failure('PLM_RESTART_TOO_OFTEN', { command, count: mostPerHour, perMs: hourMs });
    return `given up: ${error.code}: ${error.message} fix: ${error.fix}`;
  }
  const { reason, parked, lost } = next.entry;
  if (next.step === 'handed')
    return `${count} without a gap: ${reason}; the next life has taken over, ${parked} sessions parked, ${lost} lost`;
  const pause = next.afterMs === 0 ? 'now' : `in ${formatDuration(next.afterMs)}`;
  return `${count} ${pause}: ${reason}; ${parked} sessions parked`;
}
