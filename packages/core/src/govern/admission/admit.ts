import { admissionSlot } from './admission-slot.ts';
import { managementLane } from './lane.ts';
import type { Pressure } from './pressure.ts';
import type { AdmissionControl, AdmitOptions, Admitted, ShedPoint } from './shed-point.ts';
import { selfCallHeader } from './self-call.ts';
import type { WaitOptions } from './waiting-line.ts';

/**
 * Asks to take on work at a shed point: goes on, or throws an `AdmitError` with numbers that answers HTTP by itself. A count and nothing
 * else while nobody governs this process.
 *
 * `admit('buffer', bytes)` also reserves the bytes until readings show them. `using leave = admit('run')` tells when the work is over, which
 * only a bound on concurrency needs.
 */
export function admit(point: ShedPoint, want?: number | AdmitOptions): Admitted {
  return admissionSlot().admission.admit(point, want);
}

/** As `admit`, but waits up to `waitMs` in a line of at most 64 requests and 1 MiB before it throws. */
export function admitOrWait(point: ShedPoint, options: AdmitOptions & WaitOptions): Promise<Admitted> {
  return admissionSlot().admission.admitOrWait(point, options);
}

/** Runs health, metrics, approval and administration routes: nothing inside is ever refused. */
export function management<R>(work: () => R): R {
  return admissionSlot().admission.lanes.run(managementLane, work);
}

/** True at level critical or above, and while something is refused; takes the place of `fastify.isUnderPressure()`. */
export function isUnderPressure(): boolean {
  return admissionSlot().admission.isUnderPressure;
}

/** What `isUnderPressure` says, with the reason and the numbers. */
export function pressure(): Pressure {
  return admissionSlot().admission.pressure;
}

/** False from the moment on that the process drains for a restart: what a readiness route answers. */
export function isReady(): boolean {
  return !admissionSlot().admission.isDraining;
}

/** Headers that mark a request as sent by this process to itself, so that it is not held up behind its own sender. */
export function selfCallHeaders(): Readonly<Record<string, string>> {
  return admissionSlot().selfCall.headers();
}

/** True for a request with the headers of `selfCallHeaders`: pass it on as `continues`. */
export function isSelfCall(
  headers: Readonly<Record<string, string | readonly string[] | undefined>>,
): boolean {
  return admissionSlot().selfCall.isFrom(headers[selfCallHeader]);
}

/** The control side, for the ladder, the restart and the host. */
export function admission(): AdmissionControl {
  return admissionSlot().admission;
}
