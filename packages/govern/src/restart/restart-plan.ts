import { formatDuration } from '@plimsoll/core/units';
import type { RestartRequest } from '@plimsoll/core/internal/gate/drain-hooks';

/** The exit code of a planned restart (EX_TEMPFAIL of sysexits: try again). `plimsoll run` then starts the program again. */
export const restartExitCode = 75;

/** Facts about this process and the earlier lives. */
export interface RestartFacts {
  /** Wall time. */
  readonly now: number;
  readonly uptimeMs: number;
  /** Wall times of restarts with a gap, also of earlier lives. */
  readonly restarts: readonly number[];
  /** Wall times of restarts in which the next life took over first. */
  readonly handovers: readonly number[];
  /** True when the next life can take over before this one ends. */
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
      /** Time for running work. */
      readonly drainMs: number;
      /** Longest time for parking sessions after that. */
      readonly parkMs: number;
      /** Latest end of the process, even when something hangs. */
      readonly exitInMs: number;
      /** Why the restart would have been refused if the process were not about to die. */
      readonly despite?: string;
      /** True when the next life takes over first, within the bound of handovers. */
      readonly isHandover?: true;
      /** Why a restart with a gap is refused. The restart then happens only as a handover. */
      readonly onlyHandedOver?: string;
    }
  | { readonly verdict: 'refused'; readonly why: string };

const usualMinUptimeMs = 60_000;
const usualHandovers = { count: 60, perMs: 3_600_000 };
/** Least uptime before a handover. A life that fills its memory sooner would be handed over again and again. */
const handoverUptimeMs = 10_000;
/** Least remaining time for a handover. With less, the next life would not be up before the end. */
const handoverNeedsMs = 5000;
const leastParkMs = 2000;
const mostParkMs = 30_000;
/** Time between the last phase and the end, for the last entries of the ledger. */
const closingMs = 1000;
/** A process with less time left than this is restarted in order, despite all bounds on restarts. Running work then has `lastDrainMs`. */
export const lastCallMs = 20_000;
const lastDrainMs = 5000;

/**
 * Decides whether and when a process is drained and restarted. Restarts in quick succession do not cure anything, so their number per
 * period over all lives is bounded, and a young process is not restarted.
 *
 * When the next life takes over first, no client notices the restart. So these bounds do not apply, and it needs no jitter, because a fleet
 * keeps its capacity. It has a bound of its own.
 *
 * A process that V8 or the kernel is about to end is drained all the same. The bounds could not keep it alive. They would only replace an
 * end with parked sessions by an abort without them.
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
    return `it has run for ${formatDuration(facts.uptimeMs)} of the ${formatDuration(minUptimeMs)} that a restart needs, because it would soon be full again`;
  const lately = latelyOf(facts.restarts, facts.now, atMost.perMs);
  if (lately < atMost.count) return undefined;
  const most = `${atMost.count} per ${formatDuration(atMost.perMs)}`;
  return `${lately} ${lately === 1 ? 'restart' : 'restarts'} lately and the most is ${most}: a person has to look`;
}

/** Number of recent times. A wall clock that was set back leaves times in the future; times far ahead are ignored. */
function latelyOf(times: readonly number[], now: number, perMs: number): number {
  return times.filter((at) => at > now - perMs && at <= now + perMs).length;
}
