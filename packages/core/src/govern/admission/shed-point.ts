import type { Level, Priority } from '../../policy/policy.ts';

/** The places where a server takes on work, and where it can decline it. */
export const shedPoints = ['session', 'run', 'delegation', 'tool', 'buffer'] as const;
export type ShedPoint = (typeof shedPoints)[number];

/** What asks to be let in. */
export interface AdmitOptions {
  /** Bytes it is going to hold, when known; a `buffer` that does not fit what is left of the limit is refused. */
  readonly bytes?: number;
  /** Who gives way first; default: that of the policy for the current scope, else `normal`. */
  readonly priority?: Priority;
  /** `management` is never refused; any other name may be spared by the `except` list of a refusal. */
  readonly lane?: string;
  /** True for the next step of work that was let in before, such as another turn of an open session: never refused. */
  readonly continues?: boolean;
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
  /** Scopes in which work goes on now; 0 when the process is idle. */
  readonly inFlight: number;
}

/** A range of time from which each refusal gets its own `retryAfterMs`. */
export interface RetryAfter {
  readonly minMs: number;
  readonly maxMs: number;
}

export interface ThrottleOrder {
  /** Share to refuse, 0 to 1. */
  readonly ratio: number;
  /** `sheddable` (default), or `normal` for everything but critical work. */
  readonly only?: 'sheddable' | 'normal';
  readonly points?: readonly ShedPoint[];
  readonly retryAfter?: RetryAfter;
  /** The rung that ordered it: `ladder.critical[2] (plimsoll.yaml:30)`. */
  readonly rule?: string;
}

export interface RefuseOrder {
  /** `sheddable` refuses only that; `all` (default) everything new. */
  readonly only?: 'sheddable' | 'all';
  /** Default `session`, `run` and `delegation`: a tool belongs to a run that is under way. */
  readonly points?: readonly ShedPoint[];
  /** Lanes and points that are let in all the same; `management` and continuing turns always are. */
  readonly except?: readonly string[];
  readonly retryAfter?: RetryAfter;
  readonly rule?: string;
}

/** Tighter bounds on delegation while memory is short; what is left out stays unbounded. */
export interface ClampOrder {
  readonly depth?: number;
  /** Most delegations that one delegator has running. */
  readonly fanOut?: number;
  /** Most runs, and in a tree of delegations most of those, at once. */
  readonly concurrency?: number;
  readonly retryAfter?: RetryAfter;
  readonly rule?: string;
}

/** What a release takes back; everything when left out. */
export type AdmissionOrderKind = 'throttle' | 'refuse' | 'clamp';

/** The side of admission that the ladder, the restart and the host hold. Every call is idempotent and none throws. */
export interface AdmissionControl {
  /** Begins or goes on to govern: `enforce` refuses, `shadow` only counts what it would have refused. */
  govern(mode: 'shadow' | 'enforce'): void;
  /** Lets everything in again and forgets the readings. */
  ungovern(): void;
  /** Takes the numbers of a reading. Orders lapse when none came for a minute. */
  observe(reading: AdmissionReading): void;
  throttle(order: ThrottleOrder): void;
  refuse(order?: RefuseOrder): void;
  clamp(order: ClampOrder): void;
  /** Takes orders back. After a refusal a few are let in first, then twice as many per reading, then all. */
  release(kind?: AdmissionOrderKind): void;
  /** Closes for good: everything new is refused and the process is not ready any more. */
  drain(reason: string, retryAfter?: RetryAfter): void;
  /** The clamp in force. */
  readonly clamped: Readonly<ClampOrder> | undefined;
  readonly draining: boolean;
  readonly refusedShare: { readonly asked: number; readonly refused: number };
  row(): AdmissionRow;
}

/** What the shed points do now, and did since the start; goes into the frame as it is. */
export interface AdmissionRow {
  readonly state: 'open' | 'throttling' | 'refusing' | 'draining';
  /** Share of sheddable work refused now, 0 to 1. */
  readonly ratio: number;
  readonly admitted: number;
  readonly refused: number;
  readonly points: readonly {
    readonly point: string;
    readonly admitted: number;
    readonly refused: number;
    /** Waiting now. */
    readonly held: number;
  }[];
}
