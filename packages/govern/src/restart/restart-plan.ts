import { formatDuration } from '@plimsoll/core/units';
import type { RestartRequest } from '@plimsoll/core/internal/gate/drain-hooks';

/** The exit code of a process that ended to be started again (EX_TEMPFAIL of sysexits: try again); `plimsoll run` starts it anew. */
export const restartExitCode = 75;

/** What the planner knows of this process and of the lives before it. */
export interface RestartFacts {
  /** Wall time. */
  readonly now: number;
  readonly uptimeMs: number;
  /** Wall times of restarts, also of earlier lives. */
  readonly restarts: readonly number[];
  /** 0 to below 1. */
  readonly random: number;
}

type RestartPlan =
  | {
      readonly verdict: 'go';
      /** The drain begins after this: a fleet does not go at once. */
      readonly drainInMs: number;
      /** Work has this long. */
      readonly drainMs: number;
      /** Then sessions are parked for at most this long. */
      readonly parkMs: number;
      /** By then the process has ended, whatever hangs. */
      readonly exitInMs: number;
    }
  | { readonly verdict: 'refused'; readonly why: string };

const usualMinUptimeMs = 60_000;
const leastParkMs = 2000;
const mostParkMs = 30_000;
/** Between the last phase and the end: the ledger's last entries. */
const closingMs = 1000;

/**
 * Decides whether and when a process is drained and restarted. A restart that comes too soon after the last would only bring back what it
 * cured, so there are at most so many per period over all lives of the program, and none of a process that has hardly begun.
 */
export function planRestart(order: RestartRequest, facts: RestartFacts): RestartPlan {
  const { atMost, minUptimeMs = usualMinUptimeMs } = order;
  if (facts.uptimeMs < minUptimeMs) {
    const age = formatDuration(facts.uptimeMs);
    const why = `it has run for ${age} of the ${formatDuration(minUptimeMs)} that a restart needs: what fills it so soon would be back`;
    return { verdict: 'refused', why };
  }
  // A wall clock that was set back leaves times in the future; those of a clock that was far ahead mean nothing.
  const lately = facts.restarts.filter(
    (at) => at > facts.now - atMost.perMs && at <= facts.now + atMost.perMs,
  ).length;
  if (lately >= atMost.count) {
    const most = `${atMost.count} per ${formatDuration(atMost.perMs)}`;
    return {
      verdict: 'refused',
      why: `${lately} restarts lately and the most is ${most}: somebody has to look`,
    };
  }
  const { drainMs } = order;
  const drainInMs = Math.round(Math.max(0, order.jitterMs) * facts.random);
  const parkMs = Math.min(mostParkMs, Math.max(leastParkMs, drainMs / 2));
  return {
    verdict: 'go',
    drainInMs,
    drainMs,
    parkMs,
    exitInMs: drainInMs + drainMs + parkMs + closingMs,
  };
}
