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
  /** Ms until V8 or the kernel ends the process at its pace; undefined when that is not in sight. */
  readonly endsInMs?: number | undefined;
}

type RestartPlan =
  | {
      readonly verdict: 'go';
      /** The drain begins after this time, so that a fleet does not restart at once. */
      readonly drainInMs: number;
      /** Work has this long. */
      readonly drainMs: number;
      /** Then sessions are parked for at most this long. */
      readonly parkMs: number;
      /** By then the process has ended, whatever hangs. */
      readonly exitInMs: number;
      /** Why a restart would have been refused, had the process not been about to die. */
      readonly despite?: string;
    }
  | { readonly verdict: 'refused'; readonly why: string };

const usualMinUptimeMs = 60_000;
const leastParkMs = 2000;
const mostParkMs = 30_000;
/** Between the last phase and the end: the ledger's last entries. */
const closingMs = 1000;
/** A process that has less time than this left ends in order, whatever speaks against a restart. Work then has this much of it. */
const lastCallMs = 20_000;
const lastDrainMs = 5000;

/**
 * Decides whether and when a process is drained and restarted. A restart that comes too soon after the last would only bring back what it
 * cured, so there are at most so many per period over all lives of the program, and none of a process that has hardly begun.
 *
 * A process that V8 or the kernel is about to end is drained all the same. The bounds would not keep it alive: they would only turn an end
 * with parked sessions into an abort without.
 */
export function planRestart(order: RestartRequest, facts: RestartFacts): RestartPlan {
  const why = refusalOf(order, facts);
  if (why === undefined) return planOf(Math.round(Math.max(0, order.jitterMs) * facts.random), order.drainMs);
  if (facts.endsInMs === undefined || facts.endsInMs > lastCallMs) return { verdict: 'refused', why };
  return { ...planOf(0, Math.min(order.drainMs, lastDrainMs)), despite: why };
}

function planOf(drainInMs: number, drainMs: number): RestartPlan & { readonly verdict: 'go' } {
  const parkMs = Math.min(mostParkMs, Math.max(leastParkMs, drainMs / 2));
  return { verdict: 'go', drainInMs, drainMs, parkMs, exitInMs: drainInMs + drainMs + parkMs + closingMs };
}

/** Why no restart is due; undefined when one is. */
function refusalOf(order: RestartRequest, facts: RestartFacts): string | undefined {
  const { atMost, minUptimeMs = usualMinUptimeMs } = order;
  if (facts.uptimeMs < minUptimeMs)
    return `it has run for ${formatDuration(facts.uptimeMs)} of the ${formatDuration(minUptimeMs)} that a restart needs: what fills it so soon would be back`;
  // A wall clock that was set back leaves times in the future; those of a clock that was far ahead mean nothing.
  const lately = facts.restarts.filter(
    (at) => at > facts.now - atMost.perMs && at <= facts.now + atMost.perMs,
  ).length;
  if (lately < atMost.count) return undefined;
  const most = `${atMost.count} per ${formatDuration(atMost.perMs)}`;
  return `${lately} ${lately === 1 ? 'restart' : 'restarts'} lately and the most is ${most}: somebody has to look`;
}
