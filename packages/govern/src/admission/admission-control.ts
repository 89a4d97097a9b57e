import type { Level, Mode, Priority } from '@plimsoll/core/internal/level';
import type { Clamp, ShedPoint, ShedReason } from '@plimsoll/core/internal/gate/shed-point';
import { admissionSlot } from '@plimsoll/core/internal/gate/admit';
import { currentScope } from '@plimsoll/core';
import type { AdmissionLever } from '../actions/levers.ts';
import type { SteadyLimits } from '../policy/sections/admission.ts';
import { Admission } from './admission.ts';
import type { QuarantineRow } from './quarantine.ts';

/** The numbers that the shed points decide by. The host passes them once per reading. */
export interface AdmissionReading {
  readonly level: Level;
  /** Of the limit that binds. */
  readonly usedBytes: number;
  readonly limitBytes: number;
  /** Such as `heap` or `cgroup`. */
  readonly source: string;
  /** The rule behind the limit, as in a level change. */
  readonly rule: string;
  /** Free bytes below the nearest limit, without the policy's reserve. */
  readonly freeBytes: number;
  /** Number of scopes that are at work; called only while something is refused. When absent, the process counts as idle. */
  readonly inFlight?: () => number;
  /** Number of open agent scopes; called only while the policy has a steady limit. */
  readonly agents?: () => number;
  /** Share of the time that the event loop was busy over the last seconds. */
  readonly busyRatio?: number;
}

export interface GovernOptions {
  /** `observe` and `shadow` only count the refusals that they would have made. */
  readonly mode: Mode;
  /** The policy's priority for the current work; called only while something is refused. */
  readonly priorityOf?: () => Priority | undefined;
  /** The level of a scope by its path or by `kind:name`. */
  readonly levelOf?: (scope: string) => Level;
  /** Limits that hold at any level; without them nothing is bounded. */
  readonly steady?: SteadyLimits;
}

/** The control side of admission, for the ladder, the restart and the host. Every call is idempotent and none throws. */
export interface AdmissionControl extends AdmissionLever {
  /** Starts governing, or continues with new options. Before the first call everything is admitted and only counted. */
  govern(options: GovernOptions): void;
  /** Admits everything again and forgets orders and readings. */
  ungovern(): void;
  /** Takes the numbers of a reading. Orders end when no reading comes for a minute. */
  observe(reading: AdmissionReading): void;
  /** Closes for good. All new work is refused, and the process is no longer ready. */
  drain(reason: string): void;
  /** The clamp in force, for keepers with their own count of delegations. */
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

/** State and counts of the shed points, as in the frame. */
export interface AdmissionRow {
  /** `open`: new work is admitted. `throttling`: it is refused with a probability. `refusing`, `draining`: it is refused. */
  readonly state: 'open' | 'throttling' | 'refusing' | 'draining';
  /** Share of sheddable work refused now, 0 to 1. */
  readonly ratio: number;
  readonly admitted: number;
  readonly refused: number;
  readonly points: readonly {
    readonly point: ShedPoint;
    readonly admitted: number;
    readonly refused: number;
    /** Callers that wait now. */
    readonly held: number;
    /** Refusals that were only counted because the mode is not enforce. */
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

/** Key of the caller's place in the line: the innermost agent of the current scope. So one agent cannot fill the line for the others. */
function waitsAs(): string {
  for (let at: ReturnType<typeof currentScope> | undefined = currentScope(); at !== undefined; at = at.parent)
    if (at.kind === 'agent') return at.name;
  return '';
}

/** True when the current scope is in an open run. Work that it starts belongs to a turn that was admitted. */
function isWithinRun(): boolean {
  for (let at: ReturnType<typeof currentScope> | undefined = currentScope(); at !== undefined; at = at.parent)
    if (at.kind === 'run') return at.state === 'open';
  return false;
}
