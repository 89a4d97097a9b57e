import { formatDuration } from '@plimsoll/core/units';
import type { RestartRequest } from '@plimsoll/core/internal/gate/drain-hooks';

/** The exit code of a process that ended to be started again (EX_TEMPFAIL of sysexits: try again); `plimsoll run` starts it anew. */
export const restartExitCode = 75;

/** What the planner knows of this process and of the lives before it. */
export interface RestartFacts {
  /** Wall time. */
  readonly now: number;
  readonly uptimeMs: number;
  /** Wall times of restarts with a gap, also of earlier lives. */
  readonly restarts: readonly number[];
  /** Wall times of those in which the next life took over first. */
  readonly handovers: readonly number[];
  /** The next life can take over before this one ends. */
  readonly mayHandOver: boolean;
  /** 0 to below 1. */
  readonly random: number;
  /** Ms until V8 or the kernel ends the process at its pace; undefined when that is not in sight. */
  readonly endsInMs?: number | undefined;
}

export type RestartPlan =
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
      /** The next life takes over first, within the bound of handovers. */
      readonly isHandover?: true;
      /** Why a restart with a gap is refused: without that next life there is none. */
      readonly onlyHandedOver?: string;
    }
  | { readonly verdict: 'refused'; readonly why: string };

const usualMinUptimeMs = 60_000;
const usualHandovers = { count: 60, perMs: 3_600_000 };
/** A next life that fills this soon would be followed by the next at once. */
const handoverUptimeMs = 10_000;
/** With less time left than this the next life would not be up before the end. */
const handoverNeedsMs = 5000;
const leastParkMs = 2000;
const mostParkMs = 30_000;
/** Between the last phase and the end: the ledger's last entries. */
const closingMs = 1000;
/** A process that has less time than this left ends in order, whatever speaks against a restart. Work then has this much of it. */
export const lastCallMs = 20_000;
const lastDrainMs = 5000;

/**
 * Decides whether and when a process is drained and restarted. A restart that comes too soon after the last would only bring back what it
 * cured, so there are at most so many per period over all lives of the program, and none of a process that has hardly begun.
 *
 * Where the next life takes over first nobody notices the restart, so that it is neither too early nor too often for these bounds and
 * needs no jitter: a fleet keeps its capacity. It has a bound of its own.
 *
 * A process that V8 or the kernel is about to end is drained all the same. The bounds would not keep it alive: they would only turn an end
 * with parked sessions into an abort without.
 */
export function planRestart(order: RestartRequest, facts: RestartFacts): RestartPlan {
  const why = refusalOf(order, facts);
  if (mayHandOver(order, facts))
    return {
      ...planOf(0, order.drainMs),
      isHandover: true,
      ...(why !== undefined && { onlyHandedOver: why }),
    };
  if (why === undefined) return planOf(Math.round(Math.max(0, order.jitterMs) * facts.random), order.drainMs);
  if (facts.endsInMs === undefined || facts.endsInMs > lastCallMs) return { verdict: 'refused', why };
  return { ...planOf(0, Math.min(order.drainMs, lastDrainMs)), despite: why };
}

function planOf(drainInMs: number, drainMs: number): RestartPlan & { readonly verdict: 'go' } {
  const parkMs = Math.min(mostParkMs, Math.max(leastParkMs, drainMs / 2));
  return { verdict: 'go', drainInMs, drainMs, parkMs, exitInMs: drainInMs + drainMs + parkMs + closingMs };
}

/** Whether the next life can take over first, now and within the bound of handovers. */
export function mayHandOver(
  {
    handovers: { count, perMs } = usualHandovers,
    overlapBytes,
  }: Pick<RestartRequest, 'handovers' | 'overlapBytes'>,
  facts: Pick<RestartFacts, 'mayHandOver' | 'uptimeMs' | 'endsInMs' | 'handovers' | 'now'>,
): boolean {
  if (!facts.mayHandOver || overlapBytes === 0 || facts.uptimeMs < handoverUptimeMs) return false;
  if (facts.endsInMs !== undefined && facts.endsInMs < handoverNeedsMs) return false;
  return latelyOf(facts.handovers, facts.now, perMs) < count;
}

/** Why no restart is due; undefined when one is. */
function refusalOf(order: RestartRequest, facts: RestartFacts): string | undefined {
  const { atMost, minUptimeMs = usualMinUptimeMs } = order;
  if (facts.uptimeMs < minUptimeMs)
    return `it has run for ${formatDuration(facts.uptimeMs)} of the ${formatDuration(minUptimeMs)} that a restart needs: what fills it so soon would be back`;
  const lately = latelyOf(facts.restarts, facts.now, atMost.perMs);
  if (lately < atMost.count) return undefined;
  const most = `${atMost.count} per ${formatDuration(atMost.perMs)}`;
  return `${lately} ${lately === 1 ? 'restart' : 'restarts'} lately and the most is ${most}: somebody has to look`;
}

/** A wall clock that was set back leaves times in the future; those of a clock that was far ahead mean nothing. */
function latelyOf(times: readonly number[], now: number, perMs: number): number {
  return times.filter((at) => at > now - perMs && at <= now + perMs).length;
}
