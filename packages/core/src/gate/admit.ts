import type { Level } from '../level.ts';
import { slots } from '../slots.ts';
import type { Slots } from '../slots.ts';
import { Lanes, managementLane } from './lane.ts';
import type { Pressure } from './pressure.ts';
import type { AdmitOptions, Admitted, ShedPoint, WaitOptions } from './shed-point.ts';

type AdmissionSlot = NonNullable<Slots['admission']>;

let own: AdmissionSlot | undefined;

/** The shed points of this thread; the first copy of the package that is asked provides them. */
export function admissionSlot(): AdmissionSlot {
  return (own ??= slots().admission ??= { gate: undefined, lanes: new Lanes() });
}

/**
 * Asks to take on work at a shed point: goes on, or throws an `AdmitError` with numbers that answers HTTP by itself. Lets everything in
 * while nothing governs this process.
 *
 * `admit('buffer', bytes)` also reserves the bytes until readings show them. `using leave = admit('run')` tells when the work is over, which
 * only a bound on concurrency needs.
 */
export function admit(point: ShedPoint, want?: number | AdmitOptions): Admitted {
  return admissionSlot().gate?.admit(point, want) ?? ungoverned(point);
}

/** As `admit`, but waits up to `waitMs` in a line of at most 64 requests and 1 MiB before it throws. */
export async function admitOrWait(point: ShedPoint, options: AdmitOptions & WaitOptions): Promise<Admitted> {
  options.signal?.throwIfAborted();
  return admissionSlot().gate?.admitOrWait(point, options) ?? ungoverned(point);
}

/** Runs health, metrics, approval and administration routes. Nothing inside is ever refused. */
export function management<R>(work: () => R): R {
  return admissionSlot().lanes.run(managementLane, work);
}

/** True at level critical or above, and while something is refused; takes the place of `fastify.isUnderPressure()`. */
export function isUnderPressure(): boolean {
  return admissionSlot().gate?.isUnderPressure ?? false;
}

/**
 * The level of a scope, now: by its path (`process/agent:planner`), by `kind:name` (`service:messaging`, the highest of those that are called
 * so), or `process`. Normal while nothing governs, and for a scope that is not near its budget.
 */
export function scopeLevel(scope: string): Level {
  return admissionSlot().gate?.levelOf(scope) ?? 'normal';
}

/** What `isUnderPressure` says, with the reason and the numbers. */
export function pressure(): Pressure {
  return admissionSlot().gate?.pressure ?? noPressure;
}

/** False once the process drains for a restart. A readiness route answers with it. */
export function isReady(): boolean {
  return admissionSlot().gate?.isDraining !== true;
}

const noPressure: Pressure = {
  reason: null,
  level: 'normal',
  usedBytes: 0,
  limitBytes: 0,
  ratio: 0,
  source: 'unknown',
};

function ungoverned(point: ShedPoint): Admitted {
  return { point, release: () => undefined, [Symbol.dispose]: () => undefined };
}
