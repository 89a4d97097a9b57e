import type { Level, Mode, Priority } from '../../policy/policy.ts';
import type { AdmissionLever } from '../levers.ts';

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
  /** True for a step of a turn that is in flight: never refused. `session` for the next turn of an open session: refused by a drain alone. */
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

/** The numbers behind what the shed points do, told by whoever governs once per reading. */
export interface AdmissionReading {
  readonly level: Level;
  /** Of the limit that binds. */
  readonly usedBytes: number;
  readonly limitBytes: number;
  /** Such as `heap` or `cgroup`. */
  readonly source: string;
  /** The rule behind the limit, as in a level change. */
  readonly rule: string;
  /** What is left below the nearest limit, the policy's reserve already taken off. */
  readonly freeBytes: number;
  /** Scopes in which work goes on now; asked only while something is refused. Unknown counts as idle. */
  readonly inFlight?: () => number;
}

export interface GovernOptions {
  /** `observe` and `shadow` only count what they would have refused. */
  readonly mode: Mode;
  /** The policy's priority for the work at hand; asked only while something is refused. */
  readonly priorityOf?: () => Priority | undefined;
}

/** Why a shed point said no: the catalogue code without its `PLM_ADMIT_`. */
export type ShedReason = 'REFUSED' | 'THROTTLED' | 'CLAMPED' | 'NO_ROOM' | 'TOO_LARGE' | 'DRAINING';

/** The side of admission that the ladder, the restart and the host hold. Every call is idempotent and none throws. */
export interface AdmissionControl extends AdmissionLever {
  /** Begins or goes on to govern. Until then everything is let in and only counted. */
  govern(options: GovernOptions): void;
  /** Lets everything in again and forgets orders and readings. */
  ungovern(): void;
  /** Takes the numbers of a reading. Orders lapse when none came for a minute. */
  observe(reading: AdmissionReading): void;
  /** Closes for good: everything new is refused and the process is not ready any more. */
  drain(reason: string): void;
  /** The clamp in force, for whoever keeps its own count of delegations. */
  readonly clamped: Clamp | undefined;
  readonly isDraining: boolean;
  row(): AdmissionRow;
  /** Refusals since the start by point and reason, for metrics. */
  sheds(): readonly { readonly point: ShedPoint; readonly reason: ShedReason; readonly count: number }[];
}

/** Tighter bounds on delegation while memory is short; what is left out is unbounded. */
export interface Clamp {
  readonly depth?: number;
  /** Most delegations that one delegator has running. */
  readonly fanOut?: number;
  /** Most runs at once and, in a tree of delegations, most of those. */
  readonly concurrency?: number;
  readonly reason: string;
}

/** What the shed points do now, and did since the start; goes into the frame as it is. */
export interface AdmissionRow {
  /** What new work meets: let in, refused with a probability, refused. */
  readonly state: 'open' | 'throttling' | 'refusing' | 'draining';
  /** Share of sheddable work refused now, 0 to 1. */
  readonly ratio: number;
  readonly admitted: number;
  readonly refused: number;
  readonly points: readonly {
    readonly point: ShedPoint;
    readonly admitted: number;
    readonly refused: number;
    /** Waiting now. */
    readonly held: number;
    /** Refusals that a mode other than enforce left undone. */
    readonly wouldHave: number;
    /** Refusals by reason, such as `throttled` and `no_room`. */
    readonly reasons: Readonly<Record<string, number>>;
  }[];
}
