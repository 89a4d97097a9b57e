import type { Level, Mode, Priority } from '@plimsoll/core/internal/level';
import type { Clamp, ShedPoint, ShedReason } from '@plimsoll/core/internal/gate/shed-point';
import { admissionSlot } from '@plimsoll/core/internal/gate/admit';
import { currentScope } from '@plimsoll/core';
import type { AdmissionLever } from '../actions/levers.ts';
import type { SteadyLimits } from '../policy/sections/admission.ts';
import { Admission } from './admission.ts';
import type { QuarantineRow } from './quarantine.ts';

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
  /** Agent scopes open now; asked only while the policy has a steady limit. */
  readonly agents?: () => number;
  /** Share of the time that the event loop was busy over the last seconds. */
  readonly busyRatio?: number;
}

export interface GovernOptions {
  /** `observe` and `shadow` only count what they would have refused. */
  readonly mode: Mode;
  /** The policy's priority for the work at hand; asked only while something is refused. */
  readonly priorityOf?: () => Priority | undefined;
  /** The level of a scope by its path or by `kind:name`. */
  readonly levelOf?: (scope: string) => Level;
  /** What is let in at any level; nothing is bounded without. */
  readonly steady?: SteadyLimits;
}

/** The side of admission that the ladder, the restart and the host hold. Every call is idempotent and none throws. */
export interface AdmissionControl extends AdmissionLever {
  /** Begins or goes on to govern. Until then everything is let in and only counted. */
  govern(options: GovernOptions): void;
  /** Lets everything in again and forgets orders and readings. */
  ungovern(): void;
  /** Takes the numbers of a reading. Orders lapse when none came for a minute. */
  observe(reading: AdmissionReading): void;
  /** Closes for good. Everything new is refused, and the process is not ready any more. */
  drain(reason: string): void;
  /** The clamp in force, for whoever keeps its own count of delegations. */
  readonly clamped: Clamp | undefined;
  readonly isDraining: boolean;
  /** Scopes that take no new work. */
  readonly quarantines: readonly QuarantineRow[];
  row(): AdmissionRow;
  /** The row without its points. */
  standing(): Omit<AdmissionRow, 'points'>;
  /** Refusals since the start by point and reason, for metrics. */
  sheds(): readonly { readonly point: ShedPoint; readonly reason: ShedReason; readonly count: number }[];
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

/** The control side of the shed points, for the ladder, the restart and the host. The first call installs it in the process. */
export function admission(): AdmissionControl {
  const slot = admissionSlot();
  return (slot.gate ??= new Admission({ isWithinRun, waitsAs, scopePath, lanes: slot.lanes })) as Admission;
}

function scopePath(): string {
  return currentScope().path;
}

/** Whose turn it is in the line: the innermost agent of the current scope, so that one agent cannot fill the line for the others. */
function waitsAs(): string {
  for (let at: ReturnType<typeof currentScope> | undefined = currentScope(); at !== undefined; at = at.parent)
    if (at.kind === 'agent') return at.name;
  return '';
}

/** True when the current scope is in an open run. What it starts belongs to a turn that was let in. */
function isWithinRun(): boolean {
  for (let at: ReturnType<typeof currentScope> | undefined = currentScope(); at !== undefined; at = at.parent)
    if (at.kind === 'run') return at.state === 'open';
  return false;
}
