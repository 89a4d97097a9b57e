import type { Priority } from '@plimsoll/core/internal/level';
import type { LeverRange } from '../actions/levers.ts';
import type { RefusalFacts } from '@plimsoll/core/internal/gate/admit-error';
import type { AdmitOptions, Clamp, ShedPoint } from '@plimsoll/core/internal/gate/shed-point';

/** Why a caller is not admitted, before the refusal is counted. */
export type Objection = Pick<RefusalFacts, 'reason' | 'rule' | 'retryable' | 'details'> & {
  readonly retryAfterMs: LeverRange;
};

const none: AdmitOptions = {};
/** Short, because another process takes the work, or this one after its restart. */
export const drainRetry: LeverRange = { min: 1000, max: 5000 };
export const defaultRetry: LeverRange = { min: 5000, max: 20_000 };

export function optionsOf(want: number | AdmitOptions | undefined): AdmitOptions {
  return typeof want === 'number' ? { bytes: want } : (want ?? none);
}

/** An order for one priority covers those that give way before it. */
export function covers(only: Priority | undefined, priority: Priority): boolean {
  if (only === undefined || only === 'critical') return true;
  return only === 'normal' ? priority !== 'critical' : priority === 'sheddable';
}

/** Result of a hook of the host. A failure of the hook must not reach the caller of `admit`. */
export function guarded<T>(hook: (() => T) | undefined, otherwise: T): T {
  try {
    return hook === undefined ? otherwise : hook();
  } catch {
    return otherwise;
  }
}

/** The objection of a clamp to a delegation or a run. */
export function clampAgainst(
  clamp: Clamp,
  point: ShedPoint,
  asked: AdmitOptions,
  running: number,
): Objection | undefined {
  const { depth, fanOut, concurrency } = clamp;
  if (point === 'delegation') {
    if (depth !== undefined && asked.depth !== undefined && asked.depth > depth)
      return clampObjection(clamp, 'depth', asked.depth, depth);
    if (fanOut !== undefined && asked.fanOut !== undefined && asked.fanOut >= fanOut)
      return clampObjection(clamp, 'fan-out', asked.fanOut + 1, fanOut);
  }
  if (point !== 'run' || concurrency === undefined || running < concurrency) return undefined;
  return clampObjection(clamp, 'concurrency', running + 1, concurrency);
}

function clampObjection(clamp: Clamp, what: string, value: number, most: number): Objection {
  return {
    reason: 'CLAMPED',
    rule: clamp.reason,
    // A delegation does not get less deep by waiting. The other bounds free up.
    retryable: what !== 'depth',
    retryAfterMs: defaultRetry,
    details: { what, value, most },
  };
}
