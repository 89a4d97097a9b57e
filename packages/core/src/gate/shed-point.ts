import type { Level, Priority } from '../level.ts';
import type { Pressure } from './pressure.ts';

/** The places where a server takes on work, and where it can decline it. */
export const shedPoints = ['session', 'run', 'delegation', 'tool', 'buffer'] as const;
export type ShedPoint = (typeof shedPoints)[number];

/** What asks to be let in. */
export interface AdmitOptions {
  /** Bytes it is going to hold, when known; what does not fit what is left of the limit is refused. */
  readonly bytes?: number;
  /** Who gives way first; default: that of the policy for the current scope, else `normal`. */
  readonly priority?: Priority;
  /** `management` is never refused; any other name may be spared by the `except` list of a refusal. */
  readonly lane?: string;
  /**
   * True for a step of a turn that is in flight: never refused. `session` for the next turn of an open session: no throttle, refusal or clamp
   * holds it; a drain, a quarantine and the steady bounds of the policy do.
   */
  readonly continues?: boolean | 'session';
  /** Delegation only: how deep it would be, the first one being 1. */
  readonly depth?: number;
  /** Delegation only: how many its delegator already has running. */
  readonly fanOut?: number;
}

/** Leave to go on. Releasing it (also by `using`) says that the work is over; one that is forgotten harms nothing. */
export interface Admitted extends Disposable {
  readonly point: ShedPoint;
  release(): void;
}

/** Why a shed point said no. `FULL`: a steady limit of the policy is reached. */
export type ShedReason =
  | 'REFUSED'
  | 'THROTTLED'
  | 'CLAMPED'
  | 'FULL'
  | 'NO_ROOM'
  | 'TOO_LARGE'
  | 'DRAINING'
  | 'QUARANTINED';

/** Tighter bounds on delegation while memory is short; what is left out is unbounded. */
export interface Clamp {
  readonly depth?: number;
  /** Most delegations that one delegator has running. */
  readonly fanOut?: number;
  /** Most runs at once and, in a tree of delegations, most of those. */
  readonly concurrency?: number;
  readonly reason: string;
}

/** How long and with what a request waits at a shed point. */
export interface WaitOptions {
  /** Longest wait; shorter than the client's own patience. */
  readonly waitMs: number;
  /** Bytes that the waiting request itself holds, 4 KiB by default. */
  readonly heldBytes?: number;
  /** Aborted when the client has left. */
  readonly signal?: AbortSignal;
}

/** What decides at the shed points. `@plimsoll/govern` installs it; until then everything is let in. */
export interface AdmissionGate {
  admit(point: ShedPoint, want?: number | AdmitOptions): Admitted;
  admitOrWait(point: ShedPoint, options: AdmitOptions & WaitOptions): Promise<Admitted>;
  readonly isUnderPressure: boolean;
  readonly pressure: Pressure;
  readonly isDraining: boolean;
  /** The clamp in force, for whoever keeps its own count of delegations. */
  readonly clamped: Clamp | undefined;
  /** The level of a scope by its path, or by `kind:name`. */
  levelOf(scope: string): Level;
}
